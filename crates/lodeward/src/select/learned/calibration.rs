//! Calibrates predictions to probabilities (Platt scaling, online).
//!
//! Scores are designed for ordering: in training, a redirect counts as half a success and a
//! duplicate as a failure. The reported value is the probability that the document has RDF.
//! Therefore the log odds of the score are scaled and shifted by two parameters, which are learned
//! from the fetched documents.

use super::head::log_odds;
use crate::select::ftrl::{FtrlCoordinate, FtrlOptions, sigmoid};

/// Parameters of the learner.
const FTRL_OPTIONS: FtrlOptions = FtrlOptions { alpha: 0.3, beta: 1.0, l1: 0.0, l2: 0.0 };

/// Scale and shift of log odds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PlattCalibration {
    scale: FtrlCoordinate,
    shift: FtrlCoordinate,
}

impl PlattCalibration {
    /// The probability that a document has RDF.
    pub(super) fn probability(&self, predicted: f32) -> f32 {
        sigmoid((1.0 + FTRL_OPTIONS.weight(self.scale)) * log_odds(predicted) + FTRL_OPTIONS.weight(self.shift))
    }

    /// Learns from a fetched document.
    pub(super) fn learn(&mut self, predicted: f32, is_rdf: bool) {
        let gradient = self.probability(predicted) - f32::from(u8::from(is_rdf));
        FTRL_OPTIONS.step(&mut self.scale, gradient * log_odds(predicted));
        FTRL_OPTIONS.step(&mut self.shift, gradient);
    }

    /// Encodes the state.
    pub(super) fn to_stored(self) -> [(f32, f32); 2] {
        [self.scale, self.shift].map(|coordinate| (coordinate.z, coordinate.n))
    }

    /// Decodes the state. `None` if it is invalid.
    pub(super) fn from_stored(stored: [(f32, f32); 2]) -> Option<Self> {
        let is_valid = stored.iter().all(|(z, n)| z.is_finite() && n.is_finite() && *n >= 0.0);
        let [scale, shift] = stored.map(|(z, n)| FtrlCoordinate { z, n });
        is_valid.then_some(Self { scale, shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn low_predictions_are_corrected() {
        let mut calibration = PlattCalibration::default();
        for number in 0..2_000 {
            // The prediction is 0.3 for documents of which 60 % have RDF, and 0.1 for documents of
            // which 5 % have.
            calibration.learn(0.3, number % 10 > 3);
            calibration.learn(0.1, number % 20 == 0);
        }

        assert!((calibration.probability(0.3) - 0.6).abs() < 0.05, "{}", calibration.probability(0.3));
        assert!((calibration.probability(0.1) - 0.05).abs() < 0.05, "{}", calibration.probability(0.1));
    }
}
