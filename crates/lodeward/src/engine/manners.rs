//! What several crawls of one process owe to servers together.
//!
//! A server does not know how many crawls there are: two that visit the same
//! domain, or the same machine, must keep its delay together.

#![expect(clippy::disallowed_methods, reason = "the engine is where time enters the crawl")]

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::frontier::politeness::{Entry, Party, Server, ServerGates};
use crate::model::Moment;

/// The gates of all servers, for crawls that share them.
#[derive(Debug)]
pub struct Manners {
    /// Crawls begin at different times; their gates need one clock.
    began_at: Instant,
    shared: Mutex<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    gates: ServerGates,
    parties: u32,
}

impl Default for Manners {
    fn default() -> Self {
        Self { began_at: Instant::now(), shared: Mutex::default() }
    }
}

impl Manners {
    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another crawl, which began at this time.
    pub(super) fn join(self: &Arc<Self>, started_at: Instant) -> Guest {
        let mut shared = self.shared();
        shared.parties += 1;
        let party = Party(shared.parties);
        let offset = started_at.saturating_duration_since(self.began_at);
        Guest { manners: Arc::clone(self), party, offset }
    }
}

/// One crawl at the gates, in its own time.
pub(super) struct Guest {
    manners: Arc<Manners>,
    party: Party,
    /// When it began, by the clock of the gates.
    offset: Duration,
}

impl Guest {
    pub(super) fn enter(&self, server: &Server, delay: Duration, now: Moment) -> Entry {
        match self.manners.shared().gates.enter(server, self.party, delay, now + self.offset) {
            Entry::Go => Entry::Go,
            Entry::Wait(moment) => Entry::Wait(moment.saturating_sub(self.offset)),
        }
    }

    pub(super) fn leave(&self, server: &Server, rested_from: Option<Moment>, rest_until: Moment) {
        let rested_from = rested_from.map(|moment| moment + self.offset);
        self.manners.shared().gates.leave(server, self.party, rested_from, rest_until.saturating_add(self.offset));
    }
}

impl Drop for Guest {
    fn drop(&mut self) {
        let now = self.manners.began_at.elapsed();
        self.manners.shared().gates.leave_all(self.party, now);
    }
}
