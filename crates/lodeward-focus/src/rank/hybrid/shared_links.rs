//! Scores links that a candidate has in common with seeds.
//!
//! A link is shared if predicate, direction and other end are the same: two buildings *by the same
//! architect* share a link; an architect and a building by that architect do not.
//!
//! ```text
//! shared(c, s) = Σ_links of both  ln((N + 1) / (entities with this link + ½))
//! ```

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::rank::graph::{EntityGraph, EntityId, Neighbour};
use crate::rank::{GraphSeed, to_f64};

/// Direction of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum LinkDirection {
    /// From the entity to its neighbour.
    Out,
    /// From the neighbour to the entity.
    In,
}

/// A link, seen from one of its ends.
pub(super) type DirectedLink = (LinkDirection, Neighbour);

/// A link that at least one seed has.
struct SeedLink {
    /// Indices of the seeds that have it.
    seeds: Vec<u32>,
    /// Number of entities that have it.
    entities: u32,
    /// Weight of sharing it.
    rarity: f64,
}

/// The links of the seeds, indexed for lookup by candidate.
pub(super) struct SharedLinks<'g> {
    graph: &'g EntityGraph<'g>,
    seeds_len: usize,
    /// Whether an entity is the other end of a link of a seed, by entity. Links to other entities need
    /// no lookup in `seed_links`.
    is_near_seed: Vec<bool>,
    seed_links: HashMap<DirectedLink, SeedLink, FixedState>,
}

impl<'g> SharedLinks<'g> {
    /// Indexes the links of these seeds.
    pub(super) fn new(graph: &'g EntityGraph<'g>, seeds: &[GraphSeed]) -> Self {
        let mut seed_links: HashMap<DirectedLink, SeedLink, FixedState> = HashMap::default();
        let mut is_near_seed = vec![false; graph.len()];
        for (index, seed) in (0..).zip(seeds) {
            for arc in entity_links(graph, seed.entity) {
                is_near_seed[arc.1.entity as usize] = true;
                seed_links.entry(arc).or_insert_with(SeedLink::empty).seeds.push(index);
            }
        }
        let mut links = Self { graph, seeds_len: seeds.len(), is_near_seed, seed_links };
        links.compute_weights();
        links
    }

    /// Counts the entities that have each link, and computes its weight.
    fn compute_weights(&mut self) {
        let graph = self.graph;
        for entity in (0..).take(graph.len()) {
            for arc in entity_links(graph, entity).filter(|arc| self.is_near_seed[arc.1.entity as usize]) {
                if let Some(seed_link) = self.seed_links.get_mut(&arc) {
                    seed_link.entities += 1;
                }
            }
        }
        let entities = to_f64(graph.len() as u64);
        for seed_link in self.seed_links.values_mut() {
            seed_link.rarity = ((entities + 1.0) / (to_f64(seed_link.entities.into()) + 0.5)).ln();
        }
    }

    /// The score of each candidate.
    pub(super) fn scores(&self, candidates: &[EntityId]) -> Vec<f64> {
        let mut shared = vec![0.0; self.seeds_len];
        let score = |candidate: &EntityId| {
            shared.fill(0.0);
            for (_, seed_link) in self.shared_with(*candidate) {
                for &seed in &seed_link.seeds {
                    shared[seed as usize] += seed_link.rarity;
                }
            }
            shared.iter().map(|shared| f64::ln_1p(*shared)).sum::<f64>().powf(1.5)
        };
        candidates.iter().map(score).collect()
    }

    /// The links that a candidate shares, each with the indices of the seeds that have it and its
    /// total weight, heaviest first.
    pub(super) fn explain(&self, candidate: EntityId) -> Vec<(DirectedLink, &[u32], f64)> {
        let shared = self.shared_with(candidate);
        let weighed = shared
            .map(|(arc, seed_link)| (arc, &*seed_link.seeds, seed_link.rarity * to_f64(seed_link.seeds.len() as u64)));
        let mut weighed: Vec<_> = weighed.collect();
        weighed.sort_by(|one, other| other.2.total_cmp(&one.2).then(one.0.cmp(&other.0)));
        weighed
    }

    fn shared_with(&self, candidate: EntityId) -> impl Iterator<Item = (DirectedLink, &SeedLink)> {
        let near = entity_links(self.graph, candidate).filter(|arc| self.is_near_seed[arc.1.entity as usize]);
        near.filter_map(|arc| Some((arc, self.seed_links.get(&arc)?)))
    }
}

impl SeedLink {
    fn empty() -> Self {
        Self { seeds: Vec::new(), entities: 0, rarity: 0.0 }
    }
}

/// The distinct links of an entity.
fn entity_links(graph: &EntityGraph<'_>, entity: EntityId) -> impl Iterator<Item = DirectedLink> {
    let outgoing = graph.outgoing(entity).iter().map(|link| (LinkDirection::Out, *link));
    outgoing.chain(graph.incoming(entity).iter().map(|link| (LinkDirection::In, *link)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;

    #[test]
    fn shared_links_are_weighted_by_rarity_and_by_number_of_seeds() {
        let fact_base =
            fact_base_from(&["s by g", "t by g", "a by g", "s in k", "b in k", "c by k", "g by d", "k at t"]);
        let graph = fact_base.graph();
        let seeds = ["s", "t"].map(|name| GraphSeed { entity: graph.find(name).unwrap(), weight: 1.0 });
        let links = SharedLinks::new(&graph, &seeds);
        let check = |name: &str, shared: [f64; 2]| {
            let expected = shared.iter().map(|shared| f64::ln_1p(*shared)).sum::<f64>().powf(1.5);
            let [score] = links.scores(&[graph.find(name).unwrap()])[..] else { panic!("one score") };
            assert!((score - expected).abs() < 1e-12, "{name}: {score} instead of {expected}");
        };

        // Eight entities: s, g, t, a, k, b, c and d. Three are by g, two in k.
        assert_eq!(graph.len(), 8);
        let (by_g, in_k) = ((9.0_f64 / 3.5).ln(), (9.0_f64 / 2.5).ln());
        check("a", [by_g, by_g]);
        check("b", [in_k, 0.0]);
        // The links have another predicate, or another end.
        check("c", [0.0, 0.0]);
        check("g", [0.0, 0.0]);
        check("d", [0.0, 0.0]);
    }

    #[test]
    fn the_direction_of_a_link_matters() {
        let fact_base = fact_base_from(&["g by s", "a by g", "g by b"]);
        let graph = fact_base.graph();
        let seed = GraphSeed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let links = SharedLinks::new(&graph, &[seed]);
        let scores = links.scores(&["a", "b"].map(|name| graph.find(name).unwrap()));
        assert!(scores[0] == 0.0 && scores[1] > 0.0, "{scores:?}");
    }
}
