//! Katz centrality: the number of short walks to an entity (DURAARK D3.6, eq. 3).
//!
//! ```text
//! C(e_i) = Σ_{k=1..length} Σ_j α^k (A^k)_{ji}
//! ```
//!
//! `A` is the adjacency of the reference graph, taken as undirected and simple, and `j` runs over
//! all its entities: elsewhere the printed `n` is the number of seeds, but the text refers to all
//! “entities in the knowledge graph that are reachable”. `(A^k 1)_i` is the number of walks of `k`
//! steps that end at `e_i`. It needs no matrix: it is the sum of the neighbours' values of the
//! previous step.

use super::super::graph::{EntityGraph, EntityId};
use super::super::options::KatzOptions;

/// The centrality of every entity, indexed by its number. Makes one pass over the links per step.
#[must_use]
pub(crate) fn katz(graph: &EntityGraph<'_>, options: KatzOptions) -> Vec<f64> {
    let count = EntityId::try_from(graph.len()).expect("the number of entities fits into 32 bits");
    let mut walks = vec![1.0; graph.len()];
    let mut longer = vec![0.0; graph.len()];
    let mut centrality = vec![0.0; graph.len()];
    let mut factor = 1.0;
    for _ in 0..options.length {
        factor *= options.alpha;
        for entity in 0..count {
            let walks_to = graph.neighbours(entity).iter().map(|neighbour| walks[*neighbour as usize]);
            longer[entity as usize] = walks_to.sum();
            centrality[entity as usize] += factor * longer[entity as usize];
        }
        std::mem::swap(&mut walks, &mut longer);
    }
    centrality
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::test_graphs;

    /// Computed by hand, on `a – b – c` with α = ½ and walks of up to two steps: one step leads to
    /// `a` from b, to `b` from a and c. Two steps lead to `a` from a and c (by b), and to `b` from
    /// b twice. C(a) = ½·1 + ¼·2 = 1, C(b) = ½·2 + ¼·2 = 1½.
    #[test]
    fn centrality_matches_values_computed_by_hand() {
        let fact_base = fact_base_from(&["a p b", "c p b", "c q b"]);
        let graph = fact_base.graph();
        let found = katz(&graph, KatzOptions { alpha: 0.5, length: 2 });
        for (name, expected) in [("a", 1.0), ("b", 1.5), ("c", 1.0)] {
            let centrality = found[graph.find(name).unwrap() as usize];
            assert!((centrality - expected).abs() < 1e-12, "{name}: {centrality}");
        }
    }

    /// Computes powers of the adjacency matrix, by brute force.
    #[test]
    fn centrality_matches_matrix_powers() {
        for seed in 0..20 {
            let fact_base = test_graphs::random_fact_base(seed, 12, 20);
            let graph = fact_base.graph();
            let count = graph.len();
            let link = |one: usize, other: usize| {
                let [one, other] = [one, other].map(|entity| u32::try_from(entity).unwrap());
                f64::from(u8::from(graph.neighbours(one).contains(&other)))
            };
            let mut power: Vec<Vec<f64>> =
                (0..count).map(|one| (0..count).map(|other| f64::from(u8::from(one == other))).collect()).collect();
            let mut expected = vec![0.0; count];
            for step in 1..=5 {
                let cell = |row: &[f64], other| (0..count).map(|via| row[via] * link(via, other)).sum::<f64>();
                power = power.iter().map(|row| (0..count).map(|other| cell(row, other)).collect()).collect();
                for (entity, sum) in expected.iter_mut().enumerate() {
                    *sum += 0.05_f64.powi(step) * power.iter().map(|row| row[entity]).sum::<f64>();
                }
            }

            let found = katz(&graph, KatzOptions::default());

            assert!(found.iter().zip(&expected).all(|(one, other)| (one - other).abs() < 1e-12), "{found:?}");
        }
    }
}
