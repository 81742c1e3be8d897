//! Answers on their way from a blocking thread to a connection.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use lodeward_archive::sparql::CancellationToken;
use tokio::sync::mpsc;

/// Pieces between the evaluator and the connection.
const PIECES_MAX: usize = 8;

/// Cancels a query when whoever waits for it has gone.
pub(super) struct Interest(pub(super) CancellationToken);

impl Drop for Interest {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The receiving end, which the connection reads. An error in it makes hyper
/// break the connection off, so that half an answer does not look like one.
pub(super) struct AnswerBody {
    pieces: Option<mpsc::Receiver<io::Result<Bytes>>>,
    whole: Option<Bytes>,
    _interest: Option<Interest>,
}

impl AnswerBody {
    /// A body that is all there.
    pub(super) fn whole(bytes: Bytes) -> Self {
        Self { pieces: None, whole: Some(bytes).filter(|bytes| !bytes.is_empty()), _interest: None }
    }

    /// A body that is written elsewhere, and its writing end.
    pub(super) fn written(interest: Interest) -> (Self, PieceWriter) {
        let (sender, receiver) = mpsc::channel(PIECES_MAX);
        (Self { pieces: Some(receiver), whole: None, _interest: Some(interest) }, PieceWriter(sender))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Some(bytes) = self.whole.take() {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        match &mut self.pieces {
            Some(pieces) => pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data))),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.whole.is_none() && self.pieces.is_none()
    }
}

/// The writing end, for a blocking thread: waits while the client is slow, and
/// fails when it has gone.
#[derive(Clone)]
pub(super) struct PieceWriter(mpsc::Sender<io::Result<Bytes>>);

impl PieceWriter {
    /// Says that there will be no more, though there should be.
    pub(super) fn break_off(self, why: &str) {
        let _ = self.0.blocking_send(Err(io::Error::other(why.to_owned())));
    }
}

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = |_| io::Error::from(io::ErrorKind::BrokenPipe);
        self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes))).map_err(gone)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
