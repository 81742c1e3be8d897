//! Entity Jaccard similarity: `ejsim` and `ejsim+` (DURAARK D3.6, eq. 4 and 5).
//!
//! ```text
//! EJSim⁺(c) = 1/n · Σ_i weight(e_i) · |w_i ∩ w_c| / |w_i ∪ w_c|
//! ```
//!
//! As printed, eq. 4 divides by λ, which is negative;
//! [`attrition`](super::seed_analysis::attrition) documents the weights used instead. `ejsim` is
//! the same with all weights 1.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::graph::{EntityId, WordId};
use super::options::{JaccardMode, RankingOptions, TextScope};
use super::term_counts::TermCounts;
use super::{Ranker, Ranking, RankingQuery, RankingReason, join_with_and, to_f64};

/// Maximum number of shared terms named in a reason.
const MAX_EXPLAINED_TERMS: usize = 3;
/// Maximum number of seeds named in an explanation.
const MAX_EXPLAINED_SEEDS: usize = 3;

/// Ranks candidates by the similarity of their texts to those of the seeds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EntityJaccard {
    jaccard: JaccardMode,
    texts: TextScope,
    weighs_seeds: bool,
}

impl EntityJaccard {
    /// Creates `ejsim+` if seeds have weights, otherwise `ejsim`.
    #[must_use]
    pub(crate) fn new(options: &RankingOptions, weighs_seeds: bool) -> Self {
        Self { jaccard: options.jaccard, texts: options.texts, weighs_seeds }
    }
}

impl Ranker for EntityJaccard {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        let mut comparison = SeedTextIndex::new(query, *self);
        let mut bag = TermCounts::new(query.graph, self.texts);
        let mut overlaps = vec![0; query.seeds.len()];
        let scores = query.candidates.iter().map(|candidate| {
            comparison.compute_overlaps(*candidate, &mut bag, &mut overlaps);
            (0..overlaps.len()).map(|seed| comparison.seed_score(seed, overlaps[seed], &bag)).sum()
        });
        let scores = scores.collect();
        Box::new(JaccardRanking { comparison, scores })
    }
}

/// The texts of the seeds, indexed by term: a candidate is compared only with the seeds it shares a
/// term with.
struct SeedTextIndex<'q> {
    query: RankingQuery<'q>,
    ranker: EntityJaccard,
    /// Size of the text of each seed.
    sizes: Vec<u64>,
    seeds_with: HashMap<WordId, SeedTermPosting, FixedState>,
}

#[derive(Default)]
struct SeedTermPosting {
    /// Indices of seeds, and how often the term occurs in their texts.
    seeds: Vec<(u32, u32)>,
    /// Number of candidates with the term; rare terms are more informative.
    candidates: u32,
}

impl<'q> SeedTextIndex<'q> {
    fn new(query: RankingQuery<'q>, ranker: EntityJaccard) -> Self {
        let mut bag = TermCounts::new(query.graph, ranker.texts);
        let mut seeds_with: HashMap<WordId, SeedTermPosting, FixedState> = HashMap::default();
        let mut sizes = Vec::with_capacity(query.seeds.len());
        for (index, seed) in (0..).zip(query.seeds) {
            bag.fill(query.graph, seed.entity);
            sizes.push(ranker.size(&bag));
            for (term, count) in bag.iter() {
                seeds_with.entry(term).or_default().seeds.push((index, count));
            }
        }
        Self { query, ranker, sizes, seeds_with }
    }

    /// Fills `bag` with the terms of a candidate, and `overlaps` with the candidate's overlap with each seed.
    fn compute_overlaps(&mut self, candidate: EntityId, bag: &mut TermCounts, overlaps: &mut [u64]) {
        overlaps.fill(0);
        bag.fill(self.query.graph, candidate);
        for (term, count) in bag.iter() {
            let Some(posting) = self.seeds_with.get_mut(&term) else { continue };
            posting.candidates += 1;
            for &(seed, count_there) in &posting.seeds {
                overlaps[seed as usize] += self.ranker.overlap(count, count_there);
            }
        }
    }

    /// Contribution of a seed to the score of the candidate whose terms are in the bag.
    fn seed_score(&self, seed: usize, overlap: u64, bag: &TermCounts) -> f64 {
        if overlap == 0 {
            return 0.0;
        }
        let union = self.sizes[seed] + self.ranker.size(bag) - overlap;
        let weight = if self.ranker.weighs_seeds { self.query.seeds[seed].weight } else { 1.0 };
        weight * to_f64(overlap) / to_f64(union) / to_f64(self.sizes.len() as u64)
    }

    /// Terms that a candidate shares with a seed, rarest among candidates first.
    fn shared_terms(&self, seed: usize, bag: &TermCounts) -> Vec<WordId> {
        let is_of_seed = |posting: &SeedTermPosting| posting.seeds.iter().any(|(index, _)| *index as usize == seed);
        let known = bag.iter().filter_map(|(term, _)| Some((self.seeds_with.get(&term)?, term)));
        let mut shared: Vec<_> = known.filter(|(posting, _)| is_of_seed(posting)).collect();
        shared.sort_by_key(|(posting, term)| (posting.candidates, *term));
        shared.into_iter().map(|(_, term)| term).collect()
    }
}

impl EntityJaccard {
    fn size(self, bag: &TermCounts) -> u64 {
        match self.jaccard {
            JaccardMode::Set => bag.distinct(),
            JaccardMode::Multiset => bag.total(),
        }
    }

    fn overlap(self, one: u32, other: u32) -> u64 {
        match self.jaccard {
            JaccardMode::Set => 1,
            JaccardMode::Multiset => u64::from(one.min(other)),
        }
    }
}

struct JaccardRanking<'q> {
    comparison: SeedTextIndex<'q>,
    scores: Vec<f64>,
}

impl Ranking for JaccardRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, index: usize) -> Vec<RankingReason> {
        let SeedTextIndex { query, ranker, seeds_with, .. } = &self.comparison;
        let mut bag = TermCounts::new(query.graph, ranker.texts);
        bag.fill(query.graph, query.candidates[index]);
        let mut overlaps = vec![0; query.seeds.len()];
        for (term, count) in bag.iter() {
            for &(seed, count_there) in seeds_with.get(&term).map_or(&[][..], |posting| &posting.seeds) {
                overlaps[seed as usize] += ranker.overlap(count, count_there);
            }
        }
        let shares =
            overlaps.iter().enumerate().map(|(seed, overlap)| (self.comparison.seed_score(seed, *overlap, &bag), seed));
        let mut shares: Vec<_> = shares.filter(|(share, _)| *share > 0.0).collect();
        shares.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let reason = |&(weight, seed): &(f64, usize)| {
            let shared = self.comparison.shared_terms(seed, &bag);
            let terms: Vec<_> = shared.iter().take(MAX_EXPLAINED_TERMS).map(|term| query.graph.term(*term)).collect();
            let seed = query.graph.display_name(query.seeds[seed].entity);
            RankingReason { text: format!("mentions {}, as does {seed}", join_with_and(&terms)), weight }
        };
        shares.iter().take(MAX_EXPLAINED_SEEDS).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rank::test_graphs::{self, rank_statements};

    fn options(jaccard: JaccardMode, texts: TextScope) -> RankingOptions {
        RankingOptions { jaccard, texts, ..RankingOptions::default() }
    }

    /// Computed by hand for a seed “gothic cathedral, gothic choir” and a candidate “gothic gothic
    /// church”. As sets {gothic, cathedral, choir} and {gothic, church}: 1/4. As multisets the
    /// minimum is gothic twice, and Σ max = 4 + 3 − 2 = 5: 2/5.
    #[test]
    fn text_similarity_matches_values_computed_by_hand() {
        let check = |jaccard, expected: f64| {
            let statements = ["s p c", "s label \"gothic cathedral, gothic choir", "c label \"gothic gothic church"];
            let ranker = EntityJaccard::new(&options(jaccard, TextScope::Own), false);
            let (_, scores, reasons) = rank_statements(&statements, &["s"], &ranker);
            assert!((scores[0] - expected).abs() < 1e-12, "{scores:?}");
            assert_eq!(reasons[0][0].text, "mentions gothic, as does gothic cathedral, gothic choir");
            assert!((reasons[0][0].weight - expected).abs() < 1e-12);
        };

        check(JaccardMode::Set, 0.25);
        check(JaccardMode::Multiset, 0.4);
    }

    /// Computed by hand: s has dom and gothic, c has münster and gothic; the style itself has all
    /// three.
    #[test]
    fn labels_of_neighbours_count_with_neighbours() {
        let check = |texts, expected: [(&str, f64); 2]| {
            let statements = ["s label \"Dom", "c label \"Münster", "style label \"gothic", "s p style", "c p style"];
            let ranker = EntityJaccard::new(&options(JaccardMode::Set, texts), false);
            let (names, scores, _) = rank_statements(&statements, &["s"], &ranker);
            let found: Vec<_> = names.iter().map(String::as_str).zip(scores).collect();
            assert_eq!(found, expected, "{texts:?}");
        };

        check(TextScope::Own, [("c", 0.0), ("style", 0.0)]);
        check(TextScope::WithNeighbours, [("style", 2.0 / 3.0), ("c", 1.0 / 3.0)]);
    }

    /// Compares each candidate with each seed, by brute force.
    #[test]
    fn text_similarity_matches_brute_force() {
        for chance in 0..20 {
            let fact_base = test_graphs::random_fact_base(chance, 12, 20);
            let graph = fact_base.graph();
            let (seeds, candidates) = test_graphs::split_seeds(&graph, 4);
            let query = RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &[] };
            let text = |entity: EntityId| {
                let mut counts = BTreeMap::new();
                for entity in graph.neighbours(entity).iter().chain([&entity]) {
                    for (term, count) in graph.terms(*entity) {
                        *counts.entry(*term).or_insert(0) += count;
                    }
                }
                counts
            };
            for (jaccard, weighs_seeds) in
                [(JaccardMode::Set, true), (JaccardMode::Set, false), (JaccardMode::Multiset, true)]
            {
                let ranker = EntityJaccard::new(&options(jaccard, TextScope::WithNeighbours), weighs_seeds);
                let ranking = ranker.rank(query);
                for (candidate, score) in candidates.iter().zip(ranking.scores()) {
                    let one_by_one = seeds.iter().map(|seed| {
                        let weight = if weighs_seeds { seed.weight } else { 1.0 };
                        weight * alike(&text(seed.entity), &text(*candidate), jaccard) / 4.0
                    });
                    let expected: f64 = one_by_one.sum();
                    assert!((score - expected).abs() < 1e-12, "{jaccard:?}: {score}, not {expected}");
                }
            }
        }
    }

    fn alike(one: &BTreeMap<WordId, u32>, other: &BTreeMap<WordId, u32>, jaccard: JaccardMode) -> f64 {
        let (mut smaller, mut larger) = (0, 0);
        for term in one.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>() {
            let mut counts = [one, other].map(|counts| counts.get(term).copied().unwrap_or_default());
            if jaccard == JaccardMode::Set {
                counts = counts.map(|count| count.min(1));
            }
            smaller += counts[0].min(counts[1]);
            larger += counts[0].max(counts[1]);
        }
        f64::from(smaller) / f64::from(larger)
    }
}
