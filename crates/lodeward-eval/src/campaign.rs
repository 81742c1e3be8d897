//! Many trials: every contender with every seed, as many at a time as there
//! are cores.

use std::fmt;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use lodeward::config;
use lodeward::select::StrategyError;

use crate::contender::{Contender, Who};
use crate::ground::Ground;
use crate::metrics::{Classes, Figures, Spread};
use crate::trial::{self, Trial, TrialError};
use crate::web::Web;

/// What is to be compared, and how.
pub struct Campaign {
    /// The web.
    pub web: Arc<Web>,
    /// The trial that all make. Its seed and its links are set for each.
    pub trial: Trial,
    /// Who takes part.
    pub contenders: Vec<Contender>,
    /// With how many seeds: 0, 1, and so on.
    pub seeds: u64,
    /// Where figures are taken.
    pub budgets: Vec<Budget>,
    /// How many trials at a time; as many as there are cores if `None`.
    pub jobs: Option<NonZero<usize>>,
}

/// What may be spent until a figure is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// As many requests as make this share of the reachable documents.
    Share(f64),
    /// This many requests.
    Requests(u32),
}

impl Budget {
    /// In requests.
    #[must_use]
    pub fn requests(self, ground: &Ground) -> f64 {
        match self {
            Self::Share(share) => ground.requests(share),
            Self::Requests(requests) => f64::from(requests),
        }
    }
}

impl fmt::Display for Budget {
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

/// How a contender did.
pub struct Entry {
    /// Who.
    pub contender: Contender,
    /// A trial for each seed. The oracle needs none, and makes one.
    pub figures: Vec<Figures>,
}

/// A campaign could not be run.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {source}")]
pub struct CampaignError {
    /// Whose trial failed.
    pub name: String,
    /// Why.
    pub source: Cause,
}

/// Why a campaign could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// The strategy cannot begin.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// A crawl failed.
    #[error(transparent)]
    Trial(#[from] TrialError),
}

impl Entry {
    /// The mean and deviation of a figure over the seeds.
    pub fn spread(&self, figure: impl Fn(&Figures) -> f64) -> Spread {
        Spread::of(self.figures.iter().map(figure))
    }
}

impl Campaign {
    /// What the trials are measured against.
    #[must_use]
    pub fn ground(&self) -> Ground {
        Ground::new(&self.web, &self.trial)
    }

    /// Runs all trials. Whenever one is done, `told` hears whose, and how many
    /// of how many that makes.
    pub fn run(&self, ground: &Ground, told: impl Fn(&str, usize, usize) + Sync) -> Result<Vec<Entry>, CampaignError> {
        let seeds = |contender: &Contender| if contender.who == Who::Oracle { 1 } else { self.seeds.max(1) };
        let runs = self.contenders.iter().enumerate();
        let runs: Vec<(usize, u64)> =
            runs.flat_map(|(place, contender)| (0..seeds(contender)).map(move |seed| (place, seed))).collect();
        let (next, done) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let results = Mutex::new(Vec::new());
        let work = || {
            while let Some((place, seed)) = runs.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                let contender = &self.contenders[place];
                let figures = self.figures(ground, contender, seed);
                told(&contender.name, done.fetch_add(1, Ordering::Relaxed) + 1, runs.len());
                results.lock().unwrap_or_else(PoisonError::into_inner).push((place, seed, figures));
            }
        };
        let jobs = self.jobs.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZero::get);
        thread::scope(|scope| {
            for _ in 0..jobs.min(runs.len()) {
                scope.spawn(work);
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(place, seed, _)| (*place, *seed));
        let entry = |contender: &Contender| Entry { contender: contender.clone(), figures: Vec::new() };
        let mut entries: Vec<Entry> = self.contenders.iter().map(entry).collect();
        for (place, _, figures) in results {
            let entry = &mut entries[place];
            let failed = |source| CampaignError { name: entry.contender.name.clone(), source };
            entry.figures.push(figures.map_err(failed)?);
        }
        Ok(entries)
    }

    fn figures(&self, ground: &Ground, contender: &Contender, seed: u64) -> Result<Figures, Cause> {
        let budgets: Vec<f64> = self.budgets.iter().map(|budget| budget.requests(ground)).collect();
        let Some(strategy) = contender.strategy(seed)? else {
            return Ok(Figures::of(ground, &ground.oracle, &budgets));
        };
        let trial = Trial { seed, links: contender.links(), ..self.trial.clone() };
        let ledger = trial::run(&self.web, &trial, strategy)?;
        let is_links =
            matches!(&contender.who, Who::Strategy(config) if config.crawl.strategy == config::Strategy::Links);
        let classes = is_links.then(|| Classes::of(&self.web, &ledger)).flatten();
        Ok(Figures { classes, ..Figures::of(ground, &ledger, &budgets) })
    }
}
