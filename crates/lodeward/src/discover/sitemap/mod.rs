//! Reads XML sitemaps, sitemap indexes and semantic sitemaps.
//!
//! A sitemap lists pages, an index lists sitemaps; both are XML, or text with one URL per line, and may be compressed.
//! A sitemap is authoritative for its own site only: URLs of other pay-level domains are skipped (the protocol requires
//! the same host, but `www.` is rarely treated as another one). The data sets of the semantic extension are stored as
//! `VoID`, so that their dumps and endpoints are links like those of any document (`semantic`).

mod semantic;
mod xml;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{NextStep, ServiceResponse, StepSink};
use crate::model::{Fault, FaultKind, Link, LinkKind, LinkListKind, Pld, Uri, stream_fault};

/// Maximum number of URLs in a sitemap, by the protocol.
const MAX_URLS: usize = 50_000;
/// Maximum size of a sitemap, decompressed, by the protocol.
const MAX_SITEMAP_BYTES: u64 = 50 << 20;
/// Maximum depth of nested indexes. The protocol does not allow them, but a few exist.
const MAX_DEPTH: u8 = 3;

/// A request for a sitemap.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SitemapStep {
    /// The origin that the sitemap is authoritative for.
    pub origin: String,
    /// Number of sitemap indexes that led to this sitemap.
    pub depth: u8,
}

impl SitemapStep {
    /// A sitemap that was found by a link or in robots.txt, not in a sitemap index.
    #[must_use]
    pub(crate) fn first(target: &Uri) -> Self {
        Self { origin: target.origin().to_owned(), depth: 0 }
    }

    pub(super) fn service(&self) -> &str {
        &self.origin
    }

    pub(super) fn read(&self, response: ServiceResponse<'_>, findings: &mut dyn StepSink) -> &'static str {
        read(self, response.uri, response.body, findings)
    }
}

impl fmt::Display for SitemapStep {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sitemap of {}", self.origin)
    }
}

/// Whether a document with this beginning is a sitemap, whatever its declared type.
#[must_use]
pub(crate) fn is_sitemap(head: &[u8]) -> bool {
    const ROOT_SEARCH_BYTES: usize = 1024;
    let head = &head[..head.len().min(ROOT_SEARCH_BYTES)];
    let is_xml = head.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte)) == Some(&b'<');
    let has = |root: &str| memchr::memmem::find(head, root.as_bytes()).is_some();
    // If the head also contains `<html` or `<rdf:RDF`, that element may be the root.
    is_xml && (has("<urlset") || has("<sitemapindex")) && !has("<html") && !has("<rdf:RDF")
}

/// Reads the sitemap at a URL.
pub(crate) fn read(step: &SitemapStep, uri: &Uri, body: impl Read, findings: &mut dyn StepSink) -> &'static str {
    let base = uri.to_url();
    let authority = Url::parse(&step.origin).ok().and_then(|url| Uri::from_url(url).ok());
    let pld = authority.as_ref().unwrap_or(uri).pld();
    let mut reading = SitemapReader { step, base, pld, findings, urls: 0, other_sites: 0, is_too_deep: false };
    let result = reading.read_body(BufReader::new(body));
    if let Err(error) = result {
        reading.findings.fault(fault(&error));
    }
    reading.finish();
    "sitemap"
}

/// A sitemap being read.
struct SitemapReader<'a> {
    step: &'a SitemapStep,
    base: Url,
    /// The pay-level domain that the sitemap is authoritative for.
    pld: Pld,
    findings: &'a mut dyn StepSink,
    urls: usize,
    /// Number of skipped URLs of other sites.
    other_sites: u64,
    is_too_deep: bool,
}

impl SitemapReader<'_> {
    fn read_body(&mut self, mut body: impl BufRead) -> io::Result<()> {
        if body.fill_buf()?.starts_with(b"\x1f\x8b") {
            return self.read_text(BufReader::new(MultiGzDecoder::new(body).take(MAX_SITEMAP_BYTES)));
        }
        self.read_text(body.take(MAX_SITEMAP_BYTES))
    }

    fn read_text(&mut self, mut text: impl BufRead) -> io::Result<()> {
        let first = loop {
            let start = text.fill_buf()?;
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
            match start.iter().position(|byte| !is_blank(byte)) {
                Some(at) => {
                    let first = start[at];
                    text.consume(at);
                    break first;
                }
                None if start.is_empty() => return Err(not_a_sitemap("empty document")),
                None => {
                    let blank = start.len();
                    text.consume(blank);
                }
            }
        };
        if first == b'<' { xml::read(text, self) } else { self.read_lines(text) }
    }

    /// Reads text with one URL per line.
    fn read_lines(&mut self, mut text: impl BufRead) -> io::Result<()> {
        const MAX_LINE_BYTES: u64 = 8 * 1024;
        let mut line = Vec::new();
        let mut is_first = true;
        while self.accepts_more() {
            line.clear();
            if text.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let url = String::from_utf8_lossy(&line);
            let url = url.trim();
            if std::mem::take(&mut is_first) && !url.starts_with("http") {
                return Err(not_a_sitemap("neither XML nor a list of URLs"));
            }
            if !url.is_empty() {
                self.add_page(url);
            }
        }
        Ok(())
    }

    /// Whether more URLs are accepted.
    fn accepts_more(&self) -> bool {
        self.urls < MAX_URLS
    }

    /// Adds the URL of a page.
    fn add_page(&mut self, url: &str) {
        if let Some(target) = self.resolve_same_site(url) {
            self.findings
                .link(Link { target, via: LinkKind::Listed { list: LinkListKind::Sitemap, media_type: None } });
        }
    }

    /// Adds the URL of a sitemap.
    fn add_sitemap(&mut self, url: &str) {
        let depth = self.step.depth + 1;
        if depth > MAX_DEPTH {
            self.is_too_deep = true;
            return;
        }
        if let Some(uri) = self.resolve_same_site(url) {
            let step = SitemapStep { origin: self.step.origin.clone(), depth };
            self.findings.step(NextStep { uri, step: super::Step::from(step) });
        }
    }

    /// Resolves a URL, if the sitemap is authoritative for it.
    fn resolve_same_site(&mut self, url: &str) -> Option<Uri> {
        self.urls += 1;
        let uri = Uri::resolve(&self.base, url).ok()?;
        if uri.pld() != self.pld {
            self.other_sites += 1;
            return None;
        }
        Some(uri)
    }

    /// Reports skipped URLs and exceeded limits as faults.
    fn finish(self) {
        let mut report = |detail: String| self.findings.fault(Fault::new(FaultKind::Limit, detail));
        if self.urls >= MAX_URLS {
            report(format!("sitemap truncated at {MAX_URLS} URLs"));
        }
        if self.other_sites > 0 {
            report(format!("{} URLs of other sites skipped in the sitemap", self.other_sites));
        }
        if self.is_too_deep {
            report(format!("sitemap indexes nested deeper than {MAX_DEPTH} are not followed"));
        }
    }
}

fn not_a_sitemap(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a sitemap: {why}"))
}

fn fault(error: &io::Error) -> Fault {
    match error.kind() {
        // The error of flate2 for data that is not gzip.
        io::ErrorKind::InvalidInput => Fault::new(FaultKind::Syntax, error),
        _ => stream_fault(error),
    }
}

#[cfg(test)]
mod tests;
