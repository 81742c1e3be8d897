//! Answers on their way from a blocking thread to a connection.

use std::io::{self, Write};
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::sync::mpsc;

/// Pieces between the evaluator and the connection.
const PIECES_MAX: usize = 8;

/// Does something when whoever waits for an answer has gone.
pub(crate) struct Interest(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Interest {
    /// Does this.
    pub(crate) fn new(when_gone: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(when_gone)))
    }

    /// Nothing: the writer notices when it writes.
    pub(crate) fn none() -> Self {
        Self(None)
    }
}

impl Drop for Interest {
    fn drop(&mut self) {
        if let Some(when_gone) = self.0.take() {
            when_gone();
        }
    }
}

/// The receiving end, which the connection reads. An error in it makes hyper
/// break the connection off, so that half an answer does not look like one.
pub(crate) struct AnswerBody {
    pieces: mpsc::Receiver<io::Result<Bytes>>,
    _interest: Interest,
}

impl AnswerBody {
    /// A body that is written elsewhere, and its writing end.
    pub(crate) fn written(interest: Interest) -> (Self, PieceWriter) {
        let (sender, pieces) = mpsc::channel(PIECES_MAX);
        (Self { pieces, _interest: interest }, PieceWriter(sender))
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.pieces.poll_recv(context).map(|piece| piece.map(|piece| piece.map(Frame::data)))
    }
}

/// The writing end, for a blocking thread: waits while the client is slow, and
/// fails when it has gone.
#[derive(Clone)]
pub(crate) struct PieceWriter(mpsc::Sender<io::Result<Bytes>>);

impl PieceWriter {
    /// Says that there will be no more, though there should be.
    pub(crate) fn break_off(self, why: &str) {
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
