//! XML sitemaps, indexes of them, and what semantic sitemaps say.
//!
//! A sitemap lists pages, an index lists sitemaps; both are XML, or a text with
//! an address on each line, and may be compressed. A sitemap speaks for its own
//! site: addresses of other pay-level domains are left out (the protocol says
//! other hosts, but nobody's `www.` keeps to that). What the semantic extension
//! says of data sets is written down as `VoID`, whose dumps and endpoints then are
//! links like those of any document ([`semantic`]).

mod semantic;
mod xml;

use std::fmt;
use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};
use url::Url;

use super::{Answer, Findings, Next};
use crate::extract::fault_of_stream;
use crate::model::{Fault, FaultKind, Link, List, Pld, Uri, Via};

/// The addresses in one sitemap, as the protocol bounds them.
const ADDRESSES_MAX: usize = 50_000;
/// The bytes of one sitemap, decompressed, as the protocol bounds them.
const BYTES_MAX: u64 = 50 << 20;
/// Indexes of indexes are not meant to be; a few are.
const DEPTH_MAX: u8 = 3;

/// A sitemap that is to be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The origin it speaks for.
    pub origin: String,
    /// How many indexes led here.
    pub depth: u8,
}

impl Step {
    /// A sitemap that somebody named.
    #[must_use]
    pub fn first(target: &Uri) -> Self {
        Self { origin: target.origin().to_owned(), depth: 0 }
    }

    pub(super) fn service(&self) -> &str {
        &self.origin
    }

    pub(super) fn read(&self, answer: Answer<'_>, findings: &mut dyn Findings) -> &'static str {
        read(self, answer.uri, answer.body, findings)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "sitemap of {}", self.origin)
    }
}

/// Whether a document that begins like this is a sitemap, whatever it is called.
#[must_use]
pub fn is_sitemap(head: &[u8]) -> bool {
    const ROOT_WITHIN: usize = 1024;
    let head = &head[..head.len().min(ROOT_WITHIN)];
    let is_xml = head.iter().find(|byte| !byte.is_ascii_whitespace() && !b"\xef\xbb\xbf".contains(byte)) == Some(&b'<');
    let has = |root: &str| memchr::memmem::find(head, root.as_bytes()).is_some();
    // Any other element before it is the root itself.
    is_xml && (has("<urlset") || has("<sitemapindex")) && !has("<html") && !has("<rdf:RDF")
}

/// Reads the sitemap at an address.
pub fn read(step: &Step, uri: &Uri, body: impl Read, findings: &mut dyn Findings) -> &'static str {
    let base = uri.to_url();
    let speaks_for = Url::parse(&step.origin).ok().and_then(|url| Uri::from_url(url).ok());
    let pld = speaks_for.as_ref().unwrap_or(uri).pld();
    let mut reading = Reading { step, base, pld, findings, addresses: 0, strangers: 0, is_too_deep: false };
    let result = reading.body(BufReader::new(body));
    if let Err(error) = result {
        reading.findings.fault(fault(&error));
    }
    reading.finish();
    "sitemap"
}

/// A sitemap while it is read.
struct Reading<'a> {
    step: &'a Step,
    base: Url,
    /// Whom it speaks for.
    pld: Pld,
    findings: &'a mut dyn Findings,
    addresses: usize,
    /// Addresses of others, which were left out.
    strangers: u64,
    is_too_deep: bool,
}

impl Reading<'_> {
    fn body(&mut self, mut body: impl BufRead) -> io::Result<()> {
        if body.fill_buf()?.starts_with(b"\x1f\x8b") {
            return self.text(BufReader::new(MultiGzDecoder::new(body).take(BYTES_MAX)));
        }
        self.text(body.take(BYTES_MAX))
    }

    fn text(&mut self, mut text: impl BufRead) -> io::Result<()> {
        let first = loop {
            let start = text.fill_buf()?;
            let is_blank = |byte: &u8| byte.is_ascii_whitespace() || b"\xef\xbb\xbf".contains(byte);
            match start.iter().position(|byte| !is_blank(byte)) {
                Some(at) => {
                    let first = start[at];
                    text.consume(at);
                    break first;
                }
                None if start.is_empty() => return Err(not_a_sitemap("it is empty")),
                None => {
                    let blank = start.len();
                    text.consume(blank);
                }
            }
        };
        if first == b'<' { xml::read(text, self) } else { self.lines(text) }
    }

    /// A text with an address on each line.
    fn lines(&mut self, mut text: impl BufRead) -> io::Result<()> {
        const LINE_BYTES_MAX: u64 = 8 * 1024;
        let mut line = Vec::new();
        let mut is_first = true;
        while self.has_room() {
            line.clear();
            if text.by_ref().take(LINE_BYTES_MAX).read_until(b'\n', &mut line)? == 0 {
                return Ok(());
            }
            let address = String::from_utf8_lossy(&line);
            let address = address.trim();
            if std::mem::take(&mut is_first) && !address.starts_with("http") {
                return Err(not_a_sitemap("it is neither XML nor a list of addresses"));
            }
            if !address.is_empty() {
                self.page(address);
            }
        }
        Ok(())
    }

    /// Whether more addresses are taken.
    fn has_room(&self) -> bool {
        self.addresses < ADDRESSES_MAX
    }

    /// Takes the address of a page.
    fn page(&mut self, address: &str) {
        if let Some(target) = self.own(address) {
            self.findings.link(Link { target, via: Via::Listed { list: List::Sitemap, media_type: None } });
        }
    }

    /// Takes the address of a sitemap.
    fn sitemap(&mut self, address: &str) {
        let depth = self.step.depth + 1;
        if depth > DEPTH_MAX {
            self.is_too_deep = true;
            return;
        }
        if let Some(uri) = self.own(address) {
            let step = Step { origin: self.step.origin.clone(), depth };
            self.findings.step(Next { uri, step: super::Step::Sitemap(step) });
        }
    }

    /// An address, if it is one, and if the sitemap may speak for it.
    fn own(&mut self, address: &str) -> Option<Uri> {
        self.addresses += 1;
        let uri = Uri::resolve(&self.base, address).ok()?;
        if uri.pld() != self.pld {
            self.strangers += 1;
            return None;
        }
        Some(uri)
    }

    /// Tells what was left out.
    fn finish(self) {
        let mut tell = |detail: String| self.findings.fault(Fault::new(FaultKind::Excess, detail));
        if self.addresses >= ADDRESSES_MAX {
            tell(format!("a sitemap is read up to {ADDRESSES_MAX} addresses"));
        }
        if self.strangers > 0 {
            tell(format!("{} addresses of other sites were left out of the sitemap", self.strangers));
        }
        if self.is_too_deep {
            tell(format!("indexes of sitemaps are followed {DEPTH_MAX} deep"));
        }
    }
}

fn not_a_sitemap(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("not a sitemap: {why}"))
}

fn fault(error: &io::Error) -> Fault {
    match error.kind() {
        // So says flate2 of what is not gzip.
        io::ErrorKind::InvalidInput => Fault::new(FaultKind::Syntax, error),
        _ => fault_of_stream(error),
    }
}

#[cfg(test)]
mod tests;
