//! Streams large responses.
//!
//! A response is generated on a blocking thread while it is sent, a few chunks ahead. If this
//! fails, the connection is closed, so that a truncated response does not look complete. A client
//! that stops reading is disconnected, because the number of threads is limited.

use std::io::{self, BufWriter, Write};
use std::sync::Arc;

use axum::body::Body;
use http::HeaderValue;
use http::header::RETRY_AFTER;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::endpoint::streamed_body::{DisconnectGuard, StreamedBody};
use crate::problem::{Problem, ProblemCode};

/// The size of a chunk, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// Maximum number of concurrent downloads. Each occupies a thread.
const MAX_DOWNLOADS: usize = 32;

/// Limits concurrent downloads.
pub(crate) struct DownloadSlots(Arc<Semaphore>);

impl Default for DownloadSlots {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_DOWNLOADS)))
    }
}

impl DownloadSlots {
    /// Returns a slot for one download, or a problem if none is free.
    pub(super) fn try_acquire(&self) -> Result<OwnedSemaphorePermit, Problem> {
        let slot = Arc::clone(&self.0).try_acquire_owned();
        slot.map_err(|_| {
            Problem::new(ProblemCode::Unavailable, "too many downloads are running")
                .hint("retry later")
                .with_header(RETRY_AFTER, HeaderValue::from_static("30"))
        })
    }
}

/// A response body that `write` generates while the response is sent.
pub(super) fn stream_body(
    slot: OwnedSemaphorePermit,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Body {
    let (body, writer) = StreamedBody::channel(DisconnectGuard::none());
    tokio::task::spawn_blocking(move || {
        let mut chunks = BufWriter::with_capacity(CHUNK_BYTES, writer.clone());
        match write(&mut chunks).and_then(|()| chunks.flush()) {
            Ok(()) => writer.finish(),
            Err(error) => {
                // The buffer is dropped without being flushed, because the response is incomplete.
                drop(chunks.into_parts());
                if matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::TimedOut) {
                    tracing::debug!(%error, "client disconnected during a download");
                } else {
                    tracing::error!(%error, "download failed");
                }
            }
        }
        drop(slot);
    });
    Body::new(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_client_that_does_not_read_keeps_its_slot_until_it_disconnects() {
        let downloads = DownloadSlots::default();
        let endless = |into: &mut dyn Write| loop {
            into.write_all(&[b' '; 1 << 10])?;
        };
        let unread: Vec<Body> =
            (0..MAX_DOWNLOADS).map(|_| stream_body(downloads.try_acquire().unwrap(), endless)).collect();

        assert_eq!(downloads.try_acquire().unwrap_err().code(), ProblemCode::Unavailable);

        drop(unread);
        let all = u32::try_from(MAX_DOWNLOADS).unwrap();
        assert!(downloads.0.acquire_many(all).await.is_ok(), "each writer notices the disconnect");
    }
}
