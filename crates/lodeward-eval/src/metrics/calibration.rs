//! Whether predicted probabilities can be believed.

use crate::ground::to_f64;
use crate::ledger::{Kind, Ledger};
use crate::web::Web;

/// How many bins a reliability diagram has.
pub const BINS: usize = 10;

/// Predicted probabilities of RDF beside what the documents turned out to be.
///
/// Of documents only: what a redirect leads to is seen later, if at all. A
/// strategy that visits what it deems likely is measured on what it visited,
/// not on what it left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    /// The mean squared error (Brier score): 0 is best, 0.25 says nothing.
    pub brier: f64,
    /// The same of somebody who always predicts the share of RDF.
    pub brier_of_share: f64,
    /// How many predictions.
    pub predictions: usize,
    /// Predictions of 0 to 0.1, of 0.1 to 0.2, and so on.
    pub bins: [Bin; BINS],
}

/// Predictions that are much the same.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Bin {
    /// How many.
    pub predictions: usize,
    /// Their sum.
    pub predicted: f64,
    /// How many of the documents do hold RDF.
    pub rdf: usize,
}

impl Calibration {
    /// Of the predictions in a ledger; `None` if there are none.
    #[must_use]
    pub fn of(web: &Web, ledger: &Ledger) -> Option<Self> {
        let documents = ledger.steps.iter().filter(|step| step.kind == Kind::Document);
        let predictions: Vec<(f64, bool)> =
            documents.filter_map(|step| Some((f64::from(step.score?), web.page(step.page?).is_rdf()))).collect();
        (!predictions.is_empty()).then(|| Self::of_predictions(&predictions))
    }

    fn of_predictions(predictions: &[(f64, bool)]) -> Self {
        let mut bins = [Bin::default(); BINS];
        let mut squares = 0.0;
        for (score, is_rdf) in predictions {
            let truth = f64::from(u8::from(*is_rdf));
            squares += (score - truth).powi(2);
            let bin = &mut bins[bin_of(*score)];
            bin.predictions += 1;
            bin.predicted += score;
            bin.rdf += usize::from(*is_rdf);
        }
        let count = to_f64(predictions.len());
        let share = to_f64(bins.iter().map(|bin| bin.rdf).sum()) / count;
        Self { brier: squares / count, brier_of_share: share * (1.0 - share), predictions: predictions.len(), bins }
    }
}

impl Bin {
    /// The mean prediction, and the share that holds RDF; `None` if it is empty.
    #[must_use]
    pub fn point(&self) -> Option<(f64, f64)> {
        let count = to_f64(self.predictions);
        (self.predictions > 0).then(|| (self.predicted / count, to_f64(self.rdf) / count))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the score is clamped to a bin")]
fn bin_of(score: f64) -> usize {
    ((score.clamp(0.0, 1.0) * 10.0) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_squared_and_binned() {
        let calibration = Calibration::of_predictions(&[(0.0, false), (0.95, true), (1.0, true), (0.5, false)]);

        assert!((calibration.brier - (0.05_f64.powi(2) + 0.25) / 4.0).abs() < 1e-12);
        assert!((calibration.brier_of_share - 0.25).abs() < 1e-12);
        let counts = calibration.bins.map(|bin| bin.predictions);
        assert_eq!(counts, [1, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        let (predicted, observed) = calibration.bins[9].point().unwrap();
        assert!((predicted - 0.975).abs() < 1e-12 && (observed - 1.0).abs() < 1e-12);
        assert_eq!(calibration.bins[1].point(), None);
    }
}
