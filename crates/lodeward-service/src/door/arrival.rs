//! Bodies that are too large, or too slow.

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

use crate::problem::{Code, Problem};

const FINE: u8 = 0;
const LARGE: u8 = 1;
const SLOW: u8 = 2;

/// What may arrive.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) bytes: u64,
    pub(super) time: Duration,
}

/// What became of a body, for whoever answers.
#[derive(Clone)]
pub(super) struct Fate(Arc<AtomicU8>, Bounds);

impl Fate {
    /// What is to be said instead of what the handler made of it.
    pub(super) fn problem(&self) -> Option<Problem> {
        match self.0.load(Ordering::Relaxed) {
            LARGE => Some(too_large(self.1)),
            SLOW => {
                let detail = format!("its body did not arrive within {} s", self.1.time.as_secs());
                Some(Problem::new(Code::RequestTimeout, detail))
            }
            _ => None,
        }
    }
}

fn too_large(bounds: Bounds) -> Problem {
    if bounds.bytes <= super::SOME_BYTES_MAX {
        return Problem::new(Code::TooLarge, format!("a request to this may have {} kB", bounds.bytes / 1_000));
    }
    Problem::new(Code::TooLarge, format!("a request may have {} MB", bounds.bytes / 1_000_000))
        .hint("send less at a time; `service.body_mb` says how much there may be")
}

/// Bounds the body of a request. Refuses one that says itself that it is too large.
pub(super) fn bound(request: Request<Body>, bounds: Bounds) -> Result<(Request<Body>, Fate), Problem> {
    let told = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if told.is_some_and(|told| told > bounds.bytes) {
        return Err(too_large(bounds));
    }
    let fate = Fate(Arc::new(AtomicU8::new(FINE)), bounds);
    if request.body().is_end_stream() {
        return Ok((request, fate));
    }
    let told = Arc::clone(&fate.0);
    Ok((request.map(|body| Body::new(Arriving::new(body, bounds.bytes, bounds.time, told))), fate))
}

/// A body on its way.
struct Arriving {
    body: Body,
    left: u64,
    deadline: Pin<Box<Sleep>>,
    fate: Arc<AtomicU8>,
}

impl Arriving {
    #[expect(clippy::disallowed_methods, reason = "who sends too slowly is not waited for")]
    fn new(body: Body, left: u64, time: Duration, fate: Arc<AtomicU8>) -> Self {
        Self { body, left, deadline: Box::pin(tokio::time::sleep(time)), fate }
    }

    fn fail(&self, fate: u8) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.fate.store(fate, Ordering::Relaxed);
        Poll::Ready(Some(Err(axum::Error::new(if fate == LARGE { Cut::Large } else { Cut::Slow }))))
    }
}

/// A body was not read to its end.
#[derive(Clone, Copy, Debug, thiserror::Error)]
enum Cut {
    #[error("the body is too large")]
    Large,
    #[error("the body did not arrive in time")]
    Slow,
}

impl hyper::body::Body for Arriving {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        if self.deadline.as_mut().poll(context).is_ready() {
            return self.fail(SLOW);
        }
        let frame = ready!(Pin::new(&mut self.body).poll_frame(context));
        let length = match &frame {
            Some(Ok(frame)) => frame.data_ref().map_or(0, |data| data.len() as u64),
            _ => 0,
        };
        match self.left.checked_sub(length) {
            Some(left) => self.left = left,
            None => return self.fail(LARGE),
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

    const BOUNDS: Bounds = Bounds { bytes: 1_000_000, time: Duration::from_secs(30) };

    fn code(fate: &Fate) -> Option<Code> {
        fate.problem().map(|problem| problem.code())
    }

    #[tokio::test]
    async fn a_body_within_its_bounds_is_what_it_was() {
        let (request, fate) = bound(Request::new(Body::from("abc")), BOUNDS).unwrap();

        assert_eq!(request.into_body().collect().await.unwrap().to_bytes(), "abc");
        assert_eq!(code(&fate), None);
    }

    #[tokio::test]
    async fn a_body_that_grows_too_large_is_cut() {
        let chunks = (0..3).map(|_| Ok::<_, std::io::Error>(Bytes::from(vec![0; 400_000])));
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        let (request, fate) = bound(Request::new(body), BOUNDS).unwrap();

        assert!(request.into_body().collect().await.is_err());
        assert_eq!(code(&fate), Some(Code::TooLarge));
    }

    #[test]
    fn a_body_that_says_itself_that_it_is_too_large_is_not_read() {
        let request = Request::builder().header("content-length", "1000001").body(Body::empty()).unwrap();

        assert_eq!(bound(request, BOUNDS).err().map(|problem| problem.code()), Some(Code::TooLarge));
    }

    #[tokio::test]
    async fn a_body_that_never_comes_is_not_waited_for() {
        let never = Body::from_stream(futures_util::stream::pending::<Result<Bytes, std::io::Error>>());
        let (request, fate) = bound(Request::new(never), Bounds { time: Duration::ZERO, ..BOUNDS }).unwrap();

        assert!(request.into_body().collect().await.is_err());
        assert_eq!(code(&fate), Some(Code::RequestTimeout));
    }
}
