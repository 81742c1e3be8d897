//! Computes F-measure, accuracy and average precision of predictions.

use std::collections::BTreeMap;

use lodeward::select::baselines::offline::THRESHOLD;

use crate::numbers::quotient;

/// A prediction and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct ScoredPrediction {
    /// The host of the URI.
    pub host: String,
    /// The predicted score, between 0 and 1.
    pub score: f32,
    /// Whether the document has RDF.
    pub label: bool,
}

/// Measures of a set of predictions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PredictionScores {
    /// Number of predictions.
    pub predictions: usize,
    /// F-measure of the class with RDF.
    pub f1: f64,
    /// Share of correct predictions.
    pub accuracy: f64,
    /// Average precision of the ranking by score; equal scores are treated as one group.
    pub average_precision: f64,
    /// Mean accuracy of hosts.
    pub accuracy_by_host: f64,
    /// F-measure on hosts with 10 to 90 % RDF.
    pub f1_mixed: f64,
    /// Accuracy on hosts with 10 to 90 % RDF.
    pub accuracy_mixed: f64,
}

/// Counts of correct and wrong predictions of both classes.
#[derive(Clone, Copy, Debug, Default)]
struct ConfusionMatrix {
    true_positive: u32,
    false_positive: u32,
    false_negative: u32,
    true_negative: u32,
}

impl ConfusionMatrix {
    fn from_predictions<'a>(predictions: impl IntoIterator<Item = &'a ScoredPrediction>) -> Self {
        let mut counts = Self::default();
        for ScoredPrediction { score, label, .. } in predictions {
            let count = match (*score > THRESHOLD, label) {
                (true, true) => &mut counts.true_positive,
                (true, false) => &mut counts.false_positive,
                (false, true) => &mut counts.false_negative,
                (false, false) => &mut counts.true_negative,
            };
            *count += 1;
        }
        counts
    }

    fn f1(self) -> f64 {
        let right = 2.0 * f64::from(self.true_positive);
        quotient(right, right + f64::from(self.false_positive) + f64::from(self.false_negative))
    }

    fn accuracy(self) -> f64 {
        let right = f64::from(self.true_positive) + f64::from(self.true_negative);
        quotient(right, right + f64::from(self.false_positive) + f64::from(self.false_negative))
    }

    /// Whether 10 to 90 % of the documents have RDF.
    fn is_mixed(self) -> bool {
        let positive = f64::from(self.true_positive) + f64::from(self.false_negative);
        let all = positive + f64::from(self.true_negative) + f64::from(self.false_positive);
        (0.1..=0.9).contains(&quotient(positive, all))
    }
}

impl PredictionScores {
    /// The measures of these predictions.
    #[must_use]
    pub fn from_predictions(predictions: &[ScoredPrediction]) -> Self {
        let mut hosts: BTreeMap<&str, Vec<&ScoredPrediction>> = BTreeMap::new();
        for prediction in predictions {
            hosts.entry(&prediction.host).or_default().push(prediction);
        }
        let all = ConfusionMatrix::from_predictions(predictions);
        let by_host: Vec<ConfusionMatrix> =
            hosts.values().map(|of| ConfusionMatrix::from_predictions(of.iter().copied())).collect();
        let mixed = hosts.values().zip(&by_host).filter(|(_, counts)| counts.is_mixed());
        let mixed = ConfusionMatrix::from_predictions(mixed.flat_map(|(of, _)| of.iter().copied()));
        let sum: f64 = by_host.iter().map(|counts| counts.accuracy()).sum();
        Self {
            predictions: predictions.len(),
            f1: all.f1(),
            accuracy: all.accuracy(),
            average_precision: average_precision(predictions),
            accuracy_by_host: quotient(sum, f64::from(u32::try_from(by_host.len()).unwrap_or(u32::MAX))),
            f1_mixed: mixed.f1(),
            accuracy_mixed: mixed.accuracy(),
        }
    }
}

/// The mean over documents with RDF of the precision at their rank. Documents with equal scores share the
/// precision at the end of their group.
fn average_precision(predictions: &[ScoredPrediction]) -> f64 {
    let mut order: Vec<&ScoredPrediction> = predictions.iter().collect();
    order.sort_by(|one, other| other.score.total_cmp(&one.score));
    let (mut seen, mut found, mut sum) = (0.0, 0.0, 0.0);
    for group in order.chunk_by(|one, other| one.score.total_cmp(&other.score).is_eq()) {
        let positive = group.iter().filter(|prediction| prediction.label).count();
        let positive = f64::from(u32::try_from(positive).unwrap_or(u32::MAX));
        seen += f64::from(u32::try_from(group.len()).unwrap_or(u32::MAX));
        found += positive;
        sum += positive * found / seen;
    }
    quotient(sum, found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predictions(all: &[(&str, f32, bool)]) -> Vec<ScoredPrediction> {
        all.iter()
            .map(|(host, score, label)| ScoredPrediction { host: (*host).to_owned(), score: *score, label: *label })
            .collect()
    }

    #[test]
    fn measures_match_their_definitions() {
        let scores = PredictionScores::from_predictions(&predictions(&[
            ("a", 0.9, true),
            ("a", 0.8, false),
            ("a", 0.7, true),
            ("a", 0.2, true),
            ("b", 0.1, false),
        ]));

        // Two true positives, one false positive, one false negative.
        assert!((scores.f1 - 4.0 / 6.0).abs() < 1e-9);
        assert!((scores.accuracy - 3.0 / 5.0).abs() < 1e-9);
        assert!((scores.average_precision - (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0).abs() < 1e-9);
        assert!((scores.accuracy_by_host - 0.75).abs() < 1e-9);
        // Only `a` is mixed.
        assert!((scores.accuracy_mixed - 0.5).abs() < 1e-9);
    }

    #[test]
    fn the_order_of_equal_scores_does_not_matter() {
        let one =
            PredictionScores::from_predictions(&predictions(&[("a", 0.5, true), ("a", 0.5, false), ("a", 0.5, false)]));
        let other =
            PredictionScores::from_predictions(&predictions(&[("a", 0.5, false), ("a", 0.5, false), ("a", 0.5, true)]));

        assert!((one.average_precision - 1.0 / 3.0).abs() < 1e-9);
        assert!((one.average_precision - other.average_precision).abs() < 1e-12);
        assert_eq!(PredictionScores::from_predictions(&[]), PredictionScores::default());
    }
}
