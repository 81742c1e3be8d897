//! What one node knows: a graph of resources (ORCA's `RandomRDF`, Algorithm 2
//! of the paper).
//!
//! Resources are added one by one. One edge always leads to the new one, so
//! that everything can be reached from resource 0; the others lead to it or
//! away from it, and its partners are chosen by how many edges lead to them.

use super::attachment::{Attachment, degrees};
use crate::world::chance::Chance;

/// The edges of a graph, by subject.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Graph {
    pub(crate) resources: u32,
    edges: Vec<(u32, u32)>,
}

impl Graph {
    /// A graph with exactly so many triples.
    pub(crate) fn new(triples: u32, degree: u32, chance: &mut Chance) -> Self {
        let resources = resources(triples, degree);
        let mut graph = Attachment::new(|_, _| true);
        graph.add();
        let mut degrees = degrees(resources - 1, triples.into());
        for resource in 1..resources {
            graph.add();
            let degree = degrees.draw(chance);
            let before = graph.len();
            graph.link_in(resource, chance);
            // Half of all edges are to lead to it, and one does already.
            let inwards = (0.5 * f64::from(degree) - 1.0) / (f64::from(degree) - 1.0);
            for _ in 1..degree {
                if chance.happens(inwards) {
                    graph.link_in(resource, chance);
                } else {
                    graph.link_out(resource, chance);
                }
            }
            degrees.spend(graph.len() - before);
        }
        graph.fill(triples.into(), chance);
        let mut edges = graph.into_links();
        edges.sort_unstable();
        Self { resources, edges }
    }

    /// What a resource is linked to.
    pub(crate) fn of(&self, resource: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.edges.partition_point(|(subject, _)| *subject < resource);
        self.edges[start..].iter().take_while(move |(subject, _)| *subject == resource).map(|(_, object)| *object)
    }
}

/// How many resources have so many triples; more where these would not fit.
fn resources(triples: u32, degree: u32) -> u32 {
    let mut resources = (2 * u64::from(triples)).div_ceil(degree.into()).max(2);
    while resources * (resources - 1) < triples.into() {
        resources += 1;
    }
    u32::try_from(resources).expect("at most twice the number of triples")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::chance::Matter;

    #[test]
    fn a_graph_has_exactly_the_triples_and_resources_it_should() {
        let check = |triples: u32, degree: u32, expected: u32| {
            let graph = Graph::new(triples, degree, &mut Chance::of(7, Matter::Graph, triples, degree));
            assert_eq!((graph.edges.len(), graph.resources), (triples as usize, expected), "{triples} {degree}");
            let mut distinct = graph.edges.clone();
            distinct.dedup();
            assert_eq!(distinct.len(), graph.edges.len());
        };

        check(1_000, 9, 223);
        check(100, 5, 40);
        check(1, 9, 2);
        check(10, 9, 4);
        check(20_000, 6, 6_667);
    }

    #[test]
    fn everything_can_be_reached_from_resource_0() {
        for seed in 0..20 {
            let graph = Graph::new(300, 6, &mut Chance::of(seed, Matter::Graph, 0, 0));
            let mut reached = vec![false; graph.resources as usize];
            let mut waiting = vec![0];
            while let Some(resource) = waiting.pop() {
                if !std::mem::replace(&mut reached[resource as usize], true) {
                    waiting.extend(graph.of(resource));
                }
            }

            assert!(reached.iter().all(|reached| *reached), "{seed}");
        }
    }

    #[test]
    fn the_same_chance_makes_the_same_graph() {
        let graph = |seed| Graph::new(500, 9, &mut Chance::of(seed, Matter::Graph, 0, 0));

        assert_eq!(graph(1), graph(1));
        assert_ne!(graph(1), graph(2));
    }
}
