//! Answers that are too long to hold.
//!
//! They are written on a thread of their own while they are sent, a few pieces ahead.
//! One that fails breaks the connection off, so that half of it does not look whole.
//! Whoever does not read for long is given up: threads are few.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::Body;
use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::endpoint::body::{AnswerBody, Interest};
use crate::problem::{Code, Problem};

/// Bytes that are sent together.
const PIECE_BYTES: usize = 64 << 10;

/// Such answers at a time: each has a thread.
const SEATS: usize = 32;

/// Who may send such an answer.
pub(crate) struct Downloads(Arc<Semaphore>);

impl Default for Downloads {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(SEATS)))
    }
}

impl Downloads {
    /// A seat for one answer, if there is one.
    pub(super) fn seat(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let seat = Arc::clone(&self.0).try_acquire_owned();
        seat.map_err(|_| {
            Problem::new(Code::Unavailable, "too many downloads are under way")
                .hint("try again when one has ended")
                .with(RETRY_AFTER, HeaderValue::from_static("30"))
        })
    }
}

/// A body that is written by this while it is sent.
pub(super) fn streamed(
    seat: OwnedSemaphorePermit,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Body {
    let (body, writer) = AnswerBody::written(Interest::none());
    tokio::task::spawn_blocking(move || {
        let mut pieces = BufWriter::with_capacity(PIECE_BYTES, writer.clone());
        match write(&mut pieces).and_then(|()| pieces.flush()) {
            Ok(()) => writer.finish(),
            Err(error) => {
                // What was not sent yet is of no use any more.
                drop(pieces.into_parts());
                if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::TimedOut) {
                    tracing::debug!(%error, "a client has left before its answer ended");
                } else {
                    tracing::error!(%error, "an answer broke off");
                }
            }
        }
        drop(seat);
    });
    Body::new(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn whoever_does_not_read_takes_a_seat_and_leaves_it_when_gone() {
        let downloads = Downloads::default();
        let endless = |into: &mut dyn Write| loop {
            into.write_all(&[b' '; 1 << 10])?;
        };
        let unread: Vec<Body> = (0..SEATS).map(|_| streamed(downloads.seat().unwrap(), endless)).collect();

        assert_eq!(downloads.seat().unwrap_err().code(), Code::Unavailable);

        drop(unread);
        let all = u32::try_from(SEATS).unwrap();
        assert!(downloads.0.acquire_many(all).await.is_ok(), "each has noticed that nobody reads");
    }
}
