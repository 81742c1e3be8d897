//! Naive Bayes over binary features.
//!
//! The counts are the model, so offline and online training give the same result.

use serde::{Deserialize, Serialize};

use crate::select::ftrl::sigmoid;

/// Counts of examples by class, and of features by class.
///
/// There are two departures from the textbook. Only present features are used: a URL has a few of
/// thousands, and the absence of the others is not informative, but the sum of their contributions
/// would dominate. Counts are smoothed towards the base rate, as if each feature had been seen
/// `PSEUDO_COUNT` times before with the general class distribution: with Laplace smoothing, a
/// feature seen once in the more frequent class would be evidence for the rarer one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NaiveBayesModel {
    classes: ClassCounts,
    features: Vec<ClassCounts>,
}

/// Counts of examples without and with RDF.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct ClassCounts([u32; 2]);

/// Weight of the base rate in the counts of each feature, in examples.
const PSEUDO_COUNT: f32 = 1.0;

impl ClassCounts {
    fn record(&mut self, label: bool) {
        let count = &mut self.0[usize::from(label)];
        *count = count.saturating_add(1);
    }

    /// Log odds of RDF, after adding `before` to the counts.
    #[expect(clippy::cast_precision_loss, reason = "the precision of f32 suffices for log odds")]
    fn log_odds(self, before: [f32; 2]) -> f32 {
        ((self.0[1] as f32 + before[1]) / (self.0[0] as f32 + before[0])).ln()
    }
}

impl NaiveBayesModel {
    /// Creates an untrained model of features below `dimensions`.
    #[must_use]
    pub(crate) fn new(dimensions: usize) -> Self {
        Self { classes: ClassCounts::default(), features: vec![ClassCounts::default(); dimensions] }
    }

    /// Number of examples.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn example_count(&self) -> u64 {
        self.classes.0.iter().copied().map(u64::from).sum()
    }

    /// Learns from an example. Features outside the dimensions are ignored.
    pub(crate) fn learn(&mut self, features: &[u32], label: bool) {
        self.classes.record(label);
        for &feature in features {
            if let Some(counts) = self.features.get_mut(feature as usize) {
                counts.record(label);
            }
        }
    }

    /// Log odds without any feature.
    #[must_use]
    pub(crate) fn prior(&self) -> f32 {
        self.classes.log_odds([1.0, 1.0])
    }

    /// Contribution of a feature to the log odds.
    #[must_use]
    pub(crate) fn weight(&self, feature: u32) -> f32 {
        let Some(counts) = self.features.get(feature as usize) else { return 0.0 };
        let prior = self.prior();
        let share = sigmoid(prior);
        counts.log_odds([PSEUDO_COUNT * (1.0 - share), PSEUDO_COUNT * share]) - prior
    }

    /// Log odds of an example, by Bayes' rule.
    #[must_use]
    pub(crate) fn log_odds(&self, features: &[u32]) -> f32 {
        let prior = self.prior();
        let share = sigmoid(prior);
        let before = [PSEUDO_COUNT * (1.0 - share), PSEUDO_COUNT * share];
        let known = features.iter().filter_map(|feature| self.features.get(*feature as usize));
        prior + known.map(|counts| counts.log_odds(before) - prior).sum::<f32>()
    }

    /// Encodes the model, without features that were never counted.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let counted = self.features.iter().enumerate().filter(|(_, counts)| **counts != ClassCounts::default());
        let counted: Vec<(usize, ClassCounts)> = counted.map(|(feature, counts)| (feature, *counts)).collect();
        postcard::to_stdvec(&(self.classes, self.features.len(), counted))
            .expect("serialisation to memory does not fail")
    }

    /// Decodes the result of [`NaiveBayesModel::to_bytes`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        /// Upper bound of the dimensions of a model.
        const MAX_DIMENSIONS: usize = 1 << 28;
        let (classes, dimensions, counted): (ClassCounts, usize, Vec<(usize, ClassCounts)>) =
            postcard::from_bytes(bytes)?;
        if dimensions > MAX_DIMENSIONS {
            return Err(postcard::Error::DeserializeBadVarint);
        }
        let mut model = Self { classes, ..Self::new(dimensions) };
        for (feature, counts) in counted {
            *model.features.get_mut(feature).ok_or(postcard::Error::DeserializeBadVarint)? = counts;
        }
        Ok(model)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six examples, two of them RDF.
    fn model() -> NaiveBayesModel {
        let mut model = NaiveBayesModel::new(4);
        let examples: [(&[u32], bool); 6] =
            [(&[0, 1], true), (&[0], true), (&[0, 2], false), (&[2], false), (&[2], false), (&[1, 2], false)];
        for (features, label) in examples {
            model.learn(features, label);
        }
        model
    }

    #[test]
    fn odds_match_values_computed_by_hand() {
        let model = model();
        let check = |features: &[u32], odds: f32| {
            let found = model.log_odds(features).exp();
            assert!((found - odds).abs() < 1e-5 * odds, "{features:?}: {found} is not {odds}");
        };

        // Two of six examples have RDF: (2 + 1) / (4 + 1) = 3/5, a share of 3/8.
        check(&[], 0.6);
        // Feature 0: 2 RDF, 1 not: (2 + 3/8) / (1 + 5/8) = 19/13.
        check(&[0], 19.0 / 13.0);
        // Feature 1: one each: (1 + 3/8) / (1 + 5/8) = 11/13.
        check(&[1], 11.0 / 13.0);
        // Feature 2: 0 RDF, 4 not: (3/8) / (4 + 5/8) = 3/37.
        check(&[2], 3.0 / 37.0);
        // Features 0 and 1, with the prior counted once: 19/13 · 11/13 / 0.6.
        check(&[0, 1], 19.0 / 13.0 * 11.0 / 13.0 / 0.6);
    }

    #[test]
    fn an_unknown_feature_has_no_weight() {
        let model = model();

        assert!((model.log_odds(&[3]) - model.log_odds(&[])).abs() < 1e-6);
        assert!(model.weight(3).abs() < 1e-6);
        assert!((model.log_odds(&[400]) - model.log_odds(&[])).abs() < 1e-6);
    }

    #[test]
    fn weights_sum_up_to_the_log_odds() {
        let model = model();

        let sum = model.prior() + model.weight(0) + model.weight(2);

        assert!((sum - model.log_odds(&[0, 2])).abs() < 1e-5);
    }

    #[test]
    fn an_encoded_model_is_decoded() {
        let model = model();

        assert_eq!(NaiveBayesModel::from_bytes(&model.to_bytes()).unwrap(), model);
        assert!(NaiveBayesModel::from_bytes(&[1, 2]).is_err());
    }
}
