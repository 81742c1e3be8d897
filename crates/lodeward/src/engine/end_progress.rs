//! What is left to do before a crawl has ended.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::StopReason;
use super::conductor::Conductor;
use crate::store::follow::{FollowerState, Lag};

/// What the end of a crawl waits for, and how much of it is left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndProgress {
    /// The task that is running.
    pub task: EndTask,
    /// The number of requests or documents that the task has left.
    pub remaining: u64,
}

/// A task at the end of a crawl. The tasks run in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EndTask {
    /// The requests in flight are completed.
    Requests,
    /// The last documents are written to disk.
    Flush,
    /// The followers, such as the archive, receive the rest of the harvest.
    Followers,
    /// The candidates of a focused crawl are ranked. The documents left are those to read.
    Ranking,
}

impl fmt::Display for EndProgress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { task, remaining } = self;
        let count = |noun: &str| format!("{remaining} {noun}{}", if *remaining == 1 { "" } else { "s" });
        match task {
            EndTask::Requests => write!(formatter, "ending: {} in flight", count("request")),
            EndTask::Flush => write!(formatter, "ending: {} to write to disk", count("document")),
            EndTask::Followers => write!(formatter, "ending: {} to deliver", count("document")),
            EndTask::Ranking if *remaining == 0 => write!(formatter, "ending: ranking the candidates"),
            EndTask::Ranking => write!(formatter, "ending: ranking the candidates, {} to read", count("document")),
        }
    }
}

impl Conductor {
    /// What the end of the crawl waits for; `None` if the crawl goes on.
    pub(super) fn end_progress(&self) -> Option<EndProgress> {
        let is_ending = self.is_stopping() || self.reached_limit().is_some();
        let task = self.stop.task.or_else(|| is_ending.then_some(EndTask::Requests))?;
        let remaining = match task {
            EndTask::Requests => self.flights.len() as u64,
            EndTask::Flush => self.commits.documents(),
            EndTask::Followers => undelivered(&self.crawl.followers.lags()),
            EndTask::Ranking => 0,
        };
        Some(EndProgress { task, remaining })
    }

    /// The limit that was reached, if any.
    pub(super) fn reached_limit(&self) -> Option<StopReason> {
        let options = &self.crawl.options;
        let is_reached = |max: Option<u64>, count: u64| max.is_some_and(|max| count >= max);
        if is_reached(options.max_requests, self.tally.requests_since_refresh()) {
            return Some(StopReason::MaxRequests);
        }
        // Revisited documents are counted already.
        if self.refreshing {
            return None;
        }
        if is_reached(options.max_documents, self.tally.documents) {
            return Some(StopReason::MaxDocuments);
        }
        is_reached(options.max_rdf_documents, self.tally.rdf_documents).then_some(StopReason::MaxRdfDocuments)
    }
}

/// The number of documents that followers have yet to receive.
fn undelivered(lags: &[Lag]) -> u64 {
    let is_active = |lag: &&Lag| matches!(lag.state, FollowerState::Following | FollowerState::Waiting);
    lags.iter().filter(is_active).map(|lag| lag.documents).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_names_the_task_and_the_count() {
        let check = |task, remaining, expected: &str| {
            assert_eq!(EndProgress { task, remaining }.to_string(), expected);
        };

        check(EndTask::Requests, 12, "ending: 12 requests in flight");
        check(EndTask::Requests, 1, "ending: 1 request in flight");
        check(EndTask::Flush, 3, "ending: 3 documents to write to disk");
        check(EndTask::Followers, 2_000, "ending: 2000 documents to deliver");
        check(EndTask::Ranking, 7, "ending: ranking the candidates, 7 documents to read");
        check(EndTask::Ranking, 0, "ending: ranking the candidates");
    }

    #[test]
    fn a_failed_follower_is_not_waited_for() {
        let lag = |state, documents| Lag { state, documents, ..Lag::default() };

        let lags = [lag(FollowerState::Following, 5), lag(FollowerState::Waiting, 7), lag(FollowerState::Failed, 100)];

        assert_eq!(undelivered(&lags), 12);
    }
}
