//! Runs requests to an archive: limits their body and number, evaluates them on a blocking
//! thread, and streams the result.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use lodeward_archive::protocol::ProtocolEndpoint;
use lodeward_archive::sparql::CancellationToken;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::streamed_body::{ChunkWriter, DisconnectGuard, StreamedBody};
use crate::limits::{SlotPermit, Slots};
use crate::problem::{Problem, ProblemCode};

/// Runs requests to an archive.
pub(crate) struct QueryRunner {
    /// One permit for each running request.
    slots: Slots,
    max_queue_time: Duration,
    /// How long a request may take to arrive; `None` if the caller limits this time.
    request_timeout: Option<Duration>,
    /// Number of responses aborted by a limit, or by a client that disconnected.
    aborted: Arc<AtomicU64>,
}

impl QueryRunner {
    /// Creates a runner with limits on the number of concurrent requests, on the time that further
    /// requests wait, and on the time that a request takes to arrive (`None` if the caller limits
    /// it).
    pub(crate) fn new(max_running: usize, max_queue_time: Duration, request_timeout: Option<Duration>) -> Self {
        Self { slots: Slots::new(max_running.max(1)), max_queue_time, request_timeout, aborted: Arc::default() }
    }

    /// The number of running requests.
    pub(crate) fn running_count(&self) -> usize {
        self.slots.in_use()
    }

    /// The number of responses aborted by a limit, or by a client that disconnected.
    pub(crate) fn aborted_count(&self) -> u64 {
        self.aborted.load(Ordering::Relaxed)
    }

    /// Evaluates a request whose body may have at most `max_bytes`, and returns the response.
    pub(crate) async fn handle<B>(&self, endpoint: &ProtocolEndpoint, request: Request<B>, max_bytes: usize) -> Response
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let attempt = async {
            let body = self.read_body(body, max_bytes).await?;
            let slot = self.slots.acquire_within(1, self.max_queue_time).await;
            let slot = slot.ok_or_else(|| Problem::busy("too many queries are running", 10))?;
            self.evaluate(endpoint, Request::from_parts(head, body), slot).await
        };
        attempt.await.unwrap_or_else(Problem::into_response)
    }

    async fn read_body<B>(&self, body: B, max_bytes: usize) -> Result<Bytes, Problem>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let reading = Limited::new(body, max_bytes).collect();
        let read = match self.request_timeout {
            Some(time) => timeout(time, reading).await,
            None => Ok(reading.await),
        };
        match read {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                // The rest of the body is not read, so the connection must be closed after the response.
                let problem = Problem::new(
                    ProblemCode::ContentTooLarge,
                    format!("the body of this request may have at most {max_bytes} bytes"),
                );
                Err(problem.with_header(CONNECTION, HeaderValue::from_static("close")))
            }
            Ok(Err(error)) => Err(Problem::new(ProblemCode::BadRequest, error.to_string())),
            Err(_) => Err(Problem::new(ProblemCode::RequestTimeout, "the request did not arrive in time")),
        }
    }

    async fn evaluate(
        &self,
        endpoint: &ProtocolEndpoint,
        request: Request<Bytes>,
        slot: SlotPermit,
    ) -> Result<Response, Problem> {
        let cancel = CancellationToken::new();
        // The guard cancels the query when this future, or the body that it returns, is dropped.
        let (body, writer) = StreamedBody::channel(DisconnectGuard::new({
            let cancel = cancel.clone();
            move || cancel.cancel()
        }));
        let endpoint = endpoint.with_cancel(&cancel);
        let aborted = Arc::clone(&self.aborted);
        let (send_head, head) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            if !write(&endpoint, &request, send_head, &writer) {
                aborted.fetch_add(1, Ordering::Relaxed);
            }
            drop(slot);
            // The body ends here, so a client that has read it sees the counters updated.
            drop(writer);
        });
        match head.await {
            Ok(head) => Ok(Response::from_parts(head, Body::new(body))),
            Err(_) => Err(Problem::new(ProblemCode::Internal, "the query could not be evaluated")),
        }
    }
}

/// Writes a response. Returns whether it was written completely.
fn write(
    endpoint: &ProtocolEndpoint,
    request: &Request<Bytes>,
    send_head: oneshot::Sender<http::response::Parts>,
    writer: &ChunkWriter,
) -> bool {
    let (chunks, mut is_complete) = (writer.clone(), true);
    // A panic is caught, so that the permit of the request is released.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        endpoint.respond(request, |head| {
            is_complete = head.status != StatusCode::SERVICE_UNAVAILABLE;
            let _ = send_head.send(head);
            chunks
        })
    }));
    // The URL without its query, which may be long and contain personal data.
    let path = request.uri().path();
    match outcome {
        Ok(Ok(())) => {
            writer.finish();
            return is_complete;
        }
        Ok(Err(error)) => tracing::debug!(%error, path, "response aborted"),
        Err(_) => tracing::error!(path, "internal error (a bug): the endpoint panicked"),
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_query_without_a_slot_is_rejected_with_retry_after() {
        let dir = tempfile::tempdir().unwrap();
        let archive = lodeward_archive::Archive::open(dir.path(), &lodeward_archive::Options::default()).unwrap();
        let endpoint = ProtocolEndpoint::new(archive, lodeward_archive::protocol::ProtocolOptions::default());
        let runner = QueryRunner::new(1, Duration::ZERO, None);
        let query = || Request::get("/sparql?query=ASK%7B%7D").body(Body::empty()).unwrap();
        assert_eq!(runner.handle(&endpoint, query(), 100).await.status(), StatusCode::OK);

        let _slot = runner.slots.acquire().await;
        let response = runner.handle(&endpoint, query(), 100).await;

        assert_eq!(
            (response.status(), &response.headers()["retry-after"]),
            (StatusCode::SERVICE_UNAVAILABLE, &"10".parse().unwrap())
        );
    }
}
