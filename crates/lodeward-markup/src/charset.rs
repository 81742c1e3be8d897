//! Bytes to UTF-8.
//!
//! RDF in text is UTF-8 by definition, XML says what it is, and HTML must be
//! guessed at when it does not. What is UTF-8 already, as nearly everything
//! is, is checked and not copied.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read};
use std::ops::Range;
use std::rc::Rc;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// How far the HTML standard looks for a `<meta charset>`.
const PRESCAN_BYTES: usize = 1024;

/// What decides how a document says its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text that is UTF-8 by definition, as RDF is.
    Text,
    /// XML: its declaration.
    Xml,
    /// HTML: a `<meta>` element, and a guess if there is none.
    Html,
}

/// The encoding of a document of this kind, from its first bytes, the
/// `charset` its server declared, and the top-level domain of its host.
#[must_use]
pub fn encoding(kind: Kind, charset: Option<&str>, head: &[u8], tld: Option<&str>) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    let declared = || charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    match kind {
        Kind::Text => UTF_8,
        Kind::Xml => declared().or_else(|| xml_encoding(head)).unwrap_or(UTF_8),
        Kind::Html => {
            let prescan = &head[..head.len().min(PRESCAN_BYTES)];
            let said = declared().or_else(|| meta_encoding(prescan)).or_else(|| xml_encoding(head));
            said.unwrap_or_else(|| guess(head, tld))
        }
    }
}

/// The bytes as text, without byte order mark, and whether some had to be
/// replaced.
#[must_use]
pub fn decode<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> (Cow<'a, str>, bool) {
    if encoding != UTF_8 {
        return encoding.decode_with_bom_removal(bytes);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Checking first is several times faster than replacing right away.
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (Cow::Owned(String::from_utf8_lossy(bytes).into_owned()), true),
    }
}

/// The beginning of a document, readable enough to be sniffed.
#[must_use]
pub fn sniffable(head: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(head).map(|(encoding, _)| encoding).or_else(|| bare_utf_16(head)) {
        Some(encoding) => Cow::Owned(decode(head, encoding).0.into_owned().into_bytes()),
        None => Cow::Borrowed(head),
    }
}

/// An XML document without its declaration, which after [`decode`] may no
/// longer be true.
#[must_use]
pub fn without_xml_declaration(text: &[u8]) -> &[u8] {
    let declaration = text.starts_with(b"<?xml").then(|| memchr::memmem::find(text, b"?>")).flatten();
    declaration.map_or(text, |end| &text[end + 2..])
}

/// UTF-16 that is given away by the first character of XML.
fn bare_utf_16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// What the XML declaration says.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = bare_utf_16(head) {
        return Some(encoding);
    }
    let declaration = &head[..memchr::memmem::find(head, b"?>")?];
    if !declaration.starts_with(b"<?xml") {
        return None;
    }
    let value = &declaration[memchr::memmem::find(declaration, b"encoding")? + 8..];
    let label = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, label) = label.split_first()?;
    let label = &label[..memchr::memchr(quote, label)?];
    Encoding::for_label(label).map(ascii_compatible)
}

/// What a `<meta>` element says: `charset=…` within one, as an attribute or in
/// its `content`. The standard's prescan reads attributes one by one; within
/// the few elements it looks at, the outcome is the same.
fn meta_encoding(head: &[u8]) -> Option<&'static Encoding> {
    let lower = head.to_ascii_lowercase();
    let mut rest = &lower[..];
    loop {
        let start = memchr::memchr(b'<', rest)?;
        rest = &rest[start..];
        if rest.starts_with(b"<!--") {
            rest = &rest[memchr::memmem::find(rest, b"-->")? + 3..];
            continue;
        }
        let tag = &rest[..memchr::memchr(b'>', rest)?];
        if tag.starts_with(b"<meta")
            && let Some(encoding) = charset_of_tag(tag)
        {
            return Some(encoding);
        }
        rest = &rest[1..];
    }
}

fn charset_of_tag(tag: &[u8]) -> Option<&'static Encoding> {
    let value = &tag[memchr::memmem::find(tag, b"charset")? + 7..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"';/".contains(byte);
    let end = value.iter().position(is_end).unwrap_or(value.len());
    Encoding::for_label(&value[..end]).map(ascii_compatible)
}

/// A declaration that could be read as ASCII was not written in UTF-16.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding.is_ascii_compatible() { encoding } else { UTF_8 }
}

fn guess(head: &[u8], tld: Option<&str>) -> &'static Encoding {
    // The head may end within a character.
    let is_utf_8 = std::str::from_utf8(head).map_or_else(|error| error.error_len().is_none(), |_| true);
    if is_utf_8 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, true);
    let tld = tld.filter(|tld| tld.bytes().all(|byte| byte.is_ascii_lowercase()));
    let encoding = detector.guess(tld.map(str::as_bytes), Utf8Detection::Allow);
    if encoding.is_ascii_compatible() { encoding } else { WINDOWS_1252 }
}

/// A stream made UTF-8 as it is read.
pub struct Decoding<R> {
    inner: R,
    decoder: Decoder,
    raw: Vec<u8>,
    decoded: Vec<u8>,
    /// The part of `decoded` that has not been read.
    ready: Range<usize>,
    is_over: bool,
    was_replaced: Rc<Cell<bool>>,
}

impl<R: Read> Decoding<R> {
    /// `was_replaced` becomes true when bytes had to be replaced.
    pub fn new(inner: R, encoding: &'static Encoding, was_replaced: Rc<Cell<bool>>) -> Self {
        let decoder = encoding.new_decoder_with_bom_removal();
        let raw = vec![0; 64 * 1024];
        let decoded = vec![0; decoder.max_utf8_buffer_length(raw.len()).unwrap_or(4 * raw.len())];
        Self { inner, decoder, raw, decoded, ready: 0..0, is_over: false, was_replaced }
    }

    fn refill(&mut self) -> io::Result<()> {
        let len = self.inner.read(&mut self.raw)?;
        self.is_over = len == 0;
        let (_, _, written, was_replaced) =
            self.decoder.decode_to_utf8(&self.raw[..len], &mut self.decoded, self.is_over);
        self.ready = 0..written;
        if was_replaced {
            self.was_replaced.set(true);
        }
        Ok(())
    }
}

impl<R: Read> Read for Decoding<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.ready.is_empty() && !self.is_over {
            self.refill()?;
        }
        let len = self.ready.len().min(into.len());
        into[..len].copy_from_slice(&self.decoded[self.ready.start..self.ready.start + len]);
        self.ready.start += len;
        Ok(len)
    }
}

#[cfg(test)]
#[path = "charset_tests.rs"]
mod tests;
