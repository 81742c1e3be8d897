//! A wrapper of a strategy that records its requests and the time spent in it.

#![expect(clippy::disallowed_methods, reason = "this module measures the time spent in the strategy")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use foldhash::fast::RandomState;
use lodeward::engine::CrawlCommand;
use lodeward::frontier::{DomainOrder, FeatureVector, Lease, Offer, QueueEntry};
use lodeward::model::{Link, Pld, Uri, Verdict};
use lodeward::select::{Decision, Judgement, LinkContext, RequestResult, Strategy};
use lodeward::select::{Facts, FactsOptions};
use rand::rngs::SmallRng;
use tokio::sync::mpsc;

use crate::ledger::{Ledger, LedgerEntry, LedgerEntryKind};
use crate::web::RecordedWeb;

/// Records the ledger of a trial and stops it when its budget is spent.
pub(super) struct LedgerRecorder {
    web: Arc<RecordedWeb>,
    budget: f64,
    stop: mpsc::Sender<CrawlCommand>,
    pages: Mutex<TrialEntries>,
}

#[derive(Default)]
struct TrialEntries {
    ledger: Ledger,
    cost: f64,
    started_at: Option<tokio::time::Instant>,
    /// The last judgement of each URI that is about to be fetched.
    judged: HashMap<Uri, JudgedVisit, RandomState>,
}

struct JudgedVisit {
    score: Option<f32>,
    features: FeatureVector,
    source: Option<Uri>,
}

impl LedgerRecorder {
    pub(super) fn new(web: Arc<RecordedWeb>, budget: Option<f64>, stop: mpsc::Sender<CrawlCommand>) -> Arc<Self> {
        let budget = budget.unwrap_or(f64::INFINITY);
        Arc::new(Self { web, budget, stop, pages: Mutex::default() })
    }

    /// Sets the time from which the times of responses are counted.
    pub(super) fn start_clock(&self) {
        self.entries().started_at = Some(tokio::time::Instant::now());
    }

    /// Records a request. Returns `false` if the budget does not allow it.
    pub(super) fn record_request(&self, uri: &Uri, kind: LedgerEntryKind, cost: f64) -> bool {
        /// Tolerance for rounding errors: sums of 0.2 are not exact.
        const COST_TOLERANCE: f64 = 1e-6;
        let mut entries = self.entries();
        if entries.cost + cost > self.budget + COST_TOLERANCE {
            self.stop_crawl();
            return false;
        }
        entries.cost += cost;
        let judged = entries.judged.remove(uri);
        let (score, features, source) =
            judged.map_or_else(Default::default, |judged| (judged.score, judged.features, judged.source));
        let at = entries.started_at.map(|started_at| started_at.elapsed()).unwrap_or_default();
        let (page, cost) = (self.web.find(uri), entries.cost);
        entries.ledger.steps.push(LedgerEntry { kind, page, cost, at, score, features, source });
        if entries.cost > self.budget - COST_TOLERANCE {
            self.stop_crawl();
        }
        true
    }

    pub(super) fn count_robots(&self) {
        self.entries().ledger.robots += 1;
    }

    /// Takes the ledger; called once, at the end of the trial.
    pub(super) fn take_ledger(&self) -> Ledger {
        std::mem::take(&mut self.entries().ledger)
    }

    fn stop_crawl(&self) {
        // The channel has capacity for one command. If it is full, the crawl is already about to stop.
        let _ = self.stop.try_send(CrawlCommand::Stop);
    }

    fn entries(&self) -> MutexGuard<'_, TrialEntries> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A strategy whose calls are timed and recorded.
pub(super) struct ObservedStrategy {
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) recorder: Arc<LedgerRecorder>,
}

impl ObservedStrategy {
    fn timed<T>(&mut self, work: impl FnOnce(&mut dyn Strategy) -> T) -> T {
        let started_at = Instant::now();
        let result = work(&mut *self.strategy);
        self.recorder.entries().ledger.strategy_time += started_at.elapsed();
        result
    }
}

impl Strategy for ObservedStrategy {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.recorder.entries().ledger.placed += links.len() as u64;
        self.timed(|strategy| strategy.offer_links(found, links, rng))
    }

    fn judge(&mut self, lease: &Lease, rng: &mut SmallRng) -> Judgement {
        let judgement = self.timed(|strategy| strategy.judge(lease, rng));
        let mut entries = self.recorder.entries();
        if judgement.decision == Decision::Skip {
            entries.ledger.skipped += 1;
            return judgement;
        }
        let QueueEntry { target, features, source, .. } = &lease.entry;
        let judged = JudgedVisit {
            score: judgement.verdict.as_ref().map(|verdict| verdict.score),
            features: features.clone(),
            source: source.clone(),
        };
        entries.judged.insert(target.clone(), judged);
        judgement
    }

    fn learn(&mut self, result: &RequestResult<'_>) {
        self.timed(|strategy| strategy.learn(result));
    }

    fn facts_options(&self) -> Option<Arc<FactsOptions>> {
        self.strategy.facts_options()
    }

    fn read_facts(&mut self, lease: &Lease, facts: &Facts) {
        self.timed(|strategy| strategy.read_facts(lease, facts));
    }

    fn scores_changed(&mut self) -> bool {
        self.timed(|strategy| strategy.scores_changed())
    }

    fn score(&mut self, candidate: &QueueEntry, rng: &mut SmallRng) -> f32 {
        self.timed(|strategy| strategy.score(candidate, rng))
    }

    fn order(&self) -> DomainOrder {
        self.strategy.order()
    }

    fn sample_domain_score(&mut self, pld: &Pld, best: f32, rng: &mut SmallRng) -> f32 {
        self.timed(|strategy| strategy.sample_domain_score(pld, best, rng))
    }

    fn deferral_share(&self) -> Option<f32> {
        self.strategy.deferral_share()
    }

    fn explain(&self, candidate: &QueueEntry) -> Option<Verdict> {
        self.strategy.explain(candidate)
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.strategy.save()
    }
}
