//! An archive on a socket: SPARQL 1.1 queries, updates and graphs, over HTTP/1.1.
//!
//! What requests mean is for [`lodeward_archive::protocol`]; here is what a
//! server adds: bounds on connections, bodies and queries at a time, blocking
//! threads for the evaluator, queries that end when whoever asked has gone, and
//! an orderly stop. It listens on loopback unless it is told otherwise, and then
//! only answers those who call it by a local name: a page on the web could
//! otherwise have its own name point here, and read.

mod answer;
mod body;
mod door;
#[cfg(test)]
mod tests;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, Endpoint};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

use self::answer::Desk;
use self::door::Door;
use crate::failure::Usage;

/// How to serve.
pub(crate) struct EndpointOptions {
    /// Where to listen; port 0 for any.
    pub(crate) listen: SocketAddr,
    /// Whether other machines may be let in: then `listen` need not be loopback.
    pub(crate) allow_remote: bool,
    /// What may be asked, and its bounds.
    pub(crate) protocol: protocol::Options,
    /// Requests that are evaluated at a time; others wait.
    pub(crate) queries_max: usize,
    /// How long they wait, before they are told to come again.
    pub(crate) queue_time_max: Duration,
    /// Connections at a time; others wait.
    pub(crate) connections_max: usize,
    /// The largest body of a request.
    pub(crate) request_bytes_max: usize,
    /// The longest time for a request to arrive.
    pub(crate) request_time_max: Duration,
    /// How long answers under way may go on when the server is to stop.
    pub(crate) grace: Duration,
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

/// An endpoint that listens, and does not answer yet.
pub(crate) struct Server {
    /// Where, with the port it got.
    pub(crate) address: SocketAddr,
    listener: TcpListener,
    desk: Arc<Desk>,
    options: EndpointOptions,
}

impl Server {
    /// Opens the socket.
    pub(crate) async fn bind(archive: Archive, options: EndpointOptions) -> anyhow::Result<Self> {
        let listen = options.listen;
        if !listen.ip().is_loopback() && !options.allow_remote {
            let message = format!("cannot listen on {listen}: whoever can reach it could ask");
            let hint = "say so with --allow-remote, or listen on 127.0.0.1 and put a proxy in front".to_owned();
            return Err(Usage { message, hint: Some(hint) }.into());
        }
        let listener = TcpListener::bind(listen).await.map_err(|error| Usage {
            message: format!("cannot listen on {listen}: {error}"),
            hint: Some("is the port in use? port 0 takes any free one".to_owned()),
        })?;
        let address = listener.local_addr()?;
        let door = if address.ip().is_loopback() && options.protocol.public_url.is_none() {
            Door::LocalNames
        } else {
            Door::AnyName
        };
        let desk = Desk {
            endpoint: Endpoint::new(archive, options.protocol.clone()),
            door,
            seats: Arc::new(Semaphore::new(options.queries_max.max(1))),
            queue_time_max: options.queue_time_max,
            request_bytes_max: options.request_bytes_max,
            request_time_max: options.request_time_max,
        };
        Ok(Self { address, listener, desk: Arc::new(desk), options })
    }

    /// Serves until `stop` resolves; answers under way get their time to end.
    pub(crate) async fn run(self, stop: impl Future<Output = ()>) {
        let (end, ended) = watch::channel(());
        let connections = Arc::new(Semaphore::new(self.options.connections_max.max(1)));
        let mut guests = JoinSet::new();
        let mut stop = std::pin::pin!(stop);
        loop {
            let arrival = async {
                let seat = Arc::clone(&connections).acquire_owned().await.expect("it is never closed");
                (seat, self.listener.accept().await)
            };
            tokio::select! {
                biased;
                () = &mut stop => break,
                Some(_) = guests.join_next() => {}
                (seat, accepted) = arrival => match accepted {
                    Ok((stream, _)) => {
                        let (desk, ended) = (Arc::clone(&self.desk), ended.clone());
                        guests.spawn(async move {
                            attend(stream, desk, ended).await;
                            drop(seat);
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
        drop(ended);
        end.send_replace(());
        let _ = tokio::time::timeout(self.options.grace, async { while guests.join_next().await.is_some() {} }).await;
        // Whose guests are sent away, their queries are cancelled.
        guests.shutdown().await;
    }
}

/// Serves an archive until `stop` resolves.
#[cfg(test)]
pub(crate) async fn serve(
    archive: Archive,
    options: EndpointOptions,
    stop: impl Future<Output = ()>,
) -> anyhow::Result<()> {
    let server = Server::bind(archive, options).await?;
    tracing::info!(address = %server.address, "the archive can be asked");
    server.run(stop).await;
    Ok(())
}

async fn attend(stream: TcpStream, desk: Arc<Desk>, mut ended: watch::Receiver<()>) {
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let desk = Arc::clone(&desk);
        async move { Ok::<_, std::convert::Infallible>(desk.answer(request).await) }
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
