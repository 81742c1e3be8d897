//! Random walks along the links of a graph.

use super::graph::{EntityGraph, EntityId};
use super::to_f64;

/// A walk has converged when less than this share of the probability moves in one iteration.
const CONVERGENCE_THRESHOLD: f64 = 1e-10;

/// Which links a walk follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkTransition {
    /// Links from subject to object.
    Forward,
    /// Links in either direction.
    Both,
}

/// Distribution of walks that begin at `start` (indexed by entity, with sum one), continue with
/// probability `damping`, and otherwise begin again. Walks that reach an entity without links begin
/// again, too.
///
/// Makes at most `iterations` iterations, fewer on convergence. Each is one pass over the links.
#[must_use]
pub fn walk(
    graph: &EntityGraph<'_>,
    start: &[f64],
    steps: WalkTransition,
    damping: f64,
    iterations: usize,
) -> Vec<f64> {
    let count = EntityId::try_from(graph.len()).expect("the number of entities fits into 32 bits");
    let shares: Vec<f64> = (0..count).map(|entity| transition_weight(graph, steps, entity)).collect();
    let mut probabilities = start.to_vec();
    // For each entity, the probability that moves to each of its neighbours in one step.
    let mut passed = vec![0.0; graph.len()];
    for _ in 0..iterations {
        let mut dangling = 0.0;
        for entity in 0..graph.len() {
            passed[entity] = probabilities[entity] * shares[entity];
            if shares[entity] == 0.0 {
                dangling += probabilities[entity];
            }
        }
        let mut moved = 0.0;
        for entity in 0..count {
            let index = entity as usize;
            let arrived = incoming_sum(graph, steps, entity, &passed);
            let next = (1.0 - damping) * start[index] + damping * (arrived + dangling * start[index]);
            moved += (next - probabilities[index]).abs();
            probabilities[index] = next;
        }
        if moved < CONVERGENCE_THRESHOLD {
            break;
        }
    }
    probabilities
}

/// Share of the probability of an entity that moves to each of its neighbours in one step.
pub(super) fn transition_weight(graph: &EntityGraph<'_>, steps: WalkTransition, entity: EntityId) -> f64 {
    let links = match steps {
        WalkTransition::Forward => graph.outgoing(entity).len(),
        WalkTransition::Both => graph.neighbours(entity).len(),
    };
    if links == 0 { 0.0 } else { to_f64(links as u64).recip() }
}

fn incoming_sum(graph: &EntityGraph<'_>, steps: WalkTransition, entity: EntityId, passed: &[f64]) -> f64 {
    match steps {
        WalkTransition::Forward => graph.incoming(entity).iter().map(|link| passed[link.entity as usize]).sum(),
        WalkTransition::Both => graph.neighbours(entity).iter().map(|neighbour| passed[*neighbour as usize]).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::test_graphs;

    /// Computed by hand, with damping ½ and all walks beginning at `a` of `a – b – c`: let the
    /// shares be x, y, z. x = ½ + ½·y/2, y = ½(x + z), z = ½·y/2. So x = ½ + z, y = ½(½ + 2z) = ¼ +
    /// z and z = y/4 = 1/16 + z/4, from which z = 1/12, y = 1/3, x = 7/12.
    #[test]
    fn a_walk_on_three_entities_matches_values_computed_by_hand() {
        let fact_base = fact_base_from(&["a p b", "b p c"]);
        let graph = fact_base.graph();
        let indices = ["a", "b", "c"].map(|name| graph.find(name).unwrap() as usize);
        let mut start = vec![0.0; graph.len()];
        start[indices[0]] = 1.0;

        let found = walk(&graph, &start, WalkTransition::Both, 0.5, 200);

        for (index, expected) in indices.into_iter().zip([7.0 / 12.0, 1.0 / 3.0, 1.0 / 12.0]) {
            assert!((found[index] - expected).abs() < 1e-8, "{found:?}");
        }
    }

    /// Multiplies the transition matrix repeatedly, by brute force.
    #[test]
    fn walks_match_matrix_multiplication() {
        for seed in 0..20 {
            let fact_base = test_graphs::random_fact_base(seed, 12, 20);
            let graph = fact_base.graph();
            let count = graph.len();
            let start = vec![1.0 / to_f64(count as u64); count];
            for steps in [WalkTransition::Forward, WalkTransition::Both] {
                let matrix = matrix(&graph, steps);
                let mut probabilities = start.clone();
                for _ in 0..300 {
                    let next = |to: usize| (0..count).map(|from| matrix[from][to] * probabilities[from]).sum::<f64>();
                    probabilities = (0..count).map(|to| 0.15 * start[to] + 0.85 * next(to)).collect();
                }

                let found = walk(&graph, &start, steps, 0.85, 300);

                let is_same = found.iter().zip(&probabilities).all(|(one, other)| (one - other).abs() < 1e-8);
                assert!(is_same, "{steps:?} of {seed}: {found:?}, not {probabilities:?}");
            }
        }
    }

    /// Transition probabilities; an entity without links leads to all entities.
    fn matrix(graph: &EntityGraph<'_>, steps: WalkTransition) -> Vec<Vec<f64>> {
        let count = u32::try_from(graph.len()).unwrap();
        let links = |from: u32, to: u32| match steps {
            WalkTransition::Forward => graph.outgoing(from).iter().filter(|link| link.entity == to).count() as u64,
            WalkTransition::Both => u64::from(graph.neighbours(from).contains(&to)),
        };
        let degree = |from: u32| to_f64((0..count).map(|to| links(from, to)).sum());
        let likely = |from: u32, to: u32| match degree(from) {
            0.0 => f64::from(count).recip(),
            degree => to_f64(links(from, to)) / degree,
        };
        (0..count).map(|from| (0..count).map(|to| likely(from, to)).collect()).collect()
    }
}
