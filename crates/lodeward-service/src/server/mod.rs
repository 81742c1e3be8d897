//! The HTTP server: of the service, or for SPARQL only.
//!
//! It adds to the router: limits on connections, timeouts for requests to arrive and for clients
//! to read responses, and an orderly shutdown. It speaks
//! HTTP/1.1 only; TLS and HTTP/2 are left to a proxy.

mod connection;
mod listener;
mod openapi;
mod request_head;
mod write_timeout;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::{Extension, Router};
use lodeward_archive::Archive;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::watch;

use self::listener::accept;
use crate::api::ApiReference;
use crate::client_address::network;
use crate::gateway;
use crate::limits::{KeyedLimit, KeyedPermit, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS};
use crate::metrics::with_metrics;
use crate::public_path::with_public_path;
use crate::sparql::{SparqlOnlyOptions, standalone};
use crate::state::Service;

/// Maximum number of connections that wait to be accepted.
const BACKLOG: u32 = 1_024;

/// How long responses in flight may continue on shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(10);

/// A server that listens and does not serve requests yet.
pub struct ServiceServer {
    /// The address on which the server listens, with the actual port.
    pub address: SocketAddr,
    listener: TcpListener,
    router: Router,
    closing: watch::Sender<bool>,
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
    /// Listens on a reserved address, for all requests to a service.
    pub fn listen(service: &Arc<Service>, listener: ReservedListener) -> std::io::Result<Self> {
        let router = |_: SocketAddr| router(service);
        Self::new(listener, service.closing.clone(), router)
    }

    /// Listens on a reserved address, for SPARQL only.
    pub fn sparql_only(
        archive: Archive,
        options: SparqlOnlyOptions,
        listener: ReservedListener,
    ) -> std::io::Result<Self> {
        let router = |address: SocketAddr| standalone::router(archive, options, address.ip().is_loopback());
        Self::new(listener, watch::Sender::new(false), router)
    }

    fn new(
        ReservedListener(socket): ReservedListener,
        closing: watch::Sender<bool>,
        router: impl FnOnce(SocketAddr) -> Router,
    ) -> std::io::Result<Self> {
        let listener = socket.listen(BACKLOG)?;
        let address = listener.local_addr()?;
        Ok(Self { address, listener, router: router(address), closing })
    }

    /// Serves until `stop` resolves. Then it accepts no new connections, ends event streams,
    /// and lets responses in flight complete.
    pub async fn run(self, stop: impl Future<Output = ()> + Send + 'static) -> std::io::Result<()> {
        let limit = KeyedLimit::new(MAX_CONNECTIONS_PER_ADDRESS);
        let handle = |stream, peer: SocketAddr| {
            let Ok(permit) = admit(&limit, peer.ip()) else {
                tracing::debug!(%peer, "connection rejected: too many connections from this IP address");
                return None;
            };
            let (router, closing) = (self.router.clone(), self.closing.subscribe());
            Some(async move {
                connection::serve_connection(stream, peer, router, closing).await;
                drop(permit);
            })
        };
        let connections = accept(self.listener, MAX_CONNECTIONS, stop, handle).await;
        self.closing.send_replace(true);
        tracing::info!(connections = connections.count(), "shutting down: no new connections");
        connections.drain(SHUTDOWN_GRACE).await;
        Ok(())
    }
}

/// A permit for a connection from this IP address, unless its network has reached the limit.
/// Loopback is not limited: a proxy on this machine forwards all clients, and has limits of its own.
fn admit(limit: &KeyedLimit<IpAddr>, peer: IpAddr) -> Result<Option<KeyedPermit<IpAddr>>, TooManyConnections> {
    let peer = peer.to_canonical();
    if peer.is_loopback() {
        return Ok(None);
    }
    limit.try_acquire(network(peer)).map(Some).ok_or(TooManyConnections)
}

/// The network of a client has reached the limit of connections.
#[derive(Debug)]
struct TooManyConnections;

/// All routes, behind the gateway.
fn router(service: &Arc<Service>) -> Router {
    let (router, document) = openapi::routes();
    let reference = Arc::new(ApiReference::new(&document));
    let router = router.with_state(Arc::clone(service)).layer(Extension(reference));
    let router = with_public_path(router, &service.settings);
    with_metrics(gateway::with_gateway(router, service, &document), &service.metrics)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connections_of_a_network_are_limited_until_one_is_closed() {
        let limit = KeyedLimit::new(2);
        let admits = |text: &str| admit(&limit, text.parse().unwrap());

        let first = admits("2001:db8::1").unwrap();
        let second = admits("2001:db8::2").unwrap();
        assert!(admits("2001:db8::3").is_err());
        assert!(admits("2001:db8:0:1::1").is_ok() && admits("192.0.2.1").is_ok());
        drop(first);
        assert!(admits("2001:db8::3").is_ok());
        drop(second);
    }

    #[test]
    fn loopback_connections_are_not_limited() {
        let limit = KeyedLimit::new(0);

        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            assert!(admit(&limit, peer.parse().unwrap()).is_ok(), "{peer}");
        }
    }
}
