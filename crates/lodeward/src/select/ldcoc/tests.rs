//! LDCOC's decisions, lessons and models.

use std::sync::Arc;

use rand::SeedableRng;

use super::*;
use crate::model::How;
use crate::model::{Relevance, Via};
use crate::select::End;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn options() -> Options {
    Options { bits: 16, names_max: 1_000, ..Options::default() }
}

fn ldcoc() -> Ldcoc {
    Ldcoc::new(options(), None).unwrap()
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(1)
}

/// A link as a triple has it.
fn by(target: &str, properties: &[&str], siblings: &[&str]) -> Link {
    let properties = properties.iter().map(|property| Arc::from(*property)).collect();
    let siblings = siblings.iter().map(|sibling| uri(sibling)).collect();
    Link { target: uri(target), via: Via::Triple { properties, vocabulary: false, siblings, telling: None } }
}

fn placed(strategy: &mut Ldcoc, link: Link) -> Visit {
    let source = uri("http://source.example/doc");
    let found = Found {
        source: Some(&source),
        visit: None,
        syntax: "turtle",
        relevance: Relevance::Rdf,
        depth: 1,
        redirects: 0,
    };
    visit(strategy.place(&found, vec![link], &mut rng()).remove(0))
}

fn visit(offer: Offer) -> Visit {
    let Offer::Queue(candidate) = offer else { panic!("it is queued") };
    Visit { lease: 0, candidate, attempt: 0, probe: None, verdict: None }
}

fn hard(strategy: &mut Ldcoc, target: &str) -> Visit {
    placed(strategy, by(target, &["http://p.example/knows"], &[]))
}

fn probed(visit: &Visit, status: u16, media_type: Option<&str>) -> Visit {
    let probe = Probe { status, media_type: media_type.map(str::to_owned), location: None };
    Visit { probe: Some(probe), ..visit.clone() }
}

fn end(relevance: Relevance, media_type: &str) -> End<'_> {
    End::Document { relevance, media_type: Some(media_type), digest: 0 }
}

fn teach(strategy: &mut Ldcoc, target: &str, relevance: Relevance, times: usize) {
    for number in 0..times {
        let visit = hard(strategy, &format!("{target}{number}"));
        strategy.learn(&Lesson { visit: &visit, weight: 1.0, end: end(relevance, "text/html") });
    }
}

/// Documents of one host hold RDF, and those of another do not; they come in
/// turns, as in a crawl.
fn teach_in_turns(strategy: &mut Ldcoc, rich: &str, poor: &str, times: usize) {
    for number in 0..times {
        teach(strategy, &format!("http://{rich}/{number}/"), Relevance::Rdf, 1);
        teach(strategy, &format!("http://{poor}/{number}/"), Relevance::None, 1);
    }
}

/// What is decided of a hard URI whose media type is `text/html`.
fn decided(strategy: &mut Ldcoc, target: &str) -> Judgement {
    let visit = hard(strategy, target);
    strategy.judge(&probed(&visit, 200, Some("text/html")), &mut rng())
}

#[test]
fn who_was_asked_for_is_visited_in_any_case() {
    let mut strategy = ldcoc();
    teach(&mut strategy, "http://a.example/", Relevance::None, 20);
    let found = Found { source: None, visit: None, syntax: "", relevance: Relevance::None, depth: 0, redirects: 0 };
    let link = Link { target: uri("http://a.example/seed"), via: Via::Seed };
    let seed = visit(strategy.place(&found, vec![link], &mut rng()).remove(0));

    let Judgement { decision, verdict } = strategy.judge(&seed, &mut rng());

    assert_eq!(decision, Decision::Fetch);
    let verdict = verdict.unwrap();
    assert_eq!(verdict.action, Action::Given);
    assert!(verdict.score < 0.5, "it is not what the model would have chosen");
}

#[test]
fn what_an_extension_or_a_media_type_settles_needs_no_prediction() {
    let mut strategy = ldcoc();
    let mut check = |target: &str, told: Option<&str>, decision| {
        let visit = hard(&mut strategy, target);
        let visit = told.map_or(visit.clone(), |told| probed(&visit, 200, Some(told)));
        let judgement = strategy.judge(&visit, &mut rng());
        assert_eq!(judgement.decision, decision, "{target} {told:?}");
        assert_eq!(judgement.verdict.map(|verdict| verdict.action), Some(Action::Easy), "{target} {told:?}");
    };

    check("http://a.example/x.ttl", None, Decision::Fetch);
    check("http://a.example/x.png", None, Decision::Skip);
    check("http://a.example/1", Some("text/turtle; charset=utf-8"), Decision::Fetch);
    check("http://a.example/2", Some("image/png"), Decision::Skip);
    check("http://a.example/3.html", Some("application/rdf+xml"), Decision::Fetch);
}

#[test]
fn the_media_type_of_a_hard_uri_is_asked_for_once() {
    let mut strategy = ldcoc();
    let visit = hard(&mut strategy, "http://a.example/x");

    let first = strategy.judge(&visit, &mut rng());
    let second = strategy.judge(&probed(&visit, 200, Some("Text/HTML; charset=utf-8")), &mut rng());
    let third = strategy.judge(&visit, &mut rng());

    assert_eq!(first, Judgement::plain(Decision::Probe));
    assert_ne!(second.decision, Decision::Probe);
    assert_eq!(second, third, "the type is remembered, and spares a second HEAD");
}

#[test]
fn a_head_that_says_nothing_leaves_the_type_open() {
    let mut strategy = ldcoc();
    let visit = hard(&mut strategy, "http://a.example/x");

    let refused = strategy.judge(&probed(&visit, 405, Some("image/png")), &mut rng());
    let gone = strategy.judge(&probed(&visit, 404, Some("text/html")), &mut rng());

    let action = |judgement: &Judgement| judgement.verdict.as_ref().unwrap().action;
    assert_ne!(action(&refused), Action::Easy, "the type of an error page is not that of the document");
    assert_eq!((gone.decision, action(&gone)), (Decision::Skip, Action::Easy));
}

#[test]
fn it_visits_what_it_has_learned_to_hold_rdf() {
    let mut strategy = ldcoc();
    teach_in_turns(&mut strategy, "rich.example", "poor.example", 20);

    let rich = decided(&mut strategy, "http://rich.example/new");
    let poor = strategy.explain(&hard(&mut ldcoc(), "http://poor.example/new").candidate).unwrap();

    assert_eq!(rich.decision, Decision::Fetch);
    assert_eq!(rich.verdict.unwrap().action, Action::Predicted);
    assert!(poor.score < 0.3, "{}", poor.score);
    let words: Vec<_> = poor.reasons.iter().filter_map(|(number, _)| strategy.name_of(*number)).collect();
    assert!(words.contains(&"t.host=poor.example"), "{words:?}");
    assert!(poor.reasons.len() <= Verdict::REASONS_MAX);
}

#[test]
fn a_share_of_the_rest_is_explored_and_weighs_more() {
    let mut strategy = ldcoc();
    teach(&mut strategy, "http://poor.example/", Relevance::None, 50);
    let mut explored = 0;

    for number in 0..1_000 {
        let target = format!("http://poor.example/new/{number}");
        let first = decided(&mut strategy, &target);
        assert_eq!(first, decided(&mut strategy, &target), "luck is not tried twice");
        match first.decision {
            Decision::Explore { weight } => {
                explored += 1;
                assert!((weight - 1.0 / 0.17).abs() < 1e-3);
                assert_eq!(first.verdict.unwrap().action, Action::Explored);
            }
            Decision::Skip => assert_eq!(first.verdict.unwrap().action, Action::Skipped),
            other => panic!("{other:?}"),
        }
    }

    assert!((120..220).contains(&explored), "{explored} of 1,000, where 170 are due");
}

#[test]
fn other_seeds_explore_others_and_the_same_seed_the_same() {
    let explored = |seed: u64| -> Vec<bool> {
        let mut strategy = ldcoc();
        teach(&mut strategy, "http://poor.example/", Relevance::None, 20);
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut one = |number: usize| {
            let visit = hard(&mut strategy, &format!("http://poor.example/new/{number}"));
            strategy.judge(&probed(&visit, 200, None), &mut rng).decision != Decision::Skip
        };
        (0..100).map(&mut one).collect()
    };

    assert_eq!(explored(1), explored(1));
    assert_ne!(explored(1), explored(2));
}

#[test]
fn epsilon_may_follow_the_examples() {
    let mut strategy = Ldcoc::new(Options { epsilon_by_ratio: true, ..options() }, None).unwrap();
    assert!((strategy.epsilon() - 0.17).abs() < 1e-9, "before there are examples of both");

    teach(&mut strategy, "http://rich.example/", Relevance::Rdf, 10);
    teach(&mut strategy, "http://poor.example/", Relevance::None, 40);

    assert!((strategy.epsilon() - 0.25).abs() < 1e-9);
}

#[test]
fn only_hard_uris_that_were_read_are_examples() {
    let mut strategy = ldcoc();
    let mut count = |target: &str, end: End<'_>| {
        let visit = hard(&mut strategy, target);
        strategy.learn(&Lesson { visit: &visit, weight: 1.0, end });
        strategy.examples().relevant + strategy.examples().barren
    };

    assert_eq!(count("http://a.example/x.ttl", end(Relevance::Rdf, "text/plain")), 0);
    assert_eq!(count("http://a.example/1", end(Relevance::Rdf, "text/turtle")), 0);
    assert_eq!(count("http://a.example/2", End::Failure), 0);
    let target = &uri("http://a.example/elsewhere");
    assert_eq!(count("http://a.example/3", End::Redirect { target, is_new: true }), 0);
    assert_eq!(count("http://a.example/4", end(Relevance::OgOnly, "text/html")), 1);
}

#[test]
fn where_a_redirect_leads_has_the_context_of_who_redirected() {
    let mut strategy = ldcoc();
    let redirecting = hard(&mut strategy, "http://a.example/id/1");
    let direct = hard(&mut strategy, "http://b.example/doc/1");
    let source = redirecting.candidate.target.clone();
    let found = Found {
        source: Some(&source),
        visit: Some(&redirecting),
        syntax: "",
        relevance: Relevance::None,
        depth: 1,
        redirects: 1,
    };

    let link = Link { target: uri("http://b.example/doc/1"), via: Via::Redirect(303) };
    let led = visit(strategy.place(&found, vec![link], &mut rng()).remove(0));

    assert_eq!(led.candidate.features, direct.candidate.features, "as if it had been linked itself");
    assert_eq!(led.candidate.how, How::Redirect(303));
}

#[test]
fn each_feature_set_looks_at_its_own_addresses() {
    let count = |features: &str, properties: &[&str]| {
        let options = Options { features: features.parse().unwrap(), ..options() };
        let mut strategy = Ldcoc::new(options, None).unwrap();
        let link = by("http://a.example/x?y", properties, &["http://a.example/z"]);
        placed(&mut strategy, link).candidate.features.0.len()
    };
    let properties = ["http://p.example/a#b", "http://p.example/a#c"];

    // scheme, authority, host, path, query
    assert_eq!(count("+t", &properties), 5);
    // scheme, authority, host, path
    assert_eq!(count("+r", &properties), 4);
    // the same and two fragments
    assert_eq!(count("+p", &properties), 6);
    assert_eq!(count("+p", &[]), 0);
    assert_eq!(count("+x", &[]), 4);
    assert_eq!(count("+t+r+p+x", &properties), 19);
}

#[test]
fn a_property_that_was_met_before_has_the_same_features_and_gets_a_name() {
    let mut strategy = ldcoc();

    let first = placed(&mut strategy, by("http://a.example/x", &["http://p.example/v#knows"], &[]));
    let second = placed(&mut strategy, by("http://a.example/x", &["http://p.example/v#knows"], &[]));

    assert_eq!(first.candidate.features, second.candidate.features);
    let names: Vec<_> = second.candidate.features.0.iter().filter_map(|number| strategy.name_of(*number)).collect();
    assert!(names.contains(&"p.fragment=knows") && names.contains(&"p.path=/v"), "{names:?}");
    assert!(names.contains(&"r.host=source.example"), "{names:?}");
}

#[test]
fn siblings_are_crossed_with_what_is_known_of_them() {
    let options = Options { features: "+x".parse().unwrap(), ..options() };
    let mut strategy = Ldcoc::new(options, None).unwrap();
    let link = || by("http://a.example/people/1", &[], &["http://a.example/people/2"]);

    let before = placed(&mut strategy, link()).candidate.features;
    let sibling = hard(&mut strategy, "http://a.example/people/2");
    strategy.learn(&Lesson { visit: &sibling, weight: 1.0, end: end(Relevance::Rdf, "text/html") });
    let after = placed(&mut strategy, link()).candidate.features;
    placed(&mut strategy, link());

    assert_ne!(before, after);
    let names: Vec<_> = after.0.iter().filter_map(|number| strategy.name_of(*number)).collect();
    assert!(names.contains(&"x.host=a.example|text/html|high|rdf"), "{names:?}");
}

#[test]
fn a_model_goes_on_where_it_stopped() {
    let mut strategy = ldcoc();
    teach(&mut strategy, "http://rich.example/", Relevance::Rdf, 20);
    teach(&mut strategy, "http://poor.example/", Relevance::None, 20);
    let kept = strategy.save().unwrap();

    // The size of the model is that of the one that was kept.
    let mut resumed = Ldcoc::new(Options { bits: 12, ..options() }, Some(&kept)).unwrap();

    assert_eq!(resumed.save().unwrap(), kept);
    assert_eq!(resumed.examples(), strategy.examples());
    let target = "http://rich.example/new";
    assert_eq!(decided(&mut resumed, target), decided(&mut strategy, target));
}

#[test]
fn a_model_of_other_features_is_refused_with_a_way_out() {
    let kept = ldcoc().save().unwrap();
    let options = Options { features: "+t".parse().unwrap(), ..options() };

    let told = Ldcoc::new(options, Some(&kept)).err().unwrap().to_string();

    assert!(told.contains("feature sets +t+r+p, and select.features says +t: set it to +t+r+p"), "{told}");
}

#[test]
fn models_that_learned_apart_know_together() {
    use crate::select::models;
    let mut base = ldcoc();
    teach(&mut base, "http://rich.example/", Relevance::Rdf, 5);
    let base = base.save().unwrap();
    let learned = |rich: &str, poor: &str| {
        let mut strategy = Ldcoc::new(options(), Some(&base)).unwrap();
        teach_in_turns(&mut strategy, rich, poor, 15);
        strategy.save().unwrap()
    };
    let one = learned("one.example", "poor.example");
    let other = learned("rich.example", "other.example");

    let merged = models::merge(&[one, other], Some(&base)).unwrap();

    let mut strategy = Ldcoc::new(options(), Some(&merged)).unwrap();
    assert_eq!((strategy.examples().relevant, strategy.examples().barren), (35, 30), "5 + 2 × 15, and 2 × 15");
    assert_eq!(decided(&mut strategy, "http://one.example/new").decision, Decision::Fetch);
    assert!(decided(&mut strategy, "http://other.example/new").verdict.unwrap().score < 0.5);
    let portrait = models::describe(&merged, 4).unwrap();
    assert_eq!(portrait.kind, "ldcoc");
    assert_eq!(portrait.for_rdf.len(), 4);
    let words: Vec<_> = portrait.against_rdf.iter().filter_map(|weighed| weighed.words.as_deref()).collect();
    assert!(words.contains(&"t.host=other.example"), "{words:?}");
}
