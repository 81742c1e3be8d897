//! Answers that are too long to hold.

use std::io::{self, Write};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::mpsc;

/// What is sent at a time.
const CHUNK_BYTES: usize = 32 << 10;

/// How much waits for a client that is slow.
const CHUNKS_WAITING: usize = 4;

/// An answer that somebody writes on a thread of their own while it is sent. They wait
/// for a slow client, and are told when it is gone; when they fail, the answer breaks
/// off where everybody can see it.
pub(crate) fn written(
    media_type: &'static str,
    work: impl FnOnce(&mut dyn Write) -> io::Result<()> + Send + 'static,
) -> Response {
    let (sender, receiver) = mpsc::channel(CHUNKS_WAITING);
    tokio::task::spawn_blocking(move || {
        let mut out = io::BufWriter::with_capacity(CHUNK_BYTES, Chunks(sender.clone()));
        if let Err(error) = work(&mut out).and_then(|()| out.flush()) {
            // What was not sent yet is of no use any more.
            drop(out.into_parts());
            if error.kind() != io::ErrorKind::BrokenPipe {
                tracing::error!(%error, "an answer broke off");
            }
            let _ = sender.blocking_send(Err(error));
        }
    });
    let chunks = stream::unfold(receiver, |mut receiver| async move { Some((receiver.recv().await?, receiver)) });
    let mut response = Body::from_stream(chunks).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    response
}

/// Hands on what is written.
struct Chunks(mpsc::Sender<io::Result<Bytes>>);

impl Write for Chunks {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
