//! A weighted undirected graph, and its reduction to communities.

use foldhash::{HashMap, HashMapExt};

use crate::vectors::NeighbourGraph;

/// Nodes with their weighted edges.
#[derive(Clone, Debug)]
pub(super) struct Network {
    starts: Vec<usize>,
    edges: Vec<(u32, f64)>,
    /// Sum of the weights of all edges of a node. In a reduced network, edges inside of a node are
    /// counted here only.
    pub(super) strengths: Vec<f64>,
    /// Sum of all strengths: twice the sum of all weights.
    pub(super) total: f64,
}

impl Network {
    pub(super) fn new(graph: &NeighbourGraph) -> Self {
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, f64::from(edge.weight)));
        let mut network = Self::from_edges(graph.entities, edges.clone());
        network.strengths = vec![0.0; graph.entities];
        for (from, to, weight) in edges {
            network.strengths[from as usize] += weight;
            network.strengths[to as usize] += weight;
        }
        network.total = network.strengths.iter().sum();
        network
    }

    fn from_edges(nodes: usize, edges: impl Iterator<Item = (u32, u32, f64)> + Clone) -> Self {
        let mut starts = vec![0; nodes + 1];
        for (from, to, _) in edges.clone() {
            starts[from as usize + 1] += 1;
            starts[to as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut lists = vec![(0, 0.0); starts[nodes]];
        for (from, to, weight) in edges {
            for (one, other) in [(from, to), (to, from)] {
                lists[next[one as usize]] = (other, weight);
                next[one as usize] += 1;
            }
        }
        Self { starts, edges: lists, strengths: Vec::new(), total: 0.0 }
    }

    pub(super) fn len(&self) -> usize {
        self.strengths.len()
    }

    pub(super) fn edges(&self, node: u32) -> &[(u32, f64)] {
        &self.edges[self.starts[node as usize]..self.starts[node as usize + 1]]
    }

    /// Returns the network whose nodes are the groups of this one.
    pub(super) fn reduce(&self, groups: &[u32], count: usize) -> Self {
        let mut between: HashMap<(u32, u32), f64> = HashMap::new();
        for (node, group) in (0_u32..).zip(groups) {
            for (other, weight) in self.edges(node) {
                let other = groups[*other as usize];
                if *group < other {
                    *between.entry((*group, other)).or_default() += weight;
                }
            }
        }
        let mut edges: Vec<(u32, u32, f64)> = between.into_iter().map(|((a, b), weight)| (a, b, weight)).collect();
        edges.sort_unstable_by_key(|(from, to, _)| (*from, *to));
        let mut reduced = Self::from_edges(count, edges.into_iter());
        reduced.strengths = vec![0.0; count];
        for (strength, group) in self.strengths.iter().zip(groups) {
            reduced.strengths[*group as usize] += strength;
        }
        reduced.total = self.total;
        reduced
    }
}
