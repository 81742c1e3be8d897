//! Plans a ranking: analyses the seeds, chooses a ranker and finds the candidates.

use std::collections::HashSet;

use super::graph::{EntityGraph, EntityId};
use super::hops::{HopCount, candidates};
use super::options::RankingOptions;
use super::ranker_choice::{RankerChoice, choose};
use super::ranker_kind::build_ranker;
use super::seed_analysis::{SeedAnalysis, SeedMeasures, analyse};
use super::{GraphSeed, MarkedEntity, Ranker, Ranking, RankingQuery, best_first};

/// The plan of a ranking: the seeds and their analysis, the ranker, and the candidates.
///
/// ```text
/// let plan = plan_ranking(&graph, &seeds, &options, &marks, None);
/// let ranking = plan.ranking();
/// for index in plan.best_first(ranking.scores()) {
///     println!("{} {:?}", graph.name(plan.candidates[index]), ranking.explain(index));
/// }
/// ```
pub struct RankingPlan<'g> {
    graph: &'g EntityGraph<'g>,
    ranker: Box<dyn Ranker>,
    /// Analysis of the seed list.
    pub analysis: SeedAnalysis,
    /// The ranker and the maximum distance, with the reasons for the choice.
    pub choice: RankerChoice,
    /// The seeds that are in the graph.
    pub seeds: Vec<GraphSeed>,
    /// The entities to be ranked.
    pub candidates: Vec<EntityId>,
    /// Distance of each candidate from the nearest seed, in the same order.
    pub hops: Vec<HopCount>,
    /// Marked entities of the graph, except seeds.
    pub marks: Vec<MarkedEntity>,
}

/// Analyses seeds, chooses a ranker, and finds the candidates. Seeds and marks are IRIs. If
/// `reference` is given, it contains measures of the seeds in another graph, which are used instead
/// of measures in `graph`.
#[must_use]
pub fn plan_ranking<'g>(
    graph: &'g EntityGraph<'g>,
    seeds: &[impl AsRef<str>],
    options: &RankingOptions,
    marks: &[(String, bool)],
    reference: Option<&SeedMeasures>,
) -> RankingPlan<'g> {
    let analysis = match reference {
        Some(measures) => analyse(graph, measures, seeds, options),
        None => analyse(graph, &SeedMeasures::new(graph, seeds, options), seeds, options),
    };
    let seeds: Vec<GraphSeed> =
        analysis.seeds.iter().map(|seed| GraphSeed { entity: seed.entity, weight: seed.weight }).collect();
    let entities: Vec<EntityId> = seeds.iter().map(|seed| seed.entity).collect();
    let marks = marks.iter().filter_map(|(name, keep)| Some(MarkedEntity { entity: graph.find(name)?, keep: *keep }));
    let is_seed: HashSet<EntityId> = entities.iter().copied().collect();
    let marks: Vec<MarkedEntity> = marks.filter(|mark| !is_seed.contains(&mark.entity)).collect();
    let choice = choose(graph, &analysis, options, &marks);
    let found: Vec<EntityId> = options.found.iter().filter_map(|name| graph.find(name)).collect();
    let (candidates, hops) = candidates(graph, &entities, &found, choice.max_hops);
    let ranker = build_ranker(choice.ranker, options);
    RankingPlan { graph, ranker, analysis, choice, seeds, candidates, hops, marks }
}

impl RankingPlan<'_> {
    /// The input of the ranker: graph, seeds, candidates, distances and marks.
    #[must_use]
    pub fn query(&self) -> RankingQuery<'_> {
        let Self { graph, seeds, candidates, hops, marks, .. } = self;
        RankingQuery { graph, seeds, candidates, hops, marks }
    }

    /// Ranks the candidates. This takes most of the time. The result borrows from the plan.
    #[must_use]
    pub fn ranking(&self) -> Box<dyn Ranking + '_> {
        self.ranker.rank(self.query())
    }

    /// Removes candidates for which `is_kept` returns false.
    pub(crate) fn retain(&mut self, mut is_kept: impl FnMut(EntityId) -> bool) {
        let both = self.candidates.iter().copied().zip(self.hops.iter().copied());
        (self.candidates, self.hops) = both.filter(|(entity, _)| is_kept(*entity)).unzip();
    }

    /// Indices of candidates, best first.
    #[must_use]
    pub fn best_first(&self, scores: &[f64]) -> Vec<usize> {
        best_first(&self.query(), scores)
    }
}

#[cfg(test)]
#[path = "plan_tests.rs"]
mod tests;
