//! Figures that can be worked out on paper.

use lodeward::select::BreadthFirst;
use lodeward_eval::metrics::Figures;
use lodeward_eval::web::{Class, Label};
use lodeward_eval::{Graph, Ground, Reach, Start, Trial, oracle, run};

use crate::small_web::{load, requests};

fn from_seeds() -> Trial {
    Trial { start: Start::Seeds, ..Trial::default() }
}

fn near(value: f64, expected: f64) {
    assert!((value - expected).abs() < 1e-9, "{value} is not {expected}");
}

#[test]
fn a_web_is_read_with_its_labels_and_its_links() {
    let web = load();
    let find = |uri: &str| web.find(&lodeward::model::Uri::parse(uri).unwrap());

    let three = web.page(find("http://a.example/3.html").unwrap());
    assert_eq!((three.label, three.is_hard, three.class, three.syntax), (Label::Rdf, true, Class::Hr, "html"));
    let one = find("http://a.example/1.ttl").unwrap();
    assert_eq!(web.page(one).status, 200, "not what browsers are answered");
    let y = find("http://b.example/y").unwrap();
    let targets: Vec<&str> = web.targets(y).map(|(target, _)| web.page(target).uri.path()).collect();
    assert_eq!(targets, ["/secret.ttl", "/z", "/far"], "no picture, and nothing that is not recorded");
    assert_eq!((web.links(y).len(), web.links_and_misses(y).len(), web.misses()), (3, 4, 1));
    assert_eq!(web.seeds.len(), 1, "only recorded seeds");
    assert_eq!(find("http://out.example/"), None);
}

#[test]
fn what_can_be_reached_is_counted() {
    let web = load();
    let reach = |trial: &Trial| Graph::new(&web, trial).reach();

    let expected = Reach { documents: 8, rdf: 4, hard: 5, hard_rdf: 1, addresses: 10 };
    assert_eq!(reach(&from_seeds()), expected);
    let lawless = Trial { obeys_robots: false, ..from_seeds() };
    assert_eq!(reach(&lawless), Reach { documents: 9, rdf: 5, addresses: 11, ..expected });
    let capped = Trial { documents_per_pld_max: Some(2), ..from_seeds() };
    assert_eq!(reach(&capped), Reach { documents: 4, rdf: 3, hard: 4, hard_rdf: 1, addresses: 10 });
}

#[test]
fn the_oracle_takes_rdf_first_and_else_the_shortest_way() {
    let web = load();
    let ledger = oracle::crawl(&Graph::new(&web, &from_seeds()));

    let expected = ["Document a/", "Document a/1.ttl", "Document b/x.ttl", "Document a/2", "Document a/3.html"];
    let expected = expected.into_iter().chain(["Redirect a/r", "Document a/4.ttl"]);
    assert_eq!(requests(&web, &ledger), expected.collect::<Vec<_>>());

    let capped = Trial { documents_per_pld_max: Some(2), ..from_seeds() };
    let ledger = oracle::crawl(&Graph::new(&web, &capped));
    assert_eq!(requests(&web, &ledger), ["Document a/", "Document a/1.ttl", "Document b/x.ttl"]);
}

#[test]
fn the_figures_of_a_breadth_first_crawl_are_as_on_paper() {
    let web = load();
    let trial = from_seeds();
    let ledger = run(&web, &trial, Box::new(BreadthFirst)).unwrap();
    let ground = Ground::new(&web, &trial);

    // One domain after the other, as soon as b is known, by 1.ttl; but its first
    // turn is its robots.txt's, which is free.
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

    // RDF after 2, 5, 6 and 8 requests of 8; the oracle's after 2, 3, 5 and 7.
    let figures = Figures::of(&ground, &ledger, &[4.0, 8.0]);
    near(figures.auc, (6.0 + 3.0 + 2.0) / (6.0 + 5.0 + 3.0 + 1.0));
    // Host a has three of them, b one: the mean of both recalls, over 8 requests.
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
    // Of a's hard documents one in three holds RDF, of b's none of three.
    near(figures.end.mixed.hard_share(), 1.0 / 3.0);
    near(figures.end.mixed_recall, 1.0);
    assert_eq!((figures.redirects, figures.heads, figures.misses), (2, 0, 0));
    near(figures.curve[100], 0.25);
}
