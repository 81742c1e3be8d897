//! The queue of URIs: decides which URI is requested next, and when.
//!
//! A URI is *unknown*, then *waiting*, then *leased*, then *settled*. It returns from *leased*
//! to *waiting* if its request is to be retried, and from *settled* to *waiting* if a
//! [`RefreshRound`] queues it again. A frontier knows every URI it was ever offered. It leases
//! at most one URI per domain at a time, and only after the delay of that domain.
//!
//! "Domain" here and below means pay-level domain ([`Pld`]): the registered part of a host
//! name, such as `example.co.uk`.
//!
//! Calls take effect at once, and survive the end of the process from the next
//! [`Frontier::commit`] on. Leases do not survive it: leased URIs wait again. A conductor that
//! stores a document and offers its links before it settles the lease, and commits in that
//! order, therefore repeats at most one request per lease, and neither loses nor duplicates
//! anything.

mod lease;
mod order;
mod uri_record;
mod refresh_round;
pub mod schedule;
pub mod sieve;
pub mod memory;
pub mod embedded;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod hops_tests;
#[cfg(test)]
mod stored_enum_tests;

pub use embedded::EmbeddedFrontier;
pub use lease::{FeatureVector, Lease, QueueEntry};
pub use memory::MemoryFrontier;
pub use order::DomainOrder;
pub use refresh_round::{REVISIT_PRIORITY, RefreshRound, RefreshSelection};
pub use uri_record::UriRecord;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::model::{CrawlTime, DropReason, Outcome, Pld, ProbeResult, Uri};

/// The queue of a crawl: stores every known URI, and leases URIs to be requested.
#[async_trait]
pub trait Frontier: Send + Sync {
    /// Returns for each URI whether it is unknown.
    async fn sift(&self, uris: Vec<Uri>) -> Result<Vec<bool>, FrontierError>;

    /// Offers the links of one document. A known target is not queued again; a dropped target
    /// is known from then on.
    async fn offer(&self, offers: Vec<Offer>) -> Result<OfferSummary, FrontierError>;

    /// Leases at most `max` URIs, each of a different domain whose delay is over at `now`. The
    /// guide rescores entries that were queued earlier.
    async fn lease(&self, now: CrawlTime, max: usize, guide: &mut dyn Guide) -> Result<LeaseBatch, FrontierError>;

    /// Ends a lease. Every lease must be settled, even if no request was sent. Returns the number
    /// of waiting URIs that were dropped because the domain reached its limit.
    async fn settle(&self, lease: Lease, settlement: Settlement) -> Result<u64, FrontierError>;

    /// Sets when the clock of the conductor was 0, in milliseconds since the Unix epoch, so that
    /// delays can be stored and apply after a restart, too.
    async fn set_start_time(&self, now_ms: u64) -> Result<(), FrontierError>;

    /// Sets the crawl delay that the hosts of a domain request. After a restart the delay
    /// applies even before robots.txt is fetched again.
    async fn set_crawl_delay(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError>;

    /// Closes a domain: waiting URIs and future offers are dropped for this reason. Returns the
    /// number of waiting URIs that were dropped.
    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError>;

    /// Makes all calls so far survive the end of this process, together with a memo of the
    /// conductor, which replaces the previous memo.
    async fn commit(&self, memo: &[u8]) -> Result<(), FrontierError>;

    /// Makes everything committed so far survive a power failure.
    async fn sync(&self) -> Result<(), FrontierError>;

    /// The memo of the last commit.
    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError>;

    /// The record of a URI, as of the last commit.
    async fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, FrontierError>;

    /// The number of URIs in each state.
    async fn census(&self) -> Result<Census, FrontierError>;

    /// The current hop, if hops are strict ([`DomainOrder::Hops`]) and URIs are left.
    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError>;

    /// The number of waiting URIs of each domain that is not closed. Reads every queue.
    async fn waiting_by_domain(&self) -> Result<Vec<(Pld, u64)>, FrontierError>;

    /// The requests and documents of each domain in a hop, as of the last commit. Reads every
    /// record, so call it only when a crawl is resumed.
    async fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, FrontierError>;

    /// At most `max` settled records from the age `from` on, in the order of settlement, each with
    /// its age, as of the last commit.
    async fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError>;

    /// Begins a refresh round over all URIs settled by now, and replaces a running one.
    /// Abandoned domains are reopened.
    async fn begin_refresh_round(&self, which: RefreshSelection, now_ms: u64) -> Result<RefreshRound, FrontierError>;

    /// The running refresh round; `None` if no round is running.
    async fn refresh_round(&self) -> Result<Option<RefreshRound>, FrontierError>;

    /// Queues settled URIs of these ages again, and moves the round to the age `next`. Both changes
    /// are stored atomically. These entries are leased before URIs that were never requested.
    /// Returns the running round after the change.
    async fn requeue(&self, entries: Vec<(u64, QueueEntry)>, next: u64) -> Result<Option<RefreshRound>, FrontierError>;

    /// Ends the refresh round.
    async fn end_refresh_round(&self) -> Result<(), FrontierError>;
}

/// Rescores waiting entries, so that the order follows what the strategy learned since they
/// were queued.
///
/// The default methods keep the priorities of the queue.
pub trait Guide: Send {
    /// The current score of an entry.
    fn score(&mut self, entry: &QueueEntry) -> f32 {
        entry.priority
    }

    /// Whether all scores changed since the last call.
    fn scores_changed(&mut self) -> bool {
        false
    }

    /// The score of a domain whose best entry has the score `best`.
    fn sample_domain_score(&mut self, _pld: &Pld, best: f32) -> f32 {
        best
    }

    /// Entries below this score are not leased while the domain of an entry with the score
    /// `best` is delayed.
    fn deferral_threshold(&self, _best: f32) -> f32 {
        f32::NEG_INFINITY
    }

    /// How many first visits may be leased while all revisits are delayed.
    fn max_first_visits(&self) -> usize {
        usize::MAX
    }
}

/// A guide that keeps the priorities of the queue.
#[derive(Clone, Copy, Debug, Default)]
pub struct FixedPriorities;

impl Guide for FixedPriorities {}

/// A URI offered to the frontier.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// Queue the URI.
    Queue(QueueEntry),
    /// Record the URI as dropped for this reason.
    Drop(QueueEntry, DropReason),
}

impl Offer {
    /// The offered entry.
    #[must_use]
    pub fn entry(&self) -> &QueueEntry {
        match self {
            Self::Queue(entry) | Self::Drop(entry, _) => entry,
        }
    }
}

/// The result of [`Frontier::offer`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferSummary {
    /// Number of URIs queued.
    pub queued: u64,
    /// Number of URIs dropped, by reason: offered as dropped, or in a closed domain.
    pub dropped: Vec<(DropReason, u64)>,
}

impl OfferSummary {
    pub(crate) fn count_drop(&mut self, reason: DropReason) {
        match self.dropped.iter_mut().find(|(other, _)| *other == reason) {
            Some((_, count)) => *count += 1,
            None => self.dropped.push((reason, 1)),
        }
    }
}

/// The result of [`Frontier::lease`].
#[derive(Debug, Default)]
pub struct LeaseBatch {
    /// The leases.
    pub leases: Vec<Lease>,
    /// When the next delay of a domain ends, if a domain is delayed.
    pub not_before: Option<CrawlTime>,
    /// Whether an entry was held back because its score is below the threshold of the guide.
    pub held_back: bool,
}

/// How a lease ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// What happens to the URI.
    pub kind: SettlementKind,
    /// The domain is delayed until this time. If no request was sent, this is a time in the past,
    /// and the slot is returned.
    pub delayed_until: CrawlTime,
}

/// What happens to a URI when its lease ends.
#[derive(Clone, Debug, PartialEq)]
pub enum SettlementKind {
    /// The URI is settled with this outcome.
    Settled(Outcome),
    /// Its slot was used for another request (robots.txt, a probe, another request to the same
    /// server). It is due again as soon as the delay allows.
    Postponed(Option<ProbeResult>),
    /// The request failed; retry it after this time. Other URIs of the domain need not wait for
    /// it.
    Retry(CrawlTime),
}

/// The number of URIs in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Census {
    /// Number of URIs ever offered.
    pub uris_known: u64,
    /// Number of URIs waiting.
    pub uris_waiting: u64,
    /// Number of URIs leased.
    pub uris_in_flight: u64,
    /// Number of domains of all known URIs.
    pub domains: u64,
    /// Number of revisits among the URIs waiting or leased.
    #[serde(default)]
    pub revisits: u64,
}

/// The current hop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CurrentHop {
    /// Number of hops from the seeds.
    pub depth: u16,
    /// Number of domains with waiting or leased URIs of this hop.
    pub domains: u64,
}

/// The requests and documents of one domain in one hop.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HopShare {
    /// Number of URIs requested, whatever the outcome.
    pub visits: u64,
    /// Number of documents fetched.
    pub documents: u64,
}

impl HopShare {
    /// Counts a URI by its outcome. Dropped URIs are not counted.
    pub(crate) fn count(&mut self, outcome: &Outcome) {
        self.visits += u64::from(!matches!(outcome, Outcome::Dropped(_)));
        self.documents += u64::from(matches!(outcome, Outcome::Document(_)));
    }
}

/// An error of the frontier. It ends the crawl.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FrontierError {
    /// The storage engine failed.
    #[error("cannot access the frontier database")]
    Storage(#[from] fjall::Error),
    /// A record cannot be decoded.
    #[error("cannot decode a record of the frontier")]
    Record(#[from] postcard::Error),
    /// The database was written in another format version.
    #[error("cannot open frontier: it has format version {found}, this program reads version {expected}")]
    Version {
        /// The version of the database.
        found: u32,
        /// The version this program reads.
        expected: u32,
    },
}

impl FrontierError {
    /// What the user can do about the error.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Version { .. } => {
                Some("start a new crawl with `--name`, or continue this one with the release of lodeward that wrote it")
            }
            Self::Storage(_) | Self::Record(_) => None,
        }
    }
}
