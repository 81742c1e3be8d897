//! Assembles a crawl from the settings.
//!
//! This is the only module that names concrete backends: all others use the traits
//! [`Frontier`] and [`Store`].

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lodeward_archive::Archive;
use lodeward_markup::json_ld::ContextLoader;
use regex::RegexSet;

use crate::config::{self, Config};
use crate::crawl::CrawlBuilder;
use crate::discover::DiscoverPolicy;
use crate::engine::hosts::with_margin;
use crate::engine::{DomainPolicy, EngineOptions, FollowedLinks, HopLimits, Scope};
use crate::extract::{self, DocumentReader};
use crate::fetch::warc::{ReplayError, WarcOptions, WarcRecorder, WarcReplay};
use crate::fetch::{FetchOptionsError, Fetcher, HttpFetcher};
use crate::frontier::embedded::{self, EmbeddedFrontier};
use crate::frontier::{Frontier, FrontierError, UriRecord};
use crate::model::{RefreshIntervals, Uri};
use crate::store::segments::{self, SegmentStore};
use crate::store::{Store, StoreError};

mod candidates;
mod csv;
mod contact;
mod state_dump;
mod explain;
mod graph_export;
mod archive_feed;
mod focus;
mod load_facts;
mod source;
mod model_store;
mod reference;
mod remote_store;
mod services;
mod strategy;

pub use archive_feed::{
    ArchiveFeedError, FeedProgress, catch_up, catch_up_crawl, open_archive, output_graph_names, rebuild,
};
pub use candidates::{
    Candidate, CandidateError, CandidatePage, CandidateQuery, MarkFilter, candidates, candidates_with,
    for_each_candidate, rank,
};
pub use contact::has_required_contact;
pub use csv::{write_csv_head, write_csv_line};
pub use explain::{ExplainError, JudgementSummary, UriExplanation, explain};
pub use focus::ranking_options;
pub use graph_export::{ExportError, ExportPart, ExportSource, GraphExport, export_crawl, last_export, remove_export};
pub use load_facts::{RedirectMap, empty_fact_base, facts_options, load_fact_base};
pub use model_store::FileModelStore;
pub use reference::{ReferenceError, ReferenceGraph, load_reference};
pub use services::service_handler;
pub use source::{archive_labels, endpoint_labels};
pub use state_dump::{dump_state, load_state};
pub use strategy::{max_siblings, saved_strategy, strategy};

/// A crawl cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlOpenError {
    /// Another process uses the crawl.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// The database of the crawl cannot be opened.
    #[error("cannot open {path}")]
    Database {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: fjall::Error,
    },
    /// The database of the crawl cannot be restored from a dump.
    #[error("cannot restore {path}")]
    Dump {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: lodeward_archive::dump::DumpError,
    },
    /// The frontier cannot be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The options of HTTP requests are invalid.
    #[error(transparent)]
    Fetch(#[from] FetchOptionsError),
    /// The settings of the remote store are invalid.
    #[error(transparent)]
    Remote(#[from] crate::store::remote_store::RemoteStoreError),
    /// A WARC file cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// WARC files cannot be written.
    #[error("cannot record into {path}")]
    Record {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: std::io::Error,
    },
    /// The directory of JSON-LD contexts does not exist.
    #[error("extract.contexts: no such directory: {}", .0.display())]
    Contexts(PathBuf),
    /// The strategy cannot be created.
    #[error(transparent)]
    Strategy(#[from] crate::select::StrategyError),
    /// A file of the crawl cannot be read.
    #[error(transparent)]
    DataDir(#[from] crate::data_dir::DataDirError),
    /// The reference graph cannot be loaded.
    #[error(transparent)]
    Reference(Box<ReferenceError>),
    /// The marks of candidates cannot be read.
    #[error(transparent)]
    Marks(#[from] crate::rank::MarksError),
    /// A pattern is not a regular expression.
    #[error("invalid regular expression")]
    Pattern(#[from] regex::Error),
}

impl From<ReferenceError> for CrawlOpenError {
    fn from(error: ReferenceError) -> Self {
        match error {
            ReferenceError::Open(error) => error,
            error => Self::Reference(Box::new(error)),
        }
    }
}

/// The data of a crawl on disk, opened.
pub struct OpenCrawl {
    /// The frontier of the crawl.
    pub frontier: Arc<dyn Frontier>,
    /// The store of the harvest.
    pub store: Arc<dyn Store>,
    /// The harvest as a log for followers.
    pub segments: Arc<SegmentStore>,
    /// The directory of the crawl.
    pub directory: PathBuf,
    /// Documents whose statements were lost in a power cut. They are queued again.
    pub requeued: Vec<UriRecord>,
    /// The archive of the data directory, if the caller has opened it: an archive cannot be opened
    /// twice.
    pub archive: Option<Archive>,
}

/// The clock, in milliseconds since the Unix epoch. A parameter, because only the engine and
/// the binaries read a clock.
pub type NowMs = fn() -> u64;

impl OpenCrawl {
    /// Returns the data directory of the crawl, and the number of the crawl.
    #[must_use]
    pub fn location(&self) -> Option<(&Path, u32)> {
        let crawl = self.directory.file_name()?.to_str()?.parse().ok()?;
        Some((self.directory.parent()?.parent()?, crawl))
    }
}

/// Opens the crawl in `directory`, or creates it.
pub fn open_crawl(config: &Config, directory: &Path, now: NowMs) -> Result<OpenCrawl, CrawlOpenError> {
    let (store, database) = open_segments(config, directory)?;
    let frontier = EmbeddedFrontier::open(&database, frontier_options(config, now))?;
    let requeued = frontier.requeue_lost(store.lost_documents())?;
    // The lost documents are acknowledged after they are queued: if the process is killed before
    // this line, the next process finds them again.
    store.acknowledge_lost()?;
    if !requeued.is_empty() {
        tracing::warn!(documents = requeued.len(), "documents lost in a power cut are fetched again");
    }
    let segments = Arc::new(store);
    let store = Arc::clone(&segments) as Arc<dyn Store>;
    Ok(OpenCrawl {
        frontier: Arc::new(frontier),
        store,
        segments,
        directory: directory.to_owned(),
        requeued,
        archive: None,
    })
}

/// Opens the harvest of a crawl, and the database with its index.
fn open_segments(config: &Config, directory: &Path) -> Result<(SegmentStore, fjall::Database), CrawlOpenError> {
    let path = directory.join("state");
    let database =
        embedded::open_database(&path, config.store.frontier_cache.div_ceil(1 << 20)).map_err(
            |source| match source {
                fjall::Error::Locked => CrawlOpenError::InUse(directory.to_owned()),
                source => CrawlOpenError::Database { path: path.clone(), source },
            },
        )?;
    let documents = documents_table(&database).map_err(|source| CrawlOpenError::Database { path, source })?;
    let options = segments::SegmentOptions::default();
    let store = SegmentStore::open(directory.join("segments"), documents, database.clone(), options)?;
    Ok((store, database))
}

/// Opens or creates the database table that holds the index of a harvest.
fn documents_table(database: &fjall::Database) -> Result<fjall::Keyspace, fjall::Error> {
    database.keyspace("documents", || fjall::KeyspaceCreateOptions::default().max_memtable_size(2 << 20))
}

/// Number of queue entries that a focused crawl holds in memory, as a multiple of the default.
const FOCUS_HEADS_FACTOR: usize = 4;

fn frontier_options(config: &Config, now: NowMs) -> embedded::EmbeddedFrontierOptions {
    let defaults = embedded::EmbeddedFrontierOptions::default();
    let is_focused = config.crawl.strategy == config::StrategyKind::Focus;
    let focused_heads = FOCUS_HEADS_FACTOR * defaults.max_heads;
    embedded::EmbeddedFrontierOptions {
        order: strategy::order(config),
        max_documents_per_domain: config
            .crawl
            .max_documents_per_domain
            .map(|max| u32::try_from(max).unwrap_or(u32::MAX)),
        delay_on_open: if config.fetch.replay.is_empty() { with_margin(delay(config)) } else { Duration::ZERO },
        opened_at_ms: now(),
        // A focused crawl is ranked repeatedly, and a new order applies only to the entries in
        // memory, which may all be in one domain.
        max_heads: if is_focused { focused_heads } else { defaults.max_heads },
        max_heads_per_domain: if is_focused { focused_heads } else { defaults.max_heads_per_domain },
        expected_uris: defaults.expected_uris,
    }
}

/// A crawl that is ready to run, and its recorder.
pub struct AssembledCrawl {
    /// The crawl. The caller may add observers and share politeness.
    pub crawl: CrawlBuilder,
    /// The WARC recorder, if requests are recorded. It reports its errors at the end.
    pub recorder: Option<Arc<WarcRecorder<HttpFetcher>>>,
}

/// Assembles a crawl. `seeds` are all of its seeds, from all runs.
pub fn assemble_crawl(
    config: &Config,
    open: &OpenCrawl,
    seeds: &[Uri],
    now: NowMs,
) -> Result<AssembledCrawl, CrawlOpenError> {
    let options = fetch_options(config)?;
    let product_token = options.product_token();
    let (fetcher, recorder) = fetcher(config, options, now)?;
    let model_store = FileModelStore::for_crawl(&open.directory);
    let strategy = match config.crawl.strategy {
        // The strategy is created before the followers start: both may open the archive, which
        // cannot be opened twice.
        config::StrategyKind::Focus => Box::new(focus::resume(config, open, seeds)?),
        _ => strategy(config, model_store.read().as_deref())?,
    };
    let mut followers = archive_feed::start_followers(config, open, seeds);
    remote_store::start_remote_follower(config, open, seeds, &mut followers)?;
    let crawl = CrawlBuilder::new(
        Arc::clone(&open.frontier),
        strategy,
        fetcher,
        Arc::new(DocumentReader::with_contexts(extract_options(config), contexts(config)?)),
        Arc::clone(&open.store),
    )
    .scope(scope(config, seeds)?)
    .discover(discover_policy(config))
    .options(engine_options(config, product_token, now))
    .model_store(Arc::new(model_store))
    .followers(followers)
    .requeued(open.requeued.clone());
    Ok(AssembledCrawl { crawl, recorder })
}

/// The available JSON-LD contexts.
fn contexts(config: &Config) -> Result<Arc<dyn ContextLoader>, CrawlOpenError> {
    let contexts = config.extract.contexts.as_str();
    let directory = (contexts != config::BUNDLED_CONTEXTS).then(|| Path::new(contexts));
    match directory.filter(|directory| !directory.is_dir()) {
        Some(missing) => Err(CrawlOpenError::Contexts(missing.to_owned())),
        None => Ok(extract::contexts(directory)),
    }
}

type FetcherAndRecorder = (Arc<dyn Fetcher>, Option<Arc<WarcRecorder<HttpFetcher>>>);

fn fetcher(
    config: &Config,
    options: crate::fetch::FetchOptions,
    now: NowMs,
) -> Result<FetcherAndRecorder, CrawlOpenError> {
    let recordings: Vec<PathBuf> = config.fetch.replay.iter().map(PathBuf::from).collect();
    if !recordings.is_empty() {
        return Ok((Arc::new(WarcReplay::open(recordings)?), None));
    }
    let fetcher = HttpFetcher::new(options)?;
    let Some(directory) = config.fetch.warc_dir.as_ref().map(PathBuf::from) else {
        return Ok((Arc::new(fetcher), None));
    };
    let options = WarcOptions { dir: directory.clone(), ..WarcOptions::default() };
    let recorder = WarcRecorder::new(fetcher, options, now)
        .map_err(|source| CrawlOpenError::Record { path: directory, source })?;
    let recorder = Arc::new(recorder);
    Ok((Arc::clone(&recorder) as Arc<dyn Fetcher>, Some(recorder)))
}

fn fetch_options(config: &Config) -> Result<crate::fetch::FetchOptions, CrawlOpenError> {
    let fetch = &config.fetch;
    Ok(crate::fetch::FetchOptions {
        user_agent: fetch.user_agent.clone(),
        contact: fetch.contact.clone(),
        accept: fetch.accept.clone(),
        connect_timeout_ms: to_ms(fetch.connect_timeout),
        read_timeout_ms: to_ms(fetch.read_timeout),
        document_timeout_ms: to_ms(fetch.document_timeout),
        max_body_bytes: fetch.max_document_size,
        max_dump_bytes: fetch.max_dump_size,
        resume_delay_ms: to_ms(config.politeness.delay),
        proxy: fetch.proxy.clone(),
        resolve: fetch.resolve.iter().map(|rule| rule.parse()).collect::<Result<_, _>>()?,
        ca_certificates: fetch.ca_certificates.iter().map(PathBuf::from).collect(),
        allow_private_addresses: fetch.allow_private_addresses,
        ..crate::fetch::FetchOptions::default()
    })
}

/// Returns the options for reading documents, as configured.
#[must_use]
pub fn extract_options(config: &Config) -> extract::ExtractOptions {
    extract::ExtractOptions {
        named_graphs: config.extract.named_graphs,
        obey_nofollow: config.extract.obey_nofollow,
        max_siblings: strategy::max_siblings(config),
        max_dump_bytes: config.fetch.max_dump_size,
        ..extract::ExtractOptions::default()
    }
}

/// Returns which data sources other than documents are read.
fn discover_policy(config: &Config) -> DiscoverPolicy {
    let discover = &config.discover;
    DiscoverPolicy {
        sparql_endpoints: discover.sparql_endpoints,
        ckan: discover.ckan,
        sitemaps: discover.sitemaps,
        well_known_void: discover.well_known_void,
        max_quads_per_service: discover.max_quads_per_service,
        max_requests_per_service: discover.max_requests_per_service,
        ..DiscoverPolicy::default()
    }
}

/// Returns which links are followed.
#[must_use]
pub fn followed_links(config: &Config) -> FollowedLinks {
    match config.crawl.strategy {
        config::StrategyKind::BfsRdf | config::StrategyKind::Heuristic => FollowedLinks::Rdf,
        _ => config.crawl.links,
    }
}

/// Returns which domains the users of a service may crawl.
#[must_use]
pub fn domain_policy(config: &Config) -> DomainPolicy {
    let set = |domains: &[String]| {
        let bare = |domain: &String| domain.trim_matches('.').to_ascii_lowercase();
        domains.iter().map(bare).collect()
    };
    DomainPolicy { allowed: set(&config.service.allowed_domains), denied: set(&config.service.denied_domains) }
}

fn scope(config: &Config, seeds: &[Uri]) -> Result<Scope, CrawlOpenError> {
    let crawl = &config.crawl;
    Ok(Scope {
        domain_policy: DomainPolicy::default(),
        links: followed_links(config),
        max_depth: crawl.max_depth,
        domains: (crawl.stay != config::StayScope::Off).then(|| seeds.iter().map(Uri::pld).collect()),
        hosts: (crawl.stay == config::StayScope::Host)
            .then(|| seeds.iter().map(|seed| seed.host().to_owned()).collect()),
        include: if crawl.include.is_empty() { None } else { Some(RegexSet::new(&crawl.include)?) },
        exclude: RegexSet::new(&crawl.exclude)?,
        follow_predicates: crawl.follow_predicates.iter().cloned().collect::<HashSet<_>>(),
        skips_vocabularies: !crawl.follow_vocabularies,
        skipped_extensions: crawl
            .skip_extensions
            .as_ref()
            .map(|extensions| extensions.iter().map(|extension| extension.to_ascii_lowercase()).collect()),
    })
}

fn delay(config: &Config) -> Duration {
    config.politeness.delay
}

/// Returns when documents are revalidated.
#[must_use]
pub fn refresh_intervals(config: &Config) -> RefreshIntervals {
    let config::RefreshSettings { first_interval, min_interval, max_interval, .. } = config.refresh;
    RefreshIntervals {
        first_ms: to_ms(first_interval),
        min_ms: to_ms(min_interval),
        max_ms: to_ms(max_interval),
        ..RefreshIntervals::default()
    }
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn engine_options(config: &Config, product_token: String, now: NowMs) -> EngineOptions {
    let Config { crawl, politeness, fetch, refresh, .. } = config;
    EngineOptions {
        max_concurrent_requests: politeness.max_concurrent_requests,
        delay: if fetch.replay.is_empty() { delay(config) } else { Duration::ZERO },
        product_token,
        max_retry_after: politeness.max_retry_after,
        max_consecutive_failures: politeness.max_consecutive_failures,
        max_redirects: fetch.max_redirects,
        max_requests: crawl.max_requests,
        max_documents: crawl.effective_max_documents(),
        max_rdf_documents: crawl.max_rdf_documents,
        hops: HopLimits {
            max_documents: crawl.hops.max_documents,
            max_documents_per_domain: crawl.hops.max_documents_per_domain,
            max_domains: crawl.hops.max_domains,
            min_domains: crawl.hops.min_domains,
        },
        provenance_agent: (config.store.provenance != config::ProvenanceStorage::Off).then(|| fetch.user_agent()),
        max_hold: config.strategy.learned.max_hold,
        follower_timeout: config.store.follower_timeout,
        rng_seed: crawl.rng_seed,
        in_order: !fetch.replay.is_empty(),
        intervals: refresh_intervals(config),
        keep_deleted: refresh.keep_deleted,
        now_ms: now,
        ..EngineOptions::default()
    }
}
