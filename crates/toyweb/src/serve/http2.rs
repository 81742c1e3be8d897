//! The HTTP/2 server, built on hyper: for clients that prefer it, not for speed.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, HOST};
use http::{HeaderValue, Method, StatusCode};
use http_body_util::{BodyExt, Limited};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http2::Builder;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::Notify;
use tokio::time::Sleep;

use super::ServerShared;
use super::access_log_writer::LoggedRequest;
use super::body_pieces::{self, BodyPieces};
use super::clock::pause;
use super::head::ConnectionInfo;
use crate::message::{DeliveryFault, WebRequest, WebResponse};

const MAX_HEADER_LIST_BYTES: u32 = 64 * 1024;
const MAX_REQUEST_CONTENT_BYTES: usize = 16 * 1024 * 1024;
/// Delay before a stream is reset, because a reset discards unsent bytes.
const RESET_DELAY: Duration = Duration::from_millis(50);

/// Serves requests until the client or the server closes the connection.
pub(super) async fn serve_connection<S>(stream: S, connection_info: ConnectionInfo, shared: Arc<ServerShared>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let aborted = Arc::new(Notify::new());
    let service = service_fn(|request| {
        handle_request(request, connection_info.clone(), Arc::clone(&shared), Arc::clone(&aborted))
    });
    let mut builder = Builder::new(TokioExecutor::new());
    builder.max_header_list_size(MAX_HEADER_LIST_BYTES);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    // A client that aborts is not an error of the server, so results are ignored.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = aborted.notified() => return,
        () = shared.wait_for_shutdown() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn handle_request(
    request: http::Request<Incoming>,
    connection_info: ConnectionInfo,
    shared: Arc<ServerShared>,
    aborted: Arc<Notify>,
) -> Result<http::Response<BodyDelivery>, Infallible> {
    let Some(request) = read_request(request).await else {
        let mut refusal = http::Response::new(BodyDelivery::empty());
        *refusal.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(refusal);
    };
    let mut logged = shared.access_log.start_request(connection_info.client, &request.method, &request.url);
    let response = shared.respond(&request).await;
    match response.delivery {
        // All requests share one connection: closing it aborts the other requests too, as on a real server.
        DeliveryFault::Dropped | DeliveryFault::BrokenTls => {
            drop(logged);
            aborted.notify_one();
            return std::future::pending().await;
        }
        DeliveryFault::Slow(delay) => pause(delay).await,
        _ => {}
    }
    logged.set_status(response.status);
    Ok(build_response(&request.method, response, logged))
}

async fn read_request(request: http::Request<Incoming>) -> Option<WebRequest> {
    let (parts, content) = request.into_parts();
    let authority = parts.uri.authority().map(http::uri::Authority::as_str);
    let authority = authority.or_else(|| parts.headers.get(HOST)?.to_str().ok())?;
    let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let url = url::Url::parse(&format!("https://{authority}{path}")).ok()?;
    let body = Limited::new(content, MAX_REQUEST_CONTENT_BYTES).collect().await.ok()?.to_bytes();
    Some(WebRequest { method: parts.method, url, headers: parts.headers, body })
}

fn build_response(method: &Method, response: WebResponse, logged: LoggedRequest) -> http::Response<BodyDelivery> {
    let WebResponse { status, mut headers, body, delivery } = response;
    // A 304 has no `Content-Length`: it would state the length of the 200 response that the 304 replaces.
    if let Some(length) = body_pieces::declared_length(&body, delivery).filter(|_| status != StatusCode::NOT_MODIFIED) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let truncated = body_pieces::is_truncated(&body, delivery) && method != Method::HEAD;
    let pieces = if method == Method::HEAD { BodyPieces::empty() } else { BodyPieces::new(body, delivery) };
    let interval = body_pieces::piece_interval(delivery);
    let body = BodyDelivery { pieces, interval, waiting: None, truncated, logged: Some(logged) };
    let mut http_response = http::Response::new(body);
    *http_response.status_mut() = status;
    *http_response.headers_mut() = headers;
    http_response
}

/// A body that is being sent.
struct BodyDelivery {
    pieces: BodyPieces,
    interval: Option<Duration>,
    waiting: Option<Pin<Box<Sleep>>>,
    truncated: bool,
    /// Dropped, and thereby logged, when the body has been sent.
    logged: Option<LoggedRequest>,
}

impl BodyDelivery {
    fn empty() -> Self {
        Self { pieces: BodyPieces::empty(), interval: None, waiting: None, truncated: false, logged: None }
    }
}

impl hyper::body::Body for BodyDelivery {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(waiting) = &mut self.waiting {
            ready!(waiting.as_mut().poll(context));
            self.waiting = None;
        }
        let Some(piece) = self.pieces.next() else {
            // An error here resets the stream before the declared length is reached.
            let reset = std::mem::take(&mut self.truncated).then(|| Err(io::ErrorKind::ConnectionAborted.into()));
            return Poll::Ready(reset);
        };
        let resets_next = self.truncated && self.pieces.is_done();
        let pause_until_next = if resets_next { Some(RESET_DELAY) } else { self.interval };
        self.waiting = pause_until_next.map(|duration| Box::pin(pause(duration)));
        if let Some(logged) = &mut self.logged {
            logged.add_bytes(piece.len());
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_done() && !self.truncated
    }
}
