//! Response bodies that are streamed from a blocking thread to a connection.

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

/// Maximum number of chunks buffered between the writer and the connection.
const MAX_CHUNKS: usize = 8;

/// Maximum size of a chunk, so that a long value does not fill the memory.
const MAX_CHUNK_BYTES: usize = 64 << 10;

/// How long a client may stop reading. Without this limit, a client that does not read would block
/// a thread forever.
const SEND_TIMEOUT: Duration = Duration::from_mins(2);

/// Runs an action when it is dropped: when the client has disconnected, or when the response is complete.
pub(crate) struct DisconnectGuard(Option<Box<dyn FnOnce() + Send + Sync>>);

impl DisconnectGuard {
    /// A guard that runs `on_disconnect`.
    pub(crate) fn new(on_disconnect: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self(Some(Box::new(on_disconnect)))
    }

    /// A guard without an action: the writer fails at its next write if the client has
    /// disconnected.
    pub(crate) fn none() -> Self {
        Self(None)
    }
}

impl Drop for DisconnectGuard {
    fn drop(&mut self) {
        if let Some(on_disconnect) = self.0.take() {
            on_disconnect();
        }
    }
}

/// The receiving end, which the connection reads. Unless the writer calls
/// [`finish`](ChunkWriter::finish), it ends with an error, and hyper closes the connection: a
/// truncated response does not look complete.
pub(crate) struct StreamedBody {
    chunks: mpsc::Receiver<Bytes>,
    is_complete: Arc<AtomicBool>,
    _guard: DisconnectGuard,
}

impl StreamedBody {
    /// Creates a body and its writing end.
    pub(crate) fn channel(guard: DisconnectGuard) -> (Self, ChunkWriter) {
        let (sender, chunks) = mpsc::channel(MAX_CHUNKS);
        let is_complete = Arc::new(AtomicBool::new(false));
        let writer = ChunkWriter {
            sender,
            is_complete: Arc::clone(&is_complete),
            has_timed_out: Arc::default(),
            runtime: Handle::current(),
        };
        (Self { chunks, is_complete, _guard: guard }, writer)
    }
}

impl Body for StreamedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        Poll::Ready(match ready!(self.chunks.poll_recv(context)) {
            Some(chunk) => Some(Ok(Frame::data(chunk))),
            None if self.is_complete.load(Ordering::Acquire) => None,
            None => Some(Err(io::Error::other("the response was truncated"))),
        })
    }
}

/// The writing end, for a blocking thread: it waits while the client is slow, and fails if the
/// client has disconnected or is too slow.
#[derive(Clone)]
pub(crate) struct ChunkWriter {
    sender: mpsc::Sender<Bytes>,
    is_complete: Arc<AtomicBool>,
    has_timed_out: Arc<AtomicBool>,
    runtime: Handle,
}

impl ChunkWriter {
    /// Marks the body as complete. It ends when all writers are dropped.
    pub(crate) fn finish(&self) {
        self.is_complete.store(true, Ordering::Release);
    }

    /// Whether the client has disconnected, or was too slow.
    pub(crate) fn is_disconnected(&self) -> bool {
        self.sender.is_closed() || self.has_timed_out.load(Ordering::Relaxed)
    }
}

impl Write for ChunkWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let disconnected = || io::Error::from(io::ErrorKind::BrokenPipe);
        let bytes = &bytes[..bytes.len().min(MAX_CHUNK_BYTES)];
        match self.sender.try_send(Bytes::copy_from_slice(bytes)) {
            Ok(()) => {}
            Err(TrySendError::Closed(_)) => return Err(disconnected()),
            Err(TrySendError::Full(chunk)) => {
                let sent = self.runtime.block_on(async { timeout(SEND_TIMEOUT, self.sender.send(chunk)).await });
                let timed_out = |_| {
                    self.has_timed_out.store(true, Ordering::Relaxed);
                    io::Error::from(io::ErrorKind::TimedOut)
                };
                sent.map_err(timed_out)?.map_err(|_| disconnected())?;
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_long_value_is_sent_in_chunks() {
        let (mut body, mut writer) = StreamedBody::channel(DisconnectGuard::none());
        let value = vec![b'a'; MAX_CHUNK_BYTES * 3 + 1];
        let written = tokio::task::spawn_blocking(move || writer.write_all(&value));
        let mut sizes = Vec::new();
        while let Some(chunk) = body.chunks.recv().await {
            sizes.push(chunk.len());
        }
        written.await.unwrap().unwrap();
        assert_eq!(sizes, [MAX_CHUNK_BYTES, MAX_CHUNK_BYTES, MAX_CHUNK_BYTES, 1]);
    }
}
