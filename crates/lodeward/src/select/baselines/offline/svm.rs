//! A linear support vector machine, trained before the crawl.
//!
//! Dual coordinate descent with L1 loss: Hsieh, Chang, Lin, Keerthi, Sundararajan, "A dual
//! coordinate descent method for large-scale linear SVM" (ICML 2008), Algorithm 1, without
//! shrinking. LDCOC does not state the kernel of its SVM; for this many sparse binary features a
//! linear one is usual.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{Classifier, TrainingExample};
use crate::select::ftrl::sigmoid;

/// Options of the training.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct SvmOptions {
    /// Cost of an example on the wrong side of the hyperplane.
    pub cost: f32,
    /// Maximum number of passes over the examples.
    pub max_rounds: usize,
    /// Training ends when no gradient exceeds this.
    pub tolerance: f32,
    /// Seed of the order of the examples.
    pub seed: u64,
}

impl Default for SvmOptions {
    fn default() -> Self {
        Self { cost: 0.1, max_rounds: 50, tolerance: 0.05, seed: 0 }
    }
}

/// A hyperplane: a weight per feature, and a bias.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Svm {
    bias: f32,
    weights: Vec<f32>,
}

impl Svm {
    /// Trains on examples whose features are below `dimensions`. The same examples give the same
    /// result.
    #[must_use]
    pub(crate) fn train(dimensions: usize, examples: &[TrainingExample], training: SvmOptions) -> Self {
        let mut machine = Self { bias: 0.0, weights: vec![0.0; dimensions] };
        let mut alphas = vec![0.0_f32; examples.len()];
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut rng = SmallRng::seed_from_u64(training.seed);
        for _ in 0..training.max_rounds {
            order.shuffle(&mut rng);
            let mut violation = 0.0_f32;
            for &index in &order {
                violation = violation.max(machine.step(&examples[index], &mut alphas[index], training.cost));
            }
            if violation < training.tolerance {
                break;
            }
        }
        machine
    }

    /// Moves the multiplier of one example to its optimum while all others are fixed. Returns the
    /// size of the projected gradient.
    fn step(&mut self, example: &TrainingExample, alpha: &mut f32, cost: f32) -> f32 {
        let sign = if example.label { 1.0 } else { -1.0 };
        let gradient = sign * self.margin(&example.features) - 1.0;
        let projected = match *alpha {
            alpha if alpha <= 0.0 => gradient.min(0.0),
            alpha if alpha >= cost => gradient.max(0.0),
            _ => gradient,
        };
        if projected != 0.0 {
            let before = *alpha;
            // Features are binary, so the squared norm of an example is the number of its features,
            // plus one for the bias.
            #[expect(clippy::cast_precision_loss, reason = "an example has a few dozen features")]
            let square = example.features.len() as f32 + 1.0;
            *alpha = (before - gradient / square).clamp(0.0, cost);
            let change = (*alpha - before) * sign;
            self.bias += change;
            for &feature in &example.features {
                self.weights[feature as usize] += change;
            }
        }
        projected.abs()
    }

    /// The signed distance of an example from the hyperplane, unnormalised.
    #[must_use]
    pub(crate) fn margin(&self, features: &[u32]) -> f32 {
        self.bias + features.iter().filter_map(|feature| self.weights.get(*feature as usize)).sum::<f32>()
    }

    /// Encodes the weights, without zeros.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let non_zero = self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        let non_zero: Vec<(usize, f32)> = non_zero.map(|(feature, weight)| (feature, *weight)).collect();
        postcard::to_stdvec(&(self.bias, self.weights.len(), non_zero)).expect("serialisation to memory does not fail")
    }

    /// Decodes the result of [`Svm::to_bytes`].
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let (bias, dimensions, non_zero): (f32, usize, Vec<(usize, f32)>) = postcard::from_bytes(bytes)?;
        if dimensions > super::MAX_DIMENSIONS {
            return Err(postcard::Error::DeserializeBadVarint);
        }
        let mut weights = vec![0.0; dimensions];
        for (feature, weight) in non_zero {
            *weights.get_mut(feature).ok_or(postcard::Error::DeserializeBadVarint)? = weight;
        }
        Ok(Self { bias, weights })
    }
}

impl Classifier for Svm {
    /// The margin, mapped to 0–1: above one half on the side of RDF. Suitable for ordering; not a
    /// probability.
    fn score(&self, features: &[u32]) -> f32 {
        sigmoid(self.margin(features))
    }

    fn weight(&self, feature: u32) -> f32 {
        self.weights.get(feature as usize).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::baselines::offline::examples;

    const HARD: SvmOptions = SvmOptions { cost: 1_000.0, max_rounds: 10_000, tolerance: 1e-4, seed: 0 };

    #[test]
    fn two_points_are_separated_in_the_middle() {
        let machine = Svm::train(2, &examples(&[(&[0], true), (&[1], false)]), HARD);

        // With the bias among the weights, w = (1, -1) and b = 0: the margins are 1.
        assert!((machine.margin(&[0]) - 1.0).abs() < 1e-3);
        assert!((machine.margin(&[1]) + 1.0).abs() < 1e-3);
        assert!(machine.margin(&[]).abs() < 1e-3);
        assert!(machine.score(&[0]) > 0.5 && machine.score(&[1]) < 0.5);
    }

    #[test]
    fn linearly_separable_examples_are_separated() {
        // An example is RDF if it has at least two of the first three features.
        let truth: Vec<(Vec<u32>, bool)> = (0..16_u32)
            .map(|bits| {
                let features: Vec<u32> = (0..4).filter(|bit| bits >> bit & 1 == 1).collect();
                let label = features.iter().filter(|feature| **feature < 3).count() >= 2;
                (features, label)
            })
            .collect();
        let training_set: Vec<(&[u32], bool)> =
            truth.iter().map(|(features, label)| (features.as_slice(), *label)).collect();

        let machine = Svm::train(4, &examples(&training_set), HARD);

        for (features, label) in &truth {
            assert_eq!(machine.score(features) > 0.5, *label, "{features:?}");
            let margin = if *label { machine.margin(features) } else { -machine.margin(features) };
            assert!(margin > 0.99, "{features:?}: {margin}");
        }
        assert!(machine.weight(3).abs() < 0.05, "the fourth feature is irrelevant: {}", machine.weight(3));
    }

    #[test]
    fn training_is_deterministic_and_encoded_weights_are_decoded() {
        let training_set =
            examples(&[(&[0, 1], true), (&[0, 2], false), (&[1], true), (&[2], false), (&[1, 2], false)]);

        let machine = Svm::train(8, &training_set, SvmOptions::default());

        assert_eq!(machine, Svm::train(8, &training_set, SvmOptions::default()));
        assert_eq!(Svm::from_bytes(&machine.to_bytes()).unwrap(), machine);
        assert!(Svm::from_bytes(&[1, 2]).is_err());
    }

    #[test]
    fn an_untrained_machine_is_undecided() {
        assert!((Svm::train(2, &[], SvmOptions::default()).score(&[0, 7]) - 0.5).abs() < 1e-6);
    }
}
