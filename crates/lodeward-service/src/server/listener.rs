//! Accepts TCP connections, with a limit on the number of open ones.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// Pause after `accept` has failed: the process is probably out of file descriptors, so
/// connections must close first.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(100);

/// The open connections of a listener.
pub(crate) struct OpenConnections(JoinSet<()>);

/// Accepts connections until `stop` resolves, at most `max_connections` at a time; further
/// ones wait. If `handle` returns `None`, the connection is closed at once.
pub(crate) async fn accept<A>(
    listener: TcpListener,
    max_connections: usize,
    stop: impl Future<Output = ()>,
    mut handle: impl FnMut(TcpStream, SocketAddr) -> Option<A>,
) -> OpenConnections
where
    A: Future<Output = ()> + Send + 'static,
{
    let slots = Arc::new(Semaphore::new(max_connections.max(1)));
    let mut connections = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let incoming = async {
            let slot = Arc::clone(&slots).acquire_owned().await.expect("the semaphore is never closed");
            (slot, listener.accept().await)
        };
        tokio::select! {
            biased;
            () = &mut stop => return OpenConnections(connections),
            Some(_) = connections.join_next() => {}
            (slot, accepted) = incoming => match accepted {
                Ok((stream, peer)) => {
                    if let Some(handling) = handle(stream, peer) {
                        connections.spawn(async move {
                            handling.await;
                            drop(slot);
                        });
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "accepting a connection failed");
                    let _ = tokio::time::timeout(ACCEPT_RETRY_DELAY, connections.join_next()).await;
                }
            },
        }
    }
}

impl OpenConnections {
    /// The number of open connections.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Waits until all connections are closed, for at most `grace`. Then it closes the
    /// remaining ones and cancels their requests.
    pub(crate) async fn drain(mut self, grace: Duration) {
        let _ = tokio::time::timeout(grace, async { while self.0.join_next().await.is_some() {} }).await;
        self.0.shutdown().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;
    use tokio::sync::oneshot;

    use super::*;

    #[tokio::test]
    async fn connections_are_accepted_up_to_the_limit_and_closed_by_drain() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let (accepted, mut arrivals) = tokio::sync::mpsc::unbounded_channel();
        let handle = move |stream: TcpStream, peer: SocketAddr| {
            let (close, closed) = oneshot::channel::<()>();
            accepted.send((peer, close)).unwrap();
            Some(async move {
                let _stream = stream;
                let _ = closed.await;
            })
        };
        let accepting = tokio::spawn(accept(listener, 1, async { drop(stopped.await) }, handle));

        let first = TcpStream::connect(address).await.unwrap();
        let mut second = TcpStream::connect(address).await.unwrap();
        let (peer, close) = arrivals.recv().await.unwrap();
        assert_eq!(peer, first.local_addr().unwrap());
        assert!(arrivals.try_recv().is_err(), "the limit is one connection");
        drop(close);
        let (peer, _open) = arrivals.recv().await.unwrap();
        assert_eq!(peer, second.local_addr().unwrap());

        stop.send(()).unwrap();
        let connections = accepting.await.unwrap();
        assert_eq!(connections.count(), 1);
        connections.drain(Duration::ZERO).await;
        assert_eq!(second.read(&mut [0]).await.unwrap(), 0, "the connection is closed");
    }

    #[tokio::test]
    async fn a_rejected_connection_takes_no_slot() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let reject = |_: TcpStream, _: SocketAddr| None::<std::future::Ready<()>>;
        let accepting = tokio::spawn(accept(listener, 1, std::future::pending(), reject));

        for _ in 0..3 {
            let mut client = TcpStream::connect(address).await.unwrap();
            assert_eq!(client.read(&mut [0]).await.unwrap(), 0);
        }
        accepting.abort();
    }
}
