//! Small random graphs for tests, made from a seed.

use std::collections::BTreeSet;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::fact_base::{FactBase, tests};
use super::graph::{EntityGraph, EntityId};
use super::{GraphSeed, Ranker, RankingQuery, RankingReason, best_first, candidates};

/// Entities (`e0`, `e1`, …) with three words each, and random links between them; entities without
/// links included.
pub(super) fn random_fact_base(seed: u64, entities: u32, links: u32) -> FactBase {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut statements = BTreeSet::new();
    for _ in 0..links {
        let [one, other] = [(); 2].map(|()| rng.random_range(0..entities));
        statements.insert(format!("e{one} p{} e{other}", rng.random_range(0..3)));
    }
    for entity in 0..entities {
        let words: Vec<_> = (0..3).map(|_| format!("w{}", rng.random_range(0..9))).collect();
        statements.insert(format!("e{entity} label \"{}", words.join(" ")));
    }
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    tests::fact_base_from(&statements)
}

/// The first entities as seeds, and all others as candidates.
pub(super) fn split_seeds(graph: &EntityGraph<'_>, seeds: u32) -> (Vec<GraphSeed>, Vec<EntityId>) {
    let weight = |entity: EntityId| 0.5 + f64::from(entity % 3);
    let weighted = (0..seeds).map(|entity| GraphSeed { entity, weight: weight(entity) }).collect();
    (weighted, (seeds..u32::try_from(graph.len()).unwrap()).collect())
}

/// Ranks the candidates within two links of the seeds. Returns their names, best first, with scores
/// and reasons.
pub(super) fn rank_statements(
    statements: &[&str],
    seeds: &[&str],
    ranker: &dyn Ranker,
) -> (Vec<String>, Vec<f64>, Vec<Vec<RankingReason>>) {
    let fact_base = tests::fact_base_from(statements);
    let graph = fact_base.graph();
    let entities: Vec<EntityId> = seeds.iter().map(|seed| graph.find(seed).unwrap()).collect();
    let (candidates, hops) = candidates(&graph, &entities, &[], 2);
    let seeds: Vec<GraphSeed> = entities.into_iter().map(|entity| GraphSeed { entity, weight: 1.0 }).collect();
    let query = RankingQuery { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &hops, marks: &[] };
    let ranking = ranker.rank(query);
    let indices = best_first(&query, ranking.scores());
    let names = indices.iter().map(|index| graph.name(candidates[*index]).to_owned()).collect();
    let scores = indices.iter().map(|index| ranking.scores()[*index]).collect();
    (names, scores, indices.iter().map(|index| ranking.explain(*index)).collect())
}
