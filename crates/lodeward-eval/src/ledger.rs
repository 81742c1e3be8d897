//! What a crawl spent, and on what.

use std::time::Duration;

use lodeward::model::{Features, Uri};

use crate::web::PageId;

/// What a GET costs, whatever it is answered with.
pub const COST_GET: f64 = 1.0;
/// What a HEAD costs, unless it is answered with a redirect: that saves the GET,
/// and costs the same.
pub const COST_HEAD: f64 = 0.2;

/// Every request of a trial, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// The requests that cost something.
    pub steps: Vec<Step>,
    /// Requests for robots.txt, which are free.
    pub robots: u64,
    /// How many URIs the strategy gave a place in the queue, or dropped.
    pub placed: u64,
    /// How many visits it skipped.
    pub skipped: u64,
    /// The time spent in the strategy: placing, judging, learning, scoring.
    pub strategy_time: Duration,
}

/// A request.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// What it was, or was answered with.
    pub kind: Kind,
    /// Which page; `None` for one that nobody recorded.
    pub page: Option<PageId>,
    /// What was spent so far, this request included.
    pub cost: f64,
    /// When it was answered.
    pub at: Duration,
    /// The probability of RDF that the strategy predicted, if it did.
    pub score: Option<f32>,
    /// What the strategy saw of the candidate.
    pub features: Features,
    /// Where it was found; `None` for a seed.
    pub source: Option<Uri>,
}

/// What a request was, or was answered with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A document was had.
    Document,
    /// It pointed elsewhere.
    Redirect,
    /// It was a HEAD.
    Head,
    /// There was nothing.
    Miss,
}

impl Ledger {
    /// How many requests were of this kind.
    #[must_use]
    pub fn count(&self, kind: Kind) -> usize {
        self.steps.iter().filter(|step| step.kind == kind).count()
    }

    /// The documents that were had, in order.
    pub fn documents(&self) -> impl Iterator<Item = (PageId, &Step)> {
        let documents = self.steps.iter().filter(|step| step.kind == Kind::Document);
        documents.filter_map(|step| Some((step.page?, step)))
    }

    /// What was spent in all.
    #[must_use]
    pub fn cost(&self) -> f64 {
        self.steps.last().map_or(0.0, |step| step.cost)
    }

    /// The time spent in the strategy for each URI that it placed.
    #[must_use]
    pub fn time_per_uri(&self) -> Duration {
        self.strategy_time.checked_div(u32::try_from(self.placed).unwrap_or(u32::MAX)).unwrap_or_default()
    }
}
