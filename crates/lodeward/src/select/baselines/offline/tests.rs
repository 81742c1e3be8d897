//! Tests of the offline classifiers as strategies.

use std::sync::{Arc, Mutex};

use rand::SeedableRng;
use rand::rngs::SmallRng;

use super::*;
use crate::frontier::LeaseToken;
use crate::frontier::{Lease, Offer, QueueEntry};
use crate::model::{Link, LinkKind, ProbeResult, Relevance, Uri, VerdictAction};
use crate::select::{Decision, Judgement, LinkContext, RequestEnd, RequestResult, Strategy};

const BITS: u8 = 16;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn offer(strategy: &mut dyn Strategy, depth: u16, target: &str) -> QueueEntry {
    let source = uri("http://a.example/");
    let relevance = Relevance::Rdf;
    let found = LinkContext { source: Some(&source), lease: None, format: "turtle", relevance, depth, redirects: 0 };
    let via = LinkKind::Triple {
        properties: vec!["http://p.example/knows".into()],
        vocabulary: false,
        siblings: Vec::new(),
        type_hint: None,
    };
    let link = Link { target: uri(target), via };
    let offer = strategy.offer_links(&found, vec![link], &mut SmallRng::seed_from_u64(0)).remove(0);
    let Offer::Queue(candidate) = offer else { panic!("everything is queued") };
    candidate
}

fn lease(entry: QueueEntry, media_type: Option<&str>) -> Lease {
    let probe = media_type.map(|media_type| ProbeResult {
        status: 200,
        media_type: Some(media_type.into()),
        location: None,
        retry_after_s: None,
    });
    Lease { token: LeaseToken::default(), entry, attempt: 0, probe, verdict: None }
}

fn judge(strategy: &mut dyn Strategy, lease: &Lease) -> Judgement {
    strategy.judge(lease, &mut SmallRng::seed_from_u64(0))
}

/// Collects examples: all documents of one host have RDF, none of another.
fn collect() -> Vec<CollectedExample> {
    let collected = Arc::new(Mutex::new(Vec::new()));
    let mut collector = ExampleCollector::new(FeatureSet::default(), BITS, Arc::clone(&collected));
    for number in 0..8 {
        for (host, relevance) in [("good", Relevance::Rdf), ("bad", Relevance::OgOnly)] {
            let candidate = offer(&mut collector, 1, &format!("http://{host}.example/{number}"));
            let lease = lease(candidate, None);
            assert_eq!(judge(&mut collector, &lease).decision, Decision::Fetch);
            let end = RequestEnd::Document { relevance, media_type: Some("Text/HTML; charset=utf-8"), digest: 0 };
            collector.learn(&RequestResult { lease: &lease, weight: 1.0, end });
        }
    }
    drop(collector);
    Arc::try_unwrap(collected).unwrap().into_inner().unwrap()
}

fn offline(kind: ClassifierKind) -> OfflineStrategy {
    let examples: Vec<TrainingExample> = collect().into_iter().map(|collected| collected.example).collect();
    OfflineStrategy::new(TrainedModel::train(kind, FeatureSet::default(), BITS, &examples))
}

#[test]
fn hard_uris_are_collected_with_their_labels() {
    let collected = collect();

    assert_eq!(collected.len(), 16);
    assert!(collected.iter().all(|one| one.example.label == (one.uri.host() == "good.example")));
    assert!(collected.iter().all(|one| one.example.features.is_sorted()));
}

#[test]
fn easy_uris_and_failures_are_not_collected() {
    let collected = Arc::new(Mutex::new(Vec::new()));
    let mut collector = ExampleCollector::new(FeatureSet::default(), BITS, Arc::clone(&collected));
    let document = |media_type| RequestEnd::Document { relevance: Relevance::Rdf, media_type, digest: 0 };

    for (target, end) in [
        ("http://a.example/x.ttl", document(None)),
        ("http://a.example/x", document(Some("text/turtle"))),
        ("http://a.example/y", RequestEnd::Failure),
    ] {
        let lease = lease(offer(&mut collector, 1, target), None);
        collector.learn(&RequestResult { lease: &lease, weight: 1.0, end });
    }

    assert!(collected.lock().unwrap().is_empty());
}

#[test]
fn uris_rejected_by_the_classifier_are_skipped() {
    for kind in ClassifierKind::ALL {
        let mut strategy = offline(kind);
        for number in 100..150 {
            let mut decide = |host: &str| {
                let candidate = offer(&mut strategy, 1, &format!("http://{host}.example/{number}"));
                let Judgement { decision, verdict } = judge(&mut strategy, &lease(candidate, Some("text/html")));
                (decision, verdict.unwrap().action)
            };

            assert_eq!(decide("good"), (Decision::Fetch, VerdictAction::Predicted), "{kind:?}");
            assert_eq!(decide("bad"), (Decision::Skip, VerdictAction::Skipped), "{kind:?}");
        }
    }
}

#[test]
fn easy_uris_and_seeds_need_no_classifier() {
    let mut strategy = offline(ClassifierKind::Svm);
    let mut check = |depth, target: &str, media_type, expected| {
        let candidate = offer(&mut strategy, depth, target);
        assert_eq!(judge(&mut strategy, &lease(candidate, media_type)).decision, expected, "{target} {media_type:?}");
    };

    check(1, "http://bad.example/x.ttl", None, Decision::Fetch);
    check(1, "http://good.example/x.png", None, Decision::Skip);
    check(1, "http://bad.example/x", None, Decision::Probe);
    check(1, "http://bad.example/x", Some("application/rdf+xml"), Decision::Fetch);
    check(1, "http://good.example/y", Some("image/png"), Decision::Skip);
    check(0, "http://bad.example/z", None, Decision::Fetch);
}

#[test]
fn the_model_does_not_change_in_the_crawl() {
    let mut strategy = offline(ClassifierKind::Nb);
    // A name is stored at the second occurrence of its feature.
    offer(&mut strategy, 1, "http://bad.example/other");
    let candidate = offer(&mut strategy, 1, "http://bad.example/x");
    let before = strategy.explain(&candidate).unwrap();
    assert!(before.reasons.iter().any(|(feature, _)| strategy.feature_name(*feature) == Some("t.host=bad.example")));

    for _ in 0..50 {
        let lease = lease(candidate.clone(), Some("text/html"));
        let end = RequestEnd::Document { relevance: Relevance::Rdf, media_type: Some("text/html"), digest: 0 };
        strategy.learn(&RequestResult { lease: &lease, weight: 1.0, end });
    }

    assert_eq!(strategy.explain(&candidate), Some(before));
    assert_eq!(strategy.save(), None);
}
