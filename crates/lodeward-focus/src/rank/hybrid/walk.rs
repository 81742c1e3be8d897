//! Computes a random walk from the seeds.
//!
//! ```text
//! walk_0 = start,   walk_k+1 = 0.3 · start + 0.7 · S · walk_k,   S_ij = 1 / √(degree_i · degree_j)
//! ```
//!
//! `start` is divided evenly among the seeds. Plain personalised `PageRank` divides by the degree
//! of the source only, and so favours hubs; here the degree of the target counts, too. Links are
//! followed in both directions, and count once. For an entity without a description, only the links
//! from documents that were read are known. Such an entity is assumed to have at least the mean
//! number of links; otherwise a crawl would overrate entities that were mentioned once.

use super::has_description;
use crate::rank::graph::EntityGraph;
use crate::rank::{GraphSeed, to_f64};

/// Probability that a walk restarts at a seed, at each step.
const RESTART_PROBABILITY: f64 = 0.3;
/// Number of steps; further steps do not change the order.
const STEPS: usize = 6;
/// Offset in the logarithm. It makes the scores of smaller probabilities nearly equal.
const SCORE_OFFSET: f64 = 1e-6;

/// The score of an entity with this share of the walk.
pub(super) fn score(walked: f64) -> f64 {
    (walked + SCORE_OFFSET).ln()
}

/// The share of the walk at each entity.
pub(super) fn walk(graph: &EntityGraph<'_>, seeds: &[GraphSeed]) -> Vec<f64> {
    let mut start = vec![0.0; graph.len()];
    for seed in seeds {
        start[seed.entity as usize] += to_f64(seeds.len() as u64).recip();
    }
    let damping: Vec<f64> = degrees(graph).into_iter().map(|degree| degree.max(1.0).sqrt().recip()).collect();
    let mut walked = start.clone();
    for _ in 0..STEPS {
        let sent: Vec<f64> = walked.iter().zip(&damping).map(|(walked, damping)| walked * damping).collect();
        for (entity, walked) in (0..).zip(&mut walked) {
            let arrived: f64 = graph.neighbours(entity).iter().map(|&neighbour| sent[neighbour as usize]).sum();
            let index = entity as usize;
            *walked = RESTART_PROBABILITY * start[index] + (1.0 - RESTART_PROBABILITY) * damping[index] * arrived;
        }
    }
    walked
}

/// Number of neighbours of each entity, known or estimated.
fn degrees(graph: &EntityGraph<'_>) -> Vec<f64> {
    let is_known: Vec<bool> = (0..).take(graph.len()).map(|entity| has_description(graph, entity)).collect();
    let mut degrees: Vec<f64> =
        (0..).take(graph.len()).map(|entity| to_f64(graph.neighbours(entity).len() as u64)).collect();
    let known = || degrees.iter().zip(&is_known).filter(|(_, is_known)| **is_known);
    let mean = known().map(|(degree, _)| degree).sum::<f64>() / to_f64(known().count().max(1) as u64);
    for (degree, _) in degrees.iter_mut().zip(&is_known).filter(|(_, is_known)| !**is_known) {
        *degree = degree.max(mean);
    }
    degrees
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;

    #[test]
    fn a_walk_along_one_link_goes_back_and_forth() {
        // Both ends have degree 1, so S swaps them: with s and a after k steps,
        // s' = 0.3 + 0.7 a and a' = 0.7 s.
        let fact_base = fact_base_from(&["s p a"]);
        let graph = fact_base.graph();
        let seed = GraphSeed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let (mut s, mut a) = (1.0, 0.0);
        for _ in 0..STEPS {
            (s, a) = (0.3 + 0.7 * a, 0.7 * s);
        }

        let walked = walk(&graph, &[seed]);
        let at = |name: &str| walked[graph.find(name).unwrap() as usize];
        assert!((at("s") - s).abs() < 1e-12 && (at("a") - a).abs() < 1e-12, "{walked:?} is not {s}, {a}");
    }

    #[test]
    fn walks_through_an_entity_with_few_links_carry_more_than_through_a_hub() {
        let others: Vec<String> = (0..50).map(|number| format!("x{number} p hub")).collect();
        let mut links = vec!["s p hub", "a p hub", "s p quiet", "b p quiet"];
        links.extend(others.iter().map(String::as_str));
        let fact_base = fact_base_from(&links);
        let graph = fact_base.graph();
        let seed = GraphSeed { entity: graph.find("s").unwrap(), weight: 1.0 };
        let walked = walk(&graph, &[seed]);
        let at = |name: &str| walked[graph.find(name).unwrap() as usize];
        assert!(at("b") > 5.0 * at("a"), "{} and {}", at("b"), at("a"));
        assert!(at("quiet") > at("hub"), "{} and {}", at("quiet"), at("hub"));
    }

    #[test]
    fn an_entity_without_description_has_at_least_the_mean_degree() {
        let fact_base =
            fact_base_from(&["s p a", "s p b", "s p c", "s label \"known", "t p a", "t label \"known, too"]);
        let graph = fact_base.graph();
        let degrees = degrees(&graph);
        let check = |name: &str, expected: f64| {
            let degree = degrees[graph.find(name).unwrap() as usize];
            assert!((degree - expected).abs() < 1e-12, "{name}: {degree} instead of {expected}");
        };

        // s has three neighbours and t has one: two on average.
        check("s", 3.0);
        check("t", 1.0);
        check("a", 2.0);
        check("b", 2.0);
    }

    #[test]
    fn without_seeds_the_walk_is_empty() {
        let fact_base = fact_base_from(&["a p b"]);
        assert_eq!(walk(&fact_base.graph(), &[]), [0.0, 0.0]);
    }
}
