//! Probabilities that mean what they say.
//!
//! A score is made for ordering: a redirect counts half, a copy nothing. What is
//! told of a document is whether it holds RDF, so its log-odds are stretched and
//! shifted by two numbers that are learned from the documents that were had
//! (Platt's scaling, online).

use super::head::log_odds;
use crate::select::ftrl::{Coordinate, Rates, sigmoid};

/// How the two numbers are learned.
const HOW: Rates = Rates { alpha: 0.3, beta: 1.0, l1: 0.0, l2: 0.0 };

/// How log-odds are stretched and shifted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Calibration {
    stretch: Coordinate,
    shift: Coordinate,
}

impl Calibration {
    /// The probability that a document holds RDF.
    pub(super) fn probability(&self, predicted: f32) -> f32 {
        sigmoid((1.0 + HOW.weight(self.stretch)) * log_odds(predicted) + HOW.weight(self.shift))
    }

    /// Learns that a document does, or does not.
    pub(super) fn learn(&mut self, predicted: f32, is_rdf: bool) {
        let gradient = self.probability(predicted) - f32::from(u8::from(is_rdf));
        HOW.step(&mut self.stretch, gradient * log_odds(predicted));
        HOW.step(&mut self.shift, gradient);
    }

    /// What was learned, as it is kept.
    pub(super) fn to_kept(self) -> [(f32, f32); 2] {
        [self.stretch, self.shift].map(|coordinate| (coordinate.z, coordinate.n))
    }

    /// Goes on from what was learned. `None` if it could not have been.
    pub(super) fn of_kept(kept: [(f32, f32); 2]) -> Option<Self> {
        let is_sound = kept.iter().all(|(z, n)| z.is_finite() && n.is_finite() && *n >= 0.0);
        let [stretch, shift] = kept.map(|(z, n)| Coordinate { z, n });
        is_sound.then_some(Self { stretch, shift })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_too_careful_is_corrected() {
        let mut calibration = Calibration::default();
        for number in 0..2_000 {
            // Says 0.3 of what holds RDF six times in ten, 0.1 of what hardly ever does.
            calibration.learn(0.3, number % 10 > 3);
            calibration.learn(0.1, number % 20 == 0);
        }

        assert!((calibration.probability(0.3) - 0.6).abs() < 0.05, "{}", calibration.probability(0.3));
        assert!((calibration.probability(0.1) - 0.05).abs() < 0.05, "{}", calibration.probability(0.1));
    }
}
