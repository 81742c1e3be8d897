//! How long a request may take, and what is said of it in the log.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::FutureExt as _;
use http::header::RETRY_AFTER;
use http::{HeaderValue, Method};
use hyper::body::{Frame, SizeHint};

use crate::problem::{Code, Problem};
use crate::service::Service;

/// Bounds the time until the head of an answer, and logs every request. What is
/// streamed after the head takes as long as it takes.
pub(super) fn bound(router: Router, service: &Arc<Service>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(service), watch))
}

/// Whether whoever answers there has a time of their own: queries and updates, and
/// a whole harvest that is put into the archive.
fn has_time_of_its_own(path: &str) -> bool {
    let is_archive = ["/sparql", "/update", "/store"].iter().any(|known| path.starts_with(known));
    is_archive || (path.starts_with("/api/v1/crawls/") && path.ends_with("/export"))
}

async fn watch(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let (method, path, begun_ms) = (request.method().clone(), request.uri().path().to_owned(), (service.now)());
    let seconds = service.settings.now().config.service.request_timeout_s;
    let time = (!has_time_of_its_own(&path)).then(|| Duration::from_secs(seconds));
    let response = answer(request, next, time).await;
    // Without the query: who knows what people write into it.
    let took_ms = (service.now)().saturating_sub(begun_ms);
    tracing::debug!(%method, path, status = response.status().as_u16(), took_ms, "a request was answered");
    response
}

async fn answer(request: Request, next: Next, time: Option<Duration>) -> Response {
    let arrived = Arc::new(AtomicBool::new(matches!(*request.method(), Method::GET | Method::HEAD)));
    let request = request.map(|body| Body::new(Arriving { body, arrived: Arc::clone(&arrived) }));
    let answered = AssertUnwindSafe(next.run(request)).catch_unwind();
    let outcome = match time {
        Some(time) => tokio::time::timeout(time, answered).await,
        None => Ok(answered.await),
    };
    match outcome {
        Ok(Ok(response)) => response,
        // What it said is in the log already.
        Ok(Err(_)) => Problem::new(Code::Internal, "this is a bug of ours; the log says more").into_response(),
        Err(_) if arrived.load(Ordering::Relaxed) => late().into_response(),
        Err(_) => Problem::new(Code::RequestTimeout, "the body did not arrive in time").into_response(),
    }
}

fn late() -> Problem {
    let problem = Problem::new(Code::Unavailable, "the answer took too long");
    problem.hint("try again when there is less to do").with(RETRY_AFTER, HeaderValue::from_static("10"))
}

/// A body that notes when all of it has arrived.
struct Arriving {
    body: Body,
    arrived: Arc<AtomicBool>,
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if matches!(frame, Poll::Ready(None)) || self.body.is_end_stream() {
            self.arrived.store(true, Ordering::Relaxed);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
