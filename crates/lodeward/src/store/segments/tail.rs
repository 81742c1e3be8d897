//! The end of the log, and waiting for it to grow.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// End of the log for followers: after the last indexed record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::store) struct LogEnd {
    /// Number of the last segment file.
    pub(in crate::store) segment: u32,
    /// Length of that file.
    pub(in crate::store) bytes: u64,
    /// Number of records written since the store was opened.
    pub(in crate::store) records: u64,
    /// Number of bytes written since the store was opened.
    pub(in crate::store) bytes_written: u64,
}

/// The end of the log, with notification of its growth.
#[derive(Default)]
pub(in crate::store) struct LogTail {
    end: Mutex<LogEnd>,
    grown: Condvar,
}

impl LogTail {
    pub(super) fn new(segment: u32, bytes: u64) -> Self {
        Self { end: Mutex::new(LogEnd { segment, bytes, ..LogEnd::default() }), grown: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, LogEnd> {
        self.end.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Current end of the log.
    pub(in crate::store) fn end(&self) -> LogEnd {
        *self.lock()
    }

    /// Moves the end by `records` records, and wakes all waiting threads.
    pub(super) fn grow(&self, segment: u32, bytes: u64, records: u64) {
        let mut end = self.lock();
        let written = bytes - if segment == end.segment { end.bytes } else { 0 };
        let (records, bytes_written) = (end.records + records, end.bytes_written + written);
        *end = LogEnd { segment, bytes, records, bytes_written };
        drop(end);
        self.grown.notify_all();
    }

    /// Wakes all waiting threads without a change of the end.
    pub(in crate::store) fn wake(&self) {
        // The lock is held, because otherwise a thread that has just checked its condition would
        // miss the wake-up.
        let end = self.lock();
        drop(end);
        self.grown.notify_all();
    }

    /// Waits while `is_waiting` returns true for the end, at most `time`.
    pub(in crate::store) fn wait_while(&self, time: Option<Duration>, mut is_waiting: impl FnMut(LogEnd) -> bool) {
        let end = self.lock();
        match time {
            Some(time) => {
                let waited = self.grown.wait_timeout_while(end, time, |end| is_waiting(*end));
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
            None => {
                let waited = self.grown.wait_while(end, |end| is_waiting(*end));
                drop(waited.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }
}
