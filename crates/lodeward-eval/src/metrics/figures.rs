//! Every figure of one trial.

use std::time::Duration;

use super::calibration::Calibration;
use super::classes::Classes;
use super::harvest::{Counts, Harvest, Harvested, ratio};
use crate::ground::{Ground, to_f64};
use crate::ledger::{Kind, Ledger};

/// How many points a kept curve has, besides its first.
pub const CURVE_STEPS: usize = 200;

/// Every figure of one trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Area under recall over requests; the oracle's is 1.
    pub auc: f64,
    /// The same of the mean of the hosts' recalls.
    pub auc_by_host: f64,
    /// What was had at each budget.
    pub budgets: Vec<AtBudget>,
    /// What was had in the end.
    pub end: AtBudget,
    /// HEAD requests.
    pub heads: usize,
    /// Redirects.
    pub redirects: usize,
    /// Requests for nothing.
    pub misses: usize,
    /// Requests for robots.txt.
    pub robots: u64,
    /// Visits that the strategy skipped.
    pub skipped: u64,
    /// The time the strategy took for each URI it placed.
    pub time_per_uri: Duration,
    /// How well it predicts.
    pub calibration: Option<Calibration>,
    /// Predicted classes beside gold ones, of link analysis alone.
    pub classes: Option<Classes>,
    /// Recall at equal steps of requests, from none to as many as there are
    /// reachable documents.
    pub curve: Vec<f64>,
    /// When each RDF document was had.
    pub moments: Vec<Duration>,
}

/// What was had when a budget was used up.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AtBudget {
    /// The requests.
    pub requests: f64,
    /// How many documents of which sort.
    pub counts: Counts,
    /// The share of the reachable RDF documents.
    pub recall: f64,
    /// The mean over hosts of the share of RDF among their documents had.
    pub share_by_host: f64,
    /// The same among hard documents, over hosts with such.
    pub hard_share_by_host: f64,
    /// The mean over hosts with RDF of the share of it that was had.
    pub recall_by_host: f64,
    /// The documents of mixed hosts.
    pub mixed: Counts,
    /// The share of the reachable hard RDF documents of mixed hosts.
    pub mixed_recall: f64,
}

impl Figures {
    /// The figures of a ledger, at some budgets given in requests.
    #[must_use]
    pub fn of(ground: &Ground, ledger: &Ledger, budgets: &[f64]) -> Self {
        let harvest = Harvest::of(&ground.web, ledger);
        let at = |requests: f64| AtBudget::of(ground, &harvest, requests);
        let recall = |step: usize| {
            let requests = ground.requests(to_f64(step) / to_f64(CURVE_STEPS));
            ground.recall(&harvest.counts(requests))
        };
        let rdf = ledger.documents().filter(|(page, _)| ground.web.page(*page).is_rdf());
        Self {
            auc: ground.auc(&harvest),
            auc_by_host: ground.auc_by_host(&harvest),
            budgets: budgets.iter().copied().map(at).collect(),
            end: AtBudget::of(ground, &harvest, ledger.cost()),
            heads: ledger.count(Kind::Head),
            redirects: ledger.count(Kind::Redirect),
            misses: ledger.count(Kind::Miss),
            robots: ledger.robots,
            skipped: ledger.skipped,
            time_per_uri: ledger.time_per_uri(),
            calibration: Calibration::of(&ground.web, ledger),
            classes: None,
            curve: (0..=CURVE_STEPS).map(recall).collect(),
            moments: rdf.map(|(_, step)| step.at).collect(),
        }
    }
}

impl AtBudget {
    fn of(ground: &Ground, harvest: &Harvest, requests: f64) -> Self {
        let documents = harvest.until(requests);
        let counts: Counts = documents.iter().copied().collect();
        let mut by_host = vec![Counts::default(); ground.by_host.len()];
        for document in documents {
            by_host[ground.host(document.page)].add(document);
        }
        let is_mixed = |document: &&Harvested| ground.is_mixed[ground.host(document.page)];
        let mixed: Counts = documents.iter().filter(is_mixed).copied().collect();
        let mixed_hosts = ground.by_host.iter().zip(&ground.is_mixed).filter(|(_, is_mixed)| **is_mixed);
        let visited = || by_host.iter().filter(|counts| counts.documents > 0);
        let with_rdf = by_host.iter().zip(&ground.by_host).filter(|(_, all)| all.rdf > 0);
        Self {
            requests,
            counts,
            recall: ground.recall(&counts),
            share_by_host: mean(visited().map(Counts::share)),
            hard_share_by_host: mean(visited().filter(|counts| counts.hard > 0).map(Counts::hard_share)),
            recall_by_host: mean(with_rdf.map(|(had, all)| ratio(had.rdf, all.rdf))),
            mixed,
            mixed_recall: ratio(mixed.hard_rdf, mixed_hosts.map(|(all, _)| all.hard_rdf).sum()),
        }
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { 0.0 } else { sum / to_f64(count) }
}
