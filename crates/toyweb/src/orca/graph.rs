//! The resource graph of one node (ORCA's `RandomRDF`, Algorithm 2 of the paper).
//!
//! Resources are added one by one. One edge always leads to the new resource, so that all are reachable from resource
//! 0. The other edges lead to it or from it. Its partners are chosen by their in-degree.

use super::attachment::{Attachment, degrees};
use crate::world::chance_stream::ChanceStream;

/// The edges of a graph, by subject.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ResourceGraph {
    pub(crate) resources: u32,
    edges: Vec<(u32, u32)>,
}

impl ResourceGraph {
    /// Generates a graph with exactly `triples` triples.
    pub(crate) fn new(triples: u32, degree: u32, chance: &mut ChanceStream) -> Self {
        let resources = resource_count(triples, degree);
        let mut graph = Attachment::new(|_, _| true);
        graph.add();
        let mut degrees = degrees(resources - 1, triples.into());
        for resource in 1..resources {
            graph.add();
            let degree = degrees.draw(chance);
            let before = graph.len();
            graph.add_edge_to(resource, chance);
            // On average, half of the edges lead to the resource. One already does, so the probability for the others
            // is lower.
            let inwards = (0.5 * f64::from(degree) - 1.0) / (f64::from(degree) - 1.0);
            for _ in 1..degree {
                if chance.bernoulli(inwards) {
                    graph.add_edge_to(resource, chance);
                } else {
                    graph.add_edge_from(resource, chance);
                }
            }
            degrees.consume(graph.len() - before);
        }
        graph.fill(triples.into(), chance);
        let mut edges = graph.into_links();
        edges.sort_unstable();
        Self { resources, edges }
    }

    /// The resources that a resource links to.
    pub(crate) fn linked_resources(&self, resource: u32) -> impl Iterator<Item = u32> + '_ {
        let start = self.edges.partition_point(|(subject, _)| *subject < resource);
        self.edges[start..].iter().take_while(move |(subject, _)| *subject == resource).map(|(_, object)| *object)
    }
}

/// The number of resources of a graph with `triples` triples and this mean degree. The number
/// is increased if the resources could not have `triples` distinct edges.
fn resource_count(triples: u32, degree: u32) -> u32 {
    let mut resources = (2 * u64::from(triples)).div_ceil(degree.into()).max(2);
    while resources * (resources - 1) < triples.into() {
        resources += 1;
    }
    u32::try_from(resources).expect("the number of resources is at most twice `triples`")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::chance_stream::ChanceTopic;

    #[test]
    fn a_graph_has_the_requested_triples_and_resources() {
        let check = |triples: u32, degree: u32, expected: u32| {
            let graph =
                ResourceGraph::new(triples, degree, &mut ChanceStream::new(7, ChanceTopic::Graph, triples, degree));
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
    fn every_resource_is_reachable_from_resource_0() {
        for seed in 0..20 {
            let graph = ResourceGraph::new(300, 6, &mut ChanceStream::new(seed, ChanceTopic::Graph, 0, 0));
            let mut reached = vec![false; graph.resources as usize];
            let mut stack = vec![0];
            while let Some(resource) = stack.pop() {
                if !std::mem::replace(&mut reached[resource as usize], true) {
                    stack.extend(graph.linked_resources(resource));
                }
            }

            assert!(reached.iter().all(|reached| *reached), "{seed}");
        }
    }

    #[test]
    fn equal_seeds_give_equal_graphs() {
        let graph = |seed| ResourceGraph::new(500, 9, &mut ChanceStream::new(seed, ChanceTopic::Graph, 0, 0));

        assert_eq!(graph(1), graph(1));
        assert_ne!(graph(1), graph(2));
    }
}
