//! The crawl loop: joins frontier, strategy, fetcher, extractor and store.
//!
//! One task, the `conductor`, owns all state of the crawl and handles a closed set of events.
//! Slow work (a request, parsing) is an *errand*: it runs concurrently with the conductor and
//! has no access to its state. Nothing here depends on RDF.
//!
//! Results take effect at once and are made durable in groups, always in the order store,
//! offers, settlements: a crash repeats at most the requests since the last commit.

pub(crate) mod builder;
mod clock;
mod conductor;
mod refresh;
mod departure;
mod hosts;
mod flights;
mod errand;
mod arrival;
mod robots;
mod scope_change;
mod failure_policy;
mod steps;
mod offer;
mod seed_redirects;
mod redirect_waits;
mod settle;
mod commits;
mod disk;
mod hours;
mod run_limits;
mod end_progress;
mod document_origin;
pub(crate) mod hops;
pub(crate) mod observer;
pub mod scope;
pub mod tally;
mod traps;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::frontier::{FrontierError, RefreshSelection};
use crate::model::{RefreshIntervals, Uri};
use crate::store::StoreError;

pub(crate) use builder::CrawlBuilder;
pub use disk::{DiskShortage, DiskSpace};
pub use end_progress::{EndProgress, EndTask};
pub use hops::{HopLimits, uncount_documents};
pub use hosts::{SharedPoliteness, UriWait, WaitReason, WaitReasons, with_margin};
pub use hours::DailyHours;
pub use observer::{Observer, RequestKind, RequestOutcome, RequestRecord};
pub use scope::{DomainPolicy, FollowedLinks, Scope};
pub use tally::{CrawlSnapshot, RefreshTally, Tally};

/// Stores the model of a strategy.
pub trait ModelStore: Send + Sync {
    /// Replaces the stored model atomically. Blocks.
    fn write(&self, model: &[u8]) -> std::io::Result<()>;
}

/// Limits and politeness of a crawl.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each flag is an independent option")]
pub struct EngineOptions {
    /// Maximum number of errands in flight.
    pub max_concurrent_requests: usize,
    /// Minimum time between two requests to a domain, and to an IP address.
    pub delay: Duration,
    /// The product token matched in robots.txt.
    pub product_token: String,
    /// How long a robots.txt is cached.
    pub robots_ttl: Duration,
    /// Maximum number of cached robots.txt files, and of cached host addresses.
    pub max_cached_hosts: usize,
    /// Maximum wait before a retry. A server that requests a longer one is delayed by this one, and abandoned if it
    /// then requests a longer one again.
    pub max_retry_after: Duration,
    /// Number of consecutive failures after which a domain is abandoned.
    pub max_consecutive_failures: u32,
    /// Maximum number of consecutive redirects.
    pub max_redirects: u8,
    /// Stop after this many requests.
    pub max_requests: Option<u64>,
    /// Stop after this many documents.
    pub max_documents: Option<u64>,
    /// Stop after this many RDF documents.
    pub max_rdf_documents: Option<u64>,
    /// Stop a run after this time.
    pub max_time: Option<Duration>,
    /// Stop a run after this many bytes of bodies were received, before decompression.
    pub max_bytes: Option<u64>,
    /// Send requests only in these hours of the day.
    pub hours: Option<DailyHours>,
    /// Whether no URI of a hop is requested before the previous hop is finished. The strategy must order URIs by hop.
    pub strict_hops: bool,
    /// Limits of each hop. They require strict hops.
    pub hops: HopLimits,
    /// Commit after this many documents.
    pub commit_documents: u64,
    /// Commit after this time.
    pub commit_interval: Duration,
    /// Sync commits to disk after this time, so that they survive a power failure.
    pub sync_interval: Duration,
    /// The user agent named in provenance; `None` to store no provenance.
    pub provenance_agent: Option<String>,
    /// Store the model of the strategy after this time.
    pub model_interval: Duration,
    /// How long low-priority URIs are deferred while a better domain is delayed.
    pub max_hold: Duration,
    /// How long to wait at the end for an unreachable follower.
    pub follower_timeout: Duration,
    /// The seed of the random number generator.
    pub rng_seed: u64,
    /// Process responses in the order of the requests: a replay with the same seed then gives
    /// the same crawl for any number of threads.
    pub in_order: bool,
    /// Whether the scope differs from that of the previous run. Waiting URIs are then checked again.
    pub scope_changed: bool,
    /// Which URIs are refreshed before new ones are requested.
    pub refresh: Option<RefreshSelection>,
    /// When documents are due for revalidation.
    pub intervals: RefreshIntervals,
    /// Whether the statements of deleted documents stay in the harvest.
    pub keep_deleted: bool,
    /// Returns the time in milliseconds since the Unix epoch.
    pub now_ms: fn() -> u64,
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self {
            max_concurrent_requests: 64,
            delay: Duration::from_secs(1),
            product_token: "lodeward".to_owned(),
            robots_ttl: Duration::from_hours(24),
            max_cached_hosts: 20_000,
            max_retry_after: Duration::from_hours(1),
            max_consecutive_failures: 25,
            max_redirects: 10,
            max_requests: None,
            max_documents: None,
            max_rdf_documents: None,
            max_time: None,
            max_bytes: None,
            hours: None,
            strict_hops: false,
            hops: HopLimits::default(),
            commit_documents: 64,
            commit_interval: Duration::from_millis(100),
            sync_interval: Duration::from_secs(1),
            provenance_agent: None,
            model_interval: Duration::from_mins(1),
            max_hold: Duration::from_secs(5),
            follower_timeout: Duration::from_secs(30),
            rng_seed: 0,
            in_order: false,
            scope_changed: false,
            refresh: None,
            intervals: RefreshIntervals::default(),
            keep_deleted: false,
            now_ms: || 0,
        }
    }
}

/// A command to a running crawl.
#[derive(Clone, Debug)]
pub enum CrawlCommand {
    /// Send no new requests; end when all requests in flight are done.
    Stop,
    /// End now. Requests in flight are repeated when the crawl is resumed.
    StopNow,
    /// Queue these URIs as seeds.
    AddSeeds(Vec<Uri>),
    /// Apply the patterns and the maximum depth of this scope, and the limits of requests and documents of these options.
    /// URIs that wait and are out of scope now are dropped; links that were dropped and are in scope now are queued when
    /// nothing else waits.
    Change(Box<(Scope, EngineOptions)>),
}

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// No URIs are left.
    Drained,
    /// The maximum number of requests was reached.
    MaxRequests,
    /// The maximum number of documents was reached.
    MaxDocuments,
    /// The maximum number of RDF documents was reached.
    MaxRdfDocuments,
    /// The maximum time of a run has passed.
    MaxTime,
    /// The maximum number of bytes of a run was received.
    MaxBytes,
    /// A command stopped it.
    Stopped,
}

/// An error that ends the crawl. A failed request does not end the crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// URIs wait, but the frontier leases none.
    #[error("cannot continue the crawl: {0} URIs are waiting but none can be leased; the frontier is damaged")]
    Stuck(u64),
}

/// Runs a crawl until no URIs are left, a limit is reached, or a command stops it.
pub(crate) async fn run(
    crawl: CrawlBuilder,
    seeds: Vec<Uri>,
    commands: mpsc::Receiver<CrawlCommand>,
    progress: watch::Sender<CrawlSnapshot>,
) -> Result<(StopReason, CrawlSnapshot), CrawlError> {
    let extractor = Arc::clone(&crawl.extractor);
    let result = match conductor::Conductor::new(crawl, commands, progress).await {
        // Boxed, because the future is large.
        Ok(conductor) => Box::pin(conductor.run(seeds)).await,
        Err(error) => Err(error),
    };
    extractor.abandon();
    result
}
