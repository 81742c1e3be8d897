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
//!
//! A side can also be compared with itself, to find links between the datasets of a harvest
//! ([`LinkSide::read_grouped`]). Then an entity is linked at most once with each other dataset, and
//! the source of a pair is the entity with fewer links.

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

/// Returns all pairs that are compared, by source. If both sides are the same value, these are the
/// pairs of entities of different datasets, each once.
#[must_use]
pub fn candidates(sources: &LinkSide, targets: &LinkSide) -> Vec<LinkCandidate> {
    let names = TargetNames::new(targets);
    let evidence = Evidence::new(sources, targets, &names);
    let mut found = Vec::new();
    for source in 0..sources.len() {
        for target in names.candidates(sources, source, |target| is_comparable(sources, targets, source, target)) {
            found.push(LinkCandidate { source, target, evidence: evidence.of(source, target) });
        }
    }
    found
}

/// Whether two entities are compared.
fn is_comparable(sources: &LinkSide, targets: &LinkSide, source: u32, target: u32) -> bool {
    if !std::ptr::eq(sources, targets) {
        return true;
    }
    let (from, to) = (sources.entity(source), targets.entity(target));
    from.group != to.group && (from.degree, source) < (to.degree, target)
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
    // Whether the entity is of the targets, its place, and the dataset of the other one.
    let mut linked: HashSet<(bool, u32, u32)> = HashSet::new();
    let has_two_sides = !std::ptr::eq(sources, targets);
    let mut proposals = Vec::new();
    for (score, pair) in scored {
        let (from, to) = (sources.entity(pair.source), targets.entity(pair.target));
        let ends = [(false, pair.source, to.group), (has_two_sides, pair.target, from.group)];
        if ends.iter().any(|end| linked.contains(end)) {
            continue;
        }
        linked.extend(ends);
        let (source, target) = (sources.key(pair.source), targets.key(pair.target));
        proposals.push(LinkProposal { source, target, score, evidence: pair.evidence });
    }
    proposals
}

#[cfg(test)]
mod tests;
