//! A connection that is given up when the other side does not read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

/// A stream whose other side is expected to read: a write that gets nowhere for this
/// long fails.
pub(super) struct Reading<S> {
    stream: S,
    time: Duration,
    /// Since a write got nowhere.
    stalled: Option<Pin<Box<Sleep>>>,
}

impl<S> Reading<S> {
    pub(super) fn new(stream: S, time: Duration) -> Self {
        Self { stream, time, stalled: None }
    }

    #[expect(clippy::disallowed_methods, reason = "who does not read is not waited for")]
    fn judge(&mut self, context: &mut Context<'_>, written: Poll<io::Result<usize>>) -> Poll<io::Result<usize>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let time = self.time;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(time)));
        let given_up = |()| Err(io::Error::new(io::ErrorKind::TimedOut, "the other side does not read"));
        stalled.as_mut().poll(context).map(given_up)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Reading<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Reading<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.judge(context, written)
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
    async fn who_does_not_read_is_given_up() {
        let (near, _far) = tokio::io::duplex(16);
        let mut stream = Reading::new(near, Duration::from_millis(20));

        let outcome = stream.write_all(&[0; 17]).await;

        assert_eq!(outcome.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn who_reads_gets_everything() {
        let (near, mut far) = tokio::io::duplex(16);
        let mut stream = Reading::new(near, Duration::from_mins(1));
        let mut read = Vec::new();

        let writing = async {
            stream.write_all(&[7; 1_000]).await.unwrap();
            drop(stream);
        };
        let ((), count) = tokio::join!(writing, far.read_to_end(&mut read));

        assert_eq!((count.unwrap(), read), (1_000, vec![7; 1_000]));
    }
}
