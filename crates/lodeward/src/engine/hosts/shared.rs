//! Rate limits shared by the crawls of one process.
//!
//! A server does not distinguish crawls: two crawls that request the same domain or the same IP
//! address must share its delay.

#![expect(clippy::disallowed_methods, reason = "only the engine of a crawl reads the clock")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::gates::{GateDecision, GateKey, GateUser, ServerGates};
use crate::model::CrawlTime;

/// The gates of all servers, shared by crawls.
#[derive(Debug)]
pub struct SharedPoliteness {
    /// When the clock of the gates was 0. Crawls start at different times, so the gates have their own clock.
    started_at: Instant,
    shared: Mutex<SharedGates>,
}

#[derive(Debug, Default)]
struct SharedGates {
    gates: ServerGates,
    crawls: u32,
}

impl Default for SharedPoliteness {
    fn default() -> Self {
        Self { started_at: Instant::now(), shared: Mutex::default() }
    }
}

impl SharedPoliteness {
    fn lock(&self) -> MutexGuard<'_, SharedGates> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a crawl that started at `started_at`.
    pub(super) fn register_crawl(self: &Arc<Self>, started_at: Instant) -> CrawlGates {
        let mut shared = self.lock();
        shared.crawls += 1;
        let crawl = GateUser(shared.crawls);
        let offset = started_at.saturating_duration_since(self.started_at);
        CrawlGates { politeness: Arc::clone(self), crawl, offset }
    }
}

/// The gates as seen by one crawl, in its own time.
pub(super) struct CrawlGates {
    politeness: Arc<SharedPoliteness>,
    crawl: GateUser,
    /// Start of the crawl on the clock of the gates.
    offset: Duration,
}

impl CrawlGates {
    pub(super) fn enter(&self, server: &GateKey, delay: Duration, now: CrawlTime) -> GateDecision {
        match self.politeness.lock().gates.enter(server, self.crawl, delay, now + self.offset) {
            GateDecision::Enter => GateDecision::Enter,
            GateDecision::Wait(time) => GateDecision::Wait(time.saturating_sub(self.offset)),
        }
    }

    pub(super) fn leave(&self, server: &GateKey, response_end: Option<CrawlTime>, delayed_until: CrawlTime) {
        let response_end = response_end.map(|time| time + self.offset);
        self.politeness.lock().gates.leave(server, self.crawl, response_end, delayed_until.saturating_add(self.offset));
    }
}

impl Drop for CrawlGates {
    fn drop(&mut self) {
        let now = self.politeness.started_at.elapsed();
        self.politeness.lock().gates.leave_all(self.crawl, now);
    }
}
