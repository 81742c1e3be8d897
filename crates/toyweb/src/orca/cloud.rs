//! Generates the nodes of an ORCA world and the links between them (ORCA's `RandomCloudGraph`, section 4 of its paper).
//!
//! Nodes are added one by one, with the kinds interleaved in proportion. Each gets some links to and from existing
//! nodes, which are chosen by their in-degree (Barabási–Albert). A CKAN catalogue never links to a dereferencing node.
//! Seeds are chosen so that every node is reachable.
//!
//! One departure from the paper: the number of nodes of a kind follows from the weights alone and is not random.

use serde::{Deserialize, Serialize};

use super::attachment::{Attachment, degrees};
use super::parameters::{NodeWeights, OrcaParameters};
use crate::world::chance_stream::{ChanceStream, ChanceTopic};

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NodeKind {
    /// A CKAN catalogue.
    Ckan,
    /// Dereferenceable resources.
    #[serde(rename = "deref")]
    Dereferencing,
    /// One dump, compressed or not.
    Dump,
    /// Pages with RDFa.
    Rdfa,
    /// A SPARQL endpoint.
    Sparql,
}

impl NodeKind {
    /// All kinds, in the order in which nodes are numbered.
    pub const ALL: [Self; 5] = [Self::Ckan, Self::Dereferencing, Self::Dump, Self::Rdfa, Self::Sparql];

    /// The name of the kind, as used in host names.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Ckan => "ckan",
            Self::Dereferencing => "deref",
            Self::Dump => "dump",
            Self::Rdfa => "rdfa",
            Self::Sparql => "sparql",
        }
    }

    fn may_link_to(self, other: Self) -> bool {
        (self, other) != (Self::Ckan, Self::Dereferencing)
    }
}

/// The nodes by number, grouped by kind, and their links.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NodeCloud {
    pub(crate) kinds: Vec<NodeKind>,
    /// The nodes that each node links to, in order.
    pub(crate) links: Vec<Vec<u32>>,
    /// Nodes from which every node is reachable.
    pub(crate) seeds: Vec<u32>,
}

impl NodeCloud {
    pub(crate) fn new(parameters: &OrcaParameters) -> Self {
        let order = interleave_kinds(&counts(&parameters.weights, parameters.nodes));
        let target = (u64::from(parameters.nodes) * u64::from(parameters.node_degree)).div_ceil(2);
        let edges = generate_links(&order, target, &mut ChanceStream::new(parameters.seed, ChanceTopic::Cloud, 0, 0));
        // Renumbers the nodes: from the order of creation to the order of kinds.
        let mut by_kind: Vec<usize> = (0..order.len()).collect();
        by_kind.sort_by_key(|created| order[*created]);
        let mut numbers = vec![0; order.len()];
        for (number, created) in by_kind.iter().enumerate() {
            numbers[*created] = u32::try_from(number).expect("the number of nodes is a u32");
        }
        let mut links = vec![Vec::new(); order.len()];
        for (from, to) in edges {
            links[numbers[from as usize] as usize].push(numbers[to as usize]);
        }
        for targets in &mut links {
            targets.sort_unstable();
        }
        let seeds = seeds(&links);
        Self { kinds: by_kind.iter().map(|created| order[*created]).collect(), links, seeds }
    }
}

/// The number of nodes of each kind: at least one of each kind with a weight, the rest by weight, the remainder to the
/// largest fractions.
fn counts(weights: &NodeWeights, nodes: u32) -> [u32; 5] {
    let weights = weights.to_array();
    let sum: f64 = weights.iter().sum();
    let ideal = weights.map(|weight| weight / sum * f64::from(nodes));
    let mut counts = [0_u32; 5];
    for (count, (weight, ideal)) in counts.iter_mut().zip(weights.iter().zip(ideal)) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the value is at most `nodes`")]
        let whole = ideal as u32;
        *count = if *weight > 0.0 { whole.max(1) } else { 0 };
    }
    let deficit = |counts: &[u32; 5], kind: usize| ideal[kind] - f64::from(counts[kind]);
    while counts.iter().sum::<u32>() != nodes {
        let present = (0..5).filter(|kind| weights[*kind] > 0.0);
        let by_deficit = |left: &usize, right: &usize| deficit(&counts, *left).total_cmp(&deficit(&counts, *right));
        if counts.iter().sum::<u32>() < nodes {
            counts[present.max_by(by_deficit).expect("a kind has a weight above 0")] += 1;
        } else {
            let spare = present.filter(|kind| counts[*kind] > 1);
            counts[spare.min_by(by_deficit).expect("a kind has more than one node")] -= 1;
        }
    }
    counts
}

/// The kinds in the order of creation: one of each first, then always the kind that is furthest behind its share.
fn interleave_kinds(counts: &[u32; 5]) -> Vec<NodeKind> {
    let nodes: u32 = counts.iter().sum();
    let mut created = [0_u32; 5];
    let mut order = Vec::with_capacity(nodes as usize);
    for (index, kind) in NodeKind::ALL.into_iter().enumerate().filter(|(index, _)| counts[*index] > 0) {
        created[index] = 1;
        order.push(kind);
    }
    while order.len() < nodes as usize {
        let left = (0..5).filter(|index| created[*index] < counts[*index]);
        let progress = |index: &usize| f64::from(created[*index]) / f64::from(counts[*index]);
        let next = left.min_by(|one, other| progress(one).total_cmp(&progress(other))).expect("a kind is incomplete");
        created[next] += 1;
        order.push(NodeKind::ALL[next]);
    }
    order
}

/// The links between nodes, numbered in the order of creation.
fn generate_links(order: &[NodeKind], target: u64, chance: &mut ChanceStream) -> Vec<(u32, u32)> {
    let permitted = |from: u32, to: u32| order[from as usize].may_link_to(order[to as usize]);
    let kinds = NodeKind::ALL.iter().filter(|kind| order.contains(kind)).count();
    let nodes = u32::try_from(order.len()).expect("the number of nodes is a u32");
    let first = u32::try_from(kinds).expect("a handful").max(2).min(nodes);
    let mut graph = Attachment::new(permitted);
    (0..first).for_each(|_| graph.add());
    for node in 0..first {
        graph.add_edge_from(node, chance);
    }
    let mut degrees = degrees(nodes - first, target.saturating_sub(graph.len()));
    for node in first..nodes {
        let degree = degrees.draw(chance);
        let out = if degree == 1 { u32::from(chance.bernoulli(0.5)) } else { degree / 2 };
        graph.add();
        let before = graph.len();
        for edge in 0..degree {
            if edge < out {
                graph.add_edge_from(node, chance);
            } else {
                graph.add_edge_to(node, chance);
            }
        }
        degrees.consume(graph.len() - before);
    }
    // Early nodes have few possible partners and get too few links, so the missing links are added here.
    graph.fill(target, chance);
    graph.into_links()
}

/// The seeds: every node without incoming links, then repeatedly the first unreachable node, until all nodes are
/// reachable.
fn seeds(links: &[Vec<u32>]) -> Vec<u32> {
    let count = u32::try_from(links.len()).expect("the number of nodes is a u32");
    let mut has_link = vec![false; links.len()];
    links.iter().flatten().for_each(|to| has_link[*to as usize] = true);
    let mut reached = vec![false; links.len()];
    let mut seeds = Vec::new();
    let without = (0..count).filter(|node| !has_link[*node as usize]);
    for node in without.chain(0..count) {
        if reached[node as usize] {
            continue;
        }
        seeds.push(node);
        let mut stack = vec![node];
        while let Some(node) = stack.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                stack.extend(&links[node as usize]);
            }
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(preset: &str) -> (OrcaParameters, NodeCloud) {
        let parameters = OrcaParameters::preset(preset).expect("a preset");
        let cloud = NodeCloud::new(&parameters);
        (parameters, cloud)
    }

    #[test]
    fn the_data_web_has_the_nodes_of_the_paper() {
        let (_, cloud) = cloud("data-web");

        let counts = NodeKind::ALL.map(|kind| cloud.kinds.iter().filter(|other| **other == kind).count());
        assert_eq!(counts, [5, 21, 40, 4, 30]);
        assert!(cloud.kinds.is_sorted());
    }

    #[test]
    fn nodes_have_the_requested_degree() {
        for preset in OrcaParameters::PRESETS {
            let (parameters, cloud) = cloud(preset);
            let links = cloud.links.iter().map(Vec::len).sum::<usize>();
            let expected = (parameters.nodes * parameters.node_degree).div_ceil(2);

            assert_eq!(links, expected as usize, "{preset}");
        }
    }

    #[test]
    fn links_are_distinct_permitted_and_skewed() {
        let (_, cloud) = cloud("data-web");
        let mut incoming = vec![0; cloud.kinds.len()];
        for (from, links) in cloud.links.iter().enumerate() {
            assert!(links.windows(2).all(|pair| pair[0] < pair[1]), "{from}");
            for to in links {
                assert_ne!(from, *to as usize);
                assert!(cloud.kinds[from].may_link_to(cloud.kinds[*to as usize]));
                incoming[*to as usize] += 1;
            }
        }
        let max_incoming = incoming.iter().max().expect("nodes");
        assert!(*max_incoming > 30, "preferential attachment makes hubs: {max_incoming}");
    }

    #[test]
    fn every_node_is_reached_from_the_seeds() {
        for seed in 0..20 {
            let parameters = OrcaParameters { seed, ..OrcaParameters::preset("data-web-small").expect("a preset") };
            let cloud = NodeCloud::new(&parameters);
            let mut reached = vec![false; cloud.kinds.len()];
            let mut stack = cloud.seeds.clone();
            while let Some(node) = stack.pop() {
                if !std::mem::replace(&mut reached[node as usize], true) {
                    stack.extend(&cloud.links[node as usize]);
                }
            }

            assert!(reached.iter().all(|reached| *reached), "{seed}");
            assert_eq!(cloud, NodeCloud::new(&parameters), "the cloud is reproducible");
        }
    }

    #[test]
    fn a_world_of_one_node_has_no_links_and_one_seed() {
        let weights = NodeWeights { ckan: 0.0, dereferencing: 1.0, dump: 0.0, rdfa: 0.0, sparql: 0.0 };
        let cloud = NodeCloud::new(&OrcaParameters { nodes: 1, weights, ..OrcaParameters::default() });

        assert_eq!((cloud.links, cloud.seeds), (vec![vec![]], vec![0]));
    }
}
