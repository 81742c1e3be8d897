//! A fetcher that returns recorded responses.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use bytes::Bytes;
use flate2::bufread::GzDecoder;
use http::header::TRANSFER_ENCODING;
use http::{HeaderMap, StatusCode};
use tracing::warn;

use super::record::{ChunkedReader, WarcHead, invalid_data, read_response_head};
use crate::fetch::content_coding::{ContentDecoder, DecodingReader};
use crate::fetch::response::{self, ResponseKind};
use crate::fetch::{FetchOutcome, FetchRequest, FetchResponse, Fetcher, ResponseBody, ResponseHead};
use crate::model::{Fault, FaultKind, FetchFailure, ProbeResult, StreamFault, Uri};

/// Maximum size of a body buffered in memory, as for live fetches.
const MAX_MEMORY_BYTES: usize = 1 << 20;

/// A fetcher that responds from WARC files, compressed record by record or uncompressed.
///
/// Each file is scanned once for the positions of its responses; bodies are read when they are requested. If a URL has
/// several responses, the last one is used. If a URL was not recorded, the status is 404 if its host was recorded;
/// otherwise the host does not resolve.
#[derive(Debug)]
pub struct WarcReplay {
    files: Vec<PathBuf>,
    locations: HashMap<u128, WarcLocation, foldhash::fast::RandomState>,
    hosts: HashSet<Box<str>, foldhash::fast::RandomState>,
}

/// The position of a response in the WARC files.
#[derive(Clone, Copy, Debug)]
struct WarcLocation {
    file: u32,
    /// Whether the URL was recorded in normalised form. `http://a.org` and `http://a.org/` are one [`Uri`], and a
    /// redirect from one to the other must not hide the document.
    is_normal: bool,
    offset: u64,
    length: u64,
}

/// Why files cannot be replayed.
#[derive(Debug, thiserror::Error)]
#[error("cannot replay {}: {source}", path.display())]
pub struct ReplayError {
    /// The file.
    pub path: PathBuf,
    /// Why the file cannot be read.
    pub source: io::Error,
}

/// A reader of one record.
type RecordReader = BufReader<Box<dyn Read + Send>>;

impl WarcReplay {
    /// Scans the files. A truncated file is used up to its last complete record: a killed crawl leaves such a file.
    pub fn open(files: Vec<PathBuf>) -> Result<Self, ReplayError> {
        let mut replay = Self { files: Vec::new(), locations: HashMap::default(), hosts: HashSet::default() };
        for path in files {
            replay.index(&path).map_err(|source| ReplayError { path: path.clone(), source })?;
            replay.files.push(path);
        }
        Ok(replay)
    }

    /// Number of URLs with a response.
    #[must_use]
    pub fn response_count(&self) -> usize {
        self.locations.len()
    }

    fn index(&mut self, path: &Path) -> io::Result<()> {
        let mut source = CountingReader { inner: BufReader::with_capacity(1 << 18, File::open(path)?), bytes: 0 };
        let is_gzip = source.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        loop {
            let offset = source.bytes;
            let target = if is_gzip { skip_member(&mut source) } else { skip_record(&mut source) };
            match target {
                Ok(SkippedRecord::End) => return Ok(()),
                Ok(SkippedRecord::Other) => {}
                Ok(SkippedRecord::Response(target)) => self.add_location(&target, offset, source.bytes - offset),
                Err(error) if offset > 0 => {
                    warn!(path = %path.display(), offset, %error, "WARC file is truncated");
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn add_location(&mut self, target: &str, offset: u64, length: u64) {
        let Ok(uri) = Uri::parse_stored(target) else { return };
        let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let location = WarcLocation { file, is_normal: uri.as_str() == target, offset, length };
        if !self.hosts.contains(uri.host()) {
            self.hosts.insert(uri.host().into());
        }
        let known = self.locations.entry(uri.fingerprint()).or_insert(location);
        if location.is_normal || !known.is_normal {
            *known = location;
        }
    }

    /// Finds the recorded response for a URI. Its head is read; its body is still to be read.
    fn find(&self, uri: &Uri) -> Result<RecordedResponse, FetchFailure> {
        let Some(location) = self.locations.get(&uri.fingerprint()) else { return Err(self.not_recorded(uri)) };
        self.read(*location).map_err(|error| {
            let fault = Fault::new(FaultKind::Protocol, format!("broken record: {error}"));
            FetchFailure { fault, status: None, retry_after_s: None, sent: true }
        })
    }

    /// Finds the recorded response to a request and interprets it.
    fn respond<T>(
        &self,
        request: FetchRequest<'_>,
        interpret: impl FnOnce(RecordedResponse) -> Result<T, FetchFailure>,
    ) -> FetchResponse<T> {
        match self.find(request.uri) {
            Ok(recorded) => {
                let head = ResponseHead::capture(request.head_detail, recorded.status, &recorded.headers);
                FetchResponse { head, result: interpret(recorded) }
            }
            Err(failure) => Err(failure).into(),
        }
    }

    fn not_recorded(&self, uri: &Uri) -> FetchFailure {
        if self.hosts.contains(uri.host()) {
            let fault = Fault::new(FaultKind::Status, "404 Not Found (not recorded)");
            return FetchFailure { fault, status: Some(404), retry_after_s: None, sent: true };
        }
        let fault = Fault::new(FaultKind::Dns, format!("host `{}` was not recorded", uri.host()));
        FetchFailure { fault, status: None, retry_after_s: None, sent: false }
    }

    fn read(&self, location: WarcLocation) -> io::Result<RecordedResponse> {
        let mut file = File::open(&self.files[location.file as usize])?;
        file.seek(SeekFrom::Start(location.offset))?;
        let mut raw = BufReader::new(file.take(location.length));
        let is_gzip = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let raw: Box<dyn Read + Send> = if is_gzip { Box::new(GzDecoder::new(raw)) } else { Box::new(raw) };
        let mut reader = BufReader::new(raw);
        let head = WarcHead::read(&mut reader)?.ok_or_else(|| invalid_data("record is missing"))?;
        let mut block = reader.take(head.content_length()?);
        let (status, headers) = read_response_head(&mut block)?;
        Ok(RecordedResponse { status, headers, cut: head.get("WARC-Truncated").map(truncation_fault), block })
    }
}

/// A recorded response.
struct RecordedResponse {
    status: StatusCode,
    headers: HeaderMap,
    cut: Option<Fault>,
    block: io::Take<RecordReader>,
}

#[async_trait]
impl Fetcher for WarcReplay {
    async fn locate(&self, _uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        Ok(None)
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        self.respond(request, |recorded| {
            response::probe_result(&request.uri.to_url(), recorded.status, &recorded.headers, || 0)
        })
    }

    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        self.respond(request, |RecordedResponse { status, headers, cut, block }| {
            let (uri, is_conditional) = (request.uri, request.validators.is_some());
            match response::response_kind(&uri.to_url(), status, &headers, is_conditional, || 0) {
                ResponseKind::Document => {
                    let body = recorded_body(&headers, block, cut);
                    Ok(FetchOutcome::Representation(Box::new(response::representation(uri, status, &headers, body))))
                }
                ResponseKind::Unchanged => Ok(FetchOutcome::Unchanged),
                ResponseKind::Redirect { target, retry_after_s } => {
                    Ok(FetchOutcome::Redirect { status: status.as_u16(), target, retry_after_s })
                }
                ResponseKind::Failure(failure) => Err(failure),
            }
        })
    }
}

/// A recorded body, without the codings of the wire.
fn recorded_body(headers: &HeaderMap, block: io::Take<RecordReader>, truncation: Option<Fault>) -> ResponseBody {
    let decoder = match ContentDecoder::from_headers(headers) {
        Ok(decoder) => decoder,
        Err(fault) => return ResponseBody::Buffered { bytes: Bytes::new(), truncation: Some(fault) },
    };
    let chunked = headers.get(TRANSFER_ENCODING).is_some_and(|value| value.as_bytes().ends_with(b"chunked"));
    let plain: Box<dyn Read + Send> = if chunked { Box::new(ChunkedReader::new(block)) } else { Box::new(block) };
    let mut reader = DecodingReader::new(plain, decoder);
    let mut bytes = Vec::new();
    match reader.by_ref().take(MAX_MEMORY_BYTES as u64 + 1).read_to_end(&mut bytes) {
        Ok(length) if length <= MAX_MEMORY_BYTES => ResponseBody::Buffered { bytes: bytes.into(), truncation },
        Ok(_) => {
            ResponseBody::Stream(Box::new(TruncatedReader { inner: Cursor::new(bytes).chain(reader), cut: truncation }))
        }
        Err(error) => ResponseBody::Buffered { bytes: bytes.into(), truncation: Some(read_fault(&error)) },
    }
}

fn truncation_fault(reason: &str) -> Fault {
    let kind = match reason {
        "length" => FaultKind::TooLarge,
        "time" => FaultKind::Timeout,
        _ => FaultKind::Truncated,
    };
    Fault::new(kind, format!("recorded as truncated: {reason}"))
}

fn read_fault(error: &io::Error) -> Fault {
    let fault = error.get_ref().and_then(|error| error.downcast_ref::<StreamFault>());
    fault.map_or_else(|| Fault::new(FaultKind::Truncated, error), |fault| fault.0.clone())
}

/// The type of a record that was skipped while its file was scanned.
enum SkippedRecord {
    /// A response for this URL.
    Response(String),
    /// Another type of record.
    Other,
    /// There is no further record.
    End,
}

/// Skips one gzip member, which contains one record.
fn skip_member(source: &mut CountingReader) -> io::Result<SkippedRecord> {
    if source.fill_buf()?.is_empty() {
        return Ok(SkippedRecord::End);
    }
    let mut member = BufReader::new(GzDecoder::new(source));
    let skipped = skip_record(&mut member)?;
    let rest = io::copy(&mut member, &mut io::sink())?;
    if rest > 4 {
        return Err(invalid_data("gzip member contains more than one record"));
    }
    Ok(skipped)
}

fn skip_record(reader: &mut impl BufRead) -> io::Result<SkippedRecord> {
    let Some(head) = WarcHead::read(reader)? else { return Ok(SkippedRecord::End) };
    let length = head.content_length()?;
    if io::copy(&mut reader.take(length), &mut io::sink())? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(head.response_target().map_or(SkippedRecord::Other, |target| SkippedRecord::Response(target.to_owned())))
}

/// A reader that counts the bytes read.
struct CountingReader {
    inner: BufReader<File>,
    bytes: u64,
}

impl Read for CountingReader {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(output)?;
        self.bytes += length as u64;
        Ok(length)
    }
}

impl BufRead for CountingReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.bytes += length as u64;
        self.inner.consume(length);
    }
}

/// A reader that ends with the recorded fault.
struct TruncatedReader<R> {
    inner: R,
    cut: Option<Fault>,
}

impl<R: Read> Read for TruncatedReader<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        match (self.inner.read(output), &self.cut) {
            (Ok(0), Some(fault)) if !output.is_empty() => Err(io::Error::other(StreamFault(fault.clone()))),
            (result, _) => result,
        }
    }
}
