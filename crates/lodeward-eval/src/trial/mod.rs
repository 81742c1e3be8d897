//! One crawl of a recorded web, with the real engine.
//!
//! Everything is as in a crawl but for the web, which is in memory, and time,
//! which is virtual: an engine that waits does so at once. The protocol is
//! SELECTION-STUDY §1: a GET costs 1, a redirect 1, a HEAD 0.2; robots.txt is
//! free and counted apart; what nobody recorded is not offered, unless misses
//! count.

mod answers;
mod observed;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Crawl, CrawlError, LinkKinds, Scope, Settings};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, FrontierError, MemoryFrontier};
use lodeward::model::Uri;
use lodeward::select::{Order, Strategy};
use lodeward::store::follow::Followers;
use rand::SeedableRng as _;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom as _;
use tokio::sync::{mpsc, watch};

use crate::ledger::Ledger;
use crate::web::{PRODUCT_TOKEN, Web};
use answers::{Answers, Memory, Nowhere};
use observed::{Book, Observed};

/// One crawl to be run: everything but the strategy and the web.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Where it begins.
    pub start: Start,
    /// Where chance comes from: the strategy's, and the order of the start.
    pub seed: u64,
    /// Which links are followed.
    pub links: LinkKinds,
    /// Documents after which a domain is closed.
    pub documents_per_pld_max: Option<u32>,
    /// What may be spent; everything that can be had if `None`.
    pub budget: Option<f64>,
    /// Whether links are offered that lead to what nobody recorded.
    pub counts_misses: bool,
    /// Whether robots.txt files are obeyed. A recording is nobody's server, and
    /// the study's simulation did not look at them.
    pub obeys_robots: bool,
    /// The only hosts there are; all if `None`.
    pub hosts: Option<HashSet<String>>,
    /// How time passes.
    pub pace: Pace,
    /// Where URIs wait.
    pub queue: Queue,
}

impl Default for Trial {
    fn default() -> Self {
        Self {
            start: Start::SeedsAndEntries,
            seed: 0,
            links: LinkKinds::All,
            documents_per_pld_max: None,
            budget: None,
            counts_misses: false,
            obeys_robots: true,
            hosts: None,
            pace: Pace::AsFastAsPossible,
            queue: Queue::Memory,
        }
    }
}

/// Where a trial begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// The seeds of the web: start a of the study.
    Seeds,
    /// The seeds, then the entry pages: start b.
    SeedsAndEntries,
    /// These, in this order.
    These(Vec<Uri>),
}

/// How time passes in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// One request after the other, without a rest.
    AsFastAsPossible,
    /// As a crawl of the web, in virtual time.
    Polite {
        /// The time between two requests to a domain.
        delay: Duration,
        /// How long every answer takes.
        latency: Duration,
        /// How many requests may be under way.
        concurrency: usize,
        /// How long somebody who is not worth much waits for a better one.
        hold: Duration,
    },
}

impl Pace {
    /// A second between two requests to a domain.
    pub const POLITE: Self = Self::Polite {
        delay: Duration::from_secs(1),
        latency: Duration::from_millis(100),
        concurrency: 64,
        hold: Duration::from_secs(5),
    };
}

/// Where URIs wait in a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// In memory.
    Memory,
    /// On disk, as in a crawl, in a folder that is removed in the end.
    Embedded,
}

/// A trial could not be run to its end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrialError {
    /// The crawl failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The frontier could not be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// There is no room for a frontier on disk.
    #[error("no folder for the frontier of a trial")]
    Folder(#[from] std::io::Error),
}

impl Trial {
    /// The addresses it begins with, in their order. The seed shuffles them,
    /// seeds before entry pages: in a round robin that is all that it can do.
    #[must_use]
    pub fn start_of(&self, web: &Web) -> Vec<Uri> {
        let (mut seeds, mut entries) = match &self.start {
            Start::These(uris) => return uris.clone(),
            Start::Seeds => (web.seeds.clone(), Vec::new()),
            Start::SeedsAndEntries => (web.seeds.clone(), web.entries.clone()),
        };
        let mut rng = SmallRng::seed_from_u64(self.seed);
        seeds.shuffle(&mut rng);
        entries.shuffle(&mut rng);
        let known: HashSet<Uri> = seeds.iter().cloned().collect();
        seeds.extend(entries.into_iter().filter(|entry| !known.contains(entry)));
        seeds.retain(|uri| self.is_within(uri));
        seeds
    }

    /// Whether its universe holds this address.
    #[must_use]
    pub fn is_within(&self, uri: &Uri) -> bool {
        self.hosts.as_ref().is_none_or(|hosts| hosts.contains(uri.host()))
    }

    fn settings(&self) -> Settings {
        /// Longer than any trial.
        const NEVER: Duration = Duration::from_hours(1 << 20);
        let settings = Settings {
            product_token: PRODUCT_TOKEN.to_owned(),
            robots_ttl: NEVER,
            sync_time: NEVER,
            notebook_time: NEVER,
            hosts_remembered_max: usize::MAX,
            seed: self.seed,
            ..Settings::default()
        };
        match self.pace {
            Pace::AsFastAsPossible => {
                Settings { visits_max: 1, delay: Duration::ZERO, hold_time: Duration::ZERO, in_order: true, ..settings }
            }
            Pace::Polite { delay, concurrency, hold, .. } => {
                Settings { visits_max: concurrency, delay, hold_time: hold, in_order: false, ..settings }
            }
        }
    }
}

/// Crawls a web, and tells what was spent on what.
pub fn run(web: &Arc<Web>, trial: &Trial, strategy: Box<dyn Strategy>) -> Result<Ledger, TrialError> {
    // With a clock that stands still a trial never waits, and comes out the same
    // on a machine that is busy.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build()?;
    let folder = tempfile::tempdir()?;
    let frontier = trial.frontier(strategy.order(), folder.path())?;
    let (stop, commands) = mpsc::channel(1);
    let book = Book::new(Arc::clone(web), trial.budget, stop);
    let crawl = Crawl {
        frontier,
        strategy: Box::new(Observed { strategy, book: Arc::clone(&book) }),
        notebook: None,
        fetcher: Arc::new(Answers::new(web, trial, &book)),
        extractor: Arc::new(Memory::new(web, trial)),
        store: Arc::new(Nowhere),
        followers: Followers::default(),
        scope: Scope { links: trial.links, ..Scope::default() },
        discover: Policy::documents_only(),
        settings: trial.settings(),
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    };
    let (progress, _) = watch::channel(lodeward::engine::Snapshot::default());
    runtime.block_on(async {
        book.begin();
        crawl.run(trial.start_of(web), commands, progress).await
    })?;
    Ok(book.close())
}

impl Trial {
    fn frontier(&self, order: Order, folder: &std::path::Path) -> Result<Arc<dyn Frontier>, TrialError> {
        let documents_per_pld_max = self.documents_per_pld_max;
        Ok(match self.queue {
            Queue::Memory => Arc::new(MemoryFrontier::new(order, documents_per_pld_max)),
            Queue::Embedded => {
                let database = embedded::open_database(folder, 32).map_err(FrontierError::from)?;
                let options = embedded::Options { order, documents_per_pld_max, ..embedded::Options::default() };
                Arc::new(EmbeddedFrontier::open(&database, options)?)
            }
        })
    }
}
