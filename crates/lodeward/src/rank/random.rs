//! Small graphs for tests, made by chance from a seed.

use std::collections::BTreeSet;

use rand::rngs::SmallRng;
use rand::{Rng as _, SeedableRng as _};

use super::gather::{Gathering, tests};
use super::graph::{EntityGraph, EntityId};
use super::{Question, Ranker, Reason, Seed, best_first, candidates};

/// So many entities (`e0`, `e1`, …) with up to three words each, and links between
/// them; all entities are there, also those without links.
pub(super) fn gathering(seed: u64, entities: u32, links: u32) -> Gathering {
    let mut chance = SmallRng::seed_from_u64(seed);
    let mut statements = BTreeSet::new();
    for _ in 0..links {
        let [one, other] = [(); 2].map(|()| chance.random_range(0..entities));
        statements.insert(format!("e{one} p{} e{other}", chance.random_range(0..3)));
    }
    for entity in 0..entities {
        let words: Vec<_> = (0..3).map(|_| format!("w{}", chance.random_range(0..9))).collect();
        statements.insert(format!("e{entity} label \"{}", words.join(" ")));
    }
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    tests::gathering(&statements)
}

/// The first entities as seeds, and all others as candidates.
pub(super) fn parted(graph: &EntityGraph<'_>, seeds: u32) -> (Vec<Seed>, Vec<EntityId>) {
    let weight = |entity: EntityId| 0.5 + f64::from(entity % 3);
    let seeds_of = (0..seeds).map(|entity| Seed { entity, weight: weight(entity) }).collect();
    (seeds_of, (seeds..u32::try_from(graph.len()).unwrap()).collect())
}

/// What a ranker says of the candidates within two links of seeds: their names,
/// the best first, their scores, and reasons.
pub(super) fn ranked(
    statements: &[&str],
    seeds: &[&str],
    ranker: &dyn Ranker,
) -> (Vec<String>, Vec<f64>, Vec<Vec<Reason>>) {
    let gathered = tests::gathering(statements);
    let graph = gathered.graph();
    let entities: Vec<EntityId> = seeds.iter().map(|seed| graph.find(seed).unwrap()).collect();
    let (candidates, hops) = candidates(&graph, &entities, 2);
    let seeds: Vec<Seed> = entities.into_iter().map(|entity| Seed { entity, weight: 1.0 }).collect();
    let question = Question { graph: &graph, seeds: &seeds, candidates: &candidates, hops: &hops, marks: &[] };
    let ranking = ranker.rank(question);
    let places = best_first(&question, ranking.scores());
    let names = places.iter().map(|place| graph.name(candidates[*place]).to_owned()).collect();
    let scores = places.iter().map(|place| ranking.scores()[*place]).collect();
    (names, scores, places.iter().map(|place| ranking.explain(*place)).collect())
}
