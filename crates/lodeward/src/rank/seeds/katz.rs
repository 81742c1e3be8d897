//! Katz centrality: how many short walks lead to an entity (DURAARK D3.6, eq. 3).
//!
//! ```text
//! C(e_i) = Σ_{k=1..length} Σ_j α^k (A^k)_{ji}
//! ```
//!
//! `A` is the adjacency of the reference graph, taken as undirected and simple,
//! and `j` runs over all its entities: the printed `n` is the number of seeds
//! elsewhere, but the text speaks of all “entities in the knowledge graph that
//! are reachable”. `(A^k 1)_i` is the number of walks of `k` steps that end at
//! `e_i`, and needs no matrix: it is the sum of what the neighbours had one step
//! before.

use super::super::graph::{EntityGraph, EntityId};
use super::super::options::Katz;

/// The centrality of every entity, by its number. One pass over the links for
/// each step.
#[must_use]
pub fn katz(graph: &EntityGraph<'_>, options: Katz) -> Vec<f64> {
    let count = EntityId::try_from(graph.len()).expect("entities have numbers");
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
