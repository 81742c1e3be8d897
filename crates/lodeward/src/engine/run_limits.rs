//! Limits of one run: its time, and the bytes that it receives.
//!
//! A run that has reached one of them stops like one that a command stops: requests in flight are
//! completed, and the next run continues.

use std::time::Duration;

use super::StopReason;
use super::conductor::Conductor;
use crate::model::CrawlTime;

/// Time between two checks of the bytes received, which no event announces.
const BYTES_CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// What the limits of a run are compared with.
pub(super) struct RunLimits {
    /// Bytes that the fetcher had received before the run.
    received_before: u64,
    /// Until when the crawl is paused because of its hours, in milliseconds since the Unix epoch.
    pub(super) paused_until_ms: Option<u64>,
}

impl RunLimits {
    pub(super) fn new(received_before: u64) -> Self {
        Self { received_before, paused_until_ms: None }
    }
}

impl Conductor {
    /// The bytes of bodies received in this run.
    pub(super) fn received_bytes(&self) -> u64 {
        self.crawl.fetcher.received_bytes().saturating_sub(self.run_limits.received_before)
    }

    /// Stops the run if it has reached a limit.
    pub(super) fn check_run_limits(&mut self) {
        if self.is_stopping() {
            return;
        }
        let options = &self.crawl.options;
        let limit = if options.max_time.is_some_and(|max| self.now() >= max) {
            StopReason::MaxTime
        } else if options.max_bytes.is_some_and(|max| self.received_bytes() >= max) {
            StopReason::MaxBytes
        } else {
            return;
        };
        self.stop.apply_limit(limit, self.now());
    }

    /// When the limits are checked next, at the latest.
    pub(super) fn next_limit_check(&self) -> Option<CrawlTime> {
        let options = &self.crawl.options;
        let bytes_check = options.max_bytes.map(|_| self.now() + BYTES_CHECK_INTERVAL);
        [options.max_time, bytes_check].into_iter().flatten().min().filter(|_| !self.is_stopping())
    }
}
