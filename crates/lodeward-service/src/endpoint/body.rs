//! Answers on their way from a blocking thread to a connection.

use std::io::{self, Write};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;
use tokio::time::timeout;

/// Pieces between whoever writes and the connection.
const PIECES_MAX: usize = 8;

/// How long a client may take before it makes room for the next piece: whoever reads
/// nothing would otherwise keep a thread for ever.
const PATIENCE: Duration = Duration::from_mins(2);

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

/// The receiving end, which the connection reads. Unless the writer says that it has
/// come to its end, it ends with an error, which makes hyper break the connection off:
/// half an answer does not look like one.
pub(crate) struct AnswerBody {
    pieces: mpsc::Receiver<Bytes>,
    is_whole: Arc<AtomicBool>,
    _interest: Interest,
}

impl AnswerBody {
    /// A body that is written elsewhere, and its writing end.
    pub(crate) fn written(interest: Interest) -> (Self, PieceWriter) {
        let (sender, pieces) = mpsc::channel(PIECES_MAX);
        let is_whole = Arc::new(AtomicBool::new(false));
        let writer = PieceWriter { sender, is_whole: Arc::clone(&is_whole), runtime: Handle::current() };
        (Self { pieces, is_whole, _interest: interest }, writer)
    }
}

impl Body for AnswerBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(match ready!(self.pieces.poll_recv(context)) {
            Some(piece) => Some(Ok(Frame::data(piece))),
            None if self.is_whole.load(Ordering::Acquire) => None,
            None => Some(Err(io::Error::other("the answer broke off"))),
        })
    }
}

/// The writing end, for a blocking thread: waits while the client is slow, and fails
/// when it has gone, or is too slow.
#[derive(Clone)]
pub(crate) struct PieceWriter {
    sender: mpsc::Sender<Bytes>,
    is_whole: Arc<AtomicBool>,
    runtime: Handle,
}

impl PieceWriter {
    /// Says that this was all. Without, the answer breaks off.
    pub(crate) fn finish(self) {
        self.is_whole.store(true, Ordering::Release);
    }
}

impl Write for PieceWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        match self.sender.try_send(Bytes::copy_from_slice(bytes)) {
            Ok(()) => {}
            Err(TrySendError::Closed(_)) => return Err(gone()),
            Err(TrySendError::Full(piece)) => {
                let sent = self.runtime.block_on(async { timeout(PATIENCE, self.sender.send(piece)).await });
                sent.map_err(|_| io::Error::from(io::ErrorKind::TimedOut))?.map_err(|_| gone())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
