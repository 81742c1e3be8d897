//! Refresh rounds: settled URIs are queued for another request.
//!
//! A round passes once over all URIs that were settled when it began, oldest first, and queues
//! the selected ones again together with their history. Its position is stored atomically with
//! these entries, so an interrupted round resumes where it stopped.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::{FrontierError, QueueEntry, UriRecord};
use crate::model::DropReason;

/// Queues settled URIs again.
#[async_trait]
pub trait Rounds: Send + Sync {
    /// Begins a refresh round over all URIs settled by now, and replaces a running one.
    /// Abandoned domains are reopened.
    async fn begin_round(&self, selection: RefreshSelection, now_ms: u64) -> Result<RefreshRound, FrontierError>;

    /// The running refresh round; `None` if no round is running.
    async fn current_round(&self) -> Result<Option<RefreshRound>, FrontierError>;

    /// Queues settled URIs of these ages again, and moves the round to the age `next`. Both changes
    /// are stored atomically. These entries are leased before URIs that were never requested.
    /// Returns the running round after the change.
    async fn requeue(&self, entries: Vec<(u64, QueueEntry)>, next: u64) -> Result<Option<RefreshRound>, FrontierError>;

    /// Queues settled documents again if their statements were lost, for example after a power
    /// failure. They are no revisits, and no longer count towards limits. Durable on return. Returns
    /// their records.
    async fn requeue_lost(&self, fingerprints: &[u128]) -> Result<Vec<UriRecord>, FrontierError>;

    /// Ends the refresh round.
    async fn end_round(&self) -> Result<(), FrontierError>;
}

/// The minimum priority of revisits. It is above every other priority, so revisits are at the
/// front of the queue of their domain.
pub const REVISIT_PRIORITY: f32 = 1_000.0;

/// Which settled URIs a round queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum RefreshSelection {
    /// Settled URIs whose revalidation is due.
    Due,
    /// All settled URIs.
    All,
}

/// A round in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefreshRound {
    /// Which URIs it queues.
    pub selection: RefreshSelection,
    /// Start time, in milliseconds since the Unix epoch.
    pub started_at_ms: u64,
    /// The age (settlement number) of the next record to examine.
    pub next: u64,
    /// The age at which the round ends.
    pub end: u64,
    /// Number of URIs queued so far.
    pub queued: u64,
    /// Number of URIs that wait again because the round reopened their domain, by the reason for
    /// which they were dropped. They were never requested.
    pub reopened: Vec<(DropReason, u64)>,
}

impl RefreshRound {
    pub(crate) fn new(selection: RefreshSelection, started_at_ms: u64, end: u64) -> Self {
        Self { selection, started_at_ms, next: 0, end, queued: 0, reopened: Vec::new() }
    }

    /// Counts URIs that wait again and had been dropped for this reason.
    pub(crate) fn count_reopened(&mut self, reason: DropReason, waiting: u64) {
        match self.reopened.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, count)) => *count += waiting,
            None if waiting > 0 => self.reopened.push((reason, waiting)),
            None => {}
        }
    }
}
