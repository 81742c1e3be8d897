//! `PageRank` (DURAARK D3.6, eq. 8) and personalised `PageRank`.
//!
//! ```text
//! PR(c) = (1 − d)/N + d · Σ_{x linked to c} PR(x)/L(x)
//! ```
//!
//! `pagerank` ignores the seeds; in `ppr` walks begin at the seeds. Both follow links in either
//! direction: a crawl knows only the links of documents it has fetched, so direction would mostly
//! show which documents were fetched.

use super::graph::EntityId;
use super::options::RankingOptions;
use super::walk::{WalkTransition, transition_weight, walk};
use super::{Ranker, Ranking, RankingQuery, RankingReason, to_f64};

/// Number of iterations. With damping 0.85, the remaining change is then below a thousandth.
const ITERATIONS: usize = 50;
/// Maximum number of neighbours named in an explanation.
const MAX_EXPLAINED_NEIGHBOURS: usize = 3;

/// Ranks by the probability that a random walk is at an entity.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PageRank {
    damping: f64,
    steps: WalkTransition,
    is_personalised: bool,
}

impl PageRank {
    /// `pagerank`: walks begin anywhere.
    #[must_use]
    pub(crate) fn new(options: &RankingOptions) -> Self {
        Self { damping: options.damping, steps: options.steps, is_personalised: false }
    }

    /// `ppr`: walks begin at the seeds.
    #[must_use]
    pub(crate) fn personalised(options: &RankingOptions) -> Self {
        Self { is_personalised: true, ..Self::new(options) }
    }

    /// For each entity, the probability that a walk begins there.
    fn start_distribution(self, query: &RankingQuery<'_>) -> Vec<f64> {
        let count = query.graph.len();
        if !self.is_personalised {
            return vec![to_f64(count as u64).recip(); count];
        }
        let mut start = vec![0.0; count];
        for seed in query.seeds {
            start[seed.entity as usize] += to_f64(query.seeds.len() as u64).recip();
        }
        start
    }
}

impl Ranker for PageRank {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        let probabilities = walk(query.graph, &self.start_distribution(&query), self.steps, self.damping, ITERATIONS);
        let scores = query.candidates.iter().map(|candidate| probabilities[*candidate as usize]).collect();
        Box::new(PageRankRanking { query, ranker: *self, probabilities, scores })
    }
}

struct PageRankRanking<'q> {
    query: RankingQuery<'q>,
    ranker: PageRank,
    probabilities: Vec<f64>,
    scores: Vec<f64>,
}

impl PageRankRanking<'_> {
    /// Contribution of each neighbour to the score of a candidate.
    fn contributions(&self, candidate: EntityId) -> Vec<(f64, EntityId)> {
        let PageRank { damping, steps, .. } = self.ranker;
        let graph = self.query.graph;
        let contribution =
            |entity: EntityId| damping * self.probabilities[entity as usize] * transition_weight(graph, steps, entity);
        match steps {
            WalkTransition::Forward => {
                graph.incoming(candidate).iter().map(|link| (contribution(link.entity), link.entity)).collect()
            }
            WalkTransition::Both => {
                graph.neighbours(candidate).iter().map(|entity| (contribution(*entity), *entity)).collect()
            }
        }
    }
}

impl Ranking for PageRankRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, index: usize) -> Vec<RankingReason> {
        let RankingQuery { graph, seeds, candidates, .. } = self.query;
        let mut sources = self.contributions(candidates[index]);
        sources.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let strongest = sources.into_iter().filter(|(weight, _)| *weight > 0.0).take(MAX_EXPLAINED_NEIGHBOURS);
        let reason = |(weight, entity): (f64, EntityId)| {
            let is_seed = self.ranker.is_personalised && seeds.iter().any(|seed| seed.entity == entity);
            let name = graph.display_name(entity);
            let text = if is_seed { format!("is 1 hop from {name}") } else { format!("is linked to {name}") };
            RankingReason { text, weight }
        };
        strongest.map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::test_graphs::rank_statements;

    #[test]
    fn pagerank_prefers_hubs_regardless_of_the_seeds() {
        let statements = ["s p a", "s p hub", "x p hub", "y p hub", "z p hub"];
        let (names, scores, _) = rank_statements(&statements, &["s"], &PageRank::new(&RankingOptions::default()));
        assert_eq!(names[0], "hub");
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn personalised_pagerank_prefers_entities_near_the_seeds() {
        let statements = ["s p a", "t p a", "s p hub", "x p hub", "y p hub", "z p hub"];
        let (names, _, reasons) =
            rank_statements(&statements, &["s", "t"], &PageRank::personalised(&RankingOptions::default()));
        assert_eq!(names[0], "a");
        let words: Vec<_> = reasons[0].iter().map(|reason| &*reason.text).collect();
        assert_eq!(words, ["is 1 hop from t", "is 1 hop from s"]);
    }
}
