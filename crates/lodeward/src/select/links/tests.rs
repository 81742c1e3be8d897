#![expect(clippy::float_cmp, reason = "priorities are small whole numbers, and shares are computed alike")]

use rand::SeedableRng;

use super::*;
use crate::model::link::HtmlLink;
use crate::select::End;

fn uri(text: &str) -> Uri {
    Uri::parse(text).unwrap()
}

fn anchor(target: &str) -> Link {
    let html = HtmlLink { element: "a".to_owned(), ..HtmlLink::default() };
    Link { target: uri(target), via: Via::Html(Box::new(html)) }
}

/// A strategy at work on one page after the other.
struct Crawl {
    strategy: LinkAnalysis,
    rng: SmallRng,
}

impl Crawl {
    fn of(strategy: LinkAnalysis) -> Self {
        Self { strategy, rng: SmallRng::seed_from_u64(0) }
    }

    fn place(&mut self, source: &str, syntax: &str, link: Link) -> Offer {
        let source = uri(source);
        let found =
            Found { source: Some(&source), visit: None, syntax, relevance: Relevance::None, depth: 1, redirects: 0 };
        self.strategy.place(&found, vec![link], &mut self.rng).remove(0)
    }

    fn class(&mut self, source: &str, target: &str) -> Option<Class> {
        class_of(&self.place(source, "html", anchor(target)).candidate().features)
    }

    fn redirect(&mut self, from: Candidate, target: &str) -> Offer {
        let source = from.target.clone();
        let visit = visit(from);
        let found = Found {
            source: Some(&source),
            visit: Some(&visit),
            syntax: "",
            relevance: Relevance::None,
            depth: 1,
            redirects: 1,
        };
        let link = Link { target: uri(target), via: Via::Redirect(303) };
        self.strategy.place(&found, vec![link], &mut self.rng).remove(0)
    }

    fn end(&mut self, candidate: Candidate, relevance: Relevance, media_type: &str) {
        let end = End::Document { relevance, media_type: Some(media_type), digest: 0 };
        self.strategy.learn(&Lesson { visit: &visit(candidate), weight: 1.0, end });
    }
}

fn visit(candidate: Candidate) -> Visit {
    Visit { lease: 0, candidate, attempt: 0, probe: None, verdict: None }
}

fn queued(offer: Offer) -> Candidate {
    match offer {
        Offer::Queue(candidate) => candidate,
        Offer::Drop(candidate, reason) => panic!("{} was dropped: {reason:?}", candidate.target),
    }
}

fn links() -> LinkAnalysis {
    LinkAnalysis::new(Lists::built_in())
}

#[test]
fn links_are_queued_by_class_and_n_is_dropped() {
    let mut crawl = Crawl::of(links());

    let r = queued(crawl.place("http://a.example/", "html", anchor("http://a.example/x.rdf")));
    let h = queued(crawl.place("http://a.example/", "html", anchor("http://a.example/x.html")));
    let n = crawl.place("http://a.example/", "html", anchor("http://a.example/x.zip"));

    assert_eq!((r.priority, h.priority), (3.0, 1.0));
    assert!(matches!(n, Offer::Drop(_, DropReason::LinkClass)));
}

#[test]
fn a_page_joins_s_hr_when_rdf_is_found_below_it() {
    let mut crawl = Crawl::of(links());
    let below = |crawl: &mut Crawl| {
        queued(crawl.place("http://a.example/staffs/staff1", "html", anchor("http://a.example/1.rdf")))
    };
    assert_eq!(crawl.class("http://a.example/", "http://a.example/staffs/staff2"), Some(Class::H));
    let nothing = below(&mut crawl);
    crawl.end(nothing, Relevance::None, "application/rdf+xml");
    assert_eq!(crawl.class("http://a.example/", "http://a.example/staffs/staff2"), Some(Class::H));

    let rdf = below(&mut crawl);
    crawl.end(rdf, Relevance::Rdf, "application/rdf+xml");

    let like = crawl.place("http://a.example/", "html", anchor("http://a.example/staffs/staff2"));
    assert_eq!(class_of(&like.candidate().features), Some(Class::Hr));
    assert!(heuristics_of(&like.candidate().features).has(Heuristic::Similar));
    assert_eq!(queued(like).priority, 2.0);
    assert_eq!(crawl.class("http://a.example/", "http://a.example/about.html"), Some(Class::H));
}

#[test]
fn what_was_found_in_rdf_teaches_nothing_about_pages() {
    let mut crawl = Crawl::of(links());
    let found = crawl.place("http://a.example/x/1", "turtle", anchor("http://a.example/1.rdf"));

    crawl.end(queued(found), Relevance::Rdf, "application/rdf+xml");

    assert_eq!(crawl.class("http://a.example/", "http://a.example/x/2"), Some(Class::H));
}

#[test]
fn only_the_repaired_s_hr_learns_from_embedded_rdf() {
    for (embedded, expected) in [(false, Class::H), (true, Class::Hr)] {
        let mut crawl = Crawl::of(links().embedded(embedded));
        let found = crawl.place("http://a.example/", "html", anchor("http://a.example/shop/1"));

        crawl.end(queued(found), Relevance::Rdf, "text/html; charset=utf-8");

        assert_eq!(crawl.class("http://a.example/", "http://a.example/shop/2"), Some(expected));
    }
}

#[test]
fn a_redirect_is_passed_through_to_the_page_before_it() {
    let mut crawl = Crawl::of(links());
    let found = queued(crawl.place("http://a.example/page/1", "html", anchor("http://a.example/id/1")));
    let between = queued(crawl.redirect(found, "http://b.example/hop"));
    let end = queued(crawl.redirect(between, "http://b.example/data/1.rdf"));
    assert_eq!(class_of(&end.features), Some(Class::R), "its own extension speaks for it");

    crawl.end(end, Relevance::Rdf, "application/rdf+xml");

    assert_eq!(crawl.class("http://a.example/", "http://a.example/page/2"), Some(Class::Hr));
    assert_eq!(crawl.class("http://a.example/", "http://b.example/hop2"), Some(Class::H));
}

#[test]
fn a_redirect_keeps_its_class_and_is_never_dropped() {
    let mut crawl = Crawl::of(links());
    let found = queued(crawl.place("http://a.example/", "html", anchor("http://a.example/x.rdf")));

    let end = queued(crawl.redirect(found, "http://a.example/files/x.xml"));

    assert_eq!(class_of(&end.features), Some(Class::R));
    assert!(heuristics_of(&end.features).has(Heuristic::Extension));
}

#[test]
fn seeds_come_first_and_have_no_class() {
    let mut crawl = Crawl::of(links());
    let seed = Link { target: uri("http://a.example/x.zip"), via: Via::Seed };
    let seed = queued(crawl.place("http://a.example/", "", seed));
    assert_eq!((class_of(&seed.features), seed.priority), (None, 4.0));

    let end = queued(crawl.redirect(seed, "http://a.example/y.zip"));

    assert_eq!((class_of(&end.features), end.priority), (None, 4.0));
}

#[test]
fn those_who_wait_rise_in_the_papers_single_queue() {
    for (strategy, priority) in [(links(), 1.0), (links().best_first(), 2.0)] {
        let mut crawl = Crawl::of(strategy);
        let waiting = queued(crawl.place("http://a.example/", "html", anchor("http://a.example/staffs/2")));
        let rdf = queued(crawl.place("http://a.example/staffs/1", "html", anchor("http://a.example/1.rdf")));

        crawl.end(rdf, Relevance::Rdf, "text/turtle");

        assert_eq!(crawl.strategy.score(&waiting, &mut crawl.rng), priority);
    }
}

#[test]
fn a_verdict_tells_which_heuristics_fired() {
    let mut crawl = Crawl::of(links());
    let found = queued(crawl.place("http://a.example/", "html", anchor("http://a.example/rdf/x.nt")));

    let Judgement { decision, verdict } = crawl.strategy.judge(&visit(found.clone()), &mut crawl.rng);

    let verdict = verdict.unwrap();
    let mut fired: Vec<_> = verdict.reasons.iter().map(|(number, _)| Heuristic::numbered(*number).unwrap()).collect();
    fired.sort_unstable();
    assert_eq!((decision, verdict.action), (Decision::Fetch, Action::Predicted));
    assert_eq!(fired, [Heuristic::PathTerm, Heuristic::Extension]);
    assert_eq!(verdict.score, 0.5, "nothing is known yet");
    crawl.end(found.clone(), Relevance::Rdf, "text/turtle");
    assert_eq!(crawl.strategy.explain(&found).unwrap().score, 2.0 / 3.0);
}

#[test]
fn what_was_learned_outlives_the_process() {
    let mut crawl = Crawl::of(links());
    let rdf = queued(crawl.place("http://a.example/staffs/1", "html", anchor("http://a.example/1.rdf")));
    crawl.end(rdf, Relevance::Rdf, "text/turtle");
    let kept = crawl.strategy.save().unwrap();

    let mut again = Crawl::of(links().resume(&kept).unwrap());

    assert_eq!(again.class("http://a.example/", "http://a.example/staffs/2"), Some(Class::Hr));
    assert_eq!(again.strategy.tally, crawl.strategy.tally);
    assert!(links().resume(b"nonsense").is_err());
    assert!(links().resume(&model_file::pack("ldcoc", &[])).is_err());
}

#[test]
fn pages_are_told_from_rdf_documents() {
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
