//! Walks along the links of a graph.

use super::graph::{EntityGraph, EntityId};
use super::real;

/// When less than this share of all moves in a step, it has settled.
const SETTLED: f64 = 1e-10;

/// How a walk goes from an entity to the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Along links, from subject to object.
    Forward,
    /// Along links in either direction.
    Both,
}

/// Where walks are that begin at `start` (by the numbers of entities, summing up
/// to one), go on with the probability `damping`, and begin again otherwise. Those
/// who cannot go on begin again, too.
///
/// At most so many iterations are made, fewer if nothing moves any more. Each is
/// one pass over the links.
#[must_use]
pub fn walk(graph: &EntityGraph<'_>, start: &[f64], steps: Steps, damping: f64, iterations: usize) -> Vec<f64> {
    let count = EntityId::try_from(graph.len()).expect("entities have numbers");
    let shares: Vec<f64> = (0..count).map(|entity| share(graph, steps, entity)).collect();
    let mut here = start.to_vec();
    // What each entity hands to each of those it is linked with.
    let mut handed = vec![0.0; graph.len()];
    for _ in 0..iterations {
        let mut stranded = 0.0;
        for entity in 0..graph.len() {
            handed[entity] = here[entity] * shares[entity];
            if shares[entity] == 0.0 {
                stranded += here[entity];
            }
        }
        let mut moved = 0.0;
        for entity in 0..count {
            let place = entity as usize;
            let arrived = sum_of_sources(graph, steps, entity, &handed);
            let next = (1.0 - damping) * start[place] + damping * (arrived + stranded * start[place]);
            moved += (next - here[place]).abs();
            here[place] = next;
        }
        if moved < SETTLED {
            break;
        }
    }
    here
}

/// What share of what it has an entity hands to each of those it is linked with.
pub(super) fn share(graph: &EntityGraph<'_>, steps: Steps, entity: EntityId) -> f64 {
    let links = match steps {
        Steps::Forward => graph.outgoing(entity).len(),
        Steps::Both => graph.neighbours(entity).len(),
    };
    if links == 0 { 0.0 } else { real(links as u64).recip() }
}

fn sum_of_sources(graph: &EntityGraph<'_>, steps: Steps, entity: EntityId, handed: &[f64]) -> f64 {
    match steps {
        Steps::Forward => graph.incoming(entity).iter().map(|link| handed[link.entity as usize]).sum(),
        Steps::Both => graph.neighbours(entity).iter().map(|neighbour| handed[*neighbour as usize]).sum(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;
    use crate::rank::random;

    /// By hand, with damping ½ and all walks beginning at `a` of `a – b – c`: let
    /// the shares be x, y, z. x = ½ + ½·y/2, y = ½(x + z), z = ½·y/2. So
    /// x = ½ + z, y = ½(½ + 2z) = ¼ + z and z = y/4 = 1/16 + z/4, from which
    /// z = 1/12, y = 1/3, x = 7/12.
    #[test]
    fn a_walk_on_three_entities_is_the_one_worked_out_by_hand() {
        let gathered = gathering(&["a p b", "b p c"]);
        let graph = gathered.graph();
        let places = ["a", "b", "c"].map(|name| graph.find(name).unwrap() as usize);
        let mut start = vec![0.0; graph.len()];
        start[places[0]] = 1.0;

        let found = walk(&graph, &start, Steps::Both, 0.5, 200);

        for (place, expected) in places.into_iter().zip([7.0 / 12.0, 1.0 / 3.0, 1.0 / 12.0]) {
            assert!((found[place] - expected).abs() < 1e-8, "{found:?}");
        }
    }

    /// Brute force: a matrix, multiplied again and again.
    #[test]
    fn walks_are_those_of_the_matrix() {
        for seed in 0..20 {
            let gathered = random::gathering(seed, 12, 20);
            let graph = gathered.graph();
            let count = graph.len();
            let start = vec![1.0 / real(count as u64); count];
            for steps in [Steps::Forward, Steps::Both] {
                let matrix = matrix(&graph, steps);
                let mut here = start.clone();
                for _ in 0..300 {
                    let next = |to: usize| (0..count).map(|from| matrix[from][to] * here[from]).sum::<f64>();
                    here = (0..count).map(|to| 0.15 * start[to] + 0.85 * next(to)).collect();
                }

                let found = walk(&graph, &start, steps, 0.85, 300);

                let is_same = found.iter().zip(&here).all(|(one, other)| (one - other).abs() < 1e-8);
                assert!(is_same, "{steps:?} of {seed}: {found:?}, not {here:?}");
            }
        }
    }

    /// How likely each step is; who cannot go anywhere goes everywhere.
    fn matrix(graph: &EntityGraph<'_>, steps: Steps) -> Vec<Vec<f64>> {
        let count = u32::try_from(graph.len()).unwrap();
        let links = |from: u32, to: u32| match steps {
            Steps::Forward => graph.outgoing(from).iter().filter(|link| link.entity == to).count() as u64,
            Steps::Both => u64::from(graph.neighbours(from).contains(&to)),
        };
        let degree = |from: u32| real((0..count).map(|to| links(from, to)).sum());
        let likely = |from: u32, to: u32| match degree(from) {
            0.0 => f64::from(count).recip(),
            degree => real(links(from, to)) / degree,
        };
        (0..count).map(|from| (0..count).map(|to| likely(from, to)).collect()).collect()
    }
}
