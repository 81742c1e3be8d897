//! Invariants of trials.

use std::collections::HashSet;
use std::time::Duration;

use lodeward::engine::FollowedLinks;
use lodeward::frontier::{Lease, Offer};
use lodeward::model::{Link, Verdict, VerdictAction};
use lodeward::select::{BreadthFirstStrategy, Decision, Judgement, LinkContext, RequestResult, Strategy};
use lodeward_eval::metrics::{CalibrationCurve, LedgerHarvest};
use lodeward_eval::trial::TrialQueue;
use lodeward_eval::{Ledger, LedgerEntryKind, Trial, TrialPace, TrialStart, run};
use rand::rngs::SmallRng;

use crate::small_web::{load, requests};

/// Sends a HEAD request before every GET, and predicts RDF with probability 0.5.
struct Prober(BreadthFirstStrategy);

impl Strategy for Prober {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.0.offer_links(found, links, rng)
    }

    fn judge(&mut self, lease: &Lease, _: &mut SmallRng) -> Judgement {
        let decision = if lease.probe.is_some() { Decision::Fetch } else { Decision::Probe };
        let verdict = Verdict { action: VerdictAction::Predicted, score: 0.5, reasons: Vec::new() };
        Judgement { decision, verdict: Some(verdict) }
    }

    fn learn(&mut self, _: &RequestResult<'_>) {}
}

fn breadth_first(trial: &Trial) -> Ledger {
    run(&load(), trial, Box::new(BreadthFirstStrategy)).unwrap()
}

/// A ledger without wall-clock times.
fn timeless(ledger: Ledger) -> Ledger {
    Ledger { strategy_time: Duration::ZERO, ..ledger }
}

#[test]
fn a_probe_costs_a_fifth_unless_the_response_is_a_redirect() {
    let web = load();
    let ledger = run(&web, &Trial::default(), Box::new(Prober(BreadthFirstStrategy))).unwrap();

    let [documents, heads, redirects] =
        [LedgerEntryKind::Document, LedgerEntryKind::Head, LedgerEntryKind::Redirect].map(|kind| ledger.count(kind));
    assert_eq!((documents, heads, redirects), (8, 8, 2));
    assert!((ledger.cost() - (8.0 + 8.0 * 0.2 + 2.0)).abs() < 1e-9);
    let calibration = CalibrationCurve::from_ledger(&web, &ledger).unwrap();
    assert_eq!((calibration.predictions, calibration.bins[5].rdf), (8, 4));
    assert!((calibration.brier - 0.25).abs() < 1e-9);
}

#[test]
fn a_trial_ends_when_its_budget_is_spent() {
    for budget in [1.0, 3.0, 7.0] {
        let trial = Trial { budget: Some(budget), ..Trial::default() };
        assert!((breadth_first(&trial).cost() - budget).abs() < 1e-9);
        // Requests of several domains are in flight, but the budget is not exceeded.
        let polite = Trial { pace: TrialPace::POLITE, ..trial };
        assert!((breadth_first(&polite).cost() - budget).abs() < 1e-9);
    }
}

#[test]
fn a_seed_gives_the_same_ledger_in_memory_and_on_disk() {
    for pace in [TrialPace::AsFastAsPossible, TrialPace::POLITE] {
        let trial = Trial { seed: 3, pace, ..Trial::default() };
        let ledger = timeless(breadth_first(&trial));

        assert_eq!(timeless(breadth_first(&trial)), ledger);
        assert_eq!(timeless(breadth_first(&Trial { queue: TrialQueue::Embedded, ..trial })), ledger);
    }
}

#[test]
fn an_unrecorded_page_costs_a_request_only_if_misses_count() {
    let web = load();
    let trial = Trial { counts_misses: true, ..Trial::default() };
    let ledger = breadth_first(&trial);

    // The link to out.example, and the target of b/far.
    assert_eq!(ledger.count(LedgerEntryKind::Miss), 2);
    assert_eq!(ledger.count(LedgerEntryKind::Document), 8);
    assert!((ledger.cost() - 12.0).abs() < 1e-9);
    assert_eq!(LedgerHarvest::from_ledger(&web, &ledger).documents().len(), 8);
    assert_eq!(breadth_first(&Trial::default()).count(LedgerEntryKind::Miss), 0);
}

#[test]
fn a_trial_can_be_restricted_to_hosts_links_or_documents_per_domain() {
    let web = load();
    let requested = |trial: &Trial| requests(&web, &breadth_first(trial));
    let seeds = Trial { start: TrialStart::Seeds, ..Trial::default() };

    let one_host = Trial { hosts: Some(HashSet::from(["a.example".to_owned()])), ..seeds.clone() };
    assert!(requested(&one_host).iter().all(|request| request.contains(" a/")), "{:?}", requested(&one_host));
    assert_eq!(requested(&one_host).len(), 6);
    let rdf = Trial { links: FollowedLinks::Rdf, ..seeds.clone() };
    assert_eq!(requested(&rdf), ["Document a/"]);
    let capped = Trial { max_documents_per_domain: Some(2), ..seeds.clone() };
    assert_eq!(requested(&capped), ["Document a/", "Document a/1.ttl", "Document b/x.ttl", "Document b/y"]);
    let without_robots = Trial { obeys_robots: false, ..seeds };
    assert!(requested(&without_robots).contains(&"Document b/secret.ttl".to_owned()));
}

#[test]
fn a_polite_trial_respects_its_delay_in_virtual_time() {
    let web = load();
    let ledger = breadth_first(&Trial { pace: TrialPace::POLITE, ..Trial::default() });

    for host in ["a.example", "b.example"] {
        let of_host =
            ledger.steps.iter().filter(|step| step.page.is_some_and(|page| web.page(page).uri.host() == host));
        let times: Vec<Duration> = of_host.map(|step| step.at).collect();
        assert!(times.len() >= 4);
        // From the end of one response to the end of the next one.
        let apart = Duration::from_millis(1_100);
        assert!(times.windows(2).all(|pair| pair[1] >= pair[0] + apart), "{host}: {times:?}");
    }
    let last = ledger.steps.last().unwrap().at;
    assert!(last < Duration::from_secs(10), "both domains are fetched concurrently: {last:?}");
}
