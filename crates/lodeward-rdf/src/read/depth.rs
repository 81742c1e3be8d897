//! Limits the nesting depth of XML.
//!
//! The RDF/XML parser takes time proportional to depth times size. Genuine documents are a dozen levels deep. A
//! document nested a hundred thousand levels deep is an attack; it is read up to the limit.

use std::io::{self, Read};

/// Maximum nesting depth of any document.
const MAX_DEPTH: usize = 256;
/// Maximum number of attributes on all open elements of an XML document. The parser searches them for namespaces at
/// every tag.
const MAX_ATTRIBUTES: usize = 1_024;

/// The part of a document before it exceeds the depth limit; usually all of it.
pub(super) fn limit_depth(bytes: &[u8]) -> &[u8] {
    // Many documents have fewer tags than the limit, and counting is much faster than tracking them.
    if memchr::memchr_iter(b'<', bytes).count() <= MAX_DEPTH {
        return bytes;
    }
    &bytes[..DepthGauge::new().scan(bytes)]
}

/// A reader that fails where the stream exceeds the depth limit.
pub(super) struct DepthLimitedReader<R> {
    inner: R,
    gauge: DepthGauge,
    is_over: bool,
}

impl<R> DepthLimitedReader<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, gauge: DepthGauge::new(), is_over: false }
    }
}

impl<R: Read> Read for DepthLimitedReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TOO_DEEP));
        }
        let len = self.inner.read(into)?;
        let passed = self.gauge.scan(&into[..len]);
        self.is_over = passed < len;
        // A read of 0 bytes would signal the end of the stream, so the next read returns the error instead.
        if self.is_over && passed == 0 { self.read(into) } else { Ok(passed) }
    }
}

/// The fault detail of a document that exceeds the depth limit.
pub(super) const TOO_DEEP: &str = "elements are nested too deep; the rest is not read";

struct DepthGauge {
    depth: usize,
    /// Number of attributes of each open element.
    attributes: Vec<usize>,
    attributes_open: usize,
    state: DepthState,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum DepthState {
    Outside,
    /// The last byte was `<`.
    TagBegins,
    /// In a start tag; contains the last byte read.
    Tag(u8),
    /// In an attribute value of a start tag; contains the quote that ends it.
    Value(u8),
}

impl DepthGauge {
    fn new() -> Self {
        Self { depth: 0, attributes: Vec::new(), attributes_open: 0, state: DepthState::Outside }
    }

    /// Number of bytes before the one that exceeds the limit.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            self.scan_byte(byte);
            if self.depth > MAX_DEPTH || self.attributes_open > MAX_ATTRIBUTES {
                return at;
            }
        }
        bytes.len()
    }

    /// Tags within comments and CDATA count as well. This errs on the safe side, and only a document with hundreds of
    /// unclosed tags there is affected.
    fn scan_byte(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (DepthState::Outside, b'<') => DepthState::TagBegins,
            (DepthState::TagBegins, b'/') => {
                self.close_element();
                DepthState::Outside
            }
            (DepthState::TagBegins, b'!' | b'?') => DepthState::Outside,
            (DepthState::TagBegins, byte) => {
                self.depth += 1;
                self.attributes.push(0);
                DepthState::Tag(byte)
            }
            (DepthState::Tag(last), b'>') => {
                if last == b'/' {
                    self.close_element();
                }
                DepthState::Outside
            }
            (DepthState::Tag(_), quote @ (b'"' | b'\'')) => {
                self.attributes_open += 1;
                if let Some(attributes) = self.attributes.last_mut() {
                    *attributes += 1;
                }
                DepthState::Value(quote)
            }
            (DepthState::Tag(_), byte) => DepthState::Tag(byte),
            (DepthState::Value(quote), byte) if byte == quote => DepthState::Tag(byte),
            (state, _) => state,
        };
    }

    fn close_element(&mut self) {
        self.depth = self.depth.saturating_sub(1);
        self.attributes_open -= self.attributes.pop().unwrap_or(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: usize) {
        assert_eq!(limit_depth(text.as_bytes()).len(), expected);
        let mut read = Vec::new();
        let result = DepthLimitedReader::new(text.as_bytes()).read_to_end(&mut read);
        assert_eq!((read.len(), result.is_ok()), (expected, expected == text.len()));
    }

    #[test]
    fn wide_documents_are_not_deep() {
        let xml = "<a b='>'><c d=\"/\"/></a><!-- x --><?y?>".repeat(1000);
        check(&xml, xml.len());
    }

    #[test]
    fn deep_document_is_read_up_to_the_limit() {
        check(&"<a>".repeat(100_000), 3 * MAX_DEPTH + 1);
    }

    #[test]
    fn too_many_namespaces_exceed_the_limit() {
        let tag = format!("<a{}>", " b='c'".repeat(2_000));
        check(&(tag.clone() + &"<d/>".repeat(300)), 2 + 6 * MAX_ATTRIBUTES + 3);
        let few = "<a b='c'/>".repeat(3_000);
        check(&few, few.len());
    }
}
