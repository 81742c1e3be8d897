//! What a seed list is like.
//!
//! How close to each other the seeds are ([`coherence`]), how central each is
//! ([`katz`]), and how much it weighs therefore ([`attrition`]); and in plain words
//! what is odd about the list. All on a reference graph: what was crawled so far,
//! or another one.

pub mod attrition;
pub mod coherence;
pub mod katz;
mod measures;
mod notes;

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::graph::{EntityGraph, EntityId};
use super::options::Options;
pub use measures::Measures;

/// What a seed list is like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SeedAnalysis {
    /// The seeds that are in the graph, in the order of the list, each once.
    pub seeds: Vec<AnalysedSeed>,
    /// The seeds that are not: they count for nothing.
    pub missing: Vec<String>,
    /// Γ: 1 if each seed is linked to each, less the farther apart they are.
    pub coherence: f64,
    /// Pairs of seeds that were looked at, and that nothing connects which is
    /// short enough.
    pub unconnected_pairs: u64,
    /// Pairs of seeds that were looked at.
    pub measured_pairs: u64,
    /// Whether there were too many pairs to look at all of them.
    pub sampled: bool,
    /// What is odd about the list, in plain words.
    pub notes: Vec<String>,
}

/// A seed, and how much it counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalysedSeed {
    /// Its IRI.
    pub name: String,
    /// Which entity of the crawled graph.
    #[serde(skip)]
    pub entity: EntityId,
    /// Its Katz centrality; `None` if the reference graph does not have it.
    pub katz: Option<f64>,
    /// How much it weighs: 1 on average.
    pub weight: f64,
}

/// Analyses a seed list: `graph` is what was crawled, `measures` those of the list
/// there or in another graph.
#[must_use]
pub fn analyse(
    graph: &EntityGraph<'_>,
    measures: &Measures,
    seeds: &[impl AsRef<str>],
    options: &Options,
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
            entity: graph.find(name).expect("it was found before"),
            katz,
            // Of whom nobody knows how central it is: it weighs what seeds do on average.
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
