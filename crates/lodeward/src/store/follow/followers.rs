//! The followers of a log.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::sync::watch;

use super::super::segments::SegmentLog;
use super::feed::{FeedOptions, FollowerFeed, RealSleeper, Sleeper};
use super::lag::Lag;
use super::state::FeedState;
use super::{CrawlDescriber, Follower};

/// The followers of a crawl's log, each fed on its own thread. Empty by default.
#[derive(Default)]
pub struct Followers {
    log: Option<SegmentLog>,
    states: Vec<Arc<FeedState>>,
    /// Keeps the channel open when there are no followers.
    changed: watch::Sender<()>,
}

impl Followers {
    /// Creates a set without followers.
    #[must_use]
    pub fn new(log: SegmentLog) -> Self {
        Self { log: Some(log), states: Vec::new(), changed: watch::Sender::default() }
    }

    /// Starts to feed a follower. `describe` makes the description of the crawl, which is sent
    /// after the whole log was applied.
    pub fn add(&mut self, follower: Box<dyn Follower>, pace: FeedOptions, describe: Option<CrawlDescriber>) {
        self.add_with_sleeper(follower, pace, describe, Box::new(RealSleeper));
    }

    pub(super) fn add_with_sleeper(
        &mut self,
        follower: Box<dyn Follower>,
        options: FeedOptions,
        describer: Option<CrawlDescriber>,
        sleeper: Box<dyn Sleeper>,
    ) {
        let log = self.log.clone().expect("followers are added to a set with a log");
        let state = Arc::new(FeedState::new(follower.name(), follower.hint(), self.changed.clone()));
        self.states.push(Arc::clone(&state));
        let feed = FollowerFeed { log, follower, options, describer, state: Arc::clone(&state), sleeper };
        let thread = thread::Builder::new().name("follower".to_owned());
        if let Err(error) = thread.spawn(move || feed.run()) {
            state.fail(format!("cannot start a thread: {error}"));
        }
    }

    /// Returns the lag of each follower.
    #[must_use]
    pub fn lags(&self) -> Vec<Lag> {
        let Some(log) = &self.log else { return Vec::new() };
        let end = log.tail().end();
        self.states.iter().map(|state| state.lag(end)).collect()
    }

    /// Announces the end of the log. Followers apply the rest, wait at most `patience` for a target
    /// that is unreachable, and end.
    pub fn finish(&self, patience: Duration) {
        self.update_all(|state| state.finish(patience));
    }

    /// Stops the followers as soon as possible. They resume from their position in the next run.
    pub(crate) fn abandon(&self) {
        self.update_all(FeedState::abandon);
    }

    fn update_all(&self, update: impl Fn(&FeedState)) {
        for state in &self.states {
            update(state);
        }
        if let Some(log) = &self.log {
            log.tail().wake();
        }
    }

    /// Whether all followers have ended.
    #[must_use]
    pub(crate) fn all_ended(&self) -> bool {
        self.states.iter().all(|state| state.has_ended())
    }

    /// Returns a receiver that is notified of every change of a follower's state.
    #[must_use]
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Returns a handle that waits for the end of the followers, also after this set is dropped.
    #[must_use]
    pub fn ends(&self) -> FollowerEnds {
        FollowerEnds { states: self.states.clone(), changed: self.changed.subscribe() }
    }

    /// Blocks until all followers have applied everything that is in the log now. Returns `false`
    /// if one of them failed.
    #[must_use]
    pub fn catch_up(&self) -> bool {
        let Some(log) = &self.log else { return true };
        let end = log.tail().end();
        self.states.iter().all(|state| {
            state.mark_awaited();
            log.tail().wake();
            state.wait_until_applied(end)
        })
    }
}

/// Waits for the end of followers. A follower that was abandoned may still be applying a group.
pub struct FollowerEnds {
    states: Vec<Arc<FeedState>>,
    changed: watch::Receiver<()>,
}

impl FollowerEnds {
    /// Waits until all followers have ended.
    pub async fn wait(mut self) {
        while !self.states.iter().all(|state| state.has_ended()) {
            // `changed` fails only if all senders were dropped, and each of the states holds a
            // sender.
            if self.changed.changed().await.is_err() {
                return;
            }
        }
    }
}

impl Drop for Followers {
    fn drop(&mut self) {
        self.abandon();
    }
}
