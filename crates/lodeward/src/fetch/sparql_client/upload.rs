//! A request body that is sent while it is read.

use std::io::{self, Read};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// Size of a piece.
const PIECE_BYTES: usize = 64 * 1_024;
/// Maximum number of pieces queued between the reader and the connection.
const MAX_QUEUED_PIECES: usize = 4;

/// A request body: the receiving end of a queue that a reading thread fills.
pub(super) struct BodyUpload(mpsc::Receiver<io::Result<Bytes>>);

impl BodyUpload {
    /// Starts to read on a blocking thread of the current runtime. If the reader fails, the request is aborted, so that
    /// no server takes a truncated body for a complete one.
    pub(super) fn start(mut reader: Box<dyn Read + Send>) -> Self {
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_PIECES);
        tokio::task::spawn_blocking(move || {
            loop {
                let mut piece = Vec::with_capacity(PIECE_BYTES);
                let outcome = reader.by_ref().take(PIECE_BYTES as u64).read_to_end(&mut piece);
                let is_last = outcome.is_err() || piece.is_empty();
                let piece = outcome.map(|_| Bytes::from(piece));
                let is_empty = piece.as_ref().is_ok_and(Bytes::is_empty);
                if is_empty || sender.blocking_send(piece).is_err() || is_last {
                    return;
                }
            }
        });
        Self(receiver)
    }
}

impl Body for BodyUpload {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}
