//! Replays recorded webs from WARC files.
//!
//! One pass over the files indexes the position of each response. Bodies are read on request, and cached only by a
//! [`CachedWeb`](crate::cached_web::CachedWeb), so that a recording larger than memory can be replayed. An unrecorded
//! URL of a recorded host yields a 404. An unrecorded host is an unknown host.

mod warc;

use std::collections::{BTreeSet, HashMap};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use bytes::Bytes;
use http::header::{CONNECTION, CONTENT_LENGTH, DATE, LOCATION, TRANSFER_ENCODING};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use url::Url;

use crate::accept::AcceptHeader;
use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};
use crate::unknown_hosts::{UnknownHosts, status_response};
use warc::RecordLocator;

/// The WARC field of a response to a client that prefers HTML.
const VARIANT_FIELD: &str = "X-Accept-Variant";

/// A recorded web.
pub struct ReplayWeb {
    files: Vec<File>,
    responses: HashMap<Box<str>, RecordedAnswers>,
    hosts: BTreeSet<String>,
    unknown_hosts: UnknownHosts,
    faults: Vec<String>,
}

/// A record and the file it is in.
#[derive(Clone, Copy, Debug)]
struct RecordedRecord {
    file: usize,
    locator: RecordLocator,
    /// Whether the recorded URL is in normalised form.
    exact: bool,
}

/// The recorded responses for one URL.
#[derive(Clone, Copy, Debug, Default)]
struct RecordedAnswers {
    any: Option<RecordedRecord>,
    /// The response to clients that prefer HTML.
    html: Option<RecordedRecord>,
}

impl ReplayWeb {
    /// Indexes the records of `paths`. Truncated files are read up to the damage; see [`ReplayWeb::faults`].
    pub fn open(paths: &[PathBuf], unknown_hosts: UnknownHosts) -> anyhow::Result<Self> {
        let mut replay = Self {
            files: Vec::new(),
            responses: HashMap::new(),
            hosts: BTreeSet::new(),
            unknown_hosts,
            faults: Vec::new(),
        };
        for path in paths {
            let file = File::open(path);
            replay.files.push(file.with_context(|| format!("cannot open WARC file `{}`", path.display()))?);
        }
        for (number, (found, fault)) in scan_all(paths).into_iter().enumerate() {
            if let Some(error) = fault {
                replay.faults.push(format!("`{}`: {error}", paths[number].display()));
            }
            for scanned in found {
                replay.index_response(number, scanned);
            }
        }
        if replay.responses.is_empty() {
            bail!("no responses in {} WARC files (hint: check that the files are WARC)", paths.len());
        }
        Ok(replay)
    }

    fn index_response(&mut self, file: usize, scanned: ScannedAnswer) {
        if let Some(host) = scanned.url.host_str() {
            self.hosts.insert(host.to_owned());
        }
        let responses = self.responses.entry(String::from(scanned.url).into()).or_default();
        let slot = if scanned.html { &mut responses.html } else { &mut responses.any };
        // `http://host` and `http://host/` are the same request. If both are recorded, the former redirects to the
        // latter and would hide it. Otherwise the last response wins.
        if scanned.exact || slot.is_none_or(|previous| !previous.exact) {
            *slot = Some(RecordedRecord { file, locator: scanned.locator, exact: scanned.exact });
        }
    }

    /// Every recorded URL, unordered.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.responses.keys().map(AsRef::as_ref)
    }

    /// Every recorded host, in order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// Read errors, per file.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    fn replay(&self, record: RecordedRecord, url: &Url) -> WebResponse {
        let block = warc::read_block(&self.files[record.file], record.locator);
        match block.and_then(|block| parse_response(&block)) {
            Ok(response) if !record.exact && redirects_to(&response, url) => status_response(StatusCode::NOT_FOUND),
            Ok(response) => response,
            Err(_) => status_response(StatusCode::BAD_GATEWAY),
        }
    }
}

impl Web for ReplayWeb {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        let known_host = request.url.host_str().is_some_and(|host| self.hosts.contains(host));
        if !known_host {
            return self.unknown_hosts.response();
        }
        if request.method != Method::GET && request.method != Method::HEAD {
            return status_response(StatusCode::METHOD_NOT_ALLOWED);
        }
        let responses = self.responses.get(request.url.as_str()).copied().unwrap_or_default();
        let html = responses
            .html
            .filter(|_| responses.any.is_none() || AcceptHeader::from_headers(&request.headers).prefers_html());
        match html.or(responses.any) {
            Some(record) => self.replay(record, &request.url),
            None => status_response(StatusCode::NOT_FOUND),
        }
    }
}

/// A recorded response found by a scan.
struct ScannedAnswer {
    url: Url,
    exact: bool,
    html: bool,
    locator: RecordLocator,
}

type ScanResult = (Vec<ScannedAnswer>, Option<io::Error>);

fn scan_all(paths: &[PathBuf]) -> Vec<ScanResult> {
    std::thread::scope(|scope| {
        let scans: Vec<_> = paths.iter().map(|path| scope.spawn(|| scan(path))).collect();
        scans.into_iter().map(|scan| scan.join().expect("a scan does not panic")).collect()
    })
}

fn scan(path: &Path) -> ScanResult {
    let mut found = Vec::new();
    let result = warc::scan(path, |locator, fields| {
        if fields.get("WARC-Type") != Some("response") {
            return;
        }
        // Early writers put the URL in angle brackets.
        let target = fields.get("WARC-Target-URI").unwrap_or_default().trim_matches(['<', '>']);
        let Ok(mut url) = Url::parse(target) else { return };
        url.set_fragment(None);
        let html = fields.get(VARIANT_FIELD).is_some_and(|variant| variant.starts_with("text/html"));
        found.push(ScannedAnswer { exact: url.as_str() == target, url, html, locator });
    });
    (found, result.err())
}

/// The HTTP response in the block of a `response` record.
fn parse_response(block: &[u8]) -> io::Result<WebResponse> {
    let mut fields = [httparse::EMPTY_HEADER; 256];
    let mut parsed = httparse::Response::new(&mut fields);
    let head = parsed.parse(block).map_err(io::Error::other)?;
    let httparse::Status::Complete(length) = head else { return Err(io::ErrorKind::UnexpectedEof.into()) };
    let status = StatusCode::from_u16(parsed.code.unwrap_or_default()).map_err(io::Error::other)?;
    let mut headers = HeaderMap::new();
    for field in parsed.headers.iter() {
        let name = HeaderName::from_bytes(field.name.as_bytes());
        if let (Ok(name), Ok(value)) = (name, HeaderValue::from_bytes(field.value)) {
            headers.append(name, value);
        }
    }
    let mut body = Bytes::copy_from_slice(&block[length..]);
    if headers.get(TRANSFER_ENCODING).is_some_and(|coding| coding.as_bytes().eq_ignore_ascii_case(b"chunked")) {
        body = decode_chunked(&body).map_or(body, Bytes::from);
    }
    for name in [CONTENT_LENGTH, DATE, CONNECTION, TRANSFER_ENCODING] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    Ok(WebResponse { status, headers, body: WebBody::Whole(body), delivery: DeliveryFault::Plain })
}

/// The content of a chunked body. `None` if the body is not chunked: some writers decode the chunks and keep the field.
fn decode_chunked(mut body: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    loop {
        let (start, length) = match httparse::parse_chunk_size(body).ok()? {
            httparse::Status::Complete((start, length)) => (start, usize::try_from(length).ok()?),
            httparse::Status::Partial => return None,
        };
        if length == 0 {
            return Some(content);
        }
        let end = start.checked_add(length)?;
        content.extend_from_slice(body.get(start..end)?);
        body = body.get(end..)?.strip_prefix(b"\r\n")?;
    }
}

fn redirects_to(response: &WebResponse, url: &Url) -> bool {
    let location = response.headers.get(LOCATION).and_then(|location| location.to_str().ok());
    response.status.is_redirection() && location.and_then(|location| url.join(location).ok()).as_ref() == Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_and_other_bodies_are_unchanged() {
        assert_eq!(decode_chunked(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), Some(b"abcde".to_vec()));
        assert_eq!(decode_chunked(b"<html></html>"), None);
        assert_eq!(decode_chunked(b"5\r\nabc"), None);
    }
}
