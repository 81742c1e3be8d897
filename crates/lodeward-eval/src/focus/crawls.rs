//! Focused crawls of a recorded web, with the real engine: how many of the targets
//! are fetched after how many requests.
//!
//! Unlike a ranker on a graph, a crawler knows of an entity only what the documents
//! say that it has fetched: whom to fetch next is the question.

use std::collections::HashSet;
use std::num::NonZero;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lodeward::model::Uri;
use lodeward::select::StrategyError;

use super::{FocusError, Task};
use crate::contender::Contender;
use crate::ground::to_f64;
use crate::trial::{self, Start, Trial, TrialError};
use crate::web::{PageId, Web};
use crate::{Kind, Ledger, parallel};

/// Crawls of one web, a crawl for each task and strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Crawls {
    /// The name of the web.
    pub web: String,
    /// The names of the strategies.
    pub strategies: Vec<String>,
    /// Each task.
    pub tasks: Vec<CrawledTask>,
}

/// How strategies did on a task.
#[derive(Clone, Debug, PartialEq)]
pub struct CrawledTask {
    /// Which task.
    pub id: String,
    /// How many targets there are.
    pub targets: usize,
    /// How everybody did, in the order of the strategies.
    pub crawls: Vec<Crawled>,
}

/// One crawl.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Crawled {
    /// After how many requests targets were fetched, a number for each that was, in
    /// order.
    pub found_at: Vec<usize>,
    /// How many requests there were.
    pub requests: usize,
    /// The time spent in the strategy.
    pub strategy_time: Duration,
}

/// A crawl could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlsError {
    /// The strategy cannot begin.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
    /// The oracle knows which documents hold RDF, not which entities matter.
    #[error("the oracle does not know which entities matter")]
    Oracle,
}

impl CrawledTask {
    /// The share of the targets that a strategy had fetched after so many requests.
    #[must_use]
    pub fn recall(&self, strategy: usize, requests: usize) -> f64 {
        let found = self.crawls[strategy].found_at.iter().filter(|at| **at <= requests).count();
        if self.targets == 0 { 0.0 } else { to_f64(found) / to_f64(self.targets) }
    }
}

impl Crawls {
    /// The mean recall of a strategy after so many requests.
    #[must_use]
    pub fn recall(&self, strategy: usize, requests: usize) -> f64 {
        super::figures::mean(self.tasks.iter().map(|task| task.recall(strategy, requests)))
    }
}

/// Whether the seeds of a task are documents of a web.
#[must_use]
pub fn is_on(web: &Web, task: &Task) -> bool {
    let is_there = |seed: &String| Uri::parse(seed).is_ok_and(|uri| web.find(&uri).is_some());
    task.seeds.iter().all(is_there)
}

/// Crawls a web for each task with each strategy, up to so many requests. Whenever
/// a crawl is done, `told` hears of how many that makes how many.
pub fn run(
    name: &str,
    web: &Arc<Web>,
    tasks: &[Task],
    strategies: &[Contender],
    requests_max: u32,
    jobs: Option<NonZero<usize>>,
    told: impl Fn(usize, usize) + Sync,
) -> Result<Crawls, FocusError> {
    let pairs: Vec<(&Task, &Contender)> =
        tasks.iter().flat_map(|task| strategies.iter().map(move |strategy| (task, strategy))).collect();
    let done = AtomicUsize::new(0);
    let crawls = parallel::map(&pairs, jobs, |(task, strategy)| {
        let crawled = crawl(web, task, strategy, requests_max);
        told(done.fetch_add(1, Ordering::Relaxed) + 1, pairs.len());
        crawled.map_err(|source| FocusError::Crawl { strategy: strategy.name.clone(), task: task.id.clone(), source })
    });
    let crawls = crawls.into_iter().collect::<Result<Vec<Crawled>, FocusError>>()?;
    let crawled = |(task, crawls): (&Task, &[Crawled])| CrawledTask {
        id: task.id.clone(),
        targets: task.targets.len(),
        crawls: crawls.to_vec(),
    };
    Ok(Crawls {
        web: name.to_owned(),
        strategies: strategies.iter().map(|strategy| strategy.name.clone()).collect(),
        tasks: tasks.iter().zip(crawls.chunks(strategies.len().max(1))).map(crawled).collect(),
    })
}

fn crawl(web: &Arc<Web>, task: &Task, contender: &Contender, requests_max: u32) -> Result<Crawled, CrawlsError> {
    let strategy = contender.strategy(0)?.ok_or(CrawlsError::Oracle)?;
    let trial = Trial {
        start: Start::These(task.seeds.iter().filter_map(|seed| Uri::parse(seed).ok()).collect()),
        links: contender.links(),
        budget: Some(f64::from(requests_max)),
        ..Trial::default()
    };
    let ledger = trial::run(web, &trial, strategy)?;
    let targets = task.targets.keys().filter_map(|target| web.find(&Uri::parse(target).ok()?)).collect();
    Ok(Crawled {
        found_at: found_at(&ledger, targets),
        requests: ledger.steps.len(),
        strategy_time: ledger.strategy_time,
    })
}

/// After how many requests each target was fetched.
fn found_at(ledger: &Ledger, mut targets: HashSet<PageId>) -> Vec<usize> {
    let mut found_at = Vec::new();
    for (number, step) in ledger.steps.iter().enumerate() {
        let page = step.page.filter(|_| step.kind == Kind::Document);
        if page.is_some_and(|page| targets.remove(&page)) {
            found_at.push(number + 1);
        }
    }
    found_at
}
