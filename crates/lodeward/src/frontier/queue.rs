//! The queue of a crawl: links in, leases out.
//!
//! All calls take and return plain data, in batches, so that a queue may be in this process, on disk, or on another
//! machine. Two things follow from that.
//!
//! *Scores.* The order of the queue follows what the strategy has learned, but the strategy is not in the queue. So
//! [`Queue::lease`] may return entries to score instead of leases; the caller scores them and continues with
//! [`Queue::rescored`], until the leases are granted ([`lease_scored`] does this). The caller decides nothing else: which
//! entries are scored, and how many, is bounded by the queue.
//!
//! *Ownership.* A lease has a [`LeaseToken`]. Settling a lease that the queue no longer knows changes nothing: it expired,
//! or it was settled before. A queue shared by several workers may take all domains from a worker that does not respond;
//! every later write of that worker fails, and none of its uncommitted changes takes effect.

use std::time::Duration;

use async_trait::async_trait;

#[cfg(doc)]
use super::LeaseToken;
use super::schedule::HeadEntry;
use super::{FrontierError, Lease, QueueEntry, RobotsCopy};
use crate::model::{CrawlTime, DropReason, Outcome, Pld, ProbeResult, StoreReceipt, Uri};

/// Stores every known URI, and leases URIs to be requested.
#[async_trait]
pub trait Queue: Send + Sync {
    /// Starts a run. Must be called before the first lease.
    async fn start(&self, start: QueueStart) -> Result<(), FrontierError>;

    /// Returns for each URI whether it is unknown.
    async fn sift(&self, uris: Vec<Uri>) -> Result<Vec<bool>, FrontierError>;

    /// Returns for each URI why an offer dropped it; `None` if it is unknown, or was queued.
    async fn drop_reasons(&self, uris: Vec<Uri>) -> Result<Vec<Option<DropReason>>, FrontierError>;

    /// Offers URIs. A known target is not queued again, unless it is readmitted; a dropped target is known from then
    /// on.
    async fn offer(&self, offers: Vec<Offer>) -> Result<OfferSummary, FrontierError>;

    /// Leases URIs, each of a different domain whose delay is over, or returns entries to score first.
    async fn lease(&self, request: LeaseRequest) -> Result<LeaseReply, FrontierError>;

    /// Continues a lease request with the requested scores. No other call of the queue may come between.
    async fn rescored(&self, scores: ScoreBatch) -> Result<LeaseReply, FrontierError>;

    /// Ends leases. Every lease must be settled, even if no request was sent.
    async fn settle(&self, settled: Vec<(Lease, Settlement)>) -> Result<SettleSummary, FrontierError>;

    /// Sets the crawl delay that the hosts of a domain request. After a restart the delay
    /// applies even before robots.txt is fetched again.
    async fn set_crawl_delay(&self, pld: &Pld, delay: Duration) -> Result<(), FrontierError>;

    /// Stores a copy of a robots.txt file, which replaces the previous one.
    async fn store_robots(&self, copy: RobotsCopy) -> Result<(), FrontierError>;

    /// Drops waiting URIs, each for this reason. URIs that do not wait stay as they are. Returns the number of URIs
    /// dropped, by reason.
    async fn drop_waiting(&self, dropped: Vec<(Uri, DropReason)>) -> Result<Vec<(DropReason, u64)>, FrontierError>;

    /// Closes a domain: waiting URIs and future offers are dropped for this reason. Returns the
    /// number of waiting URIs that were dropped.
    async fn close(&self, pld: &Pld, reason: DropReason) -> Result<u64, FrontierError>;

    /// Makes all calls so far survive the end of this process, together with a memo of the
    /// conductor, which replaces the previous memo. The documents of all settled URIs must be
    /// stored before, which the receipt proves. If this or any other write has failed, all further
    /// calls fail: the queue has to be opened again.
    async fn commit(&self, memo: &[u8], stored: StoreReceipt) -> Result<(), FrontierError>;

    /// Makes everything committed so far survive a power failure.
    async fn sync(&self) -> Result<(), FrontierError>;
}

/// Leases URIs. `score` scores each batch that the queue returns.
pub async fn lease_scored<Q: Queue + ?Sized>(
    queue: &Q,
    request: LeaseRequest,
    mut score: impl FnMut(&mut ScoreBatch),
) -> Result<LeaseBatch, FrontierError> {
    let mut reply = queue.lease(request).await?;
    loop {
        match reply {
            LeaseReply::Granted(batch) => return Ok(batch),
            LeaseReply::Score(mut scores) => {
                score(&mut scores);
                reply = queue.rescored(scores).await?;
            }
        }
    }
}

/// How a run starts.
#[derive(Clone, Copy, Debug)]
pub struct QueueStart {
    /// When the clock of the conductor was 0, in milliseconds since the Unix epoch, so that delays can be stored and
    /// apply after a restart, too.
    pub started_at_ms: u64,
    /// The order in which domains are visited.
    pub order: DomainOrder,
}

/// Order of domains, among those that are not rate-limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DomainOrder {
    /// One URI per domain and round, as in LDCOC's Algorithm 2 and in LDSpider.
    #[default]
    RoundRobin,
    /// The domain with the best candidate, which gains 0.24–0.34 AUC (docs/algorithms.md §2c).
    BestFirst,
    /// The domain with the highest sampled score, as in Anthelion's bandit. All domains are sampled
    /// for each lease, so the cost grows with their number.
    Sampled,
    /// Strictly hop by hop, and within a hop one URI per domain and round: no URI of a hop is
    /// leased before the previous hop is finished. For strategies whose priorities are hops
    /// (`breadth_first::depth_priority`).
    Hops,
}

impl DomainOrder {
    /// Whether waiting entries are scored again as the strategy learns.
    #[must_use]
    pub(crate) fn is_scored(self) -> bool {
        matches!(self, Self::BestFirst | Self::Sampled)
    }
}

/// A URI offered to the frontier.
#[derive(Clone, Debug, PartialEq)]
pub enum Offer {
    /// Queue the URI.
    Queue(QueueEntry),
    /// Queue the URI although an earlier offer dropped it.
    Readmit(QueueEntry),
    /// Record the URI as dropped for this reason.
    Drop(QueueEntry, DropReason),
}

impl Offer {
    /// The offered entry.
    #[must_use]
    pub(crate) fn entry(&self) -> &QueueEntry {
        match self {
            Self::Queue(entry) | Self::Readmit(entry) | Self::Drop(entry, _) => entry,
        }
    }
}

/// The result of [`Queue::offer`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OfferSummary {
    /// Number of URIs queued.
    pub queued: u64,
    /// Why the URIs had been dropped that were queued after all.
    pub readmitted: Vec<DropReason>,
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

/// A request for leases.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LeaseRequest {
    /// The current time.
    pub now: CrawlTime,
    /// Maximum number of leases.
    pub max: usize,
    /// Whether all scores changed since the last request.
    pub scores_changed: bool,
    /// While the domain of a better entry is delayed and responds, entries with less than this share of its score (at
    /// most 1) are held back; `None` to hold back nothing.
    pub deferral_share: Option<f32>,
    /// How many first visits may be leased while all revisits are delayed.
    pub max_first_visits: usize,
}

impl LeaseRequest {
    /// A request for at most `max` leases that holds back nothing.
    #[must_use]
    pub fn new(now: CrawlTime, max: usize) -> Self {
        Self { now, max, scores_changed: false, deferral_share: None, max_first_visits: usize::MAX }
    }
}

/// The answer to a request for leases.
#[derive(Debug)]
pub enum LeaseReply {
    /// Entries and domains to score before the request can continue.
    Score(ScoreBatch),
    /// The leases.
    Granted(LeaseBatch),
}

/// Entries and domains to score, in this order. The caller writes the scores into the batch and gives it back.
#[derive(Debug, Default)]
pub struct ScoreBatch {
    /// Waiting entries. The score replaces the priority of the entry.
    pub entries: Vec<HeadEntry>,
    /// Domains that are ready, each with the score of its best entry. The score of the domain replaces it. Empty unless
    /// the order is [`DomainOrder::Sampled`].
    pub domains: Vec<(Pld, f32)>,
}

/// The result of a request for leases.
#[derive(Debug, Default)]
pub struct LeaseBatch {
    /// The leases.
    pub leases: Vec<Lease>,
    /// When the next delay of a domain ends, if a domain is delayed.
    pub not_before: Option<CrawlTime>,
    /// Whether an entry was held back because of its low score.
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
    /// Whether the server responded to the last request. No entry waits for a better one of a domain that does not
    /// respond.
    pub responds: bool,
}

impl Settlement {
    /// The settlement of a lease whose server responds.
    #[must_use]
    pub fn new(kind: SettlementKind, delayed_until: CrawlTime) -> Self {
        Self { kind, delayed_until, responds: true }
    }
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

/// The result of [`Queue::settle`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettleSummary {
    /// Number of waiting URIs that were dropped because their domain reached its limit.
    pub dropped: u64,
    /// Number of leases that the queue does not know: expired, or settled before. They had no effect.
    pub unknown: u64,
}

impl SettleSummary {
    /// Counts a settled lease: the number of URIs dropped with it, or `None` if the lease is unknown.
    pub(crate) fn count(&mut self, dropped: Option<u64>) {
        match dropped {
            Some(dropped) => self.dropped += dropped,
            None => self.unknown += 1,
        }
    }
}
