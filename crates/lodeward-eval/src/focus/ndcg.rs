//! How good a ranking is.
//!
//! DURAARK D3.6 §2.5.4: nDCG@k = DCG@k / iDCG@k, DCG@k = rel₁ + Σ_{i=2..k} relᵢ / log₂ i.
//! The ideal has all targets of a task, also those that no ranker could find
//! since they are too far from the seeds: whoever looks at more is not punished
//! for it.

use crate::ground::to_f64;

/// What the entities of a ranking are worth, the first first, and what there was
/// to be found.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gains {
    /// The grade of each entity of the ranking; 0 for those that are no targets.
    ranked: Vec<f64>,
    /// The grades of all targets, the best first.
    ideal: Vec<f64>,
}

impl Gains {
    /// The gains of a ranking, given the grades of all targets in any order.
    #[must_use]
    pub fn new(ranked: Vec<f64>, targets: impl IntoIterator<Item = f64>) -> Self {
        let mut ideal: Vec<f64> = targets.into_iter().filter(|grade| *grade > 0.0).collect();
        ideal.sort_by(|one, other| other.total_cmp(one));
        Self { ranked, ideal }
    }

    /// nDCG at every place from 1 to `places`.
    #[must_use]
    pub fn ndcg_curve(&self, places: usize) -> Vec<f64> {
        let (mut had, mut ideal) = (0.0, 0.0);
        let at = |gains: &[f64], place: usize| gains.get(place).map_or(0.0, |gain| gain / discount(place));
        let step = |place| {
            had += at(&self.ranked, place);
            ideal += at(&self.ideal, place);
            if ideal > 0.0 { had / ideal } else { 0.0 }
        };
        (0..places).map(step).collect()
    }

    /// nDCG@k.
    #[must_use]
    pub fn ndcg(&self, k: usize) -> f64 {
        self.ndcg_curve(k).last().copied().unwrap_or_default()
    }

    /// The share of all targets that are among the first `k`.
    #[must_use]
    pub fn recall(&self, k: usize) -> f64 {
        let found = self.ranked.iter().take(k).filter(|gain| **gain > 0.0).count();
        if self.ideal.is_empty() { 0.0 } else { to_f64(found) / to_f64(self.ideal.len()) }
    }
}

/// What a gain is divided by at a place, counted from 0. The first two count in
/// full.
fn discount(place: usize) -> f64 {
    if place == 0 { 1.0 } else { to_f64(place + 1).log2() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
    }

    #[test]
    fn ndcg_is_as_on_paper() {
        // Targets of grades 2, 1, 1. Ranked: nothing, 2, 1, nothing.
        let gains = Gains::new(vec![0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0]);
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
        let gains = Gains::new(vec![0.0, 2.0, 1.0, 0.0], [1.0, 2.0, 1.0, 1.0]);

        near(gains.recall(1), 0.0);
        near(gains.recall(2), 0.25);
        near(gains.recall(9), 0.5);
    }

    #[test]
    fn a_perfect_ranking_has_one_and_an_empty_one_nothing() {
        let check = |ranked: &[f64], targets: &[f64], expected: f64| {
            near(Gains::new(ranked.to_vec(), targets.iter().copied()).ndcg(10), expected);
        };

        check(&[2.0, 1.0], &[1.0, 2.0], 1.0);
        check(&[], &[1.0], 0.0);
        check(&[0.0], &[], 0.0);
        check(&[1.0, 2.0], &[1.0, 2.0], 1.0);
        check(&[1.0, 0.0, 2.0], &[1.0, 2.0], (1.0 + 2.0 / 3.0_f64.log2()) / 3.0);
    }
}
