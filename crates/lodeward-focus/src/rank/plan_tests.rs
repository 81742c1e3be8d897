//! Tests of ranking plans.

use super::*;
use crate::rank::RankerKind;
use crate::rank::fact_base::tests::fact_base_from;
use crate::rank::options::Attrition;

/// Seeds as in the paper's own example (§2.3.3). Church is a hub with many links.
fn churches() -> Vec<String> {
    let mut statements = [
        "Cologne_Cathedral label \"Cologne Cathedral",
        "Church label \"Church",
        "Cologne_Cathedral type Church",
        "Cologne_Cathedral style Gothic",
        "Cologne_Cathedral in Cologne",
        "Gothic label \"gothic",
        "Cologne label \"Cologne",
        "Minster label \"Strasbourg Cathedral",
        "Minster style Gothic",
        "Chapel label \"village Church",
        "Chapel type Church",
    ]
    .map(str::to_owned)
    .to_vec();
    statements.extend((0..60).map(|number| format!("Parish{number} type Church")));
    statements.extend((0..60).map(|number| format!("Parish{number} label \"parish {number}")));
    statements
}

fn names(indices: &[usize], plan: &RankingPlan<'_>) -> Vec<String> {
    indices.iter().map(|index| plan.graph.name(plan.candidates[*index]).to_owned()).collect()
}

#[test]
fn cologne_cathedral_outweighs_church() {
    let statements = churches();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let fact_base = fact_base_from(&statements);
    let graph = fact_base.graph();
    let seeds = ["Cologne_Cathedral", "Church"];
    let plan_with = |attrition| {
        let ranker = Some(RankerKind::EjsimPlus);
        let options =
            RankingOptions { attrition, ranker, texts: crate::rank::TextScope::Own, ..RankingOptions::default() };
        plan_ranking(&graph, &seeds, &options, &[], None)
    };
    let is_before = |attrition| {
        let plan = plan_with(attrition);
        let ranking = plan.ranking();
        let order = names(&plan.best_first(ranking.scores()), &plan);
        let rank = |expected: &str| order.iter().position(|name| name == expected).unwrap();
        rank("Minster") < rank("Chapel")
    };

    let weights: Vec<f64> = plan_with(Attrition::Intent).seeds.iter().map(|seed| seed.weight).collect();
    assert!(weights[0] > 1.0 && weights[1] < 1.0, "{weights:?}");
    assert!(is_before(Attrition::Intent));

    // With the published weights the order is reversed: entities similar to the church come first.
    let weights: Vec<f64> = plan_with(Attrition::Published).seeds.iter().map(|seed| seed.weight).collect();
    assert!(weights[0] < 1.0 && weights[1] > 1.0, "{weights:?}");
    assert!(!is_before(Attrition::Published));
}

#[test]
fn unusual_seed_lists_are_noted() {
    let statements = ["a p b", "a label \"A", "b label \"B", "c q d", "c label \"C", "x label \"X", "n p b"];
    let fact_base = fact_base_from(&statements);
    let graph = fact_base.graph();
    let check = |seeds: &[&str], notes: &[&str]| {
        let plan = plan_ranking(&graph, seeds, &RankingOptions::default(), &[], None);
        let found = plan.analysis.notes.join("\n");
        assert_eq!(plan.analysis.notes.len(), notes.len(), "{seeds:?}: {found}");
        assert!(notes.iter().zip(&plan.analysis.notes).all(|(note, found)| found.contains(note)), "{seeds:?}: {found}");
        // No ranker fails for these lists.
        for ranker in RankerKind::ALL {
            let options = RankingOptions { ranker: Some(*ranker), ..RankingOptions::default() };
            let plan = plan_ranking(&graph, seeds, &options, &[], None);
            let ranking = plan.ranking();
            assert!(ranking.scores().iter().all(|score| score.is_finite()), "{ranker} of {seeds:?}");
            assert_eq!(ranking.scores().len(), plan.candidates.len());
        }
    };

    check(&[], &["no seeds: nothing can be ranked"]);
    check(&["urn:gone"], &["no seed was fetched"]);
    check(&["a", "b"], &[]);
    check(&["a", "b", "a"], &[]);
    check(&["a"], &["one seed: its weight is 1"]);
    check(&["a", "b", "urn:gone"], &["not fetched, so ignored: urn:gone"]);
    check(&["a", "b", "Cologne Cathedral"], &["a text instead of an IRI, so ignored: Cologne Cathedral"]);
    check(&["a", "c"], &["no two seeds are connected"]);
    check(&["a", "b", "c"], &["2 of 3 pairs of seeds are not connected by a path of at most 8 links"]);
    check(&["a", "b", "x"], &["no links, so no candidates are found from it: x", "2 of 3 pairs"]);
    check(&["a", "b", "n"], &["no label, so the words of the IRI are used: n"]);
    let notes = ["not fetched, so ignored: 2 of 3 seeds (urn:1 and urn:2)", "one seed"];
    check(&["a", "urn:1", "urn:2"], &notes);
}

#[test]
fn a_thousand_seeds_are_accepted() {
    let statements: Vec<String> = (0..1_200).map(|number| format!("hub p e{number}")).collect();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let fact_base = fact_base_from(&statements);
    let graph = fact_base.graph();
    let seeds: Vec<String> = (0..1_000).map(|number| format!("e{number}")).collect();

    let plan =
        plan_ranking(&graph, &seeds, &RankingOptions { max_hops: Some(2), ..RankingOptions::default() }, &[], None);

    assert_eq!((plan.seeds.len(), plan.candidates.len()), (1_000, 201));
    assert!((plan.analysis.coherence - 0.5).abs() < 1e-12);
    assert!(plan.analysis.notes[0].contains("1000 seeds: a list of this size"), "{:?}", plan.analysis.notes);
}

#[test]
fn centrality_is_measured_in_the_reference_graph() {
    let crawled =
        fact_base_from(&["a p x", "b p x", "b p y", "b p z", "a label \"A", "b label \"B", "c p x", "c label \"C"]);
    // In the reference graph, a is the hub.
    let other = fact_base_from(&["a p b", "a p u", "a p v", "a p w"]);
    let (graph, reference) = (crawled.graph(), other.graph());
    let seeds = ["a", "b", "c"];
    let plan_with = |reference| plan_ranking(&graph, &seeds, &RankingOptions::default(), &[], reference);
    let measures = SeedMeasures::new(&reference, &seeds, &RankingOptions::default());

    let crawl = plan_with(None);
    assert!(crawl.seeds[0].weight > crawl.seeds[1].weight, "{:?}", crawl.seeds);

    let referenced = plan_with(Some(&measures));
    assert!(referenced.seeds[0].weight < referenced.seeds[1].weight, "{:?}", referenced.seeds);
    assert_eq!((referenced.analysis.seeds[2].katz, referenced.seeds[2].weight), (None, 1.0));
    let note = "not in the reference graph, so the weight is 1: c";
    assert!(referenced.analysis.notes.iter().any(|found| found.contains(note)));
    assert!((referenced.analysis.coherence - 1.0).abs() < 1e-12, "a and b are linked in the reference graph");
    assert!(measures.is_for_seeds(&seeds) && !measures.is_for_seeds(&seeds[..2]));
}

#[test]
fn the_choice_suits_the_seeds_and_has_a_reason() {
    let mut statements: Vec<String> = (0..150).map(|number| format!("e{number} p hub")).collect();
    statements.extend((0..30).map(|number| format!("e{number} label \"entity {number}")));
    statements.extend(["few p one".to_owned(), "one p two".to_owned(), "two p three".to_owned()]);
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let fact_base = fact_base_from(&statements);
    let graph = fact_base.graph();
    let plan_for = |seeds: &[String], options: &RankingOptions, marks: &[(String, bool)]| {
        plan_ranking(&graph, seeds, options, marks, None)
    };
    let seeds = |count| (0..count).map(|number| format!("e{number}")).collect::<Vec<_>>();
    let check = |plan: &RankingPlan<'_>, ranker, depth, expected: &[&str]| {
        let RankerChoice { reason, .. } = &plan.choice;
        assert_eq!((plan.choice.ranker, plan.choice.max_hops), (ranker, depth), "{reason}");
        assert!(expected.iter().all(|text| reason.contains(text)), "{reason}");
    };
    let auto = RankingOptions::default();
    let requested = |ranker| RankingOptions { ranker: Some(ranker), max_hops: Some(1), ..RankingOptions::default() };
    let dropped = [("e99".to_owned(), false)];

    check(
        &plan_for(&seeds(3), &auto, &[]),
        RankerKind::Hybrid,
        2,
        &["3 seeds, far from each other", "links and texts"],
    );
    check(
        &plan_for(&seeds(20), &auto, &[]),
        RankerKind::Hybrid,
        2,
        &["with that many seeds, links are more informative"],
    );
    let budgeted = RankingOptions { is_budgeted: true, ..RankingOptions::default() };
    check(&plan_for(&seeds(3), &budgeted, &[]), RankerKind::Hybrid, 4, &["4 hops, since the crawl has a limit"]);
    check(&plan_for(&["few".to_owned()], &auto, &[]), RankerKind::Hybrid, 3, &["links only", "only 2 entities"]);
    check(&plan_for(&seeds(3), &requested(RankerKind::Njsim), &[]), RankerKind::Njsim, 1, &["it was requested"]);
    check(&plan_for(&seeds(3), &requested(RankerKind::Nb), &dropped), RankerKind::Nb, 1, &["it was requested"]);
    check(&plan_for(&seeds(3), &requested(RankerKind::Nb), &[]), RankerKind::Hybrid, 1, &["cannot be trained"]);
}

#[test]
fn the_order_of_facts_does_not_matter() {
    let mut statements: Vec<String> =
        (0..40).map(|number| format!("e{number} p{} e{}", number % 3, number * 7 % 23)).collect();
    statements.extend((0..40).map(|number| format!("e{number} label \"tower {} of {}", number % 5, number % 7)));
    // Several texts in other languages, one of which equals the label.
    for (language, word) in [("fr", "tour"), ("it", "torre"), ("de", "tower 1 of 1")] {
        let numbers = (0..46).filter(|number| number % 2 == 0);
        statements.extend(numbers.map(|number| format!("e{number} label \"@{language} {word}")));
    }
    statements.extend((40..46).map(|number| format!("e{number} p1 e{}", number - 38)));
    let ranked = |statements: &[String], ranker: RankerKind| {
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let fact_base = fact_base_from(&statements);
        let graph = fact_base.graph();
        let options = RankingOptions { ranker: Some(ranker), max_hops: Some(3), ..RankingOptions::default() };
        let marks = [("e30".to_owned(), false)];
        let plan = plan_ranking(&graph, &["e1", "e2", "e5"], &options, &marks, None);
        let ranking = plan.ranking();
        // Sums in another order may differ in their last digits.
        let score = |index: usize| (ranking.scores()[index] * 1e9).round();
        let mut scores: Vec<(String, f64)> = (0..plan.candidates.len())
            .map(|index| (graph.name(plan.candidates[index]).to_owned(), score(index)))
            .collect();
        scores.sort_by(|one, other| one.0.cmp(&other.0));
        scores
    };

    for ranker in RankerKind::ALL {
        let before = ranked(&statements, *ranker);
        assert!(before.len() > 20);
        statements.rotate_left(17);
        statements.reverse();
        assert_eq!(ranked(&statements, *ranker), before, "{ranker}");
    }
}
