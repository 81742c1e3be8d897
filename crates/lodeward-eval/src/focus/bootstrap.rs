//! Paired bootstrap: whether one ranker is significantly better than another.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::numbers::to_f64;

/// Number of bootstrap samples.
const ROUNDS: usize = 10_000;
/// The share of samples below the confidence interval, and the share above it: 95 % are inside.
const TAIL: f64 = 0.025;

/// A mean difference over tasks with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BootstrapDifference {
    /// The mean difference.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl BootstrapDifference {
    /// The difference of two rankers on the same tasks: the percentile bootstrap of the paired
    /// differences, deterministic for a seed.
    #[must_use]
    pub fn paired(ours: &[f64], theirs: &[f64], seed: u64) -> Self {
        let differences: Vec<f64> = ours.iter().zip(theirs).map(|(one, other)| one - other).collect();
        let count = differences.len();
        if count == 0 {
            return Self::default();
        }
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut draw = || (0..count).map(|_| differences[rng.random_range(0..count)]).sum::<f64>() / to_f64(count);
        let mut means: Vec<f64> = (0..ROUNDS).map(|_| draw()).collect();
        means.sort_by(f64::total_cmp);
        let mean = differences.iter().sum::<f64>() / to_f64(count);
        Self { mean, low: quantile(&means, TAIL), high: quantile(&means, 1.0 - TAIL) }
    }

    /// Whether the interval excludes zero.
    #[must_use]
    pub fn is_significant(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index is at most the number of bootstrap samples"
)]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((to_f64(sorted.len()) * share) as usize).min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_difference_is_significant() {
        let theirs: Vec<f64> = (0..20).map(|task| f64::from(task) / 40.0).collect();
        let ours: Vec<f64> = theirs.iter().map(|score| score + 0.1).collect();
        let difference = BootstrapDifference::paired(&ours, &theirs, 7);

        assert!(difference.is_significant());
        for bound in [difference.mean, difference.low, difference.high] {
            assert!((bound - 0.1).abs() < 1e-9, "{difference:?}");
        }
        assert!((BootstrapDifference::paired(&theirs, &ours, 7).high + 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_varying_difference_is_not_significant() {
        let theirs = vec![0.5; 20];
        let ours: Vec<f64> = (0..20).map(|task| if task % 2 == 0 { 0.0 } else { 1.0 }).collect();
        let difference = BootstrapDifference::paired(&ours, &theirs, 7);

        assert!(!difference.is_significant() && difference.low < 0.0 && difference.high > 0.0);
        // The mean of 20 draws of ±.5 has a deviation of .5/√20 = .112; ±1.96 of those.
        assert!((difference.high - 0.219).abs() < 0.05, "{difference:?}");
        assert_eq!(difference, BootstrapDifference::paired(&ours, &theirs, 7), "deterministic for a seed");
        assert_eq!(BootstrapDifference::paired(&[], &[], 7), BootstrapDifference::default());
    }
}
