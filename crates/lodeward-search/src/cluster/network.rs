//! A weighted undirected graph, and its reduction to communities.

use crate::numbers::single;
use crate::vectors::NeighbourGraph;

/// Nodes with their weighted edges.
#[derive(Clone, Debug)]
pub(super) struct Network {
    starts: Vec<usize>,
    edges: Vec<(u32, f32)>,
    /// Sum of the weights of all edges of a node. In a reduced network, edges inside of a node are
    /// counted here only.
    pub(super) strengths: Vec<f64>,
    /// Sum of all strengths: twice the sum of all weights.
    pub(super) total: f64,
}

impl Network {
    pub(super) fn new(graph: &NeighbourGraph) -> Self {
        let edges = graph.edges.iter().map(|edge| (edge.from, edge.to, f64::from(edge.weight)));
        let mut network =
            Self::from_edges(graph.entities, graph.edges.iter().map(|edge| (edge.from, edge.to, edge.weight)));
        network.strengths = vec![0.0; graph.entities];
        for (from, to, weight) in edges {
            network.strengths[from as usize] += weight;
            network.strengths[to as usize] += weight;
        }
        network.total = network.strengths.iter().sum();
        network
    }

    fn from_edges(nodes: usize, edges: impl Iterator<Item = (u32, u32, f32)> + Clone) -> Self {
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

    pub(super) fn edges(&self, node: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let range = self.starts[node as usize]..self.starts[node as usize + 1];
        self.edges[range].iter().map(|(other, weight)| (*other, f64::from(*weight)))
    }

    /// Returns the network whose nodes are the groups of this one.
    pub(super) fn reduce(&self, groups: &[u32], count: usize) -> Self {
        let (starts, members) = members_by_group(groups, count);
        let mut reduced = Self { starts: vec![0], edges: Vec::new(), strengths: vec![0.0; count], total: self.total };
        let mut sums = vec![0.0; count];
        let mut found: Vec<u32> = Vec::new();
        for group in 0..count {
            for node in &members[starts[group]..starts[group + 1]] {
                reduced.strengths[group] += self.strengths[*node as usize];
                for (other, weight) in self.edges(*node) {
                    let other = groups[other as usize];
                    if sums[other as usize] == 0.0 {
                        found.push(other);
                    }
                    sums[other as usize] += weight;
                }
            }
            found.sort_unstable();
            for other in found.drain(..) {
                let weight = std::mem::take(&mut sums[other as usize]);
                if other as usize != group {
                    reduced.edges.push((other, single(weight)));
                }
            }
            reduced.starts.push(reduced.edges.len());
        }
        reduced
    }
}

/// Nodes sorted by group, and the start of each group.
fn members_by_group(groups: &[u32], count: usize) -> (Vec<usize>, Vec<u32>) {
    let mut starts = vec![0; count + 1];
    for group in groups {
        starts[*group as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut next = starts.clone();
    let mut members = vec![0; groups.len()];
    for (node, group) in (0_u32..).zip(groups) {
        members[next[*group as usize]] = node;
        next[*group as usize] += 1;
    }
    (starts, members)
}
