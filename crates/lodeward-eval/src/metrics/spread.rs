//! A figure over several seeds.

use crate::ground::to_f64;

/// A mean and how far its parts are from it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation of the sample; 0 of a single one.
    pub deviation: f64,
    /// How many there were.
    pub samples: usize,
}

impl Spread {
    /// The spread of some samples.
    #[must_use]
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Self {
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
        let spread = Spread::of([1.0, 2.0, 3.0, 4.0]);

        assert!((spread.mean - 2.5).abs() < 1e-12);
        assert!((spread.deviation - (5.0_f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!(Spread::of([7.0]).deviation.abs() < 1e-12);
        assert_eq!(Spread::of([]), Spread::default());
    }
}
