//! An HTTP server for one archive: SPARQL 1.1 queries, updates and graphs.
//!
//! [`lodeward_archive::protocol`] defines the meaning of requests. The server adds limits on
//! connections, bodies and concurrent queries, blocking threads for the evaluation, the
//! cancellation of queries whose client disconnects, and an orderly shutdown. By default it
//! listens on loopback, and then accepts only requests with a local host name: otherwise a
//! page could point its own host name here (DNS rebinding) and read the archive.

mod host_check;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::response::{IntoResponse as _, Response};
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, ProtocolEndpoint};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use self::host_check::HostCheck;
use crate::problem::{Problem, ProblemCode};
use crate::server::listener::accept;
use crate::sparql::QueryRunner;

/// Options of the server.
pub struct EndpointOptions {
    /// The address to listen on; port 0 for any free port.
    pub listen: SocketAddr,
    /// Whether `listen` may be an address other than loopback.
    pub allow_remote: bool,
    /// Options of the SPARQL protocol, including the limits of queries.
    pub protocol: protocol::ProtocolOptions,
    /// Maximum number of concurrent queries; further ones wait.
    pub max_concurrent_queries: usize,
    /// How long queries wait for a slot before they are rejected.
    pub max_queue_time: Duration,
    /// Maximum number of open connections; further ones wait.
    pub max_connections: usize,
    /// The maximum size of a request body, in bytes.
    pub max_request_bytes: usize,
    /// How long a request may take to arrive.
    pub request_timeout: Duration,
    /// How long responses in flight may continue on shutdown.
    pub shutdown_grace: Duration,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7878)),
            allow_remote: false,
            protocol: protocol::ProtocolOptions::default(),
            max_concurrent_queries: 4,
            max_queue_time: Duration::from_secs(30),
            max_connections: 256,
            max_request_bytes: 64 << 20,
            request_timeout: Duration::from_mins(2),
            shutdown_grace: Duration::from_secs(5),
        }
    }
}

/// The endpoint cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// The address is not loopback, and remote access is not allowed.
    #[error("cannot listen on {0}: not a loopback address")]
    Remote(SocketAddr),
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}")]
    Io {
        /// The address to listen on.
        address: SocketAddr,
        /// The cause.
        source: std::io::Error,
    },
}

/// An endpoint that listens and does not serve requests yet.
pub struct EndpointServer {
    /// The address on which the endpoint listens, with the actual port.
    pub address: SocketAddr,
    listener: TcpListener,
    state: Arc<EndpointState>,
    options: EndpointOptions,
}

/// State shared by all connections.
struct EndpointState {
    endpoint: ProtocolEndpoint,
    query_runner: QueryRunner,
    host_check: HostCheck,
    max_request_bytes: usize,
}

impl EndpointServer {
    /// Binds the address and listens on it.
    pub async fn bind(archive: Archive, options: EndpointOptions) -> Result<Self, ListenError> {
        let listen = options.listen;
        if !listen.ip().is_loopback() && !options.allow_remote {
            return Err(ListenError::Remote(listen));
        }
        let failed = |source| ListenError::Io { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let host_check = if address.ip().is_loopback() && options.protocol.public_url.is_none() {
            HostCheck::LocalNames
        } else {
            HostCheck::AnyName
        };
        let query_runner =
            QueryRunner::new(options.max_concurrent_queries, options.max_queue_time, Some(options.request_timeout));
        let state = EndpointState {
            endpoint: ProtocolEndpoint::new(archive, options.protocol.clone()),
            query_runner,
            host_check,
            max_request_bytes: options.max_request_bytes,
        };
        Ok(Self { address, listener, state: Arc::new(state), options })
    }

    /// Serves requests until `stop` resolves. Then responses in flight may complete.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let (end, ended) = watch::channel(());
        let handle = |stream, _| Some(serve_connection(stream, Arc::clone(&self.state), ended.clone()));
        let connections = accept(self.listener, self.options.max_connections, stop, handle).await;
        end.send_replace(());
        connections.drain(self.options.shutdown_grace).await;
    }
}

impl EndpointState {
    async fn handle(&self, request: Request<Incoming>) -> Response {
        if !self.host_check.allows(request.headers()) {
            let detail = "this server accepts only its IP address and `localhost` as host names";
            return Problem::new(ProblemCode::Misdirected, detail).into_response();
        }
        self.query_runner.handle(&self.endpoint, request, self.max_request_bytes).await
    }
}

async fn serve_connection(stream: TcpStream, state: Arc<EndpointState>, mut ended: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { Ok::<_, std::convert::Infallible>(state.handle(request).await) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(30))
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        _ = ended.changed() => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "connection failed");
    }
}
