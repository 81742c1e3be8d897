//! Bounds what the parsers of XML see, and reads elements.
//!
//! The parser expands entities without a limit, and takes more than linear time for attributes and
//! namespaces. So the document type is parsed here and replaced by one with expanded entities, and
//! the rest passes through an [`XmlGauge`], which ends the document where it exceeds a limit.

mod elements;
mod gauge;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::io::{self, Cursor, Read};
use std::rc::Rc;

pub(super) use self::elements::{XmlElement, XmlElementReader, XmlItem, XmlReadError};
use self::gauge::XmlGauge;
use super::RdfInput;
use super::input::{FailedRead, XML_HEAD_BYTES, split_head};
use crate::charset::strip_xml_declaration;
use crate::xml_doctype::{XmlDoctype, XmlEntities};

/// Maximum length of everything before the root element, if it contains a document type.
const MAX_PROLOG_BYTES: usize = 1 << 20;

/// Why the rest of a document is not read; set when the limit is reached.
#[derive(Clone, Default)]
pub(super) struct ReachedLimit(Rc<RefCell<Option<String>>>);

impl ReachedLimit {
    pub(super) fn take(&self) -> Option<String> {
        self.0.borrow_mut().take()
    }

    pub(super) fn set(&self, limit: impl std::fmt::Display) {
        *self.0.borrow_mut() = Some(format!("{limit}; the rest is not read"));
    }
}

/// An XML document without its declaration, up to the first limit that it exceeds. A stream fails
/// there; a document in memory ends there.
pub(super) fn bound_xml<'a>(input: RdfInput<'a>, reached: &ReachedLimit) -> RdfInput<'a> {
    match input {
        RdfInput::Slice(bytes) => bound_slice(strip_xml_declaration(bytes), reached),
        RdfInput::Stream(stream) => bound_stream(stream, reached),
    }
}

fn bound_slice<'a>(bytes: &'a [u8], reached: &ReachedLimit) -> RdfInput<'a> {
    let head = &bytes[..bytes.len().min(MAX_PROLOG_BYTES)];
    let (doctype, rest) = match Prolog::parse(head, reached) {
        Prolog::Doctype { replacement, entities, end } => (Some((replacement, entities)), &bytes[end..]),
        Prolog::Refused => return RdfInput::Slice(b""),
        Prolog::Absent | Prolog::Incomplete => (None, bytes),
    };
    let (replacement, entities) = doctype.unwrap_or_default();
    let rest = match XmlGauge::new(&entities).scan(rest) {
        Ok(()) => rest,
        Err((passed, limit)) => {
            reached.set(limit);
            &rest[..passed]
        }
    };
    if replacement.is_empty() {
        return RdfInput::Slice(rest);
    }
    RdfInput::Stream(Box::new(Cursor::new(replacement).chain(rest)))
}

fn bound_stream<'a>(stream: Box<dyn Read + 'a>, reached: &ReachedLimit) -> RdfInput<'a> {
    let (head, mut rest) = split_head(stream, XML_HEAD_BYTES);
    let mut head = strip_xml_declaration(&head).to_vec();
    let mut failed = None;
    let (replacement, entities, end) = loop {
        match Prolog::parse(&head, reached) {
            Prolog::Doctype { replacement, entities, end } => break (replacement, entities, end),
            Prolog::Refused => return RdfInput::Slice(b""),
            Prolog::Incomplete if head.len() < MAX_PROLOG_BYTES && failed.is_none() => {
                // Each attempt reads as much again, so that all attempts take linear time.
                let before = head.len();
                failed = rest.by_ref().take(before.max(1) as u64).read_to_end(&mut head).err();
                if head.len() == before && failed.is_none() {
                    break (Vec::new(), XmlEntities::default(), 0);
                }
            }
            Prolog::Absent | Prolog::Incomplete => break (Vec::new(), XmlEntities::default(), 0),
        }
    };
    head.drain(..end);
    let rest = Cursor::new(head).chain(FailedRead::new(failed)).chain(rest);
    let bounded =
        GaugedReader { inner: rest, gauge: XmlGauge::new(&entities), reached: reached.clone(), is_over: false };
    RdfInput::Stream(Box::new(Cursor::new(replacement).chain(bounded)))
}

/// What precedes the root element.
enum Prolog {
    /// There is no document type.
    Absent,
    /// The text ends before the root element or the end of the document type.
    Incomplete,
    /// The document type exceeds a limit.
    Refused,
    Doctype {
        /// A document type with the same entities, expanded.
        replacement: Vec<u8>,
        entities: XmlEntities,
        /// Where the document type ends.
        end: usize,
    },
}

impl Prolog {
    fn parse(bytes: &[u8], reached: &ReachedLimit) -> Self {
        let valid = std::str::from_utf8(bytes).unwrap_or_else(|error| {
            let valid = &bytes[..error.valid_up_to()];
            std::str::from_utf8(valid).expect("UTF-8 up to the error")
        });
        let mut text = valid.strip_prefix('\u{feff}').unwrap_or(valid);
        loop {
            text = text.trim_start();
            let (start, end) = if text.starts_with("<!--") {
                (4, "-->")
            } else if text.starts_with("<?") {
                (2, "?>")
            } else {
                break;
            };
            match text[start..].find(end) {
                Some(at) => text = &text[start + at + end.len()..],
                None => return Self::Incomplete,
            }
        }
        if text.get(..2).is_some_and(|start| start != "<!") {
            return Self::Absent;
        }
        let Some(XmlDoctype { entities, rest, .. }) = XmlDoctype::parse(text) else { return Self::Incomplete };
        if let Some(limit) = entities.limit() {
            reached.set(limit);
            return Self::Refused;
        }
        Self::Doctype { replacement: write_doctype(&entities), end: valid.len() - rest.len(), entities }
    }
}

/// A document type in the form that the parser reads: it splits declarations at `<`, `>` and `"`,
/// and resolves references once.
fn write_doctype(entities: &XmlEntities) -> Vec<u8> {
    let mut doctype = String::from("<!DOCTYPE r [");
    let is_readable = |name: &str| !name.contains(['<', '>', '"', '\'', '&', ';', '%']);
    for (name, text) in entities.iter().filter(|(name, _)| is_readable(name)) {
        let _ = write!(doctype, "<!ENTITY {name} \"");
        for character in text.chars() {
            match character {
                '&' | '<' | '>' | '"' => {
                    let _ = write!(doctype, "&#{};", u32::from(character));
                }
                other => doctype.push(other),
            }
        }
        doctype.push_str("\">");
    }
    doctype.push_str("]>");
    doctype.into_bytes()
}

/// A reader that fails where the stream exceeds a limit.
struct GaugedReader<R> {
    inner: R,
    gauge: XmlGauge,
    reached: ReachedLimit,
    is_over: bool,
}

impl<R: Read> Read for GaugedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a limit is exceeded"));
        }
        let len = self.inner.read(into)?;
        let Err((passed, limit)) = self.gauge.scan(&into[..len]) else { return Ok(len) };
        self.reached.set(limit);
        self.is_over = true;
        // A read of 0 bytes would signal the end of the stream, so it returns the error instead.
        if passed == 0 { self.read(into) } else { Ok(passed) }
    }
}

#[cfg(test)]
mod tests;
