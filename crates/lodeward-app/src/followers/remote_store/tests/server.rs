//! The archive's endpoint with injected faults.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use lodeward_archive::Archive;
use lodeward_archive::protocol::{self, ProtocolEndpoint, WriteAccess};
use oxrdf::Dataset;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Fault injected into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// No fault.
    None,
    /// The response has this status.
    Status(u16),
    /// 429 with Retry-After in seconds.
    TooMany(u64),
    /// The connection is dropped before the request is executed.
    DroppedBefore,
    /// The request is executed, then the connection is dropped.
    DroppedAfter,
    /// The request is executed, and the response is truncated.
    TruncatedResponse,
    /// The request is executed, but there is no response.
    Silent,
}

/// Behaviour of the server.
#[derive(Default)]
pub(super) struct Plan {
    /// Faults of the next requests.
    pub(super) faults: VecDeque<Fault>,
    /// Larger bodies are rejected with 413.
    pub(super) bytes_max: Option<usize>,
    /// Bodies with this text are answered with this status.
    pub(super) poison: Option<(&'static str, u16)>,
    /// The required `Authorization` header.
    pub(super) authorization: Option<&'static str>,
    /// Requests: method, bytes, and fault.
    pub(super) log: Vec<(String, usize, Fault)>,
}

pub(super) struct FaultyServer {
    pub(super) address: SocketAddr,
    pub(super) archive: Archive,
    pub(super) plan: Arc<Mutex<Plan>>,
    runtime: Option<Runtime>,
    _dir: TempDir,
}

impl FaultyServer {
    pub(super) fn start() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options = protocol::ProtocolOptions::default();
        options.access = WriteAccess::ReadWrite;
        options.durability = protocol::Durability::OnSync;
        let endpoint = ProtocolEndpoint::new(archive.clone(), options);
        let plan = Arc::<Mutex<Plan>>::default();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        runtime.spawn(receive(listener, endpoint, Arc::clone(&plan)));
        Self { address, archive, plan, runtime: Some(runtime), _dir: dir }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the field of the options is an `Option`")]
    pub(super) fn update(&self) -> Option<String> {
        Some(format!("http://{}/update", self.address))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the field of the options is an `Option`")]
    pub(super) fn store(&self) -> Option<String> {
        Some(format!("http://{}/store", self.address))
    }

    pub(super) fn set(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.plan.lock().unwrap());
    }

    pub(super) fn dataset(&self) -> Dataset {
        self.archive.snapshot().quads(None, None, None, None).map(Result::unwrap).collect()
    }
}

impl Drop for FaultyServer {
    fn drop(&mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

async fn receive(listener: std::net::TcpListener, endpoint: ProtocolEndpoint, plan: Arc<Mutex<Plan>>) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let (endpoint, plan) = (endpoint.clone(), Arc::clone(&plan));
        tokio::spawn(async move {
            let service = service_fn(move |request| handle(request, endpoint.clone(), Arc::clone(&plan)));
            // A connection dropped on purpose is an error here.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn handle(
    request: Request<Incoming>,
    endpoint: ProtocolEndpoint,
    plan: Arc<Mutex<Plan>>,
) -> io::Result<Response<OnePieceBody>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let fault = plan.lock().unwrap().next_fault(&head, &body);
    match fault {
        Fault::Status(status) => return Ok(response(status, "something is wrong: see here")),
        Fault::TooMany(seconds) => {
            let mut response = response(429, "too many");
            response.headers_mut().insert("retry-after", seconds.into());
            return Ok(response);
        }
        Fault::DroppedBefore => return Err(io::ErrorKind::ConnectionReset.into()),
        _ => {}
    }
    let request = Request::from_parts(head, body);
    let done = tokio::task::spawn_blocking(move || endpoint.respond_buffered(&request)).await.unwrap().unwrap();
    match fault {
        Fault::DroppedAfter => Err(io::ErrorKind::ConnectionReset.into()),
        Fault::TruncatedResponse => {
            let mut response = response(200, "truncated");
            response.body_mut().is_truncated = true;
            Ok(response)
        }
        Fault::Silent => {
            std::future::pending::<Infallible>().await;
            unreachable!()
        }
        _ => Ok(done.map(|bytes| OnePieceBody { piece: Some(bytes), is_truncated: false })),
    }
}

impl Plan {
    fn next_fault(&mut self, head: &http::request::Parts, body: &Bytes) -> Fault {
        let is_authorized = self.authorization.is_none_or(|expected| {
            head.headers.get("authorization").is_some_and(|value| value.as_bytes() == expected.as_bytes())
        });
        let poison = self.poison.filter(|(text, _)| body.windows(text.len()).any(|part| part == text.as_bytes()));
        let fault = if !is_authorized {
            Fault::Status(401)
        } else if self.bytes_max.is_some_and(|max| body.len() > max) {
            Fault::Status(413)
        } else if let Some((_, status)) = poison {
            Fault::Status(status)
        } else {
            self.faults.pop_front().unwrap_or(Fault::None)
        };
        self.log.push((head.method.to_string(), body.len(), fault));
        fault
    }
}

fn response(status: u16, text: &'static str) -> Response<OnePieceBody> {
    let body = OnePieceBody { piece: Some(Bytes::from_static(text.as_bytes())), is_truncated: false };
    Response::builder().status(status).body(body).unwrap()
}

/// A body of one piece, followed by the end of the body or an error.
struct OnePieceBody {
    piece: Option<Bytes>,
    is_truncated: bool,
}

impl Body for OnePieceBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.piece.take() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.is_truncated => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
            None => Poll::Ready(None),
        }
    }
}
