//! The HTTP server of the service.
//!
//! It adds to the router: limits on connections, timeouts for requests to arrive and for clients
//! to read responses, and an orderly shutdown. It speaks
//! HTTP/1.1 only; TLS and HTTP/2 are left to a proxy.

mod connection;
mod connection_limit;
mod write_timeout;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpSocket};

use self::connection_limit::ConnectionLimit;
use crate::listener::accept;
use crate::state::Service;
use crate::{api, gateway, metrics};

/// Maximum number of open connections; further ones wait to be accepted. A connection may be an
/// event stream that stays open for days.
const MAX_CONNECTIONS: usize = 4_096;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// How long responses in flight may continue on shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// A service that listens and does not serve requests yet.
pub struct ServiceServer {
    /// The address on which the service listens, with the actual port.
    pub address: SocketAddr,
    listener: TcpListener,
    service: Arc<Service>,
}

/// A bound address that does not accept connections yet.
pub struct ReservedListener(TcpSocket);

impl ReservedListener {
    /// Binds the address.
    pub fn bind(listen: SocketAddr) -> std::io::Result<Self> {
        let socket = if listen.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        // The address can be bound although connections of a previous process are still in TIME_WAIT.
        socket.set_reuseaddr(true)?;
        socket.bind(listen)?;
        Ok(Self(socket))
    }
}

impl ServiceServer {
    /// Listens on a reserved address.
    pub fn listen(service: Arc<Service>, ReservedListener(socket): ReservedListener) -> std::io::Result<Self> {
        let listener = socket.listen(BACKLOG)?;
        Ok(Self { address: listener.local_addr()?, listener, service })
    }

    /// Serves until `stop` resolves. Then it accepts no new connections, ends event streams,
    /// and lets responses in flight complete.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let router = router(&self.service);
        let limit = ConnectionLimit::default();
        let handle = |stream, peer: SocketAddr| {
            let Some(permit) = limit.try_acquire(peer.ip()) else {
                tracing::debug!(%peer, "connection rejected: too many connections from this IP address");
                return None;
            };
            let (router, closing) = (router.clone(), self.service.closing.subscribe());
            Some(async move {
                connection::serve_connection(stream, peer, router, closing).await;
                drop(permit);
            })
        };
        let connections = accept(self.listener, MAX_CONNECTIONS, stop, handle).await;
        self.service.closing.send_replace(true);
        tracing::info!(connections = connections.count(), "shutting down: no new connections");
        connections.drain(SHUTDOWN_GRACE).await;
        Ok(())
    }
}

/// All routes, behind the gateway.
fn router(service: &Arc<Service>) -> Router {
    let (router, document) = api::router().split_for_parts();
    let document = api::with_common_responses(document);
    let router = router.with_state(Arc::clone(service));
    metrics::with_metrics(gateway::with_gateway(router, service, &document), service)
}
