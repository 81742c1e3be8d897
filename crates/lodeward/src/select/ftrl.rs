//! FTRL-proximal: logistic regression that learns as it goes.
//!
//! `McMahan` et al., "Ad click prediction" (KDD 2013), Algorithm 1, which LDCOC
//! eq. 3 adapts. We keep its rates by coordinate, where LDCOC prints one for all
//! (Σσ = √t), and its λ2 (ALGORITHMS.md §1).

/// What FTRL-proximal is set to.
#[derive(Clone, Copy, Debug, PartialEq)]
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
    /// What it is set to.
    pub rates: Rates,
    coordinates: Vec<Coordinate>,
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

    /// Moves a coordinate along a gradient.
    pub fn step(&self, coordinate: &mut Coordinate, gradient: f32) {
        let weight = self.weight(*coordinate);
        let squared = gradient * gradient;
        let sigma = ((coordinate.n + squared).sqrt() - coordinate.n.sqrt()) / self.alpha;
        coordinate.z += gradient - sigma * weight;
        coordinate.n += squared;
    }
}

impl Ftrl {
    /// An ignorant model with 2 to the power of `bits` coordinates.
    #[must_use]
    pub fn new(bits: u8, rates: Rates) -> Self {
        Self { rates, coordinates: vec![Coordinate::default(); 1 << bits] }
    }

    /// The states of all coordinates.
    #[must_use]
    pub fn coordinates(&self) -> &[Coordinate] {
        &self.coordinates
    }

    /// The states of all coordinates, to be changed.
    pub fn coordinates_mut(&mut self) -> &mut [Coordinate] {
        &mut self.coordinates
    }

    /// The weight of a coordinate.
    #[must_use]
    pub fn weight(&self, index: u32) -> f32 {
        self.rates.weight(self.coordinates[index as usize])
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
        self.rates.step(&mut self.coordinates[index as usize], gradient);
    }
}

/// Log-odds as a probability.
#[must_use]
pub fn sigmoid(logit: f32) -> f32 {
    1.0 / (1.0 + (-logit.clamp(-35.0, 35.0)).exp())
}
