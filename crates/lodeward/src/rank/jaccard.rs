//! Entity Jaccard similarity: `ejsim` and `ejsim+` (DURAARK D3.6, eq. 4 and 5).
//!
//! ```text
//! EJSim⁺(c) = 1/n · Σ_i weight(e_i) · |w_i ∩ w_c| / |w_i ∪ w_c|
//! ```
//!
//! As printed, eq. 4 divides by λ, which is negative: see
//! [`attrition`](super::seeds::attrition) for the weights that are used instead.
//! `ejsim` is the same with all weights 1.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::bag::Bag;
use super::graph::{EntityId, TermId};
use super::options::{Jaccard, Options, TextScope};
use super::{Question, Ranker, Ranking, Reason, real, said};

/// Shared terms that a reason names.
const TERMS_NAMED: usize = 3;
/// Seeds that an explanation names.
const SEEDS_NAMED: usize = 3;

/// Ranks by how alike the texts of candidates and seeds are.
#[derive(Clone, Copy, Debug)]
pub struct EntityJaccard {
    jaccard: Jaccard,
    texts: TextScope,
    weighs_seeds: bool,
}

impl EntityJaccard {
    /// `ejsim+` if seeds have weights, or else `ejsim`.
    #[must_use]
    pub fn new(options: &Options, weighs_seeds: bool) -> Self {
        Self { jaccard: options.jaccard, texts: options.texts, weighs_seeds }
    }
}

impl Ranker for EntityJaccard {
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q> {
        let mut comparison = Comparison::new(question, *self);
        let mut bag = Bag::new(question.graph, self.texts);
        let mut overlaps = vec![0; question.seeds.len()];
        let scores = question.candidates.iter().map(|candidate| {
            comparison.overlaps(*candidate, &mut bag, &mut overlaps);
            (0..overlaps.len()).map(|seed| comparison.share(seed, overlaps[seed], &bag)).sum()
        });
        let scores = scores.collect();
        Box::new(Likeness { comparison, scores })
    }
}

/// The texts of the seeds, by their terms: a candidate is compared with those
/// seeds alone that it shares a term with.
struct Comparison<'q> {
    question: Question<'q>,
    ranker: EntityJaccard,
    /// How large the text of each seed is.
    sizes: Vec<u64>,
    seeds_with: HashMap<TermId, Posting, FixedState>,
}

#[derive(Default)]
struct Posting {
    /// Places of seeds, and how often the term is in their texts.
    seeds: Vec<(u32, u32)>,
    /// How many candidates have it, too: what few have says more.
    candidates: u32,
}

impl<'q> Comparison<'q> {
    fn new(question: Question<'q>, ranker: EntityJaccard) -> Self {
        let mut bag = Bag::new(question.graph, ranker.texts);
        let mut seeds_with: HashMap<TermId, Posting, FixedState> = HashMap::default();
        let mut sizes = Vec::with_capacity(question.seeds.len());
        for (place, seed) in (0..).zip(question.seeds) {
            bag.fill(question.graph, seed.entity);
            sizes.push(ranker.size(&bag));
            for (term, count) in bag.iter() {
                seeds_with.entry(term).or_default().seeds.push((place, count));
            }
        }
        Self { question, ranker, sizes, seeds_with }
    }

    /// How much a candidate has in common with each seed; its terms are in the
    /// bag then.
    fn overlaps(&mut self, candidate: EntityId, bag: &mut Bag, overlaps: &mut [u64]) {
        overlaps.fill(0);
        bag.fill(self.question.graph, candidate);
        for (term, count) in bag.iter() {
            let Some(posting) = self.seeds_with.get_mut(&term) else { continue };
            posting.candidates += 1;
            for &(seed, count_there) in &posting.seeds {
                overlaps[seed as usize] += self.ranker.in_common(count, count_there);
            }
        }
    }

    /// What a seed adds to the score of the candidate whose terms are in the bag.
    fn share(&self, seed: usize, overlap: u64, bag: &Bag) -> f64 {
        if overlap == 0 {
            return 0.0;
        }
        let union = self.sizes[seed] + self.ranker.size(bag) - overlap;
        let weight = if self.ranker.weighs_seeds { self.question.seeds[seed].weight } else { 1.0 };
        weight * real(overlap) / real(union) / real(self.sizes.len() as u64)
    }

    /// Terms that a candidate shares with a seed, those before others that few
    /// candidates have.
    fn shared(&self, seed: usize, bag: &Bag) -> Vec<TermId> {
        let is_of_seed = |posting: &Posting| posting.seeds.iter().any(|(place, _)| *place as usize == seed);
        let known = bag.iter().filter_map(|(term, _)| Some((self.seeds_with.get(&term)?, term)));
        let mut shared: Vec<_> = known.filter(|(posting, _)| is_of_seed(posting)).collect();
        shared.sort_by_key(|(posting, term)| (posting.candidates, *term));
        shared.into_iter().map(|(_, term)| term).collect()
    }
}

impl EntityJaccard {
    fn size(self, bag: &Bag) -> u64 {
        match self.jaccard {
            Jaccard::Set => bag.distinct(),
            Jaccard::Multiset => bag.total(),
        }
    }

    fn in_common(self, one: u32, other: u32) -> u64 {
        match self.jaccard {
            Jaccard::Set => 1,
            Jaccard::Multiset => u64::from(one.min(other)),
        }
    }
}

struct Likeness<'q> {
    comparison: Comparison<'q>,
    scores: Vec<f64>,
}

impl Ranking for Likeness<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, place: usize) -> Vec<Reason> {
        let Comparison { question, ranker, seeds_with, .. } = &self.comparison;
        let mut bag = Bag::new(question.graph, ranker.texts);
        bag.fill(question.graph, question.candidates[place]);
        let mut overlaps = vec![0; question.seeds.len()];
        for (term, count) in bag.iter() {
            for &(seed, count_there) in seeds_with.get(&term).map_or(&[][..], |posting| &posting.seeds) {
                overlaps[seed as usize] += ranker.in_common(count, count_there);
            }
        }
        let shares =
            overlaps.iter().enumerate().map(|(seed, overlap)| (self.comparison.share(seed, *overlap, &bag), seed));
        let mut shares: Vec<_> = shares.filter(|(share, _)| *share > 0.0).collect();
        shares.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let reason = |&(weight, seed): &(f64, usize)| {
            let shared = self.comparison.shared(seed, &bag);
            let terms: Vec<_> = shared.iter().take(TERMS_NAMED).map(|term| question.graph.term(*term)).collect();
            let seed = question.graph.called(question.seeds[seed].entity);
            Reason { words: format!("speaks of {} as {seed} does", said(&terms)), weight }
        };
        shares.iter().take(SEEDS_NAMED).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::rank::random::{self, ranked};

    fn options(jaccard: Jaccard, texts: TextScope) -> Options {
        Options { jaccard, texts, ..Options::default() }
    }

    /// By hand, for a seed “gothic cathedral, gothic choir” and a candidate “gothic
    /// gothic church”. As sets {gothic, cathedral, choir} and {gothic, church}: 1/4. As
    /// multisets the minimum is gothic twice, and Σ max = 4 + 3 − 2 = 5: 2/5.
    #[test]
    fn texts_are_as_alike_as_worked_out_by_hand() {
        let check = |jaccard, expected: f64| {
            let statements = ["s p c", "s label \"gothic cathedral, gothic choir", "c label \"gothic gothic church"];
            let ranker = EntityJaccard::new(&options(jaccard, TextScope::Own), false);
            let (_, scores, reasons) = ranked(&statements, &["s"], &ranker);
            assert!((scores[0] - expected).abs() < 1e-12, "{scores:?}");
            assert_eq!(reasons[0][0].words, "speaks of gothic as gothic cathedral, gothic choir does");
            assert!((reasons[0][0].weight - expected).abs() < 1e-12);
        };

        check(Jaccard::Set, 0.25);
        check(Jaccard::Multiset, 0.4);
    }

    /// By hand: s speaks of dom and gothic, c of münster and gothic; the style itself
    /// of all three.
    #[test]
    fn what_neighbours_are_called_counts_where_labels_say_little() {
        let check = |texts, expected: [(&str, f64); 2]| {
            let statements = ["s label \"Dom", "c label \"Münster", "style label \"gothic", "s p style", "c p style"];
            let ranker = EntityJaccard::new(&options(Jaccard::Set, texts), false);
            let (names, scores, _) = ranked(&statements, &["s"], &ranker);
            let found: Vec<_> = names.iter().map(String::as_str).zip(scores).collect();
            assert_eq!(found, expected, "{texts:?}");
        };

        check(TextScope::Own, [("c", 0.0), ("style", 0.0)]);
        check(TextScope::WithNeighbours, [("style", 2.0 / 3.0), ("c", 1.0 / 3.0)]);
    }

    /// Brute force: each candidate with each seed.
    #[test]
    fn texts_are_as_alike_as_one_by_one() {
        for chance in 0..20 {
            let gathered = random::gathering(chance, 12, 20);
            let graph = gathered.graph();
            let (seeds, candidates) = random::parted(&graph, 4);
            let question = Question { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &[] };
            let text = |entity: EntityId| {
                let mut counts = BTreeMap::new();
                for entity in graph.neighbours(entity).iter().chain([&entity]) {
                    for (term, count) in graph.terms(*entity) {
                        *counts.entry(*term).or_insert(0) += count;
                    }
                }
                counts
            };
            for (jaccard, weighs_seeds) in [(Jaccard::Set, true), (Jaccard::Set, false), (Jaccard::Multiset, true)] {
                let ranker = EntityJaccard::new(&options(jaccard, TextScope::WithNeighbours), weighs_seeds);
                let ranking = ranker.rank(question);
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

    fn alike(one: &BTreeMap<TermId, u32>, other: &BTreeMap<TermId, u32>, jaccard: Jaccard) -> f64 {
        let (mut smaller, mut larger) = (0, 0);
        for term in one.keys().chain(other.keys()).collect::<std::collections::BTreeSet<_>>() {
            let mut counts = [one, other].map(|counts| counts.get(term).copied().unwrap_or_default());
            if jaccard == Jaccard::Set {
                counts = counts.map(|count| count.min(1));
            }
            smaller += counts[0].min(counts[1]);
            larger += counts[0].max(counts[1]);
        }
        f64::from(smaller) / f64::from(larger)
    }
}
