//! How good predictions are.

use std::collections::BTreeMap;

use lodeward::select::offline::THRESHOLD;

/// What was predicted of somebody, and what was so.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// The host.
    pub host: String,
    /// Between 0 and 1.
    pub score: f32,
    /// Whether it holds RDF.
    pub label: bool,
}

/// How good predictions are, by several measures.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    /// How many there are.
    pub predictions: usize,
    /// The F-measure of holding RDF.
    pub f1: f64,
    /// The share that is right.
    pub accuracy: f64,
    /// Average precision: of a ranking by score, ties in the middle of chance.
    pub average_precision: f64,
    /// The mean over hosts of the share that is right.
    pub accuracy_by_host: f64,
    /// The F-measure on hosts 10 to 90 % of which hold RDF.
    pub f1_mixed: f64,
    /// The share that is right on those.
    pub accuracy_mixed: f64,
}

/// Right and wrong, in both directions.
#[derive(Clone, Copy, Debug, Default)]
struct Confusion {
    true_positive: u32,
    false_positive: u32,
    false_negative: u32,
    true_negative: u32,
}

impl Confusion {
    fn of<'a>(predictions: impl IntoIterator<Item = &'a Prediction>) -> Self {
        let mut counts = Self::default();
        for Prediction { score, label, .. } in predictions {
            let place = match (*score > THRESHOLD, label) {
                (true, true) => &mut counts.true_positive,
                (true, false) => &mut counts.false_positive,
                (false, true) => &mut counts.false_negative,
                (false, false) => &mut counts.true_negative,
            };
            *place += 1;
        }
        counts
    }

    fn f1(self) -> f64 {
        let right = 2.0 * f64::from(self.true_positive);
        over(right, right + f64::from(self.false_positive) + f64::from(self.false_negative))
    }

    fn accuracy(self) -> f64 {
        let right = f64::from(self.true_positive) + f64::from(self.true_negative);
        over(right, right + f64::from(self.false_positive) + f64::from(self.false_negative))
    }

    /// Whether 10 to 90 % hold RDF.
    fn is_mixed(self) -> bool {
        let positive = f64::from(self.true_positive) + f64::from(self.false_negative);
        let all = positive + f64::from(self.true_negative) + f64::from(self.false_positive);
        (0.1..=0.9).contains(&over(positive, all))
    }
}

impl Scores {
    /// The scores of these predictions.
    #[must_use]
    pub fn of(predictions: &[Prediction]) -> Self {
        let mut hosts: BTreeMap<&str, Vec<&Prediction>> = BTreeMap::new();
        for prediction in predictions {
            hosts.entry(&prediction.host).or_default().push(prediction);
        }
        let all = Confusion::of(predictions);
        let by_host: Vec<Confusion> = hosts.values().map(|of| Confusion::of(of.iter().copied())).collect();
        let mixed = hosts.values().zip(&by_host).filter(|(_, counts)| counts.is_mixed());
        let mixed = Confusion::of(mixed.flat_map(|(of, _)| of.iter().copied()));
        let sum: f64 = by_host.iter().map(|counts| counts.accuracy()).sum();
        Self {
            predictions: predictions.len(),
            f1: all.f1(),
            accuracy: all.accuracy(),
            average_precision: average_precision(predictions),
            accuracy_by_host: over(sum, f64::from(u32::try_from(by_host.len()).unwrap_or(u32::MAX))),
            f1_mixed: mixed.f1(),
            accuracy_mixed: mixed.accuracy(),
        }
    }
}

/// The mean over documents with RDF of the precision at their place. Those with
/// equal scores share the precision at the end of their group.
fn average_precision(predictions: &[Prediction]) -> f64 {
    let mut order: Vec<&Prediction> = predictions.iter().collect();
    order.sort_by(|one, other| other.score.total_cmp(&one.score));
    let (mut seen, mut found, mut sum) = (0.0, 0.0, 0.0);
    for group in order.chunk_by(|one, other| one.score.total_cmp(&other.score).is_eq()) {
        let positive = group.iter().filter(|prediction| prediction.label).count();
        let positive = f64::from(u32::try_from(positive).unwrap_or(u32::MAX));
        seen += f64::from(u32::try_from(group.len()).unwrap_or(u32::MAX));
        found += positive;
        sum += positive * found / seen;
    }
    over(sum, found)
}

fn over(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn predictions(all: &[(&str, f32, bool)]) -> Vec<Prediction> {
        all.iter()
            .map(|(host, score, label)| Prediction { host: (*host).to_owned(), score: *score, label: *label })
            .collect()
    }

    #[test]
    fn measures_are_those_of_the_books() {
        let scores = Scores::of(&predictions(&[
            ("a", 0.9, true),
            ("a", 0.8, false),
            ("a", 0.7, true),
            ("a", 0.2, true),
            ("b", 0.1, false),
        ]));

        // Two hits, one false alarm, one missed.
        assert!((scores.f1 - 4.0 / 6.0).abs() < 1e-9);
        assert!((scores.accuracy - 3.0 / 5.0).abs() < 1e-9);
        assert!((scores.average_precision - (1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0).abs() < 1e-9);
        assert!((scores.accuracy_by_host - 0.75).abs() < 1e-9);
        // Only `a` is mixed.
        assert!((scores.accuracy_mixed - 0.5).abs() < 1e-9);
    }

    #[test]
    fn equal_scores_are_worth_their_share_however_they_are_ordered() {
        let one = Scores::of(&predictions(&[("a", 0.5, true), ("a", 0.5, false), ("a", 0.5, false)]));
        let other = Scores::of(&predictions(&[("a", 0.5, false), ("a", 0.5, false), ("a", 0.5, true)]));

        assert!((one.average_precision - 1.0 / 3.0).abs() < 1e-9);
        assert!((one.average_precision - other.average_precision).abs() < 1e-12);
        assert_eq!(Scores::of(&[]), Scores::default());
    }
}
