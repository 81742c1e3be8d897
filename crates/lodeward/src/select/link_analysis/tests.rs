//! Tests of link analysis.

#![expect(clippy::float_cmp, reason = "priorities are small whole numbers, and shares are computed alike")]

use lodeward_markup::links::PageLink;
use rand::SeedableRng;

use super::*;
use crate::frontier::LeaseToken;
use crate::select::RequestEnd;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn anchor(target: &str) -> Link {
    let html = PageLink { element: "a".to_owned(), ..PageLink::default() };
    Link { target: uri(target), via: LinkKind::Html(Box::new(html)) }
}

/// A strategy with its random number generator.
struct StrategyFixture {
    strategy: LinkAnalysisStrategy,
    rng: SmallRng,
}

impl StrategyFixture {
    fn of(strategy: LinkAnalysisStrategy) -> Self {
        Self { strategy, rng: SmallRng::seed_from_u64(0) }
    }

    fn offer(&mut self, source: &str, format: &str, link: Link) -> Offer {
        let source = uri(source);
        let found = LinkContext {
            source: Some(&source),
            lease: None,
            format,
            relevance: Relevance::None,
            depth: 1,
            redirects: 0,
        };
        self.strategy.offer_links(&found, vec![link], &mut self.rng).remove(0)
    }

    fn class(&mut self, source: &str, target: &str) -> Option<LinkClass> {
        predicted_class(&self.offer(source, "html", anchor(target)).entry().features)
    }

    fn redirect(&mut self, from: QueueEntry, target: &str) -> Offer {
        let source = from.target.clone();
        let lease = lease(from);
        let found = LinkContext {
            source: Some(&source),
            lease: Some(&lease),
            format: "",
            relevance: Relevance::None,
            depth: 1,
            redirects: 1,
        };
        let link = Link { target: uri(target), via: LinkKind::Redirect(303) };
        self.strategy.offer_links(&found, vec![link], &mut self.rng).remove(0)
    }

    fn end(&mut self, candidate: QueueEntry, relevance: Relevance, media_type: &str) {
        let end = RequestEnd::Document { relevance, media_type: Some(media_type), digest: 0 };
        self.strategy.learn(&RequestResult { lease: &lease(candidate), weight: 1.0, end });
    }
}

fn lease(entry: QueueEntry) -> Lease {
    Lease { token: LeaseToken::default(), entry, attempt: 0, probe: None, verdict: None }
}

fn queued(offer: Offer) -> QueueEntry {
    match offer {
        Offer::Queue(candidate) | Offer::Readmit(candidate) => candidate,
        Offer::Drop(candidate, reason) => panic!("{} was dropped: {reason:?}", candidate.target),
    }
}

fn strategy() -> LinkAnalysisStrategy {
    LinkAnalysisStrategy::untrained(RdfTermLists::built_in(), false)
}

#[test]
fn links_are_queued_by_class_and_n_is_dropped() {
    let mut crawl = StrategyFixture::of(strategy());

    let r = queued(crawl.offer("http://a.example/", "html", anchor("http://a.example/x.rdf")));
    let h = queued(crawl.offer("http://a.example/", "html", anchor("http://a.example/x.html")));
    let n = crawl.offer("http://a.example/", "html", anchor("http://a.example/x.zip"));

    assert_eq!((r.priority, h.priority), (3.0, 1.0));
    assert!(matches!(n, Offer::Drop(_, DropReason::LinkClass)));
}

#[test]
fn a_page_joins_s_hr_when_it_links_to_rdf() {
    let mut crawl = StrategyFixture::of(strategy());
    let below = |crawl: &mut StrategyFixture| {
        queued(crawl.offer("http://a.example/staffs/staff1", "html", anchor("http://a.example/1.rdf")))
    };
    assert_eq!(crawl.class("http://a.example/", "http://a.example/staffs/staff2"), Some(LinkClass::H));
    let without_rdf = below(&mut crawl);
    crawl.end(without_rdf, Relevance::None, "application/rdf+xml");
    assert_eq!(crawl.class("http://a.example/", "http://a.example/staffs/staff2"), Some(LinkClass::H));

    let rdf = below(&mut crawl);
    crawl.end(rdf, Relevance::Rdf, "application/rdf+xml");

    let similar = crawl.offer("http://a.example/", "html", anchor("http://a.example/staffs/staff2"));
    assert_eq!(predicted_class(&similar.entry().features), Some(LinkClass::Hr));
    assert!(fired_heuristics(&similar.entry().features).contains(&Heuristic::Similar));
    assert_eq!(queued(similar).priority, 2.0);
    assert_eq!(crawl.class("http://a.example/", "http://a.example/about.html"), Some(LinkClass::H));
}

#[test]
fn links_found_in_rdf_do_not_extend_s_hr() {
    let mut crawl = StrategyFixture::of(strategy());
    let found = crawl.offer("http://a.example/x/1", "turtle", anchor("http://a.example/1.rdf"));

    crawl.end(queued(found), Relevance::Rdf, "application/rdf+xml");

    assert_eq!(crawl.class("http://a.example/", "http://a.example/x/2"), Some(LinkClass::H));
}

#[test]
fn embedded_rdf_extends_s_hr_only_on_request() {
    for (embedded, expected) in [(false, LinkClass::H), (true, LinkClass::Hr)] {
        let mut crawl = StrategyFixture::of(LinkAnalysisStrategy { embedded, ..strategy() });
        let found = crawl.offer("http://a.example/", "html", anchor("http://a.example/shop/1"));

        crawl.end(queued(found), Relevance::Rdf, "text/html; charset=utf-8");

        assert_eq!(crawl.class("http://a.example/", "http://a.example/shop/2"), Some(expected));
    }
}

#[test]
fn the_parent_of_a_redirect_target_is_the_page_with_the_link() {
    let mut crawl = StrategyFixture::of(strategy());
    let found = queued(crawl.offer("http://a.example/page/1", "html", anchor("http://a.example/id/1")));
    let between = queued(crawl.redirect(found, "http://b.example/hop"));
    let end = queued(crawl.redirect(between, "http://b.example/data/1.rdf"));
    assert_eq!(predicted_class(&end.features), Some(LinkClass::R), "by its own extension");

    crawl.end(end, Relevance::Rdf, "application/rdf+xml");

    assert_eq!(crawl.class("http://a.example/", "http://a.example/page/2"), Some(LinkClass::Hr));
    assert_eq!(crawl.class("http://a.example/", "http://b.example/hop2"), Some(LinkClass::H));
}

#[test]
fn a_redirect_keeps_its_class_and_is_never_dropped() {
    let mut crawl = StrategyFixture::of(strategy());
    let found = queued(crawl.offer("http://a.example/", "html", anchor("http://a.example/x.rdf")));

    let end = queued(crawl.redirect(found, "http://a.example/files/x.xml"));

    assert_eq!(predicted_class(&end.features), Some(LinkClass::R));
    assert!(fired_heuristics(&end.features).contains(&Heuristic::Extension));
}

#[test]
fn seeds_come_first_and_have_no_class() {
    let mut crawl = StrategyFixture::of(strategy());
    let seed = Link { target: uri("http://a.example/x.zip"), via: LinkKind::Seed };
    let seed = queued(crawl.offer("http://a.example/", "", seed));
    assert_eq!((predicted_class(&seed.features), seed.priority), (None, 4.0));

    let end = queued(crawl.redirect(seed, "http://a.example/y.zip"));

    assert_eq!((predicted_class(&end.features), end.priority), (None, 4.0));
}

#[test]
fn a_verdict_has_the_class_and_the_heuristics_that_fired() {
    let mut crawl = StrategyFixture::of(strategy());
    let found = queued(crawl.offer("http://a.example/", "html", anchor("http://a.example/rdf/x.nt")));

    let Judgement { decision, verdict } = crawl.strategy.judge(&lease(found.clone()), &mut crawl.rng);

    let verdict = verdict.unwrap();
    let mut fired: Vec<_> =
        verdict.reasons[1..].iter().map(|(number, _)| Heuristic::from_number(*number).unwrap()).collect();
    fired.sort_unstable();
    assert_eq!((decision, verdict.action), (Decision::Fetch, VerdictAction::Predicted));
    assert_eq!(fired, [Heuristic::PathTerm, Heuristic::Extension]);
    let class = crawl.strategy.feature_name(verdict.reasons[0].0);
    assert_eq!(class, Some("predicted class R: an RDF document"));
    assert_eq!(verdict.score, 0.5, "without data");
    crawl.end(found.clone(), Relevance::Rdf, "text/turtle");
    assert_eq!(crawl.strategy.explain(&found).unwrap().score, 2.0 / 3.0);
}

#[test]
fn a_saved_model_is_restored_and_older_ones_are_rejected() {
    let mut crawl = StrategyFixture::of(strategy());
    let rdf = queued(crawl.offer("http://a.example/staffs/1", "html", anchor("http://a.example/1.rdf")));
    crawl.end(rdf, Relevance::Rdf, "text/turtle");
    let saved = crawl.strategy.save().unwrap();

    let mut again = StrategyFixture::of(strategy().resume(&saved).unwrap());

    assert_eq!(again.class("http://a.example/", "http://a.example/staffs/2"), Some(LinkClass::Hr));
    assert_eq!(again.strategy.tally, crawl.strategy.tally);
    assert!(strategy().resume(b"nonsense").is_err());
    assert!(strategy().resume(&model_file::pack("ldcoc", &[])).is_err());
    let error = strategy().resume(&model_file::pack("links", &[])).unwrap_err().to_string();
    assert_eq!(error, "this is a model of strategy `links`, expected `link-analysis`");
}

#[test]
fn pages_are_distinguished_from_rdf_documents() {
    let check = |target: &str, media_type: Option<&str>, expected| {
        assert_eq!(is_page(&uri(target), media_type), expected, "{target} {media_type:?}");
    };

    check("http://a.example/x", Some("text/html"), true);
    check("http://a.example/x", Some("application/xhtml+xml"), true);
    check("http://a.example/x.rdf", Some("text/html"), false);
    check("http://a.example/x", Some("text/turtle"), false);
    check("http://a.example/x", Some("text/xml"), false);
    check("http://a.example/x.html", None, true);
    check("http://a.example/x", None, false);
}
