//! Trials: crawls of a recorded web with the real engine.
//!
//! A trial differs from a crawl only in the web, which is in memory, and in time, which is virtual:
//! waiting takes no real time. The protocol is that of docs/algorithms.md §2c: a GET costs 1, a redirect 1,
//! a HEAD 0.2; robots.txt is free and counted separately; links to pages that are not recorded are not
//! queued, unless misses count.

mod recorded;
mod observed_strategy;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlError, EngineOptions, FollowedLinks, Scope};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, FrontierError, MemoryFrontier};
use lodeward::model::Uri;
use lodeward::select::Strategy;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use tokio::sync::{mpsc, watch};

use crate::ledger::Ledger;
use crate::web::{PRODUCT_TOKEN, RecordedWeb};
use observed_strategy::{LedgerRecorder, ObservedStrategy};
use recorded::{NullStore, RecordedExtractor, RecordedFetcher};

/// The settings of a trial, without strategy and web.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Where the trial starts.
    pub start: TrialStart,
    /// The seed of the random number generator, for the strategy and for the order of the start URIs.
    pub seed: u64,
    /// Which links are followed.
    pub links: FollowedLinks,
    /// Maximum number of documents per domain.
    pub max_documents_per_domain: Option<u32>,
    /// Maximum cost; unlimited if `None`.
    pub budget: Option<f64>,
    /// Whether links to pages that are not recorded are queued.
    pub counts_misses: bool,
    /// Whether robots.txt is obeyed. Trials send no requests, and the simulation of the study ignored
    /// robots.txt.
    pub obeys_robots: bool,
    /// The hosts that the trial may fetch from; all hosts if `None`.
    pub hosts: Option<HashSet<String>>,
    /// Delays and concurrency.
    pub pace: TrialPace,
    /// Where the frontier is stored.
    pub queue: TrialQueue,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            start: TrialStart::SeedsAndEntries,
            seed: 0,
            links: FollowedLinks::All,
            max_documents_per_domain: None,
            budget: None,
            counts_misses: false,
            obeys_robots: true,
            hosts: None,
            pace: TrialPace::AsFastAsPossible,
            queue: TrialQueue::Memory,
        }
    }
}

/// Where a trial starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TrialStart {
    /// At the seeds of the web: start a of the study.
    Seeds,
    /// At the seeds, then the entry pages: start b.
    SeedsAndEntries,
    /// At these URIs, in this order.
    Uris(Vec<Uri>),
}

/// Delays and concurrency of a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialPace {
    /// One request after another, without delay.
    AsFastAsPossible,
    /// With the delays and the concurrency of a real crawl, in virtual time.
    Polite {
        /// The time between two requests to a domain.
        delay: Duration,
        /// Duration of a request.
        latency: Duration,
        /// Maximum number of concurrent requests.
        concurrency: usize,
        /// How long low-priority URIs are deferred while a better domain is rate-limited.
        hold: Duration,
    },
}

impl TrialPace {
    /// One second between two requests to a domain.
    pub const POLITE: Self = Self::Polite {
        delay: Duration::from_secs(1),
        latency: Duration::from_millis(100),
        concurrency: 64,
        hold: Duration::from_secs(5),
    };
}

/// Where the frontier of a trial is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialQueue {
    /// In memory.
    Memory,
    /// On disk, as in a crawl, in a temporary directory.
    Embedded,
}

/// A trial failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The crawl failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The frontier could not be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The temporary directory could not be created.
    #[error("cannot create a directory for the frontier of a trial")]
    Directory(#[from] std::io::Error),
}

impl Trial {
    /// The URIs at which the trial starts: seeds, then entry pages. Each group is shuffled by the seed
    /// of the random number generator; with round robin, this is the only effect of that seed.
    #[must_use]
    pub fn start_uris(&self, web: &RecordedWeb) -> Vec<Uri> {
        let (mut seeds, mut entries) = match &self.start {
            TrialStart::Uris(uris) => return uris.clone(),
            TrialStart::Seeds => (web.seeds.clone(), Vec::new()),
            TrialStart::SeedsAndEntries => (web.seeds.clone(), web.entries.clone()),
        };
        let mut rng = SmallRng::seed_from_u64(self.seed);
        seeds.shuffle(&mut rng);
        entries.shuffle(&mut rng);
        let known: HashSet<Uri> = seeds.iter().cloned().collect();
        seeds.extend(entries.into_iter().filter(|entry| !known.contains(entry)));
        seeds.retain(|uri| self.is_in_scope(uri));
        seeds
    }

    /// Whether the host of a URI is one that the trial may fetch from.
    #[must_use]
    pub fn is_in_scope(&self, uri: &Uri) -> bool {
        self.hosts.as_ref().is_none_or(|hosts| hosts.contains(uri.host()))
    }

    fn settings(&self) -> EngineOptions {
        /// An interval longer than any trial, so that its event never occurs.
        const NEVER: Duration = Duration::from_hours(1 << 20);
        let settings = EngineOptions {
            product_token: PRODUCT_TOKEN.to_owned(),
            robots_ttl: NEVER,
            sync_interval: NEVER,
            model_interval: NEVER,
            max_cached_hosts: usize::MAX,
            rng_seed: self.seed,
            ..EngineOptions::default()
        };
        match self.pace {
            TrialPace::AsFastAsPossible => EngineOptions {
                max_concurrent_requests: 1,
                delay: Duration::ZERO,
                max_hold: Duration::ZERO,
                in_order: true,
                ..settings
            },
            TrialPace::Polite { delay, concurrency, hold, .. } => EngineOptions {
                max_concurrent_requests: concurrency,
                delay,
                max_hold: hold,
                in_order: false,
                ..settings
            },
        }
    }
}

/// Runs a trial and returns its ledger.
pub fn run(web: &Arc<RecordedWeb>, trial: &Trial, strategy: Box<dyn Strategy>) -> Result<Ledger, TrialError> {
    // With a paused clock a trial never waits, and its result does not depend on the load of the
    // machine.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let directory = tempfile::tempdir()?;
    let frontier = trial.open_frontier(directory.path())?;
    let (stop, commands) = mpsc::channel(1);
    let recorder = LedgerRecorder::new(Arc::clone(web), trial.budget, stop);
    let crawl = CrawlBuilder {
        scope: Scope { links: trial.links, ..Scope::default() },
        options: trial.settings(),
        ..CrawlBuilder::new(
            frontier,
            Box::new(ObservedStrategy { strategy, recorder: Arc::clone(&recorder) }),
            Arc::new(RecordedFetcher::new(web, trial, &recorder)),
            Arc::new(RecordedExtractor::new(web, trial)),
            Arc::new(NullStore),
        )
    }
    .build();
    let (progress, _) = watch::channel(lodeward::engine::CrawlSnapshot::default());
    runtime.block_on(async {
        recorder.start_clock();
        crawl.run(trial.start_uris(web), commands, progress).await
    })?;
    Ok(recorder.take_ledger())
}

impl Trial {
    fn open_frontier(&self, directory: &std::path::Path) -> Result<Arc<dyn Frontier>, TrialError> {
        let max_documents_per_domain = self.max_documents_per_domain;
        Ok(match self.queue {
            TrialQueue::Memory => Arc::new(MemoryFrontier::new(max_documents_per_domain)),
            TrialQueue::Embedded => {
                let database = embedded::open_database(directory, 32)
                    .map_err(|error| FrontierError::new("cannot open the frontier database", error))?;
                let options = embedded::EmbeddedFrontierOptions {
                    max_documents_per_domain,
                    ..embedded::EmbeddedFrontierOptions::default()
                };
                Arc::new(EmbeddedFrontier::open(&database, options)?)
            }
        })
    }
}
