//! Computes all figures of one trial from its ledger.

use std::time::Duration;

use super::baseline::EvalBaseline;
use super::calibration::CalibrationCurve;
use super::classes::ClassConfusion;
use super::harvest::{HarvestCounts, HarvestedDocument, LedgerHarvest};
use crate::ledger::{Ledger, LedgerEntryKind};
use crate::numbers::{mean, ratio, to_f64};

/// Number of steps of a curve, which has one point more.
pub const CURVE_STEPS: usize = 200;

/// All figures of one trial.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TrialFigures {
    /// Area under recall over requests, relative to the oracle.
    pub auc: f64,
    /// Area under the mean recall of hosts.
    pub auc_by_host: f64,
    /// Figures at each budget.
    pub budgets: Vec<BudgetFigures>,
    /// Figures at the end of the trial.
    pub end: BudgetFigures,
    /// Number of HEAD requests.
    pub heads: usize,
    /// Number of redirects.
    pub redirects: usize,
    /// Number of failed requests.
    pub misses: usize,
    /// Number of requests for robots.txt.
    pub robots: u64,
    /// Number of leases that the strategy skipped.
    pub skipped: u64,
    /// Time spent in the strategy per queued URI.
    pub time_per_uri: Duration,
    /// Calibration of the predicted probabilities.
    pub calibration: Option<CalibrationCurve>,
    /// Predicted classes compared with gold classes; of link analysis only.
    pub classes: Option<ClassConfusion>,
    /// Recall at equal steps of requests, from 0 to the number of reachable documents.
    pub curve: Vec<f64>,
    /// The times at which RDF documents were fetched.
    pub rdf_times: Vec<Duration>,
}

/// Figures at a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BudgetFigures {
    /// The budget, in requests.
    pub requests: f64,
    /// Counts of fetched documents.
    pub counts: HarvestCounts,
    /// Share of the reachable RDF documents that were fetched.
    pub recall: f64,
    /// Mean over hosts of the share of RDF among their fetched documents.
    pub share_by_host: f64,
    /// Mean over hosts of the share of RDF among their fetched hard documents; hosts without these are left out.
    pub hard_share_by_host: f64,
    /// Mean recall of hosts with RDF.
    pub recall_by_host: f64,
    /// Counts of documents of mixed hosts.
    pub mixed: HarvestCounts,
    /// Share of the reachable hard RDF documents of mixed hosts that were fetched.
    pub mixed_recall: f64,
}

impl TrialFigures {
    /// Computes the figures of a ledger. `budgets` are numbers of requests.
    #[must_use]
    pub fn from_ledger(baseline: &EvalBaseline, ledger: &Ledger, budgets: &[f64]) -> Self {
        let harvest = LedgerHarvest::from_ledger(&baseline.web, ledger);
        let at = |requests: f64| BudgetFigures::from_harvest(baseline, &harvest, requests);
        let recall = |step: usize| {
            let requests = baseline.requests_for_share(to_f64(step) / to_f64(CURVE_STEPS));
            baseline.recall(&harvest.counts(requests))
        };
        let rdf = ledger.documents().filter(|(page, _)| baseline.web.page(*page).is_rdf());
        Self {
            auc: baseline.auc(&harvest),
            auc_by_host: baseline.auc_by_host(&harvest),
            budgets: budgets.iter().copied().map(at).collect(),
            end: BudgetFigures::from_harvest(baseline, &harvest, ledger.cost()),
            heads: ledger.count(LedgerEntryKind::Head),
            redirects: ledger.count(LedgerEntryKind::Redirect),
            misses: ledger.count(LedgerEntryKind::Miss),
            robots: ledger.robots,
            skipped: ledger.skipped,
            time_per_uri: ledger.time_per_uri(),
            calibration: CalibrationCurve::from_ledger(&baseline.web, ledger),
            classes: None,
            curve: (0..=CURVE_STEPS).map(recall).collect(),
            rdf_times: rdf.map(|(_, step)| step.at).collect(),
        }
    }
}

impl BudgetFigures {
    fn from_harvest(baseline: &EvalBaseline, harvest: &LedgerHarvest, requests: f64) -> Self {
        let documents = harvest.up_to_cost(requests);
        let counts: HarvestCounts = documents.iter().copied().collect();
        let mut by_host = vec![HarvestCounts::default(); baseline.by_host.len()];
        for document in documents {
            by_host[baseline.host_index(document.page)].add(document);
        }
        let is_mixed = |document: &&HarvestedDocument| baseline.is_mixed[baseline.host_index(document.page)];
        let mixed: HarvestCounts = documents.iter().filter(is_mixed).copied().collect();
        let mixed_hosts = baseline.by_host.iter().zip(&baseline.is_mixed).filter(|(_, is_mixed)| **is_mixed);
        let fetched = || by_host.iter().filter(|counts| counts.documents > 0);
        let with_rdf = by_host.iter().zip(&baseline.by_host).filter(|(_, all)| all.rdf > 0);
        Self {
            requests,
            counts,
            recall: baseline.recall(&counts),
            share_by_host: mean(fetched().map(HarvestCounts::share)),
            hard_share_by_host: mean(fetched().filter(|counts| counts.hard > 0).map(HarvestCounts::hard_share)),
            recall_by_host: mean(with_rdf.map(|(counts, all)| ratio(counts.rdf, all.rdf))),
            mixed,
            mixed_recall: ratio(mixed.hard_rdf, mixed_hosts.map(|(all, _)| all.hard_rdf).sum()),
        }
    }
}
