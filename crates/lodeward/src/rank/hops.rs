//! How far from the seeds entities are, and who is a candidate.

use super::graph::{EntityGraph, EntityId};

/// Links from the nearest seed, in whatever direction they go.
pub type Hop = u8;

/// Nobody has come here.
pub const FAR: Hop = Hop::MAX;

/// How far from the nearest of these every entity is; [`FAR`] for what is
/// farther than `depth`.
#[must_use]
pub fn hops(graph: &EntityGraph<'_>, seeds: impl IntoIterator<Item = EntityId>, depth: Hop) -> Vec<Hop> {
    let mut hops = vec![FAR; graph.len()];
    let mut ring: Vec<EntityId> = Vec::new();
    for seed in seeds {
        if std::mem::replace(&mut hops[seed as usize], 0) == FAR {
            ring.push(seed);
        }
    }
    for hop in 1..=depth.min(FAR - 1) {
        let mut next = Vec::new();
        for entity in ring {
            for &neighbour in graph.neighbours(entity) {
                if hops[neighbour as usize] == FAR {
                    hops[neighbour as usize] = hop;
                    next.push(neighbour);
                }
            }
        }
        ring = next;
    }
    hops
}

/// The candidates: entities with a name that are at most `depth` links from a
/// seed and are no seed themselves; and how far each is.
#[must_use]
pub fn candidates(graph: &EntityGraph<'_>, seeds: &[EntityId], depth: Hop) -> (Vec<EntityId>, Vec<Hop>) {
    let hops = hops(graph, seeds.iter().copied(), depth);
    let far_enough = (0..).zip(hops).filter(|(_, hop)| *hop != FAR && *hop > 0);
    far_enough.filter(|(entity, _)| !graph.is_blank(*entity)).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;

    #[test]
    fn candidates_are_within_so_many_links_in_either_direction() {
        let gathered = gathering(&["s p a", "b p a", "b p c", "c p d", "x p y", "s p _:n", "_:n p e"]);
        let graph = gathered.graph();
        let found = |depth| {
            let seed = graph.find("s").unwrap();
            let (candidates, hops) = candidates(&graph, &[seed], depth);
            let mut found: Vec<_> = candidates.iter().map(|entity| graph.name(*entity)).zip(hops).collect();
            found.sort_unstable();
            found
        };

        assert_eq!(found(0), []);
        assert_eq!(found(1), [("a", 1)]);
        assert_eq!(found(2), [("a", 1), ("b", 2), ("e", 2)]);
        assert_eq!(found(9), [("a", 1), ("b", 2), ("c", 3), ("d", 4), ("e", 2)]);
    }
}
