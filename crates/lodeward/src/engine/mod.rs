//! The loop that joins the rooms.
//!
//! One task, the [`conductor`], owns every piece of crawl state and reacts to a
//! closed set of events. What is slow (a request, a parse) is an *errand*, runs
//! beside it, and knows nothing of the state. Nothing here knows what RDF is.
//!
//! What arrives takes effect at once and is made durable in groups, always in
//! the order store, offers, settlements: a crash repeats a visit at worst.

mod address_book;
mod again;
pub(crate) mod arrival;
mod conductor;
mod departure;
mod errand;
pub mod hops;
pub mod manners;
pub mod observer;
mod origin;
mod refusal;
pub mod report;
pub mod rests;
mod robots_cache;
pub mod scope;
mod servers;
mod services;
pub mod tally;
mod traps;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{mpsc, watch};

use crate::discover::Policy;
use crate::extract::Extractor;
use crate::fetch::Fetcher;
use crate::frontier::{Frontier, FrontierError, Life, Which};
use crate::model::{Intervals, Uri};
use crate::select::Strategy;
use crate::store::follow::Followers;
use crate::store::{Store, StoreError};

pub use hops::HopLimits;
pub use manners::Manners;
pub use observer::{Came, Observer, Request, Visited};
pub use report::Report;
pub use rests::{Rest, Rests, Why};
pub use scope::{Domains, LinkKinds, Scope};
pub use tally::{RefreshTally, Snapshot, Tally};

/// The rooms, furnished.
pub struct Crawl {
    /// Where URIs wait.
    pub frontier: Arc<dyn Frontier>,
    /// Who decides where requests are spent.
    pub strategy: Box<dyn Strategy>,
    /// Where is kept what the strategy learns.
    pub notebook: Option<Arc<dyn Notebook>>,
    /// Who goes.
    pub fetcher: Arc<dyn Fetcher>,
    /// Who reads.
    pub extractor: Arc<dyn Extractor>,
    /// Where the harvest is kept.
    pub store: Arc<dyn Store>,
    /// Who else gets it.
    pub followers: Followers,
    /// Which links are followed.
    pub scope: Scope,
    /// What is asked for besides documents.
    pub discover: Policy,
    /// Limits and manners.
    pub settings: Settings,
    /// Documents that were counted and will be visited again, because their
    /// harvest was lost.
    pub revived: Vec<Life>,
    /// Who is told of every request.
    pub observers: Vec<Box<dyn Observer>>,
    /// What it owes to servers together with other crawls.
    pub manners: Arc<Manners>,
    /// Where it notes why domains rest.
    pub rests: Arc<Rests>,
}

/// Where is kept what a strategy has learned.
pub trait Notebook: Send + Sync {
    /// Replaces what is kept, so that it survives the end of the process at any
    /// moment. Blocks.
    fn write(&self, learned: &[u8]) -> std::io::Result<()>;
}

/// Limits and manners of a crawl.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How many errands may be under way.
    pub visits_max: usize,
    /// The least time between two requests to a domain, and to an address.
    pub delay: Duration,
    /// The name by which robots.txt files know us.
    pub product_token: String,
    /// How long a robots.txt is believed.
    pub robots_ttl: Duration,
    /// How many robots.txt files and host addresses are remembered.
    pub hosts_remembered_max: usize,
    /// The longest wait before something is tried again. A server that asks for
    /// more is given up.
    pub retry_after_max: Duration,
    /// Consecutive failures after which a domain is closed.
    pub give_up_after: u32,
    /// Redirects followed in a row.
    pub redirects_max: u8,
    /// Stop after this many requests.
    pub requests_max: Option<u64>,
    /// Stop after this many documents.
    pub documents_max: Option<u64>,
    /// Stop after this many documents that hold RDF.
    pub relevant_max: Option<u64>,
    /// What a hop may have. Hops must then be strict (`Order::Hops`).
    pub hops: HopLimits,
    /// Documents after which a group is committed.
    pub group_documents: u64,
    /// Time after which a group is committed.
    pub group_time: Duration,
    /// Time after which what is committed is made safe from a power cut.
    pub sync_time: Duration,
    /// What documents are told to come from: how we call ourselves. `None` if it
    /// is not to be kept where they come from.
    pub provenance: Option<String>,
    /// Time after which what the strategy has learned is written down again.
    pub notebook_time: Duration,
    /// How long somebody who is not worth much waits for a better one whose
    /// domain rests.
    pub hold_time: Duration,
    /// How long to wait in the end for a follower that cannot be reached.
    pub patience: Duration,
    /// Where chance comes from.
    pub seed: u64,
    /// Apply what comes back in the order of departure: a replay with the same
    /// seed is then the same crawl, however many threads read.
    pub in_order: bool,
    /// Who is visited again before anything else, if anybody.
    pub refresh: Option<Which>,
    /// When documents are to be visited again.
    pub intervals: Intervals,
    /// Whether the statements of documents that are gone stay in the harvest.
    pub keep_vanished: bool,
    /// Tells the time of day, in milliseconds since the Unix epoch.
    pub now_ms: fn() -> u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            visits_max: 64,
            delay: Duration::from_secs(1),
            product_token: "lodeward".to_owned(),
            robots_ttl: Duration::from_hours(24),
            hosts_remembered_max: 20_000,
            retry_after_max: Duration::from_hours(1),
            give_up_after: 25,
            redirects_max: 10,
            requests_max: None,
            documents_max: None,
            relevant_max: None,
            hops: HopLimits::default(),
            group_documents: 64,
            group_time: Duration::from_millis(100),
            sync_time: Duration::from_secs(1),
            provenance: None,
            notebook_time: Duration::from_mins(1),
            hold_time: Duration::from_secs(5),
            patience: Duration::from_secs(30),
            seed: 0,
            in_order: false,
            refresh: None,
            intervals: Intervals::default(),
            keep_vanished: false,
            now_ms: || 0,
        }
    }
}

/// What an operator may ask of a running crawl.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Lease nothing more; end when every errand is back.
    Stop,
    /// End now. What is under way will be repeated by whoever resumes.
    StopNow,
}

/// Why a crawl ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ending {
    /// Everything that was found has been dealt with.
    Drained,
    /// The allowed number of requests was made.
    MaxRequests,
    /// The allowed number of documents was had.
    MaxDocuments,
    /// The allowed number of documents with RDF was had.
    MaxRelevant,
    /// The operator said so.
    Stopped,
}

/// A crawl cannot go on. A document that cannot be had is not such an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlError {
    /// The frontier failed.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The frontier says that somebody waits and never gives a lease.
    #[error("the frontier has {0} URIs waiting and none to visit: it is damaged")]
    Stuck(u64),
}

impl Crawl {
    /// Crawls until nothing is left, a limit is reached, or it is told to stop.
    ///
    /// Seeds that are known already, because the crawl is being resumed, change
    /// nothing. A crawl without an operator runs on when `commands` is closed.
    pub async fn run(
        self,
        seeds: Vec<Uri>,
        commands: mpsc::Receiver<Command>,
        progress: watch::Sender<Snapshot>,
    ) -> Result<(Ending, Snapshot), CrawlError> {
        conductor::Conductor::new(self, commands, progress).await?.run(seeds).await
    }
}
