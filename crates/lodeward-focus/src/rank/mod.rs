//! Ranks entities by their relevance to a list of seeds.
//!
//! The [`Facts`] that documents state about entities are collected in a [`FactBase`] and indexed as
//! a graph ([`EntityGraph`]). A `Ranker` takes a [`RankingQuery`] (seeds and candidates) and
//! returns a score for each candidate, with reasons. Ranking is deterministic: it uses neither a
//! clock nor randomness, and the order of documents matters only for the numbers of entities.
//!
//! The formulas are those of DURAARK D3.6 §2; departures are documented at the code concerned.

mod entity_urls;
pub mod plan;
mod term_counts;
pub(crate) mod naive_bayes;
pub mod ranker_choice;
mod distinct_facts;
pub(crate) mod fact_base;
pub(crate) mod feedback;
pub mod graph;
pub(crate) mod hops;
pub(crate) mod hybrid;
pub(crate) mod jaccard;
pub mod ranker_kind;
pub(crate) mod njsim;
pub mod options;
pub(crate) mod pagerank;
#[cfg(test)]
mod test_graphs;
pub(crate) mod seed_analysis;
pub mod terms;
mod texts;
mod topic;
pub mod walk;

pub use fact_base::{FactBase, FactLimits};
pub use graph::{EntityGraph, EntityId, Neighbour};
pub use hops::{HopCount, candidates, entity_distances};
pub use options::{Attrition, JaccardMode, KatzOptions, RankingOptions, RingOptions, TextScope};
pub use plan::{RankingPlan, plan_ranking};
pub use ranker_choice::RankerChoice;
pub use ranker_kind::RankerKind;
pub use seed_analysis::coherence::Coherence;
pub use seed_analysis::{AnalysedSeed, SeedAnalysis, SeedMeasures};
pub use walk::{WalkTransition, walk};

use serde::{Deserialize, Serialize};

/// Input of a ranker.
#[derive(Clone, Copy)]
pub struct RankingQuery<'a> {
    /// The graph of entities.
    pub graph: &'a EntityGraph<'a>,
    /// The seeds. May be empty, if no seed is in the graph.
    pub seeds: &'a [GraphSeed],
    /// The entities to be ranked, without seeds.
    pub candidates: &'a [EntityId],
    /// Distance of each candidate from the nearest seed, in the same order.
    pub hops: &'a [HopCount],
    /// Entities that the user has marked, without seeds.
    pub marks: &'a [MarkedEntity],
}

/// A seed that is in the graph.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphSeed {
    /// The entity.
    pub entity: EntityId,
    /// Weight: its attrition, 1 on average. Rankers that the paper defines without weights ignore
    /// it.
    pub weight: f64,
}

/// An entity marked by a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarkedEntity {
    /// The entity.
    pub entity: EntityId,
    /// Whether it is relevant.
    pub keep: bool,
}

/// Orders candidates by their relevance to seeds.
pub(crate) trait Ranker: Send + Sync {
    /// Ranks the candidates of a query.
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q>;
}

/// Result of a ranker.
pub trait Ranking {
    /// The score of each candidate, in the order of the query: finite, higher is better. Scores of
    /// different rankers cannot be compared.
    fn scores(&self) -> &[f64];

    /// The reasons for the score of the candidate at this index of the query, strongest first.
    fn explain(&self, index: usize) -> Vec<RankingReason>;
}

/// A reason for the score of a candidate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingReason {
    /// Text that completes the sentence “because it …”: `is 1 hop from Cologne`, `shares architect
    /// Gerhard with 2 seeds`.
    pub text: String,
    /// Contribution to the score, in the unit of the ranker.
    pub weight: f64,
}

/// Indices of the candidates of a query, best first; ties are ordered by name.
#[must_use]
pub fn best_first(query: &RankingQuery<'_>, scores: &[f64]) -> Vec<usize> {
    let name = |index: &usize| query.graph.name(query.candidates[*index]);
    let mut indices: Vec<usize> = (0..scores.len()).collect();
    indices.sort_by(|one, other| {
        let by_score = scores[*other].total_cmp(&scores[*one]);
        by_score.then_with(|| name(one).cmp(name(other)))
    });
    indices
}

/// Converts a count.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn to_f64(count: u64) -> f64 {
    count as f64
}

/// Joins words: `a`, `a and b`, `a, b and c`.
fn join_with_and(words: &[&str]) -> String {
    match words {
        [] => String::new(),
        [word] => (*word).to_owned(),
        [before @ .., last] => format!("{} and {last}", before.join(", ")),
    }
}
