//! Serves one HTTP connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use axum::response::IntoResponse as _;
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::Service as _;

use super::request_head;
use super::write_timeout::WriteTimeoutStream;

/// How long the head of a request may take to arrive, and how long a connection may be idle.
const HEAD_TIMEOUT: Duration = Duration::from_secs(30);

/// The maximum size of the head of a request, in bytes.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// How long a client may stop reading. Without this limit, a client that does not read would keep
/// its connection open forever.
const WRITE_TIMEOUT: Duration = Duration::from_mins(2);

/// Serves requests until the client disconnects or the service shuts down. On shutdown an
/// idle connection is closed, and a response in flight is the last one.
pub(super) async fn serve_connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    mut closing: watch::Receiver<bool>,
) {
    // `TCP_NODELAY`: small responses are sent without delay.
    let _ = stream.set_nodelay(true);
    let respond = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut router = router.clone();
        async move {
            Ok::<_, Infallible>(match request_head::check(&request) {
                Ok(()) => router.call(request).await.unwrap_or_else(|never| match never {}),
                Err(problem) => problem.into_response(),
            })
        }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MAX_HEAD_BYTES)
        .serve_connection(TokioIo::new(WriteTimeoutStream::new(stream, WRITE_TIMEOUT)), respond);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = async { drop(closing.wait_for(|is_closing| *is_closing).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%peer, %error, "connection failed");
    }
}
