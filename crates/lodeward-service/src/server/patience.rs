//! How long a request may take.

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

use crate::problem::{Code, Problem};
use crate::service::Service;

/// Bounds the time until the head of an answer. What is
/// streamed after the head takes as long as it takes.
pub(super) fn bound(router: Router, service: &Arc<Service>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(service), watch))
}

/// Reading whose work has a time of its own.
const READING: &[&str] = &["/sparql", "/update", "/store"];

/// Methods that change something although they are asked for by `GET`, as they were
/// published.
const CHANGING: &[&str] =
    &["/CrawlAPI/crawl", "/CrawlAPI/deleteCrawl", "/CrawlAPI/exportToSDA", "/CrawlAPI/filterCrawlCandidates"];

/// Whether a request may take as long as it takes: queries have a time of their own,
/// and what changes something goes on when nobody waits for it, so that whoever was
/// told to try again would do it twice. For bodies that do not arrive, the door has no
/// patience.
fn has_time_of_its_own(method: &Method, path: &str) -> bool {
    let is_reading = matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
    !is_reading || CHANGING.contains(&path) || READING.iter().any(|known| path.starts_with(known))
}

async fn watch(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let seconds = service.settings.now().config.service.request_timeout_s;
    let time = (!has_time_of_its_own(request.method(), request.uri().path())).then(|| Duration::from_secs(seconds));
    answer(request, next, time).await
}

async fn answer(request: Request, next: Next, time: Option<Duration>) -> Response {
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind();
    let outcome = match time {
        Some(time) => tokio::time::timeout(time, answered).await,
        None => Ok(answered.await),
    };
    match outcome {
        Ok(Ok(response)) => response,
        // What it said is in the log already.
        Ok(Err(_)) => Problem::new(Code::Internal, "this is a bug of ours; the log says more").into_response(),
        Err(_) => late().into_response(),
    }
}

fn late() -> Problem {
    let problem = Problem::new(Code::Unavailable, "the answer took too long");
    problem.hint("try again when there is less to do").with(RETRY_AFTER, HeaderValue::from_static("10"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_something_takes_as_long_as_it_takes() {
        let has_time = |method: Method, path: &str| has_time_of_its_own(&method, path);

        assert!(has_time(Method::PUT, "/api/v1/imports/a") && has_time(Method::DELETE, "/api/v1/crawls/1"));
        assert!(has_time(Method::POST, "/api/v1/crawls/1/ranking") && has_time(Method::GET, "/sparql"));
        assert!(has_time(Method::GET, "/CrawlAPI/exportToSDA"));
        assert!(!has_time(Method::GET, "/api/v1/crawls/1/candidates") && !has_time(Method::GET, "/CrawlAPI/loadCrawl"));
    }

    #[test]
    fn those_that_change_something_are_methods_that_there_are() {
        let (_, document) = crate::api::router().split_for_parts();

        assert!(CHANGING.iter().all(|path| document.paths.paths.contains_key(*path)));
    }
}
