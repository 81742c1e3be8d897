//! Analyses a list of seeds.
//!
//! Computes how close to each other the seeds are ([`coherence`]), how central each is ([`katz`]),
//! and its weight ([`attrition`]), and notes unusual properties of the list. All measures are taken
//! in a reference graph: the crawled documents, or another graph.

pub(crate) mod attrition;
pub(crate) mod coherence;
pub(crate) mod katz;
mod notes;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use self::coherence::{Coherence, coherence};
use self::katz::katz;
use super::graph::{EntityGraph, EntityId};
use super::options::RankingOptions;

/// Analysis of a list of seeds.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedAnalysis {
    /// The distinct seeds that are in the graph, in the order of the list.
    pub seeds: Vec<AnalysedSeed>,
    /// The seeds that are not in the graph; they are ignored.
    pub missing: Vec<String>,
    /// Γ: 1 if all seeds are linked to each other, less with distance.
    pub coherence: f64,
    /// Number of measured pairs of seeds without a short path between them.
    pub unconnected_pairs: u64,
    /// Number of measured pairs of seeds.
    pub measured_pairs: u64,
    /// Whether only a sample of the pairs was measured.
    pub sampled: bool,
    /// Notes about unusual properties of the list.
    pub notes: Vec<String>,
}

/// A seed with its weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysedSeed {
    /// Its IRI.
    pub name: String,
    /// The entity in the crawled graph.
    #[serde(skip)]
    pub entity: EntityId,
    /// Its Katz centrality; `None` if the seed is not in the reference graph.
    pub katz: Option<f64>,
    /// Weight: 1 on average.
    pub weight: f64,
}

/// Analyses a list of seeds. `graph` is the crawled graph; `measures` are those of the list in that
/// graph, or in a reference graph.
#[must_use]
pub(crate) fn analyse(
    graph: &EntityGraph<'_>,
    measures: &SeedMeasures,
    seeds: &[impl AsRef<str>],
    options: &RankingOptions,
) -> SeedAnalysis {
    let mut seen = HashSet::new();
    let names: Vec<&str> = seeds.iter().map(AsRef::as_ref).filter(|name| seen.insert(*name)).collect();
    let (found, missing): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| graph.find(name).is_some());
    let katz: Vec<f64> = found.iter().filter_map(|name| measures.katz(name)).collect();
    let mut weights = attrition::weights(&katz, options.attrition).into_iter();
    let seed = |name: &&str| {
        let katz = measures.katz(name);
        AnalysedSeed {
            name: (*name).to_owned(),
            entity: graph.find(name).expect("the graph has the seed"),
            katz,
            // If the centrality of the seed is unknown, it gets the average weight.
            weight: katz.and_then(|_| weights.next()).unwrap_or(1.0),
        }
    };
    let coherence = &measures.coherence;
    let mut analysis = SeedAnalysis {
        seeds: found.iter().map(seed).collect(),
        missing: missing.into_iter().map(str::to_owned).collect(),
        coherence: coherence.gamma,
        unconnected_pairs: coherence.unconnected,
        measured_pairs: coherence.measured,
        sampled: coherence.measured < coherence.pairs,
        notes: Vec::new(),
    };
    analysis.notes = notes::notes(graph, &analysis, coherence, options.path_max);
    analysis
}

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
    pub(crate) fn is_for_seeds(&self, seeds: &[impl AsRef<str>]) -> bool {
        self.seeds.iter().map(String::as_str).eq(seeds.iter().map(AsRef::as_ref))
    }

    /// The Katz centrality of a seed, if it is in the graph.
    #[must_use]
    pub(crate) fn katz(&self, seed: &str) -> Option<f64> {
        self.katz.get(seed).copied()
    }
}
