//! SPARQL without crawls, users and API: `lodeward serve --sparql-only`.
//!
//! [`lodeward_archive::protocol`] defines the meaning of requests; the [`QueryRunner`] limits and
//! evaluates them. There is no authentication. On loopback, only requests with a local host name
//! are accepted: otherwise a page could point its own host name here (DNS rebinding) and read the
//! archive.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{DefaultBodyLimit, Request, State};
use axum::response::{IntoResponse as _, Response};
use http::HeaderMap;
use http::header::HOST;
use lodeward_archive::Archive;
use lodeward_archive::protocol::{ProtocolEndpoint, ProtocolOptions};

use super::{MAX_QUEUE_TIME, QueryRunner};
use crate::host_header;
use crate::problem::{Problem, ProblemCode};

/// Options of a server for SPARQL only.
pub struct SparqlOnlyOptions {
    /// Options of the SPARQL protocol, including the limits of queries.
    pub protocol: ProtocolOptions,
    /// Maximum number of concurrent queries; further ones wait.
    pub max_concurrent_queries: usize,
    /// The maximum size of a request body, in bytes.
    pub max_body_bytes: usize,
    /// How long a request may take to arrive.
    pub request_timeout: Duration,
}

/// State shared by all requests.
struct StandaloneEndpoint {
    endpoint: ProtocolEndpoint,
    query_runner: QueryRunner,
    /// Whether only IP addresses and `localhost` are accepted as host names.
    requires_local_name: bool,
    max_body_bytes: usize,
}

/// The routes of a server for SPARQL only, which listens on loopback or not.
pub(crate) fn router(archive: Archive, options: SparqlOnlyOptions, is_loopback: bool) -> Router {
    let SparqlOnlyOptions { protocol, max_concurrent_queries, max_body_bytes, request_timeout } = options;
    let state = StandaloneEndpoint {
        requires_local_name: is_loopback && protocol.public_url.is_none(),
        endpoint: ProtocolEndpoint::new(archive, protocol),
        query_runner: QueryRunner::new(max_concurrent_queries, MAX_QUEUE_TIME, Some(request_timeout)),
        max_body_bytes,
    };
    Router::new().fallback(handle).with_state(Arc::new(state)).layer(DefaultBodyLimit::disable())
}

async fn handle(State(state): State<Arc<StandaloneEndpoint>>, request: Request) -> Response {
    if state.requires_local_name && !has_local_name(request.headers()) {
        let detail = "this server accepts only its IP address and `localhost` as host names";
        return Problem::new(ProblemCode::Misdirected, detail).into_response();
    }
    state.query_runner.handle(&state.endpoint, request, state.max_body_bytes).await
}

fn has_local_name(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST) else { return true };
    let parsed = || host_header::parse_host(host.to_str().ok()?);
    parsed().is_some_and(|host| host_header::is_local(&host))
}
