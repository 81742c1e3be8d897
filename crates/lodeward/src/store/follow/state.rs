//! What a feed and those who wait for it tell each other.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::watch;

use super::super::segments::{Distance, LogEnd, LogGroup};
use super::lag::{Lag, Standing};

pub(super) struct State {
    name: String,
    remedy: String,
    inner: Mutex<Inner>,
    changed: Condvar,
    /// Told whenever something changes, for those who wait without blocking.
    told: watch::Sender<()>,
}

#[derive(Default)]
struct Inner {
    standing: Standing,
    why: Option<String>,
    /// What was left to read when the feed began; `None` before.
    backlog: Option<Backlog>,
    applied: Distance,
    /// How long it may still wait for somebody who cannot be reached; `None`
    /// while there is no hurry.
    patience: Option<Duration>,
    /// Somebody waits for everything to be taken.
    waited_for: bool,
    abandoned: bool,
    ended: bool,
}

#[derive(Clone, Copy)]
struct Backlog {
    distance: Distance,
    /// Where the log ended then.
    end: LogEnd,
}

impl State {
    pub(super) fn new(name: &str, remedy: &str, told: watch::Sender<()>) -> Self {
        let (name, remedy) = (name.to_owned(), remedy.to_owned());
        Self { name, remedy, inner: Mutex::default(), changed: Condvar::new(), told }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Inner)) {
        change(&mut self.inner());
        self.changed.notify_all();
        self.told.send_replace(());
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    // What the feed says.

    pub(super) fn begin(&self, distance: Distance, end: LogEnd) {
        self.change(|inner| inner.backlog = Some(Backlog { distance, end }));
    }

    pub(super) fn applied(&self, group: &LogGroup) {
        self.change(|inner| {
            inner.applied.records += group.records;
            inner.applied.bytes += group.bytes;
        });
    }

    pub(super) fn reached(&self) {
        if self.inner().standing == Standing::Waiting {
            self.change(|inner| (inner.standing, inner.why) = (Standing::Following, None));
        }
    }

    /// The follower could not be reached. Tells how long to wait for it, at most
    /// this long; `None` if it is to be left.
    pub(super) fn unreached(&self, why: String, wait: Duration) -> Option<Duration> {
        let mut left = None;
        self.change(|inner| {
            (inner.standing, inner.why) = (Standing::Waiting, Some(why));
            let wait = inner.patience.map_or(wait, |patience| wait.min(patience));
            inner.patience = inner.patience.map(|patience| patience.saturating_sub(wait));
            left = (!inner.abandoned && !wait.is_zero()).then_some(wait);
        });
        left
    }

    pub(super) fn fail(&self, why: String) {
        self.change(|inner| (inner.standing, inner.why, inner.ended) = (Standing::Failed, Some(why), true));
    }

    pub(super) fn end(&self, is_done: bool) {
        self.change(|inner| {
            inner.ended = true;
            if is_done {
                (inner.standing, inner.why) = (Standing::Done, None);
            }
        });
    }

    /// Waits so long, but no longer than until somebody wants it to end.
    pub(super) fn rest(&self, time: Duration) {
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

    pub(super) fn is_in_hurry(&self) -> bool {
        let inner = self.inner();
        inner.abandoned || inner.waited_for || inner.patience.is_some()
    }

    // What others say.

    /// The crawl is over: take what there is, and wait at most so long for
    /// somebody who cannot be reached.
    pub(super) fn finish(&self, patience: Duration) {
        self.change(|inner| inner.patience = Some(inner.patience.unwrap_or(patience).min(patience)));
    }

    pub(super) fn abandon(&self) {
        self.change(|inner| inner.abandoned = true);
    }

    pub(super) fn has_ended(&self) -> bool {
        self.inner().ended
    }

    /// Somebody is about to wait.
    pub(super) fn hurry(&self) {
        self.inner().waited_for = true;
    }

    /// Blocks until everything before this end has been taken. Tells whether it
    /// has.
    pub(super) fn wait_for(&self, end: LogEnd) -> bool {
        let behind = |inner: &Inner| inner.behind(end).records > 0 || inner.backlog.is_none();
        let mut inner = self.inner();
        while behind(&inner) && !inner.ended {
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
        inner.waited_for = false;
        !behind(&inner)
    }

    pub(super) fn lag(&self, end: LogEnd) -> Lag {
        let inner = self.inner();
        let Distance { records, bytes } = inner.behind(end);
        Lag {
            name: self.name.clone(),
            standing: inner.standing,
            documents: records,
            bytes,
            why: inner.why.clone(),
            remedy: self.remedy.clone(),
        }
    }
}

impl Inner {
    /// How much there is between what has been applied and this end. What was
    /// there before the feed began is not known then, and not counted.
    fn behind(&self, end: LogEnd) -> Distance {
        let begin = self.backlog.map_or((Distance::default(), LogEnd::default()), |begin| (begin.distance, begin.end));
        let (backlog, begin) = begin;
        let records = backlog.records + end.records - begin.records.min(end.records);
        let bytes = backlog.bytes + end.bytes_written - begin.bytes_written.min(end.bytes_written);
        Distance {
            records: records.saturating_sub(self.applied.records),
            bytes: bytes.saturating_sub(self.applied.bytes),
        }
    }
}
