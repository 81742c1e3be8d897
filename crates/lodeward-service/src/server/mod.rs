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
use tokio::net::{TcpListener, TcpSocket};

use self::places::Places;
use crate::accept::accept;
use crate::service::Service;
use crate::{api, door, metrics};

/// Connections at a time; others wait to be accepted. Each may be a listener that
/// stays for days.
const CONNECTIONS_MAX: usize = 4_096;

/// Connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// How long answers under way may go on when the service is to stop.
const GRACE: Duration = Duration::from_secs(10);

/// A service that listens, and does not answer yet.
pub struct Server {
    /// Where, with the port it got.
    pub address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
}

/// A place to listen that nobody else can have, and where nobody is heard yet.
pub struct Reserved(TcpSocket);

impl Reserved {
    /// Takes this place.
    pub fn at(listen: SocketAddr) -> std::io::Result<Self> {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // Whoever was there before may be gone for a moment only.
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(Self(socket))
    }
}

impl Server {
    /// Listens where a place was taken.
    pub fn listen(service: Arc<Service>, Reserved(socket): Reserved) -> std::io::Result<Self> {
        let listener = socket.listen(BACKLOG)?;
        Ok(Self { address: listener.local_addr()?, listener, service })
    }

    /// Serves until `stop` resolves. Then nobody is let in any more, streams of
    /// events end, and answers under way get their time to end.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let router = router(&self.service);
        let places = Places::default();
        let attend = |stream, peer: SocketAddr| {
            let Some(place) = places.take(peer.ip()) else {
                tracing::debug!(%peer, "one address has as many connections as it may have");
                return None;
            };
            let (router, closing) = (router.clone(), self.service.closing.subscribe());
            Some(async move {
                connection::attend(stream, peer, router, closing).await;
                drop(place);
            })
        };
        let guests = accept(self.listener, CONNECTIONS_MAX, stop, attend).await;
        self.service.closing.send_replace(true);
        tracing::info!(connections = guests.count(), "nobody is let in any more");
        guests.leave_within(GRACE).await;
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
