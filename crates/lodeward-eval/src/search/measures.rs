//! Measures of rankings: gain = grade, discount log₂(rank + 1), entities without judgment count 0.

use std::collections::BTreeMap;

use crate::numbers::{mean, to_f64};

/// The measures of one ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankingFigures {
    /// nDCG@10.
    pub ndcg_10: f64,
    /// nDCG@100.
    pub ndcg_100: f64,
    /// Average precision.
    pub map: f64,
    /// Precision among the first 10.
    pub precision_10: f64,
    /// Share of the relevant entities among the first 100.
    pub recall_100: f64,
}

impl RankingFigures {
    /// Names of the measures.
    pub const NAMES: [&'static str; 5] = ["nDCG@10", "nDCG@100", "MAP", "P@10", "recall@100"];

    /// Measures a ranking of at most 100 entities.
    #[must_use]
    pub fn new<'a>(ranking: impl IntoIterator<Item = &'a str>, grades: &BTreeMap<String, f64>) -> Self {
        let gains = ranking.into_iter().map(|iri| grades.get(iri).copied().unwrap_or(0.0));
        Self::from_gains(&gains.collect::<Vec<_>>(), grades.values().copied().collect())
    }

    /// Measures the gains of a ranking.
    #[must_use]
    pub fn from_gains(gains: &[f64], mut ideal: Vec<f64>) -> Self {
        ideal.sort_by(|a, b| b.total_cmp(a));
        let found = |ranks: usize| gains.iter().take(ranks).filter(|gain| **gain > 0.0).count();
        let at_hits = (1..=gains.len().min(100)).filter(|rank| gains[rank - 1] > 0.0);
        let precisions: f64 = at_hits.map(|rank| to_f64(found(rank)) / to_f64(rank)).sum();
        let relevant = to_f64(ideal.len().max(1));
        Self {
            ndcg_10: ratio(dcg(gains, 10), dcg(&ideal, 10)),
            ndcg_100: ratio(dcg(gains, 100), dcg(&ideal, 100)),
            map: precisions / relevant,
            precision_10: to_f64(found(10)) / 10.0,
            recall_100: to_f64(found(100)) / relevant,
        }
    }

    /// The measures in the order of [`Self::NAMES`].
    #[must_use]
    pub fn values(&self) -> [f64; 5] {
        [self.ndcg_10, self.ndcg_100, self.map, self.precision_10, self.recall_100]
    }

    /// Mean of several rankings.
    #[must_use]
    pub fn mean(figures: &[Self]) -> Self {
        let of = |value: fn(&Self) -> f64| mean(figures.iter().map(value));
        Self {
            ndcg_10: of(|f| f.ndcg_10),
            ndcg_100: of(|f| f.ndcg_100),
            map: of(|f| f.map),
            precision_10: of(|f| f.precision_10),
            recall_100: of(|f| f.recall_100),
        }
    }

    /// What training maximises.
    #[must_use]
    pub fn objective(&self) -> f64 {
        (self.ndcg_10 + self.ndcg_100 + self.map) / 3.0
    }
}

fn ratio(part: f64, whole: f64) -> f64 {
    crate::numbers::quotient(part, whole)
}

fn dcg(gains: &[f64], ranks: usize) -> f64 {
    gains.iter().take(ranks).enumerate().map(|(index, gain)| gain / to_f64(index + 2).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measures_match_a_manual_calculation() {
        let figures = RankingFigures::from_gains(&[0.0, 2.0, 1.0], vec![1.0, 2.0, 1.0]);

        let ideal = 2.0 + 1.0 / 3.0_f64.log2() + 0.5;
        assert!((figures.ndcg_10 - (2.0 / 3.0_f64.log2() + 0.5) / ideal).abs() < 1e-12);
        assert!((figures.map - (0.5 + 2.0 / 3.0) / 3.0).abs() < 1e-12);
        assert!((figures.precision_10 - 0.2).abs() < 1e-12 && (figures.recall_100 - 2.0 / 3.0).abs() < 1e-12);
    }
}
