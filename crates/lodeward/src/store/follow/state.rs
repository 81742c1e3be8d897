//! State shared by a feed and the threads that wait for it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::super::segments::{LogDistance, LogEnd, LogGroup};
use super::lag::{FollowerState, Lag};

pub(super) struct FeedState {
    name: String,
    hint: String,
    inner: Mutex<FeedStateInner>,
    changed: Condvar,
    /// Notified of every change, for async tasks that wait for one.
    watchers: watch::Sender<()>,
}

#[derive(Default)]
struct FeedStateInner {
    state: FollowerState,
    why: Option<String>,
    /// The part of the log that was not applied when the feed started; `None` before it starts.
    backlog: Option<FeedBacklog>,
    applied: LogDistance,
    /// How long the feed may still wait for an unreachable target; `None` until
    /// `finish` is called.
    patience: Option<Duration>,
    /// Whether a thread waits for the log to be applied.
    awaited: bool,
    abandoned: bool,
    ended: bool,
}

#[derive(Clone, Copy)]
struct FeedBacklog {
    distance: LogDistance,
    /// End of the log when the feed started.
    end: LogEnd,
}

impl FeedState {
    pub(super) fn new(name: &str, hint: &str, watchers: watch::Sender<()>) -> Self {
        let (name, hint) = (name.to_owned(), hint.to_owned());
        Self { name, hint, inner: Mutex::default(), changed: Condvar::new(), watchers }
    }

    fn inner(&self) -> MutexGuard<'_, FeedStateInner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut FeedStateInner)) {
        change(&mut self.inner());
        self.changed.notify_all();
        self.watchers.send_replace(());
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    // The following methods are called by the feed.

    pub(super) fn set_backlog(&self, distance: LogDistance, end: LogEnd) {
        self.update(|inner| inner.backlog = Some(FeedBacklog { distance, end }));
    }

    pub(super) fn record_applied(&self, group: &LogGroup) {
        self.update(|inner| {
            inner.applied.records += group.records;
            inner.applied.bytes += group.bytes;
        });
    }

    pub(super) fn mark_reachable(&self) {
        if self.inner().state == FollowerState::Waiting {
            self.update(|inner| (inner.state, inner.why) = (FollowerState::Following, None));
        }
    }

    /// Records that the follower is unreachable. Returns the delay before the next attempt, at most
    /// `wait`; `None` if the feed is to end.
    pub(super) fn mark_unreachable(&self, why: String, wait: Duration) -> Option<Duration> {
        let mut left = None;
        self.update(|inner| {
            (inner.state, inner.why) = (FollowerState::Waiting, Some(why));
            let wait = inner.patience.map_or(wait, |patience| wait.min(patience));
            inner.patience = inner.patience.map(|patience| patience.saturating_sub(wait));
            left = (!inner.abandoned && !wait.is_zero()).then_some(wait);
        });
        left
    }

    pub(super) fn fail(&self, why: String) {
        self.update(|inner| (inner.state, inner.why, inner.ended) = (FollowerState::Failed, Some(why), true));
    }

    pub(super) fn mark_ended(&self, is_done: bool) {
        self.update(|inner| {
            inner.ended = true;
            if is_done {
                (inner.state, inner.why) = (FollowerState::Done, None);
            }
        });
    }

    /// Sleeps for `time`, or until the feed is to finish or to stop.
    pub(super) fn sleep(&self, time: Duration) {
        let inner = self.inner();
        let was_finishing = inner.patience.is_some();
        let waited = self
            .changed
            .wait_timeout_while(inner, time, |inner| !inner.abandoned && inner.patience.is_some() == was_finishing);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    pub(super) fn is_abandoned(&self) -> bool {
        self.inner().abandoned
    }

    pub(super) fn is_finishing(&self) -> bool {
        self.inner().patience.is_some()
    }

    pub(super) fn is_urgent(&self) -> bool {
        let inner = self.inner();
        inner.abandoned || inner.awaited || inner.patience.is_some()
    }

    // The following methods are called by other threads.

    /// Announces the end of the crawl. The feed applies the rest of the log, and waits at most
    /// `patience` for an unreachable target.
    pub(super) fn finish(&self, patience: Duration) {
        self.update(|inner| inner.patience = Some(inner.patience.unwrap_or(patience).min(patience)));
    }

    pub(super) fn abandon(&self) {
        self.update(|inner| inner.abandoned = true);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.inner().ended
    }

    /// Records that a thread is about to wait for the log to be applied.
    pub(super) fn mark_awaited(&self) {
        self.inner().awaited = true;
    }

    /// Blocks until everything before `end` has been applied. Returns `false` if the feed ended
    /// before.
    pub(super) fn wait_until_applied(&self, end: LogEnd) -> bool {
        let behind = |inner: &FeedStateInner| inner.distance_to(end).records > 0 || inner.backlog.is_none();
        let mut inner = self.inner();
        while behind(&inner) && !inner.ended {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.awaited = false;
        !behind(&inner)
    }

    pub(super) fn lag(&self, end: LogEnd) -> Lag {
        let inner = self.inner();
        let LogDistance { records, bytes } = inner.distance_to(end);
        Lag {
            name: self.name.clone(),
            state: inner.state,
            documents: records,
            bytes,
            error: inner.why.clone(),
            hint: self.hint.clone(),
        }
    }
}

impl FeedStateInner {
    /// Distance between the applied position and `end`. Before the feed started, the backlog is
    /// unknown and not counted.
    fn distance_to(&self, end: LogEnd) -> LogDistance {
        let begin =
            self.backlog.map_or((LogDistance::default(), LogEnd::default()), |begin| (begin.distance, begin.end));
        let (backlog, begin) = begin;
        let records = backlog.records + end.records - begin.records.min(end.records);
        let bytes = backlog.bytes + end.bytes_written - begin.bytes_written.min(end.bytes_written);
        LogDistance {
            records: records.saturating_sub(self.applied.records),
            bytes: bytes.saturating_sub(self.applied.bytes),
        }
    }
}
