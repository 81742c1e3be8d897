//! The journal of a crawl: what is known of its URIs.

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::DomainOrder;
use super::{FrontierError, QueueEntry, UriRecord};
use crate::model::{DropReason, Outcome, Pld, Uri};

/// The settled records of a frontier at one time.
pub type SettledRecords = Box<dyn Iterator<Item = Result<UriRecord, FrontierError>> + Send>;

/// Reads the records and counts of a frontier.
#[async_trait]
pub trait Journal: Send + Sync {
    /// The memo of the last commit.
    async fn memo(&self) -> Result<Option<Vec<u8>>, FrontierError>;

    /// The record of a URI, as of the last commit.
    async fn uri_record(&self, uri: &Uri) -> Result<Option<UriRecord>, FrontierError>;

    /// The records of the URIs with these fingerprints, settled or waiting; `None` for unknown URIs.
    async fn find_records(&self, fingerprints: &[u128]) -> Result<Vec<Option<UriRecord>>, FrontierError>;

    /// At most `max` settled records from the age `from` on, in the order of settlement, each with
    /// its age, as of the last commit.
    async fn settled_records(&self, from: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError>;

    /// At most `max` settled records below the age `before`, the newest first, each with its age, as of the last
    /// commit.
    async fn settled_records_before(&self, before: u64, max: usize) -> Result<Vec<(u64, UriRecord)>, FrontierError>;

    /// All settled records in the order of settlement, as of the last commit. Later commits change
    /// nothing of what the iterator returns, and do not wait for it.
    fn settled_snapshot(&self) -> SettledRecords;

    /// The number of URIs in each state.
    async fn census(&self) -> Result<Census, FrontierError>;

    /// The current hop, if hops are strict ([`DomainOrder::Hops`]) and URIs are left.
    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError>;

    /// The queues of all domains, as of the last commit. Reads the keys of every queue, and does not delay the crawl.
    async fn domain_queues(&self) -> Result<Vec<DomainQueueState>, FrontierError>;

    /// At most `max` waiting entries that are requested next, of one domain or of all, each with the time until which
    /// its domain is delayed, in milliseconds since the Unix epoch. An estimate: the order changes as the strategy
    /// learns.
    async fn next_entries(&self, pld: Option<&Pld>, max: usize) -> Result<Vec<(QueueEntry, u64)>, FrontierError>;

    /// All waiting entries of domains that are not closed, as of the last commit. Does not delay the crawl.
    fn waiting_snapshot(&self) -> Box<dyn Iterator<Item = Result<QueueEntry, FrontierError>> + Send>;

    /// The stored copies of the robots.txt files of a domain.
    async fn robots_copies(&self, pld: &Pld) -> Result<Vec<RobotsCopy>, FrontierError>;

    /// The number of waiting URIs of each domain that is not closed. Reads every queue.
    async fn waiting_by_domain(&self) -> Result<Vec<(Pld, u64)>, FrontierError>;

    /// The requests and documents of each domain in a hop, as of the last commit. Reads every
    /// record, so call it only when a crawl is resumed.
    async fn hop_shares(&self, depth: u16) -> Result<HashMap<Pld, HopShare>, FrontierError>;
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

/// The queue of one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DomainQueueState {
    /// The domain.
    pub pld: Pld,
    /// Number of URIs in its queue. If the domain is closed, they are dropped.
    pub queued: u64,
    /// Why the domain is closed; `None` if it is open.
    pub closed: Option<DropReason>,
    /// The crawl delay that its robots.txt files request; zero if they request none.
    pub crawl_delay: Duration,
    /// Until when it is delayed, in milliseconds since the Unix epoch.
    pub delayed_until_ms: u64,
}

/// A robots.txt file as it was fetched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RobotsCopy {
    /// Its URI.
    pub uri: Uri,
    /// When it was fetched, in milliseconds since the Unix epoch.
    pub fetched_at_ms: u64,
    /// Its text, truncated; `None` if the server has none.
    pub text: Option<String>,
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
