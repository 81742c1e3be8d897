//! Our own endpoint on an archive, with faults in front of it.

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
use lodeward_archive::protocol::{self, Access, Endpoint};
use oxrdf::Dataset;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// What is done to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing bad.
    None,
    /// It is answered with this status.
    Status(u16),
    /// 429, and how many seconds to wait.
    TooMany(u64),
    /// The connection is dropped before anything is done.
    DroppedBefore,
    /// It is done, and then the connection is dropped.
    DroppedAfter,
    /// It is done, and half of the answer is sent.
    HalfAnswer,
    /// It is done, but no answer ever comes.
    Silent,
}

/// What the server does besides answering.
#[derive(Default)]
pub(super) struct Plan {
    /// For the next requests, one each.
    pub(super) faults: VecDeque<Fault>,
    /// Larger bodies are refused with 413.
    pub(super) bytes_max: Option<usize>,
    /// Bodies with this in them are answered with this status.
    pub(super) poison: Option<(&'static str, u16)>,
    /// The `Authorization` that is asked for.
    pub(super) authorization: Option<&'static str>,
    /// What came: method, bytes, and what was done to it.
    pub(super) log: Vec<(String, usize, Fault)>,
}

pub(super) struct FaultyServer {
    pub(super) address: SocketAddr,
    pub(super) archive: Archive,
    pub(super) plan: Arc<Mutex<Plan>>,
    runtime: Option<Runtime>,
    _folder: TempDir,
}

impl FaultyServer {
    pub(super) fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let archive = Archive::open(folder.path().join("archive"), &lodeward_archive::Options::default()).unwrap();
        let mut options = protocol::Options::default();
        options.access = Access::ReadWrite;
        options.durability = protocol::Durability::Later;
        let endpoint = Endpoint::new(archive.clone(), options);
        let plan = Arc::<Mutex<Plan>>::default();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        listener.set_nonblocking(true).unwrap();
        runtime.spawn(receive(listener, endpoint, Arc::clone(&plan)));
        Self { address, archive, plan, runtime: Some(runtime), _folder: folder }
    }

    #[expect(clippy::unnecessary_wraps, reason = "as options want it")]
    pub(super) fn update(&self) -> Option<String> {
        Some(format!("http://{}/update", self.address))
    }

    #[expect(clippy::unnecessary_wraps, reason = "as options want it")]
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

async fn receive(listener: std::net::TcpListener, endpoint: Endpoint, plan: Arc<Mutex<Plan>>) {
    let listener = TcpListener::from_std(listener).unwrap();
    while let Ok((stream, _)) = listener.accept().await {
        let (endpoint, plan) = (endpoint.clone(), Arc::clone(&plan));
        tokio::spawn(async move {
            let service = service_fn(move |request| attend(request, endpoint.clone(), Arc::clone(&plan)));
            // A connection that is dropped on purpose is an error here.
            let _ = hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn attend(
    request: Request<Incoming>,
    endpoint: Endpoint,
    plan: Arc<Mutex<Plan>>,
) -> io::Result<Response<Piecemeal>> {
    let (head, body) = request.into_parts();
    let body = body.collect().await.map_err(io::Error::other)?.to_bytes();
    let fault = plan.lock().unwrap().judge(&head, &body);
    match fault {
        Fault::Status(status) => return Ok(answer(status, "something is wrong: see here")),
        Fault::TooMany(seconds) => {
            let mut answer = answer(429, "too many");
            answer.headers_mut().insert("retry-after", seconds.into());
            return Ok(answer);
        }
        Fault::DroppedBefore => return Err(io::ErrorKind::ConnectionReset.into()),
        _ => {}
    }
    let request = Request::from_parts(head, body);
    let done = tokio::task::spawn_blocking(move || endpoint.answer_whole(&request)).await.unwrap().unwrap();
    match fault {
        Fault::DroppedAfter => Err(io::ErrorKind::ConnectionReset.into()),
        Fault::HalfAnswer => {
            let mut answer = answer(200, "half of it");
            answer.body_mut().breaks_off = true;
            Ok(answer)
        }
        Fault::Silent => {
            std::future::pending::<Infallible>().await;
            unreachable!()
        }
        _ => Ok(done.map(|bytes| Piecemeal { piece: Some(bytes), breaks_off: false })),
    }
}

impl Plan {
    fn judge(&mut self, head: &http::request::Parts, body: &Bytes) -> Fault {
        let is_known = self.authorization.is_none_or(|expected| {
            head.headers.get("authorization").is_some_and(|given| given.as_bytes() == expected.as_bytes())
        });
        let poison = self.poison.filter(|(text, _)| body.windows(text.len()).any(|part| part == text.as_bytes()));
        let fault = if !is_known {
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

fn answer(status: u16, text: &'static str) -> Response<Piecemeal> {
    let body = Piecemeal { piece: Some(Bytes::from_static(text.as_bytes())), breaks_off: false };
    Response::builder().status(status).body(body).unwrap()
}

/// A body of one piece, after which it ends or breaks off.
struct Piecemeal {
    piece: Option<Bytes>,
    breaks_off: bool,
}

impl Body for Piecemeal {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match self.piece.take() {
            Some(piece) => Poll::Ready(Some(Ok(Frame::data(piece)))),
            None if self.breaks_off => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
            None => Poll::Ready(None),
        }
    }
}
