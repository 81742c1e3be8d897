//! `PageRank` (DURAARK D3.6, eq. 8) and personalised `PageRank`.
//!
//! ```text
//! PR(c) = (1 − d)/N + d · Σ_{x linked to c} PR(x)/L(x)
//! ```
//!
//! `pagerank` does not look at the seeds at all; `ppr` is the same with walks that
//! begin at the seeds. Both take links in either direction: a crawl knows the links
//! of those it has visited, and direction would mostly tell who that was.

use super::graph::EntityId;
use super::options::Options;
use super::walk::{Steps, share, walk};
use super::{Question, Ranker, Ranking, Reason, real};

/// With damping 0.85, what is left out after so many is below a thousandth.
const ITERATIONS: usize = 50;
/// Neighbours that an explanation names.
const NEIGHBOURS_NAMED: usize = 3;

/// Ranks by how often walks come by.
#[derive(Clone, Copy, Debug)]
pub struct PageRank {
    damping: f64,
    steps: Steps,
    is_personalised: bool,
}

impl PageRank {
    /// `pagerank`: walks begin anywhere.
    #[must_use]
    pub fn new(options: &Options) -> Self {
        Self { damping: options.damping, steps: options.steps, is_personalised: false }
    }

    /// `ppr`: walks begin at the seeds.
    #[must_use]
    pub fn personalised(options: &Options) -> Self {
        Self { is_personalised: true, ..Self::new(options) }
    }

    /// Where walks begin.
    fn start(self, question: &Question<'_>) -> Vec<f64> {
        let count = question.graph.len();
        if !self.is_personalised {
            return vec![real(count as u64).recip(); count];
        }
        let mut start = vec![0.0; count];
        for seed in question.seeds {
            start[seed.entity as usize] += real(question.seeds.len() as u64).recip();
        }
        start
    }
}

impl Ranker for PageRank {
    fn rank<'q>(&self, question: Question<'q>) -> Box<dyn Ranking + 'q> {
        let here = walk(question.graph, &self.start(&question), self.steps, self.damping, ITERATIONS);
        let scores = question.candidates.iter().map(|candidate| here[*candidate as usize]).collect();
        Box::new(Visited { question, ranker: *self, here, scores })
    }
}

struct Visited<'q> {
    question: Question<'q>,
    ranker: PageRank,
    here: Vec<f64>,
    scores: Vec<f64>,
}

impl Visited<'_> {
    /// What comes to a candidate from each of those it is linked with.
    fn sources(&self, candidate: EntityId) -> Vec<(f64, EntityId)> {
        let PageRank { damping, steps, .. } = self.ranker;
        let graph = self.question.graph;
        let handed = |entity: EntityId| damping * self.here[entity as usize] * share(graph, steps, entity);
        match steps {
            Steps::Forward => graph.incoming(candidate).iter().map(|link| (handed(link.entity), link.entity)).collect(),
            Steps::Both => graph.neighbours(candidate).iter().map(|entity| (handed(*entity), *entity)).collect(),
        }
    }
}

impl Ranking for Visited<'_> {
    fn scores(&self) -> &[f64] {
        &self.scores
    }

    fn explain(&self, place: usize) -> Vec<Reason> {
        let Question { graph, seeds, candidates, .. } = self.question;
        let mut sources = self.sources(candidates[place]);
        sources.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
        let strongest = sources.into_iter().filter(|(weight, _)| *weight > 0.0).take(NEIGHBOURS_NAMED);
        let reason = |(weight, entity): (f64, EntityId)| {
            let is_seed = self.ranker.is_personalised && seeds.iter().any(|seed| seed.entity == entity);
            let called = graph.called(entity);
            let words = if is_seed { format!("is 1 hop from {called}") } else { format!("is linked with {called}") };
            Reason { words, weight }
        };
        strongest.map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rank::random::ranked;

    #[test]
    fn who_is_linked_with_many_comes_first_whatever_the_seeds() {
        let statements = ["s p a", "s p hub", "x p hub", "y p hub", "z p hub"];
        let (names, scores, _) = ranked(&statements, &["s"], &PageRank::new(&Options::default()));
        assert_eq!(names[0], "hub");
        assert!(scores[0] > scores[1], "{scores:?}");
    }

    #[test]
    fn who_is_near_the_seeds_comes_first_when_walks_begin_there() {
        let statements = ["s p a", "t p a", "s p hub", "x p hub", "y p hub", "z p hub"];
        let (names, _, reasons) = ranked(&statements, &["s", "t"], &PageRank::personalised(&Options::default()));
        assert_eq!(names[0], "a");
        let words: Vec<_> = reasons[0].iter().map(|reason| &*reason.words).collect();
        assert_eq!(words, ["is 1 hop from t", "is 1 hop from s"]);
    }
}
