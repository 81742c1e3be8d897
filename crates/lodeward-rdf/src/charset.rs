//! Detecting the encoding of a document, and decoding it to UTF-8.
//!
//! RDF text formats are UTF-8 by definition, XML declares its encoding, and for HTML without a
//! declaration it is guessed. Input that is already UTF-8, as most is, is only validated, not
//! copied.

use std::borrow::Cow;
use std::cell::Cell;
use std::io::{self, Read};
use std::ops::Range;
use std::rc::Rc;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Decoder, Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};

/// Number of bytes in which the HTML standard searches for a `<meta charset>`.
const PRESCAN_BYTES: usize = 1024;

/// Where a document declares its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CharsetSource {
    /// Text that is UTF-8 by definition, such as RDF.
    Text,
    /// XML: in its declaration.
    Xml,
    /// HTML: in a `<meta>` element; without one it is guessed.
    Html,
}

/// Detects the encoding of a document from its first bytes, the `charset` that the server declared,
/// and the top-level domain of the host.
#[must_use]
pub fn detect_encoding(
    kind: CharsetSource,
    charset: Option<&str>,
    head: &[u8],
    tld: Option<&str>,
) -> &'static Encoding {
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    let declared = || charset.and_then(|label| Encoding::for_label(label.as_bytes()));
    match kind {
        CharsetSource::Text => UTF_8,
        CharsetSource::Xml => declared().or_else(|| xml_encoding(head)).unwrap_or(UTF_8),
        CharsetSource::Html => {
            let prescan = &head[..head.len().min(PRESCAN_BYTES)];
            let declared = declared().or_else(|| meta_encoding(prescan)).or_else(|| xml_encoding(head));
            declared.unwrap_or_else(|| guess_encoding(head, tld))
        }
    }
}

/// Decodes bytes to text without byte order mark. Also returns whether invalid bytes were replaced.
#[must_use]
pub fn decode<'a>(bytes: &'a [u8], encoding: &'static Encoding) -> (Cow<'a, str>, bool) {
    if encoding != UTF_8 {
        return encoding.decode_with_bom_removal(bytes);
    }
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    // Validating first is several times faster than replacing directly.
    match std::str::from_utf8(bytes) {
        Ok(text) => (Cow::Borrowed(text), false),
        Err(_) => (Cow::Owned(String::from_utf8_lossy(bytes).into_owned()), true),
    }
}

/// Decodes the beginning of a document for format detection.
#[must_use]
pub fn decode_for_sniffing(head: &[u8]) -> Cow<'_, [u8]> {
    match Encoding::for_bom(head).map(|(encoding, _)| encoding).or_else(|| detect_utf_16(head)) {
        Some(encoding) => Cow::Owned(decode(head, encoding).0.into_owned().into_bytes()),
        None => Cow::Borrowed(head),
    }
}

/// An XML document without its declaration, which can be wrong after [`decode`].
#[must_use]
pub fn strip_xml_declaration(text: &[u8]) -> &[u8] {
    let declaration = text.starts_with(b"<?xml").then(|| memchr::memmem::find(text, b"?>")).flatten();
    declaration.map_or(text, |end| &text[end + 2..])
}

/// Detects UTF-16 by the first characters of XML.
fn detect_utf_16(head: &[u8]) -> Option<&'static Encoding> {
    match head {
        [b'<', 0, second, 0, ..] if *second != 0 => Some(UTF_16LE),
        [0, b'<', 0, second, ..] if *second != 0 => Some(UTF_16BE),
        _ => None,
    }
}

/// The encoding in the XML declaration.
fn xml_encoding(head: &[u8]) -> Option<&'static Encoding> {
    if let Some(encoding) = detect_utf_16(head) {
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

/// The encoding in a `<meta>` element: `charset=…`, as an attribute or in its `content`. The
/// standard's prescan parses attributes one by one; for the few elements it examines, the result is
/// the same.
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
            && let Some(encoding) = tag_charset(tag)
        {
            return Some(encoding);
        }
        rest = &rest[1..];
    }
}

fn tag_charset(tag: &[u8]) -> Option<&'static Encoding> {
    let value = &tag[memchr::memmem::find(tag, b"charset")? + 7..];
    let value = value.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let value = value.strip_prefix(b"\"").or_else(|| value.strip_prefix(b"'")).unwrap_or(value);
    let is_end = |byte: &u8| byte.is_ascii_whitespace() || b"\"';/".contains(byte);
    let end = value.iter().position(is_end).unwrap_or(value.len());
    Encoding::for_label(&value[..end]).map(ascii_compatible)
}

/// Replaces UTF-16 by UTF-8: a declaration that is readable as ASCII cannot be in UTF-16.
fn ascii_compatible(encoding: &'static Encoding) -> &'static Encoding {
    if encoding.is_ascii_compatible() { encoding } else { UTF_8 }
}

fn guess_encoding(head: &[u8], tld: Option<&str>) -> &'static Encoding {
    // The head can end inside a character.
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

/// A reader that decodes a stream to UTF-8.
pub struct Utf8Reader<R> {
    inner: R,
    decoder: Decoder,
    raw: Vec<u8>,
    decoded: Vec<u8>,
    /// The part of `decoded` that has not been read.
    ready: Range<usize>,
    is_over: bool,
    was_replaced: Rc<Cell<bool>>,
}

impl<R: Read> Utf8Reader<R> {
    /// `was_replaced` is set to true when invalid bytes are replaced.
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

impl<R: Read> Read for Utf8Reader<R> {
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
