//! Rounds of visits to those who were visited before.
//!
//! A round goes once over all who were settled when it began, from the oldest on,
//! and whoever is to be visited again is queued again, with all that is known of
//! the visits before. How far it has come is kept together with them, so that a
//! round that is cut short goes on where it was.

use serde::{Deserialize, Serialize};

use crate::model::DropReason;

/// The priority of those who are visited again is this at least, and so above
/// that of everybody else: they stand at the front of the queue of their domain.
pub const AGAIN_PRIORITY: f32 = 1_000.0;

/// Who is visited again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Which {
    /// Whose time has come.
    Due,
    /// All of them.
    All,
}

/// A round that is under way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Round {
    /// Who is visited.
    pub which: Which,
    /// When it began, in milliseconds since the Unix epoch.
    pub began_at_ms: u64,
    /// The age of the next of the settled to look at.
    pub next: u64,
    /// The age at which it ends.
    pub end: u64,
    /// How many it has queued again so far.
    pub queued: u64,
    /// How many wait again, who were never visited, because it has opened their
    /// domains again; by the reason for which they had been dropped.
    pub reopened: Vec<(DropReason, u64)>,
}

impl Round {
    pub(crate) fn new(which: Which, began_at_ms: u64, end: u64) -> Self {
        Self { which, began_at_ms, next: 0, end, queued: 0, reopened: Vec::new() }
    }

    /// Notes that some wait again who had been dropped for this reason.
    pub(crate) fn reopen(&mut self, reason: DropReason, waiting: u64) {
        match self.reopened.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, count)) => *count += waiting,
            None if waiting > 0 => self.reopened.push((reason, waiting)),
            None => {}
        }
    }
}
