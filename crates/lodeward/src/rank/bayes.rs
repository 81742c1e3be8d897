//! Naive Bayes: `nb` (DURAARK D3.6, eq. 9), trained on what the user has kept and
//! dropped.
//!
//! ```text
//! P(kept | c) = P(kept) · Π_t P(t | kept)^{count of t in c} / P(c)
//! P(t | kept) = (count of t in what was kept + 1) / (count of all terms there + V)
//! ```
//!
//! Terms are those of texts, `V` is how many different ones there are, and seeds
//! count as kept. The score is the logarithm of the odds, `log P(kept | c) / P(dropped | c)`:
//! the order is the same, and texts of a hundred terms are not all 0 or 1.

use super::bag::Bag;
use super::graph::{EntityId, TermId};
use super::options::{Options, TextScope};
use super::{Question, Ranker, Ranking, Reason, real};

/// Terms that an explanation names.
const TERMS_NAMED: usize = 3;

/// Ranks by how probable it is that the user would keep a candidate.
///
/// Without anything that was kept and anything that was dropped it knows nothing,
/// and all candidates are worth the same.
#[derive(Clone, Copy, Debug)]
pub struct NaiveBayes {
    texts: TextScope,
}

impl NaiveBayes {
    /// `nb`.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self { texts: options.texts }
    }
}

impl Ranker for NaiveBayes {
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q> {
        let mut bag = Bag::new(question.graph, self.texts);
        let Some(model) = Model::trained(&question, &mut bag) else {
            return Box::new(Odds {
                question,
                texts: self.texts,
                model: None,
                scores: vec![0.0; question.candidates.len()],
            });
        };
        let score = |candidate: &EntityId| {
            bag.fill(question.graph, *candidate);
            model.prior + bag.iter().map(|(term, count)| model.evidence(term, count)).sum::<f64>()
        };
        let scores = question.candidates.iter().map(score).collect();
        Box::new(Odds { question, texts: self.texts, model: Some(model), scores })
    }
}

struct Model {
    /// log P(kept) / P(dropped)
    prior: f64,
    /// log P(t | kept) / P(t | dropped)
    terms: Vec<f64>,
}

impl Model {
    /// `None` if only one sort of examples is there, or none.
    fn trained(question: &Question<'_>, bag: &mut Bag) -> Option<Self> {
        let seeds = question.seeds.iter().map(|seed| (seed.entity, true));
        let marks = question.marks.iter().map(|mark| (mark.entity, mark.keep));
        let mut kept = Examples::new(question.graph.terms_len());
        let mut dropped = Examples::new(question.graph.terms_len());
        for (entity, keep) in seeds.chain(marks) {
            bag.fill(question.graph, entity);
            if keep { &mut kept } else { &mut dropped }.add(bag);
        }
        if kept.count == 0 || dropped.count == 0 {
            return None;
        }
        let terms = 0..question.graph.terms_len();
        Some(Self {
            prior: (real(kept.count) / real(dropped.count)).ln(),
            terms: terms.map(|term| (kept.likelihood(term) / dropped.likelihood(term)).ln()).collect(),
        })
    }

    fn evidence(&self, term: TermId, count: u32) -> f64 {
        f64::from(count) * self.terms[term as usize]
    }
}

/// Entities of one sort.
struct Examples {
    count: u64,
    terms: Vec<u32>,
    total: u64,
}

impl Examples {
    fn new(terms: usize) -> Self {
        Self { count: 0, terms: vec![0; terms], total: 0 }
    }

    fn add(&mut self, bag: &Bag) {
        self.count += 1;
        self.total += bag.total();
        for (term, count) in bag.iter() {
            self.terms[term as usize] = self.terms[term as usize].saturating_add(count);
        }
    }

    fn likelihood(&self, term: usize) -> f64 {
        (f64::from(self.terms[term]) + 1.0) / real(self.total + self.terms.len() as u64)
    }
}

struct Odds<'q> {
    question: Question<'q>,
    texts: TextScope,
    model: Option<Model>,
    scores: Vec<f64>,
}

impl Ranking for Odds<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, place: usize) -> Vec<Reason> {
        let Some(model) = &self.model else { return Vec::new() };
        let Question { graph, candidates, .. } = self.question;
        let mut bag = Bag::new(graph, self.texts);
        bag.fill(graph, candidates[place]);
        let evidence = bag.iter().map(|(term, count)| (model.evidence(term, count), term));
        let mut evidence: Vec<_> = evidence.filter(|(weight, _)| *weight > 0.0).collect();
        evidence.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let reason = |(weight, term): (f64, TermId)| {
            let words = format!("speaks of {} as what was kept does", graph.term(term));
            Reason { words, weight }
        };
        evidence.into_iter().take(TERMS_NAMED).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::gather::tests::gathering;
    use crate::rank::random;
    use crate::rank::{Mark, Seed};

    /// By hand: kept is `s` (“gothic cathedral”), dropped is `d` (“modern bank”), and
    /// with “church” of `c` there are V = 5 terms. Every text has two terms, so a
    /// term that was seen has 2/7 and another one 1/7. `c` (“gothic church”) has odds
    /// 1/1 · (2/7)/(1/7) · (1/7)/(1/7) = 2.
    #[test]
    fn odds_are_those_worked_out_by_hand() {
        let statements = ["s label \"gothic cathedral", "d label \"modern bank", "c label \"gothic church"];
        let gathered = gathering(&statements);
        let graph = gathered.graph();
        let [seed, dropped, candidate] = ["s", "d", "c"].map(|name| graph.find(name).unwrap());
        let candidates = [candidate];
        let (seeds, marks) = ([Seed { entity: seed, weight: 1.0 }], [Mark { entity: dropped, keep: false }]);
        let ask = |marks| Question { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[1], marks };

        let ranking = NaiveBayes::new(&Options::default()).rank(ask(&marks));
        assert!((ranking.scores()[0] - 2.0_f64.ln()).abs() < 1e-12, "{:?}", ranking.scores());
        assert_eq!(ranking.explain(0)[0].words, "speaks of gothic as what was kept does");

        let ranking = NaiveBayes::new(&Options::default()).rank(ask(&[]));
        assert_eq!((ranking.scores(), ranking.explain(0).len()), (&[0.0][..], 0));
    }

    /// Brute force: the probabilities themselves, multiplied.
    #[test]
    fn odds_are_those_of_the_probabilities() {
        for chance in 0..20 {
            let gathered = random::gathering(chance, 12, 15);
            let graph = gathered.graph();
            let (seeds, candidates) = random::parted(&graph, 3);
            let marks =
                [Mark { entity: 4, keep: false }, Mark { entity: 5, keep: true }, Mark { entity: 6, keep: false }];
            let question = Question { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &[], marks: &marks };
            let options = Options { texts: TextScope::Own, ..Options::default() };
            let count = |entities: &[u32], term: u32| -> u32 {
                let terms = entities.iter().flat_map(|entity| graph.terms(*entity));
                terms.filter(|(found, _)| *found == term).map(|(_, count)| count).sum()
            };
            let vocabulary = u32::try_from(graph.terms_len()).unwrap();
            let probability = |class: &[u32], candidate: u32| -> f64 {
                let all: u32 = (0..vocabulary).map(|term| count(class, term)).sum();
                let of_term = |term| f64::from(count(class, term) + 1) / f64::from(all + vocabulary);
                let power = |term| of_term(term).powi(i32::try_from(count(&[candidate], term)).unwrap());
                real(class.len() as u64) / 6.0 * (0..vocabulary).map(power).product::<f64>()
            };

            let ranking = NaiveBayes::new(&options).rank(question);

            for (candidate, score) in candidates.iter().zip(ranking.scores()) {
                let expected = probability(&[0, 1, 2, 5], *candidate) / probability(&[4, 6], *candidate);
                assert!((score - expected.ln()).abs() < 1e-9, "{score}, not {}", expected.ln());
            }
        }
    }
}
