//! The nodes of an ORCA world, and how they link (ORCA's
//! `RandomCloudGraph`, told in section 4 of its paper).
//!
//! Nodes are added one by one, kinds interleaved in proportion, each with some
//! links to and from those that are there already, which are chosen by how
//! many links lead to them (Barabási–Albert). A CKAN catalogue never links to
//! a dereferencing node. Seeds are chosen so that everything can be reached.
//!
//! One departure: how many nodes of a kind there are follows from the weights
//! alone, and is not drawn.

use serde::{Deserialize, Serialize};

use super::attachment::{Attachment, degrees};
use super::parameters::{Parameters, Weights};
use crate::world::chance::{Chance, Matter};

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A CKAN catalogue.
    Ckan,
    /// Resources that can be looked up.
    #[serde(rename = "deref")]
    Dereferencing,
    /// One dump, packed or not.
    Dump,
    /// Pages with RDFa.
    Rdfa,
    /// A SPARQL endpoint.
    Sparql,
}

impl Kind {
    /// All kinds, in the order in which nodes are numbered.
    pub const ALL: [Self; 5] = [Self::Ckan, Self::Dereferencing, Self::Dump, Self::Rdfa, Self::Sparql];

    /// What hosts of this kind are called.
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

/// The nodes by number, those of a kind next to each other, and their links.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Cloud {
    pub(crate) kinds: Vec<Kind>,
    /// The nodes that each node links to, in order.
    pub(crate) links: Vec<Vec<u32>>,
    /// Where to start so that every node is reached.
    pub(crate) seeds: Vec<u32>,
}

impl Cloud {
    pub(crate) fn new(parameters: &Parameters) -> Self {
        let order = interleaved(&counts(&parameters.weights, parameters.nodes));
        let wanted = (u64::from(parameters.nodes) * u64::from(parameters.node_degree)).div_ceil(2);
        let edges = grow(&order, wanted, &mut Chance::of(parameters.seed, Matter::Cloud, 0, 0));
        // Numbers as nodes were made are turned into numbers by kind.
        let mut by_kind: Vec<usize> = (0..order.len()).collect();
        by_kind.sort_by_key(|made| order[*made]);
        let mut numbers = vec![0; order.len()];
        for (number, made) in by_kind.iter().enumerate() {
            numbers[*made] = u32::try_from(number).expect("nodes are counted in 32 bits");
        }
        let mut links = vec![Vec::new(); order.len()];
        for (from, to) in edges {
            links[numbers[from as usize] as usize].push(numbers[to as usize]);
        }
        for targets in &mut links {
            targets.sort_unstable();
        }
        let seeds = seeds(&links);
        Self { kinds: by_kind.iter().map(|made| order[*made]).collect(), links, seeds }
    }
}

/// How many nodes of each kind: one of each that has a weight, the rest by
/// weight, what is left over to the largest remainders.
fn counts(weights: &Weights, nodes: u32) -> [u32; 5] {
    let weights = weights.in_order();
    let sum: f64 = weights.iter().sum();
    let ideal = weights.map(|weight| weight / sum * f64::from(nodes));
    let mut counts = [0_u32; 5];
    for (count, (weight, ideal)) in counts.iter_mut().zip(weights.iter().zip(ideal)) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of a 32-bit number")]
        let whole = ideal as u32;
        *count = if *weight > 0.0 { whole.max(1) } else { 0 };
    }
    let lack = |counts: &[u32; 5], kind: usize| ideal[kind] - f64::from(counts[kind]);
    while counts.iter().sum::<u32>() != nodes {
        let present = (0..5).filter(|kind| weights[*kind] > 0.0);
        let by_lack = |left: &usize, right: &usize| lack(&counts, *left).total_cmp(&lack(&counts, *right));
        if counts.iter().sum::<u32>() < nodes {
            counts[present.max_by(by_lack).expect("some kind has a weight")] += 1;
        } else {
            let spare = present.filter(|kind| counts[*kind] > 1);
            counts[spare.min_by(by_lack).expect("there are as many nodes as kinds")] -= 1;
        }
    }
    counts
}

/// The kinds of nodes in the order they are made: one of each first, then
/// always the kind that lags behind its share the most.
fn interleaved(counts: &[u32; 5]) -> Vec<Kind> {
    let nodes: u32 = counts.iter().sum();
    let mut made = [0_u32; 5];
    let mut order = Vec::with_capacity(nodes as usize);
    for (index, kind) in Kind::ALL.into_iter().enumerate().filter(|(index, _)| counts[*index] > 0) {
        made[index] = 1;
        order.push(kind);
    }
    while order.len() < nodes as usize {
        let left = (0..5).filter(|index| made[*index] < counts[*index]);
        let progress = |index: &usize| f64::from(made[*index]) / f64::from(counts[*index]);
        let next = left.min_by(|one, other| progress(one).total_cmp(&progress(other))).expect("some are left");
        made[next] += 1;
        order.push(Kind::ALL[next]);
    }
    order
}

/// The links between nodes, numbered as they are made.
fn grow(order: &[Kind], wanted: u64, chance: &mut Chance) -> Vec<(u32, u32)> {
    let permitted = |from: u32, to: u32| order[from as usize].may_link_to(order[to as usize]);
    let kinds = Kind::ALL.iter().filter(|kind| order.contains(kind)).count();
    let nodes = u32::try_from(order.len()).expect("nodes are counted in 32 bits");
    let first = u32::try_from(kinds).expect("a handful").max(2).min(nodes);
    let mut graph = Attachment::new(permitted);
    (0..first).for_each(|_| graph.add());
    for node in 0..first {
        graph.link_out(node, chance);
    }
    let mut degrees = degrees(nodes - first, wanted.saturating_sub(graph.len()));
    for node in first..nodes {
        let degree = degrees.draw(chance);
        let out = if degree == 1 { u32::from(chance.happens(0.5)) } else { degree / 2 };
        graph.add();
        let before = graph.len();
        for edge in 0..degree {
            if edge < out {
                graph.link_out(node, chance);
            } else {
                graph.link_in(node, chance);
            }
        }
        degrees.spend(graph.len() - before);
    }
    // Early nodes have few to link to: what they left is made up for at the end.
    graph.fill(wanted, chance);
    graph.into_links()
}

/// Every node that nothing leads to, and then the first that is not reached,
/// until all are.
fn seeds(links: &[Vec<u32>]) -> Vec<u32> {
    let count = u32::try_from(links.len()).expect("nodes are counted in 32 bits");
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
        let mut waiting = vec![node];
        while let Some(node) = waiting.pop() {
            if !std::mem::replace(&mut reached[node as usize], true) {
                waiting.extend(&links[node as usize]);
            }
        }
    }
    seeds
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cloud(preset: &str) -> (Parameters, Cloud) {
        let parameters = Parameters::preset(preset).expect("a preset");
        let cloud = Cloud::new(&parameters);
        (parameters, cloud)
    }

    #[test]
    fn the_data_web_has_the_nodes_of_the_paper() {
        let (_, cloud) = cloud("data-web");

        let counts = Kind::ALL.map(|kind| cloud.kinds.iter().filter(|other| **other == kind).count());
        assert_eq!(counts, [5, 21, 40, 4, 30]);
        assert!(cloud.kinds.is_sorted());
    }

    #[test]
    fn nodes_have_the_degree_that_was_asked_for() {
        for preset in Parameters::PRESETS {
            let (parameters, cloud) = cloud(preset);
            let links = cloud.links.iter().map(Vec::len).sum::<usize>();
            let wanted = (parameters.nodes * parameters.node_degree).div_ceil(2);

            assert_eq!(links, wanted as usize, "{preset}");
        }
    }

    #[test]
    fn links_are_distinct_permitted_and_unevenly_spread() {
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
        let most = incoming.iter().max().expect("nodes");
        assert!(*most > 30, "preferential attachment makes hubs: {most}");
    }

    #[test]
    fn every_node_is_reached_from_the_seeds() {
        for seed in 0..20 {
            let parameters = Parameters { seed, ..Parameters::preset("data-web-small").expect("a preset") };
            let cloud = Cloud::new(&parameters);
            let mut reached = vec![false; cloud.kinds.len()];
            let mut waiting = cloud.seeds.clone();
            while let Some(node) = waiting.pop() {
                if !std::mem::replace(&mut reached[node as usize], true) {
                    waiting.extend(&cloud.links[node as usize]);
                }
            }

            assert!(reached.iter().all(|reached| *reached), "{seed}");
            assert_eq!(cloud, Cloud::new(&parameters), "the same each time");
        }
    }

    #[test]
    fn a_world_of_one_node_has_no_links_and_one_seed() {
        let weights = Weights { ckan: 0.0, dereferencing: 1.0, dump: 0.0, rdfa: 0.0, sparql: 0.0 };
        let cloud = Cloud::new(&Parameters { nodes: 1, weights, ..Parameters::default() });

        assert_eq!((cloud.links, cloud.seeds), (vec![vec![]], vec![0]));
    }
}
