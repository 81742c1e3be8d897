//! What the frontier knows about one URI.

use serde::{Deserialize, Serialize};

use crate::discover::Step;
use crate::frontier::{FeatureVector, Lease, QueueEntry};
use crate::model::{FetchHistory, FoundBy, Outcome, Revisit, Uri, Verdict};

/// The record of one URI: how it was found, and the outcome of its requests.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UriRecord {
    /// The URI.
    pub uri: Uri,
    /// The document it was first found in; `None` for a seed.
    pub source: Option<Uri>,
    /// How the URI was found in `source`.
    pub found_by: FoundBy,
    /// Hops from the nearest seed.
    pub depth: u16,
    /// The priority it was queued with.
    pub priority: f32,
    /// The features the strategy scores, while the URI waits.
    pub features: FeatureVector,
    /// The harvesting step the request is part of; `None` for a document.
    pub step: Option<Box<Step>>,
    /// Number of failed attempts before the last request.
    pub attempt: u8,
    /// The verdict of the strategy; `None` if the strategy gave none.
    pub verdict: Option<Verdict>,
    /// The outcome; `None` while it waits.
    pub outcome: Option<Outcome>,
    /// The history of its requests. `None` if the URI was requested once and returned a document:
    /// the outcome then contains the whole history.
    pub history: Option<Box<FetchHistory>>,
    /// The previous outcome, while it waits for a revisit.
    pub previous_outcome: Option<Box<Outcome>>,
}

impl UriRecord {
    /// The record of a URI that waits or was dropped.
    pub(crate) fn from_entry(entry: &QueueEntry, outcome: Option<Outcome>) -> Self {
        let is_waiting = outcome.is_none();
        let features = if is_waiting { entry.features.clone() } else { FeatureVector::default() };
        let QueueEntry { target, source, found_by, depth, priority, step, revisit, .. } = entry.clone();
        let (history, previous_outcome) = match revisit {
            Some(revisit) => {
                let Revisit { last, history } = *revisit;
                (Some(Box::new(history)), is_waiting.then(|| Box::new(last)))
            }
            None => (None, None),
        };
        let (attempt, verdict) = (0, None);
        Self {
            uri: target,
            source,
            found_by,
            depth,
            priority,
            features,
            step,
            attempt,
            verdict,
            outcome,
            history,
            previous_outcome,
        }
    }

    /// The record of a URI whose lease ended.
    pub(crate) fn from_lease(lease: &Lease, outcome: Outcome) -> Self {
        let record = Self::from_entry(&lease.entry, Some(outcome));
        Self { attempt: lease.attempt, verdict: lease.verdict.clone(), ..record }
    }

    /// The record of a URI that waited when its domain was closed. A revisit keeps its previous
    /// outcome.
    pub(crate) fn from_closed_domain(entry: &QueueEntry, reason: crate::model::DropReason) -> Self {
        let outcome = entry.revisit.as_ref().map_or(Outcome::Dropped(reason), |revisit| revisit.last.clone());
        Self::from_entry(entry, Some(outcome))
    }

    /// The history of its requests.
    #[must_use]
    pub fn history(&self) -> FetchHistory {
        match (&self.history, &self.outcome) {
            (Some(history), _) => (**history).clone(),
            (None, Some(outcome)) => FetchHistory::from_outcome(outcome),
            (None, None) => FetchHistory::default(),
        }
    }

    /// Converts a settled record into a queue entry for a revisit.
    #[must_use]
    pub fn into_revisit(self, priority: f32) -> QueueEntry {
        let history = self.history();
        let revisit = self.outcome.map(|last| Box::new(Revisit { last, history }));
        let Self { uri: target, source, found_by, depth, step, .. } = self;
        QueueEntry {
            target,
            source,
            found_by,
            depth,
            redirects: 0,
            priority,
            features: FeatureVector::default(),
            step,
            revisit,
        }
    }
}
