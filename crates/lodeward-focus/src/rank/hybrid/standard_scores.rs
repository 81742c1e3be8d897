//! Standard scores: deviations from the mean, in standard deviations.

use crate::rank::to_f64;

/// A standard deviation below this fraction of the values is treated as a rounding error, so as 0.
const ROUNDING_TOLERANCE: f64 = 1e-9;

/// Values with their mean and scale. An unknown value is treated as equal to the mean.
pub(super) struct StandardScores {
    values: Vec<Option<f64>>,
    mean: f64,
    /// Reciprocal of the standard deviation; 0 if all values are equal.
    scale: f64,
}

impl StandardScores {
    /// Computes mean and scale. Each value is finite, or `None` if it is unknown.
    pub(super) fn new<T: Into<Option<f64>>>(values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<Option<f64>> = values.into_iter().map(Into::into).collect();
        let known = || values.iter().flatten();
        let count = to_f64(known().count().max(1) as u64);
        let mean = known().sum::<f64>() / count;
        let variance = known().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let scale =
            if deviation > ROUNDING_TOLERANCE * mean.abs().max(ROUNDING_TOLERANCE) { deviation.recip() } else { 0.0 };
        Self { values, mean, scale }
    }

    /// Standard score of a value.
    pub(super) fn z_score(&self, index: usize) -> f64 {
        self.deviations_above(index, self.mean)
    }

    /// The value at `index` minus `other`, in standard deviations; 0 if the value is unknown.
    pub(super) fn deviations_above(&self, index: usize, other: f64) -> f64 {
        self.values[index].map_or(0.0, |value| (value - other) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_standardised() {
        let check = |values: &[f64], expected: &[f64]| {
            let standard = StandardScores::new(values.iter().copied());
            let scores: Vec<f64> = (0..values.len()).map(|index| standard.z_score(index)).collect();
            assert_eq!(scores, expected, "{values:?}");
        };

        // Mean 3, variance (4 + 0 + 4 + 0) / 4 = 2.
        check(&[1.0, 3.0, 5.0, 3.0], &[-2.0 / 2_f64.sqrt(), 0.0, 2.0 / 2_f64.sqrt(), 0.0]);
        check(&[2.0, 4.0], &[-1.0, 1.0]);
        // All values are equal.
        check(&[], &[]);
        check(&[7.0], &[0.0]);
        check(&[0.0; 3], &[0.0; 3]);
        check(&[0.1 + 0.2, 0.3], &[0.0; 2]);
    }

    #[test]
    fn an_unknown_value_has_the_score_of_the_mean() {
        let standard = StandardScores::new([Some(2.0), None, Some(4.0)]);
        let scores: Vec<f64> = (0..3).map(|index| standard.z_score(index)).collect();
        assert_eq!(scores, vec![-1.0, 0.0, 1.0]);
        let nothing = StandardScores::new([None::<f64>; 2]);
        assert_eq!(vec![nothing.z_score(0), nothing.deviations_above(1, -3.0)], vec![0.0; 2]);
    }
}
