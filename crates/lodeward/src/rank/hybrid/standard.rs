//! Standard scores: how many deviations from the mean.

use crate::rank::real;

/// Deviations below this share of the values' size are rounding.
const ROUNDING: f64 = 1e-9;

/// Values, and what they are scaled by. Whoever has none is as good as the mean.
pub(super) struct Standard {
    values: Vec<Option<f64>>,
    mean: f64,
    /// One over the standard deviation; 0 if all values are the same.
    scale: f64,
}

impl Standard {
    /// Values that are finite, or not known.
    pub(super) fn new<T: Into<Option<f64>>>(values: impl IntoIterator<Item = T>) -> Self {
        let values: Vec<Option<f64>> = values.into_iter().map(Into::into).collect();
        let known = || values.iter().flatten();
        let count = real(known().count().max(1) as u64);
        let mean = known().sum::<f64>() / count;
        let variance = known().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        let scale = if deviation > ROUNDING * mean.abs().max(ROUNDING) { deviation.recip() } else { 0.0 };
        Self { values, mean, scale }
    }

    /// The standard score of a value.
    pub(super) fn z(&self, place: usize) -> f64 {
        self.above(place, self.mean)
    }

    /// How many deviations a value is above another one.
    pub(super) fn above(&self, place: usize, other: f64) -> f64 {
        self.values[place].map_or(0.0, |value| (value - other) * self.scale)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_told_in_deviations_from_their_mean() {
        let check = |values: &[f64], expected: &[f64]| {
            let standard = Standard::new(values.iter().copied());
            let scores: Vec<f64> = (0..values.len()).map(|place| standard.z(place)).collect();
            assert_eq!(scores, expected, "{values:?}");
        };

        // Mean 3, variance (4 + 0 + 4 + 0) / 4 = 2.
        check(&[1.0, 3.0, 5.0, 3.0], &[-2.0 / 2_f64.sqrt(), 0.0, 2.0 / 2_f64.sqrt(), 0.0]);
        check(&[2.0, 4.0], &[-1.0, 1.0]);
        // Nothing to tell apart.
        check(&[], &[]);
        check(&[7.0], &[0.0]);
        check(&[0.0; 3], &[0.0; 3]);
        check(&[0.1 + 0.2, 0.3], &[0.0; 2]);
    }

    #[test]
    fn what_is_not_known_is_neither_good_nor_bad() {
        let standard = Standard::new([Some(2.0), None, Some(4.0)]);
        let scores: Vec<f64> = (0..3).map(|place| standard.z(place)).collect();
        assert_eq!(scores, vec![-1.0, 0.0, 1.0]);
        let nothing = Standard::new([None::<f64>; 2]);
        assert_eq!(vec![nothing.z(0), nothing.above(1, -3.0)], vec![0.0; 2]);
    }
}
