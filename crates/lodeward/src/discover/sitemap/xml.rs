//! Reads sitemaps in XML.
//!
//! Parses a stream of tags. Namespaces are used only to distinguish the URLs of pages from those of images: many
//! sitemaps have none, or wrong ones.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::semantic::{DatasetTerm, SemanticDataset};
use super::{SitemapReader, not_a_sitemap};

/// Maximum depth of elements. Sitemaps have four levels.
const MAX_DEPTH: usize = 32;
/// Maximum length of the text of an element.
const MAX_TEXT_BYTES: usize = 8 * 1024;

/// Maximum length of a tag, text or comment; each is buffered as a whole.
const MAX_PIECE_BYTES: usize = 256 * 1024;

/// The kind of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SitemapElement {
    UrlSet,
    Index,
    Url,
    Sitemap,
    Location,
    Dataset,
    About(DatasetTerm),
    Other,
}

/// Reads a sitemap in XML; an error ends it.
pub(super) fn read(text: impl BufRead, reading: &mut SitemapReader<'_>) -> io::Result<()> {
    let mut reader = Reader::from_reader(BoundedXml { inner: text, remaining: 0 });
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut state = SitemapState::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().remaining = MAX_PIECE_BYTES;
        match reader.read_event_into(&mut buffer).map_err(to_io_error)? {
            Event::Start(tag) => state.open(&tag)?,
            Event::Empty(tag) => {
                state.open(&tag)?;
                state.close(reading);
            }
            Event::End(_) => state.close(reading),
            Event::Text(text) => state.add_text(&text),
            Event::CData(text) => state.add_cdata(&text),
            Event::Eof if state.open.is_empty() && state.has_root => return Ok(()),
            Event::Eof => return Err(not_a_sitemap("unexpected end")),
            _ => {}
        }
        if !reading.accepts_more() {
            return Ok(());
        }
    }
}

/// A reader of XML that fails if a token is too long.
struct BoundedXml<R> {
    inner: R,
    /// Remaining bytes allowed for the current token.
    remaining: usize,
}

impl<R: BufRead> Read for BoundedXml<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(into)?;
        self.consume(len);
        Ok(len)
    }
}

impl<R: BufRead> BufRead for BoundedXml<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.remaining == 0 {
            return Err(not_a_sitemap(&format!("token longer than {MAX_PIECE_BYTES} bytes")));
        }
        let bytes = self.inner.fill_buf()?;
        Ok(&bytes[..bytes.len().min(self.remaining)])
    }

    fn consume(&mut self, len: usize) {
        self.inner.consume(len);
        self.remaining -= len.min(self.remaining);
    }
}

/// The state of the reader: the open elements and the current text.
#[derive(Default)]
struct SitemapState {
    open: Vec<SitemapElement>,
    has_root: bool,
    text: String,
    dataset: Option<SemanticDataset>,
}

impl SitemapState {
    fn open(&mut self, tag: &BytesStart<'_>) -> io::Result<()> {
        let element = classify_element(tag, self.open.last().copied());
        if self.open.is_empty() && !self.has_root {
            if !matches!(element, SitemapElement::UrlSet | SitemapElement::Index) {
                let name = String::from_utf8_lossy(tag.name().into_inner()).chars().take(40).collect::<String>();
                return Err(not_a_sitemap(&format!("the first element is `{name}`")));
            }
            self.has_root = true;
        }
        if self.open.len() >= MAX_DEPTH {
            return Err(not_a_sitemap("elements are nested too deep"));
        }
        if element == SitemapElement::Dataset {
            self.dataset = Some(SemanticDataset::default());
        }
        self.text.clear();
        self.open.push(element);
        Ok(())
    }

    fn close(&mut self, reading: &mut SitemapReader<'_>) {
        let Some(element) = self.open.pop() else { return };
        let text = self.text.trim();
        match (element, self.open.last()) {
            (SitemapElement::Location, Some(SitemapElement::Url)) => reading.add_page(text),
            (SitemapElement::Location, Some(SitemapElement::Sitemap)) => reading.add_sitemap(text),
            (SitemapElement::About(term), Some(SitemapElement::Dataset)) => {
                if let Some(dataset) = &mut self.dataset {
                    dataset.add(term, text);
                }
            }
            (SitemapElement::Dataset, _) => {
                if let Some(dataset) = self.dataset.take() {
                    dataset.write(&reading.base, reading.findings);
                }
            }
            _ => {}
        }
        self.text.clear();
    }

    fn add_text(&mut self, text: &[u8]) {
        if !self.collects_text() {
            return;
        }
        let text = String::from_utf8_lossy(text);
        // An unknown entity is left as it is.
        match unescape(&text) {
            Ok(text) => self.push(&text),
            Err(_) => self.push(&text),
        }
    }

    fn add_cdata(&mut self, text: &[u8]) {
        if self.collects_text() {
            self.push(&String::from_utf8_lossy(text));
        }
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= MAX_TEXT_BYTES {
            self.text.push_str(text);
        }
    }

    fn collects_text(&self) -> bool {
        matches!(self.open.last(), Some(SitemapElement::Location | SitemapElement::About(_)))
    }
}

fn classify_element(tag: &BytesStart<'_>, parent: Option<SitemapElement>) -> SitemapElement {
    let name = tag.local_name();
    match (name.into_inner(), parent) {
        (b"urlset", None) => SitemapElement::UrlSet,
        (b"sitemapindex", None) => SitemapElement::Index,
        (b"url", Some(SitemapElement::UrlSet)) => SitemapElement::Url,
        (b"sitemap", Some(SitemapElement::Index)) => SitemapElement::Sitemap,
        (b"loc", Some(SitemapElement::Url | SitemapElement::Sitemap)) => SitemapElement::Location,
        (b"dataset", Some(SitemapElement::UrlSet)) => SitemapElement::Dataset,
        (name, Some(SitemapElement::Dataset)) => {
            DatasetTerm::from_name(name).map_or(SitemapElement::Other, SitemapElement::About)
        }
        _ => SitemapElement::Other,
    }
}

/// Why reading stopped: an error in the stream, or in its XML.
fn to_io_error(error: quick_xml::Error) -> io::Error {
    match error {
        quick_xml::Error::Io(error) => match Arc::try_unwrap(error) {
            Ok(error) => error,
            Err(shared) => io::Error::new(shared.kind(), shared),
        },
        other => not_a_sitemap(&other.to_string()),
    }
}
