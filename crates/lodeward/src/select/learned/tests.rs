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
    Learned::new(Options { noise: 0.0, bits: 16, ..Options::default() })
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
fn a_redirect_to_what_is_known_is_no_success_and_one_to_something_new_is_as_good_as_its_end() {
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

    assert!(redirected(true) > 0.7, "{}", redirected(true));
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
