//! Counts the bytes of bodies, and limits their rate over all requests.
//!
//! Each piece of a body reserves the time that it takes at the maximum rate. A download waits for its
//! reservation before it receives more, so the server is slowed down by TCP.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// The traffic of a fetcher.
pub(super) struct TrafficMeter {
    received: AtomicU64,
    max_bytes_per_second: Option<u64>,
    /// Until when the rate is used up.
    reserved_until: Mutex<Option<Instant>>,
}

impl TrafficMeter {
    pub(super) fn new(max_bytes_per_second: Option<u64>) -> Self {
        Self { received: AtomicU64::new(0), max_bytes_per_second, reserved_until: Mutex::new(None) }
    }

    /// The number of bytes received so far.
    pub(super) fn received_bytes(&self) -> u64 {
        self.received.load(Ordering::Relaxed)
    }

    /// Counts bytes that were received, and waits as long as the rate requires.
    pub(super) async fn receive(&self, bytes: usize) {
        self.received.fetch_add(bytes as u64, Ordering::Relaxed);
        if let Some(rate) = self.max_bytes_per_second {
            sleep_until(self.reserve(bytes as u64, rate)).await;
        }
    }

    #[expect(clippy::disallowed_methods, reason = "the rate of a download is not visible to the engine")]
    fn reserve(&self, bytes: u64, rate: u64) -> Instant {
        let mut reserved = self.reserved_until.lock().unwrap_or_else(PoisonError::into_inner);
        let now = Instant::now();
        let nanoseconds = u128::from(bytes) * 1_000_000_000 / u128::from(rate.max(1));
        let time = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
        let until = reserved.map_or(now, |reserved| reserved.max(now)) + time;
        *reserved = Some(until);
        until
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn concurrent_downloads_share_the_rate() {
        let meter = TrafficMeter::new(Some(1_000));
        let started = meter.reserve(0, 1_000);

        tokio::join!(meter.receive(2_000), meter.receive(1_000));
        meter.receive(500).await;

        assert_eq!(meter.reserve(0, 1_000) - started, Duration::from_millis(3_500));
        assert_eq!(meter.received_bytes(), 3_500);
    }

    #[tokio::test(start_paused = true)]
    async fn without_a_rate_bytes_are_only_counted() {
        let meter = TrafficMeter::new(None);

        meter.receive(usize::MAX / 2).await;

        assert_eq!(meter.reserved_until.lock().unwrap().map(|_| ()), None);
    }
}
