//! FTRL-proximal: logistic regression that learns as it goes.
//!
//! `McMahan` et al., "Ad click prediction" (KDD 2013), Algorithm 1, which LDCOC
//! eq. 3 adapts. We keep its rates by coordinate, where LDCOC prints one for all
//! (Σσ = √t), and its λ2 (ALGORITHMS.md §1).

use serde::{Deserialize, Serialize};

use super::StrategyError;

/// The most bits a model may have: 3 GiB of memory.
pub const BITS_MAX: u8 = 28;

/// What FTRL-proximal is set to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Rates {
    /// The learning rate α.
    pub alpha: f32,
    /// Its smoothing β.
    pub beta: f32,
    /// L1 regularisation λ1.
    pub l1: f32,
    /// L2 regularisation λ2.
    pub l2: f32,
}

impl Default for Rates {
    fn default() -> Self {
        Self { alpha: 0.5, beta: 1.0, l1: 0.1, l2: 0.1 }
    }
}

/// A model: two numbers for each coordinate, z and n.
#[derive(Clone, Debug, PartialEq)]
pub struct Ftrl {
    rates: Rates,
    coordinates: Vec<Coordinate>,
    /// The weights that follow from the coordinates: asked for much more often
    /// than they change.
    weights: Vec<f32>,
}

/// The state of one coordinate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Coordinate {
    /// The sum of gradients, less what the weights have moved.
    pub z: f32,
    /// The sum of squared gradients.
    pub n: f32,
}

impl Rates {
    /// The weight that follows from a coordinate's state.
    #[must_use]
    pub fn weight(&self, Coordinate { z, n }: Coordinate) -> f32 {
        if z.abs() <= self.l1 {
            return 0.0;
        }
        -(z - z.signum() * self.l1) / ((self.beta + n.sqrt()) / self.alpha + self.l2)
    }

    /// Moves a coordinate along a gradient. Returns its new weight.
    pub fn step(&self, coordinate: &mut Coordinate, gradient: f32) -> f32 {
        let weight = self.weight(*coordinate);
        let squared = gradient * gradient;
        let sigma = ((coordinate.n + squared).sqrt() - coordinate.n.sqrt()) / self.alpha;
        coordinate.z += gradient - sigma * weight;
        coordinate.n += squared;
        self.weight(*coordinate)
    }
}

impl Ftrl {
    /// An ignorant model with 2 to the power of `bits` coordinates.
    #[must_use]
    pub fn new(bits: u8, rates: Rates) -> Self {
        let size = 1 << bits.min(BITS_MAX);
        Self { rates, coordinates: vec![Coordinate::default(); size], weights: vec![0.0; size] }
    }

    /// What it is set to.
    #[must_use]
    pub fn rates(&self) -> Rates {
        self.rates
    }

    /// Learns by other rates from now on, which also changes what weights follow
    /// from what was learned.
    pub fn set_rates(&mut self, rates: Rates) {
        self.rates = rates;
        for (weight, state) in self.weights.iter_mut().zip(&self.coordinates) {
            *weight = rates.weight(*state);
        }
    }

    /// How many bits the number of a coordinate has.
    #[must_use]
    pub fn bits(&self) -> u8 {
        u8::try_from(self.coordinates.len().ilog2()).unwrap_or(BITS_MAX)
    }

    /// The states of all coordinates.
    #[must_use]
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// Sets the state of a coordinate.
    pub fn set(&mut self, index: u32, state: Coordinate) {
        let index = self.fold(index);
        self.coordinates[index] = state;
        self.weights[index] = self.rates.weight(state);
    }

    /// The weight of a coordinate. Of a number with more bits than the model
    /// has, the lowest count: so candidates that were queued under another
    /// setting are still judged.
    #[must_use]
    pub fn weight(&self, index: u32) -> f32 {
        self.weights[self.fold(index)]
    }

    fn fold(&self, index: u32) -> usize {
        index as usize & (self.coordinates.len() - 1)
    }

    /// The log-odds of what has these binary features.
    #[must_use]
    pub fn logit(&self, features: &[u32]) -> f32 {
        features.iter().map(|&index| self.weight(index)).sum()
    }

    /// The probability of what has these binary features.
    #[must_use]
    pub fn predict(&self, features: &[u32]) -> f32 {
        sigmoid(self.logit(features))
    }

    /// Learns that what has these features, and was predicted as `predicted`,
    /// turned out as `label`, between 0 and 1.
    pub fn learn(&mut self, features: &[u32], predicted: f32, label: f32, weight: f32) {
        let gradient = weight * (predicted - label);
        for &index in features {
            self.step(index, gradient);
        }
    }

    /// Moves one coordinate along a gradient.
    pub fn step(&mut self, index: u32, gradient: f32) {
        let index = self.fold(index);
        self.weights[index] = self.rates.step(&mut self.coordinates[index], gradient);
    }
}

/// Log-odds as a probability.
#[must_use]
pub fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit.clamp(-35.0, 35.0)).exp())
}

/// The coordinates of a model that have learned something: how it is kept.
///
/// Models are sums: z and n add up gradients and their squares. The sum of two
/// models is therefore what one learner would have that was given the gradients
/// of both, each taken at the weights of whoever met the example. That is how
/// learners that work apart are united (asynchronous gradients), not the same as
/// having seen all examples in one row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sparse {
    /// A coordinate's number has this many bits.
    pub bits: u8,
    /// What the model was set to.
    pub rates: Rates,
    /// How far each coordinate is from the one before, and its state.
    steps: Vec<(u32, f32, f32)>,
}

impl Sparse {
    /// What a model has learned.
    #[must_use]
    pub fn of(model: &Ftrl) -> Self {
        let learned = |(index, state): (u32, &Coordinate)| (*state != Coordinate::default()).then_some((index, *state));
        Self::from_states(model.bits(), model.rates, (0..).zip(&model.coordinates).filter_map(learned))
    }

    fn from_states(bits: u8, rates: Rates, states: impl Iterator<Item = (u32, Coordinate)>) -> Self {
        let mut last = 0;
        let step = |(index, Coordinate { z, n }): (u32, Coordinate)| {
            let step = index - last;
            last = index;
            (step, z, n)
        };
        Self { bits, rates, steps: states.map(step).collect() }
    }

    /// How many coordinates have learned something.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether nothing was learned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The coordinates in the order of their numbers.
    pub fn states(&self) -> impl Iterator<Item = (u32, Coordinate)> {
        let mut index = 0_u32;
        self.steps.iter().map(move |&(step, z, n)| {
            index = index.wrapping_add(step);
            (index, Coordinate { z, n })
        })
    }

    /// The coordinates that weigh something, with their weights.
    pub fn weights(&self) -> impl Iterator<Item = (u32, f32)> {
        self.states().map(|(index, state)| (index, self.rates.weight(state))).filter(|(_, weight)| *weight != 0.0)
    }

    /// The whole model. What a damaged one could contain is an error.
    pub fn to_model(&self) -> Result<Ftrl, StrategyError> {
        self.check()?;
        let mut model = Ftrl::new(self.bits, self.rates);
        for (index, state) in self.states() {
            model.set(index, state);
        }
        Ok(model)
    }

    fn check(&self) -> Result<(), StrategyError> {
        let Rates { alpha, beta, l1, l2 } = self.rates;
        let has_rates = [alpha, beta, l1, l2].iter().all(|rate| rate.is_finite() && *rate >= 0.0) && alpha > 0.0;
        let is_bounded = (1..=BITS_MAX).contains(&self.bits)
            && self.steps.iter().map(|step| u64::from(step.0)).sum::<u64>() < 1 << self.bits;
        let is_sound = self.steps.iter().all(|(_, z, n)| z.is_finite() && n.is_finite() && *n >= 0.0);
        let is_ordered = self.steps.iter().skip(1).all(|(step, ..)| *step > 0);
        if has_rates && is_bounded && is_sound && is_ordered {
            Ok(())
        } else {
            Err(StrategyError::Model("the model holds numbers that no learning leads to".to_owned()))
        }
    }

    /// This model and `factor` times another: 1 adds what the other has learned,
    /// −1 takes it away. Coordinates that this leaves without a gradient are as
    /// if they had never learned.
    pub fn plus(&self, factor: f32, other: &Self) -> Result<Self, StrategyError> {
        if self.bits != other.bits {
            let message = format!(
                "models of 2^{} and of 2^{} coordinates cannot be added: make them with the same [select] bits",
                self.bits, other.bits
            );
            return Err(StrategyError::Model(message));
        }
        if self.rates != other.rates {
            let message = "models that were learned with different rates cannot be added: use the same α, β, λ1, λ2";
            return Err(StrategyError::Model(message.to_owned()));
        }
        self.check()?;
        other.check()?;
        let (mut ours, mut theirs) = (self.states().peekable(), other.states().peekable());
        let merged = std::iter::from_fn(|| {
            let index = match (ours.peek(), theirs.peek()) {
                (Some(ours), Some(theirs)) => ours.0.min(theirs.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => return None,
            };
            let mine = ours.next_if(|one| one.0 == index).map_or(Coordinate::default(), |one| one.1);
            let other = theirs.next_if(|one| one.0 == index).map_or(Coordinate::default(), |one| one.1);
            let sum = Coordinate { z: mine.z + factor * other.z, n: (mine.n + factor * other.n).max(0.0) };
            Some((index, sum))
        });
        let learned = merged.filter(|(_, state)| state.n > 0.0);
        Ok(Self::from_states(self.bits, self.rates, learned))
    }
}

#[cfg(test)]
#[path = "ftrl_tests.rs"]
mod tests;
