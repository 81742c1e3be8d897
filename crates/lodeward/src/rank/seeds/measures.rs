//! Coherence and centrality, measured once.

use std::collections::HashMap;

use super::coherence::{Coherence, coherence};
use super::katz::katz;
use crate::rank::graph::{EntityGraph, EntityId};
use crate::rank::options::Options;

/// How close to each other and how central seeds are, in one graph.
///
/// Of a graph that does not change it needs to be measured once for a seed list.
#[derive(Clone, Debug, PartialEq)]
pub struct Measures {
    /// The list, as it was given.
    seeds: Vec<String>,
    katz: HashMap<String, f64>,
    /// Of those that are in the graph.
    pub coherence: Coherence,
}

impl Measures {
    /// Measures seeds in a graph.
    #[must_use]
    pub fn new(graph: &EntityGraph<'_>, seeds: &[impl AsRef<str>], options: &Options) -> Self {
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

    /// Whether they are those of this list.
    #[must_use]
    pub fn are_of(&self, seeds: &[impl AsRef<str>]) -> bool {
        self.seeds.iter().map(String::as_str).eq(seeds.iter().map(AsRef::as_ref))
    }

    /// The Katz centrality of a seed, if the graph has it.
    #[must_use]
    pub fn katz(&self, seed: &str) -> Option<f64> {
        self.katz.get(seed).copied()
    }
}
