//! Tests of `learned`.

use lodeward_markup::links::PageLink;
use rand::SeedableRng;

use super::*;
use crate::frontier::LeaseToken;
use crate::model::{FoundBy, LinkKind, Relevance, Uri};

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn anchor(target: &str, text: &str) -> Link {
    let html = PageLink { element: "a".to_owned(), text: text.to_owned(), ..PageLink::default() };
    Link { target: uri(target), via: LinkKind::Html(Box::new(html)) }
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(1)
}

/// A strategy without randomness.
fn deterministic() -> LearnedStrategy {
    let options = LearnedOptions { noise: 0.0, breadth: 0.0, bits: 16, max_names: 1_000, ..LearnedOptions::default() };
    LearnedStrategy::new(options, None).unwrap()
}

/// Offers one link of a page.
fn offer(learned: &mut LearnedStrategy, page: &str, link: Link) -> QueueEntry {
    let source = uri(page);
    let found = LinkContext {
        source: Some(&source),
        lease: None,
        format: "html",
        relevance: Relevance::None,
        depth: 1,
        redirects: 0,
    };
    match learned.offer_links(&found, vec![link], &mut rng()).remove(0) {
        Offer::Queue(candidate) | Offer::Readmit(candidate) | Offer::Drop(candidate, _) => candidate,
    }
}

fn lease(entry: QueueEntry) -> Lease {
    Lease { token: LeaseToken::default(), entry, attempt: 0, probe: None, verdict: None }
}

fn document(relevance: Relevance, digest: u64) -> RequestEnd<'static> {
    RequestEnd::Document { relevance, media_type: Some("text/html"), digest }
}

/// Offers one link and learns from its result.
fn train(learned: &mut LearnedStrategy, page: &str, link: Link, end: RequestEnd<'_>) {
    let lease = lease(offer(learned, page, link));
    learned.learn(&RequestResult { lease: &lease, weight: 1.0, end });
}

fn score(learned: &mut LearnedStrategy, page: &str, link: Link) -> f32 {
    let candidate = offer(learned, page, link);
    learned.score(&candidate, &mut rng())
}

#[test]
fn documents_of_a_directory_with_rdf_are_scored_higher() {
    let mut learned = deterministic();
    for number in 1..12 {
        let data = anchor(&format!("http://a.example/data/x{number}"), "more");
        train(&mut learned, "http://a.example/", data, document(Relevance::Rdf, number));
        let blog = anchor(&format!("http://a.example/blog/x{number}"), "more");
        train(&mut learned, "http://a.example/", blog, document(Relevance::None, 100 + number));
    }

    let data = score(&mut learned, "http://a.example/", anchor("http://a.example/data/y", "more"));
    let blog = score(&mut learned, "http://a.example/", anchor("http://a.example/blog/y", "more"));

    assert!(data > 0.8 && blog < 0.2, "{data} {blog}");
}

#[test]
fn link_texts_generalise_to_unknown_hosts() {
    let mut learned = deterministic();
    for number in 0..30_u64 {
        let page = format!("http://h{number}.example/");
        let data = anchor(&format!("http://h{number}.example/a"), "download turtle");
        train(&mut learned, &page, data, document(Relevance::Rdf, 2 * number + 1));
        let about = anchor(&format!("http://h{number}.example/b"), "about us");
        train(&mut learned, &page, about, document(Relevance::None, 2 * number + 2));
    }

    let data = score(&mut learned, "http://new.example/", anchor("http://new.example/c", "download turtle"));
    let about = score(&mut learned, "http://new.example/", anchor("http://new.example/c", "about us"));

    assert!(data > about + 0.2, "{data} {about}");
}

#[test]
fn a_redirect_to_a_known_document_is_no_success_and_one_to_a_new_document_is_half_of_one() {
    let redirected = |is_new: bool| {
        let mut learned = deterministic();
        for number in 1..12 {
            let term = format!("http://ns.example/term{number}");
            let end = uri(&format!("http://ns.example/doc{number}.ttl"));
            train(&mut learned, "http://a.example/", anchor(&term, ""), RequestEnd::Redirect { target: &end, is_new });
            let document = document(Relevance::Rdf, number);
            if is_new {
                train(&mut learned, &term, anchor(end.as_str(), ""), document);
            }
        }
        score(&mut learned, "http://a.example/", anchor("http://ns.example/term99", ""))
    };

    assert!((0.4..0.7).contains(&redirected(true)), "{}", redirected(true));
    assert!(redirected(false) < 0.2, "{}", redirected(false));
}

#[test]
fn a_duplicate_of_a_stored_document_is_no_success() {
    let after = |digest: fn(u64) -> u64| {
        let mut learned = deterministic();
        for number in 1..20 {
            let link = anchor(&format!("http://a.example/copy/{number}"), "");
            train(&mut learned, "http://a.example/", link, document(Relevance::Rdf, digest(number)));
        }
        score(&mut learned, "http://a.example/", anchor("http://a.example/copy/99", ""))
    };

    assert!(after(|number| number) > 0.8);
    assert!(after(|_| 7) < 0.4);
}

#[test]
fn seeds_come_before_links() {
    let mut learned = deterministic();
    let found =
        LinkContext { source: None, lease: None, format: "", relevance: Relevance::None, depth: 0, redirects: 0 };
    let seed = Link { target: uri("http://seed.example/"), via: LinkKind::Seed };
    let offered = learned.offer_links(&found, vec![seed], &mut rng()).remove(0);
    let other = offer(&mut learned, "http://a.example/", anchor("http://a.example/x.ttl", "turtle"));

    assert_eq!(offered.entry().found_by, FoundBy::Seed);
    assert!(offered.entry().priority > other.priority);
    assert!(learned.score(offered.entry(), &mut rng()) > other.priority);
}

#[test]
fn features_of_other_strategies_are_tolerated() {
    let mut learned = deterministic();
    let mut candidate = offer(&mut learned, "http://a.example/", anchor("http://a.example/x", ""));
    for features in [vec![], vec![1; 9], vec![1; 10], vec![7; 12]] {
        candidate.features = FeatureVector(features);
        assert!(learned.score(&candidate, &mut rng()).is_finite());
        let lease = lease(candidate.clone());
        learned.learn(&RequestResult { lease: &lease, weight: 1.0, end: RequestEnd::Failure });
    }
}

#[test]
fn a_saved_model_is_restored() {
    let mut learned = deterministic();
    for number in 1..12 {
        let link = anchor(&format!("http://a.example/data/x{number}"), "more data");
        train(&mut learned, "http://a.example/", link, document(Relevance::Rdf, number));
    }
    let saved = learned.save().unwrap();
    let mut again = LearnedStrategy::new(learned.options, Some(&saved)).unwrap();
    let link = || anchor("http://a.example/data/y", "more data");

    assert_eq!(again.save().unwrap(), saved);
    let (before, after) =
        (score(&mut learned, "http://a.example/", link()), score(&mut again, "http://a.example/", link()));
    assert!((before - after).abs() < 1e-6, "{before} {after}");
    for cut in [0, 20, saved.len() / 2, saved.len() - 1] {
        assert!(LearnedStrategy::new(learned.options, Some(&saved[..cut])).is_err(), "truncated at {cut}");
    }
}

#[test]
fn a_score_is_explained_by_reasons() {
    let mut learned = deterministic();
    for number in 1..30 {
        let link = anchor(&format!("http://a.example/data/x{number}"), "turtle");
        train(&mut learned, "http://a.example/", link, document(Relevance::Rdf, number));
    }
    let candidate = offer(&mut learned, "http://a.example/", anchor("http://a.example/data/y", "turtle"));

    let verdict = learned.explain(&candidate).unwrap();

    assert!(verdict.score > 0.8);
    let words: Vec<&str> = verdict.reasons.iter().filter_map(|(number, _)| learned.feature_name(*number)).collect();
    assert!(words.contains(&"earlier results of its domain"), "{words:?}");
    assert!(verdict.reasons.iter().all(|(_, weight)| *weight > 0.0), "{:?}", verdict.reasons);
}

#[test]
fn media_types_are_probed_only_where_many_documents_had_no_rdf() {
    let mut learned = deterministic();
    let judged = |learned: &mut LearnedStrategy, number: u64| {
        let link = anchor(&format!("http://a.example/files/{number}"), "");
        let lease = lease(offer(learned, "http://a.example/", link));
        learned.judge(&lease, &mut rng()).decision
    };
    assert_eq!(judged(&mut learned, 0), Decision::Fetch);
    for number in 1..10 {
        let link = anchor(&format!("http://a.example/files/{number}"), "");
        let end = RequestEnd::Document { relevance: Relevance::None, media_type: Some("image/png"), digest: number };
        train(&mut learned, "http://a.example/", link, end);
    }

    assert_eq!(judged(&mut learned, 99), Decision::Probe);
}

#[test]
fn the_bundled_model_has_no_host_specific_features() {
    assert!(prior::is_host_independent(prior::BUNDLED_MODEL));
    LearnedStrategy::new(LearnedOptions { prior: true, ..LearnedOptions::default() }, None).unwrap();
}

#[test]
fn a_prior_has_the_features_common_to_several_domains() {
    let mut learned = deterministic();
    let domains: Vec<crate::model::Pld> =
        (0..6).map(|n| crate::model::Pld::from_host(&format!("h{n}.example"))).collect();
    let mut examples = Vec::new();
    for (number, pld) in (0_u64..).zip(&domains) {
        for (word, is_rdf) in [("turtle", true), ("about", false)] {
            let link = anchor(&format!("http://{pld}/{word}{number}"), word);
            examples.push((offer(&mut learned, &format!("http://{pld}/"), link).features, pld, is_rdf));
        }
    }
    let examples: Vec<prior::PriorExample<'_>> =
        examples.iter().map(|(features, pld, is_rdf)| prior::PriorExample { features, pld, is_rdf: *is_rdf }).collect();

    let prior = prior::train(&examples, &learned.save().unwrap()).unwrap();

    assert!(prior::is_host_independent(&prior));
    let mut fresh = LearnedStrategy::new(learned.options, Some(&prior)).unwrap();
    let turtle = score(&mut fresh, "http://new.example/", anchor("http://new.example/x", "turtle"));
    let about = score(&mut fresh, "http://new.example/", anchor("http://new.example/x", "about"));
    assert!(turtle > about + 0.1, "{turtle} {about}");
}

fn triple(target: &str, property: &str) -> Link {
    let via = LinkKind::Triple {
        properties: vec![property.into()],
        vocabulary: false,
        siblings: Vec::new(),
        type_hint: (crate::discover::promise::specificity(property) > 0).then(|| property.into()),
    };
    Link { target: uri(target), via }
}

const DUMP: &str = "http://rdfs.org/ns/void#dataDump";

#[test]
fn promised_links_come_first_until_promises_are_broken() {
    let mut learned = deterministic();
    let page = "http://a.example/";
    let unknown =
        |learned: &mut LearnedStrategy| score(learned, page, triple("http://b.example/y", "http://p.example/q"));
    let promised =
        |learned: &mut LearnedStrategy, host: &str| score(learned, page, triple(&format!("http://{host}/y"), DUMP));

    assert!(promised(&mut learned, "b.example") > unknown(&mut learned) + 0.3);

    for number in 0..12 {
        let broken = triple(&format!("http://b.example/x{number}"), DUMP);
        train(&mut learned, page, broken, document(Relevance::None, number));
    }

    let (broken, other) = (promised(&mut learned, "b.example"), promised(&mut learned, "c.example"));
    assert!(broken < 0.3, "{broken}");
    assert!(broken < other, "{broken} {other}");
}

#[test]
fn promises_do_not_affect_other_links() {
    let mut learned = deterministic();
    let plain = offer(&mut learned, "http://a.example/", triple("http://b.example/y", "http://p.example/q"));
    let before = learned.score(&plain, &mut rng());
    let evidence = LinkEvidence::from_features(&plain.features).unwrap();

    assert_eq!(learned.extractor.promise(evidence), None);
    assert_eq!(plain.found_by, FoundBy::Triple("http://p.example/q".to_owned()));
    for number in 0..9 {
        // Only the statistics of promises have changed.
        let promised = offer(&mut learned, "http://a.example/", triple(&format!("http://b.example/{number}"), DUMP));
        let evidence = LinkEvidence::from_features(&promised.features).unwrap();
        learned.promises.learn(Promise::Dump, evidence, false);
    }
    assert_eq!(learned.score(&plain, &mut rng()).to_bits(), before.to_bits());
}

#[test]
fn a_promise_is_reported_and_inherited_by_a_redirect() {
    let mut learned = deterministic();
    let redirecting = lease(offer(&mut learned, "http://a.example/", triple("http://b.example/latest", DUMP)));
    assert_eq!(redirecting.entry.found_by.to_string(), format!("in a triple with <{DUMP}>, promised: dump"));
    let verdict = learned.explain(&redirecting.entry).unwrap();
    let names: Vec<_> = verdict.reasons.iter().filter_map(|(feature, _)| learned.feature_name(*feature)).collect();
    assert!(names.contains(&"promised: dump"), "{names:?}");

    let found = LinkContext {
        source: Some(&redirecting.entry.target),
        lease: Some(&redirecting),
        format: "",
        relevance: Relevance::None,
        depth: 1,
        redirects: 1,
    };
    let redirect = Link { target: uri("http://b.example/2026/files/7"), via: LinkKind::Redirect(302) };
    let offer = learned.offer_links(&found, vec![redirect], &mut rng()).remove(0);

    let evidence = LinkEvidence::from_features(&offer.entry().features).unwrap();
    assert_eq!(learned.extractor.promise(evidence), Some(Promise::Dump));
    assert_eq!(offer.entry().found_by, FoundBy::Redirect(302));
}

#[test]
fn archives_without_rdf_are_probed_and_dumps_are_fetched() {
    let page = "http://a.example/";
    let zip = || {
        Some(ProbeResult {
            status: 200,
            media_type: Some("application/zip".to_owned()),
            location: None,
            retry_after_s: None,
        })
    };
    let decision = |learned: &mut LearnedStrategy, link: Link, probe: Option<ProbeResult>| {
        let lease = Lease { probe, ..lease(offer(learned, page, link)) };
        learned.judge(&lease, &mut rng()).decision
    };
    let other = |number: u32| triple(&format!("http://a.example/get/x{number}"), "http://p.example/q");
    let dump = || triple("http://a.example/get/y", DUMP);
    let archive = |relevance, digest| RequestEnd::Document { relevance, media_type: Some("application/zip"), digest };

    let mut learned = deterministic();
    for number in 0..8 {
        train(&mut learned, page, other(number), archive(Relevance::Rdf, number.into()));
    }
    assert_eq!(decision(&mut learned, other(9), None), Decision::Fetch, "archives had RDF");

    let mut learned = deterministic();
    for number in 0..8 {
        train(&mut learned, page, other(number), archive(Relevance::None, number.into()));
    }
    assert_eq!(decision(&mut learned, other(9), None), Decision::Probe);
    assert_eq!(decision(&mut learned, dump(), zip()), Decision::Fetch);
    assert_eq!(decision(&mut learned, other(9), zip()), Decision::Skip);
}
