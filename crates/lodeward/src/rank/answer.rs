//! From seeds to a ranking: all of it, in one place.

use std::collections::HashSet;

use super::choice::{Choice, choose};
use super::graph::{EntityGraph, EntityId};
use super::hops::{Hop, candidates};
use super::kind::build;
use super::options::Options;
use super::seeds::{Measures, SeedAnalysis, analyse};
use super::{Mark, Question, Ranker, Ranking, Seed, best_first};

/// Everything that is known of a seed list before anybody ranks: what it is like,
/// who will rank, and whom.
///
/// ```text
/// let answer = answer(&graph, &seeds, &options, &marks, None);
/// let ranking = answer.ranking();
/// for place in answer.best_first(ranking.scores()) {
///     println!("{} {:?}", graph.name(answer.candidates[place]), ranking.explain(place));
/// }
/// ```
pub struct Answer<'g> {
    graph: &'g EntityGraph<'g>,
    ranker: Box<dyn Ranker>,
    /// What the seed list is like.
    pub analysis: SeedAnalysis,
    /// Who ranks and how far, and why.
    pub choice: Choice,
    /// The seeds that are in the graph.
    pub seeds: Vec<Seed>,
    /// Who is ranked.
    pub candidates: Vec<EntityId>,
    /// How far from the nearest seed each candidate is, in the same order.
    pub hops: Vec<Hop>,
    /// What was marked and is in the graph, seeds aside.
    pub marks: Vec<Mark>,
}

/// Analyses seeds, chooses a ranker, and finds the candidates. Seeds and marks are
/// IRIs; `reference` is what was measured of the seeds in another graph, if it is
/// not to be measured in this one.
#[must_use]
pub fn answer<'g>(
    graph: &'g EntityGraph<'g>,
    seeds: &[impl AsRef<str>],
    options: &Options,
    marks: &[(String, bool)],
    reference: Option<&Measures>,
) -> Answer<'g> {
    let analysis = match reference {
        Some(measures) => analyse(graph, measures, seeds, options),
        None => analyse(graph, &Measures::new(graph, seeds, options), seeds, options),
    };
    let seeds: Vec<Seed> =
        analysis.seeds.iter().map(|seed| Seed { entity: seed.entity, weight: seed.weight }).collect();
    let entities: Vec<EntityId> = seeds.iter().map(|seed| seed.entity).collect();
    let marks = marks.iter().filter_map(|(name, keep)| Some(Mark { entity: graph.find(name)?, keep: *keep }));
    let is_seed: HashSet<EntityId> = entities.iter().copied().collect();
    let marks: Vec<Mark> = marks.filter(|mark| !is_seed.contains(&mark.entity)).collect();
    let choice = choose(graph, &analysis, options, &marks);
    let (candidates, hops) = candidates(graph, &entities, choice.depth);
    let ranker = build(choice.ranker, options);
    Answer { graph, ranker, analysis, choice, seeds, candidates, hops, marks }
}

impl Answer<'_> {
    /// What the ranker is asked.
    #[must_use]
    pub fn question(&self) -> Question<'_> {
        let Self { graph, seeds, candidates, hops, marks, .. } = self;
        Question { graph, seeds, candidates, hops, marks }
    }

    /// Ranks the candidates. This is where time goes; the scores, and who explains
    /// them, borrow from the answer.
    #[must_use]
    pub fn ranking(&self) -> Box<dyn Ranking + '_> {
        self.ranker.rank(self.question())
    }

    /// Leaves only these among the candidates.
    pub fn retain(&mut self, mut is_kept: impl FnMut(EntityId) -> bool) {
        let both = self.candidates.iter().copied().zip(self.hops.iter().copied());
        (self.candidates, self.hops) = both.filter(|(entity, _)| is_kept(*entity)).unzip();
    }

    /// The places of candidates, the best first.
    #[must_use]
    pub fn best_first(&self, scores: &[f64]) -> Vec<usize> {
        best_first(&self.question(), scores)
    }
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
