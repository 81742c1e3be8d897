//! The ledger of a trial: its requests and their costs.

use std::time::Duration;

use lodeward::frontier::FeatureVector;
use lodeward::model::Uri;

use crate::web::PageId;

/// The cost of a GET, whatever its response.
pub const COST_GET: f64 = 1.0;
/// The cost of a HEAD. If the response is a redirect, it costs as much as a GET, because no GET follows.
pub const COST_HEAD: f64 = 0.2;

/// All requests of a trial, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// The requests, without those for robots.txt.
    pub steps: Vec<LedgerEntry>,
    /// Number of requests for robots.txt, which cost nothing.
    pub robots: u64,
    /// Number of URIs that the strategy queued or dropped.
    pub placed: u64,
    /// Number of leases that the strategy skipped.
    pub skipped: u64,
    /// Time spent in the strategy: queueing, judging, learning, scoring.
    pub strategy_time: Duration,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct LedgerEntry {
    /// The kind of the request or its response.
    pub kind: LedgerEntryKind,
    /// The requested page; `None` if it is not recorded.
    pub page: Option<PageId>,
    /// The cost so far, including this request.
    pub cost: f64,
    /// The time of the response.
    pub at: Duration,
    /// The predicted probability of RDF, if the strategy predicts one.
    pub score: Option<f32>,
    /// The features of the queue entry that was fetched.
    pub features: FeatureVector,
    /// The page that links to the requested page; `None` for a seed.
    pub source: Option<Uri>,
}

/// The kind of a request or its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LedgerEntryKind {
    /// A GET request that returned a document.
    Document,
    /// A GET or HEAD request that returned a redirect.
    Redirect,
    /// A HEAD request that did not return a redirect.
    Head,
    /// A GET request that returned neither a document nor a redirect.
    Miss,
}

impl Ledger {
    /// Number of requests of this kind.
    #[must_use]
    pub fn count(&self, kind: LedgerEntryKind) -> usize {
        self.steps.iter().filter(|step| step.kind == kind).count()
    }

    /// The fetched documents, in order.
    pub fn documents(&self) -> impl Iterator<Item = (PageId, &LedgerEntry)> {
        let documents = self.steps.iter().filter(|step| step.kind == LedgerEntryKind::Document);
        documents.filter_map(|step| Some((step.page?, step)))
    }

    /// The cost of all requests.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.cost)
    }

    /// Time spent in the strategy per queued URI.
    #[must_use]
    pub fn time_per_uri(&self) -> Duration {
        self.strategy_time.checked_div(u32::try_from(self.placed).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}
