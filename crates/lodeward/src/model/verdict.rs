//! Verdicts: why a strategy fetched or skipped a URI, stored with its record.

use serde::{Deserialize, Serialize};

/// Explanation of a judgement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// What was done with the candidate, and why.
    pub action: VerdictAction,
    /// Predicted probability of new RDF.
    pub score: f32,
    /// The strongest reasons, strongest first: number of the feature, and its contribution to the
    /// log odds.
    pub reasons: Vec<(u32, f32)>,
}

impl Verdict {
    /// Maximum number of reasons.
    pub(crate) const MAX_REASONS: usize = 8;

    /// Creates a verdict with the strongest of these reasons: features, and their contribution to
    /// the log odds.
    #[must_use]
    pub(crate) fn new(action: VerdictAction, score: f32, reasons: impl Iterator<Item = (u32, f32)>) -> Self {
        let mut strongest: Vec<(u32, f32)> = Vec::with_capacity(Self::MAX_REASONS + 1);
        for reason in reasons.filter(|(_, weight)| *weight != 0.0) {
            // For a few reasons, insertion is faster than sorting all.
            let index = strongest.partition_point(|other| other.1.abs() >= reason.1.abs());
            if index < Self::MAX_REASONS {
                strongest.truncate(Self::MAX_REASONS - 1);
                strongest.insert(index, reason);
            }
        }
        Self { action, score, reasons: strongest }
    }
}

/// The action of a verdict. Stored by the position of the variant: append only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VerdictAction {
    /// Not judged yet.
    #[default]
    None,
    /// Decided by extension or media type.
    Easy,
    /// Predicted to yield RDF.
    Predicted,
    /// Predicted to have no RDF, fetched for exploration.
    Explored,
    /// Predicted to have no RDF, skipped.
    Skipped,
    /// Predicted to have no RDF, but the best candidate that was available.
    Best,
    /// Requested: a seed, or the target of a seed's redirect.
    Requested,
    /// Relevant to the seeds; the score is the share of candidates with a lower rank.
    Relevant,
    /// Less relevant than other candidates of its hop, or too far from the seeds.
    LessRelevant,
}
