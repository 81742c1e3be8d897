//! Limits the size of request bodies, the time they take to arrive, and the memory of large ones.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::{Body, Bytes};
use http::Request;
use http::header::CONTENT_LENGTH;
use hyper::body::{Body as _, Frame, SizeHint};
use tokio::time::Sleep;

use crate::limits::{MAX_BODY_UNITS, SlotPermit, Slots};
use crate::problem::{Problem, ProblemCode};

const OUTCOME_OK: u8 = 0;
const OUTCOME_TOO_LARGE: u8 = 1;
const OUTCOME_TIMED_OUT: u8 = 2;

/// The limits of a body.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyBounds {
    pub(super) max_bytes: u64,
    pub(super) timeout: Duration,
}

/// Whether a body exceeded its limits. The gateway reads it after the handler has run.
#[derive(Clone)]
pub(super) struct BodyOutcome(Arc<AtomicU8>, BodyBounds);

impl BodyOutcome {
    /// The problem to send instead of the response of the handler, if the body exceeded its limits.
    pub(super) fn problem(&self) -> Option<Problem> {
        match self.0.load(Ordering::Relaxed) {
            OUTCOME_TOO_LARGE => Some(too_large(self.1)),
            OUTCOME_TIMED_OUT => {
                let detail = format!("the body did not arrive within {} s", self.1.timeout.as_secs());
                Some(Problem::new(ProblemCode::RequestTimeout, detail))
            }
            _ => None,
        }
    }
}

fn too_large(bounds: BodyBounds) -> Problem {
    if bounds.max_bytes <= super::MAX_MEDIUM_BODY_BYTES {
        let detail = format!("the body of this request may have at most {} kB", bounds.max_bytes / 1_000);
        return Problem::new(ProblemCode::ContentTooLarge, detail);
    }
    Problem::new(ProblemCode::ContentTooLarge, format!("the body may have at most {} MB", bounds.max_bytes / 1_000_000))
        .hint("send the data in parts, or raise `service.max_body_size`")
}

/// Limits the body of a request. Rejects a request whose `Content-Length` is too large.
pub(super) fn limit_body(request: Request<Body>, bounds: BodyBounds) -> Result<(Request<Body>, BodyOutcome), Problem> {
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if length.is_some_and(|length| length > bounds.max_bytes) {
        return Err(too_large(bounds));
    }
    let outcome = BodyOutcome(Arc::new(AtomicU8::new(OUTCOME_OK)), bounds);
    if request.body().is_end_stream() {
        return Ok((request, outcome));
    }
    let shared = Arc::clone(&outcome.0);
    Ok((request.map(|body| Body::new(BoundedBody::new(body, bounds.max_bytes, bounds.timeout, shared))), outcome))
}

/// The unit in which memory is reserved, in bytes.
const MEMORY_UNIT_BYTES: u64 = 1 << 20;

/// Waits until there is memory for a body of this size or, if the size is unknown, for a body
/// of the maximum size. Small bodies are not limited.
pub(super) async fn reserve_memory(
    memory: &Slots,
    length: Option<u64>,
    bounds: BodyBounds,
) -> Result<Option<SlotPermit>, Problem> {
    let bytes = length.unwrap_or(bounds.max_bytes).min(bounds.max_bytes);
    if bytes <= super::MAX_MEDIUM_BODY_BYTES {
        return Ok(None);
    }
    let units = u32::try_from(bytes.div_ceil(MEMORY_UNIT_BYTES)).unwrap_or(MAX_BODY_UNITS).min(MAX_BODY_UNITS);
    let permit = memory.acquire_within(units, bounds.timeout).await;
    permit.map(Some).ok_or_else(|| Problem::busy("too many large requests are being processed", 30))
}

/// A body that fails when it exceeds its size or its deadline.
struct BoundedBody {
    body: Body,
    left: u64,
    deadline: Pin<Box<Sleep>>,
    outcome: Arc<AtomicU8>,
}

impl BoundedBody {
    #[expect(clippy::disallowed_methods, reason = "a client that sends too slowly must not block a handler")]
    fn new(body: Body, left: u64, time: Duration, outcome: Arc<AtomicU8>) -> Self {
        Self { body, left, deadline: Box::pin(tokio::time::sleep(time)), outcome }
    }

    fn fail(&self, outcome: u8) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.outcome.store(outcome, Ordering::Relaxed);
        let error = if outcome == OUTCOME_TOO_LARGE { BodyError::Large } else { BodyError::Slow };
        Poll::Ready(Some(Err(axum::Error::new(error))))
    }
}

/// Why reading a body failed.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum BodyError {
    #[error("the body is too large")]
    Large,
    #[error("the body did not arrive in time")]
    Slow,
}

impl hyper::body::Body for BoundedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.deadline.as_mut().poll(context).is_ready() {
            return self.fail(OUTCOME_TIMED_OUT);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let length = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, |data| data.len() as u64),
            _ => 0,
        };
        match self.left.checked_sub(length) {
            Some(left) => self.left = left,
            None => return self.fail(OUTCOME_TOO_LARGE),
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    const BOUNDS: BodyBounds = BodyBounds { max_bytes: 1_000_000, timeout: Duration::from_secs(30) };

    fn code(outcome: &BodyOutcome) -> Option<ProblemCode> {
        outcome.problem().map(|problem| problem.code())
    }

    #[tokio::test]
    async fn a_body_within_its_limits_is_unchanged() {
        let (request, outcome) = limit_body(Request::new(Body::from("abc")), BOUNDS).unwrap();

        assert_eq!(request.into_body().collect().await.unwrap().to_bytes(), "abc");
        assert_eq!(code(&outcome), None);
    }

    #[tokio::test]
    async fn a_body_that_grows_too_large_fails() {
        let chunks = (0..3).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![0; 400_000])));
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        let (request, outcome) = limit_body(Request::new(body), BOUNDS).unwrap();

        assert!(request.into_body().collect().await.is_err());
        assert_eq!(code(&outcome), Some(ProblemCode::ContentTooLarge));
    }

    #[test]
    fn a_body_with_a_too_large_content_length_is_not_read() {
        let request = Request::builder().header("content-length", "1000001").body(Body::empty()).unwrap();

        assert_eq!(limit_body(request, BOUNDS).err().map(|problem| problem.code()), Some(ProblemCode::ContentTooLarge));
    }

    #[tokio::test]
    async fn a_body_that_does_not_arrive_times_out() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let (request, outcome) =
            limit_body(Request::new(never), BodyBounds { timeout: Duration::ZERO, ..BOUNDS }).unwrap();

        assert!(request.into_body().collect().await.is_err());
        assert_eq!(code(&outcome), Some(ProblemCode::RequestTimeout));
    }

    #[tokio::test]
    async fn large_bodies_wait_for_memory() {
        let memory = Slots::new(MAX_BODY_UNITS as usize);
        let bounds = BodyBounds { max_bytes: 200 * MEMORY_UNIT_BYTES, timeout: Duration::ZERO };

        let first = reserve_memory(&memory, None, bounds).await.unwrap();
        assert_eq!((first.is_some(), memory.in_use()), (true, 200));
        assert!(reserve_memory(&memory, Some(5), bounds).await.unwrap().is_none());
        let rejected = reserve_memory(&memory, Some(60 * MEMORY_UNIT_BYTES), bounds).await;
        assert_eq!(rejected.err().map(|problem| problem.code()), Some(ProblemCode::Unavailable));
        drop(first);
        assert!(reserve_memory(&memory, None, bounds).await.unwrap().is_some());
        let huge = BodyBounds { max_bytes: u64::MAX, ..bounds };
        assert!(reserve_memory(&memory, None, huge).await.unwrap().is_some(), "a body of any size may be held alone");
    }
}
