//! How much of a random walk from the seeds is at each entity.
//!
//! ```text
//! walk_0 = start,   walk_k+1 = 0.3 · start + 0.7 · S · walk_k,   S_ij = 1 / √(degree_i · degree_j)
//! ```
//!
//! `start` is shared evenly by the seeds. Plain personalised `PageRank` divides by
//! the degree of where a walk comes from alone, and so ends up at hubs; here where
//! it goes to pays as well. Links count in both directions, and once. Of whoever
//! is not described only those links are known that lead there from documents
//! that were read; such an entity is taken to have at least as many as others have
//! on average, or else a crawl would take whatever was mentioned once for
//! something choice.

use super::is_known;
use crate::rank::graph::EntityGraph;
use crate::rank::{Seed, real};

/// What part of a walk begins again at every step.
const RESTART: f64 = 0.3;
/// So many steps are taken: what comes after them changes no order any more.
const STEPS: usize = 6;
/// Less than this is as good as nothing.
const FLOOR: f64 = 1e-6;

/// The score of an entity at which there is this much of the walk.
pub(super) fn score(walked: f64) -> f64 {
    (walked + FLOOR).ln()
}

/// How much of the walk is at each entity.
pub(super) fn walk(graph: &EntityGraph<'_>, seeds: &[Seed]) -> Vec<f64> {
    let mut start = vec![0.0; graph.len()];
    for seed in seeds {
        start[seed.entity as usize] += real(seeds.len() as u64).recip();
    }
    let damping: Vec<f64> = degrees(graph).into_iter().map(|degree| degree.max(1.0).sqrt().recip()).collect();
    let mut walked = start.clone();
    for _ in 0..STEPS {
        let sent: Vec<f64> = walked.iter().zip(&damping).map(|(walked, damping)| walked * damping).collect();
        for (entity, walked) in (0..).zip(&mut walked) {
            let arrived: f64 = graph.neighbours(entity).iter().map(|&neighbour| sent[neighbour as usize]).sum();
            let place = entity as usize;
            *walked = RESTART * start[place] + (1.0 - RESTART) * damping[place] * arrived;
        }
    }
    walked
}

/// How many neighbours everybody has, as far as is known, or is likely.
fn degrees(graph: &EntityGraph<'_>) -> Vec<f64> {
    let is_known: Vec<bool> = (0..).take(graph.len()).map(|entity| is_known(graph, entity)).collect();
    let mut degrees: Vec<f64> =
        (0..).take(graph.len()).map(|entity| real(graph.neighbours(entity).len() as u64)).collect();
    let known = || degrees.iter().zip(&is_known).filter(|(_, is_known)| **is_known);
    let mean = known().map(|(degree, _)| degree).sum::<f64>() / real(known().count().max(1) as u64);
    for (degree, _) in degrees.iter_mut().zip(&is_known).filter(|(_, is_known)| !**is_known) {
        *degree = degree.max(mean);
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;

    #[test]
    fn a_walk_along_one_link_goes_back_and_forth() {
        // Both ends have degree 1, so S swaps them: with s and a after k steps,
        // s' = 0.3 + 0.7 a and a' = 0.7 s.
        let gathered = gathering(&["s p a"]);
        let graph = gathered.graph();
        let seed = Seed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let (mut s, mut a) = (1.0, 0.0);
        for _ in 0..STEPS {
            (s, a) = (0.3 + 0.7 * a, 0.7 * s);
        }

        let walked = walk(&graph, &[seed]);
        let at = |name: &str| walked[graph.find(name).unwrap() as usize];
        assert!((at("s") - s).abs() < 1e-12 && (at("a") - a).abs() < 1e-12, "{walked:?} is not {s}, {a}");
    }

    #[test]
    fn walks_through_a_quiet_place_carry_more_than_walks_through_a_hub() {
        let crowd: Vec<String> = (0..50).map(|number| format!("x{number} p hub")).collect();
        let mut links = vec!["s p hub", "a p hub", "s p quiet", "b p quiet"];
        links.extend(crowd.iter().map(String::as_str));
        let gathered = gathering(&links);
        let graph = gathered.graph();
        let seed = Seed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let walked = walk(&graph, &[seed]);
        let at = |name: &str| walked[graph.find(name).unwrap() as usize];
        assert!(at("b") > 5.0 * at("a"), "{} and {}", at("b"), at("a"));
        assert!(at("quiet") > at("hub"), "{} and {}", at("quiet"), at("hub"));
    }

    #[test]
    fn whoever_is_not_described_has_as_many_neighbours_as_others() {
        let gathered = gathering(&["s p a", "s p b", "s p c", "s label \"known", "t p a", "t label \"known, too"]);
        let graph = gathered.graph();
        let degrees = degrees(&graph);
        let check = |name: &str, expected: f64| {
            let degree = degrees[graph.find(name).unwrap() as usize];
            assert!((degree - expected).abs() < 1e-12, "{name}: {degree} instead of {expected}");
        };

        // s has three and t one: two on average.
        check("s", 3.0);
        check("t", 1.0);
        check("a", 2.0);
        check("b", 2.0);
    }

    #[test]
    fn nobody_walks_where_there_is_no_seed() {
        let gathered = gathering(&["a p b"]);
        assert_eq!(walk(&gathered.graph(), &[]), [0.0, 0.0]);
    }
}
