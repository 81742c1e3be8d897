//! How close to each other seeds are (DURAARK D3.6, eq. 1).
//!
//! ```text
//! Γ = n(n−1) / (2 · Σ_{i<j} φ(e_i, e_j))
//! ```
//!
//! `φ` is the length of the shortest path in the reference graph, taken as
//! undirected; the paper does not say what it is where there is none, and here it
//! is `path_max`, for longer paths, too. One seed has Γ = 1 by definition.
//!
//! Paths are searched from both ends. All searches together have a bound; pairs
//! come in a scattered order, so that those which were measured before it was met
//! are a fair sample.

use super::super::graph::{EntityGraph, EntityId};
use super::super::hops::Hop;
use super::super::real;

/// Links that all searches together look at, about a second's worth.
const LINKS_LOOKED_AT_MAX: u64 = 50_000_000;

/// What each search costs besides, in links: a million seeds without any would be
/// many searches, too.
const LINKS_PER_SEARCH: u64 = 20;

/// How close to each other seeds are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Coherence {
    /// Γ: 1 if each is linked to each, less the farther apart they are.
    pub gamma: f64,
    /// Pairs of seeds.
    pub pairs: u64,
    /// Pairs whose distance was measured. All, unless there are very many.
    pub measured: u64,
    /// Those among them that no path connects which is short enough.
    pub unconnected: u64,
}

/// The coherence of entities, each of which is given once.
#[must_use]
pub fn coherence(graph: &EntityGraph<'_>, seeds: &[EntityId], path_max: Hop) -> Coherence {
    bounded(graph, seeds, path_max, LINKS_LOOKED_AT_MAX)
}

fn bounded(graph: &EntityGraph<'_>, seeds: &[EntityId], path_max: Hop, links_max: u64) -> Coherence {
    let count = seeds.len() as u64;
    let pairs = count * count.saturating_sub(1) / 2;
    let mut search = Search::new(graph, path_max, links_max);
    let (mut measured, mut unconnected, mut sum) = (0, 0, 0);
    for (one, other) in scattered(seeds.len()) {
        match search.distance(seeds[one], seeds[other]) {
            Distance::Links(links) => sum += u64::from(links),
            Distance::Far => {
                sum += u64::from(path_max);
                unconnected += 1;
            }
            Distance::Unknown => break,
        }
        measured += 1;
    }
    let gamma = if sum == 0 { 1.0 } else { real(measured) / real(sum) };
    Coherence { gamma, pairs, measured, unconnected }
}

/// All pairs of so many, each once, such that the first of them are spread over
/// all: steps of about the golden section, which meet every pair.
fn scattered(count: usize) -> impl Iterator<Item = (usize, usize)> {
    let pairs = count * count.saturating_sub(1) / 2;
    let mut step = pairs * 618 / 1_000;
    while gcd(step, pairs) > 1 {
        step += 1;
    }
    let number = (0..pairs).scan(0, move |number, _| Some(std::mem::replace(number, (*number + step) % pairs)));
    number.map(pair)
}

/// The pair of a number: (0, 1), (0, 2), (1, 2), (0, 3), …
fn pair(number: usize) -> (usize, usize) {
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

/// How far it is from one entity to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Distance {
    /// The shortest path has so many links.
    Links(Hop),
    /// There is no path, or none that is short enough.
    Far,
    /// It would take too long to know.
    Unknown,
}

/// Searches for shortest paths, from both ends.
struct Search<'g> {
    graph: &'g EntityGraph<'g>,
    path_max: Hop,
    links_left: u64,
    /// Who was last come to in which search, from which end.
    come_to: Vec<u32>,
    searches: u32,
}

impl<'g> Search<'g> {
    fn new(graph: &'g EntityGraph<'g>, path_max: Hop, links_left: u64) -> Self {
        Self { graph, path_max, links_left, come_to: vec![0; graph.len()], searches: 0 }
    }

    fn distance(&mut self, one: EntityId, other: EntityId) -> Distance {
        let Some(links_left) = self.links_left.checked_sub(LINKS_PER_SEARCH) else { return Distance::Unknown };
        self.links_left = links_left;
        self.searches += 1;
        let marks = [2 * self.searches, 2 * self.searches + 1];
        let mut rings = [vec![one], vec![other]];
        self.come_to[one as usize] = marks[0];
        self.come_to[other as usize] = marks[1];
        for length in 1..=self.path_max {
            // The side with less to look at goes on.
            let links = |ring: &[EntityId]| ring.iter().map(|entity| self.graph.neighbours(*entity).len() as u64).sum();
            let to_look_at: [u64; 2] = [links(&rings[0]), links(&rings[1])];
            let side = usize::from(to_look_at[1] < to_look_at[0]);
            if to_look_at[side] == 0 {
                return Distance::Far;
            }
            let Some(links_left) = self.links_left.checked_sub(to_look_at[side]) else { return Distance::Unknown };
            self.links_left = links_left;
            let Some(next) = self.next_ring(&rings[side], marks[side], marks[1 - side]) else {
                return Distance::Links(length);
            };
            rings[side] = next;
        }
        Distance::Far
    }

    /// Who is one link farther; `None` if they meet those who came from the other
    /// end. Both sides have gone whole rings, so the first meeting is the nearest.
    fn next_ring(&mut self, ring: &[EntityId], mark: u32, mark_of_others: u32) -> Option<Vec<EntityId>> {
        let mut next = Vec::new();
        for entity in ring {
            for &neighbour in self.graph.neighbours(*entity) {
                let come_to = &mut self.come_to[neighbour as usize];
                if *come_to == mark_of_others {
                    return None;
                }
                if std::mem::replace(come_to, mark) != mark {
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
    use crate::rank::gather::tests::gathering;
    use crate::rank::hops::{FAR, hops};
    use crate::rank::random;

    /// By hand, in `a – b – c`, `d`, with paths of up to 8: φ(a, b) = 1, φ(a, c) = 2,
    /// φ(b, c) = 1, so Γ(a, b, c) = 3·2 / (2·4) = ¾. With `d` there are three pairs more
    /// that count as 8: 4·3 / (2·28) = 3/14.
    #[test]
    fn coherence_is_the_one_worked_out_by_hand() {
        let gathered = gathering(&["a p b", "c p b", "d label \"d"]);
        let graph = gathered.graph();
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

    /// Brute force: the distance of all from each.
    #[test]
    fn paths_from_both_ends_are_as_short_as_from_one() {
        for (seed, path_max) in (0..40).zip([2, 4, 8].into_iter().cycle()) {
            let gathered = random::gathering(seed, 30, 35);
            let graph = gathered.graph();
            let mut search = Search::new(&graph, path_max, LINKS_LOOKED_AT_MAX);
            for one in 0..30 {
                let hops = hops(&graph, [one], path_max);
                for other in (0..30).filter(|other| *other != one) {
                    let hop = hops[other as usize];
                    let expected = if hop == FAR { Distance::Far } else { Distance::Links(hop) };
                    assert_eq!(search.distance(one, other), expected, "from {one} to {other} in {seed}");
                }
            }
        }
    }

    #[test]
    fn pairs_come_each_once_and_scattered() {
        for count in 0..30 {
            let mut pairs: Vec<_> = scattered(count).collect();
            assert!(pairs.iter().all(|(one, other)| one < other && *other < count), "{pairs:?}");
            pairs.sort_unstable();
            pairs.dedup();
            assert_eq!(pairs.len(), count * count.saturating_sub(1) / 2);
        }
        // The first hundred of half a million are spread over all.
        let seeds: std::collections::HashSet<_> = scattered(1_000).take(100).map(|(_, other)| other / 200).collect();
        assert_eq!(seeds.len(), 5);
    }

    #[test]
    fn a_search_that_takes_too_long_ends_with_a_sample() {
        let statements: Vec<String> = (0..300).map(|number| format!("hub p e{number}")).collect();
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let gathered = gathering(&statements);
        let graph = gathered.graph();
        let seeds: Vec<_> = (0..300).map(|number| graph.find(&format!("e{number}")).unwrap()).collect();

        let found = bounded(&graph, &seeds, 8, 10_000);

        assert!(found.measured > 100 && found.measured < found.pairs, "{found:?}");
        assert!((found.gamma - 0.5).abs() < 1e-12, "{found:?}");
    }
}
