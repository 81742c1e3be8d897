//! Nothing nests deeper than this.
//!
//! The readers of RDF/XML and JSON-LD take time, and the latter stack and
//! memory, that grow with depth times size. What people write is a dozen levels
//! deep; what is nested a hundred thousand deep was written to break a reader,
//! and is read up to the point where it does.

use std::io::{self, Read};

/// Levels of nesting that are followed in any document.
pub(super) const DEPTH_MAX: usize = 256;
/// Attributes of all open elements of an XML document, which the reader looks
/// through for namespaces at every tag.
const ATTRIBUTES_MAX: usize = 1_024;

/// How a syntax nests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nesting {
    /// By brackets and braces outside of strings.
    Json,
    /// By tags.
    Xml,
}

/// The part of a document before it nests too deep: usually all of it.
pub(super) fn shallow(nesting: Nesting, depth_max: usize, bytes: &[u8]) -> &[u8] {
    let is_opening = |byte: &&u8| match nesting {
        Nesting::Json => matches!(byte, b'[' | b'{'),
        Nesting::Xml => **byte == b'<',
    };
    // Most documents do not have that many brackets at all, and counting is
    // much faster than following them.
    if bytes.iter().filter(is_opening).count() <= depth_max {
        return bytes;
    }
    &bytes[..Gauge::new(nesting, depth_max).pass(bytes)]
}

/// Reads no further than where a stream nests too deep; that is an error.
pub(super) struct Shallow<R> {
    inner: R,
    gauge: Gauge,
    is_over: bool,
}

impl<R> Shallow<R> {
    pub(super) fn new(nesting: Nesting, depth_max: usize, inner: R) -> Self {
        Self { inner, gauge: Gauge::new(nesting, depth_max), is_over: false }
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
    nesting: Nesting,
    depth_max: usize,
    depth: usize,
    /// Of each element that is open, how many attributes it has.
    attributes: Vec<usize>,
    attributes_open: usize,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Outside,
    /// In a JSON string; whether the next character is escaped.
    String(bool),
    /// After `<`.
    TagBegins,
    /// In a tag that opens, with its last byte.
    Tag(u8),
    /// In an attribute value of such a tag, within these quotes.
    Value(u8),
}

impl Gauge {
    fn new(nesting: Nesting, depth_max: usize) -> Self {
        Self { nesting, depth_max, depth: 0, attributes: Vec::new(), attributes_open: 0, state: State::Outside }
    }

    /// How many of these bytes come before the one that goes too deep.
    fn pass(&mut self, bytes: &[u8]) -> usize {
        for (at, &byte) in bytes.iter().enumerate() {
            match self.nesting {
                Nesting::Json => self.pass_json(byte),
                Nesting::Xml => self.pass_xml(byte),
            }
            if self.depth > self.depth_max || self.attributes_open > ATTRIBUTES_MAX {
                return at;
            }
        }
        bytes.len()
    }

    fn pass_json(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (State::String(true), _) | (State::Outside, b'"') => State::String(false),
            (State::String(false), b'\\') => State::String(true),
            (State::String(false), b'"') => State::Outside,
            (State::Outside, b'[' | b'{') => {
                self.depth += 1;
                State::Outside
            }
            (State::Outside, b']' | b'}') => {
                self.depth = self.depth.saturating_sub(1);
                State::Outside
            }
            (state, _) => state,
        };
    }

    /// Tags within comments and CDATA count as well: the mistake is on the safe
    /// side, and such a document has hundreds of them unclosed.
    fn pass_xml(&mut self, byte: u8) {
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

    fn check(nesting: Nesting, text: &str, expected: usize) {
        assert_eq!(shallow(nesting, DEPTH_MAX, text.as_bytes()).len(), expected);
        let mut read = Vec::new();
        let result = Shallow::new(nesting, DEPTH_MAX, text.as_bytes()).read_to_end(&mut read);
        assert_eq!((read.len(), result.is_ok()), (expected, expected == text.len()));
    }

    #[test]
    fn what_is_wide_is_not_deep() {
        let json = "[{\"[[[\\\"{\": [1]},".repeat(1000).replace("[{", "{").trim_end_matches(',').to_owned();
        check(Nesting::Json, &json, json.len());
        let xml = "<a b='>'><c d=\"/\"/></a><!-- x --><?y?>".repeat(1000);
        check(Nesting::Xml, &xml, xml.len());
    }

    #[test]
    fn what_is_too_deep_is_read_so_far() {
        check(Nesting::Json, &"[".repeat(100_000), DEPTH_MAX);
        check(Nesting::Xml, &"<a>".repeat(100_000), 3 * DEPTH_MAX + 1);
    }

    #[test]
    fn namespaces_without_number_are_too_much() {
        let tag = format!("<a{}>", " b='c'".repeat(2_000));
        check(Nesting::Xml, &(tag.clone() + &"<d/>".repeat(300)), 2 + 6 * ATTRIBUTES_MAX + 3);
        let few = "<a b='c'/>".repeat(3_000);
        check(Nesting::Xml, &few, few.len());
    }
}
