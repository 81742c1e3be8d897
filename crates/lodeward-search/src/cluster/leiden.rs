//! Community detection: the Leiden algorithm (V. Traag, L. Waltman, N. J. van Eck, *From Louvain to
//! Leiden: guaranteeing well-connected communities*, 2019), with modularity and a resolution.
//!
//! A node moves to the community with the greatest gain `w(v,C) − γ·k_v·K_C / 2m`. Communities are
//! then refined: nodes merge into parts of their community that are connected well enough. The parts
//! are the nodes of the next, smaller network. Refinement takes the best part, not a random one, so
//! that a result depends on the order of nodes only, which depends on the seed.

use std::collections::VecDeque;

use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;

use super::network::Network;
use super::renumber;

/// Maximum number of passes over the whole network; two or three are usual.
const MAX_PASSES: usize = 10;

/// Gains below this are rounding errors.
const MIN_GAIN: f64 = 1e-10;

/// Returns the community of each node.
pub(super) fn communities(network: &Network, resolution: f64, seed: u64) -> Vec<u32> {
    let mut search = LeidenSearch { resolution, rng: SmallRng::seed_from_u64(seed) };
    let mut communities = numbered(network.len());
    for _ in 0..MAX_PASSES {
        let next = search.pass(network, communities.clone());
        if next == communities {
            break;
        }
        communities = next;
    }
    communities
}

fn numbered(count: usize) -> Vec<u32> {
    (0..u32::try_from(count).expect("entities are numbered by 32 bits")).collect()
}

struct LeidenSearch {
    resolution: f64,
    rng: SmallRng,
}

impl LeidenSearch {
    /// Improves a partition on all levels.
    fn pass(&mut self, base: &Network, mut communities: Vec<u32>) -> Vec<u32> {
        let mut reduced: Option<Network> = None;
        // The node of the current network that contains each node of the base.
        let mut nodes = numbered(base.len());
        loop {
            let network = reduced.as_ref().unwrap_or(base);
            self.move_nodes(network, &mut communities);
            if renumber(&mut communities) == network.len() {
                break;
            }
            let mut parts = self.refine(network, &communities);
            let count = renumber(&mut parts);
            if count == network.len() {
                break;
            }
            let mut of_parts = vec![0; count];
            parts.iter().zip(&communities).for_each(|(part, community)| of_parts[*part as usize] = *community);
            reduced = Some(network.reduce(&parts, count));
            for node in &mut nodes {
                *node = parts[*node as usize];
            }
            communities = of_parts;
        }
        let mut result: Vec<u32> = nodes.into_iter().map(|node| communities[node as usize]).collect();
        renumber(&mut result);
        result
    }

    fn shuffled(&mut self, count: usize) -> Vec<u32> {
        let mut order = numbered(count);
        order.shuffle(&mut self.rng);
        order
    }

    /// Moves nodes to better communities until none is better off elsewhere.
    fn move_nodes(&mut self, network: &Network, communities: &mut [u32]) {
        let mut queue: VecDeque<u32> = self.shuffled(network.len()).into();
        let mut is_queued = vec![true; network.len()];
        let mut strengths = vec![0.0; network.len()];
        let mut sizes = vec![0_u32; network.len()];
        for (community, strength) in communities.iter().zip(&network.strengths) {
            strengths[*community as usize] += strength;
            sizes[*community as usize] += 1;
        }
        let mut empty: Vec<u32> = (0..).zip(&sizes).filter(|(_, size)| **size == 0).map(|(number, _)| number).collect();
        let mut links = LinkSums::new(network.len());
        while let Some(node) = queue.pop_front() {
            is_queued[node as usize] = false;
            let old = communities[node as usize];
            let strength = network.strengths[node as usize];
            strengths[old as usize] -= strength;
            sizes[old as usize] -= 1;
            links.collect(network, node, |other| Some(communities[other as usize]));
            let gain = |community: u32, weight: f64| {
                weight - self.resolution * strength * strengths[community as usize] / network.total
            };
            let mut best = (old, gain(old, links.weight(old)));
            for community in &links.found {
                let value = gain(*community, links.weight(*community));
                if value > best.1 + MIN_GAIN {
                    best = (*community, value);
                }
            }
            if let Some(alone) = empty.last().filter(|_| best.1 < -MIN_GAIN) {
                best = (*alone, 0.0);
            }
            let new = best.0;
            if empty.last() == Some(&new) {
                empty.pop();
            }
            strengths[new as usize] += strength;
            sizes[new as usize] += 1;
            if new == old {
                continue;
            }
            communities[node as usize] = new;
            if sizes[old as usize] == 0 {
                empty.push(old);
            }
            for (other, _) in network.edges(node) {
                if communities[other as usize] != new && !is_queued[other as usize] {
                    is_queued[other as usize] = true;
                    queue.push_back(other);
                }
            }
        }
    }

    /// Splits communities into parts that are connected well.
    fn refine(&mut self, network: &Network, communities: &[u32]) -> Vec<u32> {
        let mut parts = Parts::new(network, communities, self.resolution);
        let mut links = LinkSums::new(network.len());
        for node in self.shuffled(network.len()) {
            parts.merge(network, communities, node, &mut links);
        }
        parts.of_nodes
    }
}

/// The parts of communities while they grow.
struct Parts {
    resolution: f64,
    of_nodes: Vec<u32>,
    sizes: Vec<u32>,
    strengths: Vec<f64>,
    /// Weight between a part and the rest of its community.
    cuts: Vec<f64>,
    community_strengths: Vec<f64>,
}

impl Parts {
    fn new(network: &Network, communities: &[u32], resolution: f64) -> Self {
        let mut community_strengths = vec![0.0; network.len()];
        for (community, strength) in communities.iter().zip(&network.strengths) {
            community_strengths[*community as usize] += strength;
        }
        let inside = |node: u32| {
            let edges = network.edges(node);
            let same = edges.filter(|(other, _)| communities[*other as usize] == communities[node as usize]);
            same.map(|(_, weight)| weight).sum()
        };
        let of_nodes = numbered(network.len());
        let cuts = of_nodes.iter().map(|node| inside(*node)).collect();
        let sizes = vec![1; network.len()];
        Self { resolution, of_nodes, sizes, strengths: network.strengths.clone(), cuts, community_strengths }
    }

    fn is_well_connected(&self, part: u32, community: u32, total: f64) -> bool {
        let strength = self.strengths[part as usize];
        let rest = self.community_strengths[community as usize] - strength;
        self.cuts[part as usize] >= self.resolution * strength * rest / total - MIN_GAIN
    }

    /// Merges a node that is a part by itself into the best part of its community.
    fn merge(&mut self, network: &Network, communities: &[u32], node: u32, links: &mut LinkSums) {
        let (own, community) = (self.of_nodes[node as usize], communities[node as usize]);
        if self.sizes[own as usize] != 1 || !self.is_well_connected(own, community, network.total) {
            return;
        }
        let part_of = |other: u32| (communities[other as usize] == community).then(|| self.of_nodes[other as usize]);
        links.collect(network, node, part_of);
        let strength = network.strengths[node as usize];
        let mut best = (own, 0.0);
        for part in links.found.iter().filter(|part| **part != own) {
            let value =
                links.weight(*part) - self.resolution * strength * self.strengths[*part as usize] / network.total;
            if value > best.1 + MIN_GAIN && self.is_well_connected(*part, community, network.total) {
                best = (*part, value);
            }
        }
        let new = best.0;
        if new != own {
            self.cuts[new as usize] += self.cuts[own as usize] - 2.0 * links.weight(new);
            self.strengths[new as usize] += strength;
            self.sizes[new as usize] += 1;
            self.sizes[own as usize] = 0;
            self.of_nodes[node as usize] = new;
        }
    }
}

/// Weights of the edges of one node, by group of the other end.
struct LinkSums {
    weights: Vec<f64>,
    found: Vec<u32>,
}

impl LinkSums {
    fn new(groups: usize) -> Self {
        Self { weights: vec![0.0; groups], found: Vec::new() }
    }

    fn collect(&mut self, network: &Network, node: u32, group_of: impl Fn(u32) -> Option<u32>) {
        for group in self.found.drain(..) {
            self.weights[group as usize] = 0.0;
        }
        for (other, weight) in network.edges(node) {
            let Some(group) = group_of(other) else { continue };
            if self.weights[group as usize] == 0.0 {
                self.found.push(group);
            }
            self.weights[group as usize] += weight;
        }
    }

    fn weight(&self, group: u32) -> f64 {
        self.weights[group as usize]
    }
}
