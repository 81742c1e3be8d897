//! Coherence and centrality of seeds in a graph.

use std::collections::HashMap;

use super::coherence::{Coherence, coherence};
use super::katz::katz;
use crate::rank::graph::{EntityGraph, EntityId};
use crate::rank::options::RankingOptions;

/// Coherence and centrality of a list of seeds in one graph.
///
/// If the graph does not change, the measures of a list can be reused.
#[derive(Clone, Debug, PartialEq)]
pub struct SeedMeasures {
    /// The list of seeds.
    seeds: Vec<String>,
    katz: HashMap<String, f64>,
    /// Coherence of the seeds that are in the graph.
    pub coherence: Coherence,
}

impl SeedMeasures {
    /// Measures seeds in a graph.
    #[must_use]
    pub fn new(graph: &EntityGraph<'_>, seeds: &[impl AsRef<str>], options: &RankingOptions) -> Self {
        let mut known: Vec<EntityId> = seeds.iter().filter_map(|seed| graph.find(seed.as_ref())).collect();
        known.sort_unstable();
        known.dedup();
        let centralities = katz(graph, options.katz);
        let katz = known.iter().map(|entity| (graph.name(*entity).to_owned(), centralities[*entity as usize]));
        Self {
            seeds: seeds.iter().map(|seed| seed.as_ref().to_owned()).collect(),
            katz: katz.collect(),
            coherence: coherence(graph, &known, options.path_max),
        }
    }

    /// Whether these are the measures of this list of seeds.
    #[must_use]
    pub fn is_for_seeds(&self, seeds: &[impl AsRef<str>]) -> bool {
        self.seeds.iter().map(String::as_str).eq(seeds.iter().map(AsRef::as_ref))
    }

    /// The Katz centrality of a seed, if it is in the graph.
    #[must_use]
    pub fn katz(&self, seed: &str) -> Option<f64> {
        self.katz.get(seed).copied()
    }
}
