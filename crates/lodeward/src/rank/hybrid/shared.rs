//! Links that a candidate has in common with seeds.
//!
//! A link is shared if predicate, direction and other end are the same: two
//! buildings *by the same architect*, not an architect and what he built.
//!
//! ```text
//! shared(c, s) = Σ_links of both  ln((N + 1) / (entities with this link + ½))
//! ```

use std::collections::HashMap;

use foldhash::fast::FixedState;

use crate::rank::graph::{EntityGraph, EntityId, Neighbour};
use crate::rank::{Seed, real};

/// Which way a link goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Direction {
    /// From the entity to its neighbour.
    Out,
    /// From the neighbour to the entity.
    In,
}

/// A link, seen from the entity that has it.
pub(super) type Arc = (Direction, Neighbour);

/// A link that at least one seed has.
struct Held {
    /// Places of the seeds that have it.
    seeds: Vec<u32>,
    /// Entities that have it.
    entities: u32,
    /// What sharing it counts.
    rarity: f64,
}

/// The links of the seeds, ready to be found at candidates.
pub(super) struct SharedLinks<'g> {
    graph: &'g EntityGraph<'g>,
    seeds_len: usize,
    /// Whether an entity is the other end of a link of a seed: most are not, and
    /// need not be looked up.
    is_near_seed: Vec<bool>,
    held: HashMap<Arc, Held, FixedState>,
}

impl<'g> SharedLinks<'g> {
    /// The links of these seeds.
    pub(super) fn new(graph: &'g EntityGraph<'g>, seeds: &[Seed]) -> Self {
        let mut held: HashMap<Arc, Held, FixedState> = HashMap::default();
        let mut is_near_seed = vec![false; graph.len()];
        for (place, seed) in (0..).zip(seeds) {
            for arc in arcs(graph, seed.entity) {
                is_near_seed[arc.1.entity as usize] = true;
                held.entry(arc).or_insert_with(Held::nobodys).seeds.push(place);
            }
        }
        let mut links = Self { graph, seeds_len: seeds.len(), is_near_seed, held };
        links.weigh();
        links
    }

    /// Counts who has each link, and says what it counts.
    fn weigh(&mut self) {
        let graph = self.graph;
        for entity in (0..).take(graph.len()) {
            for arc in arcs(graph, entity).filter(|arc| self.is_near_seed[arc.1.entity as usize]) {
                if let Some(held) = self.held.get_mut(&arc) {
                    held.entities += 1;
                }
            }
        }
        let entities = real(graph.len() as u64);
        for held in self.held.values_mut() {
            held.rarity = ((entities + 1.0) / (real(held.entities.into()) + 0.5)).ln();
        }
    }

    /// The first part of the score: one for each candidate.
    pub(super) fn scores(&self, candidates: &[EntityId]) -> Vec<f64> {
        let mut shared = vec![0.0; self.seeds_len];
        let score = |candidate: &EntityId| {
            shared.fill(0.0);
            for (_, held) in self.of(*candidate) {
                for &seed in &held.seeds {
                    shared[seed as usize] += held.rarity;
                }
            }
            shared.iter().map(|shared| f64::ln_1p(*shared)).sum::<f64>().powf(1.5)
        };
        candidates.iter().map(score).collect()
    }

    /// What a candidate shares: each link, the places of the seeds that have it,
    /// too, and what it counts over all of them. What counts most comes first.
    pub(super) fn explain(&self, candidate: EntityId) -> Vec<(Arc, &[u32], f64)> {
        let shared = self.of(candidate);
        let weighed = shared.map(|(arc, held)| (arc, &*held.seeds, held.rarity * real(held.seeds.len() as u64)));
        let mut weighed: Vec<_> = weighed.collect();
        weighed.sort_by(|one, other| other.2.total_cmp(&one.2).then(one.0.cmp(&other.0)));
        weighed
    }

    fn of(&self, candidate: EntityId) -> impl Iterator<Item = (Arc, &Held)> {
        let near = arcs(self.graph, candidate).filter(|arc| self.is_near_seed[arc.1.entity as usize]);
        near.filter_map(|arc| Some((arc, self.held.get(&arc)?)))
    }
}

impl Held {
    fn nobodys() -> Self {
        Self { seeds: Vec::new(), entities: 0, rarity: 0.0 }
    }
}

/// The links of an entity, from its side; each is there once.
fn arcs(graph: &EntityGraph<'_>, entity: EntityId) -> impl Iterator<Item = Arc> {
    let outgoing = graph.outgoing(entity).iter().map(|link| (Direction::Out, *link));
    outgoing.chain(graph.incoming(entity).iter().map(|link| (Direction::In, *link)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;

    #[test]
    fn shared_links_count_by_how_rare_they_are_and_how_many_seeds_have_them() {
        let gathered = gathering(&["s by g", "t by g", "a by g", "s in k", "b in k", "c by k", "g by d", "k at t"]);
        let graph = gathered.graph();
        let seeds = ["s", "t"].map(|name| Seed { entity: graph.find(name).unwrap(), weight: 1.0 });
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
        // Another predicate, another end.
        check("c", [0.0, 0.0]);
        check("g", [0.0, 0.0]);
        check("d", [0.0, 0.0]);
    }

    #[test]
    fn direction_matters() {
        let gathered = gathering(&["g by s", "a by g", "g by b"]);
        let graph = gathered.graph();
        let seed = Seed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let links = SharedLinks::new(&graph, &[seed]);
        let scores = links.scores(&["a", "b"].map(|name| graph.find(name).unwrap()));
        assert!(scores[0] == 0.0 && scores[1] > 0.0, "{scores:?}");
    }
}
