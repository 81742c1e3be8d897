//! The ranker as a whole.

use super::*;
use crate::rank::gather::tests::gathering;
use crate::rank::{EntityId, Gathering, Hop, Seed, best_first, candidates};

/// A question about a gathering, owned.
struct Asked<'g> {
    graph: crate::rank::EntityGraph<'g>,
    seeds: Vec<Seed>,
    candidates: Vec<EntityId>,
    hops: Vec<Hop>,
}

impl<'g> Asked<'g> {
    fn new(gathered: &'g Gathering, seeds: &[&str]) -> Self {
        let graph = gathered.graph();
        let entities: Vec<EntityId> = seeds.iter().filter_map(|seed| graph.find(seed)).collect();
        let (candidates, hops) = candidates(&graph, &entities, 2);
        let seeds = entities.into_iter().map(|entity| Seed { entity, weight: 1.0 }).collect();
        Self { graph, seeds, candidates, hops }
    }

    fn question(&self) -> Question<'_> {
        let Self { graph, seeds, candidates, hops } = self;
        Question { graph, seeds, candidates, hops, marks: &[] }
    }

    /// Names, the best first.
    fn ranked(&self) -> Vec<&str> {
        let question = self.question();
        let ranking = Hybrid.rank(question);
        let places = best_first(&question, ranking.scores());
        places.into_iter().map(|place| self.graph.name(self.candidates[place])).collect()
    }

    fn reasons(&self, name: &str) -> Vec<Reason> {
        let entity = self.graph.find(name).unwrap();
        let place = self.candidates.iter().position(|candidate| *candidate == entity).unwrap();
        Hybrid.rank(self.question()).explain(place)
    }
}

/// Two churches of one architect in one town, and what is around them.
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
fn who_has_links_texts_and_kind_in_common_comes_first() {
    let gathered = gathering(CHURCHES);
    let asked = Asked::new(&gathered, &["Minster", "Chapel"]);
    let ranked = asked.ranked();
    assert_eq!(ranked[0], "Abbey", "{ranked:?}");
    let place = |name: &str| ranked.iter().position(|ranked| *ranked == name).unwrap();
    assert!(place("Bridge") < place("Mayor"), "{ranked:?}");
}

#[test]
fn reasons_name_what_speaks_for_a_candidate() {
    let gathered = gathering(CHURCHES);
    let asked = Asked::new(&gathered, &["Minster", "Chapel"]);
    let check = |name: &str, expected: &[&str]| {
        let reasons = asked.reasons(name);
        let words: Vec<&str> = reasons.iter().map(|reason| reason.words.as_str()).collect();
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
            "speaks of gothic, as gothic minster and gothic chapel do",
            "is of the kind of the seeds: architect, class Church and town",
        ],
    );
    check("Bridge", &["shares town Cologne with gothic minster", "is 2 hops from gothic minster through Cologne"]);
    check("Gerhard", &["is 1 hop from gothic minster and gothic chapel"]);
}

#[test]
fn reasons_tell_the_direction_and_cut_what_is_long() {
    let long = format!("g label \"{}", "very ".repeat(40));
    let gathered = gathering(&["g wrote s", "g wrote a", &long]);
    let asked = Asked::new(&gathered, &["s"]);
    let reasons = asked.reasons("a");
    let told = reasons.iter().find(|reason| reason.words.starts_with("is wrote of")).unwrap();
    assert!(told.words.ends_with("…, like s") && told.words.chars().count() < 100, "{told:?}");
}

#[test]
fn a_scheme_that_everybody_is_in_does_not_change_who_matters() {
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

    let (before, after) = (gathering(&plain), gathering(&with_scheme));
    let (before, after) = (Asked::new(&before, &["e0", "e8", "e5"]), Asked::new(&after, &["e0", "e8", "e5"]));
    assert!(after.candidates.len() > before.candidates.len(), "the scheme makes everybody a candidate");
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
fn odd_questions_are_answered() {
    let check = |statements: &[&str], seeds: &[&str], candidates: usize| {
        let gathered = gathering(statements);
        let asked = Asked::new(&gathered, seeds);
        let question = asked.question();
        let ranking = Hybrid.rank(question);
        assert_eq!(ranking.scores().len(), candidates, "{statements:?}");
        for (place, score) in ranking.scores().iter().enumerate() {
            assert!(score.is_finite(), "{statements:?}: {score}");
            ranking.explain(place);
        }
    };

    // Nothing at all, no seed in the graph, a seed without links.
    check(&[], &["s"], 0);
    check(&["a p b"], &[], 0);
    check(&["s label \"alone"], &["s"], 0);
    // One candidate, and several that are all the same.
    check(&["s p a"], &["s"], 1);
    check(&["s p a", "s p b", "s p c"], &["s"], 3);
    // Links to oneself, no words anywhere, seeds that are each other's neighbours.
    check(&["s p s", "s p a", "a p a"], &["s"], 1);
    check(&["_:1 p _:2", "/ p //"], &["/"], 1);
    check(&["s p t", "t p s", "t p a"], &["s", "t"], 1);
    // The same seed twice.
    check(&["s p a", "b p a"], &["s", "s"], 2);
}

#[test]
fn nobody_is_ranked_when_there_are_candidates_but_no_seeds() {
    let gathered = gathering(CHURCHES);
    let asked = Asked::new(&gathered, &["Minster"]);
    let ranking = Hybrid.rank(Question { seeds: &[], ..asked.question() });
    assert!(ranking.scores().iter().all(|score| *score == 0.0), "{:?}", ranking.scores());
    assert!((0..asked.candidates.len()).all(|place| ranking.explain(place).is_empty()));
}

#[test]
fn a_score_is_the_weighted_sum_of_five_standard_scores() {
    let gathered = gathering(CHURCHES);
    let asked = Asked::new(&gathered, &["Minster", "Chapel"]);
    let Asked { graph, seeds, candidates, .. } = &asked;
    let walked = walk::walk(graph, seeds);
    let parts = [
        Standard::new(SharedLinks::new(graph, seeds).scores(candidates)),
        Standard::new(candidates.iter().map(|&entity| walk::score(walked[entity as usize]))),
        Standard::new(
            Texts::new(graph, seeds, TextScope::WithNeighbours).scores(candidates, |entity| is_known(graph, entity)),
        ),
        Standard::new(Signature::new(graph, seeds).scores(candidates)),
        Standard::new(Texts::new(graph, seeds, TextScope::Own).scores(candidates, |_| true)),
    ];
    for (place, score) in Hybrid.rank(asked.question()).scores().iter().enumerate() {
        let [shared, walk, around, signature, own] = parts.each_ref().map(|part| part.z(place));
        assert!((score - (shared + walk + around + 0.75 * signature + 0.5 * own)).abs() < 1e-9);
    }
}

#[test]
fn surroundings_say_nothing_of_who_is_only_mentioned() {
    let gathered = gathering(&["s by g", "s label \"tower", "x by g", "x label \"tower", "x near y", "y near s"]);
    let asked = Asked::new(&gathered, &["s"]);
    let is_told = |name: &str| asked.reasons(name).iter().any(|reason| reason.words.starts_with("has surroundings"));
    assert!(!is_told("y") && !is_told("g"), "nobody has described them");
    // With a second entity to compare with, what is described has surroundings.
    let gathered = gathering(&["s by g", "s label \"tower", "x by g", "x label \"tower", "z at s", "z label \"mill"]);
    let asked = Asked::new(&gathered, &["s"]);
    let reasons = asked.reasons("x");
    assert!(reasons.iter().any(|reason| reason.words.starts_with("has surroundings")), "{reasons:#?}");
}
