//! Streams large responses.
//!
//! A response is generated on a blocking thread while it is sent, a few chunks ahead. If this
//! fails, the connection is closed, so that a truncated response does not look complete. A client
//! that stops reading is disconnected, because the number of threads is limited.

use std::io::{self, BufWriter, Write};

use axum::body::Body;

use crate::limits::{SlotPermit, Slots};
use crate::problem::Problem;
use crate::sparql::streamed_body::{DisconnectGuard, StreamedBody};

/// The size of a chunk, in bytes.
const CHUNK_BYTES: usize = 64 << 10;

/// A slot for one download, or a problem if none is free.
pub(super) fn download_slot(downloads: &Slots) -> Result<SlotPermit, Problem> {
    downloads.try_acquire().ok_or_else(|| Problem::busy("too many downloads are running", 30))
}

/// A response body that `write` generates while the response is sent.
pub(super) fn stream_body(
    slot: SlotPermit,
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
                // The kind of the error may be lost in an error of the store.
                if writer.is_disconnected() {
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
    use crate::limits::MAX_DOWNLOADS;
    use crate::problem::ProblemCode;

    #[tokio::test]
    async fn a_client_that_does_not_read_keeps_its_slot_until_it_disconnects() {
        let downloads = Slots::new(MAX_DOWNLOADS);
        let endless = |into: &mut dyn Write| loop {
            into.write_all(&[b' '; 1 << 10])?;
        };
        let unread: Vec<Body> =
            (0..MAX_DOWNLOADS).map(|_| stream_body(download_slot(&downloads).unwrap(), endless)).collect();

        assert_eq!(download_slot(&downloads).unwrap_err().code(), ProblemCode::Unavailable);

        drop(unread);
        let all = u32::try_from(MAX_DOWNLOADS).unwrap();
        let free = downloads.acquire_within(all, std::time::Duration::from_mins(1)).await;
        assert!(free.is_some(), "each writer notices the disconnect");
    }
}
