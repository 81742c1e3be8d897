//! Points of a dense space, and their projection from sparse vectors.
//!
//! The projection is a truncated singular value decomposition by random sampling (N. Halko, P.-G.
//! Martinsson, J. Tropp, *Finding structure with randomness*, 2011), so that Euclidean distances in
//! few dimensions are close to those of the vectors.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::eigen::symmetric_eigen;
use crate::vectors::EntityVectors;

/// Sampled dimensions beyond the wanted ones.
const OVERSAMPLING: usize = 10;

/// Number of power iterations.
const POWER_ITERATIONS: usize = 4;

/// Points, row by row.
#[derive(Clone, Debug, Default)]
pub(super) struct Points {
    pub(super) dimensions: usize,
    pub(super) values: Vec<f64>,
}

impl Points {
    pub(super) fn zero(count: usize, dimensions: usize) -> Self {
        Self { dimensions, values: vec![0.0; count * dimensions] }
    }

    pub(super) fn len(&self) -> usize {
        self.values.len().checked_div(self.dimensions).unwrap_or(0)
    }

    pub(super) fn point(&self, at: usize) -> &[f64] {
        &self.values[at * self.dimensions..(at + 1) * self.dimensions]
    }

    pub(super) fn point_mut(&mut self, at: usize) -> &mut [f64] {
        &mut self.values[at * self.dimensions..(at + 1) * self.dimensions]
    }

    /// Some of the points.
    pub(super) fn select(&self, places: &[usize]) -> Self {
        let values = places.iter().flat_map(|place| self.point(*place)).copied().collect();
        Self { dimensions: self.dimensions, values }
    }

    /// Projects the vectors of some entities.
    pub(super) fn project(vectors: &EntityVectors, members: &[u32], dimensions: usize, seed: u64) -> Self {
        let width = (dimensions + OVERSAMPLING).min(members.len()).max(1);
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut features = Self::zero(vectors.dimensions(), width);
        // Uniform numbers serve as well as normal ones.
        features.values.iter_mut().for_each(|value| *value = rng.random::<f64>() - 0.5);
        let mut rows = Self::zero(0, width);
        for iteration in 0..=POWER_ITERATIONS {
            rows = times(vectors, members, &features);
            rows.orthonormalise();
            features = transposed_times(vectors, members, &rows);
            if iteration < POWER_ITERATIONS {
                features.orthonormalise();
            }
        }
        rows.rotate(&features, dimensions)
    }

    /// Makes the columns orthonormal (modified Gram–Schmidt); columns that depend on others become 0.
    fn orthonormalise(&mut self) {
        for column in 0..self.dimensions {
            for before in 0..column {
                let product: f64 = self.rows().map(|row| row[column] * row[before]).sum();
                self.rows_mut().for_each(|row| row[column] -= product * row[before]);
            }
            let length = self.rows().map(|row| row[column] * row[column]).sum::<f64>().sqrt();
            let scale = if length > 1e-9 { 1.0 / length } else { 0.0 };
            self.rows_mut().for_each(|row| row[column] *= scale);
        }
    }

    fn rows(&self) -> std::slice::ChunksExact<'_, f64> {
        self.values.chunks_exact(self.dimensions)
    }

    fn rows_mut(&mut self) -> std::slice::ChunksExactMut<'_, f64> {
        self.values.chunks_exact_mut(self.dimensions)
    }

    /// Rotates an orthonormal basis to the singular vectors, scaled by the singular values. `features`
    /// is the product of the transposed vectors with the basis.
    fn rotate(&self, features: &Self, dimensions: usize) -> Self {
        let width = self.dimensions;
        let mut gram = vec![0.0; width * width];
        for row in features.rows() {
            for (a, left) in row.iter().enumerate().filter(|(_, left)| **left != 0.0) {
                row.iter().enumerate().for_each(|(b, right)| gram[a * width + b] += left * right);
            }
        }
        let (values, directions) = symmetric_eigen(&gram, width);
        let kept = dimensions.min(width);
        let mut rotated = Self::zero(self.len(), kept);
        for at in 0..self.len() {
            for dimension in 0..kept {
                // The greatest values are last.
                let direction = &directions[width - 1 - dimension];
                let scale = values[width - 1 - dimension].max(0.0).sqrt();
                let product: f64 = self.point(at).iter().zip(direction).map(|(a, b)| a * b).sum();
                rotated.point_mut(at)[dimension] = product * scale;
            }
        }
        rotated
    }
}

/// Product of the vectors of some entities with a matrix.
fn times(vectors: &EntityVectors, members: &[u32], matrix: &Points) -> Points {
    let mut product = Points::zero(members.len(), matrix.dimensions);
    for (at, member) in members.iter().enumerate() {
        let row = product.point_mut(at);
        for (feature, weight) in vectors.row(*member as usize) {
            let factors = matrix.point(feature as usize);
            row.iter_mut().zip(factors).for_each(|(value, factor)| *value += f64::from(weight) * factor);
        }
    }
    product
}

/// Product of the transposed vectors of some entities with a matrix.
fn transposed_times(vectors: &EntityVectors, members: &[u32], matrix: &Points) -> Points {
    let mut product = Points::zero(vectors.dimensions(), matrix.dimensions);
    for (at, member) in members.iter().enumerate() {
        for (feature, weight) in vectors.row(*member as usize) {
            let row = product.point_mut(feature as usize);
            row.iter_mut().zip(matrix.point(at)).for_each(|(value, factor)| *value += f64::from(weight) * factor);
        }
    }
    product
}

/// Square of the Euclidean distance.
pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(left, right)| (left - right) * (left - right)).sum()
}
