//! `hybrid`: combines links, walks, texts and kinds (this project).
//!
//! No measure of the paper suffices alone: texts find entities that are *similar*, links find
//! entities that are *connected* (D3.6 §2.8 states this without a solution). This ranker computes
//! five measures, standardises each over the candidates, and adds them:
//!
//! ```text
//! score(c) =     z( ( Σ_s ln(1 + shared(c, s)) )^1.5 )     links in common      (shared_links)
//!          +     z( ln(walk(c) + 10⁻⁶) )                   near by many paths   (walk)
//!          +     z( Σ_s ln(1 + BM25(around c, around s)) ) texts with neighbours (texts)
//!          + ¾ · z( signature(c) )                         of the same kind     (signature)
//!          + ½ · z( Σ_s ln(1 + BM25(text of c, text of s)) )  own texts         (texts)
//! ```
//!
//! z is the standard score over the candidates, 0 for all if they are equal. Because of the
//! logarithms before the sums over seeds, a candidate that shares something with each seed scores
//! higher than one that shares everything with one seed. All evidence is weighted by rarity, so
//! common features (a scheme, a class) count almost nothing, and walks are damped by degree at both
//! ends.
//!
//! Departures from the sketch in docs/algorithms.md §3, chosen in simulation on the 64 public tasks
//! (NDCG@100 on `DBpedia`, nomisma, nomisma without schemes): sums of logarithms to the power 1.5
//! instead of “the sum times the square of the seeds matched” (+.023, +.007, +.006 together with
//! what follows); `ln(1 + x)` instead of geometric means, which depend on how zeros are avoided;
//! six steps of a walk that returns early instead of one to convergence (nomisma, which has a hub:
//! +.011). Alternative formulas differ by about .01, which is within the noise of 14 or 50 tasks.
//! The weights are those of the sketch: in a grid around them, gains (at most .008 on `DBpedia`)
//! came with losses on nomisma. The weights of seeds (attrition) are not used: the centrality of a
//! seed does not predict its usefulness.
//!
//! The same ranker orders the candidates of a running crawl, when most of them are [not described
//! yet](has_description), from the facts known so far. The neighbours of an entity without a
//! description are the entities that mention it, so one page with matching words would raise all
//! entities it links to. Therefore the measure “texts with neighbours” is neutral (z = 0) for such
//! entities. The walk treats them as documented in its module.
//!
//! Time is linear in the size of the graph, in the number of terms of all neighbourhoods, and in
//! the number of pairs of a candidate and a seed that share something. Memory is linear in the
//! graph and independent of the number of seeds.

mod reasons;
mod shared_links;
mod signature;
mod standard_scores;
mod texts;
mod walk;

use self::shared_links::SharedLinks;
use self::signature::Signature;
use self::standard_scores::StandardScores;
use self::texts::SeedTexts;
use super::options::TextScope;
use super::{EntityGraph, EntityId, GraphSeed, Ranker, Ranking, RankingQuery, RankingReason};

/// Ranks by links, walks, texts and kinds combined.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct HybridRanker;

/// Weights of the parts, in the order of [`ScoreParts`].
const WEIGHTS: [f64; 5] = [1.0, 1.0, 1.0, 0.75, 0.5];

/// Whether an entity is described, rather than just mentioned: a document about it was read, or it
/// has a label.
fn has_description(graph: &EntityGraph<'_>, entity: EntityId) -> bool {
    graph.is_described(entity) || graph.label(entity).is_some()
}

/// Rounds off the last digits, which depend on the order of sums and thus of documents, so that
/// ties remain ties.
fn round_score(score: f64) -> f64 {
    const DIGITS: f64 = 1e9;
    (score * DIGITS).round() / DIGITS
}

/// The five parts of the score, for all candidates.
struct ScoreParts {
    shared: StandardScores,
    walk: StandardScores,
    around: StandardScores,
    signature: StandardScores,
    own: StandardScores,
}

impl ScoreParts {
    /// The parts, in the order of their weights.
    fn all(&self) -> [&StandardScores; 5] {
        [&self.shared, &self.walk, &self.around, &self.signature, &self.own]
    }
}

/// Result of [`HybridRanker`], with the data for explanations.
pub(super) struct HybridRanking<'q> {
    query: RankingQuery<'q>,
    seeds: Vec<GraphSeed>,
    shared: SharedLinks<'q>,
    around: SeedTexts<'q>,
    own: SeedTexts<'q>,
    signature: Signature<'q>,
    parts: ScoreParts,
    scores: Vec<f64>,
}

impl Ranker for HybridRanker {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        Box::new(HybridRanking::new(query, query.seeds.to_vec()))
    }
}

impl<'q> HybridRanking<'q> {
    /// Ranks the candidates of a query by these seeds instead of its own.
    pub(super) fn new(query: RankingQuery<'q>, seeds: Vec<GraphSeed>) -> Self {
        let RankingQuery { graph, candidates, .. } = query;
        let shared = SharedLinks::new(graph, &seeds);
        let is_any_known = candidates.iter().any(|&candidate| has_description(graph, candidate));
        let around = SeedTexts::new(graph, if is_any_known { &seeds } else { &[] }, TextScope::WithNeighbours);
        let own = SeedTexts::new(graph, &seeds, TextScope::Own);
        let signature = Signature::new(graph, &seeds);
        let walked = walk::walk(graph, &seeds);
        let parts = ScoreParts {
            shared: StandardScores::new(shared.scores(candidates)),
            walk: StandardScores::new(candidates.iter().map(|&candidate| walk::score(walked[candidate as usize]))),
            around: StandardScores::new(around.scores(candidates, |candidate| has_description(graph, candidate))),
            signature: StandardScores::new(signature.scores(candidates)),
            own: StandardScores::new(own.scores(candidates, |_| true)),
        };
        let weighed =
            |index| parts.all().into_iter().zip(WEIGHTS).map(move |(part, weight)| weight * part.z_score(index));
        let scores = (0..candidates.len()).map(|index| round_score(weighed(index).sum())).collect();
        Self { query, seeds, shared, around, own, signature, parts, scores }
    }
}

impl Ranking for HybridRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, index: usize) -> Vec<RankingReason> {
        self.reasons(index)
    }
}

#[cfg(test)]
mod tests;
