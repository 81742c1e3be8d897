//! How far the log has come.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Where the log ends for those who follow it: after the last record that is in
/// the index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct End {
    /// The number of the last segment file.
    pub(in crate::store) segment: u32,
    /// Its length.
    pub(in crate::store) bytes: u64,
    /// Records written since the store was opened.
    pub(in crate::store) records: u64,
    /// Bytes written since then.
    pub(in crate::store) bytes_written: u64,
}

/// The end of the log, for waiting at.
#[derive(Default)]
pub(in crate::store) struct Tail {
    end: Mutex<End>,
    grown: Condvar,
}

impl Tail {
    pub(super) fn new(segment: u32, bytes: u64) -> Self {
        Self { end: Mutex::new(End { segment, bytes, ..End::default() }), grown: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, End> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Where the log ends now.
    pub(in crate::store) fn end(&self) -> End {
        *self.lock()
    }

    /// Moves the end, beyond so many more records, and wakes whoever waits for
    /// that.
    pub(super) fn grow(&self, segment: u32, bytes: u64, records: u64) {
        let mut end = self.lock();
        let written = bytes - if segment == end.segment { end.bytes } else { 0 };
        let (records, bytes_written) = (end.records + records, end.bytes_written + written);
        *end = End { segment, bytes, records, bytes_written };
        drop(end);
        self.grown.notify_all();
    }

    /// Wakes whoever waits, though nothing has grown.
    pub(in crate::store) fn wake(&self) {
        // Under the lock, or somebody who has just decided to wait would sleep on.
        let end = self.lock();
        drop(end);
        self.grown.notify_all();
    }

    /// Waits while `patient` says so of the end, and no longer than this.
    pub(in crate::store) fn wait_while(&self, time: Option<Duration>, mut patient: impl FnMut(End) -> bool) {
        let end = self.lock();
        match time {
            Some(time) => {
                let waited = self.grown.wait_timeout_while(end, time, |end| patient(*end));
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            None => {
                let waited = self.grown.wait_while(end, |end| patient(*end));
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}
