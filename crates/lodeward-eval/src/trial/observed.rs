//! A strategy that is watched, and the book of what it spends.

#![expect(clippy::disallowed_methods, reason = "what a strategy costs is to be measured")]

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use foldhash::fast::RandomState;
use lodeward::engine::Command;
use lodeward::frontier::Offer;
use lodeward::model::{Candidate, Features, Link, Pld, Uri, Visit};
use lodeward::rank::{Facts, FactsOptions};
use lodeward::select::{Decision, Found, Judgement, Lesson, Order, Strategy, Verdict};
use rand::rngs::SmallRng;
use tokio::sync::mpsc;

use crate::ledger::{Kind, Ledger, Step};
use crate::web::Web;

/// The book of a trial: its ledger, and what is needed to keep it.
pub(super) struct Book {
    web: Arc<Web>,
    budget: f64,
    stop: mpsc::Sender<Command>,
    pages: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    ledger: Ledger,
    cost: f64,
    began_at: Option<tokio::time::Instant>,
    /// What was last judged of those who are about to be visited.
    judged: HashMap<Uri, Judged, RandomState>,
}

struct Judged {
    score: Option<f32>,
    features: Features,
    source: Option<Uri>,
}

impl Book {
    pub(super) fn new(web: Arc<Web>, budget: Option<f64>, stop: mpsc::Sender<Command>) -> Arc<Self> {
        let budget = budget.unwrap_or(f64::INFINITY);
        Arc::new(Self { web, budget, stop, pages: Mutex::default() })
    }

    /// Begins to count time.
    pub(super) fn begin(&self) {
        self.entries().began_at = Some(tokio::time::Instant::now());
    }

    /// Enters a request. Returns whether it could still be paid for.
    pub(super) fn enter(&self, uri: &Uri, kind: Kind, cost: f64) -> bool {
        /// Sums of fifths are not exact.
        const HAIR: f64 = 1e-6;
        let mut entries = self.entries();
        if entries.cost + cost > self.budget + HAIR {
            self.end();
            return false;
        }
        entries.cost += cost;
        let judged = entries.judged.remove(uri);
        let (score, features, source) =
            judged.map_or_else(Default::default, |judged| (judged.score, judged.features, judged.source));
        let at = entries.began_at.map(|began_at| began_at.elapsed()).unwrap_or_default();
        let (page, cost) = (self.web.find(uri), entries.cost);
        entries.ledger.steps.push(Step { kind, page, cost, at, score, features, source });
        if entries.cost > self.budget - HAIR {
            self.end();
        }
        true
    }

    pub(super) fn count_robots(&self) {
        self.entries().ledger.robots += 1;
    }

    /// The ledger, when the trial is over.
    pub(super) fn close(&self) -> Ledger {
        std::mem::take(&mut self.entries().ledger)
    }

    fn end(&self) {
        // Once is enough: the channel has room for one.
        let _ = self.stop.try_send(Command::Stop);
    }

    fn entries(&self) -> MutexGuard<'_, Entries> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A strategy, watched.
pub(super) struct Observed {
    pub(super) strategy: Box<dyn Strategy>,
    pub(super) book: Arc<Book>,
}

impl Observed {
    fn timed<T>(&mut self, work: impl FnOnce(&mut dyn Strategy) -> T) -> T {
        let began_at = Instant::now();
        let result = work(&mut *self.strategy);
        self.book.entries().ledger.strategy_time += began_at.elapsed();
        result
    }
}

impl Strategy for Observed {
    fn place(&mut self, found: &Found<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        self.book.entries().ledger.placed += links.len() as u64;
        self.timed(|strategy| strategy.place(found, links, rng))
    }

    fn judge(&mut self, visit: &Visit, rng: &mut SmallRng) -> Judgement {
        let judgement = self.timed(|strategy| strategy.judge(visit, rng));
        let mut entries = self.book.entries();
        if judgement.decision == Decision::Skip {
            entries.ledger.skipped += 1;
            return judgement;
        }
        let Candidate { target, features, source, .. } = &visit.candidate;
        let judged = Judged {
            score: judgement.verdict.as_ref().map(|verdict| verdict.score),
            features: features.clone(),
            source: source.clone(),
        };
        entries.judged.insert(target.clone(), judged);
        judgement
    }

    fn learn(&mut self, lesson: &Lesson<'_>) {
        self.timed(|strategy| strategy.learn(lesson));
    }

    fn wants(&self) -> Option<Arc<FactsOptions>> {
        self.strategy.wants()
    }

    fn read(&mut self, visit: &Visit, facts: &Facts) {
        self.timed(|strategy| strategy.read(visit, facts));
    }

    fn has_new_order(&mut self) -> bool {
        self.timed(|strategy| strategy.has_new_order())
    }

    fn score(&mut self, candidate: &Candidate, rng: &mut SmallRng) -> f32 {
        self.timed(|strategy| strategy.score(candidate, rng))
    }

    fn order(&self) -> Order {
        self.strategy.order()
    }

    fn draw(&mut self, pld: &Pld, best: f32, rng: &mut SmallRng) -> f32 {
        self.timed(|strategy| strategy.draw(pld, best, rng))
    }

    fn floor(&self, best: f32) -> f32 {
        self.strategy.floor(best)
    }

    fn explain(&self, candidate: &Candidate) -> Option<Verdict> {
        self.strategy.explain(candidate)
    }

    fn save(&self) -> Option<Vec<u8>> {
        self.strategy.save()
    }
}
