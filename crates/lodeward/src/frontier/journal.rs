//! The journal of a crawl: what is known of its URIs.

use std::collections::HashMap;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

#[cfg(doc)]
use super::DomainOrder;
use super::{FrontierError, UriRecord};
use crate::model::{Outcome, Pld, Uri};

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

    /// All settled records in the order of settlement, as of the last commit. Later commits change
    /// nothing of what the iterator returns, and do not wait for it.
    fn settled_snapshot(&self) -> SettledRecords;

    /// The number of URIs in each state.
    async fn census(&self) -> Result<Census, FrontierError>;

    /// The current hop, if hops are strict ([`DomainOrder::Hops`]) and URIs are left.
    async fn current_hop(&self) -> Result<Option<CurrentHop>, FrontierError>;

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
