//! Whether one ranker is better than another, or was lucky with the tasks.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use crate::ground::to_f64;

/// How often tasks are drawn.
const ROUNDS: usize = 10_000;
/// What is cut off at either end: 95 % remain.
const TAIL: f64 = 0.025;

/// A mean difference over tasks, and the interval it is in with a confidence of
/// 95 %.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// The mean.
    pub mean: f64,
    /// Where the interval begins.
    pub low: f64,
    /// Where it ends.
    pub high: f64,
}

impl Difference {
    /// By how much `ours` is better than `theirs`, both for the same tasks: the
    /// percentile bootstrap of the paired differences. The same seed gives the
    /// same interval.
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

    /// Whether the interval is on one side of zero.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of a number of rounds is a small number"
)]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    sorted[((to_f64(sorted.len()) * share) as usize).min(sorted.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_that_is_always_there_is_clear() {
        let theirs: Vec<f64> = (0..20).map(|task| f64::from(task) / 40.0).collect();
        let ours: Vec<f64> = theirs.iter().map(|score| score + 0.1).collect();
        let difference = Difference::paired(&ours, &theirs, 7);

        assert!(difference.is_clear());
        for bound in [difference.mean, difference.low, difference.high] {
            assert!((bound - 0.1).abs() < 1e-9, "{difference:?}");
        }
        assert!((Difference::paired(&theirs, &ours, 7).high + 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_difference_that_comes_and_goes_is_not_clear() {
        let theirs = vec![0.5; 20];
        let ours: Vec<f64> = (0..20).map(|task| if task % 2 == 0 { 0.0 } else { 1.0 }).collect();
        let difference = Difference::paired(&ours, &theirs, 7);

        assert!(!difference.is_clear() && difference.low < 0.0 && difference.high > 0.0);
        // The mean of 20 draws of ±.5 has a deviation of .5/√20 = .112; ±1.96 of those.
        assert!((difference.high - 0.219).abs() < 0.05, "{difference:?}");
        assert_eq!(difference, Difference::paired(&ours, &theirs, 7), "the same seed, the same interval");
        assert_eq!(Difference::paired(&[], &[], 7), Difference::default());
    }
}
