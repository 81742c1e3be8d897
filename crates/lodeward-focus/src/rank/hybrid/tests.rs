//! Tests of the hybrid ranker as a whole.

use super::*;
use crate::rank::fact_base::tests::fact_base_from;
use crate::rank::{EntityId, FactBase, GraphSeed, HopCount, best_first, candidates};

/// A ranking query with its data.
struct OwnedQuery<'g> {
    graph: crate::rank::EntityGraph<'g>,
    seeds: Vec<GraphSeed>,
    candidates: Vec<EntityId>,
    hops: Vec<HopCount>,
}

impl<'g> OwnedQuery<'g> {
    fn new(fact_base: &'g FactBase, seeds: &[&str]) -> Self {
        let graph = fact_base.graph();
        let entities: Vec<EntityId> = seeds.iter().filter_map(|seed| graph.find(seed)).collect();
        let (candidates, hops) = candidates(&graph, &entities, &[], 2);
        let seeds = entities.into_iter().map(|entity| GraphSeed { entity, weight: 1.0 }).collect();
        Self { graph, seeds, candidates, hops }
    }

    fn query(&self) -> RankingQuery<'_> {
        let Self { graph, seeds, candidates, hops } = self;
        RankingQuery { graph, seeds, candidates, hops, marks: &[] }
    }

    /// Names, the best first.
    fn ranked(&self) -> Vec<&str> {
        let query = self.query();
        let ranking = HybridRanker.rank(query);
        let indices = best_first(&query, ranking.scores());
        indices.into_iter().map(|index| self.graph.name(self.candidates[index])).collect()
    }

    fn reasons(&self, name: &str) -> Vec<RankingReason> {
        let entity = self.graph.find(name).unwrap();
        let index = self.candidates.iter().position(|candidate| *candidate == entity).unwrap();
        HybridRanker.rank(self.query()).explain(index)
    }
}

/// Churches of one architect, with their towns.
const CHURCHES: &[&str] = &[
    "Minster architect Gerhard",
    "Minster town Cologne",
    "Minster a Church",
    "Minster label \"gothic minster",
    "Chapel architect Gerhard",
    "Chapel town Bonn",
    "Chapel a Church",
    "Chapel label \"gothic chapel",
    "Abbey architect Gerhard",
    "Abbey town Aachen",
    "Abbey a Church",
    "Abbey label \"gothic abbey",
    "Bridge town Cologne",
    "Bridge a Structure",
    "Bridge label \"railway bridge",
    "Mayor lives Cologne",
    "Mayor label \"the mayor",
    "Gerhard born Reil",
    "Reil label \"a village",
];

#[test]
fn shared_links_texts_and_kind_rank_first() {
    let fact_base = fact_base_from(CHURCHES);
    let owned = OwnedQuery::new(&fact_base, &["Minster", "Chapel"]);
    let ranked = owned.ranked();
    assert_eq!(ranked[0], "Abbey", "{ranked:?}");
    let index = |name: &str| ranked.iter().position(|ranked| *ranked == name).unwrap();
    assert!(index("Bridge") < index("Mayor"), "{ranked:?}");
}

#[test]
fn reasons_name_the_evidence() {
    let fact_base = fact_base_from(CHURCHES);
    let owned = OwnedQuery::new(&fact_base, &["Minster", "Chapel"]);
    let check = |name: &str, expected: &[&str]| {
        let reasons = owned.reasons(name);
        let words: Vec<&str> = reasons.iter().map(|reason| reason.text.as_str()).collect();
        for expected in expected {
            assert!(words.contains(expected), "{expected:?} is not in {words:#?}");
        }
        assert!(reasons.is_sorted_by(|one, other| one.weight >= other.weight), "{reasons:#?}");
        assert!(reasons.iter().all(|reason| reason.weight > 0.0), "{reasons:#?}");
    };

    check(
        "Abbey",
        &[
            "shares architect Gerhard with gothic minster and gothic chapel",
            "is 2 hops from gothic minster and gothic chapel through Gerhard",
            "mentions gothic, as do gothic minster and gothic chapel",
            "is of the same kind as the seeds: architect, class Church and town",
        ],
    );
    check("Bridge", &["shares town Cologne with gothic minster", "is 2 hops from gothic minster through Cologne"]);
    check("Gerhard", &["is 1 hop from gothic minster and gothic chapel"]);
}

#[test]
fn reasons_show_the_direction_and_truncate_long_names() {
    let long = format!("g label \"{}", "very ".repeat(40));
    let fact_base = fact_base_from(&["g wrote s", "g wrote a", &long]);
    let owned = OwnedQuery::new(&fact_base, &["s"]);
    let reasons = owned.reasons("a");
    let reason = reasons.iter().find(|reason| reason.text.starts_with("is wrote of")).unwrap();
    assert!(reason.text.ends_with("…, like s") && reason.text.chars().count() < 100, "{reason:?}");
}

#[test]
fn a_common_scheme_does_not_change_the_ranking() {
    let peers: Vec<String> = (0..40)
        .flat_map(|number| {
            let group = number % 8;
            [format!("e{number} maker m{group}"), format!("e{number} place p{}", number % 5), format!("e{number} a T")]
        })
        .collect();
    let plain: Vec<&str> = peers.iter().map(String::as_str).collect();
    let links: Vec<String> = (0..40).map(|number| format!("e{number} inScheme scheme")).collect();
    let mut with_scheme = plain.clone();
    with_scheme.extend(links.iter().map(String::as_str));

    let (before, after) = (fact_base_from(&plain), fact_base_from(&with_scheme));
    let (before, after) = (OwnedQuery::new(&before, &["e0", "e8", "e5"]), OwnedQuery::new(&after, &["e0", "e8", "e5"]));
    assert!(after.candidates.len() > before.candidates.len(), "the scheme makes all entities candidates");
    let (before, after) = (before.ranked(), after.ranked());
    let entities = |ranked: &[&str]| -> Vec<String> {
        let is_entity = |name: &&&str| name.starts_with('e');
        ranked.iter().filter(is_entity).take(8).map(|name| (*name).to_owned()).collect()
    };
    let (mut before, mut after) = (entities(&before), entities(&after));
    assert_eq!(before[..3], after[..3]);
    before.sort();
    after.sort();
    assert_eq!(before, after);
}

#[test]
fn unusual_queries_are_ranked() {
    let check = |statements: &[&str], seeds: &[&str], candidates: usize| {
        let fact_base = fact_base_from(statements);
        let owned = OwnedQuery::new(&fact_base, seeds);
        let query = owned.query();
        let ranking = HybridRanker.rank(query);
        assert_eq!(ranking.scores().len(), candidates, "{statements:?}");
        for (index, score) in ranking.scores().iter().enumerate() {
            assert!(score.is_finite(), "{statements:?}: {score}");
            ranking.explain(index);
        }
    };

    // An empty graph, no seed in the graph, a seed without links.
    check(&[], &["s"], 0);
    check(&["a p b"], &[], 0);
    check(&["s label \"alone"], &["s"], 0);
    // One candidate, and several equal ones.
    check(&["s p a"], &["s"], 1);
    check(&["s p a", "s p b", "s p c"], &["s"], 3);
    // Self-links, no words, seeds that are neighbours of each other.
    check(&["s p s", "s p a", "a p a"], &["s"], 1);
    check(&["_:1 p _:2", "/ p //"], &["/"], 1);
    check(&["s p t", "t p s", "t p a"], &["s", "t"], 1);
    // A duplicate seed.
    check(&["s p a", "b p a"], &["s", "s"], 2);
}

#[test]
fn without_seeds_all_scores_are_zero() {
    let fact_base = fact_base_from(CHURCHES);
    let owned = OwnedQuery::new(&fact_base, &["Minster"]);
    let ranking = HybridRanker.rank(RankingQuery { seeds: &[], ..owned.query() });
    assert!(ranking.scores().iter().all(|score| *score == 0.0), "{:?}", ranking.scores());
    assert!((0..owned.candidates.len()).all(|index| ranking.explain(index).is_empty()));
}

#[test]
fn a_score_is_the_weighted_sum_of_five_standard_scores() {
    let fact_base = fact_base_from(CHURCHES);
    let owned = OwnedQuery::new(&fact_base, &["Minster", "Chapel"]);
    let OwnedQuery { graph, seeds, candidates, .. } = &owned;
    let walked = walk::walk(graph, seeds);
    let parts = [
        StandardScores::new(SharedLinks::new(graph, seeds).scores(candidates)),
        StandardScores::new(candidates.iter().map(|&entity| walk::score(walked[entity as usize]))),
        StandardScores::new(
            SeedTexts::new(graph, seeds, TextScope::WithNeighbours)
                .scores(candidates, |entity| has_description(graph, entity)),
        ),
        StandardScores::new(Signature::new(graph, seeds).scores(candidates)),
        StandardScores::new(SeedTexts::new(graph, seeds, TextScope::Own).scores(candidates, |_| true)),
    ];
    for (index, score) in HybridRanker.rank(owned.query()).scores().iter().enumerate() {
        let [shared, walk, around, signature, own] = parts.each_ref().map(|part| part.z_score(index));
        assert!((score - (shared + walk + around + 0.75 * signature + 0.5 * own)).abs() < 1e-9);
    }
}

#[test]
fn texts_with_neighbours_do_not_count_for_entities_without_description() {
    let fact_base = fact_base_from(&["s by g", "s label \"tower", "x by g", "x label \"tower", "x near y", "y near s"]);
    let owned = OwnedQuery::new(&fact_base, &["s"]);
    let has_reason = |name: &str| owned.reasons(name).iter().any(|reason| reason.text.starts_with("has neighbours"));
    assert!(!has_reason("y") && !has_reason("g"), "they are not described");
    // With a second entity to compare with, a described entity has this reason.
    let fact_base =
        fact_base_from(&["s by g", "s label \"tower", "x by g", "x label \"tower", "z at s", "z label \"mill"]);
    let owned = OwnedQuery::new(&fact_base, &["s"]);
    let reasons = owned.reasons("x");
    assert!(reasons.iter().any(|reason| reason.text.starts_with("has neighbours")), "{reasons:#?}");
}
