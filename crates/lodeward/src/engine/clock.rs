//! The clock of a crawl.

#![expect(clippy::disallowed_methods, reason = "only the engine of a crawl reads the clock")]

use tokio::time::Instant;

use crate::model::CrawlTime;

/// The time since the start of a crawl, and the same as time since the Unix epoch.
#[derive(Clone, Copy, Debug)]
pub(super) struct CrawlClock {
    started_at: Instant,
    /// `started_at` in milliseconds since the Unix epoch.
    started_at_ms: u64,
}

impl CrawlClock {
    /// Starts the clock; `now_ms` is the time in milliseconds since the Unix epoch.
    pub(super) fn start(now_ms: u64) -> Self {
        Self { started_at: Instant::now(), started_at_ms: now_ms }
    }

    pub(super) fn started_at(self) -> Instant {
        self.started_at
    }

    pub(super) fn started_at_ms(self) -> u64 {
        self.started_at_ms
    }

    pub(super) fn now(self) -> CrawlTime {
        self.started_at.elapsed()
    }

    pub(super) fn epoch_ms(self) -> u64 {
        self.to_epoch_ms(self.now())
    }

    pub(super) fn to_epoch_ms(self, time: CrawlTime) -> u64 {
        let elapsed = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        self.started_at_ms.saturating_add(elapsed)
    }
}
