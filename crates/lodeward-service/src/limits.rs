//! Admission control: how many operations of one kind may run or wait.
//!
//! All numbers stand here. [`Slots`] limits operations of the whole service, [`KeyedLimit`] those
//! of one crawl, IP address or token. Work continues after its client has disconnected, so a
//! permit is held until the work is done; without limits, repeated requests would pile up.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Open connections; further ones wait to be accepted. A connection may be an event stream that
/// stays open for days.
pub(crate) const MAX_CONNECTIONS: usize = 4_096;

/// Open connections per IP address, so that no client can take all of them.
pub(crate) const MAX_CONNECTIONS_PER_ADDRESS: usize = 512;

/// Subscribers of events.
pub(crate) const MAX_SUBSCRIBERS: usize = 1_000;

/// Concurrent downloads. Each occupies a thread.
pub(crate) const MAX_DOWNLOADS: usize = 32;

/// Concurrent reads of a whole harvest or of the seeds of all crawls.
pub(crate) const MAX_BULK_READS: usize = 8;

/// Memory of large request bodies, in units of 1 MiB. A larger body is accepted only if no other
/// large body is in memory.
pub(crate) const MAX_BODY_UNITS: u32 = 256;

/// Imports that run or wait. Their bodies are in memory.
pub(crate) const MAX_WAITING_IMPORTS: usize = 8;

/// Orders that are validated at a time. Validation may take long, and needs memory.
pub(crate) const MAX_CONCURRENT_PLANS: usize = 4;

/// Concurrent exports.
pub(crate) const MAX_CONCURRENT_EXPORTS: usize = 2;

/// Concurrent rankings. Each needs memory for a graph.
pub(crate) const MAX_CONCURRENT_RANKINGS: usize = 2;

/// Exports or rankings of one crawl: one that runs and one that waits. The waiting one may differ
/// from the running one or see newer data; a third would only repeat the second.
pub(crate) const MAX_PER_CRAWL: usize = 2;

/// Memory of the indexes of rankings, in bytes. A ranking of 100,000 candidates takes about 40 MB.
pub(crate) const MAX_CANDIDATE_CACHE_BYTES: usize = 96 << 20;

/// Concurrent checks of passwords. Each takes 19 MiB and a core.
pub(crate) const MAX_PASSWORD_CHECKS: usize = 2;

/// Checks of passwords that wait.
pub(crate) const MAX_WAITING_LOGINS: usize = 64;

/// Permits for operations of one kind.
pub(crate) struct Slots {
    semaphore: Arc<Semaphore>,
    max: usize,
}

/// Permits for one operation, released when this is dropped.
pub(crate) type SlotPermit = OwnedSemaphorePermit;

impl Slots {
    pub(crate) fn new(max: usize) -> Self {
        Self { semaphore: Arc::new(Semaphore::new(max)), max }
    }

    /// A permit, if one is free.
    pub(crate) fn try_acquire(&self) -> Option<SlotPermit> {
        Arc::clone(&self.semaphore).try_acquire_owned().ok()
    }

    /// Waits for a permit.
    pub(crate) async fn acquire(&self) -> SlotPermit {
        Arc::clone(&self.semaphore).acquire_owned().await.expect("the semaphore is never closed")
    }

    /// Waits for some permits, for a limited time.
    pub(crate) async fn acquire_within(&self, count: u32, time: Duration) -> Option<SlotPermit> {
        tokio::time::timeout(time, Arc::clone(&self.semaphore).acquire_many_owned(count)).await.ok()?.ok()
    }

    /// The number of permits that are held.
    pub(crate) fn in_use(&self) -> usize {
        self.max - self.semaphore.available_permits()
    }
}

/// Limits the operations per key.
pub(crate) struct KeyedLimit<K> {
    max: usize,
    counts: Arc<KeyedCounts<K>>,
}

type KeyedCounts<K> = Mutex<BTreeMap<K, usize>>;

fn lock_counts<K>(counts: &KeyedCounts<K>) -> MutexGuard<'_, BTreeMap<K, usize>> {
    counts.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A permit for one operation, released when it is dropped.
pub(crate) struct KeyedPermit<K: Ord> {
    key: K,
    counts: Arc<KeyedCounts<K>>,
}

impl<K: Ord + Copy> KeyedLimit<K> {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, counts: Arc::default() }
    }

    /// A permit for this key, unless the limit is reached.
    pub(crate) fn try_acquire(&self, key: K) -> Option<KeyedPermit<K>> {
        let mut counts = lock_counts(&self.counts);
        let count = counts.entry(key).or_default();
        if *count >= self.max {
            return None;
        }
        *count += 1;
        Some(KeyedPermit { key, counts: Arc::clone(&self.counts) })
    }
}

impl<K: Ord> Drop for KeyedPermit<K> {
    fn drop(&mut self) {
        let mut counts = lock_counts(&self.counts);
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_a_key_does_not_affect_others() {
        let limit = KeyedLimit::new(2);

        let first = limit.try_acquire(1);
        let second = limit.try_acquire(1);
        assert!(first.is_some() && second.is_some());
        assert!(limit.try_acquire(1).is_none());
        assert!(limit.try_acquire(2).is_some());

        drop(first);
        let third = limit.try_acquire(1);
        assert!(third.is_some());
        drop((second, third));
        assert!(lock_counts(&limit.counts).is_empty(), "counts of zero are removed");
    }

    #[tokio::test]
    async fn a_slot_is_free_again_when_its_permit_is_dropped() {
        let slots = Slots::new(3);

        let two = slots.acquire_within(2, Duration::ZERO).await;
        let one = slots.try_acquire();
        assert!(two.is_some() && one.is_some());
        assert!(slots.try_acquire().is_none() && slots.acquire_within(1, Duration::ZERO).await.is_none());
        assert_eq!(slots.in_use(), 3);

        drop(two);
        assert_eq!(slots.in_use(), 1);
        drop(slots.acquire().await);
    }
}
