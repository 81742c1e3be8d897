//! Neighbourhood Jaccard similarity: `njsim` (DURAARK D3.6, eq. 6 and 7).
//!
//! ```text
//! NJSim(c) = 1/n · Σ_i weight(e_i) · Σ_{k=1..τ} α^k · |N_k(e_i) ∩ N_k(c)| / |N_k(e_i) ∪ N_k(c)|
//! ```
//!
//! `N_k` is the ring of entities exactly `k` links away, in either direction. (The paper states
//! that α makes “closer neighbors have lower weight”; with α < 1 it is farther ones.)
//! [`attrition`](super::seed_analysis::attrition) documents the weights.
//!
//! A ring around a hub contains half of the graph, and is the same for all neighbours of the hub.
//! Therefore the total number of links visited is bounded, and divided equally among the
//! candidates. If a candidate needs more than its share, entities with few links are visited first,
//! and the largest hubs are omitted. If no candidate needs more, as in small graphs, the rings are
//! exact.

use super::graph::{EntityGraph, EntityId};
use super::options::{RankingOptions, RingOptions};
use super::{Ranker, Ranking, RankingQuery, RankingReason, join_with_and, to_f64};

/// Maximum number of links visited for all rings, which takes about a second. The first ring of
/// each entity is not included: it is available in the graph.
const MAX_VISITED_LINKS: usize = 400_000_000;
/// Number of seeds whose rings are in memory at the same time: a 64-bit set has one bit per seed.
const SEEDS_PER_BATCH: usize = 64;
/// Maximum number of shared neighbours named in a reason, and of seeds named in an explanation.
const MAX_NAMES: usize = 3;

/// Ranks candidates by the similarity of their neighbourhoods to those of the seeds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NeighbourhoodJaccard {
    rings: RingOptions,
    max_links: usize,
}

impl NeighbourhoodJaccard {
    /// Creates `njsim`.
    #[must_use]
    pub(crate) fn new(options: &RankingOptions) -> Self {
        Self { rings: options.rings, max_links: MAX_VISITED_LINKS }
    }
}

impl Ranker for NeighbourhoodJaccard {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        let RankingQuery { graph, seeds, candidates, .. } = query;
        let batches = seeds.chunks(SEEDS_PER_BATCH);
        let walks = (candidates.len() + SEEDS_PER_BATCH) * batches.len();
        let mut walker = RingWalker::new(graph, self.rings.length, self.max_links / walks.max(1));
        let mut scores = vec![0.0; candidates.len()];
        for batch in batches {
            let entities: Vec<EntityId> = batch.iter().map(|seed| seed.entity).collect();
            let around = SeedRings::new(graph, &entities, self.rings.length, &mut walker);
            for (score, candidate) in scores.iter_mut().zip(candidates) {
                walker.for_each_ring(*candidate, |ring, members| {
                    let alike = around.jaccard(ring, members);
                    let weighed = batch.iter().zip(alike).map(|(seed, alike)| seed.weight * alike);
                    *score += self.rings.alpha.powi(i32::from(ring)) * weighed.sum::<f64>();
                });
            }
        }
        for score in &mut scores {
            *score /= to_f64(seeds.len() as u64).max(1.0);
        }
        Box::new(NeighbourhoodRanking { query, alpha: self.rings.alpha, scores })
    }
}

/// Visits the rings around one entity at a time; its memory is reused for the next entity.
struct RingWalker<'g> {
    graph: &'g EntityGraph<'g>,
    length: u8,
    max_links: usize,
    /// The number of the walk in which each entity was last visited.
    visited_in_walk: Vec<u32>,
    walks: u32,
}

impl<'g> RingWalker<'g> {
    fn new(graph: &'g EntityGraph<'g>, length: u8, max_links: usize) -> Self {
        Self { graph, length, max_links, visited_in_walk: vec![0; graph.len()], walks: 0 }
    }

    /// Calls `take` for each ring, from the first to the last.
    fn for_each_ring(&mut self, from: EntityId, mut take: impl FnMut(u8, &[EntityId])) {
        self.start_walk();
        self.visited_in_walk[from as usize] = self.walks;
        let graph = self.graph;
        let links = |entity: EntityId| graph.neighbours(entity).len();
        let mut ring = vec![from];
        let mut links_left = self.max_links + links(from);
        for number in 1..=self.length {
            if ring.iter().map(|entity| links(*entity)).sum::<usize>() > links_left {
                ring.sort_unstable_by_key(|entity| (links(*entity), *entity));
            }
            let mut next = Vec::new();
            for entity in ring {
                let Some(left) = links_left.checked_sub(links(entity)) else { break };
                links_left = left;
                for &neighbour in graph.neighbours(entity) {
                    if std::mem::replace(&mut self.visited_in_walk[neighbour as usize], self.walks) != self.walks {
                        next.push(neighbour);
                    }
                }
            }
            take(number, &next);
            ring = next;
        }
    }

    fn start_walk(&mut self) {
        self.walks = self.walks.checked_add(1).unwrap_or_else(|| {
            self.visited_in_walk.fill(0);
            1
        });
    }
}

/// The rings around up to 64 seeds: for each ring and entity, a bit set of the seeds.
struct SeedRings {
    entities: usize,
    around: Vec<u64>,
    sizes: Vec<[u64; SEEDS_PER_BATCH]>,
}

impl SeedRings {
    fn new(graph: &EntityGraph<'_>, seeds: &[EntityId], length: u8, walker: &mut RingWalker<'_>) -> Self {
        let entities = graph.len();
        let rings = usize::from(length);
        let mut found = Self { entities, around: vec![0; entities * rings], sizes: vec![[0; SEEDS_PER_BATCH]; rings] };
        for (index, seed) in seeds.iter().enumerate() {
            walker.for_each_ring(*seed, |ring, members| {
                let ring = usize::from(ring) - 1;
                found.sizes[ring][index] = members.len() as u64;
                for member in members {
                    found.around[ring * entities + *member as usize] |= 1 << index;
                }
            });
        }
        found
    }

    /// Jaccard similarity of a ring of a candidate and the same ring of each seed.
    fn jaccard(&self, ring: u8, members: &[EntityId]) -> impl Iterator<Item = f64> {
        let ring = usize::from(ring) - 1;
        let around = &self.around[ring * self.entities..][..self.entities];
        let mut shared = BitSlicedCounters::default();
        for member in members {
            shared.add(around[*member as usize]);
        }
        let size = members.len() as u64;
        let sizes = self.sizes[ring];
        let alike = move |(shared, size_there): (u64, u64)| match size + size_there - shared {
            0 => 0.0,
            union => to_f64(shared) / to_f64(union),
        };
        (0..).map(move |seed| shared.get(seed)).zip(sizes).map(alike)
    }
}

/// Counters of 64 seeds, stored by binary digit: incrementing all takes as long as incrementing
/// one.
#[derive(Clone, Copy, Default)]
struct BitSlicedCounters {
    digits: [u64; u32::BITS as usize],
}

impl BitSlicedCounters {
    /// Adds one for each seed whose bit is set.
    fn add(&mut self, seeds: u64) {
        let mut carry = seeds;
        for digit in &mut self.digits {
            if carry == 0 {
                return;
            }
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }

    fn get(&self, seed: u32) -> u64 {
        (0..).zip(&self.digits).map(|(index, digit)| (digit >> seed & 1) << index).sum()
    }
}

struct NeighbourhoodRanking<'q> {
    query: RankingQuery<'q>,
    alpha: f64,
    scores: Vec<f64>,
}

impl Ranking for NeighbourhoodRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// Names the neighbours of the first ring only, because neighbours of neighbours are not a
    /// useful explanation.
    fn explain(&self, index: usize) -> Vec<RankingReason> {
        let RankingQuery { graph, seeds, candidates, .. } = self.query;
        let ours = graph.neighbours(candidates[index]);
        let count = to_f64(seeds.len() as u64);
        let mut reasons = Vec::new();
        for seed in seeds {
            let theirs = graph.neighbours(seed.entity);
            let mut shared: Vec<EntityId> =
                ours.iter().copied().filter(|entity| theirs.binary_search(entity).is_ok()).collect();
            if shared.is_empty() {
                continue;
            }
            // Neighbours with few links are more specific.
            shared.sort_by_key(|entity| (graph.neighbours(*entity).len(), *entity));
            let named: Vec<String> = shared.iter().take(MAX_NAMES).map(|entity| graph.display_name(*entity)).collect();
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            let union = to_f64((ours.len() + theirs.len() - shared.len()) as u64);
            let weight = self.alpha * seed.weight * to_f64(shared.len() as u64) / union / count;
            let text = format!("is linked to {}, as is {}", join_with_and(&named), graph.display_name(seed.entity));
            reasons.push(RankingReason { text, weight });
        }
        reasons.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        reasons.truncate(MAX_NAMES);
        if reasons.is_empty() && self.scores[index] > 0.0 {
            let text = "shares neighbours of neighbours with seeds".to_owned();
            reasons.push(RankingReason { text, weight: self.scores[index] });
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rank::test_graphs::{self, rank_statements};

    /// Computed by hand for seed `s` and candidate `c` in `s – a – c`, `s – b`, `c – d`, `d – x`,
    /// `b – x`: the first rings are {a, b} and {a, d}, which share one of three. The second rings
    /// are {c, x} and {s, x}: also one of three. So NJSim(c) = .7/3 + .49/3 = .3967.
    #[test]
    fn neighbourhood_similarity_matches_values_computed_by_hand() {
        let statements = ["s p a", "c p a", "s p b", "c p d", "d p x", "b p x"];
        let (names, scores, reasons) =
            rank_statements(&statements, &["s"], &NeighbourhoodJaccard::new(&RankingOptions::default()));
        let index = names.iter().position(|name| name == "c").unwrap();
        assert!((scores[index] - 1.19 / 3.0).abs() < 1e-12, "{scores:?}");
        assert_eq!(reasons[index][0].text, "is linked to a, as is s");
    }

    /// Computes all distances and compares sets, by brute force.
    #[test]
    fn neighbourhood_similarity_matches_brute_force() {
        for seed in 0..5 {
            let fact_base = test_graphs::random_fact_base(seed, 90, 140);
            let graph = fact_base.graph();
            // More seeds than fit into one batch.
            let (seeds, candidates) = test_graphs::split_seeds(&graph, 70);
            let query = RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &[] };
            let options = RankingOptions { rings: RingOptions { alpha: 0.6, length: 3 }, ..RankingOptions::default() };
            let hops: Vec<_> =
                (0..90).map(|entity| super::super::hops::hop_distances(&graph, [entity], &[], 3)).collect();
            let ring = |entity: EntityId, number: u8| -> BTreeSet<EntityId> {
                let hops = (0..).zip(&hops[entity as usize]);
                hops.filter(|(_, hop)| **hop == number).map(|(other, _)| other).collect()
            };

            let ranking = NeighbourhoodJaccard::new(&options).rank(query);

            for (candidate, score) in candidates.iter().zip(ranking.scores()) {
                let mut expected = 0.0;
                for seed in &seeds {
                    for number in 1..=3 {
                        let [one, other] = [seed.entity, *candidate].map(|entity| ring(entity, number));
                        let union = one.union(&other).count().max(1) as u64;
                        let alike = to_f64(one.intersection(&other).count() as u64) / to_f64(union);
                        expected += seed.weight * 0.6_f64.powi(i32::from(number)) * alike / 70.0;
                    }
                }
                assert!((score - expected).abs() < 1e-12, "{score}, not {expected}");
            }
        }
    }

    #[test]
    fn hubs_are_omitted_when_links_are_bounded() {
        let mut statements: Vec<String> = (0..50).map(|number| format!("hub p e{number}")).collect();
        statements.extend(["s p a", "c p a", "c p hub", "s p hub", "a p b"].map(str::to_owned));
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let fact_base = crate::rank::fact_base::tests::fact_base_from(&statements);
        let graph = fact_base.graph();
        let found = |max_links| {
            let mut rings = Vec::new();
            RingWalker::new(&graph, 2, max_links)
                .for_each_ring(graph.find("c").unwrap(), |_, ring| rings.push(ring.len()));
            rings
        };

        // Beyond a there are s and b, and beyond the hub 50 more.
        assert_eq!(found(1_000), [2, 52]);
        assert_eq!(found(10), [2, 2]);
    }
}
