//! `feedback`: `hybrid`, adjusted by the user's marks (relevance feedback; this project).
//!
//! ```text
//! score(c) = H(c; seeds and kept) − λ · d/(d + κ) · max(0, H(c; dropped) − H(c; seeds and kept))
//! ```
//!
//! H is the score of `hybrid` by the entities after the semicolon, and d the number of dropped entities. What the user
//! keeps is a further seed. What the user drops counts little, and the first drops count least, because a dropped
//! entity is near the seeds, too: otherwise it would not be a candidate. Naive Bayes (`nb`) instead learns from the
//! marks alone, and replaces most of the first candidates after two marks.
//!
//! λ and κ were chosen on the public tasks (`lodeward-eval focus --feedback`, eval/results/focus.md). Without marks the
//! scores are those of `hybrid`. Time is twice that of `hybrid` if something was dropped.

use super::hybrid::HybridRanking;
use super::{GraphSeed, MarkedEntity, Ranker, Ranking, RankingQuery, RankingReason, to_f64};

/// Weight of the similarity to dropped entities, if there are many (λ).
const DROP_WEIGHT: f64 = 0.1;
/// Number of dropped entities at which the weight is half of [`DROP_WEIGHT`] (κ).
const HALF_WEIGHT_DROPS: f64 = 2.0;

/// Ranks as `hybrid`, with kept entities as further seeds, and away from dropped ones.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FeedbackRanker;

struct FeedbackRanking<'q> {
    by_kept: HybridRanking<'q>,
    /// What the similarity to dropped entities takes off, by candidate; empty if nothing was dropped.
    penalties: Vec<f64>,
    scores: Vec<f64>,
}

impl Ranker for FeedbackRanker {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        let kept = marked(&query, true);
        let by_kept = HybridRanking::new(query, query.seeds.iter().copied().chain(kept).collect());
        let penalties = penalties(query, by_kept.scores());
        let penalty = |index: usize| penalties.get(index).copied().unwrap_or_default();
        let scores = by_kept.scores().iter().enumerate().map(|(index, score)| score - penalty(index)).collect();
        Box::new(FeedbackRanking { by_kept, penalties, scores })
    }
}

/// The marked entities of one kind, as seeds.
fn marked(query: &RankingQuery<'_>, keep: bool) -> Vec<GraphSeed> {
    let to_seed = |mark: &MarkedEntity| GraphSeed { entity: mark.entity, weight: 1.0 };
    query.marks.iter().filter(|mark| mark.keep == keep).map(to_seed).collect()
}

/// What the similarity to dropped entities takes off the score of each candidate, given its score by kept ones.
fn penalties(query: RankingQuery<'_>, by_kept: &[f64]) -> Vec<f64> {
    let dropped = marked(&query, false);
    if dropped.is_empty() {
        return Vec::new();
    }
    let count = to_f64(dropped.len() as u64);
    let weight = DROP_WEIGHT * count / (count + HALF_WEIGHT_DROPS);
    let by_dropped = HybridRanking::new(query, dropped);
    by_dropped.scores().iter().zip(by_kept).map(|(dropped, kept)| weight * (dropped - kept).max(0.0)).collect()
}

impl Ranking for FeedbackRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, index: usize) -> Vec<RankingReason> {
        let mut reasons = self.by_kept.explain(index);
        if let Some(penalty) = self.penalties.get(index).filter(|penalty| **penalty > 0.0) {
            let text = "resembles entities marked `drop`".to_owned();
            reasons.push(RankingReason { text, weight: -penalty });
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::best_first;
    use crate::rank::fact_base::FactBase;
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::hybrid::HybridRanker;

    /// Buildings by two architects in one town; the seed has neither.
    fn town() -> FactBase {
        fact_base_from(&[
            "s in town",
            "a1 in town",
            "a2 in town",
            "b1 in town",
            "b2 in town",
            "a1 by anna",
            "a2 by anna",
            "b1 by bert",
            "b2 by bert",
        ])
    }

    /// The candidates, best first, and the reasons of the last.
    fn ranked(ranker: &dyn Ranker, marks: &[(&str, bool)]) -> (Vec<String>, Vec<RankingReason>) {
        let fact_base = town();
        let graph = fact_base.graph();
        let entity = |name: &str| graph.find(name).unwrap();
        let candidates = ["a1", "a2", "b1", "b2"].map(entity);
        let marks: Vec<_> =
            marks.iter().map(|(name, keep)| MarkedEntity { entity: entity(name), keep: *keep }).collect();
        let seeds = [GraphSeed { entity: entity("s"), weight: 1.0 }];
        let query =
            RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[2; 4], marks: &marks };
        let ranking = ranker.rank(query);
        let order = best_first(&query, ranking.scores());
        let reasons = ranking.explain(*order.last().unwrap());
        (order.into_iter().map(|index| graph.name(candidates[index]).to_owned()).collect(), reasons)
    }

    #[test]
    fn a_kept_entity_raises_those_like_it() {
        let (order, _) = ranked(&FeedbackRanker, &[("b1", true)]);
        assert_eq!(order[..2], ["b1", "b2"]);
    }

    #[test]
    fn a_dropped_entity_lowers_those_like_it_and_the_reason_is_stated() {
        let (order, reasons) = ranked(&FeedbackRanker, &[("a1", false)]);
        assert_eq!(order[..2], ["b1", "b2"]);
        let last = reasons.last().unwrap();
        assert_eq!(last.text, "resembles entities marked `drop`");
        assert!(last.weight < 0.0, "{last:?}");
    }

    #[test]
    fn without_marks_the_order_is_that_of_hybrid() {
        assert_eq!(ranked(&FeedbackRanker, &[]), ranked(&HybridRanker, &[]));
    }
}
