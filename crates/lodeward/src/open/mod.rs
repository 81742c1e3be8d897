//! From a configuration to a furnished crawl.
//!
//! The one module that names concrete backends: everywhere else a frontier is a
//! [`Frontier`], a store a [`Store`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lodeward_archive::Archive;
use lodeward_markup::json_ld::Contexts;
use regex::RegexSet;

use crate::config::{self, Config};
use crate::discover::{Endpoints, Policy};
use crate::engine::arrival::with_margin;
use crate::engine::{Crawl, Domains, HopLimits, LinkKinds, Scope, Settings};
use crate::extract::{self, NamedGraphs, Reader};
use crate::fetch::warc::{Recorder, Replay, ReplayError, WriterOptions};
use crate::fetch::{Fetcher, HttpFetcher, OptionsError};
use crate::frontier::embedded::{self, EmbeddedFrontier};
use crate::frontier::{Frontier, FrontierError, Life};
use crate::model::{Intervals, Uri};
use crate::store::segments::{self, SegmentStore};
use crate::store::{Store, StoreError};

mod candidates;
mod candidates_csv;
mod contact;
mod copy;
mod explain;
mod export;
mod feeds;
mod focus;
mod gather;
mod labels;
mod notebook;
mod reference;
mod remote;
mod services;
mod strategy;

pub use candidates::{
    Candidate, Candidates, CandidatesError, Shown, Wish, candidates, candidates_with, each_candidate, rank,
};
pub use candidates_csv::{write_csv_head, write_csv_line};
pub use contact::names_contact;
pub use copy::{dump_state, load_state};
pub use explain::{ExplainError, Explanation, Judgment, explain};
pub use export::{ExportError, Exported, Part, Source, export_crawl, exported, remove_export};
pub use feeds::{FeedError, Feeding, archive, catch_up, catch_up_crawl, names_in_output, rebuild};
pub use focus::ranking_options;
pub use gather::{Redirects, empty_gathering, facts_options, gathering};
pub use labels::{labels, labels_at};
pub use notebook::FileNotebook;
pub use reference::{ReferenceError, ReferenceGraph, reference};
pub use services::services;
pub use strategy::{kept, siblings_max, strategy};

/// A crawl cannot begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum OpenError {
    /// Another process has it.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// Its database cannot be opened.
    #[error("cannot open {path}")]
    Database {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: fjall::Error,
    },
    /// Its database cannot be made from what was written of it.
    #[error("cannot restore {path}")]
    Dump {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: lodeward_archive::dump::DumpError,
    },
    /// The frontier cannot be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The options for fetching make no sense.
    #[error(transparent)]
    Fetch(#[from] OptionsError),
    /// The remote store cannot be used as it was described.
    #[error(transparent)]
    Remote(#[from] crate::store::sparql::OpenError),
    /// A recording cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A recording cannot be written.
    #[error("cannot record into {path}")]
    Record {
        /// Where.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: std::io::Error,
    },
    /// The folder of JSON-LD contexts is not there.
    #[error("--contexts {}: there is no such folder", .0.display())]
    Contexts(PathBuf),
    /// The strategy cannot begin.
    #[error(transparent)]
    Strategy(#[from] crate::select::StrategyError),
    /// What is kept of the crawl cannot be read.
    #[error(transparent)]
    Registry(#[from] crate::registry::RegistryError),
    /// Where seeds are to be measured cannot be had.
    #[error(transparent)]
    Reference(Box<ReferenceError>),
    /// What the user has marked cannot be read.
    #[error(transparent)]
    Marks(#[from] crate::rank::MarksError),
    /// A pattern is not a regular expression.
    #[error("not a pattern")]
    Pattern(#[from] regex::Error),
}

impl From<ReferenceError> for OpenError {
    fn from(error: ReferenceError) -> Self {
        match error {
            ReferenceError::Open(error) => error,
            error => Self::Reference(Box::new(error)),
        }
    }
}

/// What a crawl keeps on disk, opened.
pub struct Shelf {
    /// Its frontier.
    pub frontier: Arc<dyn Frontier>,
    /// Its harvest.
    pub store: Arc<dyn Store>,
    /// The same, as what others follow.
    pub segments: Arc<SegmentStore>,
    /// Where all that is.
    pub directory: PathBuf,
    /// Documents whose harvest was lost, and which are queued again.
    pub revived: Vec<Life>,
    /// The archive of its data directory, if whoever opened this has it open: it
    /// cannot be opened twice.
    pub archive: Option<Archive>,
}

/// Tells the time, in milliseconds since the Unix epoch. Handed in, because
/// only the engine and the binary look at clocks.
pub type Now = fn() -> u64;

impl Shelf {
    /// The data directory that the crawl is in, and its number there.
    #[must_use]
    pub fn place(&self) -> Option<(&Path, u32)> {
        let crawl = self.directory.file_name()?.to_str()?.parse().ok()?;
        Some((self.directory.parent()?.parent()?, crawl))
    }
}

/// Opens what a crawl keeps in `directory`, or begins it.
pub fn shelf(config: &Config, directory: &Path, now: Now) -> Result<Shelf, OpenError> {
    let (store, database) = segments(config, directory)?;
    let frontier = EmbeddedFrontier::open(&database, frontier_options(config, now))?;
    let revived = frontier.revive(store.lost())?;
    // Only now: whoever is killed before this line finds them lost again.
    store.forget_lost()?;
    if !revived.is_empty() {
        tracing::warn!(documents = revived.len(), "documents that a power cut took will be visited again");
    }
    let segments = Arc::new(store);
    let store = Arc::clone(&segments) as Arc<dyn Store>;
    Ok(Shelf { frontier: Arc::new(frontier), store, segments, directory: directory.to_owned(), revived, archive: None })
}

/// Opens the harvest of a crawl, and the database that has its index.
fn segments(config: &Config, directory: &Path) -> Result<(SegmentStore, fjall::Database), OpenError> {
    let path = directory.join("state");
    let database = embedded::open_database(&path, config.frontier.cache_mb).map_err(|source| match source {
        fjall::Error::Locked => OpenError::InUse(directory.to_owned()),
        source => OpenError::Database { path: path.clone(), source },
    })?;
    let documents = documents(&database).map_err(|source| OpenError::Database { path, source })?;
    let options =
        segments::Options { segment_bytes_max: config.store.segment_mb << 20, ..segments::Options::default() };
    let store = SegmentStore::open(directory.join("segments"), documents, database.clone(), options)?;
    Ok((store, database))
}

/// The table of the index of a harvest.
fn documents(database: &fjall::Database) -> Result<fjall::Keyspace, fjall::Error> {
    database.keyspace("documents", || fjall::KeyspaceCreateOptions::default().max_memtable_size(2 << 20))
}

/// How many more candidates a focused crawl holds in memory than another.
const FOCUS_HEADS_FACTOR: usize = 4;

fn frontier_options(config: &Config, now: Now) -> embedded::Options {
    embedded::Options {
        order: strategy::order(config),
        documents_per_pld_max: config.crawl.max_per_pld.map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
        rest_on_open: if config.fetch.replay.is_empty() { with_margin(delay(config)) } else { Duration::ZERO },
        opened_at_ms: now(),
        heads_total_max: match config.crawl.strategy {
            // A new order reaches those in memory.
            config::Strategy::Focus => FOCUS_HEADS_FACTOR * config.frontier.heads_total,
            _ => config.frontier.heads_total,
        },
        heads_per_pld_max: match config.crawl.strategy {
            // They may all be in one domain.
            config::Strategy::Focus => FOCUS_HEADS_FACTOR * config.frontier.heads_total,
            _ => config.frontier.heads_per_pld,
        },
        known_expected: usize::try_from(config.frontier.bloom_expected).unwrap_or(usize::MAX),
    }
}

/// A crawl, ready to run, and who writes it down.
pub struct Furnished {
    /// The crawl.
    pub crawl: Crawl,
    /// The recorder, if there is one: its errors are asked for at the end.
    pub recorder: Option<Arc<Recorder<HttpFetcher>>>,
}

/// Furnishes a crawl. `seeds` are all it ever had.
pub fn crawl(config: &Config, shelf: &Shelf, seeds: &[Uri], now: Now) -> Result<Furnished, OpenError> {
    let options = fetch_options(config)?;
    let product_token = options.product_token();
    let (fetcher, recorder) = fetcher(config, options, now)?;
    let notebook = FileNotebook::of_crawl(&shelf.directory);
    let strategy = match config.crawl.strategy {
        // Before anybody follows: it may look into the archive.
        config::Strategy::Focus => Box::new(focus::resumed(config, shelf, seeds)?),
        _ => strategy(config, notebook.read().as_deref())?,
    };
    let mut followers = feeds::followers(config, shelf, seeds);
    remote::follow(config, shelf, seeds, &mut followers)?;
    let crawl = Crawl {
        frontier: Arc::clone(&shelf.frontier),
        strategy,
        notebook: Some(Arc::new(notebook)),
        fetcher,
        extractor: Arc::new(Reader::with_contexts(extract_options(config), contexts(config)?)),
        store: Arc::clone(&shelf.store),
        followers,
        scope: scope(config, seeds)?,
        discover: policy(config),
        settings: settings(config, product_token, now),
        revived: shelf.revived.clone(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    };
    Ok(Furnished { crawl, recorder })
}

/// The JSON-LD contexts that are at hand.
fn contexts(config: &Config) -> Result<Arc<dyn Contexts>, OpenError> {
    let folder = config.extract.contexts.as_deref().map(Path::new);
    match folder.filter(|folder| !folder.is_dir()) {
        Some(missing) => Err(OpenError::Contexts(missing.to_owned())),
        None => Ok(extract::contexts(folder)),
    }
}

type FetcherAndRecorder = (Arc<dyn Fetcher>, Option<Arc<Recorder<HttpFetcher>>>);

fn fetcher(config: &Config, options: crate::fetch::Options, now: Now) -> Result<FetcherAndRecorder, OpenError> {
    let recordings: Vec<PathBuf> = config.fetch.replay.iter().map(PathBuf::from).collect();
    if !recordings.is_empty() {
        return Ok((Arc::new(Replay::open(recordings)?), None));
    }
    let fetcher = HttpFetcher::new(options)?;
    let Some(folder) = config.fetch.warc.as_ref().map(PathBuf::from) else {
        return Ok((Arc::new(fetcher), None));
    };
    let options = WriterOptions { folder: folder.clone(), ..WriterOptions::default() };
    let recorder = Recorder::new(fetcher, options, now).map_err(|source| OpenError::Record { path: folder, source })?;
    let recorder = Arc::new(recorder);
    Ok((Arc::clone(&recorder) as Arc<dyn Fetcher>, Some(recorder)))
}

fn fetch_options(config: &Config) -> Result<crate::fetch::Options, OpenError> {
    let fetch = &config.fetch;
    Ok(crate::fetch::Options {
        user_agent: fetch.user_agent.clone(),
        contact: fetch.contact.clone(),
        accept: fetch.accept.clone(),
        connect_ms_max: fetch.connect_timeout_s * 1_000,
        read_ms_max: fetch.read_timeout_s * 1_000,
        document_ms_max: fetch.document_timeout_s * 1_000,
        body_bytes_max: fetch.body_bytes_max,
        dump_bytes_max: fetch.dump_bytes_max,
        ratio_max: fetch.ratio_max,
        resume_wait_ms: config.politeness.delay_ms,
        proxy: fetch.proxy.clone(),
        resolve: fetch.resolve.iter().map(|rule| rule.parse()).collect::<Result<_, _>>()?,
        ca_certificates: fetch.ca_certs.iter().map(PathBuf::from).collect(),
        allow_private: fetch.allow_private,
        ..crate::fetch::Options::default()
    })
}

/// How documents are read under this configuration.
#[must_use]
pub fn extract_options(config: &Config) -> extract::Options {
    extract::Options {
        named_graphs: if config.extract.named_graphs { NamedGraphs::Keep } else { NamedGraphs::Fold },
        links_per_document_max: config.extract.links_per_document_max,
        respect_nofollow: config.extract.respect_nofollow,
        siblings_max: strategy::siblings_max(config),
        dump_bytes_max: config.fetch.dump_bytes_max,
        ..extract::Options::default()
    }
}

/// What is asked for besides documents.
fn policy(config: &Config) -> Policy {
    let discover = &config.discover;
    Policy {
        endpoints: match discover.endpoints {
            config::Endpoints::Off => Endpoints::Off,
            config::Endpoints::Describe => Endpoints::Describe,
            config::Endpoints::Harvest => Endpoints::Harvest,
        },
        catalogues: discover.catalogues,
        sitemaps: discover.sitemaps,
        well_known: discover.well_known,
        page_rows: discover.page_rows,
        quads_max: discover.quads_max,
        requests_max: discover.requests_max,
    }
}

/// Which links are followed under this configuration.
#[must_use]
pub fn link_kinds(config: &Config) -> LinkKinds {
    match config.crawl.links {
        _ if matches!(config.crawl.strategy, config::Strategy::BfsRdf | config::Strategy::Heuristic) => LinkKinds::Rdf,
        config::Links::All => LinkKinds::All,
        config::Links::Rdf => LinkKinds::Rdf,
    }
}

/// Which domains others may have crawled by a service.
#[must_use]
pub fn domains(config: &Config) -> Domains {
    let set = |domains: &[String]| {
        let bare = |domain: &String| domain.trim_matches('.').to_ascii_lowercase();
        domains.iter().map(bare).collect()
    };
    Domains { allowed: set(&config.service.allow_domains), denied: set(&config.service.deny_domains) }
}

fn scope(config: &Config, seeds: &[Uri]) -> Result<Scope, OpenError> {
    let crawl = &config.crawl;
    Ok(Scope {
        domains: Domains::default(),
        links: link_kinds(config),
        depth_max: crawl.max_depth,
        plds: crawl.stay.then(|| seeds.iter().map(Uri::pld).collect()),
        hosts: (crawl.stay && crawl.stay_on == config::StayOn::Host)
            .then(|| seeds.iter().map(|seed| seed.host().to_owned()).collect()),
        include: if crawl.include.is_empty() { None } else { Some(RegexSet::new(&crawl.include)?) },
        exclude: RegexSet::new(&crawl.exclude)?,
        follow: crawl.follow.iter().cloned().collect::<HashSet<_>>(),
        skips_vocabularies: !crawl.vocabularies,
        skipped_extensions: crawl
            .skip_extensions
            .as_ref()
            .map(|extensions| extensions.iter().map(|extension| extension.to_ascii_lowercase()).collect()),
    })
}

fn delay(config: &Config) -> Duration {
    Duration::from_millis(config.politeness.delay_ms)
}

/// When documents are visited again under this configuration.
#[must_use]
pub fn intervals(config: &Config) -> Intervals {
    const HOUR_MS: u64 = 3_600_000;
    let config::Refresh { first_days, min_hours, max_days, factor, .. } = config.refresh;
    let days = |days: u64| days.saturating_mul(24 * HOUR_MS);
    Intervals { first_ms: days(first_days), min_ms: min_hours.saturating_mul(HOUR_MS), max_ms: days(max_days), factor }
}

fn settings(config: &Config, product_token: String, now: Now) -> Settings {
    let Config { crawl, politeness, fetch, frontier, refresh, .. } = config;
    Settings {
        visits_max: politeness.requests_in_flight,
        delay: if fetch.replay.is_empty() { delay(config) } else { Duration::ZERO },
        product_token,
        robots_ttl: Duration::from_hours(politeness.robots_ttl_h),
        retry_after_max: Duration::from_secs(politeness.retry_after_max_s),
        give_up_after: politeness.give_up_after,
        redirects_max: fetch.redirects_max,
        requests_max: crawl.max_requests,
        documents_max: crawl.documents_max(),
        relevant_max: crawl.max_relevant,
        hops: HopLimits {
            documents_max: crawl.max_per_hop,
            documents_per_pld_max: crawl.max_per_pld_hop,
            plds_max: crawl.max_plds,
            plds_min: crawl.min_plds,
        },
        group_documents: frontier.group_documents as u64,
        group_time: Duration::from_millis(frontier.group_ms),
        sync_time: Duration::from_millis(frontier.sync_ms),
        provenance: (config.store.provenance != config::Provenance::Off).then(|| fetch.user_agent()),
        notebook_time: Duration::from_secs(config.select.keep_s),
        hold_time: Duration::from_secs(config.select.hold_s),
        patience: Duration::from_secs(config.store.patience_s),
        seed: crawl.seed,
        in_order: !fetch.replay.is_empty(),
        intervals: intervals(config),
        keep_vanished: refresh.keep_vanished,
        now_ms: now,
        ..Settings::default()
    }
}
