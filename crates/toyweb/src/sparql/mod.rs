//! SPARQL endpoints for tests.
//!
//! A [`SparqlEndpoint`] serves SPARQL over the SPARQL 1.1 Protocol from an Oxigraph store in memory, and behaves like a
//! public server: results are truncated without notice, sorting is limited, some queries fail at random, and slow
//! queries are aborted. [`EndpointWeb`] is a web of one such endpoint with a large, skewed dataset (`sample`).

mod describe;
mod endpoint;
mod evaluate;
mod sample;

#[cfg(test)]
mod tests;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use http::StatusCode;

pub use endpoint::SparqlEndpoint;
pub use sample::SampleDataset;

use crate::message::{Web, WebRequest, WebResponse};
use crate::unknown_hosts::status_response;

/// The behaviour of an endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct EndpointBehaviour {
    /// Maximum number of rows of a result; longer results are truncated. `None` for no limit.
    pub max_rows: Option<usize>,
    /// Maximum number of rows that a query may sort; queries that sort more are rejected. `None` for no limit.
    pub max_sorted_rows: Option<usize>,
    /// Share of queries that fail with 500.
    pub error_share: f64,
    /// Whether a query without a dataset uses the union of all named graphs.
    pub union_default_graph: bool,
    /// The time limit of queries; slower queries are aborted.
    pub timeout: Duration,
    /// Seed of the random failures.
    pub seed: u64,
}

impl Default for EndpointBehaviour {
    fn default() -> Self {
        Self {
            max_rows: Some(10_000),
            max_sorted_rows: Some(40_000),
            error_share: 0.0,
            union_default_graph: true,
            timeout: Duration::from_mins(1),
            seed: 0,
        }
    }
}

/// A web of one endpoint, at `/sparql` of any host.
pub struct EndpointWeb {
    endpoint: SparqlEndpoint,
    requests: AtomicU64,
}

impl EndpointWeb {
    /// The canonical URL of the endpoint.
    pub const URL: &str = "http://endpoint.example/sparql";

    /// Creates an endpoint with this dataset.
    #[must_use]
    pub fn new(sample: &SampleDataset, behaviour: EndpointBehaviour) -> Self {
        Self { endpoint: SparqlEndpoint::new(Self::URL, sample.quads(), behaviour), requests: AtomicU64::new(0) }
    }
}

impl Web for EndpointWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        if request.url.path() != "/sparql" {
            return status_response(StatusCode::NOT_FOUND);
        }
        self.endpoint.respond(request, self.requests.fetch_add(1, Ordering::Relaxed))
    }

    fn is_expensive(&self, request: &WebRequest) -> bool {
        request.url.path() == "/sparql"
    }
}
