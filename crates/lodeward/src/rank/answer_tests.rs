use super::*;
use crate::rank::RankerKind;
use crate::rank::gather::tests::gathering;
use crate::rank::options::Attrition;

/// Seeds as in the paper's own example (§2.3.3). Church is a hub: everything in the
/// world is one or has to do with one.
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

fn names(places: &[usize], answer: &Answer<'_>) -> Vec<String> {
    places.iter().map(|place| answer.graph.name(answer.candidates[*place]).to_owned()).collect()
}

#[test]
fn cologne_cathedral_outweighs_church() {
    let statements = churches();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let gathered = gathering(&statements);
    let graph = gathered.graph();
    let seeds = ["Cologne_Cathedral", "Church"];
    let ask = |attrition| {
        let ranker = Some(RankerKind::EjsimPlus);
        let options = Options { attrition, ranker, texts: crate::rank::TextScope::Own, ..Options::default() };
        answer(&graph, &seeds, &options, &[], None)
    };
    let is_before = |attrition| {
        let answer = ask(attrition);
        let ranking = answer.ranking();
        let order = names(&answer.best_first(ranking.scores()), &answer);
        let place = |wanted: &str| order.iter().position(|name| name == wanted).unwrap();
        place("Minster") < place("Chapel")
    };

    let weights: Vec<f64> = ask(Attrition::Intent).seeds.iter().map(|seed| seed.weight).collect();
    assert!(weights[0] > 1.0 && weights[1] < 1.0, "{weights:?}");
    assert!(is_before(Attrition::Intent));

    // What was published has it the other way round, and who is like the church
    // comes first.
    let weights: Vec<f64> = ask(Attrition::Published).seeds.iter().map(|seed| seed.weight).collect();
    assert!(weights[0] < 1.0 && weights[1] > 1.0, "{weights:?}");
    assert!(!is_before(Attrition::Published));
}

#[test]
fn what_is_odd_about_a_seed_list_is_said() {
    let statements = ["a p b", "a label \"A", "b label \"B", "c q d", "c label \"C", "x label \"X", "n p b"];
    let gathered = gathering(&statements);
    let graph = gathered.graph();
    let check = |seeds: &[&str], notes: &[&str]| {
        let answer = answer(&graph, seeds, &Options::default(), &[], None);
        let said = answer.analysis.notes.join("\n");
        assert_eq!(answer.analysis.notes.len(), notes.len(), "{seeds:?}: {said}");
        assert!(notes.iter().zip(&answer.analysis.notes).all(|(note, said)| said.contains(note)), "{seeds:?}: {said}");
        // Whoever ranks, nothing breaks.
        for ranker in RankerKind::ALL {
            let options = Options { ranker: Some(*ranker), ..Options::default() };
            let answer = super::answer(&graph, seeds, &options, &[], None);
            let ranking = answer.ranking();
            assert!(ranking.scores().iter().all(|score| score.is_finite()), "{ranker} of {seeds:?}");
            assert_eq!(ranking.scores().len(), answer.candidates.len());
        }
    };

    check(&[], &["there are no seeds"]);
    check(&["urn:gone"], &["no seed was reached"]);
    check(&["a", "b"], &[]);
    check(&["a", "b", "a"], &[]);
    check(&["a"], &["there is one seed"]);
    check(&["a", "b", "urn:gone"], &["seed urn:gone is not reached"]);
    check(&["a", "b", "Cologne Cathedral"], &["seed Cologne Cathedral is no IRI but a text"]);
    check(&["a", "c"], &["no two seeds are connected"]);
    check(&["a", "b", "c"], &["2 of 3 pairs of seeds are not connected by a path of at most 8 links"]);
    check(&["a", "b", "x"], &["seed x is without any link", "2 of 3 pairs"]);
    check(&["a", "b", "n"], &["seed n is without a label"]);
    check(&["a", "urn:1", "urn:2"], &["2 of 3 seeds (urn:1 and urn:2) are each not reached", "there is one seed"]);
}

#[test]
fn a_thousand_seeds_are_taken() {
    let statements: Vec<String> = (0..1_200).map(|number| format!("hub p e{number}")).collect();
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let gathered = gathering(&statements);
    let graph = gathered.graph();
    let seeds: Vec<String> = (0..1_000).map(|number| format!("e{number}")).collect();

    let answer = answer(&graph, &seeds, &Options { depth: Some(2), ..Options::default() }, &[], None);

    assert_eq!((answer.seeds.len(), answer.candidates.len()), (1_000, 201));
    assert!((answer.analysis.coherence - 0.5).abs() < 1e-12);
    assert!(answer.analysis.notes[0].contains("there are 1000 seeds"), "{:?}", answer.analysis.notes);
}

#[test]
fn centrality_is_measured_where_it_is_asked_for() {
    let crawled =
        gathering(&["a p x", "b p x", "b p y", "b p z", "a label \"A", "b label \"B", "c p x", "c label \"C"]);
    // There, a is the hub.
    let elsewhere = gathering(&["a p b", "a p u", "a p v", "a p w"]);
    let (graph, reference) = (crawled.graph(), elsewhere.graph());
    let seeds = ["a", "b", "c"];
    let ask = |reference| answer(&graph, &seeds, &Options::default(), &[], reference);
    let measures = Measures::new(&reference, &seeds, &Options::default());

    let here = ask(None);
    assert!(here.seeds[0].weight > here.seeds[1].weight, "{:?}", here.seeds);

    let there = ask(Some(&measures));
    assert!(there.seeds[0].weight < there.seeds[1].weight, "{:?}", there.seeds);
    assert_eq!((there.analysis.seeds[2].katz, there.seeds[2].weight), (None, 1.0));
    assert!(there.analysis.notes.iter().any(|note| note.contains("seed c is not in the reference graph")));
    assert!((there.analysis.coherence - 1.0).abs() < 1e-12, "a and b are linked there");
    assert!(measures.are_of(&seeds) && !measures.are_of(&seeds[..2]));
}

#[test]
fn what_is_chosen_suits_the_seeds_and_the_reason_says_so() {
    let mut statements: Vec<String> = (0..150).map(|number| format!("e{number} p hub")).collect();
    statements.extend((0..30).map(|number| format!("e{number} label \"entity {number}")));
    statements.extend(["few p one".to_owned(), "one p two".to_owned(), "two p three".to_owned()]);
    let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
    let gathered = gathering(&statements);
    let graph = gathered.graph();
    let ask =
        |seeds: &[String], options: &Options, marks: &[(String, bool)]| answer(&graph, seeds, options, marks, None);
    let seeds = |count| (0..count).map(|number| format!("e{number}")).collect::<Vec<_>>();
    let check = |answer: &Answer<'_>, ranker, depth, words: &[&str]| {
        let Choice { reason, .. } = &answer.choice;
        assert_eq!((answer.choice.ranker, answer.choice.depth), (ranker, depth), "{reason}");
        assert!(words.iter().all(|words| reason.contains(words)), "{reason}");
    };
    let auto = Options::default();
    let asked = |ranker| Options { ranker: Some(ranker), depth: Some(1), ..Options::default() };
    let dropped = [("e99".to_owned(), false)];

    check(&ask(&seeds(3), &auto, &[]), RankerKind::Hybrid, 2, &["3 seeds, far from each other", "links and texts"]);
    check(&ask(&seeds(20), &auto, &[]), RankerKind::Hybrid, 2, &["links tell more with so many seeds"]);
    let budgeted = Options { is_budgeted: true, ..Options::default() };
    check(&ask(&seeds(3), &budgeted, &[]), RankerKind::Hybrid, 4, &["depth 4, since the crawl is bounded"]);
    check(&ask(&["few".to_owned()], &auto, &[]), RankerKind::Hybrid, 3, &["links alone", "only 2 entities"]);
    check(&ask(&seeds(3), &asked(RankerKind::Njsim), &[]), RankerKind::Njsim, 1, &["it was asked for"]);
    check(&ask(&seeds(3), &asked(RankerKind::Nb), &dropped), RankerKind::Nb, 1, &["it was asked for"]);
    check(&ask(&seeds(3), &asked(RankerKind::Nb), &[]), RankerKind::Hybrid, 1, &["nothing to learn from"]);
}

#[test]
fn the_order_of_facts_does_not_matter() {
    let mut statements: Vec<String> =
        (0..40).map(|number| format!("e{number} p{} e{}", number % 3, number * 7 % 23)).collect();
    statements.extend((0..40).map(|number| format!("e{number} label \"tower {} of {}", number % 5, number % 7)));
    // Who has several texts in other languages, and whose name is the same in one.
    for (language, word) in [("fr", "tour"), ("it", "torre"), ("de", "tower 1 of 1")] {
        let numbers = (0..46).filter(|number| number % 2 == 0);
        statements.extend(numbers.map(|number| format!("e{number} label \"@{language} {word}")));
    }
    statements.extend((40..46).map(|number| format!("e{number} p1 e{}", number - 38)));
    let ranked = |statements: &[String], ranker: RankerKind| {
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        let gathered = gathering(&statements);
        let graph = gathered.graph();
        let options = Options { ranker: Some(ranker), depth: Some(3), ..Options::default() };
        let marks = [("e30".to_owned(), false)];
        let answer = answer(&graph, &["e1", "e2", "e5"], &options, &marks, None);
        let ranking = answer.ranking();
        // Sums in another order may differ in their last digits.
        let score = |place: usize| (ranking.scores()[place] * 1e9).round();
        let mut scores: Vec<(String, f64)> = (0..answer.candidates.len())
            .map(|place| (graph.name(answer.candidates[place]).to_owned(), score(place)))
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
