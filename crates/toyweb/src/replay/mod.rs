//! The web as it was recorded.
//!
//! One pass over the WARC files notes where each answer stands; bodies are read
//! when asked for (and kept by a [`Cached`](crate::cached::Cached) in front of
//! it, if at all), so that a recording larger than memory can be replayed. A
//! URL of a recorded host that was not recorded is a 404; a host that was not
//! recorded cannot be reached.

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

use crate::accept::Accept;
use crate::elsewhere::{Elsewhere, bare};
use crate::message::{Body, Conduct, Request, Response, Web};
use warc::Locator;

/// The WARC field of an answer that was given to a visitor who prefers pages.
const VARIANT_FIELD: &str = "X-Accept-Variant";

/// A recorded web.
pub struct Replay {
    files: Vec<File>,
    answers: HashMap<Box<str>, Answers>,
    hosts: BTreeSet<String>,
    elsewhere: Elsewhere,
    faults: Vec<String>,
}

/// A record and the file it is in.
#[derive(Clone, Copy, Debug)]
struct Recording {
    file: usize,
    locator: Locator,
    /// Whether the recorded URL is written as URLs are normalised.
    exact: bool,
}

/// The recorded answers to one URL.
#[derive(Clone, Copy, Debug, Default)]
struct Answers {
    any: Option<Recording>,
    /// To those who prefer pages.
    html: Option<Recording>,
}

impl Replay {
    /// Notes what `paths` contain. Files that break off are used as far as they
    /// go; see [`Replay::faults`].
    pub fn open(paths: &[PathBuf], elsewhere: Elsewhere) -> anyhow::Result<Self> {
        let mut replay =
            Self { files: Vec::new(), answers: HashMap::new(), hosts: BTreeSet::new(), elsewhere, faults: Vec::new() };
        for path in paths {
            let file = File::open(path);
            replay.files.push(file.with_context(|| format!("cannot open the WARC file {}", path.display()))?);
        }
        for (number, (found, fault)) in scan_all(paths).into_iter().enumerate() {
            if let Some(error) = fault {
                replay.faults.push(format!("{}: {error}", paths[number].display()));
            }
            for sighting in found {
                replay.note(number, sighting);
            }
        }
        if replay.answers.is_empty() {
            bail!("no answers recorded in the {} WARC files given (hint: are they WARC files?)", paths.len());
        }
        Ok(replay)
    }

    fn note(&mut self, file: usize, sighting: Sighting) {
        if let Some(host) = sighting.url.host_str() {
            self.hosts.insert(host.to_owned());
        }
        let answers = self.answers.entry(String::from(sighting.url).into()).or_default();
        let slot = if sighting.html { &mut answers.html } else { &mut answers.any };
        // `http://host` and `http://host/` are one request; recorded as two,
        // the former redirects to the latter and would hide it. Otherwise the
        // latest answer counts.
        if sighting.exact || slot.is_none_or(|known| !known.exact) {
            *slot = Some(Recording { file, locator: sighting.locator, exact: sighting.exact });
        }
    }

    /// Every recorded URL, in no order.
    pub fn urls(&self) -> impl Iterator<Item = &str> {
        self.answers.keys().map(AsRef::as_ref)
    }

    /// Every recorded host, in order.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(String::as_str)
    }

    /// What could not be read, file by file.
    #[must_use]
    pub fn faults(&self) -> &[String] {
        &self.faults
    }

    fn play(&self, recording: Recording, url: &Url) -> Response {
        let block = warc::read_block(&self.files[recording.file], recording.locator);
        match block.and_then(|block| response(&block)) {
            Ok(response) if !recording.exact && redirects_to(&response, url) => bare(StatusCode::NOT_FOUND),
            Ok(response) => response,
            Err(_) => bare(StatusCode::BAD_GATEWAY),
        }
    }
}

impl Web for Replay {
    fn respond(&self, request: &Request) -> Response {
        let known_host = request.url.host_str().is_some_and(|host| self.hosts.contains(host));
        if !known_host {
            return self.elsewhere.response();
        }
        if request.method != Method::GET && request.method != Method::HEAD {
            return bare(StatusCode::METHOD_NOT_ALLOWED);
        }
        let answers = self.answers.get(request.url.as_str()).copied().unwrap_or_default();
        let html = answers.html.filter(|_| answers.any.is_none() || Accept::of(&request.headers).prefers_html());
        match html.or(answers.any) {
            Some(recording) => self.play(recording, &request.url),
            None => bare(StatusCode::NOT_FOUND),
        }
    }
}

/// One recorded answer, as a scan finds it.
struct Sighting {
    url: Url,
    exact: bool,
    html: bool,
    locator: Locator,
}

type Scanned = (Vec<Sighting>, Option<io::Error>);

fn scan_all(paths: &[PathBuf]) -> Vec<Scanned> {
    std::thread::scope(|scope| {
        let scans: Vec<_> = paths.iter().map(|path| scope.spawn(|| scan(path))).collect();
        scans.into_iter().map(|scan| scan.join().expect("a scan does not panic")).collect()
    })
}

fn scan(path: &Path) -> Scanned {
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
        found.push(Sighting { exact: url.as_str() == target, url, html, locator });
    });
    (found, result.err())
}

/// The answer in the block of a `response` record.
fn response(block: &[u8]) -> io::Result<Response> {
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
        body = unchunked(&body).map_or(body, Bytes::from);
    }
    for name in [CONTENT_LENGTH, DATE, CONNECTION, TRANSFER_ENCODING] {
        headers.remove(name);
    }
    headers.remove("keep-alive");
    Ok(Response { status, headers, body: Body::Whole(body), conduct: Conduct::Plain })
}

/// The content of a chunked body; `None` when it is not chunked after all,
/// since some writers undo the chunks and keep the field.
fn unchunked(mut body: &[u8]) -> Option<Vec<u8>> {
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

fn redirects_to(response: &Response, url: &Url) -> bool {
    let location = response.headers.get(LOCATION).and_then(|location| location.to_str().ok());
    response.status.is_redirection() && location.and_then(|location| url.join(location).ok()).as_ref() == Some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_joined_and_what_is_not_chunked_is_left_alone() {
        assert_eq!(unchunked(b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"), Some(b"abcde".to_vec()));
        assert_eq!(unchunked(b"<html></html>"), None);
        assert_eq!(unchunked(b"5\r\nabc"), None);
    }
}
