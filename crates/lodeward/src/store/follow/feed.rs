//! Feeds one follower, on its own thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use super::super::segments::{LogGroup, LogReader, ReadBounds, SegmentLog};
use super::backoff::Backoff;
use super::state::FeedState;
use super::{CrawlDescriber, Follower, FollowerError};
use crate::error_chain;

/// How the log is grouped for a follower.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeedOptions {
    /// Number of documents at which a group is applied without further waiting.
    pub group_documents: u64,
    /// Maximum time to wait for more documents.
    pub group_time: Duration,
    /// Maximum size of a group.
    pub bounds: ReadBounds,
}

impl Default for FeedOptions {
    fn default() -> Self {
        Self { group_documents: 2_048, group_time: Duration::from_secs(1), bounds: ReadBounds::default() }
    }
}

/// Waits between two attempts. A trait, so that tests do not wait.
pub(super) trait Sleeper: Send {
    /// Waits for `time`, or until the feed is to finish or stop.
    fn sleep(&mut self, time: Duration, state: &FeedState);
}

/// Sleeps in real time.
pub(super) struct RealSleeper;

impl Sleeper for RealSleeper {
    fn sleep(&mut self, time: Duration, state: &FeedState) {
        state.sleep(time);
    }
}

/// How a feed ended without error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FeedStop {
    /// The whole log was applied.
    Done,
    /// The feed was abandoned.
    Left,
}

pub(super) struct FollowerFeed {
    pub(super) log: SegmentLog,
    pub(super) follower: Box<dyn Follower>,
    pub(super) options: FeedOptions,
    pub(super) describer: Option<CrawlDescriber>,
    pub(super) state: Arc<FeedState>,
    pub(super) sleeper: Box<dyn Sleeper>,
}

impl FollowerFeed {
    /// Feeds the follower until the state requests the feed to finish or to stop.
    pub(super) fn run(mut self) {
        let followed = catch_unwind(AssertUnwindSafe(|| self.follow()));
        let followed = followed.unwrap_or_else(|_| {
            Err(FollowerError::Fatal {
                what: "internal error: the follower panicked (this is a bug)".to_owned(),
                source: None,
            })
        });
        let Self { follower, state, .. } = self;
        // The follower is dropped before the end of the feed is signalled, because a thread that
        // waits for the end may open the same target.
        drop(follower);
        match followed {
            Ok(stop) => state.mark_ended(stop == FeedStop::Done),
            Err(error) => {
                let error = error_chain::with_causes(&error);
                tracing::error!(follower = state.name(), %error, "follower failed; the crawl continues without it");
                state.fail(error);
            }
        }
    }

    fn follow(&mut self) -> Result<FeedStop, FollowerError> {
        let Some(position) = self.with_retries(|follower| follower.position())? else { return Ok(FeedStop::Left) };
        let mut reader = self.log.follow(position)?;
        let end = self.log.tail().end();
        self.state.set_backlog(reader.distance_to(end)?, end);
        let Some(mut is_described) = self.with_retries(|follower| follower.is_description_current())? else {
            return Ok(FeedStop::Left);
        };
        loop {
            if self.state.is_abandoned() {
                return Ok(FeedStop::Left);
            }
            // `is_finishing` is called before the log is read, so that all records written before
            // the request to finish are read.
            let is_finishing = self.state.is_finishing();
            match reader.next_group(self.options.bounds)? {
                Some(group) => {
                    if self.with_retries(|follower| follower.apply(&group.changes, group.upto))?.is_none() {
                        return Ok(FeedStop::Left);
                    }
                    is_described = false;
                    self.state.record_applied(&group);
                }
                None if is_finishing => return self.finish(is_described),
                None => self.wait_for_more(&reader),
            }
        }
    }

    fn finish(&mut self, is_described: bool) -> Result<FeedStop, FollowerError> {
        if !is_described && let Some(describe) = self.describer.clone() {
            let (graph, quads) = describe(&self.log)?;
            if self.with_retries(|follower| follower.put_description(&graph, &quads))?.is_none() {
                return Ok(FeedStop::Left);
            }
        }
        Ok(self.with_retries(|follower| follower.finish())?.map_or(FeedStop::Left, |()| FeedStop::Done))
    }

    /// Waits for the first record, then up to `group_time` for more.
    fn wait_for_more(&self, reader: &LogReader) {
        let state = &self.state;
        let begin = self.log.tail().end().records;
        self.log.tail().wait_while(None, |end| !reader.has_more_before(end) && !state.is_urgent());
        let more = self.options.group_documents;
        self.log
            .tail()
            .wait_while(Some(self.options.group_time), |end| end.records - begin < more && !state.is_urgent());
    }

    /// Calls the follower until the call succeeds. Returns `None` if the feed is abandoned.
    fn with_retries<T>(
        &mut self,
        mut attempt: impl FnMut(&mut dyn Follower) -> Result<T, FollowerError>,
    ) -> Result<Option<T>, FollowerError> {
        let mut backoff = Backoff::new();
        loop {
            let (after, why) = match attempt(&mut *self.follower) {
                Err(FollowerError::Retry { after, why }) => (after, why),
                other => {
                    self.state.mark_reachable();
                    return other.map(Some);
                }
            };
            let wait = backoff.next_delay(after);
            let follower = self.state.name();
            tracing::warn!(follower, %why, delay_s = wait.as_secs(), "follower unreachable, retrying");
            let Some(wait) = self.state.mark_unreachable(why, wait) else { return Ok(None) };
            self.sleeper.sleep(wait, &self.state);
        }
    }
}

/// Feeds a follower the whole log on this thread. Calls `progress` after every group.
///
/// Fails if the follower is unreachable, because the caller waits for the result.
pub fn feed_all(
    log: &SegmentLog,
    follower: &mut dyn Follower,
    bounds: ReadBounds,
    progress: &mut dyn FnMut(&LogGroup),
) -> Result<(), FollowerError> {
    let mut reader = log.read(follower.position()?)?;
    while let Some(group) = reader.next_group(bounds)? {
        follower.apply(&group.changes, group.upto)?;
        progress(&group);
    }
    follower.finish()
}
