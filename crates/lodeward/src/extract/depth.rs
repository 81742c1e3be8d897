//! Nothing nests deeper than this.
//!
//! The reader of RDF/XML takes time that grows with depth times size. What
//! people write is a dozen levels deep; what is nested a hundred thousand deep
//! was written to break a reader, and is read up to the point where it does.

use std::io::{self, Read};

/// Levels of nesting that are followed in any document.
pub(super) const DEPTH_MAX: usize = 256;
/// Attributes of all open elements of an XML document, which the reader looks
/// through for namespaces at every tag.
const ATTRIBUTES_MAX: usize = 1_024;

/// The part of a document before it nests too deep: usually all of it.
pub(super) fn shallow(bytes: &[u8]) -> &[u8] {
    // Many documents do not have that many tags at all, and counting is much
    // faster than following them.
    if memchr::memchr_iter(b'<', bytes).count() <= DEPTH_MAX {
        return bytes;
    }
    &bytes[..Gauge::new().pass(bytes)]
}

/// Reads no further than where a stream nests too deep; that is an error.
pub(super) struct Shallow<R> {
    inner: R,
    gauge: Gauge,
    is_over: bool,
}

impl<R> Shallow<R> {
    pub(super) fn new(inner: R) -> Self {
        Self { inner, gauge: Gauge::new(), is_over: false }
    }
}

impl<R: Read> Read for Shallow<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Err(io::Error::new(io::ErrorKind::InvalidData, TOO_DEEP));
        }
        let len = self.inner.read(into)?;
        let passed = self.gauge.pass(&into[..len]);
        self.is_over = passed < len;
        // Zero would mean the end.
        if self.is_over && passed == 0 { self.read(into) } else { Ok(passed) }
    }
}

/// What is said of a document that nests too deep.
pub(super) const TOO_DEEP: &str = "nested too deep to be read to its end";

struct Gauge {
    depth: usize,
    /// Of each element that is open, how many attributes it has.
    attributes: Vec<usize>,
    attributes_open: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// After `<`.
    TagBegins,
    /// In a tag that opens, with its last byte.
    Tag(u8),
    /// In an attribute value of such a tag, within these quotes.
    Value(u8),
}

impl Gauge {
    fn new() -> Self {
        Self { depth: 0, attributes: Vec::new(), attributes_open: 0, state: State::Outside }
    }

    /// How many of these bytes come before the one that goes too deep.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            self.pass_byte(byte);
            if self.depth > DEPTH_MAX || self.attributes_open > ATTRIBUTES_MAX {
                return at;
            }
        }
        bytes.len()
    }

    /// Tags within comments and CDATA count as well: the mistake is on the safe
    /// side, and such a document has hundreds of them unclosed.
    fn pass_byte(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::Outside, b'<') => State::TagBegins,
            (State::TagBegins, b'/') => {
                self.close_element();
                State::Outside
            }
            (State::TagBegins, b'!' | b'?') => State::Outside,
            (State::TagBegins, byte) => {
                self.depth += 1;
                self.attributes.push(0);
                State::Tag(byte)
            }
            (State::Tag(last), b'>') => {
                if last == b'/' {
                    self.close_element();
                }
                State::Outside
            }
            (State::Tag(_), quote @ (b'"' | b'\'')) => {
                self.attributes_open += 1;
                if let Some(attributes) = self.attributes.last_mut() {
                    *attributes += 1;
                }
                State::Value(quote)
            }
            (State::Tag(_), byte) => State::Tag(byte),
            (State::Value(quote), byte) if byte == quote => State::Tag(byte),
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
        assert_eq!(shallow(text.as_bytes()).len(), expected);
        let mut read = Vec::new();
        let result = Shallow::new(text.as_bytes()).read_to_end(&mut read);
        assert_eq!((read.len(), result.is_ok()), (expected, expected == text.len()));
    }

    #[test]
    fn what_is_wide_is_not_deep() {
        let xml = "<a b='>'><c d=\"/\"/></a><!-- x --><?y?>".repeat(1000);
        check(&xml, xml.len());
    }

    #[test]
    fn what_is_too_deep_is_read_so_far() {
        check(&"<a>".repeat(100_000), 3 * DEPTH_MAX + 1);
    }

    #[test]
    fn namespaces_without_number_are_too_much() {
        let tag = format!("<a{}>", " b='c'".repeat(2_000));
        check(&(tag.clone() + &"<d/>".repeat(300)), 2 + 6 * ATTRIBUTES_MAX + 3);
        let few = "<a b='c'/>".repeat(3_000);
        check(&few, few.len());
    }
}
