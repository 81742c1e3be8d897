//! Neighbourhood Jaccard similarity: `njsim` (DURAARK D3.6, eq. 6 and 7).
//!
//! ```text
//! NJSim(c) = 1/n · Σ_i weight(e_i) · Σ_{k=1..τ} α^k · |N_k(e_i) ∩ N_k(c)| / |N_k(e_i) ∪ N_k(c)|
//! ```
//!
//! `N_k` is the ring of those who are exactly `k` links away, in either direction.
//! (The paper says that α makes “closer neighbors have lower weight”; with α < 1
//! it is farther ones.) For the weights see
//! [`attrition`](super::seeds::attrition).
//!
//! A ring around a hub is half the graph, and it is the same for all who are next
//! to that hub. So there is a bound on the links that are looked at in total, and
//! every candidate has the same part of it: whoever would need more goes through
//! those first who have few links, and leaves out the largest hubs. Where nobody
//! needs more, as in small graphs, rings are exact.

use super::graph::{EntityGraph, EntityId};
use super::options::{Options, Rings};
use super::{Question, Ranker, Ranking, Reason, real, said};

/// Links that are looked at for all rings but the first of each, which is at hand:
/// about a second's worth.
const LINKS_LOOKED_AT_MAX: usize = 400_000_000;
/// Seeds whose rings are remembered at once, one bit each.
const SEEDS_AT_ONCE: usize = 64;
/// Shared neighbours that a reason names, and seeds that an explanation names.
const NAMED: usize = 3;

/// Ranks by how alike the neighbourhoods of candidates and seeds are.
#[derive(Clone, Copy, Debug)]
pub struct NeighbourhoodJaccard {
    rings: Rings,
    links_max: usize,
}

impl NeighbourhoodJaccard {
    /// `njsim`.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self { rings: options.rings, links_max: LINKS_LOOKED_AT_MAX }
    }
}

impl Ranker for NeighbourhoodJaccard {
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q> {
        let Question { graph, seeds, candidates, .. } = question;
        let batches = seeds.chunks(SEEDS_AT_ONCE);
        let walks = (candidates.len() + SEEDS_AT_ONCE) * batches.len();
        let mut walker = Walker::new(graph, self.rings.length, self.links_max / walks.max(1));
        let mut scores = vec![0.0; candidates.len()];
        for batch in batches {
            let entities: Vec<EntityId> = batch.iter().map(|seed| seed.entity).collect();
            let around = SeedRings::new(graph, &entities, self.rings.length, &mut walker);
            for (score, candidate) in scores.iter_mut().zip(candidates) {
                walker.each_ring(*candidate, |ring, members| {
                    let alike = around.jaccard(ring, members);
                    let weighed = batch.iter().zip(alike).map(|(seed, alike)| seed.weight * alike);
                    *score += self.rings.alpha.powi(i32::from(ring)) * weighed.sum::<f64>();
                });
            }
        }
        for score in &mut scores {
            *score /= real(seeds.len() as u64).max(1.0);
        }
        Box::new(Neighbourly { question, alpha: self.rings.alpha, scores })
    }
}

/// Walks away from entities ring by ring, in memory that is used again.
struct Walker<'g> {
    graph: &'g EntityGraph<'g>,
    length: u8,
    links_max: usize,
    /// In which walk somebody was last come to.
    come_to: Vec<u32>,
    walks: u32,
}

impl<'g> Walker<'g> {
    fn new(graph: &'g EntityGraph<'g>, length: u8, links_max: usize) -> Self {
        Self { graph, length, links_max, come_to: vec![0; graph.len()], walks: 0 }
    }

    /// Calls `take` for each ring, from the first to the last.
    fn each_ring(&mut self, from: EntityId, mut take: impl FnMut(u8, &[EntityId])) {
        self.begin();
        self.come_to[from as usize] = self.walks;
        let graph = self.graph;
        let links = |entity: EntityId| graph.neighbours(entity).len();
        let mut ring = vec![from];
        let mut links_left = self.links_max + links(from);
        for number in 1..=self.length {
            if ring.iter().map(|entity| links(*entity)).sum::<usize>() > links_left {
                ring.sort_unstable_by_key(|entity| (links(*entity), *entity));
            }
            let mut next = Vec::new();
            for entity in ring {
                let Some(left) = links_left.checked_sub(links(entity)) else { break };
                links_left = left;
                for &neighbour in graph.neighbours(entity) {
                    if std::mem::replace(&mut self.come_to[neighbour as usize], self.walks) != self.walks {
                        next.push(neighbour);
                    }
                }
            }
            take(number, &next);
            ring = next;
        }
    }

    fn begin(&mut self) {
        self.walks = self.walks.checked_add(1).unwrap_or_else(|| {
            self.come_to.fill(0);
            1
        });
    }
}

/// The rings around up to 64 seeds: for each ring and entity, around whom it is.
struct SeedRings {
    entities: usize,
    around: Vec<u64>,
    sizes: Vec<[u64; SEEDS_AT_ONCE]>,
}

impl SeedRings {
    fn new(graph: &EntityGraph<'_>, seeds: &[EntityId], length: u8, walker: &mut Walker<'_>) -> Self {
        let entities = graph.len();
        let rings = usize::from(length);
        let mut found = Self { entities, around: vec![0; entities * rings], sizes: vec![[0; SEEDS_AT_ONCE]; rings] };
        for (place, seed) in seeds.iter().enumerate() {
            walker.each_ring(*seed, |ring, members| {
                let ring = usize::from(ring) - 1;
                found.sizes[ring][place] = members.len() as u64;
                for member in members {
                    found.around[ring * entities + *member as usize] |= 1 << place;
                }
            });
        }
        found
    }

    /// How alike a ring of a candidate and the same ring around each seed are.
    fn jaccard(&self, ring: u8, members: &[EntityId]) -> impl Iterator<Item = f64> {
        let ring = usize::from(ring) - 1;
        let around = &self.around[ring * self.entities..][..self.entities];
        let mut shared = Counters::default();
        for member in members {
            shared.count(around[*member as usize]);
        }
        let size = members.len() as u64;
        let sizes = self.sizes[ring];
        let alike = move |(shared, size_there): (u64, u64)| match size + size_there - shared {
            0 => 0.0,
            union => real(shared) / real(union),
        };
        (0..).map(move |seed| shared.of(seed)).zip(sizes).map(alike)
    }
}

/// Counts for 64 seeds at once: all their last binary digits, all their last but
/// one, and so on. Counting takes as long for one seed as for all.
#[derive(Clone, Copy, Default)]
struct Counters {
    digits: [u64; u32::BITS as usize],
}

impl Counters {
    /// Adds one for each seed whose bit is set.
    fn count(&mut self, seeds: u64) {
        let mut carry = seeds;
        for digit in &mut self.digits {
            if carry == 0 {
                return;
            }
            (*digit, carry) = (*digit ^ carry, *digit & carry);
        }
    }

    fn of(&self, seed: u32) -> u64 {
        (0..).zip(&self.digits).map(|(place, digit)| (digit >> seed & 1) << place).sum()
    }
}

struct Neighbourly<'q> {
    question: Question<'q>,
    alpha: f64,
    scores: Vec<f64>,
}

impl Ranking for Neighbourly<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// By the first rings alone: who shares neighbours of neighbours would be told
    /// a list of names that say nothing.
    fn explain(&self, place: usize) -> Vec<Reason> {
        let Question { graph, seeds, candidates, .. } = self.question;
        let ours = graph.neighbours(candidates[place]);
        let count = real(seeds.len() as u64);
        let mut reasons = Vec::new();
        for seed in seeds {
            let theirs = graph.neighbours(seed.entity);
            let mut shared: Vec<EntityId> =
                ours.iter().copied().filter(|entity| theirs.binary_search(entity).is_ok()).collect();
            if shared.is_empty() {
                continue;
            }
            // Whoever few are linked with says more.
            shared.sort_by_key(|entity| (graph.neighbours(*entity).len(), *entity));
            let named: Vec<String> = shared.iter().take(NAMED).map(|entity| graph.called(*entity)).collect();
            let named: Vec<&str> = named.iter().map(String::as_str).collect();
            let union = real((ours.len() + theirs.len() - shared.len()) as u64);
            let weight = self.alpha * seed.weight * real(shared.len() as u64) / union / count;
            let words = format!("is linked with {} as {} is", said(&named), graph.called(seed.entity));
            reasons.push(Reason { words, weight });
        }
        reasons.sort_by(|one, other| other.weight.total_cmp(&one.weight));
        reasons.truncate(NAMED);
        if reasons.is_empty() && self.scores[place] > 0.0 {
            let words = "shares neighbours of neighbours with seeds".to_owned();
            reasons.push(Reason { words, weight: self.scores[place] });
        }
        reasons
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::rank::random::{self, ranked};

    /// By hand, for seed `s` and candidate `c` in `s – a – c`, `s – b`, `c – d`,
    /// `d – x`, `b – x`: the first rings are {a, b} and {a, d}, of which one of three is
    /// shared. The second ones are {c, x} and {s, x}: one of three, too. So
    /// NJSim(c) = .7/3 + .49/3 = .3967.
    #[test]
    fn neighbourhoods_are_as_alike_as_worked_out_by_hand() {
        let statements = ["s p a", "c p a", "s p b", "c p d", "d p x", "b p x"];
        let (names, scores, reasons) = ranked(&statements, &["s"], &NeighbourhoodJaccard::new(&Options::default()));
        let place = names.iter().position(|name| name == "c").unwrap();
        assert!((scores[place] - 1.19 / 3.0).abs() < 1e-12, "{scores:?}");
        assert_eq!(reasons[place][0].words, "is linked with a as s is");
    }

    /// Brute force: the distance of each from each, and sets.
    #[test]
    fn neighbourhoods_are_those_of_sets() {
        for seed in 0..5 {
            let gathered = random::gathering(seed, 90, 140);
            let graph = gathered.graph();
            // More seeds than are looked at at once.
            let (seeds, candidates) = random::parted(&graph, 70);
            let question = Question { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &[] };
            let options = Options { rings: Rings { alpha: 0.6, length: 3 }, ..Options::default() };
            let hops: Vec<_> = (0..90).map(|entity| super::super::hops(&graph, [entity], 3)).collect();
            let ring = |entity: EntityId, number: u8| -> BTreeSet<EntityId> {
                let hops = (0..).zip(&hops[entity as usize]);
                hops.filter(|(_, hop)| **hop == number).map(|(other, _)| other).collect()
            };

            let ranking = NeighbourhoodJaccard::new(&options).rank(question);

            for (candidate, score) in candidates.iter().zip(ranking.scores()) {
                let mut expected = 0.0;
                for seed in &seeds {
                    for number in 1..=3 {
                        let [one, other] = [seed.entity, *candidate].map(|entity| ring(entity, number));
                        let union = one.union(&other).count().max(1) as u64;
                        let alike = real(one.intersection(&other).count() as u64) / real(union);
                        expected += seed.weight * 0.6_f64.powi(i32::from(number)) * alike / 70.0;
                    }
                }
                assert!((score - expected).abs() < 1e-12, "{score}, not {expected}");
            }
        }
    }

    #[test]
    fn who_is_next_to_a_hub_goes_past_it_where_links_are_counted() {
        let mut statements: Vec<String> = (0..50).map(|number| format!("hub p e{number}")).collect();
        statements.extend(["s p a", "c p a", "c p hub", "s p hub", "a p b"].map(str::to_owned));
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let gathered = crate::rank::gather::tests::gathering(&statements);
        let graph = gathered.graph();
        let found = |links_max| {
            let mut rings = Vec::new();
            Walker::new(&graph, 2, links_max).each_ring(graph.find("c").unwrap(), |_, ring| rings.push(ring.len()));
            rings
        };

        // Beyond a there are s and b, and beyond the hub 50 more.
        assert_eq!(found(1_000), [2, 52]);
        assert_eq!(found(10), [2, 2]);
    }
}
