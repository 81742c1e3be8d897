//! Records the responses of another fetcher.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read, Seek, Write as _};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use http::StatusCode;
use tracing::error;

use super::writer::{WarcOptions, WarcResponse, WarcWriter};
use crate::fetch::{FetchOutcome, FetchRequest, FetchResponse, Fetcher, Representation, ResponseBody};
use crate::model::{Fault, FaultKind, FetchFacts, FetchFailure, ProbeResult, StreamFault, Uri};

/// A fetcher that records all responses of another.
///
/// Failures without a status (no connection, no address) and probes are not recorded. If the recording cannot be
/// written, the crawl continues; the first error is returned by [`WarcRecorder::finish`].
pub struct WarcRecorder<F> {
    inner: F,
    tape: Arc<WarcTape>,
}

struct WarcTape {
    writer: Mutex<WarcWriter>,
    failure: Mutex<Option<io::Error>>,
    now_ms: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl<F: Fetcher> WarcRecorder<F> {
    /// Records the responses of `inner`. `now_ms` returns the time in milliseconds since the Unix epoch.
    pub fn new(inner: F, options: WarcOptions, now_ms: impl Fn() -> u64 + Send + Sync + 'static) -> io::Result<Self> {
        let writer = Mutex::new(WarcWriter::open(options, now_ms())?);
        let tape = WarcTape { writer, failure: Mutex::new(None), now_ms: Box::new(now_ms) };
        Ok(Self { inner, tape: Arc::new(tape) })
    }

    /// Returns the first error of the recording, if there was one.
    pub fn finish(&self) -> io::Result<()> {
        lock(&self.tape.failure).take().map_or(Ok(()), Err)
    }

    fn record(&self, representation: Representation) -> Representation {
        let http_head = http_head(&representation);
        let Representation { uri, body, .. } = &representation;
        match body {
            ResponseBody::Buffered { bytes, truncation } => {
                let truncated = truncation.as_ref().map(truncation_reason);
                self.tape.write(uri, &http_head, truncated, bytes.len() as u64, &mut &**bytes);
                representation
            }
            ResponseBody::Stream(_) => self.record_stream(representation, http_head),
        }
    }

    fn record_stream(&self, mut representation: Representation, http_head: String) -> Representation {
        let spool = lock(&self.tape.writer).spool_file();
        representation.body = match (representation.body, spool) {
            (ResponseBody::Stream(inner), Ok(spool)) => {
                let (tape, uri) = (Arc::clone(&self.tape), representation.uri.clone());
                let tee = TeeBody { inner, tape, uri, http_head, spool: Some(spool), bytes: 0 };
                ResponseBody::Stream(Box::new(tee))
            }
            (body, Ok(_)) => body,
            (body, Err(failure)) => {
                self.tape.record_failure(failure);
                body
            }
        };
        representation
    }
}

#[async_trait]
impl<F: Fetcher> Fetcher for WarcRecorder<F> {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        self.inner.locate(uri).await
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        self.inner.probe(request).await
    }

    fn resumptions(&self) -> u64 {
        self.inner.resumptions()
    }

    fn received_bytes(&self) -> u64 {
        self.inner.received_bytes()
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        let FetchResponse { head, result } = self.inner.fetch(request).await;
        let write_head = |http_head: &str| self.tape.write(request.uri, http_head, None, 0, &mut io::empty());
        let result = match result {
            Ok(FetchOutcome::Representation(found)) => Ok(FetchOutcome::Representation(Box::new(self.record(*found)))),
            Ok(FetchOutcome::Redirect { status, target, retry_after_s }) => {
                let location = target.as_ref().map(|target| format!("Location: {target}\r\n")).unwrap_or_default();
                write_head(&format!("{}{location}{}", status_line(status), retry_after_field(retry_after_s)));
                Ok(FetchOutcome::Redirect { status, target, retry_after_s })
            }
            Ok(FetchOutcome::Unchanged) => {
                write_head(&status_line(304));
                Ok(FetchOutcome::Unchanged)
            }
            Err(failure) => {
                if let Some(status) = failure.status {
                    write_head(&format!("{}{}", status_line(status), retry_after_field(failure.retry_after_s)));
                }
                Err(failure)
            }
        };
        FetchResponse { head, result }
    }
}

impl WarcTape {
    fn write(&self, uri: &Uri, http_head: &str, truncated: Option<&'static str>, body_bytes: u64, body: &mut dyn Read) {
        let response = WarcResponse { uri, date_ms: (self.now_ms)(), http_head, truncated, body_bytes };
        let result = lock(&self.writer).write(&response, body);
        if let Err(failure) = result {
            self.record_failure(failure);
        }
    }

    fn record_failure(&self, failure: io::Error) {
        error!(%failure, "cannot write WARC record");
        lock(&self.failure).get_or_insert(failure);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The field of a delay; empty if there is none.
fn retry_after_field(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!("Retry-After: {seconds}\r\n")).unwrap_or_default()
}

fn status_line(status: u16) -> String {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or("Unknown");
    format!("HTTP/1.1 {status} {reason}\r\n")
}

fn http_head(representation: &Representation) -> String {
    let mut head = status_line(200);
    let FetchFacts { declared_media_type, validators, terms, .. } = &representation.fetch;
    let reservation = terms.tdm_reservation.map(|is_reserved| u8::from(is_reserved).to_string());
    let fields = [
        ("Content-Type", declared_media_type),
        ("ETag", &validators.etag),
        ("Last-Modified", &validators.last_modified),
        ("TDM-Reservation", &reservation),
        ("TDM-Policy", &terms.tdm_policy),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let links = representation.links.iter().map(|value| ("Link", value));
    let robots_tags = representation.robots_tags.iter().map(|value| ("X-Robots-Tag", value));
    for (name, value) in fields.chain(links).chain(robots_tags) {
        write!(head, "{name}: {value}\r\n").expect("writing to a string cannot fail");
    }
    head
}

/// The value of `WARC-Truncated` for a fault.
fn truncation_reason(fault: &Fault) -> &'static str {
    match fault.kind {
        FaultKind::TooLarge | FaultKind::DecompressionBomb => "length",
        FaultKind::Timeout => "time",
        FaultKind::Truncated => "disconnect",
        _ => "unspecified",
    }
}

/// A streamed body that is copied to a temporary file while it is read. The record is written when the length is known.
struct TeeBody {
    inner: Box<dyn Read + Send>,
    tape: Arc<WarcTape>,
    uri: Uri,
    http_head: String,
    /// `None` after the record was written or abandoned.
    spool: Option<File>,
    bytes: u64,
}

impl TeeBody {
    fn finish_record(&mut self, truncated: Option<&'static str>) {
        let Some(mut spool) = self.spool.take() else { return };
        match spool.rewind() {
            Ok(()) => self.tape.write(&self.uri, &self.http_head, truncated, self.bytes, &mut spool),
            Err(failure) => self.tape.record_failure(failure),
        }
    }
}

impl Read for TeeBody {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let result = self.inner.read(output);
        match &result {
            Ok(0) if !output.is_empty() => self.finish_record(None),
            Ok(length) => {
                if let Some(spool) = &mut self.spool
                    && let Err(failure) = spool.write_all(&output[..*length])
                {
                    self.spool = None;
                    self.tape.record_failure(failure);
                }
                self.bytes += *length as u64;
            }
            Err(failure) if failure.kind() == io::ErrorKind::Interrupted => {}
            Err(failure) => {
                let truncation = failure.get_ref().and_then(|failure| failure.downcast_ref::<StreamFault>());
                let reason = truncation.map_or("unspecified", |truncation| truncation_reason(&truncation.0));
                self.finish_record(Some(reason));
            }
        }
        result
    }
}

impl Drop for TeeBody {
    /// If the reader stops early, the part it read is recorded.
    fn drop(&mut self) {
        self.finish_record(Some("unspecified"));
    }
}
