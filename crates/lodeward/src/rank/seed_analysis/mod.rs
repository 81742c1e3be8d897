//! Analyses a list of seeds.
//!
//! Computes how close to each other the seeds are ([`coherence`]), how central each is ([`katz`]),
//! and its weight ([`attrition`]), and notes unusual properties of the list. All measures are taken
//! in a reference graph: the crawled documents, or another graph.

pub mod attrition;
pub mod coherence;
pub mod katz;
mod measures;
mod notes;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::graph::{EntityGraph, EntityId};
use super::options::RankingOptions;
pub use measures::SeedMeasures;

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
pub fn analyse(
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
