//! Distances of entities from the seeds, and the candidates.

use super::graph::{EntityGraph, EntityId};

/// Number of links to the nearest seed, in either direction.
pub type HopCount = u8;

/// Distance of an entity that cannot be reached from a seed, or only by a longer path than searched.
pub(crate) const UNREACHED: HopCount = HopCount::MAX;

/// Distance of every entity from one entity, by its ID; `None` if it is more than `depth`.
#[must_use]
pub fn entity_distances(graph: &EntityGraph<'_>, from: EntityId, depth: HopCount) -> Vec<Option<HopCount>> {
    let distances = hop_distances(graph, [from], &[], depth);
    distances.into_iter().map(|hops| (hops != UNREACHED).then_some(hops)).collect()
}

/// Distance of every entity from the nearest seed; [`UNREACHED`] if it is more than `depth`. `found` are
/// at most one link from a seed.
#[must_use]
pub(crate) fn hop_distances(
    graph: &EntityGraph<'_>,
    seeds: impl IntoIterator<Item = EntityId>,
    found: &[EntityId],
    depth: HopCount,
) -> Vec<HopCount> {
    let mut hops = vec![UNREACHED; graph.len()];
    let mut ring: Vec<EntityId> = Vec::new();
    for seed in seeds {
        if std::mem::replace(&mut hops[seed as usize], 0) == UNREACHED {
            ring.push(seed);
        }
    }
    for hop in 1..=depth.min(UNREACHED - 1) {
        let mut next = Vec::new();
        let linked = ring.iter().flat_map(|entity| graph.neighbours(*entity));
        for &entity in linked.chain(if hop == 1 { found } else { &[] }) {
            if hops[entity as usize] == UNREACHED {
                hops[entity as usize] = hop;
                next.push(entity);
            }
        }
        ring = next;
    }
    hops
}

/// Returns the candidates with their distances: the named entities at most `depth` links from a
/// seed, without the seeds. `found` count as linked with a seed.
#[must_use]
pub fn candidates(
    graph: &EntityGraph<'_>,
    seeds: &[EntityId],
    found: &[EntityId],
    depth: HopCount,
) -> (Vec<EntityId>, Vec<HopCount>) {
    let hops = hop_distances(graph, seeds.iter().copied(), found, depth);
    let far_enough = (0..).zip(hops).filter(|(_, hop)| *hop != UNREACHED && *hop > 0);
    far_enough.filter(|(entity, _)| !graph.is_blank(*entity)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;

    #[test]
    fn candidates_are_within_the_depth_in_either_direction() {
        let fact_base = fact_base_from(&["s p a", "b p a", "b p c", "c p d", "x p y", "s p _:n", "_:n p e"]);
        let graph = fact_base.graph();
        let reached = |further: &[&str], depth| {
            let seed = graph.find("s").unwrap();
            let further: Vec<EntityId> = further.iter().map(|name| graph.find(name).unwrap()).collect();
            let (candidates, hops) = candidates(&graph, &[seed], &further, depth);
            let mut found: Vec<_> = candidates.iter().map(|entity| graph.name(*entity)).zip(hops).collect();
            found.sort_unstable();
            found
        };

        assert_eq!(reached(&[], 0), []);
        assert_eq!(reached(&[], 1), [("a", 1)]);
        assert_eq!(reached(&[], 2), [("a", 1), ("b", 2), ("e", 2)]);
        assert_eq!(reached(&[], 9), [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 2)]);
        // A search result is a candidate like one that a seed links to.
        assert_eq!(reached(&["x", "s"], 1), [("a", 1), ("x", 1)]);
        assert_eq!(reached(&["x", "c"], 2), [("a", 1), ("b", 2), ("c", 1), ("d", 2), ("e", 2), ("x", 1), ("y", 2)]);
    }
}
