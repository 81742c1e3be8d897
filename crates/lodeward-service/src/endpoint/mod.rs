//! An archive on a socket: SPARQL 1.1 queries, updates and graphs, over HTTP/1.1.
//!
//! What requests mean is for [`lodeward_archive::protocol`]; here is what a
//! server adds: bounds on connections, bodies and queries at a time, blocking
//! threads for the evaluator, queries that end when whoever asked has gone, and
//! an orderly stop. It listens on loopback unless it is told otherwise, and then
//! only answers those who call it by a local name: a page on the web could
//! otherwise have its own name point here, and read.

pub(crate) mod body;
pub(crate) mod desk;
mod door;
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
use lodeward_archive::protocol::{self, Endpoint};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use self::desk::Desk;
use self::door::Door;
use crate::accept::accept;
use crate::problem::{Code, Problem};

/// How to serve.
pub struct EndpointOptions {
    /// Where to listen; port 0 for any.
    pub listen: SocketAddr,
    /// Whether other machines may be let in: then `listen` need not be loopback.
    pub allow_remote: bool,
    /// What may be asked, and its bounds.
    pub protocol: protocol::Options,
    /// Requests that are evaluated at a time; others wait.
    pub queries_max: usize,
    /// How long they wait, before they are told to come again.
    pub queue_time_max: Duration,
    /// Connections at a time; others wait.
    pub connections_max: usize,
    /// The largest body of a request.
    pub request_bytes_max: usize,
    /// The longest time for a request to arrive.
    pub request_time_max: Duration,
    /// How long answers under way may go on when the server is to stop.
    pub grace: Duration,
}

impl Default for EndpointOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 7878)),
            allow_remote: false,
            protocol: protocol::Options::default(),
            queries_max: 4,
            queue_time_max: Duration::from_secs(30),
            connections_max: 256,
            request_bytes_max: 64 << 20,
            request_time_max: Duration::from_mins(2),
            grace: Duration::from_secs(5),
        }
    }
}

/// An endpoint cannot listen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListenError {
    /// Others could reach it, and nobody has said that they may.
    #[error("cannot listen on {0}: whoever can reach it could ask")]
    Remote(SocketAddr),
    /// The operating system said no.
    #[error("cannot listen on {address}: {source}")]
    Io {
        /// Where.
        address: SocketAddr,
        /// What it said.
        source: std::io::Error,
    },
}

/// An endpoint that listens, and does not answer yet.
pub struct EndpointServer {
    /// Where, with the port it got.
    pub address: SocketAddr,
    listener: TcpListener,
    counter: Arc<Counter>,
    options: EndpointOptions,
}

/// What all connections share.
struct Counter {
    endpoint: Endpoint,
    desk: Desk,
    door: Door,
    request_bytes_max: usize,
}

impl EndpointServer {
    /// Opens the socket.
    pub async fn bind(archive: Archive, options: EndpointOptions) -> Result<Self, ListenError> {
        let listen = options.listen;
        if !listen.ip().is_loopback() && !options.allow_remote {
            return Err(ListenError::Remote(listen));
        }
        let failed = |source| ListenError::Io { address: listen, source };
        let listener = TcpListener::bind(listen).await.map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let door = if address.ip().is_loopback() && options.protocol.public_url.is_none() {
            Door::LocalNames
        } else {
            Door::AnyName
        };
        let counter = Counter {
            endpoint: Endpoint::new(archive, options.protocol.clone()),
            desk: Desk::new(options.queries_max, options.queue_time_max, Some(options.request_time_max)),
            door,
            request_bytes_max: options.request_bytes_max,
        };
        Ok(Self { address, listener, counter: Arc::new(counter), options })
    }

    /// Serves until `stop` resolves; answers under way get their time to end.
    pub async fn run(self, stop: impl Future<Output = ()>) {
        let (end, ended) = watch::channel(());
        let attend = |stream, _| Some(attend(stream, Arc::clone(&self.counter), ended.clone()));
        let guests = accept(self.listener, self.options.connections_max, stop, attend).await;
        end.send_replace(());
        guests.leave_within(self.options.grace).await;
    }
}

impl Counter {
    async fn answer(&self, request: Request<Incoming>) -> Response {
        if !self.door.lets_in(request.headers()) {
            let detail = "this server answers to localhost and its address only";
            return Problem::new(Code::Misdirected, detail).into_response();
        }
        self.desk.answer(&self.endpoint, request, self.request_bytes_max).await
    }
}

async fn attend(stream: TcpStream, counter: Arc<Counter>, mut ended: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let counter = Arc::clone(&counter);
        async move { Ok::<_, std::convert::Infallible>(counter.answer(request).await) }
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
        tracing::debug!(%error, "a connection broke off");
    }
}
