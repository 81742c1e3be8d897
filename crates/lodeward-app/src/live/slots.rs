//! Limits how many requests run at a time.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Counts running requests.
pub(super) struct RequestSlots {
    max: usize,
    running: Mutex<usize>,
    changed: Condvar,
}

/// One running request, until it is dropped.
pub(super) struct RequestSlot<'a>(&'a RequestSlots);

impl RequestSlots {
    pub(super) fn new(max: usize) -> Self {
        Self { max: max.max(1), running: Mutex::new(0), changed: Condvar::new() }
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a slot, for a limited time.
    pub(super) fn acquire(&self, max_wait: Duration) -> Option<RequestSlot<'_>> {
        let waiting = self.changed.wait_timeout_while(self.lock(), max_wait, |running| *running >= self.max);
        let (mut running, _) = waiting.unwrap_or_else(PoisonError::into_inner);
        if *running >= self.max {
            return None;
        }
        *running += 1;
        Some(RequestSlot(self))
    }

    /// Waits until no request runs, for a limited time. Returns whether none runs.
    pub(super) fn wait_until_idle(&self, max_wait: Duration) -> bool {
        let waiting = self.changed.wait_timeout_while(self.lock(), max_wait, |running| *running > 0);
        *waiting.unwrap_or_else(PoisonError::into_inner).0 == 0
    }
}

impl Drop for RequestSlot<'_> {
    fn drop(&mut self) {
        *self.0.lock() -= 1;
        self.0.changed.notify_all();
    }
}
