//! Figures of a small web, checked against manual calculations.

use lodeward::select::BreadthFirstStrategy;
use lodeward_eval::metrics::TrialFigures;
use lodeward_eval::web::{GoldClass, GoldLabel};
use lodeward_eval::{EvalBaseline, ReachablePages, Trial, TrialStart, WebGraph, oracle, run};

use crate::small_web::{load, requests};

fn from_seeds() -> Trial {
    Trial { start: TrialStart::Seeds, ..Trial::default() }
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn a_web_is_loaded_with_labels_and_links() {
    let web = load();
    let find = |uri: &str| web.find(&lodeward::model::Uri::parse(uri).unwrap());

    let three = web.page(find("http://a.example/3.html").unwrap());
    assert_eq!((three.label, three.is_hard, three.class, three.format), (GoldLabel::Rdf, true, GoldClass::Hr, "html"));
    let one = find("http://a.example/1.ttl").unwrap();
    assert_eq!(web.page(one).status, 200, "not the variant for browsers");
    let y = find("http://b.example/y").unwrap();
    let targets: Vec<&str> = web.targets(y).map(|(target, _)| web.page(target).uri.path()).collect();
    assert_eq!(targets, ["/secret.ttl", "/z", "/far"], "neither the picture nor the page that is not recorded");
    assert_eq!((web.links(y).len(), web.links_including_unrecorded(y).len(), web.unrecorded_link_count()), (3, 4, 1));
    assert_eq!(web.seeds.len(), 1, "seeds that are not recorded are ignored");
    assert_eq!(find("http://out.example/"), None);
}

#[test]
fn reachable_pages_are_counted() {
    let web = load();
    let reach = |trial: &Trial| WebGraph::new(&web, trial).count_reachable();

    let expected = ReachablePages { documents: 8, rdf: 4, hard: 5, hard_rdf: 1, urls: 10 };
    assert_eq!(reach(&from_seeds()), expected);
    let without_robots = Trial { obeys_robots: false, ..from_seeds() };
    assert_eq!(reach(&without_robots), ReachablePages { documents: 9, rdf: 5, urls: 11, ..expected });
    let capped = Trial { max_documents_per_domain: Some(2), ..from_seeds() };
    assert_eq!(reach(&capped), ReachablePages { documents: 4, rdf: 3, hard: 4, hard_rdf: 1, urls: 10 });
}

#[test]
fn the_oracle_prefers_rdf_and_else_the_shortest_path() {
    let web = load();
    let ledger = oracle::crawl(&WebGraph::new(&web, &from_seeds()));

    let expected = ["Document a/", "Document a/1.ttl", "Document b/x.ttl", "Document a/2", "Document a/3.html"];
    let expected = expected.into_iter().chain(["Redirect a/r", "Document a/4.ttl"]);
    assert_eq!(requests(&web, &ledger), expected.collect::<Vec<_>>());

    let capped = Trial { max_documents_per_domain: Some(2), ..from_seeds() };
    let ledger = oracle::crawl(&WebGraph::new(&web, &capped));
    assert_eq!(requests(&web, &ledger), ["Document a/", "Document a/1.ttl", "Document b/x.ttl"]);
}

#[test]
fn the_figures_of_a_breadth_first_crawl_match_a_manual_calculation() {
    let web = load();
    let trial = from_seeds();
    let ledger = run(&web, &trial, Box::new(BreadthFirstStrategy)).unwrap();
    let baseline = EvalBaseline::new(&web, &trial);

    // Domains alternate as soon as b is known from 1.ttl; the first request to b is for robots.txt, which
    // costs nothing.
    let expected = [
        "Document a/",
        "Document a/1.ttl",
        "Document a/2",
        "Redirect a/r",
        "Document b/x.ttl",
        "Document a/4.ttl",
        "Document b/y",
        "Document a/3.html",
        "Document b/z",
        "Redirect b/far",
    ];
    assert_eq!(requests(&web, &ledger), expected);
    assert_eq!((ledger.robots, ledger.placed), (2, 11));
    near(ledger.cost(), 10.0);

    // RDF after 2, 5, 6 and 8 of 8 requests; the oracle after 2, 3, 5 and 7.
    let figures = TrialFigures::from_ledger(&baseline, &ledger, &[4.0, 8.0]);
    near(figures.auc, (6.0 + 3.0 + 2.0) / (6.0 + 5.0 + 3.0 + 1.0));
    // Host a has three RDF documents, b one: the mean of both recalls, over 8 requests.
    near(figures.auc_by_host, ((6.0 + 2.0) / 3.0 + 3.0) / (8.0 * 2.0));
    let [half, whole] = [figures.budgets[0], figures.budgets[1]];
    near(half.counts.share(), 1.0 / 3.0);
    near(half.counts.hard_share(), 0.0);
    near(half.recall, 1.0 / 4.0);
    near(half.share_by_host, 1.0 / 3.0);
    near(half.recall_by_host, f64::midpoint(1.0 / 3.0, 0.0));
    near(whole.counts.share(), 4.0 / 7.0);
    near(whole.counts.hard_share(), 1.0 / 4.0);
    near(whole.share_by_host, f64::midpoint(3.0 / 5.0, 1.0 / 2.0));
    near(whole.hard_share_by_host, f64::midpoint(1.0 / 3.0, 0.0));
    near(figures.end.counts.hard_share(), 1.0 / 5.0);
    near(figures.end.counts.hard_share_with_og(), 2.0 / 5.0);
    near(figures.end.recall, 1.0);
    // One of three hard documents of a has RDF, none of three of b.
    near(figures.end.mixed.hard_share(), 1.0 / 3.0);
    near(figures.end.mixed_recall, 1.0);
    assert_eq!((figures.redirects, figures.heads, figures.misses), (2, 0, 0));
    near(figures.curve[100], 0.25);
}
