//! Proposed `owl:sameAs` links between two sets of entities.
//!
//! A source is compared with the targets that share one of its names, or most of the words of its
//! label. A logistic function of [`EVIDENCE_COUNT`] figures scores each pair. Of the pairs with a
//! score of at least the threshold, each entity is linked at most once, the best pairs first
//! (`SEARCH-STUDY.md`, section 6).
//!
//! Some figures need links that are certain enough to start from: pairs whose labels are equal and
//! unique on both sides. Neighbours that such a pair links, and types that such pairs often have
//! together, are evidence for other pairs.

mod candidates;
mod evidence;
mod logistic;
mod side;

pub use evidence::{EVIDENCE_COUNT, EVIDENCE_NAMES};
pub use logistic::LinkWeights;
pub use side::LinkSide;

use foldhash::{HashSet, HashSetExt};

use crate::entity::EntityKey;
use candidates::TargetNames;
use evidence::Evidence;

/// A pair of entities that may be the same.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkCandidate {
    /// Place of the source among the sources.
    pub source: u32,
    /// Place of the target among the targets.
    pub target: u32,
    /// Figures in the order of [`EVIDENCE_NAMES`].
    pub evidence: [f64; EVIDENCE_COUNT],
}

/// A proposed link.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkProposal {
    /// The source.
    pub source: EntityKey,
    /// The target.
    pub target: EntityKey,
    /// Logarithm of the odds that both are the same.
    pub score: f64,
    /// Figures in the order of [`EVIDENCE_NAMES`].
    pub evidence: [f64; EVIDENCE_COUNT],
}

/// Returns all pairs that are compared, by source.
#[must_use]
pub fn candidates(sources: &LinkSide, targets: &LinkSide) -> Vec<LinkCandidate> {
    let names = TargetNames::new(targets);
    let evidence = Evidence::new(sources, targets, &names);
    let mut found = Vec::new();
    for source in 0..sources.len() {
        for target in names.candidates(sources, source) {
            found.push(LinkCandidate { source, target, evidence: evidence.of(source, target) });
        }
    }
    found
}

/// Returns the proposed links, the best first.
#[must_use]
pub fn propose(
    sources: &LinkSide,
    targets: &LinkSide,
    candidates: &[LinkCandidate],
    weights: &LinkWeights,
    min_score: f64,
) -> Vec<LinkProposal> {
    let scored = candidates.iter().map(|pair| (weights.score(&pair.evidence), pair));
    let mut scored: Vec<(f64, &LinkCandidate)> = scored.filter(|(score, _)| *score >= min_score).collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1.source, a.1.target).cmp(&(b.1.source, b.1.target))));
    let (mut linked, mut reached) = (HashSet::new(), HashSet::new());
    let mut proposals = Vec::new();
    for (score, pair) in scored {
        if linked.contains(&pair.source) || reached.contains(&pair.target) {
            continue;
        }
        linked.insert(pair.source);
        reached.insert(pair.target);
        let (source, target) = (sources.key(pair.source), targets.key(pair.target));
        proposals.push(LinkProposal { source, target, score, evidence: pair.evidence });
    }
    proposals
}

#[cfg(test)]
mod tests;
