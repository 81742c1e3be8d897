//! A linear support vector machine, trained before the crawl.
//!
//! Dual coordinate descent with L1 loss: Hsieh, Chang, Lin, Keerthi,
//! Sundararajan, "A dual coordinate descent method for large-scale linear SVM"
//! (ICML 2008), Algorithm 1, without shrinking. LDCOC does not say which kernel
//! its SVM has; on so many sparse binary features a linear one is what is used.

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;

use super::{Classifier, Example};
use crate::select::ftrl::sigmoid;

/// What training is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// What an example on the wrong side costs.
    pub cost: f32,
    /// How often all examples are gone through, at most.
    pub rounds_max: usize,
    /// Training ends when no example is further than this from where it should be.
    pub tolerance: f32,
    /// Where the order of the examples comes from.
    pub seed: u64,
}

impl Default for Training {
    fn default() -> Self {
        Self { cost: 0.1, rounds_max: 50, tolerance: 0.05, seed: 0 }
    }
}

/// A hyperplane: a weight for each feature, and one for all.
#[derive(Clone, Debug, PartialEq)]
pub struct Svm {
    bias: f32,
    weights: Vec<f32>,
}

impl Svm {
    /// Trains with examples whose features are below `dimensions`. The same
    /// examples give the same machine.
    #[must_use]
    pub fn train(dimensions: usize, examples: &[Example], training: Training) -> Self {
        let mut machine = Self { bias: 0.0, weights: vec![0.0; dimensions] };
        let mut alphas = vec![0.0_f32; examples.len()];
        let mut order: Vec<usize> = (0..examples.len()).collect();
        let mut rng = SmallRng::seed_from_u64(training.seed);
        for _ in 0..training.rounds_max {
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

    /// Moves the multiplier of one example to its best value while all others
    /// stay. Returns how far it was from it.
    fn step(&mut self, example: &Example, alpha: &mut f32, cost: f32) -> f32 {
        let sign = if example.label { 1.0 } else { -1.0 };
        let gradient = sign * self.margin(&example.features) - 1.0;
        let projected = match *alpha {
            alpha if alpha <= 0.0 => gradient.min(0.0),
            alpha if alpha >= cost => gradient.max(0.0),
            _ => gradient,
        };
        if projected != 0.0 {
            let before = *alpha;
            // Features are binary, so the square of an example is how many it
            // has, with one for the bias.
            #[expect(clippy::cast_precision_loss, reason = "a few dozen")]
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

    /// On which side of the hyperplane an example is, and how far.
    #[must_use]
    pub fn margin(&self, features: &[u32]) -> f32 {
        self.bias + features.iter().filter_map(|feature| self.weights.get(*feature as usize)).sum::<f32>()
    }

    /// The machine as bytes: features without weight are left out.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let weighty = self.weights.iter().enumerate().filter(|(_, weight)| **weight != 0.0);
        let weighty: Vec<(usize, f32)> = weighty.map(|(feature, weight)| (feature, *weight)).collect();
        postcard::to_stdvec(&(self.bias, self.weights.len(), weighty)).expect("numbers can be written")
    }

    /// What [`Svm::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, postcard::Error> {
        let (bias, dimensions, weighty): (f32, usize, Vec<(usize, f32)>) = postcard::from_bytes(bytes)?;
        if dimensions > super::DIMENSIONS_MAX {
            return Err(postcard::Error::DeserializeBadVarint);
        }
        let mut weights = vec![0.0; dimensions];
        for (feature, weight) in weighty {
            *weights.get_mut(feature).ok_or(postcard::Error::DeserializeBadVarint)? = weight;
        }
        Ok(Self { bias, weights })
    }
}

impl Classifier for Svm {
    /// The margin, squeezed between 0 and 1: above one half on the side of RDF. An
    /// order, and no probability.
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
    use crate::select::offline::examples;

    const HARD: Training = Training { cost: 1_000.0, rounds_max: 10_000, tolerance: 1e-4, seed: 0 };

    #[test]
    fn two_points_are_parted_in_their_middle() {
        let machine = Svm::train(2, &examples(&[(&[0], true), (&[1], false)]), HARD);

        // With the bias among the weights, w = (1, -1) and b = 0: the margins are 1.
        assert!((machine.margin(&[0]) - 1.0).abs() < 1e-3);
        assert!((machine.margin(&[1]) + 1.0).abs() < 1e-3);
        assert!(machine.margin(&[]).abs() < 1e-3);
        assert!(machine.score(&[0]) > 0.5 && machine.score(&[1]) < 0.5);
    }

    #[test]
    fn what_can_be_parted_by_a_plane_is_parted() {
        // RDF if at least two of the first three features are there.
        let truth: Vec<(Vec<u32>, bool)> = (0..16_u32)
            .map(|bits| {
                let features: Vec<u32> = (0..4).filter(|bit| bits >> bit & 1 == 1).collect();
                let label = features.iter().filter(|feature| **feature < 3).count() >= 2;
                (features, label)
            })
            .collect();
        let taught: Vec<(&[u32], bool)> = truth.iter().map(|(features, label)| (features.as_slice(), *label)).collect();

        let machine = Svm::train(4, &examples(&taught), HARD);

        for (features, label) in &truth {
            assert_eq!(machine.score(features) > 0.5, *label, "{features:?}");
            let margin = if *label { machine.margin(features) } else { -machine.margin(features) };
            assert!(margin > 0.99, "{features:?}: {margin}");
        }
        assert!(machine.weight(3).abs() < 0.05, "the fourth says nothing: {}", machine.weight(3));
    }

    #[test]
    fn the_same_examples_give_the_same_machine_and_bytes_bring_it_back() {
        let taught = examples(&[(&[0, 1], true), (&[0, 2], false), (&[1], true), (&[2], false), (&[1, 2], false)]);

        let machine = Svm::train(8, &taught, Training::default());

        assert_eq!(machine, Svm::train(8, &taught, Training::default()));
        assert_eq!(Svm::from_bytes(&machine.to_bytes()).unwrap(), machine);
        assert!(Svm::from_bytes(&[1, 2]).is_err());
    }

    #[test]
    fn nothing_taught_is_nothing_known() {
        assert!((Svm::train(2, &[], Training::default()).score(&[0, 7]) - 0.5).abs() < 1e-6);
    }
}
