//! Queue entries and leases: the data that passes between the frontier and the conductor.

use serde::{Deserialize, Serialize};

use crate::discover::Step;
use crate::model::{FoundBy, Pld, ProbeResult, Revisit, Uri, Verdict};

/// A link queued in the frontier.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct QueueEntry {
    /// The document to fetch.
    pub target: Uri,
    /// The document it was found in; `None` for a seed.
    pub source: Option<Uri>,
    /// How it was found.
    pub found_by: FoundBy,
    /// Hops from the nearest seed; a redirect is not a hop.
    pub depth: u16,
    /// Number of consecutive redirects that led here.
    pub redirects: u8,
    /// Urgency: larger values are fetched first. Always finite.
    pub priority: f32,
    /// Features for the strategy, computed while the source document is available, so that queued entries can be scored
    /// again as the model learns.
    pub features: FeatureVector,
    /// The step to take; `None` to fetch a document.
    pub step: Option<Box<Step>>,
    /// Last outcome and history, if the URI has been fetched before.
    pub revisit: Option<Box<Revisit>>,
}

impl QueueEntry {
    /// The pay-level domain of the target.
    #[must_use]
    pub(crate) fn pld(&self) -> Pld {
        self.target.pld()
    }
}

/// A hashed, sparse, binary feature vector: the indices that are set.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FeatureVector(pub Vec<u32>);

/// Identifies one lease within its queue. It is never used again, so a lease that expired cannot be confused with a
/// later one for the same URI.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseToken(u64);

impl LeaseToken {
    /// The token with this number. Only queues create tokens.
    #[must_use]
    pub(crate) fn new(number: u64) -> Self {
        Self(number)
    }
}

/// Permission to fetch one queue entry once.
#[derive(Clone, Debug, PartialEq)]
pub struct Lease {
    /// Proves to the queue that this lease is the current one for its URI.
    pub token: LeaseToken,
    /// The entry to fetch.
    pub entry: QueueEntry,
    /// Number of failed attempts before this one.
    pub attempt: u8,
    /// Result of the HEAD request, if one was sent.
    pub probe: Option<ProbeResult>,
    /// Verdict of the strategy.
    pub verdict: Option<Verdict>,
}
