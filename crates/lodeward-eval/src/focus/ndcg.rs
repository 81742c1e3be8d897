//! nDCG and recall of rankings.
//!
//! DURAARK D3.6 §2.5.4: nDCG@k = DCG@k / iDCG@k, DCG@k = rel₁ + Σ_{i=2..k} relᵢ / log₂ i.
//! The ideal ranking has all targets of a task, including those that are too far from the seeds to be
//! candidates. So a greater depth is not penalised.

use crate::numbers::to_f64;

/// The grades of the entities of a ranking in its order, and those of all targets.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RankingGains {
    /// The grade of each entity of the ranking; 0 if it is not a target.
    ranked: Vec<f64>,
    /// The grades of all targets, the best first.
    ideal: Vec<f64>,
}

impl RankingGains {
    /// The gains of a ranking, given the grades of all targets in any order.
    #[must_use]
    pub fn new(ranked: Vec<f64>, targets: impl IntoIterator<Item = f64>) -> Self {
        let mut ideal: Vec<f64> = targets.into_iter().filter(|grade| *grade > 0.0).collect();
        ideal.sort_by(|one, other| other.total_cmp(one));
        Self { ranked, ideal }
    }

    /// nDCG at every rank from 1 to `ranks`.
    #[must_use]
    pub fn ndcg_curve(&self, ranks: usize) -> Vec<f64> {
        let (mut gained, mut ideal) = (0.0, 0.0);
        let at = |gains: &[f64], index: usize| gains.get(index).map_or(0.0, |gain| gain / discount(index));
        let step = |index| {
            gained += at(&self.ranked, index);
            ideal += at(&self.ideal, index);
            if ideal > 0.0 { gained / ideal } else { 0.0 }
        };
        (0..ranks).map(step).collect()
    }

    /// nDCG@k.
    #[must_use]
    pub fn ndcg(&self, k: usize) -> f64 {
        self.ndcg_curve(k).last().copied().unwrap_or_default()
    }

    /// The share of all targets among the first `k`.
    #[must_use]
    pub fn recall(&self, k: usize) -> f64 {
        let found = self.ranked.iter().take(k).filter(|gain| **gain > 0.0).count();
        if self.ideal.is_empty() { 0.0 } else { to_f64(found) / to_f64(self.ideal.len()) }
    }
}

/// The divisor of a gain at an index, counted from 0; 1 for the first two.
fn discount(index: usize) -> f64 {
    if index == 0 { 1.0 } else { to_f64(index + 1).log2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn ndcg_matches_a_manual_calculation() {
        // Targets with grades 2, 1, 1. Grades in the ranking: 0, 2, 1, 0.
        let gains = RankingGains::new(vec![0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0]);
        let log3 = 3.0_f64.log2();

        near(gains.ndcg(1), 0.0 / 2.0);
        near(gains.ndcg(2), 2.0 / (2.0 + 1.0));
        near(gains.ndcg(3), (2.0 + 1.0 / log3) / (2.0 + 1.0 + 1.0 / log3));
        near(gains.ndcg(4), gains.ndcg(3));
        near(gains.ndcg(100), gains.ndcg(3));
        near(gains.ndcg(0), 0.0);
    }

    #[test]
    fn recall_is_the_share_of_all_targets() {
        let gains = RankingGains::new(vec![0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0, 1.0]);

        near(gains.recall(1), 0.0);
        near(gains.recall(2), 0.25);
        near(gains.recall(9), 0.5);
    }

    #[test]
    fn a_perfect_ranking_scores_1_and_an_empty_one_0() {
        let check = |ranked: &[f64], targets: &[f64], expected: f64| {
            near(RankingGains::new(ranked.to_vec(), targets.iter().copied()).ndcg(10), expected);
        };

        check(&[2.0, 1.0], &[1.0, 2.0], 1.0);
        check(&[], &[1.0], 0.0);
        check(&[0.0], &[], 0.0);
        check(&[1.0, 2.0], &[1.0, 2.0], 1.0);
        check(&[1.0, 0.0, 2.0], &[1.0, 2.0], (1.0 + 2.0 / 3.0_f64.log2()) / 3.0);
    }
}
