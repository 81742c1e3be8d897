//! Clusters of entities.
//!
//! Entities of one type are clustered with each other. [`ClusterAlgorithm::Communities`] is the
//! default: communities of the graph of nearest neighbours. X-means and spectral clustering are the
//! algorithms of DURAARK D3.6 §3.1; both need dense points, so larger types are clustered by a
//! sample, and the other entities join the cluster with the nearest centre.
//!
//! New entities join existing clusters ([`Clustering::extend`]) without a new clustering.

mod eigen;
mod extend;
mod kmeans;
mod leiden;
mod nearest;
mod network;
mod points;
mod spectral;
mod xmeans;

pub use nearest::{ClusterNeighbourOptions, ClusterNeighbours};
pub use spectral::LaplacianKind;

use crate::vectors::{EntityVectors, NeighbourGraph, NeighbourOptions};
use network::Network;
use points::{Points, squared_distance};

/// How entities are clustered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClusterAlgorithm {
    /// Communities of the graph of nearest neighbours (Leiden).
    #[default]
    Communities,
    /// X-means.
    XMeans,
    /// Spectral clustering.
    Spectral(LaplacianKind),
    /// k-means with a number of clusters that is known: a baseline.
    KMeans(usize),
}

/// Options of clusters.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// How entities are clustered.
    pub algorithm: ClusterAlgorithm,
    /// Resolution γ of communities; higher values give smaller ones.
    pub resolution: f64,
    /// The graph of nearest neighbours.
    pub neighbours: NeighbourOptions,
    /// Minimum number of clusters of a type, for X-means and spectral clustering.
    pub k_min: usize,
    /// Maximum number of clusters of a type, for X-means and spectral clustering.
    pub k_max: usize,
    /// Dimensions to which vectors are projected, for all algorithms except communities.
    pub dimensions: usize,
    /// Maximum number of entities of a type that spectral clustering compares; X-means takes ten times
    /// as many.
    pub max_sample: usize,
    /// Seed of random numbers.
    pub seed: u64,
}

impl Default for ClusterOptions {
    fn default() -> Self {
        Self {
            algorithm: ClusterAlgorithm::default(),
            resolution: 0.3,
            neighbours: NeighbourOptions::default(),
            k_min: 2,
            k_max: 50,
            dimensions: 50,
            max_sample: 2_000,
            seed: 0,
        }
    }
}

/// The cluster of each entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clustering {
    /// Number of the cluster of each entity, in the order of the vectors.
    pub clusters: Vec<u32>,
    /// Number of clusters.
    pub count: usize,
}

impl Clustering {
    /// Clusters entities.
    #[must_use]
    pub fn new(vectors: &EntityVectors, options: &ClusterOptions) -> Self {
        let mut clusters = match options.algorithm {
            ClusterAlgorithm::Communities => {
                // The graph is dropped before the search: at a million entities it has 100 MB.
                let network = Network::new(&NeighbourGraph::new(vectors, &options.neighbours));
                leiden::communities(&network, options.resolution, options.seed)
            }
            _ => by_points(vectors, options),
        };
        let count = renumber(&mut clusters);
        Self { clusters, count }
    }
}

/// Clusters the points of each type.
fn by_points(vectors: &EntityVectors, options: &ClusterOptions) -> Vec<u32> {
    let mut clusters = vec![0; vectors.len()];
    let mut base = 0;
    for group in vectors.groups() {
        let points = Points::project(vectors, &group, options.dimensions, options.seed);
        let found = cluster_points(&points, options);
        for (member, cluster) in group.iter().zip(&found) {
            clusters[*member as usize] = base + cluster;
        }
        base += found.iter().max().map_or(0, |last| last + 1);
    }
    clusters
}

fn cluster_points(points: &Points, options: &ClusterOptions) -> Vec<u32> {
    if points.len() <= options.k_min {
        return vec![0; points.len()];
    }
    let (max, spectral) = match options.algorithm {
        ClusterAlgorithm::Spectral(kind) => (options.max_sample, Some(kind)),
        _ => (options.max_sample * 10, None),
    };
    // Every n-th point: the order of entities says nothing about their clusters.
    let step = points.len().div_ceil(max);
    let sampled: Vec<usize> = (0..points.len()).step_by(step).collect();
    let sample = points.select(&sampled);
    let found = match (options.algorithm, spectral) {
        (_, Some(kind)) => spectral::spectral(&sample, options.k_min, options.k_max, kind, options.seed),
        (ClusterAlgorithm::KMeans(k), _) => kmeans::k_means(&sample, k, 4, options.seed).assigned,
        _ => xmeans::x_means(&sample, options.k_min, options.k_max, options.seed).assigned,
    };
    if step == 1 {
        return found;
    }
    let nearest = |at: usize| {
        let distances = (0..sample.len()).map(|other| squared_distance(points.point(at), sample.point(other)));
        let (place, _) = distances.enumerate().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        found[place]
    };
    (0..points.len()).map(nearest).collect()
}

/// Numbers clusters from 0 in the order of their first entity; returns their number.
fn renumber(clusters: &mut [u32]) -> usize {
    let end = clusters.iter().max().map_or(0, |last| *last as usize + 1);
    let mut numbers = vec![u32::MAX; end];
    let mut next = 0;
    for cluster in clusters {
        let number = &mut numbers[*cluster as usize];
        if *number == u32::MAX {
            *number = next;
            next += 1;
        }
        *cluster = *number;
    }
    next as usize
}

#[cfg(test)]
mod tests;
