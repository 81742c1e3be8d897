//! SPARQL endpoints in the box.
//!
//! An [`Endpoint`] answers real SPARQL over the SPARQL 1.1 Protocol, from an
//! Oxigraph in memory, with the manners of a public server: results are capped
//! without a word, sorting has a bound, some queries fail for no reason, and
//! those that take long are given up. [`Alone`] is a web of one such endpoint
//! with a large, uneven dataset (`sample`).

mod describe;
mod endpoint;
mod evaluate;
mod limit;
mod sample;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;

pub use endpoint::Endpoint;
pub use sample::Sample;

use crate::elsewhere::bare;
use crate::message::{Request, Response, Web};

/// How an endpoint behaves.
#[derive(Clone, Debug, PartialEq)]
pub struct Manners {
    /// Rows beyond these are left off.
    pub row_cap: Option<usize>,
    /// Sorted results beyond this row are refused.
    pub sorted_rows_max: Option<usize>,
    /// Share of queries that fail with 500.
    pub error_share: f64,
    /// Whether a query without a dataset is about all named graphs together.
    pub union_default_graph: bool,
    /// Queries that take longer are given up.
    pub timeout: Duration,
    /// Decides which queries fail.
    pub seed: u64,
}

impl Default for Manners {
    fn default() -> Self {
        Self {
            row_cap: Some(10_000),
            sorted_rows_max: Some(40_000),
            error_share: 0.0,
            union_default_graph: true,
            timeout: Duration::from_mins(1),
            seed: 0,
        }
    }
}

/// A web of one endpoint, at `/sparql` of whichever host is asked.
pub struct Alone {
    endpoint: Endpoint,
    asked: AtomicU64,
}

impl Alone {
    /// Where it is, by rights.
    pub const URL: &str = "http://endpoint.example/sparql";

    /// An endpoint with this dataset.
    #[must_use]
    pub fn new(sample: &Sample, manners: Manners) -> Self {
        Self { endpoint: Endpoint::new(Self::URL, sample.quads(), manners), asked: AtomicU64::new(0) }
    }
}

impl Web for Alone {
    fn respond(&self, request: &Request) -> Response {
        if request.url.path() != "/sparql" {
            return bare(StatusCode::NOT_FOUND);
        }
        self.endpoint.respond(request, self.asked.fetch_add(1, Ordering::Relaxed))
    }

    fn is_laborious(&self, request: &Request) -> bool {
        request.url.path() == "/sparql"
    }
}
