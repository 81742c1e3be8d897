//! Campaigns: trials of every contender with every seed, in parallel.

use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use lodeward::select::StrategyError;
use lodeward_app::settings;

use crate::contender::{Contender, ContenderKind};
use crate::metrics::{ClassConfusion, EvalBaseline, SeedSpread, TrialFigures};
use crate::trial::{self, Trial, TrialError};
use crate::web::RecordedWeb;

/// The strategies to compare, and how.
pub struct Campaign {
    /// The recorded web that all trials crawl.
    pub web: Arc<RecordedWeb>,
    /// The settings of all trials; each trial overrides `seed` and `links`.
    pub trial: Trial,
    /// The strategies to compare.
    pub contenders: Vec<Contender>,
    /// Number of trials per strategy. They use the random seeds 0, 1, and so on.
    pub seeds: u64,
    /// The budgets at which figures are taken.
    pub budgets: Vec<EvalBudget>,
    /// Number of parallel trials; the number of cores if `None`.
    pub jobs: Option<NonZero<usize>>,
}

/// The budget at which a figure is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum EvalBudget {
    /// A number of requests equal to this share of the reachable documents.
    Share(f64),
    /// A number of requests.
    Requests(u32),
}

impl EvalBudget {
    /// The budget in requests.
    #[must_use]
    pub fn requests(self, baseline: &EvalBaseline) -> f64 {
        match self {
            Self::Share(share) => baseline.requests_for_share(share),
            Self::Requests(requests) => f64::from(requests),
        }
    }
}

impl fmt::Display for EvalBudget {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Share(share) => {
                let percent = format!("{:.2}", share * 100.0);
                write!(formatter, "{} %", percent.trim_end_matches('0').trim_end_matches('.'))
            }
            Self::Requests(requests) => write!(formatter, "{requests} requests"),
        }
    }
}

/// The results of a contender.
pub struct ContenderResult {
    /// The contender that these results belong to.
    pub contender: Contender,
    /// The figures of one trial per seed. The oracle uses no seed and has a single trial.
    pub figures: Vec<TrialFigures>,
}

/// A campaign could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub struct CampaignError {
    /// The contender whose trial failed.
    pub name: String,
    /// Why the trial failed.
    pub source: CampaignErrorCause,
}

/// The cause of a failed campaign.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CampaignErrorCause {
    /// The strategy cannot start.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
}

impl ContenderResult {
    /// The mean and deviation of a figure over the seeds.
    pub fn spread(&self, figure: impl Fn(&TrialFigures) -> f64) -> SeedSpread {
        SeedSpread::from_samples(self.figures.iter().map(figure))
    }
}

impl Campaign {
    /// The baseline of the trials.
    #[must_use]
    pub fn baseline(&self) -> EvalBaseline {
        EvalBaseline::new(&self.web, &self.trial)
    }

    /// Runs all trials. After each trial, `report` gets the name of its contender, the number of
    /// completed trials and the number of all trials.
    pub fn run(
        &self,
        baseline: &EvalBaseline,
        report: impl Fn(&str, usize, usize) + Sync,
    ) -> Result<Vec<ContenderResult>, CampaignError> {
        let seeds = |contender: &Contender| if contender.kind == ContenderKind::Oracle { 1 } else { self.seeds.max(1) };
        let runs = self.contenders.iter().enumerate();
        let runs: Vec<(usize, u64)> =
            runs.flat_map(|(index, contender)| (0..seeds(contender)).map(move |seed| (index, seed))).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = Mutex::new(Vec::new());
        let work = || {
            while let Some((index, seed)) = runs.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                let contender = &self.contenders[index];
                let figures = self.run_trial(baseline, contender, seed);
                report(&contender.name, done.fetch_add(1, Ordering::Relaxed) + 1, runs.len());
                results.lock().unwrap_or_else(PoisonError::into_inner).push((index, seed, figures));
            }
        };
        let jobs = self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 0..jobs.min(runs.len()) {
                scope.spawn(work);
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(index, seed, _)| (*index, *seed));
        let entry = |contender: &Contender| ContenderResult { contender: contender.clone(), figures: Vec::new() };
        let mut entries: Vec<ContenderResult> = self.contenders.iter().map(entry).collect();
        for (index, _, figures) in results {
            let entry = &mut entries[index];
            let to_error = |source| CampaignError { name: entry.contender.name.clone(), source };
            entry.figures.push(figures.map_err(to_error)?);
        }
        Ok(entries)
    }

    fn run_trial(
        &self,
        baseline: &EvalBaseline,
        contender: &Contender,
        seed: u64,
    ) -> Result<TrialFigures, CampaignErrorCause> {
        let budgets: Vec<f64> = self.budgets.iter().map(|budget| budget.requests(baseline)).collect();
        let Some(strategy) = contender.strategy(seed)? else {
            return Ok(TrialFigures::from_ledger(baseline, &baseline.oracle, &budgets));
        };
        let trial = Trial { seed, links: contender.links(), ..self.trial.clone() };
        let ledger = trial::run(&self.web, &trial, strategy)?;
        let is_links = matches!(&contender.kind, ContenderKind::Strategy(config) if config.crawl.strategy == settings::StrategyKind::LinkAnalysis);
        let classes = is_links.then(|| ClassConfusion::from_ledger(&self.web, &ledger)).flatten();
        Ok(TrialFigures { classes, ..TrialFigures::from_ledger(baseline, &ledger, &budgets) })
    }
}
