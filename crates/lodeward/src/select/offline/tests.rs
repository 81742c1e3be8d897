use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::*;
use crate::frontier::Offer;
use crate::model::{Candidate, Link, Probe, Relevance, Uri, Via, Visit};
use crate::select::{Action, Decision, End, Found, Judgement, Lesson, Strategy};

const BITS: u8 = 16;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn place(strategy: &mut dyn Strategy, depth: u16, target: &str) -> Candidate {
    let source = uri("http://a.example/");
    let relevance = Relevance::Rdf;
    let found = Found { source: Some(&source), visit: None, syntax: "turtle", relevance, depth, redirects: 0 };
    let via = Via::Triple {
        properties: vec!["http://p.example/knows".into()],
        vocabulary: false,
        siblings: Vec::new(),
        telling: None,
    };
    let link = Link { target: uri(target), via };
    let offer = strategy.place(&found, vec![link], &mut SmallRng::seed_from_u64(0)).remove(0);
    let Offer::Queue(candidate) = offer else { panic!("everything is queued") };
    candidate
}

fn visit(candidate: Candidate, media_type: Option<&str>) -> Visit {
    let probe = media_type.map(|media_type| Probe { status: 200, media_type: Some(media_type.into()), location: None });
    Visit { lease: 0, candidate, attempt: 0, probe, verdict: None }
}

fn judge(strategy: &mut dyn Strategy, visit: &Visit) -> Judgement {
    strategy.judge(visit, &mut SmallRng::seed_from_u64(0))
}

/// Everything on one host is RDF, and nothing on another.
fn collect() -> Vec<Collected> {
    let collected = Arc::new(Mutex::new(Vec::new()));
    let mut collector = Collector::new(FeatureSet::default(), BITS, Arc::clone(&collected));
    for number in 0..8 {
        for (host, relevance) in [("good", Relevance::Rdf), ("bad", Relevance::OgOnly)] {
            let candidate = place(&mut collector, 1, &format!("http://{host}.example/{number}"));
            let visit = visit(candidate, None);
            assert_eq!(judge(&mut collector, &visit).decision, Decision::Fetch);
            let end = End::Document { relevance, media_type: Some("Text/HTML; charset=utf-8"), digest: 0 };
            collector.learn(&Lesson { visit: &visit, weight: 1.0, end });
        }
    }
    drop(collector);
    Arc::try_unwrap(collected).unwrap().into_inner().unwrap()
}

fn offline(sort: Sort) -> Offline {
    let examples: Vec<Example> = collect().into_iter().map(|collected| collected.example).collect();
    Offline::new(Model::train(sort, FeatureSet::default(), BITS, &examples))
}

#[test]
fn a_collector_notes_hard_uris_and_what_they_turned_out_to_be() {
    let collected = collect();

    assert_eq!(collected.len(), 16);
    assert!(collected.iter().all(|one| one.example.label == (one.uri.host() == "good.example")));
    assert!(collected.iter().all(|one| one.example.features.is_sorted()));
}

#[test]
fn a_collector_notes_neither_easy_uris_nor_what_was_not_had() {
    let collected = Arc::new(Mutex::new(Vec::new()));
    let mut collector = Collector::new(FeatureSet::default(), BITS, Arc::clone(&collected));
    let document = |media_type| End::Document { relevance: Relevance::Rdf, media_type, digest: 0 };

    for (target, end) in [
        ("http://a.example/x.ttl", document(None)),
        ("http://a.example/x", document(Some("text/turtle"))),
        ("http://a.example/y", End::Failure),
    ] {
        let visit = visit(place(&mut collector, 1, target), None);
        collector.learn(&Lesson { visit: &visit, weight: 1.0, end });
    }

    assert!(collected.lock().unwrap().is_empty());
}

#[test]
fn what_a_classifier_rejects_is_skipped_without_exception() {
    for sort in Sort::ALL {
        let mut strategy = offline(sort);
        for number in 100..150 {
            let mut decide = |host: &str| {
                let candidate = place(&mut strategy, 1, &format!("http://{host}.example/{number}"));
                let Judgement { decision, verdict } = judge(&mut strategy, &visit(candidate, Some("text/html")));
                (decision, verdict.unwrap().action)
            };

            assert_eq!(decide("good"), (Decision::Fetch, Action::Predicted), "{sort:?}");
            assert_eq!(decide("bad"), (Decision::Skip, Action::Skipped), "{sort:?}");
        }
    }
}

#[test]
fn what_is_easy_or_given_needs_no_classifier() {
    let mut strategy = offline(Sort::Svm);
    let mut check = |depth, target: &str, media_type, expected| {
        let candidate = place(&mut strategy, depth, target);
        assert_eq!(judge(&mut strategy, &visit(candidate, media_type)).decision, expected, "{target} {media_type:?}");
    };

    check(1, "http://bad.example/x.ttl", None, Decision::Fetch);
    check(1, "http://good.example/x.png", None, Decision::Skip);
    check(1, "http://bad.example/x", None, Decision::Probe);
    check(1, "http://bad.example/x", Some("application/rdf+xml"), Decision::Fetch);
    check(1, "http://good.example/y", Some("image/png"), Decision::Skip);
    check(0, "http://bad.example/z", None, Decision::Fetch);
}

#[test]
fn nothing_is_learned_in_the_crawl() {
    let mut strategy = offline(Sort::Nb);
    // A name is remembered when its feature is met again.
    place(&mut strategy, 1, "http://bad.example/other");
    let candidate = place(&mut strategy, 1, "http://bad.example/x");
    let before = strategy.explain(&candidate).unwrap();
    assert!(before.reasons.iter().any(|(feature, _)| strategy.name_of(*feature) == Some("t.host=bad.example")));

    for _ in 0..50 {
        let visit = visit(candidate.clone(), Some("text/html"));
        let end = End::Document { relevance: Relevance::Rdf, media_type: Some("text/html"), digest: 0 };
        strategy.learn(&Lesson { visit: &visit, weight: 1.0, end });
    }

    assert_eq!(strategy.explain(&candidate), Some(before));
    assert_eq!(strategy.save(), None);
}
