//! Calibration of predicted probabilities.

use crate::ledger::{Ledger, LedgerEntryKind};
use crate::numbers::to_f64;
use crate::web::RecordedWeb;

/// Number of bins of the reliability diagram.
pub const BINS: usize = 10;

/// Predicted probabilities of RDF compared with the labels of the documents.
///
/// Redirects are excluded, because the label of their target is not known when they are fetched. Only
/// predictions for fetched documents are compared, so documents that the strategy skipped are not included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CalibrationCurve {
    /// The mean squared error (Brier score): 0 is best; a constant prediction of 0.5 has 0.25.
    pub brier: f64,
    /// The Brier score of a constant prediction: the share of RDF among the documents.
    pub brier_of_share: f64,
    /// Number of predictions.
    pub predictions: usize,
    /// Bins of predictions: 0 to 0.1, 0.1 to 0.2, and so on.
    pub bins: [CalibrationBin; BINS],
}

/// Predictions within one interval.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CalibrationBin {
    /// Number of predictions.
    pub predictions: usize,
    /// Sum of the predictions.
    pub predicted: f64,
    /// Number of documents with RDF.
    pub rdf: usize,
}

impl CalibrationCurve {
    /// The calibration of a ledger; `None` if it has no predictions.
    #[must_use]
    pub fn from_ledger(web: &RecordedWeb, ledger: &Ledger) -> Option<Self> {
        let documents = ledger.steps.iter().filter(|step| step.kind == LedgerEntryKind::Document);
        let predictions: Vec<(f64, bool)> =
            documents.filter_map(|step| Some((f64::from(step.score?), web.page(step.page?).is_rdf()))).collect();
        (!predictions.is_empty()).then(|| Self::from_predictions(&predictions))
    }

    fn from_predictions(predictions: &[(f64, bool)]) -> Self {
        let mut bins = [CalibrationBin::default(); BINS];
        let mut squares = 0.0;
        for (score, is_rdf) in predictions {
            let truth = f64::from(u8::from(*is_rdf));
            squares += (score - truth).powi(2);
            let bin = &mut bins[bin_index(*score)];
            bin.predictions += 1;
            bin.predicted += score;
            bin.rdf += usize::from(*is_rdf);
        }
        let count = to_f64(predictions.len());
        let share = to_f64(bins.iter().map(|bin| bin.rdf).sum()) / count;
        Self { brier: squares / count, brier_of_share: share * (1.0 - share), predictions: predictions.len(), bins }
    }
}

impl CalibrationBin {
    /// The mean prediction and the share of documents with RDF; `None` if the bin is empty.
    #[must_use]
    pub fn point(&self) -> Option<(f64, f64)> {
        let count = to_f64(self.predictions);
        (self.predictions > 0).then(|| (self.predicted / count, to_f64(self.rdf) / count))
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the index is clamped to 0..BINS")]
fn bin_index(score: f64) -> usize {
    ((score.clamp(0.0, 1.0) * 10.0) as usize).min(BINS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn predictions_are_squared_and_binned() {
        let calibration = CalibrationCurve::from_predictions(&[(0.0, false), (0.95, true), (1.0, true), (0.5, false)]);

        assert!((calibration.brier - (0.05_f64.powi(2) + 0.25) / 4.0).abs() < 1e-12);
        assert!((calibration.brier_of_share - 0.25).abs() < 1e-12);
        let counts = calibration.bins.map(|bin| bin.predictions);
        assert_eq!(counts, [1, 0, 0, 0, 0, 1, 0, 0, 0, 2]);
        let (predicted, observed) = calibration.bins[9].point().unwrap();
        assert!((predicted - 0.975).abs() < 1e-12 && (observed - 1.0).abs() < 1e-12);
        assert_eq!(calibration.bins[1].point(), None);
    }
}
