//! Naive Bayes over binary features: counting.
//!
//! What was counted is the model, so it is the same whether it was trained before
//! or learns as it goes.

use serde::{Deserialize, Serialize};

/// How many examples of each class there were, and how many of them had which
/// feature.
///
/// Two departures from the textbook. Only the features that are there count: an
/// address has a handful of thousands, and that the others are absent says next to
/// nothing, but summed up drowns the rest. And counts are smoothed towards the
/// base rate, as if each feature had been seen [`PSEUDO_COUNT`] times before with
/// classes as they are in general: after Laplace, a feature seen once in the
/// commoner class would speak for the rarer one.
#[derive(Clone, Debug, PartialEq)]
pub struct NaiveBayes {
    classes: Counts,
    features: Vec<Counts>,
}

/// Examples that did not hold RDF, and that did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Counts([u32; 2]);

/// How much experience each feature begins with.
const PSEUDO_COUNT: f32 = 1.0;

impl Counts {
    fn note(&mut self, label: bool) {
        let count = &mut self.0[usize::from(label)];
        *count = count.saturating_add(1);
    }

    /// The logarithm of the odds, with some experience added.
    #[expect(clippy::cast_precision_loss, reason = "a share needs no more")]
    fn log_odds(self, before: [f32; 2]) -> f32 {
        ((self.0[1] as f32 + before[1]) / (self.0[0] as f32 + before[0])).ln()
    }
}

impl NaiveBayes {
    /// An ignorant model of features below `dimensions`.
    #[must_use]
    pub fn new(dimensions: usize) -> Self {
        Self { classes: Counts::default(), features: vec![Counts::default(); dimensions] }
    }

    /// How many examples it has seen.
    #[must_use]
    pub fn examples(&self) -> u64 {
        self.classes.0.iter().copied().map(u64::from).sum()
    }

    /// Learns an example. Features it has no room for are passed over.
    pub fn learn(&mut self, features: &[u32], label: bool) {
        self.classes.note(label);
        for &feature in features {
            if let Some(counts) = self.features.get_mut(feature as usize) {
                counts.note(label);
            }
        }
    }

    /// The log-odds before anything is known of an example.
    #[must_use]
    pub fn prior(&self) -> f32 {
        self.classes.log_odds([1.0, 1.0])
    }

    /// What a feature adds to them.
    #[must_use]
    pub fn weight(&self, feature: u32) -> f32 {
        let Some(counts) = self.features.get(feature as usize) else { return 0.0 };
        let prior = self.prior();
        let share = super::ftrl::sigmoid(prior);
        counts.log_odds([PSEUDO_COUNT * (1.0 - share), PSEUDO_COUNT * share]) - prior
    }

    /// The log-odds of an example, by Bayes' rule.
    #[must_use]
    pub fn log_odds(&self, features: &[u32]) -> f32 {
        let prior = self.prior();
        let share = super::ftrl::sigmoid(prior);
        let before = [PSEUDO_COUNT * (1.0 - share), PSEUDO_COUNT * share];
        let known = features.iter().filter_map(|feature| self.features.get(*feature as usize));
        prior + known.map(|counts| counts.log_odds(before) - prior).sum::<f32>()
    }

    /// The model as bytes: what was never counted is left out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let counted = self.features.iter().enumerate().filter(|(_, counts)| **counts != Counts::default());
        let counted: Vec<(usize, Counts)> = counted.map(|(feature, counts)| (feature, *counts)).collect();
        postcard::to_stdvec(&(self.classes, self.features.len(), counted)).expect("numbers can be written")
    }

    /// What [`NaiveBayes::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        /// More features than any model has.
        const DIMENSIONS_MAX: usize = 1 << 28;
        let (classes, dimensions, counted): (Counts, usize, Vec<(usize, Counts)>) = postcard::from_bytes(bytes)?;
        if dimensions > DIMENSIONS_MAX {
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
    fn model() -> NaiveBayes {
        let mut model = NaiveBayes::new(4);
        let examples: [(&[u32], bool); 6] =
            [(&[0, 1], true), (&[0], true), (&[0, 2], false), (&[2], false), (&[2], false), (&[1, 2], false)];
        for (features, label) in examples {
            model.learn(features, label);
        }
        model
    }

    #[test]
    fn odds_are_what_a_hand_computes() {
        let model = model();
        let check = |features: &[u32], odds: f32| {
            let found = model.log_odds(features).exp();
            assert!((found - odds).abs() < 1e-5 * odds, "{features:?}: {found} is not {odds}");
        };

        // Two RDF of six: (2 + 1) / (4 + 1) = 3/5, a share of 3/8.
        check(&[], 0.6);
        // Feature 0: 2 RDF, 1 not: (2 + 3/8) / (1 + 5/8) = 19/13.
        check(&[0], 19.0 / 13.0);
        // Feature 1: one each: (1 + 3/8) / (1 + 5/8) = 11/13.
        check(&[1], 11.0 / 13.0);
        // Feature 2: 0 RDF, 4 not: (3/8) / (4 + 5/8) = 3/37.
        check(&[2], 3.0 / 37.0);
        // Both, of which the prior counts once: 19/13 · 11/13 / 0.6.
        check(&[0, 1], 19.0 / 13.0 * 11.0 / 13.0 / 0.6);
    }

    #[test]
    fn what_was_never_seen_says_nothing() {
        let model = model();

        assert!((model.log_odds(&[3]) - model.log_odds(&[])).abs() < 1e-6);
        assert!(model.weight(3).abs() < 1e-6);
        assert!((model.log_odds(&[400]) - model.log_odds(&[])).abs() < 1e-6);
    }

    #[test]
    fn weights_add_up_to_the_odds() {
        let model = model();

        let sum = model.prior() + model.weight(0) + model.weight(2);

        assert!((sum - model.log_odds(&[0, 2])).abs() < 1e-5);
    }

    #[test]
    fn bytes_bring_back_the_model() {
        let model = model();

        assert_eq!(NaiveBayes::from_bytes(&model.to_bytes()).unwrap(), model);
        assert!(NaiveBayes::from_bytes(&[1, 2]).is_err());
    }
}
