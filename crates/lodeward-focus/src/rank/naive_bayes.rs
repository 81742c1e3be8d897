//! Naive Bayes: `nb` (DURAARK D3.6, eq. 9), trained on the user's marks.
//!
//! ```text
//! P(kept | c) = P(kept) · Π_t P(t | kept)^{count of t in c} / P(c)
//! P(t | kept) = (count of t in what was kept + 1) / (count of all terms there + V)
//! ```
//!
//! Terms are those of texts, `V` is the number of distinct terms, and seeds are treated as kept.
//! The score is the log odds `log P(kept | c) / P(dropped | c)`. The order is the same as by
//! probability, but scores of long texts remain distinct, whereas their probabilities round to 0 or
//! 1.

use super::graph::{EntityId, WordId};
use super::options::{RankingOptions, TextScope};
use super::term_counts::TermCounts;
use super::{Ranker, Ranking, RankingQuery, RankingReason, to_f64};

/// Maximum number of terms named in an explanation.
const MAX_EXPLAINED_TERMS: usize = 3;

/// Ranks by the probability that the user would keep a candidate.
///
/// Unless at least one entity was kept and one dropped, all candidates have the same score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaiveBayesRanker {
    texts: TextScope,
}

impl NaiveBayesRanker {
    /// Creates `nb`.
    #[must_use]
    pub(crate) fn new(options: &RankingOptions) -> Self {
        Self { texts: options.texts }
    }
}

impl Ranker for NaiveBayesRanker {
    fn rank<'q>(&self, query: RankingQuery<'q>) -> Box<dyn Ranking + 'q> {
        let mut bag = TermCounts::new(query.graph, self.texts);
        let Some(model) = NaiveBayesWeights::train(&query, &mut bag) else {
            return Box::new(NaiveBayesRanking {
                query,
                texts: self.texts,
                model: None,
                scores: vec![0.0; query.candidates.len()],
            });
        };
        let score = |candidate: &EntityId| {
            bag.fill(query.graph, *candidate);
            model.prior + bag.iter().map(|(term, count)| model.term_log_odds(term, count)).sum::<f64>()
        };
        let scores = query.candidates.iter().map(score).collect();
        Box::new(NaiveBayesRanking { query, texts: self.texts, model: Some(model), scores })
    }
}

struct NaiveBayesWeights {
    /// log P(kept) / P(dropped)
    prior: f64,
    /// log P(t | kept) / P(t | dropped)
    terms: Vec<f64>,
}

impl NaiveBayesWeights {
    /// Returns `None` unless there are examples of both classes.
    fn train(query: &RankingQuery<'_>, bag: &mut TermCounts) -> Option<Self> {
        let seeds = query.seeds.iter().map(|seed| (seed.entity, true));
        let marks = query.marks.iter().map(|mark| (mark.entity, mark.keep));
        let mut kept = MarkedExamples::new(query.graph.terms_len());
        let mut dropped = MarkedExamples::new(query.graph.terms_len());
        for (entity, keep) in seeds.chain(marks) {
            bag.fill(query.graph, entity);
            if keep { &mut kept } else { &mut dropped }.add(bag);
        }
        if kept.count == 0 || dropped.count == 0 {
            return None;
        }
        let terms = 0..query.graph.terms_len();
        Some(Self {
            prior: (to_f64(kept.count) / to_f64(dropped.count)).ln(),
            terms: terms.map(|term| (kept.likelihood(term) / dropped.likelihood(term)).ln()).collect(),
        })
    }

    fn term_log_odds(&self, term: WordId, count: u32) -> f64 {
        f64::from(count) * self.terms[term as usize]
    }
}

/// Term counts of the entities of one class.
struct MarkedExamples {
    count: u64,
    terms: Vec<u32>,
    total: u64,
}

impl MarkedExamples {
    fn new(terms: usize) -> Self {
        Self { count: 0, terms: vec![0; terms], total: 0 }
    }

    fn add(&mut self, bag: &TermCounts) {
        self.count += 1;
        self.total += bag.total();
        for (term, count) in bag.iter() {
            self.terms[term as usize] = self.terms[term as usize].saturating_add(count);
        }
    }

    fn likelihood(&self, term: usize) -> f64 {
        (f64::from(self.terms[term]) + 1.0) / to_f64(self.total + self.terms.len() as u64)
    }
}

struct NaiveBayesRanking<'q> {
    query: RankingQuery<'q>,
    texts: TextScope,
    model: Option<NaiveBayesWeights>,
    scores: Vec<f64>,
}

impl Ranking for NaiveBayesRanking<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, index: usize) -> Vec<RankingReason> {
        let Some(model) = &self.model else { return Vec::new() };
        let RankingQuery { graph, candidates, .. } = self.query;
        let mut bag = TermCounts::new(graph, self.texts);
        bag.fill(graph, candidates[index]);
        let evidence = bag.iter().map(|(term, count)| (model.term_log_odds(term, count), term));
        let mut evidence: Vec<_> = evidence.filter(|(weight, _)| *weight > 0.0).collect();
        evidence.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let reason = |(weight, term): (f64, WordId)| {
            let text = format!("mentions {}, like entities marked `keep`", graph.term(term));
            RankingReason { text, weight }
        };
        evidence.into_iter().take(MAX_EXPLAINED_TERMS).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::fact_base::tests::fact_base_from;
    use crate::rank::test_graphs;
    use crate::rank::{GraphSeed, MarkedEntity};

    /// Computed by hand: kept is `s` (“gothic cathedral”), dropped is `d` (“modern bank”), and with
    /// “church” of `c` there are V = 5 terms. Every text has two terms, so a term that was seen has
    /// 2/7 and another one 1/7. `c` (“gothic church”) has odds 1/1 · (2/7)/(1/7) · (1/7)/(1/7) = 2.
    #[test]
    fn odds_match_values_computed_by_hand() {
        let statements = ["s label \"gothic cathedral", "d label \"modern bank", "c label \"gothic church"];
        let fact_base = fact_base_from(&statements);
        let graph = fact_base.graph();
        let [seed, dropped, candidate] = ["s", "d", "c"].map(|name| graph.find(name).unwrap());
        let candidates = [candidate];
        let (seeds, marks) =
            ([GraphSeed { entity: seed, weight: 1.0 }], [MarkedEntity { entity: dropped, keep: false }]);
        let query = |marks| RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[1], marks };

        let ranking = NaiveBayesRanker::new(&RankingOptions::default()).rank(query(&marks));
        assert!((ranking.scores()[0] - 2.0_f64.ln()).abs() < 1e-12, "{:?}", ranking.scores());
        assert_eq!(ranking.explain(0)[0].text, "mentions gothic, like entities marked `keep`");

        let ranking = NaiveBayesRanker::new(&RankingOptions::default()).rank(query(&[]));
        assert_eq!((ranking.scores(), ranking.explain(0).len()), (&[0.0][..], 0));
    }

    /// Multiplies the probabilities, by brute force.
    #[test]
    fn odds_match_the_product_of_probabilities() {
        for chance in 0..20 {
            let fact_base = test_graphs::random_fact_base(chance, 12, 15);
            let graph = fact_base.graph();
            let (seeds, candidates) = test_graphs::split_seeds(&graph, 3);
            let marks = [
                MarkedEntity { entity: 4, keep: false },
                MarkedEntity { entity: 5, keep: true },
                MarkedEntity { entity: 6, keep: false },
            ];
            let query =
                RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &marks };
            let options = RankingOptions { texts: TextScope::Own, ..RankingOptions::default() };
            let count = |entities: &[u32], term: u32| -> u32 {
                let terms = entities.iter().flat_map(|entity| graph.terms(*entity));
                terms.filter(|(found, _)| *found == term).map(|(_, count)| count).sum()
            };
            let vocabulary = u32::try_from(graph.terms_len()).unwrap();
            let probability = |class: &[u32], candidate: u32| -> f64 {
                let all: u32 = (0..vocabulary).map(|term| count(class, term)).sum();
                let of_term = |term| f64::from(count(class, term) + 1) / f64::from(all + vocabulary);
                let power = |term| of_term(term).powi(i32::try_from(count(&[candidate], term)).unwrap());
                to_f64(class.len() as u64) / 6.0 * (0..vocabulary).map(power).product::<f64>()
            };

            let ranking = NaiveBayesRanker::new(&options).rank(query);

            for (candidate, score) in candidates.iter().zip(ranking.scores()) {
                let expected = probability(&[0, 1, 2, 5], *candidate) / probability(&[4, 6], *candidate);
                assert!((score - expected.ln()).abs() < 1e-9, "{score}, not {}", expected.ln());
            }
        }
    }
}
