//! A service on a socket.
//!
//! What a server adds to a router: bounds on connections, times for requests to
//! arrive, to be answered and to be read, and an orderly stop. HTTP/1.1 only: TLS, and what
//! comes with it, is for the proxy in front.

mod connection;
mod patience;
mod places;
mod reading;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use self::places::Places;
use crate::service::Service;
use crate::{api, door, metrics};

/// Connections at a time; others wait to be accepted. Each may be a listener that
/// stays for days.
const CONNECTIONS_MAX: usize = 4_096;

/// How long answers under way may go on when the service is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// A service that listens, and does not answer yet.
pub struct Server {
    /// Where, with the port it got.
    pub address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
}

impl Server {
    /// Opens the socket.
    pub async fn bind(service: Arc<Service>, listen: SocketAddr) -> std::io::Result<Self> {
        let listener = TcpListener::bind(listen).await?;
        Ok(Self { address: listener.local_addr()?, listener, service })
    }

    /// Serves until `stop` resolves. Then nobody is let in any more, streams of
    /// events end, and answers under way get their time to end.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let router = router(&self.service);
        let (seats, places) = (Arc::new(Semaphore::new(CONNECTIONS_MAX)), Places::default());
        let mut guests = JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            let arrival = async {
                let seat = Arc::clone(&seats).acquire_owned().await.expect("it is never closed");
                (seat, self.listener.accept().await)
            };
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = guests.join_next() => {}
                (seat, accepted) = arrival => match accepted {
                    Ok((stream, peer)) => {
                        let Some(place) = places.take(peer.ip()) else {
                            tracing::debug!(%peer, "one address has as many connections as it may have");
                            continue;
                        };
                        let (router, closing) = (router.clone(), self.service.closing.subscribe());
                        guests.spawn(async move {
                            connection::attend(stream, peer, router, closing).await;
                            drop((seat, place));
                        });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection could not be accepted");
                        // Out of file descriptors, most likely: others must leave first.
                        let _ = tokio::time::timeout(Duration::from_millis(100), guests.join_next()).await;
                    }
                },
            }
        }
        drop(self.listener);
        self.service.closing.send_replace(true);
        tracing::info!(connections = guests.len(), "nobody is let in any more");
        let _ = tokio::time::timeout(GRACE, async { while guests.join_next().await.is_some() {} }).await;
        // Those who are still here have had their time.
        guests.shutdown().await;
        Ok(())
    }
}

/// Everything, behind the door.
fn router(service: &Arc<Service>) -> Router {
    let (router, document) = api::router().split_for_parts();
    let document = api::with_common_answers(document);
    // The door stands before everybody's patience: what is cut short has been asked
    // for, too, and is written down.
    let router = patience::bound(router.with_state(Arc::clone(service)), service);
    metrics::measured(door::guard(router, service, &document), service)
}
