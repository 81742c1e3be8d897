//! Mean and deviation of a figure over seeds.

use crate::numbers::to_f64;

/// A mean and its standard deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SeedSpread {
    /// The mean of the samples.
    pub mean: f64,
    /// The standard deviation of the sample; 0 for a single sample.
    pub deviation: f64,
    /// Number of samples.
    pub samples: usize,
}

impl SeedSpread {
    /// Computes mean and deviation of samples.
    #[must_use]
    pub fn from_samples(samples: impl IntoIterator<Item = f64>) -> Self {
        let samples: Vec<f64> = samples.into_iter().collect();
        let count = to_f64(samples.len());
        if samples.is_empty() {
            return Self::default();
        }
        let mean = samples.iter().sum::<f64>() / count;
        let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
        let deviation = if samples.len() > 1 { (squares / (count - 1.0)).sqrt() } else { 0.0 };
        Self { mean, deviation, samples: samples.len() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_a_mean_and_a_deviation() {
        let spread = SeedSpread::from_samples([1.0, 2.0, 3.0, 4.0]);

        assert!((spread.mean - 2.5).abs() < 1e-12);
        assert!((spread.deviation - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(SeedSpread::from_samples([7.0]).deviation.abs() < 1e-12);
        assert_eq!(SeedSpread::from_samples([]), SeedSpread::default());
    }
}
