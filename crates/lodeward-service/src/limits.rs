//! Admission control: how many operations of one kind may run or wait per crawl.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Limits the operations per crawl that run or wait for their turn. An operation continues
/// after its client has disconnected; without a limit, repeated requests would pile up.
pub(crate) struct KeyedLimit {
    max: usize,
    counts: Arc<KeyedCounts>,
}

type KeyedCounts = Mutex<BTreeMap<u32, usize>>;

fn lock_counts(counts: &KeyedCounts) -> MutexGuard<'_, BTreeMap<u32, usize>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A permit for one operation to run or wait, released when it is dropped.
pub(crate) struct LimitPermit {
    crawl: u32,
    counts: Arc<KeyedCounts>,
}

impl KeyedLimit {
    /// Allows two operations per crawl: one that runs and one that waits. The waiting operation may
    /// differ from the running one or see newer data; a third would only repeat the second.
    pub(crate) fn two_per_key() -> Self {
        Self { max: 2, counts: Arc::default() }
    }

    /// A permit for this crawl, unless the limit is reached.
    pub(crate) fn try_acquire(&self, crawl: u32) -> Option<LimitPermit> {
        let mut counts = lock_counts(&self.counts);
        let count = counts.entry(crawl).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(LimitPermit { crawl, counts: Arc::clone(&self.counts) })
    }
}

impl Drop for LimitPermit {
    fn drop(&mut self) {
        let mut counts = lock_counts(&self.counts);
        if let Some(count) = counts.get_mut(&self.crawl) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.crawl);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_third_operation_on_a_crawl_is_rejected() {
        let limit = KeyedLimit::two_per_key();

        let first = limit.try_acquire(1);
        let second = limit.try_acquire(1);
        assert!(first.is_some() && second.is_some());
        assert!(limit.try_acquire(1).is_none());
        assert!(limit.try_acquire(2).is_some(), "crawls have separate limits");

        drop(first);
        let third = limit.try_acquire(1);
        assert!(third.is_some());
        drop((second, third));
        assert!(lock_counts(&limit.counts).is_empty(), "counts of zero are removed");
    }
}
