//! HTTP/2, through hyper: for clients that prefer it, not for speed.

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

use super::House;
use super::clock::pause;
use super::head::Place;
use super::journal::Sighting;
use super::pieces::{self, Pieces};
use crate::message::{Conduct, Request, Response};

const HEADER_LIST_BYTES_MAX: u32 = 64 * 1024;
const REQUEST_CONTENT_BYTES_MAX: usize = 16 * 1024 * 1024;
/// A reset throws away what has not been sent yet, so it has to wait.
const RESET_AFTER: Duration = Duration::from_millis(50);

/// Answers requests until one side has had enough.
pub(super) async fn converse<S>(stream: S, place: Place, house: Arc<House>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let hung_up = Arc::new(Notify::new());
    let service = service_fn(|asked| answer(asked, place.clone(), Arc::clone(&house), Arc::clone(&hung_up)));
    let mut builder = Builder::new(TokioExecutor::new());
    builder.max_header_list_size(HEADER_LIST_BYTES_MAX);
    let mut connection = std::pin::pin!(builder.serve_connection(TokioIo::new(stream), service));
    // A client that breaks off is no error of ours, so results are not looked at.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = hung_up.notified() => return,
        () = house.ended() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

async fn answer(
    asked: http::Request<Incoming>,
    place: Place,
    house: Arc<House>,
    hung_up: Arc<Notify>,
) -> Result<http::Response<Delivery>, Infallible> {
    let Some(request) = request(asked).await else {
        let mut refusal = http::Response::new(Delivery::nothing());
        *refusal.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(refusal);
    };
    let mut sighting = house.journal.sight(place.client, &request.method, &request.url);
    let response = house.respond(&request).await;
    match response.conduct {
        // One connection for all requests: dropping it drops the others too,
        // as it would in the wild.
        Conduct::Dropped | Conduct::BrokenTls => {
            drop(sighting);
            hung_up.notify_one();
            return std::future::pending().await;
        }
        Conduct::Slow(delay) => pause(delay).await,
        _ => {}
    }
    sighting.answered(response.status);
    Ok(delivery(&request.method, response, sighting))
}

async fn request(asked: http::Request<Incoming>) -> Option<Request> {
    let (parts, content) = asked.into_parts();
    let authority = parts.uri.authority().map(http::uri::Authority::as_str);
    let authority = authority.or_else(|| parts.headers.get(HOST)?.to_str().ok())?;
    let path = parts.uri.path_and_query().map_or("/", http::uri::PathAndQuery::as_str);
    let url = url::Url::parse(&format!("https://{authority}{path}")).ok()?;
    let body = Limited::new(content, REQUEST_CONTENT_BYTES_MAX).collect().await.ok()?.to_bytes();
    Some(Request { method: parts.method, url, headers: parts.headers, body })
}

fn delivery(method: &Method, response: Response, sighting: Sighting) -> http::Response<Delivery> {
    let Response { status, mut headers, body, conduct } = response;
    // The length of a 304 would be that of the answer it stands for.
    if let Some(length) = pieces::announced(&body, conduct).filter(|_| status != StatusCode::NOT_MODIFIED) {
        headers.insert(CONTENT_LENGTH, HeaderValue::from(length));
    }
    let truncated = pieces::breaks_off(&body, conduct) && method != Method::HEAD;
    let pieces = if method == Method::HEAD { Pieces::none() } else { Pieces::new(body, conduct) };
    let rhythm = pieces::rhythm(conduct);
    let body = Delivery { pieces, rhythm, waiting: None, truncated, sighting: Some(sighting) };
    let mut answer = http::Response::new(body);
    *answer.status_mut() = status;
    *answer.headers_mut() = headers;
    answer
}

/// A body on its way.
struct Delivery {
    pieces: Pieces,
    rhythm: Option<Duration>,
    waiting: Option<Pin<Box<Sleep>>>,
    truncated: bool,
    /// Kept to be logged when the body has gone.
    sighting: Option<Sighting>,
}

impl Delivery {
    fn nothing() -> Self {
        Self { pieces: Pieces::none(), rhythm: None, waiting: None, truncated: false, sighting: None }
    }
}

impl hyper::body::Body for Delivery {
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
            // An error here resets the stream, short of what was announced.
            let broken = std::mem::take(&mut self.truncated).then(|| Err(io::ErrorKind::ConnectionAborted.into()));
            return Poll::Ready(broken);
        };
        let breaks_off = self.truncated && self.pieces.is_done();
        let pause_until_next = if breaks_off { Some(RESET_AFTER) } else { self.rhythm };
        self.waiting = pause_until_next.map(|duration| Box::pin(pause(duration)));
        if let Some(sighting) = &mut self.sighting {
            sighting.sent(piece.len());
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.pieces.is_done() && !self.truncated
    }
}
