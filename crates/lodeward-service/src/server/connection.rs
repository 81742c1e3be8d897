//! One connection, from its first byte to its last.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::time::Duration;

use axum::Router;
use axum::extract::ConnectInfo;
use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;
use tower::Service as _;

use super::reading::Reading;

/// How long the head of a request may take to arrive, and a connection may idle.
const HEAD_TIME_MAX: Duration = Duration::from_secs(30);

/// The largest head of a request, in bytes.
const HEAD_BYTES_MAX: usize = 64 << 10;

/// How long the other side may take before it reads on: who asks and does not read
/// would otherwise keep a connection for ever.
const READ_TIME_MAX: Duration = Duration::from_mins(2);

/// Answers what comes until the other side leaves, or the service ends: then an
/// idle connection is closed, and an answer under way is the last one.
pub(super) async fn attend(stream: TcpStream, peer: SocketAddr, router: Router, mut closing: watch::Receiver<bool>) {
    // Small answers must not wait for more to come.
    let _ = stream.set_nodelay(true);
    let answer = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(ConnectInfo(peer));
        let mut router = router.clone();
        async move { Ok::<_, Infallible>(router.call(request).await.unwrap_or_else(|never| match never {})) }
    });
    let connection = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME_MAX)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(TokioIo::new(Reading::new(stream, READ_TIME_MAX)), answer);
    let mut connection = std::pin::pin!(connection);
    let outcome = tokio::select! {
        outcome = connection.as_mut() => outcome,
        () = async { drop(closing.wait_for(|is_closing| *is_closing).await) } => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%peer, %error, "a connection broke off");
    }
}
