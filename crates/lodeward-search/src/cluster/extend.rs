//! Assignment of new entities to existing clusters.

use foldhash::{HashMap, HashMapExt};

use super::{ClusterOptions, Clustering, leiden, renumber};
use crate::cluster::network::Network;
use crate::vectors::{EntityVectors, NeighbourGraph};

/// Rounds in which new entities join the clusters of their neighbours: a new entity may be near only
/// other new ones.
const ROUNDS: usize = 3;

impl Clustering {
    /// Adds new entities to known clusters: each joins the cluster that most of its nearest
    /// neighbours are in, weighted by similarity. New entities that are near no known one form
    /// clusters of their own. Known entities keep their cluster.
    #[must_use]
    pub fn extend(vectors: &EntityVectors, known: &[Option<u32>], options: &ClusterOptions) -> Self {
        let graph = NeighbourGraph::of_some(vectors, &options.neighbours, |number| known[number as usize].is_none());
        let mut clusters = known.to_vec();
        let mut near: Vec<Vec<(u32, f32)>> = vec![Vec::new(); vectors.len()];
        for edge in &graph.edges {
            near[edge.from as usize].push((edge.to, edge.weight));
            near[edge.to as usize].push((edge.from, edge.weight));
        }
        for _ in 0..ROUNDS {
            let votes = clusters.clone();
            for (number, cluster) in clusters.iter_mut().enumerate().filter(|(_, cluster)| cluster.is_none()) {
                *cluster = elect(&near[number], &votes);
            }
        }
        Self::with_remaining(&graph, clusters, options)
    }

    /// Clusters the entities that have no cluster yet.
    fn with_remaining(graph: &NeighbourGraph, clusters: Vec<Option<u32>>, options: &ClusterOptions) -> Self {
        let mut remaining = graph.clone();
        let is_open = |number: u32| clusters[number as usize].is_none();
        remaining.edges.retain(|edge| is_open(edge.from) && is_open(edge.to));
        let mut found = leiden::communities(&Network::new(&remaining), options.resolution, options.seed);
        renumber(&mut found);
        let mut next = clusters.iter().flatten().max().map_or(0, |last| last + 1);
        let mut numbers: HashMap<u32, u32> = HashMap::new();
        let number = |(cluster, own): (Option<u32>, u32)| {
            cluster.unwrap_or_else(|| {
                *numbers.entry(own).or_insert_with(|| {
                    next += 1;
                    next - 1
                })
            })
        };
        let clusters: Vec<u32> = clusters.into_iter().zip(found).map(number).collect();
        Self { clusters, count: next as usize }
    }
}

/// Returns the cluster with the greatest sum of similarities; of equal ones, the smallest number.
fn elect(near: &[(u32, f32)], clusters: &[Option<u32>]) -> Option<u32> {
    let mut sums: HashMap<u32, f32> = HashMap::new();
    for (other, weight) in near {
        if let Some(cluster) = clusters[*other as usize] {
            *sums.entry(cluster).or_default() += weight;
        }
    }
    sums.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(cluster, _)| cluster)
}
