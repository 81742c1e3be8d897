//! Sitemaps in XML.
//!
//! Read as a stream of tags. Namespaces are looked at only to tell the addresses
//! of pages from those of their pictures: many sitemaps have none, or wrong ones.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use quick_xml::Reader;
use quick_xml::escape::unescape;
use quick_xml::events::{BytesStart, Event};

use super::semantic::{Dataset, Term};
use super::{Reading, not_a_sitemap};

/// Elements within elements. Sitemaps have four.
const DEPTH_MAX: usize = 32;
/// The longest text of an element that is held.
const TEXT_BYTES_MAX: usize = 8 * 1024;

/// The longest tag, text or comment that is read: each is held as a whole.
const PIECE_BYTES_MAX: usize = 256 * 1024;

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Element {
    UrlSet,
    Index,
    Url,
    Sitemap,
    Location,
    Dataset,
    About(Term),
    Other,
}

/// Reads a sitemap in XML; what is broken ends it.
pub(super) fn read(text: impl BufRead, reading: &mut Reading<'_>) -> io::Result<()> {
    let mut reader = Reader::from_reader(Pieces { inner: text, left: 0 });
    let config = reader.config_mut();
    config.check_end_names = false;
    config.allow_unmatched_ends = true;
    let mut state = State::default();
    let mut buffer = Vec::new();
    loop {
        buffer.clear();
        reader.get_mut().left = PIECE_BYTES_MAX;
        match reader.read_event_into(&mut buffer).map_err(error)? {
            Event::Start(tag) => state.open(&tag)?,
            Event::Empty(tag) => {
                state.open(&tag)?;
                state.close(reading);
            }
            Event::End(_) => state.close(reading),
            Event::Text(text) => state.text(&text),
            Event::CData(text) => state.verbatim(&text),
            Event::Eof if state.open.is_empty() && state.has_root => return Ok(()),
            Event::Eof => return Err(not_a_sitemap("it ends too soon")),
            _ => {}
        }
        if !reading.has_room() {
            return Ok(());
        }
    }
}

/// XML that ends where a piece of it is too long.
struct Pieces<R> {
    inner: R,
    /// How much more of the piece that is being read is let through.
    left: usize,
}

impl<R: BufRead> Read for Pieces<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let len = self.fill_buf()?.read(into)?;
        self.consume(len);
        Ok(len)
    }
}

impl<R: BufRead> BufRead for Pieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.left == 0 {
            return Err(not_a_sitemap(&format!("a piece of it is longer than {PIECE_BYTES_MAX} bytes")));
        }
        let bytes = self.inner.fill_buf()?;
        Ok(&bytes[..bytes.len().min(self.left)])
    }

    fn consume(&mut self, len: usize) {
        self.inner.consume(len);
        self.left -= len.min(self.left);
    }
}

/// Where in a sitemap we are.
#[derive(Default)]
struct State {
    open: Vec<Element>,
    has_root: bool,
    text: String,
    dataset: Option<Dataset>,
}

impl State {
    fn open(&mut self, tag: &BytesStart<'_>) -> io::Result<()> {
        let element = element(tag, self.open.last().copied());
        if self.open.is_empty() && !self.has_root {
            if !matches!(element, Element::UrlSet | Element::Index) {
                let name = String::from_utf8_lossy(tag.name().into_inner()).chars().take(40).collect::<String>();
                return Err(not_a_sitemap(&format!("its first element is `{name}`")));
            }
            self.has_root = true;
        }
        if self.open.len() >= DEPTH_MAX {
            return Err(not_a_sitemap("elements are nested too deep"));
        }
        if element == Element::Dataset {
            self.dataset = Some(Dataset::default());
        }
        self.text.clear();
        self.open.push(element);
        Ok(())
    }

    fn close(&mut self, reading: &mut Reading<'_>) {
        let Some(element) = self.open.pop() else { return };
        let text = self.text.trim();
        match (element, self.open.last()) {
            (Element::Location, Some(Element::Url)) => reading.page(text),
            (Element::Location, Some(Element::Sitemap)) => reading.sitemap(text),
            (Element::About(term), Some(Element::Dataset)) => {
                if let Some(dataset) = &mut self.dataset {
                    dataset.note(term, text);
                }
            }
            (Element::Dataset, _) => {
                if let Some(dataset) = self.dataset.take() {
                    dataset.write(&reading.base, reading.findings);
                }
            }
            _ => {}
        }
        self.text.clear();
    }

    fn text(&mut self, text: &[u8]) {
        if !self.is_wanted() {
            return;
        }
        let text = String::from_utf8_lossy(text);
        // An entity that nobody knows is left as it is.
        match unescape(&text) {
            Ok(text) => self.push(&text),
            Err(_) => self.push(&text),
        }
    }

    fn verbatim(&mut self, text: &[u8]) {
        if self.is_wanted() {
            self.push(&String::from_utf8_lossy(text));
        }
    }

    fn push(&mut self, text: &str) {
        if self.text.len() + text.len() <= TEXT_BYTES_MAX {
            self.text.push_str(text);
        }
    }

    fn is_wanted(&self) -> bool {
        matches!(self.open.last(), Some(Element::Location | Element::About(_)))
    }
}

fn element(tag: &BytesStart<'_>, parent: Option<Element>) -> Element {
    let name = tag.local_name();
    match (name.into_inner(), parent) {
        (b"urlset", None) => Element::UrlSet,
        (b"sitemapindex", None) => Element::Index,
        (b"url", Some(Element::UrlSet)) => Element::Url,
        (b"sitemap", Some(Element::Index)) => Element::Sitemap,
        (b"loc", Some(Element::Url | Element::Sitemap)) => Element::Location,
        (b"dataset", Some(Element::UrlSet)) => Element::Dataset,
        (name, Some(Element::Dataset)) => Term::of_name(name).map_or(Element::Other, Element::About),
        _ => Element::Other,
    }
}

/// What stopped the reader: the stream, or the XML in it.
fn error(error: quick_xml::Error) -> io::Error {
    match error {
        quick_xml::Error::Io(error) => match Arc::try_unwrap(error) {
            Ok(error) => error,
            Err(shared) => io::Error::new(shared.kind(), shared),
        },
        other => not_a_sitemap(&other.to_string()),
    }
}
