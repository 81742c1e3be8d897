//! A stream that fails when the peer stops reading.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream with a write timeout: a write that makes no progress for `time` fails.
pub(super) struct WriteTimeoutStream<S> {
    stream: S,
    time: Duration,
    /// Timer that runs while a write makes no progress.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> WriteTimeoutStream<S> {
    pub(super) fn new(stream: S, time: Duration) -> Self {
        Self { stream, time, stalled: None }
    }

    #[expect(clippy::disallowed_methods, reason = "a peer that does not read must not block the connection")]
    fn check_stall(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let time = self.time;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        let timed_out = |()| Err(io::Error::new(io::ErrorKind::TimedOut, "the peer has stopped reading"));
        stalled.as_mut().poll(context).map(timed_out)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.check_stall(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.check_stall(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_write_fails_if_the_peer_does_not_read() {
        let (near, _far) = tokio::io::duplex(16);
        let mut stream = WriteTimeoutStream::new(near, Duration::from_millis(20));

        let outcome = stream.write_all(&[0; 17]).await;

        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_peer_that_reads_receives_everything() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut stream = WriteTimeoutStream::new(near, Duration::from_mins(1));
        let mut read = Vec::new();

        let writing = async {
            stream.write_all(&[7; 1_000]).await.unwrap();
            drop(stream);
        };
        let ((), count) = tokio::join!(writing, far.read_to_end(&mut read));

        assert_eq!((count.unwrap(), read), (1_000, vec![7; 1_000]));
    }
}
