//! One request: received within bounds, evaluated on a blocking thread, sent
//! while it is evaluated.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::Incoming;
use lodeward_archive::protocol::Endpoint;
use lodeward_archive::sparql::CancellationToken;
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use super::body::{AnswerBody, Interest};
use super::door::Door;

/// Where requests are answered.
pub(super) struct Desk {
    pub(super) endpoint: Endpoint,
    pub(super) door: Door,
    /// One for each request that is evaluated.
    pub(super) seats: Arc<Semaphore>,
    pub(super) queue_time_max: Duration,
    pub(super) request_bytes_max: usize,
    pub(super) request_time_max: Duration,
}

impl Desk {
    pub(super) async fn answer(&self, request: Request<Incoming>) -> Response<AnswerBody> {
        if !self.door.lets_in(request.headers()) {
            return problem(StatusCode::MISDIRECTED_REQUEST, "this server answers to localhost and its address only");
        }
        let (head, body) = request.into_parts();
        let body = match self.receive(body).await {
            Ok(body) => body,
            Err(refusal) => return *refusal,
        };
        let Ok(seat) = timeout(self.queue_time_max, Arc::clone(&self.seats).acquire_owned()).await else {
            let mut answer = problem(StatusCode::SERVICE_UNAVAILABLE, "too many queries are under way");
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("10"));
            return answer;
        };
        let cancel = CancellationToken::new();
        // Dropped with this future or with the body, whichever the client waits for.
        let (body_out, writer) = AnswerBody::written(Interest(cancel.clone()));
        let endpoint = self.endpoint.stopped_by(&cancel);
        let request = Request::from_parts(head, body);
        let (begin, begun) = oneshot::channel();
        tokio::task::spawn_blocking(move || {
            let pieces = writer.clone();
            // Caught: without a word from here, half an answer would end like a whole one.
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                endpoint.answer(&request, |head| {
                    let _ = begin.send(head);
                    pieces
                })
            }));
            match outcome {
                Ok(Ok(())) => {}
                Ok(Err(interrupted)) => {
                    tracing::debug!(%interrupted, uri = %request.uri(), "an answer broke off");
                    writer.break_off(&interrupted.to_string());
                }
                Err(_) => {
                    tracing::error!(uri = %request.uri(), "a request broke the endpoint: this is a bug of ours");
                    writer.break_off("it broke");
                }
            }
            drop(seat);
        });
        match begun.await {
            Ok(head) => Response::from_parts(head, body_out),
            Err(_) => problem(StatusCode::INTERNAL_SERVER_ERROR, "the query could not be evaluated"),
        }
    }

    async fn receive(&self, body: Incoming) -> Result<Bytes, Box<Response<AnswerBody>>> {
        let refuse = |status, detail: &str| Err(Box::new(problem(status, detail)));
        match timeout(self.request_time_max, Limited::new(body, self.request_bytes_max).collect()).await {
            Ok(Ok(body)) => Ok(body.to_bytes()),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let detail = format!("a request may have {} bytes", self.request_bytes_max);
                refuse(StatusCode::PAYLOAD_TOO_LARGE, &detail)
            }
            Ok(Err(error)) => refuse(StatusCode::BAD_REQUEST, &error.to_string()),
            Err(_) => refuse(StatusCode::REQUEST_TIMEOUT, "the request did not arrive in time"),
        }
    }
}

/// What a server says by itself, as RFC 9457 wants it.
fn problem(status: StatusCode, detail: &str) -> Response<AnswerBody> {
    let document = serde_json::json!({
        "type": "about:blank",
        "title": status.canonical_reason(),
        "status": status.as_u16(),
        "detail": detail,
    });
    let mut answer = Response::new(AnswerBody::whole(format!("{document}\n").into()));
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
    answer
}
