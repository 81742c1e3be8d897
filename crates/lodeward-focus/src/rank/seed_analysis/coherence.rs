//! Coherence: how close seeds are to each other (DURAARK D3.6, eq. 1).
//!
//! ```text
//! Γ = n(n−1) / (2 · Σ_{i<j} φ(e_i, e_j))
//! ```
//!
//! `φ` is the length of the shortest path in the reference graph, taken as undirected. The paper
//! does not define it for pairs without a path; here it is `path_max` for these pairs, and for
//! pairs with a longer path. A single seed has Γ = 1 by definition.
//!
//! Paths are searched from both ends. The total number of links visited is bounded. Pairs are
//! measured in a scattered order, so that those measured before the bound is reached are a
//! representative sample.

use super::super::graph::{EntityGraph, EntityId};
use super::super::hops::HopCount;
use super::super::to_f64;

/// Maximum number of links visited by all searches, which takes about a second.
const MAX_VISITED_LINKS: u64 = 50_000_000;

/// Fixed cost of a search, in links. It bounds the time of many searches between seeds without
/// links.
const SEARCH_COST_LINKS: u64 = 20;

/// Coherence of a seed list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coherence {
    /// Γ: 1 if all seeds are linked to each other, less with distance.
    pub gamma: f64,
    /// Number of pairs of seeds.
    pub pairs: u64,
    /// Number of pairs measured: all, unless there are very many.
    pub measured: u64,
    /// Number of measured pairs without a path of at most `path_max` links.
    pub unconnected: u64,
}

/// Coherence of distinct entities.
#[must_use]
pub(crate) fn coherence(graph: &EntityGraph<'_>, seeds: &[EntityId], path_max: HopCount) -> Coherence {
    bounded_coherence(graph, seeds, path_max, MAX_VISITED_LINKS)
}

fn bounded_coherence(graph: &EntityGraph<'_>, seeds: &[EntityId], path_max: HopCount, links_max: u64) -> Coherence {
    let count = seeds.len() as u64;
    let pairs = count * count.saturating_sub(1) / 2;
    let mut search = BidirectionalSearch::new(graph, path_max, links_max);
    let (mut measured, mut unconnected, mut sum) = (0, 0, 0);
    for (one, other) in scattered_pairs(seeds.len()) {
        match search.distance(seeds[one], seeds[other]) {
            PathLength::Links(links) => sum += u64::from(links),
            PathLength::Far => {
                sum += u64::from(path_max);
                unconnected += 1;
            }
            PathLength::Unknown => break,
        }
        measured += 1;
    }
    let gamma = if sum == 0 { 1.0 } else { to_f64(measured) / to_f64(sum) };
    Coherence { gamma, pairs, measured, unconnected }
}

/// Returns all pairs of `count` items, each once, in an order in which the first pairs are spread
/// evenly over all pairs (steps of about the golden ratio).
fn scattered_pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let pairs = count * count.saturating_sub(1) / 2;
    let mut step = pairs * 618 / 1_000;
    while gcd(step, pairs) > 1 {
        step += 1;
    }
    let number = (0..pairs).scan(0, move |number, _| Some(std::mem::replace(number, (*number + step) % pairs)));
    number.map(pair_from_number)
}

/// The pair with this number: (0, 1), (0, 2), (1, 2), (0, 3), …
fn pair_from_number(number: usize) -> (usize, usize) {
    let mut other = (2 * number).isqrt();
    while other * (other + 1) / 2 <= number {
        other += 1;
    }
    while other * (other - 1) / 2 > number {
        other -= 1;
    }
    (number - other * (other - 1) / 2, other)
}

fn gcd(one: usize, other: usize) -> usize {
    if other == 0 { one } else { gcd(other, one % other) }
}

/// Length of a path between two entities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum PathLength {
    /// Number of links of the shortest path.
    Links(HopCount),
    /// There is no path of at most `path_max` links.
    Far,
    /// The bound was reached.
    Unknown,
}

/// Searches for shortest paths from both ends.
struct BidirectionalSearch<'g> {
    graph: &'g EntityGraph<'g>,
    path_max: HopCount,
    links_left: u64,
    /// For each entity, a number that identifies the search, and its end, by which it was last visited.
    visited_in: Vec<u32>,
    searches: u32,
}

impl<'g> BidirectionalSearch<'g> {
    fn new(graph: &'g EntityGraph<'g>, path_max: HopCount, links_left: u64) -> Self {
        Self { graph, path_max, links_left, visited_in: vec![0; graph.len()], searches: 0 }
    }

    fn distance(&mut self, one: EntityId, other: EntityId) -> PathLength {
        let Some(links_left) = self.links_left.checked_sub(SEARCH_COST_LINKS) else { return PathLength::Unknown };
        self.links_left = links_left;
        self.searches += 1;
        let marks = [2 * self.searches, 2 * self.searches + 1];
        let mut rings = [vec![one], vec![other]];
        self.visited_in[one as usize] = marks[0];
        self.visited_in[other as usize] = marks[1];
        for length in 1..=self.path_max {
            // The search continues from the side whose outermost ring has fewer links.
            let links = |ring: &[EntityId]| ring.iter().map(|entity| self.graph.neighbours(*entity).len() as u64).sum();
            let next_links: [u64; 2] = [links(&rings[0]), links(&rings[1])];
            let side = usize::from(next_links[1] < next_links[0]);
            if next_links[side] == 0 {
                return PathLength::Far;
            }
            let Some(links_left) = self.links_left.checked_sub(next_links[side]) else { return PathLength::Unknown };
            self.links_left = links_left;
            let Some(next) = self.next_ring(&rings[side], marks[side], marks[1 - side]) else {
                return PathLength::Links(length);
            };
            rings[side] = next;
        }
        PathLength::Far
    }

    /// The entities one link outside of `ring`; `None` if one of them was visited from the other end.
    /// Both sides advance by whole rings, so the first path found is a shortest one.
    fn next_ring(&mut self, ring: &[EntityId], mark: u32, other_mark: u32) -> Option<Vec<EntityId>> {
        let mut next = Vec::new();
        for entity in ring {
            for &neighbour in self.graph.neighbours(*entity) {
                let visited_in = &mut self.visited_in[neighbour as usize];
                if *visited_in == other_mark {
                    return None;
                }
                if std::mem::replace(visited_in, mark) != mark {
                    next.push(neighbour);
                }
            }
        }
        Some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::hops::{UNREACHED, hop_distances};
    use crate::rank::test_graphs;

    /// Computed by hand, in `a – b – c`, `d`, with paths of up to 8: φ(a, b) = 1, φ(a, c) = 2, φ(b,
    /// c) = 1, so Γ(a, b, c) = 3·2 / (2·4) = ¾. With `d` there are three more pairs that count as
    /// 8: 4·3 / (2·28) = 3/14.
    #[test]
    fn coherence_matches_values_computed_by_hand() {
        let fact_base = fact_base_from(&["a p b", "c p b", "d label \"d"]);
        let graph = fact_base.graph();
        let check = |names: &[&str], gamma: f64, unconnected| {
            let seeds: Vec<_> = names.iter().map(|name| graph.find(name).unwrap()).collect();
            let found = coherence(&graph, &seeds, 8);
            assert!((found.gamma - gamma).abs() < 1e-12, "{names:?}: {found:?}");
            assert_eq!((found.unconnected, found.measured), (unconnected, found.pairs), "{names:?}");
        };

        check(&["a", "b", "c"], 0.75, 0);
        check(&["a", "b", "c", "d"], 3.0 / 14.0, 3);
        check(&["a", "b"], 1.0, 0);
        check(&["a", "d"], 0.125, 1);
        check(&["a"], 1.0, 0);
        check(&[], 1.0, 0);
    }

    /// Computes the distances between all pairs, by brute force.
    #[test]
    fn bidirectional_search_finds_shortest_paths() {
        for (seed, path_max) in (0..40).zip([2, 4, 8].into_iter().cycle()) {
            let fact_base = test_graphs::random_fact_base(seed, 30, 35);
            let graph = fact_base.graph();
            let mut search = BidirectionalSearch::new(&graph, path_max, MAX_VISITED_LINKS);
            for one in 0..30 {
                let hops = hop_distances(&graph, [one], &[], path_max);
                for other in (0..30).filter(|other| *other != one) {
                    let hop = hops[other as usize];
                    let expected = if hop == UNREACHED { PathLength::Far } else { PathLength::Links(hop) };
                    assert_eq!(search.distance(one, other), expected, "from {one} to {other} in {seed}");
                }
            }
        }
    }

    #[test]
    fn pairs_are_distinct_and_scattered() {
        for count in 0..30 {
            let mut pairs: Vec<_> = scattered_pairs(count).collect();
            assert!(pairs.iter().all(|(one, other)| one < other && *other < count), "{pairs:?}");
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), count * count.saturating_sub(1) / 2);
        }
        // The first hundred of half a million pairs are spread over all seeds.
        let seeds: std::collections::HashSet<_> =
            scattered_pairs(1_000).take(100).map(|(_, other)| other / 200).collect();
        assert_eq!(seeds.len(), 5);
    }

    #[test]
    fn a_bounded_search_measures_a_sample() {
        let statements: Vec<String> = (0..300).map(|number| format!("hub p e{number}")).collect();
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let fact_base = fact_base_from(&statements);
        let graph = fact_base.graph();
        let seeds: Vec<_> = (0..300).map(|number| graph.find(&format!("e{number}")).unwrap()).collect();

        let found = bounded_coherence(&graph, &seeds, 8, 10_000);

        assert!(found.measured > 100 && found.measured < found.pairs, "{found:?}");
        assert!((found.gamma - 0.5).abs() < 1e-12, "{found:?}");
    }
}
