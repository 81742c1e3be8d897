//! Focused crawls of a recorded web with the real engine: how many targets are fetched after how many
//! requests.
//!
//! Unlike a ranker on a complete graph, a crawler knows of an entity only what the fetched documents
//! state about it.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lodeward::model::Uri;
use lodeward::select::StrategyError;

use super::{FocusError, FocusTask};
use crate::contender::Contender;
use crate::numbers::{mean, to_f64};
use crate::trial::{self, Trial, TrialError, TrialStart};
use crate::web::{PageId, RecordedWeb};
use crate::{Ledger, LedgerEntryKind, parallel};

/// Crawls of one web: one for each task and strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct FocusedCrawls {
    /// The name of the web.
    pub web: String,
    /// The names of the strategies.
    pub strategies: Vec<String>,
    /// The crawls of each task.
    pub tasks: Vec<TaskCrawls>,
}

/// The crawls of one task.
#[derive(Clone, Debug, PartialEq)]
pub struct TaskCrawls {
    /// The name of the task.
    pub id: String,
    /// Number of targets.
    pub targets: usize,
    /// The crawls, in the order of the strategies.
    pub crawls: Vec<TaskCrawl>,
}

/// The result of one crawl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TaskCrawl {
    /// The number of requests after which each target was fetched, ascending; without the targets that
    /// were not fetched.
    pub found_at: Vec<usize>,
    /// Number of requests.
    pub requests: usize,
    /// Time spent in the strategy.
    pub strategy_time: Duration,
}

/// A focused crawl failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FocusedCrawlError {
    /// The strategy cannot start.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The oracle knows which documents have RDF, but not which entities are relevant.
    #[error("the oracle does not know which entities are relevant")]
    Oracle,
}

impl TaskCrawls {
    /// The share of the targets that a strategy had fetched after this many requests.
    #[must_use]
    pub fn recall(&self, strategy: usize, requests: usize) -> f64 {
        let found = self.crawls[strategy].found_at.iter().filter(|at| **at <= requests).count();
        if self.targets == 0 { 0.0 } else { to_f64(found) / to_f64(self.targets) }
    }
}

impl FocusedCrawls {
    /// The mean recall of a strategy after this many requests.
    #[must_use]
    pub fn recall(&self, strategy: usize, requests: usize) -> f64 {
        mean(self.tasks.iter().map(|task| task.recall(strategy, requests)))
    }
}

/// Whether all seeds of a task are pages of a web.
#[must_use]
pub fn contains_seeds(web: &RecordedWeb, task: &FocusTask) -> bool {
    let is_document = |seed: &String| Uri::parse(seed).is_ok_and(|uri| web.find(&uri).is_some());
    task.seeds.iter().all(is_document)
}

/// Crawls a web for each task with each strategy, up to `max_requests` requests. After each crawl,
/// `report` gets the number of completed crawls and the number of all crawls.
pub fn run(
    name: &str,
    web: &Arc<RecordedWeb>,
    tasks: &[FocusTask],
    strategies: &[Contender],
    max_requests: u32,
    jobs: Option<NonZero<usize>>,
    report: impl Fn(usize, usize) + Sync,
) -> Result<FocusedCrawls, FocusError> {
    let pairs: Vec<(&FocusTask, &Contender)> =
        tasks.iter().flat_map(|task| strategies.iter().map(move |strategy| (task, strategy))).collect();
    let done = AtomicUsize::new(0);
    let crawls = parallel::map(&pairs, jobs, |(task, strategy)| {
        let crawled = crawl(web, task, strategy, max_requests);
        report(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
        crawled.map_err(|source| FocusError::Crawl { strategy: strategy.name.clone(), task: task.id.clone(), source })
    });
    let crawls = crawls.into_iter().collect::<Result<Vec<TaskCrawl>, FocusError>>()?;
    let crawled = |(task, crawls): (&FocusTask, &[TaskCrawl])| TaskCrawls {
        id: task.id.clone(),
        targets: task.targets.len(),
        crawls: crawls.to_vec(),
    };
    Ok(FocusedCrawls {
        web: name.to_owned(),
        strategies: strategies.iter().map(|strategy| strategy.name.clone()).collect(),
        tasks: tasks.iter().zip(crawls.chunks(strategies.len().max(1))).map(crawled).collect(),
    })
}

fn crawl(
    web: &Arc<RecordedWeb>,
    task: &FocusTask,
    contender: &Contender,
    max_requests: u32,
) -> Result<TaskCrawl, FocusedCrawlError> {
    let strategy = contender.strategy(0)?.ok_or(FocusedCrawlError::Oracle)?;
    let trial = Trial {
        start: TrialStart::Uris(task.seeds.iter().filter_map(|seed| Uri::parse(seed).ok()).collect()),
        links: contender.links(),
        budget: Some(f64::from(max_requests)),
        ..Trial::default()
    };
    let ledger = trial::run(web, &trial, strategy)?;
    let targets = task.targets.keys().filter_map(|target| web.find(&Uri::parse(target).ok()?)).collect();
    Ok(TaskCrawl {
        found_at: requests_until_found(&ledger, targets),
        requests: ledger.steps.len(),
        strategy_time: ledger.strategy_time,
    })
}

/// The number of requests after which each target was fetched.
fn requests_until_found(ledger: &Ledger, mut targets: HashSet<PageId>) -> Vec<usize> {
    let mut found_at = Vec::new();
    for (number, step) in ledger.steps.iter().enumerate() {
        let page = step.page.filter(|_| step.kind == LedgerEntryKind::Document);
        if page.is_some_and(|page| targets.remove(&page)) {
            found_at.push(number + 1);
        }
    }
    found_at
}
