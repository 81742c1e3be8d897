//! What every trial keeps to.

use std::collections::HashSet;
use std::time::Duration;

use lodeward::engine::LinkKinds;
use lodeward::frontier::Offer;
use lodeward::model::{Link, Visit};
use lodeward::select::{Action, BreadthFirst, Decision, Found, Judgement, Lesson, Strategy, Verdict};
use lodeward_eval::metrics::{Calibration, Harvest};
use lodeward_eval::trial::Queue;
use lodeward_eval::{Kind, Ledger, Pace, Start, Trial, run};
use rand::rngs::SmallRng;

use crate::small_web::{load, requests};

/// Asks for the media type of everything first, and predicts RDF of everything
/// alike.
struct Prober(BreadthFirst);

impl Strategy for Prober {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.0.place(found, links, rng)
    }

    fn judge(&mut self, visit: &Visit, _: &mut SmallRng) -> Judgement {
        let decision = if visit.probe.is_some() { Decision::Fetch } else { Decision::Probe };
        let verdict = Verdict { action: Action::Predicted, score: 0.5, reasons: Vec::new() };
        Judgement { decision, verdict: Some(verdict) }
    }

    fn learn(&mut self, _: &Lesson<'_>) {}
}

fn breadth_first(trial: &Trial) -> Ledger {
    run(&load(), trial, Box::new(BreadthFirst)).unwrap()
}

/// A ledger without what a clock said.
fn timeless(ledger: Ledger) -> Ledger {
    Ledger { strategy_time: Duration::ZERO, ..ledger }
}

#[test]
fn a_probe_costs_a_fifth_unless_it_is_answered_by_a_redirect() {
    let web = load();
    let ledger = run(&web, &Trial::default(), Box::new(Prober(BreadthFirst))).unwrap();

    let [documents, heads, redirects] = [Kind::Document, Kind::Head, Kind::Redirect].map(|kind| ledger.count(kind));
    assert_eq!((documents, heads, redirects), (8, 8, 2));
    assert!((ledger.cost() - (8.0 + 8.0 * 0.2 + 2.0)).abs() < 1e-9);
    let calibration = Calibration::of(&web, &ledger).unwrap();
    assert_eq!((calibration.predictions, calibration.bins[5].rdf), (8, 4));
    assert!((calibration.brier - 0.25).abs() < 1e-9);
}

#[test]
fn a_trial_ends_when_its_budget_is_used_up() {
    for budget in [1.0, 3.0, 7.0] {
        let trial = Trial { budget: Some(budget), ..Trial::default() };
        assert!((breadth_first(&trial).cost() - budget).abs() < 1e-9);
        // As many are under way as there are domains, and still none too many.
        let polite = Trial { pace: Pace::POLITE, ..trial };
        assert!((breadth_first(&polite).cost() - budget).abs() < 1e-9);
    }
}

#[test]
fn the_same_seed_gives_the_same_ledger_in_memory_and_on_disk() {
    for pace in [Pace::AsFastAsPossible, Pace::POLITE] {
        let trial = Trial { seed: 3, pace, ..Trial::default() };
        let ledger = timeless(breadth_first(&trial));

        assert_eq!(timeless(breadth_first(&trial)), ledger);
        assert_eq!(timeless(breadth_first(&Trial { queue: Queue::Embedded, ..trial })), ledger);
    }
}

#[test]
fn what_nobody_recorded_costs_a_request_only_if_misses_count() {
    let web = load();
    let trial = Trial { counts_misses: true, ..Trial::default() };
    let ledger = breadth_first(&trial);

    // The link to out.example, and where b/far points.
    assert_eq!(ledger.count(Kind::Miss), 2);
    assert_eq!(ledger.count(Kind::Document), 8);
    assert!((ledger.cost() - 12.0).abs() < 1e-9);
    assert_eq!(Harvest::of(&web, &ledger).documents().len(), 8);
    assert_eq!(breadth_first(&Trial::default()).count(Kind::Miss), 0);
}

#[test]
fn a_universe_may_be_some_hosts_some_links_or_some_documents_each() {
    let web = load();
    let visited = |trial: &Trial| requests(&web, &breadth_first(trial));
    let seeds = Trial { start: Start::Seeds, ..Trial::default() };

    let alone = Trial { hosts: Some(HashSet::from(["a.example".to_owned()])), ..seeds.clone() };
    assert!(visited(&alone).iter().all(|request| request.contains(" a/")), "{:?}", visited(&alone));
    assert_eq!(visited(&alone).len(), 6);
    let rdf = Trial { links: LinkKinds::Rdf, ..seeds.clone() };
    assert_eq!(visited(&rdf), ["Document a/"]);
    let capped = Trial { documents_per_pld_max: Some(2), ..seeds.clone() };
    assert_eq!(visited(&capped), ["Document a/", "Document a/1.ttl", "Document b/x.ttl", "Document b/y"]);
    let lawless = Trial { obeys_robots: false, ..seeds };
    assert!(visited(&lawless).contains(&"Document b/secret.ttl".to_owned()));
}

#[test]
fn a_polite_trial_keeps_its_delay_in_virtual_time() {
    let web = load();
    let ledger = breadth_first(&Trial { pace: Pace::POLITE, ..Trial::default() });

    for host in ["a.example", "b.example"] {
        let of_host =
            ledger.steps.iter().filter(|step| step.page.is_some_and(|page| web.page(page).uri.host() == host));
        let moments: Vec<Duration> = of_host.map(|step| step.at).collect();
        assert!(moments.len() >= 4);
        // From the end of one answer to the next, which takes its own time.
        let apart = Duration::from_millis(1_100);
        assert!(moments.windows(2).all(|pair| pair[1] >= pair[0] + apart), "{host}: {moments:?}");
    }
    let last = ledger.steps.last().unwrap().at;
    assert!(last < Duration::from_secs(10), "both domains are visited at a time: {last:?}");
}
