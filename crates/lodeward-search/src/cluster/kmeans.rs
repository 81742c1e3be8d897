//! k-means: Lloyd's algorithm with the start of k-means++.

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::points::{Points, squared_distance};
use crate::numbers::real;

const MAX_ITERATIONS: usize = 100;

/// Clusters of points and their centres.
#[derive(Clone, Debug)]
pub(super) struct CentredClusters {
    pub(super) centres: Points,
    pub(super) assigned: Vec<u32>,
    /// Sum of the squared distances of the points from their centres.
    pub(super) distortion: f64,
}

/// Returns the best of several runs.
pub(super) fn k_means(points: &Points, k: usize, runs: u64, seed: u64) -> CentredClusters {
    let run = |run: u64| {
        let mut rng = SmallRng::seed_from_u64(seed.wrapping_add(run));
        improve(points, start(points, k, &mut rng))
    };
    let mut best = run(0);
    for other in (1..runs).map(run) {
        if other.distortion < best.distortion {
            best = other;
        }
    }
    best
}

/// Draws centres, each with a probability proportional to its squared distance from the others.
fn start(points: &Points, k: usize, rng: &mut SmallRng) -> Points {
    let mut centres = Points { dimensions: points.dimensions, values: Vec::new() };
    let mut chosen = rng.random_range(0..points.len());
    let mut distances = vec![f64::INFINITY; points.len()];
    for _ in 0..k.min(points.len()) {
        centres.values.extend_from_slice(points.point(chosen));
        for (at, distance) in distances.iter_mut().enumerate() {
            *distance = distance.min(squared_distance(points.point(at), points.point(chosen)));
        }
        let mut left = rng.random::<f64>() * distances.iter().sum::<f64>();
        let next = distances.iter().position(|distance| {
            left -= distance;
            left < 0.0
        });
        chosen = next.unwrap_or_else(|| rng.random_range(0..points.len()));
    }
    centres
}

/// Moves centres until no point changes its cluster.
pub(super) fn improve(points: &Points, mut centres: Points) -> CentredClusters {
    let (mut assigned, mut distortion) = assign(points, &centres);
    for _ in 0..MAX_ITERATIONS {
        let mut sums = Points::zero(centres.len(), centres.dimensions);
        let mut counts = vec![0_usize; centres.len()];
        for (at, cluster) in assigned.iter().enumerate() {
            counts[*cluster as usize] += 1;
            let sum = sums.point_mut(*cluster as usize);
            sum.iter_mut().zip(points.point(at)).for_each(|(sum, value)| *sum += value);
        }
        for (cluster, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let sum = sums.point(cluster).to_vec();
            let centre = centres.point_mut(cluster);
            centre.iter_mut().zip(sum).for_each(|(value, sum)| *value = sum / real(*count));
        }
        let (next, next_distortion) = assign(points, &centres);
        distortion = next_distortion;
        if next == assigned {
            break;
        }
        assigned = next;
    }
    CentredClusters { centres, assigned, distortion }
}

/// Assigns each point to its nearest centre; returns the sum of squared distances, too.
pub(super) fn assign(points: &Points, centres: &Points) -> (Vec<u32>, f64) {
    let mut distortion = 0.0;
    let nearest = |at: usize| {
        let distances = (0_u32..).zip((0..centres.len()).map(|c| squared_distance(points.point(at), centres.point(c))));
        let (cluster, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        distortion += distance;
        cluster
    };
    let assigned = (0..points.len()).map(nearest).collect();
    (assigned, distortion)
}
