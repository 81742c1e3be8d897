//! One request: received within bounds, evaluated on a blocking thread, sent
//! while it is evaluated.

use std::error::Error;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CONNECTION, RETRY_AFTER};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use lodeward_archive::protocol::Endpoint;
use lodeward_archive::sparql::CancellationToken;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};
use tokio::time::timeout;

use super::body::{AnswerBody, Interest, PieceWriter};
use crate::problem::{Code, Problem};

/// Where requests to an archive are answered.
pub(crate) struct Desk {
    /// One for each request that is evaluated.
    seats: Arc<Semaphore>,
    seats_max: usize,
    queue_time_max: Duration,
    /// `None` where somebody else sees to it.
    request_time_max: Option<Duration>,
    /// Answers that a bound has cut short, or whose reader went away.
    cut_short: Arc<AtomicU64>,
}

impl Desk {
    /// So many requests at a time, which wait so long for a seat and take so long to
    /// arrive, unless somebody else sees to that.
    pub(crate) fn new(seats_max: usize, queue_time_max: Duration, request_time_max: Option<Duration>) -> Self {
        let seats_max = seats_max.max(1);
        let seats = Arc::new(Semaphore::new(seats_max));
        Self { seats, seats_max, queue_time_max, request_time_max, cut_short: Arc::default() }
    }

    /// Requests that are evaluated now.
    pub(crate) fn under_way(&self) -> usize {
        self.seats_max - self.seats.available_permits()
    }

    /// Answers that a bound has cut short, or whose reader went away, so far.
    pub(crate) fn cut_short(&self) -> u64 {
        self.cut_short.load(Ordering::Relaxed)
    }

    /// Answers a request whose body may have so many bytes.
    pub(crate) async fn answer<B>(&self, endpoint: &Endpoint, request: Request<B>, bytes_max: usize) -> Response
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let (head, body) = request.into_parts();
        let attempt = async {
            let body = self.receive(body, bytes_max).await?;
            let seat = self.seat().await?;
            self.evaluate(endpoint, Request::from_parts(head, body), seat).await
        };
        attempt.await.unwrap_or_else(Problem::into_response)
    }

    async fn receive<B>(&self, body: B, bytes_max: usize) -> Result<Bytes, Problem>
    where
        B: hyper::body::Body<Data = Bytes>,
        B::Error: Into<Box<dyn Error + Send + Sync>>,
    {
        let arriving = Limited::new(body, bytes_max).collect();
        let arrived = match self.request_time_max {
            Some(time) => timeout(time, arriving).await,
            None => Ok(arriving.await),
        };
        match arrived {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                // What is left of it is not read, so nothing else can come this way.
                let problem = Problem::new(Code::TooLarge, format!("a request may have {bytes_max} bytes here"));
                Err(problem.with(CONNECTION, HeaderValue::from_static("close")))
            }
            Ok(Err(error)) => Err(Problem::new(Code::BadRequest, error.to_string())),
            Err(_) => Err(Problem::new(Code::RequestTimeout, "the request did not arrive in time")),
        }
    }

    async fn seat(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let seat = timeout(self.queue_time_max, Arc::clone(&self.seats).acquire_owned()).await;
        seat.ok().and_then(Result::ok).ok_or_else(|| {
            Problem::new(Code::Unavailable, "too many queries are under way")
                .hint("ask again in a moment")
                .with(RETRY_AFTER, HeaderValue::from_static("10"))
        })
    }

    async fn evaluate(
        &self,
        endpoint: &Endpoint,
        request: Request<Bytes>,
        seat: OwnedSemaphorePermit,
    ) -> Result<Response, Problem> {
        let cancel = CancellationToken::new();
        // Dropped with this future or with the body, whichever the client waits for.
        let (body, writer) = AnswerBody::written(Interest::new({
            let cancel = cancel.clone();
            move || cancel.cancel()
        }));
        let endpoint = endpoint.stopped_by(&cancel);
        let cut_short = Arc::clone(&self.cut_short);
        let (begin, begun) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            if !write(&endpoint, &request, begin, writer) {
                cut_short.fetch_add(1, Ordering::Relaxed);
            }
            drop(seat);
        });
        match begun.await {
            Ok(head) => Ok(Response::from_parts(head, Body::new(body))),
            Err(_) => Err(Problem::new(Code::Internal, "the query could not be evaluated")),
        }
    }
}

/// Writes an answer. Tells whether it came to its end.
fn write(
    endpoint: &Endpoint,
    request: &Request<Bytes>,
    begin: oneshot::Sender<http::response::Parts>,
    writer: PieceWriter,
) -> bool {
    let (pieces, mut is_whole) = (writer.clone(), true);
    // Caught: whoever breaks gives back a seat, too.
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        endpoint.answer(request, |head| {
            is_whole = head.status != StatusCode::SERVICE_UNAVAILABLE;
            let _ = begin.send(head);
            pieces
        })
    }));
    // The address without its query: that one may be long, and is nobody's business.
    let path = request.uri().path();
    match outcome {
        Ok(Ok(())) => {
            writer.finish();
            return is_whole;
        }
        Ok(Err(interrupted)) => tracing::debug!(%interrupted, path, "an answer broke off"),
        Err(_) => tracing::error!(path, "a request broke the endpoint: this is a bug of ours"),
    }
    false
}
