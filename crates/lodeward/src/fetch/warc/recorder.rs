//! Writes down what another fetcher brings.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, Write as _};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use http::StatusCode;
use tracing::error;

use super::writer::{Response, Writer, WriterOptions};
use crate::fetch::{Body, CutShort, Fetched, Fetcher, Purpose, Refusal, Representation};
use crate::model::{Fault, FaultKind, Probe, Uri};

/// A fetcher that records all answers of another.
///
/// Answers without a status (no connection, no name) leave no record, nor do
/// probes. A recording that cannot be written does not stop the crawl: the
/// first error is kept for [`Recorder::finish`].
pub struct Recorder<F> {
    inner: F,
    tape: Arc<Tape>,
}

struct Tape {
    writer: Mutex<Writer>,
    failure: Mutex<Option<io::Error>>,
    now_ms: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl<F: Fetcher> Recorder<F> {
    /// Records what `inner` fetches. The time, in milliseconds from the Unix
    /// epoch, is asked of whoever owns a clock.
    pub fn new(inner: F, options: WriterOptions, now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> io::Result<Self> {
        let writer = Mutex::new(Writer::open(options, now_ms())?);
        let tape = Tape { writer, failure: Mutex::new(None), now_ms: Box::new(now_ms) };
        Ok(Self { inner, tape: Arc::new(tape) })
    }

    /// Whether everything until now could be written.
    pub fn finish(&self) -> io::Result<()> {
        lock(&self.tape.failure).take().map_or(Ok(()), Err)
    }

    fn record(&self, representation: Representation) -> Representation {
        let http_head = http_head(&representation);
        let Representation { uri, body, .. } = &representation;
        match body {
            Body::Whole { bytes, cut } => {
                let truncated = cut.as_ref().map(truncated);
                self.tape.write(uri, &http_head, truncated, bytes.len() as u64, &mut &**bytes);
                representation
            }
            Body::Stream(_) => self.record_stream(representation, http_head),
        }
    }

    fn record_stream(&self, mut representation: Representation, http_head: String) -> Representation {
        let spool = lock(&self.tape.writer).spool();
        representation.body = match (representation.body, spool) {
            (Body::Stream(inner), Ok(spool)) => {
                let (tape, uri) = (Arc::clone(&self.tape), representation.uri.clone());
                let tee = Tee { inner, tape, uri, http_head, spool: Some(spool), bytes: 0 };
                Body::Stream(Box::new(tee))
            }
            (body, Ok(_)) => body,
            (body, Err(failure)) => {
                self.tape.fail(failure);
                body
            }
        };
        representation
    }
}

#[async_trait]
impl<F: Fetcher> Fetcher for Recorder<F> {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, Refusal> {
        self.inner.locate(uri).await
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        self.inner.probe(uri).await
    }

    fn resumptions(&self) -> u64 {
        self.inner.resumptions()
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        let fetched = self.inner.fetch(uri, purpose).await;
        match fetched {
            Ok(Fetched::Representation(found)) => Ok(Fetched::Representation(Box::new(self.record(*found)))),
            Ok(Fetched::Redirect { status, target }) => {
                let location = target.as_ref().map(|target| format!("Location: {target}\r\n")).unwrap_or_default();
                let http_head = format!("{}{location}", status_line(status));
                self.tape.write(uri, &http_head, None, 0, &mut io::empty());
                Ok(Fetched::Redirect { status, target })
            }
            Ok(Fetched::Unchanged) => {
                self.tape.write(uri, &status_line(304), None, 0, &mut io::empty());
                Ok(Fetched::Unchanged)
            }
            Err(refusal) => {
                if let Some(status) = refusal.status {
                    let wait = refusal.retry_after_s.map(|seconds| format!("Retry-After: {seconds}\r\n"));
                    let http_head = format!("{}{}", status_line(status), wait.unwrap_or_default());
                    self.tape.write(uri, &http_head, None, 0, &mut io::empty());
                }
                Err(refusal)
            }
        }
    }
}

impl Tape {
    fn write(&self, uri: &Uri, http_head: &str, truncated: Option<&'static str>, body_bytes: u64, body: &mut dyn Read) {
        let response = Response { uri, date_ms: (self.now_ms)(), http_head, truncated, body_bytes };
        let result = lock(&self.writer).write(&response, body);
        if let Err(failure) = result {
            self.fail(failure);
        }
    }

    fn fail(&self, failure: io::Error) {
        error!(%failure, "cannot record");
        lock(&self.failure).get_or_insert(failure);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn status_line(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Unknown");
    format!("HTTP/1.1 {status} {reason}\r\n")
}

fn http_head(representation: &Representation) -> String {
    let mut head = status_line(200);
    let fields = [
        ("Content-Type", &representation.content_type),
        ("ETag", &representation.etag),
        ("Last-Modified", &representation.last_modified),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    for (name, value) in fields.chain(representation.links.iter().map(|value| ("Link", value))) {
        write!(head, "{name}: {value}\r\n").expect("a string takes all");
    }
    head
}

/// The standard's word for why a body is not complete.
fn truncated(fault: &Fault) -> &'static str {
    match fault.kind {
        FaultKind::TooLarge | FaultKind::Bomb => "length",
        FaultKind::Timeout => "time",
        FaultKind::Truncated => "disconnect",
        _ => "unspecified",
    }
}

/// A streamed body on its way to its reader, copied to a file on the side;
/// the record is written when the length is known.
struct Tee {
    inner: Box<dyn Read + Send>,
    tape: Arc<Tape>,
    uri: Uri,
    http_head: String,
    /// Until the record is written, or given up.
    spool: Option<File>,
    bytes: u64,
}

impl Tee {
    fn complete(&mut self, truncated: Option<&'static str>) {
        let Some(mut spool) = self.spool.take() else { return };
        match spool.rewind() {
            Ok(()) => self.tape.write(&self.uri, &self.http_head, truncated, self.bytes, &mut spool),
            Err(failure) => self.tape.fail(failure),
        }
    }
}

impl Read for Tee {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let result = self.inner.read(output);
        match &result {
            Ok(0) if !output.is_empty() => self.complete(None),
            Ok(length) => {
                if let Some(spool) = &mut self.spool
                    && let Err(failure) = spool.write_all(&output[..*length])
                {
                    self.spool = None;
                    self.tape.fail(failure);
                }
                self.bytes += *length as u64;
            }
            Err(failure) if failure.kind() == io::ErrorKind::Interrupted => {}
            Err(failure) => {
                let cut = failure.get_ref().and_then(|failure| failure.downcast_ref::<CutShort>());
                let reason = cut.map_or("unspecified", |cut| truncated(&cut.0));
                self.complete(Some(reason));
            }
        }
        result
    }
}

impl Drop for Tee {
    /// A reader that had enough leaves a record of what it saw.
    fn drop(&mut self) {
        self.complete(Some("unspecified"));
    }
}
