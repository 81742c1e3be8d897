//! A web made of recordings.

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

use super::record::{Dechunked, Head, broken, read_response_head};
use crate::fetch::answer::{self, Answer};
use crate::fetch::decode::{Decoder, DecodingReader};
use crate::fetch::{Body, CutShort, Fetched, Fetcher, Purpose, Refusal, heard};
use crate::model::{Fault, FaultKind, Probe, Uri};

/// The largest body that is held in memory, as for live fetches.
const MEMORY_BYTES_MAX: usize = 1 << 20;

/// A fetcher that answers from WARC files, compressed record by record or not
/// at all.
///
/// The files are read through once to know where each answer is; bodies are
/// read when they are asked for. Of several answers for one address the last
/// counts. An address that was not recorded is not found if its host was, and
/// its host does not exist otherwise.
#[derive(Debug)]
pub struct Replay {
    files: Vec<PathBuf>,
    places: HashMap<u128, Place, foldhash::fast::RandomState>,
    hosts: HashSet<Box<str>, foldhash::fast::RandomState>,
}

/// Where an answer is.
#[derive(Clone, Copy, Debug)]
struct Place {
    file: u32,
    /// Whether the address was recorded in its normal form. `http://a.org`
    /// and `http://a.org/` are one address to us, and a redirect from the one
    /// to the other must not hide the document.
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
    /// What is wrong with it.
    pub source: io::Error,
}

/// A record being read.
type RecordReader = BufReader<Box<dyn Read + Send>>;

impl Replay {
    /// Reads through some files. A file that breaks off is used as far as it
    /// goes: a crawl that was killed leaves such a one.
    pub fn open(files: Vec<PathBuf>) -> Result<Self, ReplayError> {
        let mut replay = Self { files: Vec::new(), places: HashMap::default(), hosts: HashSet::default() };
        for path in files {
            replay.index(&path).map_err(|source| ReplayError { path: path.clone(), source })?;
            replay.files.push(path);
        }
        Ok(replay)
    }

    /// How many addresses have an answer.
    #[must_use]
    pub fn recorded(&self) -> usize {
        self.places.len()
    }

    fn index(&mut self, path: &Path) -> io::Result<()> {
        let mut source = Counted { inner: BufReader::with_capacity(1 << 18, File::open(path)?), bytes: 0 };
        let is_gzip = source.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        loop {
            let offset = source.bytes;
            let target = if is_gzip { skip_member(&mut source) } else { skip_record(&mut source) };
            match target {
                Ok(Skipped::End) => return Ok(()),
                Ok(Skipped::Other) => {}
                Ok(Skipped::Response(target)) => self.place(&target, offset, source.bytes - offset),
                Err(error) if offset > 0 => {
                    warn!(path = %path.display(), offset, %error, "recording breaks off");
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
    }

    fn place(&mut self, target: &str, offset: u64, length: u64) {
        let Ok(uri) = Uri::recorded(target) else { return };
        let file = u32::try_from(self.files.len()).unwrap_or(u32::MAX);
        let place = Place { file, is_normal: uri.as_str() == target, offset, length };
        if !self.hosts.contains(uri.host()) {
            self.hosts.insert(uri.host().into());
        }
        let known = self.places.entry(uri.fingerprint()).or_insert(place);
        if place.is_normal || !known.is_normal {
            *known = place;
        }
    }

    /// The head of a recorded answer, and its body to be read.
    fn find(&self, uri: &Uri) -> Result<Recorded, Refusal> {
        let Some(place) = self.places.get(&uri.fingerprint()) else { return Err(self.absent(uri)) };
        let found = self.read(*place).map_err(|error| {
            let fault = Fault::new(FaultKind::Protocol, format!("broken record: {error}"));
            Refusal { fault, status: None, retry_after_s: None, sent: true }
        })?;
        heard::tell(found.status, &found.headers);
        Ok(found)
    }

    fn absent(&self, uri: &Uri) -> Refusal {
        if self.hosts.contains(uri.host()) {
            let fault = Fault::new(FaultKind::Status, "404 Not Found (not recorded)");
            return Refusal { fault, status: Some(404), retry_after_s: None, sent: true };
        }
        let fault = Fault::new(FaultKind::Dns, format!("`{}` was not recorded", uri.host()));
        Refusal { fault, status: None, retry_after_s: None, sent: false }
    }

    fn read(&self, place: Place) -> io::Result<Recorded> {
        let mut file = File::open(&self.files[place.file as usize])?;
        file.seek(SeekFrom::Start(place.offset))?;
        let mut raw = BufReader::new(file.take(place.length));
        let is_gzip = raw.fill_buf()?.starts_with(&[0x1f, 0x8b]);
        let raw: Box<dyn Read + Send> = if is_gzip { Box::new(GzDecoder::new(raw)) } else { Box::new(raw) };
        let mut reader = BufReader::new(raw);
        let head = Head::read(&mut reader)?.ok_or_else(|| broken("no record"))?;
        let mut block = reader.take(head.content_length()?);
        let (status, headers) = read_response_head(&mut block)?;
        Ok(Recorded { status, headers, cut: head.get("WARC-Truncated").map(cut), block })
    }
}

/// An answer found in a recording.
struct Recorded {
    status: StatusCode,
    headers: HeaderMap,
    cut: Option<Fault>,
    block: io::Take<RecordReader>,
}

#[async_trait]
impl Fetcher for Replay {
    async fn locate(&self, _uri: &Uri) -> Result<Option<IpAddr>, Refusal> {
        Ok(None)
    }

    async fn probe(&self, uri: &Uri) -> Result<Probe, Refusal> {
        let found = self.find(uri)?;
        answer::probe(&uri.to_url(), found.status, &found.headers)
    }

    async fn fetch(&self, uri: &Uri, purpose: Purpose<'_>) -> Result<Fetched, Refusal> {
        let Recorded { status, headers, cut, block } = self.find(uri)?;
        match answer::sort(&uri.to_url(), status, &headers, purpose) {
            Answer::Document => {
                let body = body(&headers, block, cut);
                Ok(Fetched::Representation(Box::new(answer::representation(uri, status, &headers, body))))
            }
            Answer::Unchanged => Ok(Fetched::Unchanged),
            Answer::Redirect(target) => Ok(Fetched::Redirect { status: status.as_u16(), target }),
            Answer::Refusal(refusal) => Err(refusal),
        }
    }
}

/// A recorded body, with the codings undone that a recorder of the wire left.
fn body(headers: &HeaderMap, block: io::Take<RecordReader>, cut: Option<Fault>) -> Body {
    let decoder = match Decoder::of(headers) {
        Ok(decoder) => decoder,
        Err(fault) => return Body::Whole { bytes: Bytes::new(), cut: Some(fault) },
    };
    let chunked = headers.get(TRANSFER_ENCODING).is_some_and(|value| value.as_bytes().ends_with(b"chunked"));
    let plain: Box<dyn Read + Send> = if chunked { Box::new(Dechunked::new(block)) } else { Box::new(block) };
    let mut reader = DecodingReader::new(plain, decoder);
    let mut bytes = Vec::new();
    match reader.by_ref().take(MEMORY_BYTES_MAX as u64 + 1).read_to_end(&mut bytes) {
        Ok(length) if length <= MEMORY_BYTES_MAX => Body::Whole { bytes: bytes.into(), cut },
        Ok(_) => Body::Stream(Box::new(CutAtEnd { inner: Cursor::new(bytes).chain(reader), cut })),
        Err(error) => Body::Whole { bytes: bytes.into(), cut: Some(fault_of(&error)) },
    }
}

fn cut(reason: &str) -> Fault {
    let kind = match reason {
        "length" => FaultKind::TooLarge,
        "time" => FaultKind::Timeout,
        _ => FaultKind::Truncated,
    };
    Fault::new(kind, format!("recorded as truncated: {reason}"))
}

fn fault_of(error: &io::Error) -> Fault {
    let cut = error.get_ref().and_then(|error| error.downcast_ref::<CutShort>());
    cut.map_or_else(|| Fault::new(FaultKind::Truncated, error), |cut| cut.0.clone())
}

/// What was passed over while a file was read through.
enum Skipped {
    /// An answer for this address.
    Response(String),
    /// Another type of record.
    Other,
    /// Nothing: the end.
    End,
}

/// Passes over one gzip member, which holds one record.
fn skip_member(source: &mut Counted) -> io::Result<Skipped> {
    if source.fill_buf()?.is_empty() {
        return Ok(Skipped::End);
    }
    let mut member = BufReader::new(GzDecoder::new(source));
    let skipped = skip_record(&mut member)?;
    let rest = io::copy(&mut member, &mut io::sink())?;
    if rest > 4 {
        return Err(broken("more than one record in a gzip member"));
    }
    Ok(skipped)
}

fn skip_record(reader: &mut impl BufRead) -> io::Result<Skipped> {
    let Some(head) = Head::read(reader)? else { return Ok(Skipped::End) };
    let length = head.content_length()?;
    if io::copy(&mut reader.take(length), &mut io::sink())? < length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(head.response_target().map_or(Skipped::Other, |target| Skipped::Response(target.to_owned())))
}

/// A reader that knows how much of it was used.
struct Counted {
    inner: BufReader<File>,
    bytes: u64,
}

impl Read for Counted {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(output)?;
        self.bytes += length as u64;
        Ok(length)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.inner.fill_buf()
    }

    fn consume(&mut self, length: usize) {
        self.bytes += length as u64;
        self.inner.consume(length);
    }
}

/// A reader that ends as the recorded body did.
struct CutAtEnd<R> {
    inner: R,
    cut: Option<Fault>,
}

impl<R: Read> Read for CutAtEnd<R> {
    fn read(&mut self, output: &mut [u8]) -> io::Result<usize> {
        match (self.inner.read(output), &self.cut) {
            (Ok(0), Some(fault)) if !output.is_empty() => Err(io::Error::other(CutShort(fault.clone()))),
            (result, _) => result,
        }
    }
}
