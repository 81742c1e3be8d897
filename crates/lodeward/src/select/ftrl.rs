//! FTRL-proximal: online logistic regression.
//!
//! `McMahan` et al., "Ad click prediction" (KDD 2013), Algorithm 1, which LDCOC eq. 3 adapts. This
//! implementation keeps the learning rate per coordinate, where LDCOC prints one for all (Σσ = √t),
//! and λ2 (docs/algorithms.md §1).

use serde::{Deserialize, Serialize};

use super::StrategyError;

/// Maximum number of bits of a model, which then uses 3 GiB of memory.
pub(crate) const MAX_BITS: u8 = 28;

/// Parameters of FTRL-proximal.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FtrlOptions {
    /// The learning rate α.
    pub alpha: f32,
    /// The smoothing β of the learning rate.
    pub beta: f32,
    /// L1 regularisation λ1.
    pub l1: f32,
    /// L2 regularisation λ2.
    pub l2: f32,
}

impl Default for FtrlOptions {
    fn default() -> Self {
        Self { alpha: 0.5, beta: 1.0, l1: 0.1, l2: 0.1 }
    }
}

/// A model: two numbers, z and n, for each coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ftrl {
    rates: FtrlOptions,
    coordinates: Vec<FtrlCoordinate>,
    /// Weights computed from the coordinates, cached because they are read much more often than
    /// changed.
    weights: Vec<f32>,
}

/// The state of one coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct FtrlCoordinate {
    /// Sum of gradients, minus the movement of the weights.
    pub z: f32,
    /// Sum of squared gradients.
    pub n: f32,
}

impl FtrlOptions {
    /// The weight of a coordinate in this state.
    #[must_use]
    pub(crate) fn weight(&self, FtrlCoordinate { z, n }: FtrlCoordinate) -> f32 {
        if z.abs() <= self.l1 {
            return 0.0;
        }
        -(z - z.signum() * self.l1) / ((self.beta + n.sqrt()) / self.alpha + self.l2)
    }

    /// Moves a coordinate along a gradient. Returns its new weight.
    pub(crate) fn step(&self, coordinate: &mut FtrlCoordinate, gradient: f32) -> f32 {
        let weight = self.weight(*coordinate);
        let squared = gradient * gradient;
        let sigma = ((coordinate.n + squared).sqrt() - coordinate.n.sqrt()) / self.alpha;
        coordinate.z += gradient - sigma * weight;
        coordinate.n += squared;
        self.weight(*coordinate)
    }
}

impl Ftrl {
    /// Creates an untrained model with 2 to the power of `bits` coordinates.
    #[must_use]
    pub(crate) fn new(bits: u8, rates: FtrlOptions) -> Self {
        let size = 1 << bits.min(MAX_BITS);
        Self { rates, coordinates: vec![FtrlCoordinate::default(); size], weights: vec![0.0; size] }
    }

    /// The parameters.
    #[must_use]
    pub(crate) fn options(&self) -> FtrlOptions {
        self.rates
    }

    /// Changes the parameters, and recomputes the weights.
    pub(crate) fn set_options(&mut self, rates: FtrlOptions) {
        self.rates = rates;
        for (weight, state) in self.weights.iter_mut().zip(&self.coordinates) {
            *weight = rates.weight(*state);
        }
    }

    /// Number of bits of a coordinate's index.
    #[must_use]
    pub(crate) fn bits(&self) -> u8 {
        u8::try_from(self.coordinates.len().ilog2()).unwrap_or(MAX_BITS)
    }

    /// The states of all coordinates.
    #[must_use]
    pub(crate) fn coordinates(&self) -> &[FtrlCoordinate] {
        &self.coordinates
    }

    /// Sets the state of a coordinate.
    pub(crate) fn set(&mut self, index: u32, state: FtrlCoordinate) {
        let index = self.coordinate_index(index);
        self.coordinates[index] = state;
        self.weights[index] = self.rates.weight(state);
    }

    /// Returns the weight of a coordinate. Higher bits of the index are ignored, so that candidates
    /// queued with another number of bits can still be judged.
    #[must_use]
    pub(crate) fn weight(&self, index: u32) -> f32 {
        self.weights[self.coordinate_index(index)]
    }

    fn coordinate_index(&self, index: u32) -> usize {
        index as usize & (self.coordinates.len() - 1)
    }

    /// Log odds of an example with these binary features.
    #[must_use]
    pub(crate) fn logit(&self, features: &[u32]) -> f32 {
        features.iter().map(|&index| self.weight(index)).sum()
    }

    /// Probability of an example with these binary features.
    #[must_use]
    pub(crate) fn predict(&self, features: &[u32]) -> f32 {
        sigmoid(self.logit(features))
    }

    /// Learns from an example with these features, the prediction `predicted`, and a label between
    /// 0 and 1.
    pub(crate) fn learn(&mut self, features: &[u32], predicted: f32, label: f32, weight: f32) {
        let gradient = weight * (predicted - label);
        for &index in features {
            self.step(index, gradient);
        }
    }

    /// Moves one coordinate along a gradient.
    pub(crate) fn step(&mut self, index: u32, gradient: f32) {
        let index = self.coordinate_index(index);
        self.weights[index] = self.rates.step(&mut self.coordinates[index], gradient);
    }
}

/// Converts log odds to a probability.
#[must_use]
pub(crate) fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit.clamp(-35.0, 35.0)).exp())
}

/// The trained coordinates of a model: the stored form.
///
/// Models can be added: z and n are sums of gradients and of their squares. The sum of two models
/// is therefore the model of one learner that received the gradients of both, each computed with
/// the weights of the learner that saw the example. Separate learners are merged in this way
/// (asynchronous gradients); the result differs from training on all examples in sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SparseFtrl {
    /// Number of bits of a coordinate's index.
    pub bits: u8,
    /// Parameters of the model.
    pub rates: FtrlOptions,
    /// For each trained coordinate: its index minus the previous index, then z and n.
    steps: Vec<(u32, f32, f32)>,
}

impl SparseFtrl {
    /// Extracts the trained coordinates of a model.
    #[must_use]
    pub(crate) fn from_model(model: &Ftrl) -> Self {
        let learned =
            |(index, state): (u32, &FtrlCoordinate)| (*state != FtrlCoordinate::default()).then_some((index, *state));
        Self::from_states(model.bits(), model.rates, (0..).zip(&model.coordinates).filter_map(learned))
    }

    fn from_states(bits: u8, rates: FtrlOptions, states: impl Iterator<Item = (u32, FtrlCoordinate)>) -> Self {
        let mut last = 0;
        let step = |(index, FtrlCoordinate { z, n }): (u32, FtrlCoordinate)| {
            let step = index - last;
            last = index;
            (step, z, n)
        };
        Self { bits, rates, steps: states.map(step).collect() }
    }

    /// Number of trained coordinates.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// The coordinates in the order of their indices.
    pub(crate) fn states(&self) -> impl Iterator<Item = (u32, FtrlCoordinate)> {
        let mut index = 0_u32;
        self.steps.iter().map(move |&(step, z, n)| {
            index = index.wrapping_add(step);
            (index, FtrlCoordinate { z, n })
        })
    }

    /// The coordinates with a non-zero weight, with their weights.
    pub(crate) fn weights(&self) -> impl Iterator<Item = (u32, f32)> {
        self.states().map(|(index, state)| (index, self.rates.weight(state))).filter(|(_, weight)| *weight != 0.0)
    }

    /// Restores the model. Returns an error if the stored numbers are invalid.
    pub(crate) fn to_model(&self) -> Result<Ftrl, StrategyError> {
        self.check()?;
        let mut model = Ftrl::new(self.bits, self.rates);
        for (index, state) in self.states() {
            model.set(index, state);
        }
        Ok(model)
    }

    fn check(&self) -> Result<(), StrategyError> {
        let FtrlOptions { alpha, beta, l1, l2 } = self.rates;
        let has_rates = [alpha, beta, l1, l2].iter().all(|rate| rate.is_finite() && *rate >= 0.0) && alpha > 0.0;
        let is_bounded = (1..=MAX_BITS).contains(&self.bits)
            && self.steps.iter().map(|step| u64::from(step.0)).sum::<u64>() < 1 << self.bits;
        let is_sound = self.steps.iter().all(|(_, z, n)| z.is_finite() && n.is_finite() && *n >= 0.0);
        let is_ordered = self.steps.iter().skip(1).all(|(step, ..)| *step > 0);
        if has_rates && is_bounded && is_sound && is_ordered {
            Ok(())
        } else {
            Err(StrategyError::Model("the model contains invalid numbers".to_owned()))
        }
    }

    /// This model plus `factor` times another: 1 adds the other, −1 subtracts it. Coordinates left
    /// without a gradient become untrained.
    pub(crate) fn add_scaled(&self, factor: f32, other: &Self) -> Result<Self, StrategyError> {
        if self.bits != other.bits {
            let message = format!(
                "cannot merge models of 2^{} and 2^{} coordinates: the sizes must be equal",
                self.bits, other.bits
            );
            return Err(StrategyError::Model(message));
        }
        if self.rates != other.rates {
            let message = "cannot merge models with different parameters: α, β, λ1 and λ2 must be equal";
            return Err(StrategyError::Model(message.to_owned()));
        }
        self.check()?;
        other.check()?;
        let (mut left, mut right) = (self.states().peekable(), other.states().peekable());
        let merged = std::iter::from_fn(|| {
            let index = match (left.peek(), right.peek()) {
                (Some(left), Some(right)) => left.0.min(right.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => return None,
            };
            let own = left.next_if(|one| one.0 == index).map_or(FtrlCoordinate::default(), |one| one.1);
            let other = right.next_if(|one| one.0 == index).map_or(FtrlCoordinate::default(), |one| one.1);
            let sum = FtrlCoordinate { z: own.z + factor * other.z, n: (own.n + factor * other.n).max(0.0) };
            Some((index, sum))
        });
        let learned = merged.filter(|(_, state)| state.n > 0.0);
        Ok(Self::from_states(self.bits, self.rates, learned))
    }
}

#[cfg(test)]
#[path = "ftrl_tests.rs"]
mod tests;
