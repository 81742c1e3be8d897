//! How much the texts of candidates and seeds speak of the same: BM25.
//!
//! ```text
//! BM25(c, s) = Σ_terms of both  rarity(t) · f·(k₁+1) / (f + k₁·(1 − b + b·|c|/mean))
//! rarity(t)  = ln(1 + (N − n_t + ½) / (n_t + ½))
//! ```
//!
//! Here f is how often t is in the text of c, and `n_t` in how many texts it is. The
//! seed is the query, each of its terms counting once. Texts are those of entities
//! alone, or with those of their neighbours. Words that more than an eighth of all
//! texts have are passed over, which changes no NDCG@100 of the evaluation by more
//! than .004, and saves about a quarter of the time.

use crate::rank::bag;
use crate::rank::graph::{EntityGraph, EntityId, TermId};
use crate::rank::options::TextScope;
use crate::rank::{Seed, real};

/// How soon a term that comes again adds nothing (k₁).
const SATURATION: f64 = 1.2;
/// How much long texts pay for being long (b).
const LENGTH_SHARE: f64 = 0.75;
/// A term that is in one of so many texts says too little to be looked at; half of
/// what is written are such words.
const COMMON_ONE_IN: usize = 8;
/// Where there are few texts, nothing is that common.
const COMMON_MIN: usize = 1_000;
/// A term that no seed has, or that is common.
const PASSED_OVER: u32 = u32::MAX;

/// The texts of the seeds, ready to be found at candidates.
pub(super) struct Texts<'g> {
    graph: &'g EntityGraph<'g>,
    scope: TextScope,
    seeds_len: usize,
    /// By term: its place in `seeds_with`, or [`PASSED_OVER`].
    places: Vec<u32>,
    seeds_with: Vec<Posting>,
    /// How many terms texts have on average, those that have none aside.
    mean_length: f64,
}

/// A term that at least one seed has.
struct Posting {
    term: TermId,
    /// Places of the seeds that have it.
    seeds: Vec<u32>,
    /// What having it in common counts, before how often it is there.
    rarity: f64,
}

impl<'g> Texts<'g> {
    /// The texts of these seeds.
    pub(super) fn new(graph: &'g EntityGraph<'g>, seeds: &[Seed], scope: TextScope) -> Self {
        let mut places = vec![PASSED_OVER; graph.terms_len()];
        let mut seeds_with: Vec<Posting> = Vec::new();
        for (seed_place, seed) in (0..).zip(seeds) {
            for &(term, _) in bag::texts(graph, scope, seed.entity).flatten() {
                let place = &mut places[term as usize];
                if *place == PASSED_OVER {
                    *place = u32::try_from(seeds_with.len()).expect("there are no more than terms");
                    seeds_with.push(Posting { term, seeds: Vec::new(), rarity: 0.0 });
                }
                let seeds = &mut seeds_with[*place as usize].seeds;
                if seeds.last() != Some(&seed_place) {
                    seeds.push(seed_place);
                }
            }
        }
        let mut texts = Self { graph, scope, seeds_len: seeds.len(), places, seeds_with, mean_length: 1.0 };
        if !texts.seeds_with.is_empty() {
            texts.weigh();
        }
        texts
    }

    /// Counts in how many texts each term is, and says what it counts.
    fn weigh(&mut self) {
        // The last text that each term was seen in, and in how many it was.
        let mut seen = vec![(EntityId::MAX, 0_u32); self.seeds_with.len()];
        let (mut length, mut texts) = (0, 0_u64);
        for entity in (0..).take(self.graph.len()) {
            let length_before = length;
            for &(term, count) in bag::texts(self.graph, self.scope, entity).flatten() {
                length += u64::from(count);
                if let Some((last, texts)) = seen.get_mut(self.places[term as usize] as usize)
                    && *last != entity
                {
                    (*last, *texts) = (entity, *texts + 1);
                }
            }
            texts += u64::from(length > length_before);
        }
        self.mean_length = real(length) / real(texts.max(1));
        let entities = self.graph.len();
        let common = (entities / COMMON_ONE_IN).max(COMMON_MIN);
        for (posting, (_, texts)) in self.seeds_with.iter_mut().zip(seen) {
            if texts as usize > common {
                self.places[posting.term as usize] = PASSED_OVER;
            }
            let texts = real(texts.into());
            posting.rarity = ((real(entities as u64) - texts + 0.5) / (texts + 0.5)).ln_1p();
        }
    }

    /// A part of the score: one for each candidate whose text is known.
    pub(super) fn scores(&self, candidates: &[EntityId], is_known: impl Fn(EntityId) -> bool) -> Vec<Option<f64>> {
        let mut tally = Tally::new(self);
        let mut found = vec![0.0; self.seeds_len];
        let mut score = |candidate: EntityId| {
            tally.fill(self, candidate);
            found.fill(0.0);
            // What all seeds have is added once.
            let mut found_by_all = 0.0;
            for (posting, gain) in self.gains(&tally) {
                if posting.seeds.len() == self.seeds_len {
                    found_by_all += gain;
                    continue;
                }
                for &seed in &posting.seeds {
                    found[seed as usize] += gain;
                }
            }
            found.iter().map(|found| (found_by_all + found).ln_1p()).sum()
        };
        candidates.iter().map(|candidate| is_known(*candidate).then(|| score(*candidate))).collect()
    }

    /// What the text of a candidate speaks of: its terms that seeds have, too, with
    /// the places of those; what counts most over all seeds comes first.
    pub(super) fn explain(&self, candidate: EntityId) -> Vec<(TermId, &[u32])> {
        let mut tally = Tally::new(self);
        tally.fill(self, candidate);
        let weighed = self.gains(&tally).map(|(posting, gain)| (gain * real(posting.seeds.len() as u64), posting));
        let mut weighed: Vec<(f64, &Posting)> = weighed.collect();
        weighed.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.term.cmp(&other.1.term)));
        weighed.into_iter().map(|(_, posting)| (posting.term, &*posting.seeds)).collect()
    }

    /// The terms of a tally, and what each adds for each of the seeds that have it.
    fn gains<'a>(&'a self, tally: &Tally) -> impl Iterator<Item = (&'a Posting, f64)> {
        let length = 1.0 - LENGTH_SHARE + LENGTH_SHARE * real(tally.length) / self.mean_length;
        tally.found.iter().map(move |&place| {
            let posting = &self.seeds_with[place as usize];
            let count = real(tally.counts[place as usize].into());
            let gain = posting.rarity * count * (SATURATION + 1.0) / (count + SATURATION * length);
            (posting, gain)
        })
    }
}

/// How often the seeds' terms are in one text after the other, in memory that is
/// used again.
struct Tally {
    /// By the places of postings.
    counts: Vec<u32>,
    /// Those that are not 0.
    found: Vec<u32>,
    /// How many terms there are, whoever has them.
    length: u64,
}

impl Tally {
    fn new(texts: &Texts<'_>) -> Self {
        Self { counts: vec![0; texts.seeds_with.len()], found: Vec::new(), length: 0 }
    }

    /// Counts the terms of an entity, instead of those before.
    fn fill(&mut self, texts: &Texts<'_>, entity: EntityId) {
        for place in self.found.drain(..) {
            self.counts[place as usize] = 0;
        }
        self.length = 0;
        for &(term, count) in bag::texts(texts.graph, texts.scope, entity).flatten() {
            self.length += u64::from(count);
            let place = texts.places[term as usize];
            if place == PASSED_OVER {
                continue;
            }
            let counted = &mut self.counts[place as usize];
            if *counted == 0 {
                self.found.push(place);
            }
            *counted = counted.saturating_add(count);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;

    fn check(scope: TextScope, statements: &[&str], candidate: &str, expected: &[f64]) {
        let gathered = gathering(statements);
        let graph = gathered.graph();
        let seeds = ["s", "t"].map(|name| Seed { entity: graph.find(name).unwrap(), weight: 1.0 });
        let texts = Texts::new(&graph, &seeds, scope);
        let [Some(score)] = texts.scores(&[graph.find(candidate).unwrap()], |_| true)[..] else { panic!("one score") };
        let expected: f64 = expected.iter().map(|found| f64::ln_1p(*found)).sum();
        assert!((score - expected).abs() < 1e-12, "{candidate}: {score} instead of {expected}");
    }

    /// What a term adds that is `count` times in a text of `length`.
    fn gain(texts: f64, with_term: f64, count: f64, length: f64, mean: f64) -> f64 {
        let rarity = (1.0 + (texts - with_term + 0.5) / (with_term + 0.5)).ln();
        rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * length / mean))
    }

    #[test]
    fn own_texts_are_compared_by_bm25() {
        let statements = [
            "s label \"gothic cathedral",
            "t label \"gothic church",
            "c label \"gothic gothic dome",
            "d label \"bridge",
        ];
        // Four texts with 2, 2, 3 and 1 terms: 2 on average. Three are gothic.
        let gothic = gain(4.0, 3.0, 2.0, 3.0, 2.0);
        check(TextScope::Own, &statements, "c", &[gothic, gothic]);
        check(TextScope::Own, &statements, "d", &[0.0, 0.0]);
    }

    #[test]
    fn texts_of_neighbours_count_as_well() {
        let statements =
            ["s label \"tower", "t label \"bridge", "x label \"gothic", "c label \"dome", "s p x", "x p c"];
        // With neighbours: s = tower gothic, x = gothic tower dome, c = dome
        // gothic, t = bridge. Together 8 terms in 4 texts; three are gothic.
        check(TextScope::WithNeighbours, &statements, "c", &[gain(4.0, 3.0, 1.0, 2.0, 2.0), 0.0]);
        check(TextScope::Own, &statements, "c", &[0.0, 0.0]);
    }

    #[test]
    fn words_that_are_everywhere_are_passed_over() {
        let labels: Vec<String> = (0..=COMMON_MIN).map(|number| format!("e{number} label \"coin")).collect();
        let mut statements: Vec<&str> = labels.iter().map(String::as_str).collect();
        statements.extend(["s label \"mint", "t label \"coin rare", "c label \"coin rare"]);
        let gathered = gathering(&statements);
        let graph = gathered.graph();
        let seed = Seed { entity: graph.find("t").unwrap(), weight: 1.0 };
        let texts = Texts::new(&graph, &[seed], TextScope::Own);
        let spoken = texts.explain(graph.find("c").unwrap());
        let terms: Vec<&str> = spoken.iter().map(|(term, _)| graph.term(*term)).collect();
        assert_eq!(terms, ["rare"]);
    }
}
