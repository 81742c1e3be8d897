//! Serves any web on loopback sockets.
//!
//! Every address accepts three kinds of connection, distinguished by the first bytes: the absolute URLs and `CONNECT`
//! of a forward proxy, the `Host` field of a server, and TLS, inside a `CONNECT` or directly. Certificates come from an
//! authority that is created at the start and that clients have to trust.
//!
//! The server produces each [`DeliveryFault`] as a real server would. Requests are written to an access log, whose
//! lines are in the order in which the responses end.

mod clock;
mod head;
mod http1;
mod http2;
mod access_log_writer;
mod body_pieces;
mod tls;

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, bail};
use bytes::BytesMut;
use http::StatusCode;
use rustls::server::Acceptor;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};
use tokio_rustls::LazyConfigAcceptor;

use crate::message::{DeliveryFault, Web, WebRequest, WebResponse};
use crate::ranges;
use crate::unknown_hosts::status_response;
use access_log_writer::AccessLogWriter;
use head::ConnectionInfo;
use http1::ConversationEnd;
use tls::RewoundStream;

pub use tls::CertificateAuthority;

/// Time that requests in flight get to finish at shutdown.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(500);
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of hosts for which the server caches whether their TLS is broken.
const MAX_REMEMBERED_HOSTS: usize = 100_000;

/// How a web is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The addresses to listen on, all of them loopback; port 0 for any free port.
    pub listen: Vec<SocketAddr>,
    /// The access log; truncated at the start, because its times count from the start of the server.
    pub log: Option<PathBuf>,
    /// Maximum number of concurrent connections; further ones wait.
    pub max_connections: usize,
    /// Idle time after which a connection is closed.
    pub idle_timeout: Duration,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
            log: None,
            max_connections: 4096,
            idle_timeout: Duration::from_mins(1),
        }
    }
}

/// State that all connections share.
struct ServerShared {
    web: Arc<dyn Web>,
    access_log: Arc<AccessLogWriter>,
    authority: CertificateAuthority,
    idle_timeout: Duration,
    ended: watch::Receiver<bool>,
    broken_tls: Mutex<HashMap<String, bool>>,
}

/// A web server with open sockets that does not accept connections yet.
pub struct WebServer {
    /// The addresses that the server listens on, in the requested order, with the actual ports.
    pub addresses: Vec<SocketAddr>,
    listeners: Vec<TcpListener>,
    connections: Arc<Semaphore>,
    shared: Arc<ServerShared>,
    end: watch::Sender<bool>,
}

impl WebServer {
    /// Opens the sockets and the log.
    pub async fn bind(web: Arc<dyn Web>, options: ServeOptions) -> anyhow::Result<Self> {
        let mut listeners = Vec::new();
        for address in &options.listen {
            if !address.ip().is_loopback() {
                bail!("cannot listen on {address}: not a loopback address (hint: use 127.0.0.1:0)");
            }
            let listener = TcpListener::bind(address).await;
            listeners.push(
                listener.with_context(|| format!("cannot listen on {address} (hint: port 0 selects a free port)"))?,
            );
        }
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
        let (end, ended) = watch::channel(false);
        let shared = Arc::new(ServerShared {
            web,
            access_log: Arc::new(AccessLogWriter::open(options.log.as_deref())?),
            authority: CertificateAuthority::new()?,
            idle_timeout: options.idle_timeout,
            ended,
            broken_tls: Mutex::default(),
        });
        let connections = Arc::new(Semaphore::new(options.max_connections));
        Ok(Self { addresses, listeners, connections, shared, end })
    }

    /// The authority that signs the certificates of all hosts.
    #[must_use]
    pub fn authority(&self) -> &CertificateAuthority {
        &self.shared.authority
    }

    /// Serves until `shutdown` resolves. Requests in flight then get half a second to finish. The log is complete when
    /// this returns.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let mut listeners = JoinSet::new();
        for listener in self.listeners {
            listeners.spawn(accept_connections(listener, Arc::clone(&self.connections), Arc::clone(&self.shared)));
        }
        tokio::select! {
            () = shutdown => {}
            () = self.shared.access_log.flush_periodically() => {}
        }
        self.end.send_replace(true);
        while listeners.join_next().await.is_some() {}
        self.shared.access_log.flush();
    }

    /// Serves in the background; for tests.
    #[must_use]
    pub fn spawn(self) -> RunningServer {
        let addresses = self.addresses.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move {
            // A dropped sender stops the server as well.
            let _ = stopped.await;
        };
        RunningServer { addresses, stop, task: tokio::spawn(self.run(shutdown)) }
    }
}

/// A server in the background, which stops when this handle is stopped or dropped.
pub struct RunningServer {
    /// The addresses that the server listens on.
    pub addresses: Vec<SocketAddr>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl RunningServer {
    /// Stops the server, and waits until the log is complete.
    pub async fn stop(self) {
        drop(self.stop);
        let _ = self.task.await;
    }
}

/// Accepts connections on one address.
async fn accept_connections(listener: TcpListener, limit: Arc<Semaphore>, shared: Arc<ServerShared>) {
    let mut connections = JoinSet::new();
    loop {
        let accepted = async {
            let permit = Arc::clone(&limit).acquire_owned().await.map_err(io::Error::other)?;
            let (stream, client) = listener.accept().await?;
            let connection = ConnectionInfo { client, local: listener.local_addr()?, secure: false, authority: None };
            Ok::<_, io::Error>((permit, stream, connection))
        };
        tokio::select! {
            () = shared.wait_for_shutdown() => break,
            Some(_) = connections.join_next() => {}
            accepted = accepted => match accepted {
                Ok((permit, stream, connection)) => {
                    let shared = Arc::clone(&shared);
                    connections.spawn(async move {
                        // A client that aborts is not an error of the server.
                        let _ = handle_connection(stream, connection, shared).await;
                        drop(permit);
                    });
                }
                // Most likely out of file descriptors: other connections must close first.
                Err(_) => clock::pause(Duration::from_millis(10)).await,
            },
        }
    }
    drop(listener);
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, async { while connections.join_next().await.is_some() {} }).await;
    connections.shutdown().await;
}

async fn handle_connection(
    mut stream: TcpStream,
    mut connection: ConnectionInfo,
    shared: Arc<ServerShared>,
) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = BytesMut::new();
    loop {
        match http1::serve_connection(&mut stream, &mut buffer, &connection, &shared).await? {
            ConversationEnd::Closed => return Ok(()),
            ConversationEnd::Connect(authority) => {
                connection.authority = Some(authority);
                stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            }
            ConversationEnd::TlsHandshake => {
                return handle_tls(RewoundStream::new(buffer, stream), connection, shared).await;
            }
        }
    }
}

async fn handle_tls(
    stream: RewoundStream<TcpStream>,
    mut connection: ConnectionInfo,
    shared: Arc<ServerShared>,
) -> anyhow::Result<()> {
    let handshake =
        tokio::time::timeout(HANDSHAKE_TIMEOUT, LazyConfigAcceptor::new(Acceptor::default(), stream)).await??;
    let server_name = handshake.client_hello().server_name().map(str::to_owned);
    let host = server_name
        .or_else(|| connection.authority.as_deref().map(host_of))
        .unwrap_or_else(|| connection.local.ip().to_string());
    let config = if shared.has_broken_tls(&host) {
        shared.authority.failing_config()?
    } else {
        shared.authority.server_config(&host)?
    };
    let mut stream = tokio::time::timeout(HANDSHAKE_TIMEOUT, handshake.into_stream(config)).await??;
    connection.secure = true;
    connection.authority.get_or_insert(host);
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        http2::serve_connection(stream, connection, shared).await;
    } else {
        http1::serve_connection(&mut stream, &mut BytesMut::new(), &connection, &shared).await?;
    }
    Ok(())
}

/// The host of an authority, without its port and the brackets of an IPv6 literal.
fn host_of(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

impl ServerShared {
    /// Resolves when the server shuts down.
    async fn wait_for_shutdown(&self) {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// The web's response, reduced to the requested range.
    async fn respond(&self, request: &WebRequest) -> WebResponse {
        let response = if self.web.is_expensive(request) {
            let (web, request) = (Arc::clone(&self.web), request.clone());
            let response = tokio::task::spawn_blocking(move || web.respond(&request));
            response.await.unwrap_or_else(|_| status_response(StatusCode::INTERNAL_SERVER_ERROR))
        } else {
            self.web.respond(request)
        };
        ranges::apply_range(request, response)
    }

    /// Whether TLS handshakes of a host fail.
    ///
    /// A handshake precedes the URL, so the server requests the root of the host from the web, once per host. TLS is
    /// broken for a whole host or not at all.
    fn has_broken_tls(&self, host: &str) -> bool {
        if let Some(cached) = self.broken_tls.lock().unwrap_or_else(PoisonError::into_inner).get(host) {
            return *cached;
        }
        let literal = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let Ok(url) = url::Url::parse(&format!("https://{literal}/")) else { return true };
        let request = WebRequest { method: http::Method::HEAD, ..WebRequest::get(url.as_str()) };
        let broken = self.web.respond(&request).delivery == DeliveryFault::BrokenTls;
        let mut hosts = self.broken_tls.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= MAX_REMEMBERED_HOSTS {
            hosts.clear();
        }
        hosts.insert(host.to_owned(), broken);
        broken
    }
}
