//! Tests of LDCOC's decisions, training and models.

use std::sync::Arc;

use rand::SeedableRng;

use super::*;
use crate::frontier::LeaseToken;
use crate::model::FoundBy;
use crate::model::{LinkKind, Relevance};
use crate::select::RequestEnd;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn options() -> LdcocOptions {
    LdcocOptions { bits: 16, max_names: 1_000, ..LdcocOptions::default() }
}

fn ldcoc() -> LdcocStrategy {
    LdcocStrategy::new(options(), None).unwrap()
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(1)
}

/// A link from a triple.
fn by(target: &str, properties: &[&str], siblings: &[&str]) -> Link {
    let properties = properties.iter().map(|property| Arc::from(*property)).collect();
    let siblings = siblings.iter().map(|sibling| uri(sibling)).collect();
    Link { target: uri(target), via: LinkKind::Triple { properties, vocabulary: false, siblings, type_hint: None } }
}

fn offered(strategy: &mut LdcocStrategy, link: Link) -> Lease {
    let source = uri("http://source.example/doc");
    let found = LinkContext {
        source: Some(&source),
        lease: None,
        format: "turtle",
        relevance: Relevance::Rdf,
        depth: 1,
        redirects: 0,
    };
    lease(strategy.offer_links(&found, vec![link], &mut rng()).remove(0))
}

fn lease(offer: Offer) -> Lease {
    let Offer::Queue(entry) = offer else { panic!("it is queued") };
    Lease { token: LeaseToken::default(), entry, attempt: 0, probe: None, verdict: None }
}

fn hard(strategy: &mut LdcocStrategy, target: &str) -> Lease {
    offered(strategy, by(target, &["http://p.example/knows"], &[]))
}

fn probed(lease: &Lease, status: u16, media_type: Option<&str>) -> Lease {
    let probe = ProbeResult { status, media_type: media_type.map(str::to_owned), location: None, retry_after_s: None };
    Lease { probe: Some(probe), ..lease.clone() }
}

fn end(relevance: Relevance, media_type: &str) -> RequestEnd<'_> {
    RequestEnd::Document { relevance, media_type: Some(media_type), digest: 0 }
}

fn train(strategy: &mut LdcocStrategy, target: &str, relevance: Relevance, times: usize) {
    for number in 0..times {
        let lease = hard(strategy, &format!("{target}{number}"));
        strategy.learn(&RequestResult { lease: &lease, weight: 1.0, end: end(relevance, "text/html") });
    }
}

/// Trains with documents of a host with RDF and of one without, alternating as in a crawl.
fn train_alternating(strategy: &mut LdcocStrategy, rich: &str, poor: &str, times: usize) {
    for number in 0..times {
        train(strategy, &format!("http://{rich}/{number}/"), Relevance::Rdf, 1);
        train(strategy, &format!("http://{poor}/{number}/"), Relevance::None, 1);
    }
}

/// The judgement of a hard URI with the media type `text/html`.
fn decided(strategy: &mut LdcocStrategy, target: &str) -> Judgement {
    let lease = hard(strategy, target);
    strategy.judge(&probed(&lease, 200, Some("text/html")), &mut rng())
}

#[test]
fn seeds_are_always_fetched() {
    let mut strategy = ldcoc();
    train(&mut strategy, "http://a.example/", Relevance::None, 20);
    let found =
        LinkContext { source: None, lease: None, format: "", relevance: Relevance::None, depth: 0, redirects: 0 };
    let link = Link { target: uri("http://a.example/seed"), via: LinkKind::Seed };
    let seed = lease(strategy.offer_links(&found, vec![link], &mut rng()).remove(0));

    let Judgement { decision, verdict } = strategy.judge(&seed, &mut rng());

    assert_eq!(decision, Decision::Fetch);
    let verdict = verdict.unwrap();
    assert_eq!(verdict.action, VerdictAction::Requested);
    assert!(verdict.score < 0.5, "the model predicts no RDF");
}

#[test]
fn extensions_and_media_types_decide_easy_uris() {
    let mut strategy = ldcoc();
    let mut check = |target: &str, media_type: Option<&str>, decision| {
        let lease = hard(&mut strategy, target);
        let lease = media_type.map_or(lease.clone(), |media_type| probed(&lease, 200, Some(media_type)));
        let judgement = strategy.judge(&lease, &mut rng());
        assert_eq!(judgement.decision, decision, "{target} {media_type:?}");
        let action = judgement.verdict.map(|verdict| verdict.action);
        assert_eq!(action, Some(VerdictAction::Easy), "{target} {media_type:?}");
    };

    check("http://a.example/x.ttl", None, Decision::Fetch);
    check("http://a.example/x.png", None, Decision::Skip);
    check("http://a.example/1", Some("text/turtle; charset=utf-8"), Decision::Fetch);
    check("http://a.example/2", Some("image/png"), Decision::Skip);
    check("http://a.example/3.html", Some("application/rdf+xml"), Decision::Fetch);
}

#[test]
fn a_hard_uri_is_probed_once() {
    let mut strategy = ldcoc();
    let lease = hard(&mut strategy, "http://a.example/x");

    let first = strategy.judge(&lease, &mut rng());
    let second = strategy.judge(&probed(&lease, 200, Some("Text/HTML; charset=utf-8")), &mut rng());
    let third = strategy.judge(&lease, &mut rng());

    assert_eq!(first, Judgement::without_verdict(Decision::Probe));
    assert_ne!(second.decision, Decision::Probe);
    assert_eq!(second, third, "the type is remembered, so there is no second HEAD");
}

#[test]
fn a_failed_head_leaves_the_media_type_unknown() {
    let mut strategy = ldcoc();
    let lease = hard(&mut strategy, "http://a.example/x");

    let rejected = strategy.judge(&probed(&lease, 405, Some("image/png")), &mut rng());
    let gone = strategy.judge(&probed(&lease, 404, Some("text/html")), &mut rng());

    let action = |judgement: &Judgement| judgement.verdict.as_ref().unwrap().action;
    assert_ne!(action(&rejected), VerdictAction::Easy, "the type of an error response is not that of the document");
    assert_eq!((gone.decision, action(&gone)), (Decision::Skip, VerdictAction::Easy));
}

#[test]
fn uris_similar_to_those_with_rdf_are_fetched() {
    let mut strategy = ldcoc();
    train_alternating(&mut strategy, "rich.example", "poor.example", 20);

    let rich = decided(&mut strategy, "http://rich.example/new");
    let poor = strategy.explain(&hard(&mut ldcoc(), "http://poor.example/new").entry).unwrap();

    assert_eq!(rich.decision, Decision::Fetch);
    assert_eq!(rich.verdict.unwrap().action, VerdictAction::Predicted);
    assert!(poor.score < 0.3, "{}", poor.score);
    let words: Vec<_> = poor.reasons.iter().filter_map(|(number, _)| strategy.feature_name(*number)).collect();
    assert!(words.contains(&"t.host=poor.example"), "{words:?}");
    assert!(poor.reasons.len() <= Verdict::MAX_REASONS);
}

#[test]
fn a_share_of_the_rest_is_explored_with_more_weight() {
    let mut strategy = ldcoc();
    train(&mut strategy, "http://poor.example/", Relevance::None, 50);
    let mut explored = 0;

    for number in 0..1_000 {
        let target = format!("http://poor.example/new/{number}");
        let first = decided(&mut strategy, &target);
        assert_eq!(first, decided(&mut strategy, &target), "the draw is the same for every call");
        match first.decision {
            Decision::Explore { weight } => {
                explored += 1;
                assert!((weight - 1.0 / 0.17).abs() < 1e-3);
                assert_eq!(first.verdict.unwrap().action, VerdictAction::Explored);
            }
            Decision::Skip => assert_eq!(first.verdict.unwrap().action, VerdictAction::Skipped),
            other => panic!("{other:?}"),
        }
    }

    assert!((120..220).contains(&explored), "{explored} of 1,000, where 170 are expected");
}

#[test]
fn exploration_depends_on_the_seed() {
    let explored = |seed: u64| -> Vec<bool> {
        let mut strategy = ldcoc();
        train(&mut strategy, "http://poor.example/", Relevance::None, 20);
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut one = |number: usize| {
            let lease = hard(&mut strategy, &format!("http://poor.example/new/{number}"));
            strategy.judge(&probed(&lease, 200, None), &mut rng).decision != Decision::Skip
        };
        (0..100).map(&mut one).collect()
    };

    assert_eq!(explored(1), explored(1));
    assert_ne!(explored(1), explored(2));
}

#[test]
fn epsilon_can_be_the_ratio_of_examples() {
    let mut strategy = LdcocStrategy::new(LdcocOptions { epsilon_by_ratio: true, ..options() }, None).unwrap();
    assert!((strategy.epsilon() - 0.17).abs() < 1e-9, "without examples of both classes");

    train(&mut strategy, "http://rich.example/", Relevance::Rdf, 10);
    train(&mut strategy, "http://poor.example/", Relevance::None, 40);

    assert!((strategy.epsilon() - 0.25).abs() < 1e-9);
}

#[test]
fn only_fetched_hard_uris_are_examples() {
    let mut strategy = ldcoc();
    let mut count = |target: &str, end: RequestEnd<'_>| {
        let lease = hard(&mut strategy, target);
        strategy.learn(&RequestResult { lease: &lease, weight: 1.0, end });
        strategy.examples.with_rdf + strategy.examples.without_rdf
    };

    assert_eq!(count("http://a.example/x.ttl", end(Relevance::Rdf, "text/plain")), 0);
    assert_eq!(count("http://a.example/1", end(Relevance::Rdf, "text/turtle")), 0);
    assert_eq!(count("http://a.example/2", RequestEnd::Failure), 0);
    let target = &uri("http://a.example/elsewhere");
    assert_eq!(count("http://a.example/3", RequestEnd::Redirect { target, is_new: true }), 0);
    assert_eq!(count("http://a.example/4", end(Relevance::OgOnly, "text/html")), 1);
}

#[test]
fn the_target_of_a_redirect_has_the_context_of_its_source() {
    let mut strategy = ldcoc();
    let redirecting = hard(&mut strategy, "http://a.example/id/1");
    let direct = hard(&mut strategy, "http://b.example/doc/1");
    let source = redirecting.entry.target.clone();
    let found = LinkContext {
        source: Some(&source),
        lease: Some(&redirecting),
        format: "",
        relevance: Relevance::None,
        depth: 1,
        redirects: 1,
    };

    let link = Link { target: uri("http://b.example/doc/1"), via: LinkKind::Redirect(303) };
    let redirected = lease(strategy.offer_links(&found, vec![link], &mut rng()).remove(0));

    assert_eq!(redirected.entry.features, direct.entry.features, "as if it had been linked itself");
    assert_eq!(redirected.entry.found_by, FoundBy::Redirect(303));
}

#[test]
fn each_feature_set_uses_its_own_urls() {
    let count = |features: &str, properties: &[&str]| {
        let options = LdcocOptions { features: features.parse().unwrap(), ..options() };
        let mut strategy = LdcocStrategy::new(options, None).unwrap();
        let link = by("http://a.example/x?y", properties, &["http://a.example/z"]);
        offered(&mut strategy, link).entry.features.0.len()
    };
    let properties = ["http://p.example/a#b", "http://p.example/a#c"];

    // scheme, authority, host, path, query
    assert_eq!(count("+t", &properties), 5);
    // scheme, authority, host, path
    assert_eq!(count("+r", &properties), 4);
    // as before, and two fragments
    assert_eq!(count("+p", &properties), 6);
    assert_eq!(count("+p", &[]), 0);
    assert_eq!(count("+x", &[]), 4);
    assert_eq!(count("+t+r+p+x", &properties), 19);
}

#[test]
fn a_known_property_has_the_same_features_and_gets_a_name() {
    let mut strategy = ldcoc();

    let first = offered(&mut strategy, by("http://a.example/x", &["http://p.example/v#knows"], &[]));
    let second = offered(&mut strategy, by("http://a.example/x", &["http://p.example/v#knows"], &[]));

    assert_eq!(first.entry.features, second.entry.features);
    let names: Vec<_> = second.entry.features.0.iter().filter_map(|number| strategy.feature_name(*number)).collect();
    assert!(names.contains(&"p.fragment=knows") && names.contains(&"p.path=/v"), "{names:?}");
    assert!(names.contains(&"r.host=source.example"), "{names:?}");
}

#[test]
fn siblings_are_crossed_with_what_is_known_of_them() {
    let options = LdcocOptions { features: "+x".parse().unwrap(), ..options() };
    let mut strategy = LdcocStrategy::new(options, None).unwrap();
    let link = || by("http://a.example/people/1", &[], &["http://a.example/people/2"]);

    let before = offered(&mut strategy, link()).entry.features;
    let sibling = hard(&mut strategy, "http://a.example/people/2");
    strategy.learn(&RequestResult { lease: &sibling, weight: 1.0, end: end(Relevance::Rdf, "text/html") });
    let after = offered(&mut strategy, link()).entry.features;
    offered(&mut strategy, link());

    assert_ne!(before, after);
    let names: Vec<_> = after.0.iter().filter_map(|number| strategy.feature_name(*number)).collect();
    assert!(names.contains(&"x.host=a.example|text/html|high|rdf"), "{names:?}");
}

#[test]
fn a_saved_model_is_restored() {
    let mut strategy = ldcoc();
    train(&mut strategy, "http://rich.example/", Relevance::Rdf, 20);
    train(&mut strategy, "http://poor.example/", Relevance::None, 20);
    let saved = strategy.save().unwrap();

    // A model keeps its own size.
    let mut resumed = LdcocStrategy::new(LdcocOptions { bits: 12, ..options() }, Some(&saved)).unwrap();

    assert_eq!(resumed.save().unwrap(), saved);
    assert_eq!(resumed.examples, strategy.examples);
    let target = "http://rich.example/new";
    assert_eq!(decided(&mut resumed, target), decided(&mut strategy, target));
}

#[test]
fn a_resumed_crawl_probes_no_uri_again() {
    let mut strategy = ldcoc();
    let lease = hard(&mut strategy, "http://a.example/x");
    strategy.judge(&probed(&lease, 200, Some("text/html")), &mut rng());
    let saved = strategy.save().unwrap();

    let mut resumed = LdcocStrategy::new(options(), Some(&saved)).unwrap();

    assert_ne!(resumed.judge(&lease, &mut rng()).decision, Decision::Probe);
}

#[test]
fn a_model_of_other_feature_sets_is_rejected_with_a_hint() {
    let saved = ldcoc().save().unwrap();
    let options = LdcocOptions { features: "+t".parse().unwrap(), ..options() };

    let message = LdcocStrategy::new(options, Some(&saved)).err().unwrap().to_string();

    let expected = "feature sets +t+r+p, but strategy.ldcoc.features is +t; hint: set it to +t+r+p";
    assert!(message.contains(expected), "{message}");
}

#[test]
fn merged_models_combine_their_training() {
    use crate::select::model_summary;
    let mut base = ldcoc();
    train(&mut base, "http://rich.example/", Relevance::Rdf, 5);
    let base = base.save().unwrap();
    let trained = |rich: &str, poor: &str| {
        let mut strategy = LdcocStrategy::new(options(), Some(&base)).unwrap();
        train_alternating(&mut strategy, rich, poor, 15);
        strategy.save().unwrap()
    };
    let one = trained("one.example", "poor.example");
    let other = trained("rich.example", "other.example");

    let merged = model_summary::merge(&[one, other], Some(&base)).unwrap();

    let mut strategy = LdcocStrategy::new(options(), Some(&merged)).unwrap();
    assert_eq!((strategy.examples.with_rdf, strategy.examples.without_rdf), (35, 30), "5 + 2 × 15, and 2 × 15");
    assert_eq!(decided(&mut strategy, "http://one.example/new").decision, Decision::Fetch);
    assert!(decided(&mut strategy, "http://other.example/new").verdict.unwrap().score < 0.5);
    let summary = model_summary::describe(&merged, 4).unwrap();
    assert_eq!(summary.kind, "ldcoc");
    assert_eq!(summary.for_rdf.len(), 4);
    let words: Vec<_> = summary.against_rdf.iter().filter_map(|feature| feature.name.as_deref()).collect();
    assert!(words.contains(&"t.host=other.example"), "{words:?}");
}
