//! Limits the time until a response begins.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt as _;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Method};

use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// Limits the time until the head of a response. The body that follows may take longer.
pub(super) fn with_timeouts(router: Router, service: &Arc<Service>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(service), apply_timeout))
}

/// Prefixes of the paths whose handlers have their own time limit.
const EXEMPT_PREFIXES: &[&str] = &["/sparql", "/update", "/store"];

/// Paths of the DURAARK API where `GET` changes data, as published.
const MUTATING_GET_PATHS: &[&str] =
    &["/CrawlAPI/crawl", "/CrawlAPI/deleteCrawl", "/CrawlAPI/exportToSDA", "/CrawlAPI/filterCrawlCandidates"];

/// Whether a request has no time limit in this module. Queries have their own limit. An operation
/// that changes data would continue after a timeout, so a client that retries would repeat it. The
/// gateway limits the time for a body to arrive.
fn is_exempt(method: &Method, path: &str) -> bool {
    let is_reading = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    !is_reading || MUTATING_GET_PATHS.contains(&path) || EXEMPT_PREFIXES.iter().any(|known| path.starts_with(known))
}

async fn apply_timeout(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let timeout = service.settings.current().config.service.request_timeout;
    let time = (!is_exempt(request.method(), request.uri().path())).then_some(timeout);
    run_with_timeout(request, next, time).await
}

async fn run_with_timeout(request: Request, next: Next, time: Option<Duration>) -> Response {
    let response = AssertUnwindSafe(next.run(request)).catch_unwind();
    let outcome = match time {
        Some(time) => tokio::time::timeout(time, response).await,
        None => Ok(response.await),
    };
    match outcome {
        Ok(Ok(response)) => response,
        // The panic hook has already logged the panic message.
        Ok(Err(_)) => {
            Problem::new(ProblemCode::Internal, "internal error (a bug); the log has the details").into_response()
        }
        Err(_) => timeout_problem().into_response(),
    }
}

fn timeout_problem() -> Problem {
    let problem = Problem::new(ProblemCode::Unavailable, "the response took too long");
    problem.hint("retry later").with_header(RETRY_AFTER, HeaderValue::from_static("10"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_that_change_data_have_no_time_limit() {
        let is_exempt = |method: Method, path: &str| is_exempt(&method, path);

        assert!(is_exempt(Method::PUT, "/api/v1/imports/a") && is_exempt(Method::DELETE, "/api/v1/crawls/1"));
        assert!(is_exempt(Method::POST, "/api/v1/crawls/1/ranking") && is_exempt(Method::GET, "/sparql"));
        assert!(is_exempt(Method::GET, "/CrawlAPI/exportToSDA"));
        assert!(
            !is_exempt(Method::GET, "/api/v1/crawls/1/candidates") && !is_exempt(Method::GET, "/CrawlAPI/loadCrawl")
        );
    }

    #[test]
    fn operations_that_change_data_by_get_are_in_the_document() {
        let (_, document) = crate::api::router().split_for_parts();

        assert!(MUTATING_GET_PATHS.iter().all(|path| document.paths.paths.contains_key(*path)));
    }
}
