//! Any web behind real sockets, on loopback.
//!
//! Every listening address understands three ways of asking, told apart by the
//! first bytes: a forward proxy's absolute URLs and `CONNECT`, a server's
//! `Host` field, and TLS, inside a `CONNECT` or straight away. Certificates come
//! from an authority made at the start, which clients are told to trust.
//!
//! This is where misbehaviour becomes real: each [`Conduct`] is acted out as it
//! would be in the wild. What is asked is written to an access log, whose order
//! of lines is that of the answers' ends.

mod clock;
mod head;
mod http1;
mod http2;
mod journal;
mod pieces;
mod secure;

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

use crate::elsewhere::bare;
use crate::message::{Conduct, Request, Response, Web};
use crate::ranges;
use head::Place;
use http1::Ending;
use journal::Journal;
use secure::Rewound;

pub use secure::Authority;

/// What is left to answers under way when the server is to end.
const GRACE: Duration = Duration::from_millis(500);
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// Hosts of which it is remembered whether their TLS is broken.
const HOSTS_MAX: usize = 100_000;

/// How to serve.
#[derive(Clone, Debug)]
pub struct Options {
    /// The addresses to listen on, all of them loopback; port 0 for any.
    pub listen: Vec<SocketAddr>,
    /// The access log; begun anew, since its times count from the server's start.
    pub log: Option<PathBuf>,
    /// Connections beyond this many wait.
    pub connections_max: usize,
    /// A connection that says nothing for this long is closed.
    pub idle_max: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            listen: vec![SocketAddr::from(([127, 0, 0, 1], 0))],
            log: None,
            connections_max: 4096,
            idle_max: Duration::from_mins(1),
        }
    }
}

/// What all connections share.
struct House {
    web: Arc<dyn Web>,
    journal: Arc<Journal>,
    authority: Authority,
    idle_max: Duration,
    ended: watch::Receiver<bool>,
    broken_tls: Mutex<HashMap<String, bool>>,
}

/// A web that listens, and does not answer yet.
pub struct Server {
    /// Where it listens, in the order asked for, with the ports it got.
    pub addresses: Vec<SocketAddr>,
    listeners: Vec<TcpListener>,
    connections: Arc<Semaphore>,
    house: Arc<House>,
    end: watch::Sender<bool>,
}

impl Server {
    /// Opens the sockets and the log.
    pub async fn bind(web: Arc<dyn Web>, options: Options) -> anyhow::Result<Self> {
        let mut listeners = Vec::new();
        for address in &options.listen {
            if !address.ip().is_loopback() {
                bail!("cannot listen on {address}: a toy web is served on loopback only (hint: 127.0.0.1:0)");
            }
            let listener = TcpListener::bind(address).await;
            listeners.push(listener.with_context(|| {
                format!("cannot listen on {address} (hint: is the port in use? port 0 takes any free one)")
            })?);
        }
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<_>>()?;
        let (end, ended) = watch::channel(false);
        let house = Arc::new(House {
            web,
            journal: Arc::new(Journal::open(options.log.as_deref())?),
            authority: Authority::new()?,
            idle_max: options.idle_max,
            ended,
            broken_tls: Mutex::default(),
        });
        let connections = Arc::new(Semaphore::new(options.connections_max));
        Ok(Self { addresses, listeners, connections, house, end })
    }

    /// The authority behind the certificates of all hosts.
    #[must_use]
    pub fn authority(&self) -> &Authority {
        &self.house.authority
    }

    /// Serves until `shutdown` resolves; then answers under way get half a
    /// second to finish, and the log is complete when this returns.
    pub async fn run(self, shutdown: impl Future<Output = ()>) {
        let mut doors = JoinSet::new();
        for listener in self.listeners {
            doors.spawn(receive_guests(listener, Arc::clone(&self.connections), Arc::clone(&self.house)));
        }
        tokio::select! {
            () = shutdown => {}
            () = self.house.journal.keep_flushed() => {}
        }
        self.end.send_replace(true);
        while doors.join_next().await.is_some() {}
        self.house.journal.flush();
    }

    /// Serves in the background; for tests.
    #[must_use]
    pub fn spawn(self) -> Running {
        let addresses = self.addresses.clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async move {
            // A dropped sender stops it as well.
            let _ = stopped.await;
        };
        Running { addresses, stop, task: tokio::spawn(self.run(shutdown)) }
    }
}

/// A server in the background. It ends when this is stopped or let go of.
pub struct Running {
    /// Where it listens.
    pub addresses: Vec<SocketAddr>,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl Running {
    /// Stops, and waits until the log is complete.
    pub async fn stop(self) {
        drop(self.stop);
        let _ = self.task.await;
    }
}

/// Attends to whoever comes in by one address.
async fn receive_guests(listener: TcpListener, limit: Arc<Semaphore>, house: Arc<House>) {
    let mut guests = JoinSet::new();
    loop {
        let arrival = async {
            let seat = Arc::clone(&limit).acquire_owned().await.map_err(io::Error::other)?;
            let (stream, client) = listener.accept().await?;
            let place = Place { client, local: listener.local_addr()?, secure: false, authority: None };
            Ok::<_, io::Error>((seat, stream, place))
        };
        tokio::select! {
            () = house.ended() => break,
            Some(_) = guests.join_next() => {}
            arrival = arrival => match arrival {
                Ok((seat, stream, place)) => {
                    let house = Arc::clone(&house);
                    guests.spawn(async move {
                        // A guest who leaves in the middle is no error of ours.
                        let _ = attend(stream, place, house).await;
                        drop(seat);
                    });
                }
                // Out of file descriptors, most likely: others must leave first.
                Err(_) => clock::pause(Duration::from_millis(10)).await,
            },
        }
    }
    drop(listener);
    let _ = tokio::time::timeout(GRACE, async { while guests.join_next().await.is_some() {} }).await;
    guests.shutdown().await;
}

async fn attend(mut stream: TcpStream, mut place: Place, house: Arc<House>) -> anyhow::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = BytesMut::new();
    loop {
        match http1::converse(&mut stream, &mut buffer, &place, &house).await? {
            Ending::Closed => return Ok(()),
            Ending::Connect(authority) => {
                place.authority = Some(authority);
                stream.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await?;
            }
            Ending::Hello => return attend_securely(Rewound::new(buffer, stream), place, house).await,
        }
    }
}

async fn attend_securely(stream: Rewound<TcpStream>, mut place: Place, house: Arc<House>) -> anyhow::Result<()> {
    let greeting = tokio::time::timeout(HANDSHAKE_MAX, LazyConfigAcceptor::new(Acceptor::default(), stream)).await??;
    let named = greeting.client_hello().server_name().map(str::to_owned);
    let host =
        named.or_else(|| place.authority.as_deref().map(host_of)).unwrap_or_else(|| place.local.ip().to_string());
    let manner =
        if house.has_broken_tls(&host) { house.authority.stammer()? } else { house.authority.speak_as(&host)? };
    let mut stream = tokio::time::timeout(HANDSHAKE_MAX, greeting.into_stream(manner)).await??;
    place.secure = true;
    place.authority.get_or_insert(host);
    if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
        http2::converse(stream, place, house).await;
    } else {
        http1::converse(&mut stream, &mut BytesMut::new(), &place, &house).await?;
    }
    Ok(())
}

/// The host of an authority, without its port and a literal's brackets.
fn host_of(authority: &str) -> String {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    host.trim_start_matches('[').trim_end_matches(']').to_owned()
}

impl House {
    /// Resolves when the server is to end.
    async fn ended(&self) {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
    }

    /// The web's answer, in the range that was asked for.
    async fn respond(&self, request: &Request) -> Response {
        let response = if self.web.is_laborious(request) {
            let (web, asked) = (Arc::clone(&self.web), request.clone());
            let answering = tokio::task::spawn_blocking(move || web.respond(&asked));
            answering.await.unwrap_or_else(|_| bare(StatusCode::INTERNAL_SERVER_ERROR))
        } else {
            self.web.respond(request)
        };
        ranges::cut_out(request, response)
    }

    /// Whether a host cannot speak TLS.
    ///
    /// A handshake comes before the URL, so the web is asked, once per host,
    /// for its root; a whole host has broken TLS, or none of it.
    fn has_broken_tls(&self, host: &str) -> bool {
        if let Some(known) = self.broken_tls.lock().unwrap_or_else(PoisonError::into_inner).get(host) {
            return *known;
        }
        let literal = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let Ok(url) = url::Url::parse(&format!("https://{literal}/")) else { return true };
        let request = Request { method: http::Method::HEAD, ..Request::get(url.as_str()) };
        let broken = self.web.respond(&request).conduct == Conduct::BrokenTls;
        let mut hosts = self.broken_tls.lock().unwrap_or_else(PoisonError::into_inner);
        if hosts.len() >= HOSTS_MAX {
            hosts.clear();
        }
        hosts.insert(host.to_owned(), broken);
        broken
    }
}
