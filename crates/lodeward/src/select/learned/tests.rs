use rand::SeedableRng;

use super::*;
use crate::model::link::HtmlLink;
use crate::model::{How, Relevance, Uri, Via};

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn anchor(target: &str, text: &str) -> Link {
    let html = HtmlLink { element: "a".to_owned(), text: text.to_owned(), ..HtmlLink::default() };
    Link { target: uri(target), via: Via::Html(Box::new(html)) }
}

fn rng() -> SmallRng {
    SmallRng::seed_from_u64(1)
}

/// A strategy without chance.
fn calm() -> Learned {
    let options = Options { noise: 0.0, breadth: 0.0, bits: 16, names_max: 1_000, ..Options::default() };
    Learned::new(options, None).unwrap()
}

/// Places one link of a page.
fn place(learned: &mut Learned, page: &str, link: Link) -> Candidate {
    let source = uri(page);
    let found = Found {
        source: Some(&source),
        visit: None,
        syntax: "html",
        relevance: Relevance::None,
        depth: 1,
        redirects: 0,
    };
    match learned.place(&found, vec![link], &mut rng()).remove(0) {
        Offer::Queue(candidate) | Offer::Drop(candidate, _) => candidate,
    }
}

fn visit(candidate: Candidate) -> Visit {
    Visit { lease: 0, candidate, attempt: 0, probe: None, verdict: None }
}

fn document(relevance: Relevance, digest: u64) -> End<'static> {
    End::Document { relevance, media_type: Some("text/html"), digest }
}

/// Visits one link and learns how that ended.
fn live(learned: &mut Learned, page: &str, link: Link, end: End<'_>) {
    let visit = visit(place(learned, page, link));
    learned.learn(&Lesson { visit: &visit, weight: 1.0, end });
}

fn score(learned: &mut Learned, page: &str, link: Link) -> f32 {
    let candidate = place(learned, page, link);
    learned.score(&candidate, &mut rng())
}

#[test]
fn what_a_directory_yields_is_expected_of_its_other_documents() {
    let mut learned = calm();
    for number in 1..12 {
        let data = anchor(&format!("http://a.example/data/x{number}"), "more");
        live(&mut learned, "http://a.example/", data, document(Relevance::Rdf, number));
        let blog = anchor(&format!("http://a.example/blog/x{number}"), "more");
        live(&mut learned, "http://a.example/", blog, document(Relevance::None, 100 + number));
    }

    let data = score(&mut learned, "http://a.example/", anchor("http://a.example/data/y", "more"));
    let blog = score(&mut learned, "http://a.example/", anchor("http://a.example/blog/y", "more"));

    assert!(data > 0.8 && blog < 0.2, "{data} {blog}");
}

#[test]
fn words_around_links_speak_for_hosts_never_seen() {
    let mut learned = calm();
    for number in 0..30_u64 {
        let page = format!("http://h{number}.example/");
        let data = anchor(&format!("http://h{number}.example/a"), "download turtle");
        live(&mut learned, &page, data, document(Relevance::Rdf, 2 * number + 1));
        let about = anchor(&format!("http://h{number}.example/b"), "about us");
        live(&mut learned, &page, about, document(Relevance::None, 2 * number + 2));
    }

    let data = score(&mut learned, "http://new.example/", anchor("http://new.example/c", "download turtle"));
    let about = score(&mut learned, "http://new.example/", anchor("http://new.example/c", "about us"));

    assert!(data > about + 0.2, "{data} {about}");
}

#[test]
fn a_redirect_to_what_is_known_is_no_success_and_one_to_something_new_is_half_of_one() {
    let redirected = |is_new: bool| {
        let mut learned = calm();
        for number in 1..12 {
            let term = format!("http://ns.example/term{number}");
            let end = uri(&format!("http://ns.example/doc{number}.ttl"));
            live(&mut learned, "http://a.example/", anchor(&term, ""), End::Redirect { target: &end, is_new });
            let document = document(Relevance::Rdf, number);
            if is_new {
                live(&mut learned, &term, anchor(end.as_str(), ""), document);
            }
        }
        score(&mut learned, "http://a.example/", anchor("http://ns.example/term99", ""))
    };

    assert!((0.4..0.7).contains(&redirected(true)), "{}", redirected(true));
    assert!(redirected(false) < 0.2, "{}", redirected(false));
}

#[test]
fn a_copy_of_what_is_held_is_no_success() {
    let after = |digest: fn(u64) -> u64| {
        let mut learned = calm();
        for number in 1..20 {
            let link = anchor(&format!("http://a.example/copy/{number}"), "");
            live(&mut learned, "http://a.example/", link, document(Relevance::Rdf, digest(number)));
        }
        score(&mut learned, "http://a.example/", anchor("http://a.example/copy/99", ""))
    };

    assert!(after(|number| number) > 0.8);
    assert!(after(|_| 7) < 0.4);
}

#[test]
fn a_seed_is_visited_before_anything_that_was_found() {
    let mut learned = calm();
    let found = Found { source: None, visit: None, syntax: "", relevance: Relevance::None, depth: 0, redirects: 0 };
    let seed = Link { target: uri("http://seed.example/"), via: Via::Seed };
    let placed = learned.place(&found, vec![seed], &mut rng()).remove(0);
    let other = place(&mut learned, "http://a.example/", anchor("http://a.example/x.ttl", "turtle"));

    assert_eq!(placed.candidate().how, How::Seed);
    assert!(placed.candidate().priority > other.priority);
    assert!(learned.score(placed.candidate(), &mut rng()) > other.priority);
}

#[test]
fn features_of_another_making_are_survived() {
    let mut learned = calm();
    let mut candidate = place(&mut learned, "http://a.example/", anchor("http://a.example/x", ""));
    for features in [vec![], vec![1; 9], vec![1; 10], vec![7; 12]] {
        candidate.features = Features(features);
        assert!(learned.score(&candidate, &mut rng()).is_finite());
        let visit = visit(candidate.clone());
        learned.learn(&Lesson { visit: &visit, weight: 1.0, end: End::Failure });
    }
}

#[test]
fn what_was_learned_is_kept_and_goes_on() {
    let mut learned = calm();
    for number in 1..12 {
        let link = anchor(&format!("http://a.example/data/x{number}"), "more data");
        live(&mut learned, "http://a.example/", link, document(Relevance::Rdf, number));
    }
    let kept = learned.save().unwrap();
    let mut again = Learned::new(learned.options, Some(&kept)).unwrap();
    let link = || anchor("http://a.example/data/y", "more data");

    assert_eq!(again.save().unwrap(), kept);
    let (before, after) =
        (score(&mut learned, "http://a.example/", link()), score(&mut again, "http://a.example/", link()));
    assert!((before - after).abs() < 1e-6, "{before} {after}");
    for cut in [0, 20, kept.len() / 2, kept.len() - 1] {
        assert!(Learned::new(learned.options, Some(&kept[..cut])).is_err(), "cut at {cut}");
    }
}

#[test]
fn a_score_is_told_by_its_reasons_in_words() {
    let mut learned = calm();
    for number in 1..30 {
        let link = anchor(&format!("http://a.example/data/x{number}"), "turtle");
        live(&mut learned, "http://a.example/", link, document(Relevance::Rdf, number));
    }
    let candidate = place(&mut learned, "http://a.example/", anchor("http://a.example/data/y", "turtle"));

    let verdict = learned.explain(&candidate).unwrap();

    assert!(verdict.score > 0.8);
    let words: Vec<&str> = verdict.reasons.iter().filter_map(|(number, _)| learned.name_of(*number)).collect();
    assert!(words.contains(&"how its domain has done"), "{words:?}");
    assert!(verdict.reasons.iter().all(|(_, weight)| *weight > 0.0), "{:?}", verdict.reasons);
}

#[test]
fn the_media_type_is_asked_for_only_where_documents_have_often_been_barren() {
    let mut learned = calm();
    let judged = |learned: &mut Learned, number: u64| {
        let link = anchor(&format!("http://a.example/files/{number}"), "");
        let visit = visit(place(learned, "http://a.example/", link));
        learned.judge(&visit, &mut rng()).decision
    };
    assert_eq!(judged(&mut learned, 0), Decision::Fetch);
    for number in 1..10 {
        let link = anchor(&format!("http://a.example/files/{number}"), "");
        let end = End::Document { relevance: Relevance::None, media_type: Some("image/png"), digest: number };
        live(&mut learned, "http://a.example/", link, end);
    }

    assert_eq!(judged(&mut learned, 99), Decision::Probe);
}

#[test]
fn what_is_shipped_says_nothing_of_any_host() {
    assert!(prior::is_of_no_host(prior::SHIPPED));
    Learned::with_prior(Options::default()).unwrap();
}

#[test]
fn a_prior_is_of_what_several_domains_have_in_common() {
    let mut learned = calm();
    let domains: Vec<crate::model::Pld> =
        (0..6).map(|n| crate::model::Pld::of_host(&format!("h{n}.example"))).collect();
    let mut visited = Vec::new();
    for (number, pld) in (0_u64..).zip(&domains) {
        for (word, is_rdf) in [("turtle", true), ("about", false)] {
            let link = anchor(&format!("http://{pld}/{word}{number}"), word);
            visited.push((place(&mut learned, &format!("http://{pld}/"), link).features, pld, is_rdf));
        }
    }
    let examples: Vec<prior::Example<'_>> =
        visited.iter().map(|(features, pld, is_rdf)| prior::Example { features, pld, is_rdf: *is_rdf }).collect();

    let prior = prior::train(&examples, &learned.save().unwrap()).unwrap();

    assert!(prior::is_of_no_host(&prior));
    let mut fresh = Learned::new(learned.options, Some(&prior)).unwrap();
    let turtle = score(&mut fresh, "http://new.example/", anchor("http://new.example/x", "turtle"));
    let about = score(&mut fresh, "http://new.example/", anchor("http://new.example/x", "about"));
    assert!(turtle > about + 0.1, "{turtle} {about}");
}

fn told(target: &str, property: &str) -> Link {
    let via = Via::Triple {
        properties: vec![property.into()],
        vocabulary: false,
        siblings: Vec::new(),
        telling: (crate::discover::promise::plainness(property) > 0).then(|| property.into()),
    };
    Link { target: uri(target), via }
}

const DUMP: &str = "http://rdfs.org/ns/void#dataDump";

#[test]
fn what_is_promised_comes_first_until_promises_are_broken() {
    let mut learned = calm();
    let page = "http://a.example/";
    let unknown = |learned: &mut Learned| score(learned, page, told("http://b.example/y", "http://p.example/q"));
    let promised = |learned: &mut Learned, host: &str| score(learned, page, told(&format!("http://{host}/y"), DUMP));

    assert!(promised(&mut learned, "b.example") > unknown(&mut learned) + 0.3);

    for number in 0..12 {
        let broken = told(&format!("http://b.example/x{number}"), DUMP);
        live(&mut learned, page, broken, document(Relevance::None, number));
    }

    let (broken, other) = (promised(&mut learned, "b.example"), promised(&mut learned, "c.example"));
    assert!(broken < 0.3, "{broken}");
    assert!(broken < other, "{broken} {other}");
}

#[test]
fn a_link_without_a_promise_is_as_it_was() {
    let mut learned = calm();
    let plain = place(&mut learned, "http://a.example/", told("http://b.example/y", "http://p.example/q"));
    let before = learned.score(&plain, &mut rng());
    let evidence = Evidence::of(&plain.features).unwrap();

    assert_eq!(learned.observer.promise(evidence), None);
    assert_eq!(plain.how, How::Triple("http://p.example/q".to_owned()));
    for number in 0..9 {
        // Nothing but the trust in promises has changed.
        let kept = place(&mut learned, "http://a.example/", told(&format!("http://b.example/{number}"), DUMP));
        let evidence = Evidence::of(&kept.features).unwrap();
        learned.promises.learn(Promise::Dump, evidence, false);
    }
    assert_eq!(learned.score(&plain, &mut rng()).to_bits(), before.to_bits());
}

#[test]
fn a_promise_is_told_and_outlives_a_redirect() {
    let mut learned = calm();
    let led = visit(place(&mut learned, "http://a.example/", told("http://b.example/latest", DUMP)));
    assert_eq!(led.candidate.how.to_string(), format!("in a triple with <{DUMP}>, promised: dump"));
    let verdict = learned.explain(&led.candidate).unwrap();
    let names: Vec<_> = verdict.reasons.iter().filter_map(|(feature, _)| learned.name_of(*feature)).collect();
    assert!(names.contains(&"promised: dump"), "{names:?}");

    let found = Found {
        source: Some(&led.candidate.target),
        visit: Some(&led),
        syntax: "",
        relevance: Relevance::None,
        depth: 1,
        redirects: 1,
    };
    let redirect = Link { target: uri("http://b.example/2026/files/7"), via: Via::Redirect(302) };
    let offer = learned.place(&found, vec![redirect], &mut rng()).remove(0);

    let evidence = Evidence::of(&offer.candidate().features).unwrap();
    assert_eq!(learned.observer.promise(evidence), Some(Promise::Dump));
    assert_eq!(offer.candidate().how, How::Redirect(302));
}

#[test]
fn archives_are_asked_for_until_they_have_often_held_nothing_and_dumps_even_then() {
    let page = "http://a.example/";
    let zip = || Some(Probe { status: 200, media_type: Some("application/zip".to_owned()), location: None });
    let decision = |learned: &mut Learned, link: Link, probe: Option<Probe>| {
        let visit = Visit { probe, ..visit(place(learned, page, link)) };
        learned.judge(&visit, &mut rng()).decision
    };
    let other = |number: u32| told(&format!("http://a.example/get/x{number}"), "http://p.example/q");
    let dump = || told("http://a.example/get/y", DUMP);
    let archive = |relevance, digest| End::Document { relevance, media_type: Some("application/zip"), digest };

    let mut learned = calm();
    for number in 0..8 {
        live(&mut learned, page, other(number), archive(Relevance::Rdf, number.into()));
    }
    assert_eq!(decision(&mut learned, other(9), None), Decision::Fetch, "they have held RDF");

    let mut learned = calm();
    for number in 0..8 {
        live(&mut learned, page, other(number), archive(Relevance::None, number.into()));
    }
    assert_eq!(decision(&mut learned, other(9), None), Decision::Probe);
    assert_eq!(decision(&mut learned, dump(), zip()), Decision::Fetch);
    assert_eq!(decision(&mut learned, other(9), zip()), Decision::Skip);
}
