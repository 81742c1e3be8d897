//! Connections, from a socket to whoever attends to them.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

/// How long nobody is accepted after that has failed: out of file descriptors, most
/// likely, so others must leave first.
const FAILURE_REST: Duration = Duration::from_millis(100);

/// Those who are connected.
pub(crate) struct Guests(JoinSet<()>);

/// Accepts connections until `stop` resolves, so many at a time; others wait. Whoever
/// is not attended to is sent away at once.
pub(crate) async fn accept<A>(
    listener: TcpListener,
    connections_max: usize,
    stop: impl Future<Output = ()>,
    mut attend: impl FnMut(TcpStream, SocketAddr) -> Option<A>,
) -> Guests
where
    A: Future<Output = ()> + Send + 'static,
{
    let seats = Arc::new(Semaphore::new(connections_max.max(1)));
    let mut guests = JoinSet::new();
    let mut stop = std::pin::pin!(stop);
    loop {
        let arrival = async {
            let seat = Arc::clone(&seats).acquire_owned().await.expect("it is never closed");
            (seat, listener.accept().await)
        };
        tokio::select! {
            biased;
            () = &mut stop => return Guests(guests),
            Some(_) = guests.join_next() => {}
            (seat, accepted) = arrival => match accepted {
                Ok((stream, peer)) => {
                    if let Some(attending) = attend(stream, peer) {
                        guests.spawn(async move {
                            attending.await;
                            drop(seat);
                        });
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "a connection could not be accepted");
                    let _ = tokio::time::timeout(FAILURE_REST, guests.join_next()).await;
                }
            },
        }
    }
}

impl Guests {
    /// How many they are.
    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// Waits until they have left, but not longer than this: then they are sent away,
    /// and what they have asked for is cancelled.
    pub(crate) async fn leave_within(mut self, grace: Duration) {
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
    async fn guests_are_let_in_one_after_the_other_and_leave_when_they_must() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let (told, mut arrivals) = tokio::sync::mpsc::unbounded_channel();
        let attend = move |stream: TcpStream, peer: SocketAddr| {
            let (left, leaving) = oneshot::channel::<()>();
            told.send((peer, left)).unwrap();
            Some(async move {
                let _stream = stream;
                let _ = leaving.await;
            })
        };
        let accepting = tokio::spawn(accept(listener, 1, async { drop(stopped.await) }, attend));

        let first = TcpStream::connect(address).await.unwrap();
        let mut second = TcpStream::connect(address).await.unwrap();
        let (peer, left) = arrivals.recv().await.unwrap();
        assert_eq!(peer, first.local_addr().unwrap());
        assert!(arrivals.try_recv().is_err(), "there is one seat");
        drop(left);
        let (peer, _stays) = arrivals.recv().await.unwrap();
        assert_eq!(peer, second.local_addr().unwrap());

        stop.send(()).unwrap();
        let guests = accepting.await.unwrap();
        assert_eq!(guests.count(), 1);
        guests.leave_within(Duration::ZERO).await;
        assert_eq!(second.read(&mut [0]).await.unwrap(), 0, "the connection is closed");
    }

    #[tokio::test]
    async fn who_is_not_attended_to_takes_no_seat() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let refuse = |_: TcpStream, _: SocketAddr| None::<std::future::Ready<()>>;
        let accepting = tokio::spawn(accept(listener, 1, std::future::pending(), refuse));

        for _ in 0..3 {
            let mut guest = TcpStream::connect(address).await.unwrap();
            assert_eq!(guest.read(&mut [0]).await.unwrap(), 0);
        }
        accepting.abort();
    }
}
