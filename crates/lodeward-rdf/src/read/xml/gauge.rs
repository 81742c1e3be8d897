//! Measures XML while it is read, and stops where it exceeds a limit.
//!
//! The RDF/XML parser compares all attributes of a tag with each other, searches all open
//! namespaces for every name, and expands entities wherever they are used. This scanner splits the
//! text into the same tokens as the parser and counts what the parser will spend on them, so that
//! time and memory are proportional to the length of the document.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use memchr::{memchr, memchr2};

use crate::xml_doctype::{MAX_REFERENCE_BYTES, XmlEntities};

/// Maximum nesting depth. Genuine documents are a dozen levels deep.
const MAX_DEPTH: usize = 256;
/// Maximum length of a tag, a text or a comment: the parser holds each in memory.
const MAX_TOKEN_BYTES: usize = 8 << 20;
/// Maximum length of an XML literal, with the namespaces that the parser adds to its elements.
const MAX_LITERAL_BYTES: usize = 8 << 20;
/// Maximum length of the namespaces, bases and languages in scope: they are part of every term.
const MAX_INHERITED_BYTES: usize = 128 << 10;
/// Maximum length that entities add to one text or attribute value.
const MAX_VALUE_EXPANSION: usize = 1 << 20;

/// A limit in proportion to the number of bytes read.
struct ProportionalLimit {
    base: u64,
    per_byte: u64,
}

impl ProportionalLimit {
    fn is_exceeded(&self, amount: u64, bytes: u64) -> bool {
        amount > self.base + self.per_byte * bytes
    }
}

/// Length that entities add to the document.
const EXPANSION: ProportionalLimit = ProportionalLimit { base: 1 << 20, per_byte: 32 };
/// Comparisons of attributes and namespaces.
const STEPS: ProportionalLimit = ProportionalLimit { base: 16 << 20, per_byte: 256 };
/// Length of all values of `rdf:ID`, resolved: the parser remembers them.
const IDS: ProportionalLimit = ProportionalLimit { base: 32 << 20, per_byte: 4 };

/// The limit that a document exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum XmlLimit {
    #[error("elements are nested too deep")]
    Depth,
    #[error("a tag, text or comment is longer than {MAX_TOKEN_BYTES} bytes")]
    Token,
    #[error("an XML literal is longer than {MAX_LITERAL_BYTES} bytes")]
    Literal,
    #[error("namespaces, bases and languages in scope are longer than {MAX_INHERITED_BYTES} bytes")]
    Inherited,
    #[error("entities expand too much")]
    Expansion,
    #[error("too many attributes or namespaces")]
    Steps,
    #[error("values of rdf:ID are too long")]
    Ids,
    #[error("the document type is not closed, too long, or not at the start of the document")]
    Doctype,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum XmlState {
    Text,
    /// The last byte was `<`.
    Markup,
    /// The last bytes were `<!`.
    Bang,
    /// In a comment, a CDATA section or a processing instruction, which ends with these bytes.
    Until(&'static [u8]),
    /// In a start tag.
    Tag,
    /// In an attribute value of a start tag, which ends with this quote.
    Value(u8),
    /// In an end tag.
    EndTag,
    /// In quotes in an end tag.
    EndTagQuotes(u8),
}

/// An open element.
#[derive(Default)]
struct OpenElement {
    namespaces: u64,
    inherited_bytes: usize,
    base_bytes: usize,
}

/// The start tag being read.
#[derive(Default)]
struct StartTag {
    element: OpenElement,
    attributes: u64,
    /// Whether the name of an attribute starts with `xmlns`.
    is_namespace: bool,
    /// The end of the name being read: the part after the last colon, or the start of a longer one.
    local_name: Vec<u8>,
    is_name_complete: bool,
    last_byte: u8,
    /// The start of the attribute value being read.
    value: Vec<u8>,
    value_bytes: usize,
    is_literal: bool,
}

/// Names and values are stored up to this length: longer ones are not significant.
const MAX_NAME_BYTES: usize = 16;

/// The scanner. Its limits hold for the whole document, in any number of parts.
pub(super) struct XmlGauge {
    entity_bytes: HashMap<Vec<u8>, usize, RandomState>,
    state: XmlState,
    open: Vec<OpenElement>,
    /// Sums over all open elements.
    scope: OpenElement,
    tag: StartTag,
    /// The name of the entity reference being read.
    reference: Option<Vec<u8>>,
    /// The last bytes of a token that ends with a sequence of bytes.
    tail: [u8; 3],
    bytes: u64,
    token_bytes: usize,
    /// Whether the next byte starts a token.
    is_token_start: bool,
    value_expansion: usize,
    expansion: u64,
    steps: u64,
    id_bytes: u64,
    /// The depth of the property whose value is an XML literal, and its length.
    literal: Option<(usize, usize)>,
    limit: Option<XmlLimit>,
}

impl XmlGauge {
    pub(super) fn new(entities: &XmlEntities) -> Self {
        Self {
            entity_bytes: entities.iter().map(|(name, text)| (name.as_bytes().to_vec(), text.len())).collect(),
            state: XmlState::Text,
            open: Vec::new(),
            scope: OpenElement::default(),
            tag: StartTag::default(),
            reference: None,
            tail: [0; 3],
            bytes: 0,
            token_bytes: 0,
            is_token_start: false,
            value_expansion: 0,
            expansion: 0,
            steps: 0,
            id_bytes: 0,
            literal: None,
            limit: None,
        }
    }

    /// Scans the next part of the document. If it exceeds a limit, returns the number of bytes
    /// before that.
    pub(super) fn scan(&mut self, bytes: &[u8]) -> Result<(), (usize, XmlLimit)> {
        let mut at = 0;
        while at < bytes.len() {
            let used = self.step(&bytes[at..]);
            self.bytes += used as u64;
            self.token_bytes += used;
            if let Some((_, literal_bytes)) = &mut self.literal {
                *literal_bytes += used;
            }
            if let Some(limit) = self.exceeded() {
                return Err((at, limit));
            }
            if std::mem::take(&mut self.is_token_start) {
                self.token_bytes = 0;
            }
            at += used;
        }
        Ok(())
    }

    fn exceeded(&mut self) -> Option<XmlLimit> {
        if self.token_bytes > MAX_TOKEN_BYTES {
            self.limit = Some(XmlLimit::Token);
        }
        if self.literal.is_some_and(|(_, bytes)| bytes > MAX_LITERAL_BYTES) {
            self.limit = Some(XmlLimit::Literal);
        }
        self.limit
    }

    /// Scans at least one byte, and returns the number of bytes.
    fn step(&mut self, bytes: &[u8]) -> usize {
        match self.state {
            XmlState::Text => self.scan_value(bytes, b'<'),
            XmlState::Value(quote) => self.scan_value(bytes, quote),
            XmlState::Until(end) => self.scan_until(bytes, end),
            XmlState::EndTagQuotes(quote) => match memchr(quote, bytes) {
                Some(at) => {
                    self.state = XmlState::EndTag;
                    at + 1
                }
                None => bytes.len(),
            },
            XmlState::Markup => self.scan_markup(bytes[0]),
            XmlState::Bang => self.scan_bang(bytes[0]),
            XmlState::Tag => self.scan_tag(bytes[0]),
            XmlState::EndTag => self.scan_end_tag(bytes[0]),
        }
    }

    fn begin_token(&mut self, state: XmlState) {
        self.state = state;
        self.is_token_start = true;
        self.value_expansion = 0;
    }

    /// Scans a text or an attribute value for references and for the byte that ends it.
    fn scan_value(&mut self, bytes: &[u8], end: u8) -> usize {
        if self.reference.is_some() {
            return self.scan_reference(bytes, end);
        }
        let Some(at) = memchr2(end, b'&', bytes) else {
            self.add_to_value(bytes);
            return bytes.len();
        };
        self.add_to_value(&bytes[..at]);
        if bytes[at] == b'&' {
            self.reference = Some(Vec::new());
        } else {
            self.end_value(end);
        }
        at + 1
    }

    fn scan_reference(&mut self, bytes: &[u8], end: u8) -> usize {
        let Some(name) = &mut self.reference else { return 0 };
        match bytes[0] {
            b';' => {
                let added = self.entity_bytes.get(name.as_slice()).copied().unwrap_or(0);
                self.reference = None;
                self.expand(added);
            }
            byte if byte == end => {
                self.reference = None;
                self.end_value(end);
            }
            b'&' => name.clear(),
            byte if name.len() < MAX_REFERENCE_BYTES => name.push(byte),
            _ => self.reference = None,
        }
        1
    }

    fn expand(&mut self, added: usize) {
        self.value_expansion += added;
        self.expansion += added as u64;
        self.tag.value_bytes += added;
        // A value with a reference is none of the significant ones.
        self.add_to_value(b"&");
        if let Some((_, literal_bytes)) = &mut self.literal {
            *literal_bytes += added;
        }
        if self.value_expansion > MAX_VALUE_EXPANSION || EXPANSION.is_exceeded(self.expansion, self.bytes) {
            self.limit = Some(XmlLimit::Expansion);
        }
    }

    fn add_to_value(&mut self, bytes: &[u8]) {
        if self.state == XmlState::Text {
            return;
        }
        self.tag.value_bytes += bytes.len();
        let free = MAX_NAME_BYTES.saturating_sub(self.tag.value.len());
        self.tag.value.extend_from_slice(&bytes[..bytes.len().min(free)]);
    }

    fn end_value(&mut self, end: u8) {
        if end == b'<' {
            return self.begin_token(XmlState::Markup);
        }
        self.state = XmlState::Tag;
        self.value_expansion = 0;
        self.end_attribute();
        self.tag.last_byte = end;
    }

    fn scan_until(&mut self, bytes: &[u8], end: &'static [u8]) -> usize {
        let at = memchr(b'>', bytes).unwrap_or(bytes.len() - 1);
        for byte in &bytes[at.saturating_sub(2)..=at] {
            self.tail = [self.tail[1], self.tail[2], *byte];
        }
        // The end of a comment does not overlap with its start, `<!--`.
        let is_long_enough = end != b"-->" || self.token_bytes + at >= 5;
        if self.tail.ends_with(end) && is_long_enough {
            self.begin_token(XmlState::Text);
        }
        at + 1
    }

    fn scan_markup(&mut self, byte: u8) -> usize {
        self.tail = [0; 3];
        self.state = match byte {
            b'!' => XmlState::Bang,
            b'?' => XmlState::Until(b"?>"),
            b'/' => XmlState::EndTag,
            _ => {
                self.begin_tag();
                self.state = XmlState::Tag;
                return self.scan_tag(byte);
            }
        };
        1
    }

    fn begin_tag(&mut self) {
        let StartTag { local_name, value, .. } = std::mem::take(&mut self.tag);
        self.tag = StartTag { local_name, value, ..StartTag::default() };
        self.tag.local_name.clear();
        self.tag.value.clear();
        self.add_steps(self.scope.namespaces + self.open.len() as u64);
        if self.open.len() >= MAX_DEPTH {
            self.limit = Some(XmlLimit::Depth);
        }
    }

    fn scan_bang(&mut self, byte: u8) -> usize {
        match byte {
            b'[' => self.state = XmlState::Until(b"]]>"),
            b'-' => self.state = XmlState::Until(b"-->"),
            // The parser would read entity declarations that have not been checked. Any other byte
            // is an error for the parser.
            _ => self.limit = Some(XmlLimit::Doctype),
        }
        1
    }

    fn scan_tag(&mut self, byte: u8) -> usize {
        let tag = &mut self.tag;
        match byte {
            b'>' => self.end_tag(),
            b'"' | b'\'' => {
                tag.value.clear();
                tag.value_bytes = 0;
                self.state = XmlState::Value(byte);
            }
            b'=' | b' ' | b'\t' | b'\r' | b'\n' => tag.is_name_complete = true,
            byte => {
                if std::mem::take(&mut tag.is_name_complete) {
                    tag.local_name.clear();
                    tag.is_namespace = false;
                }
                if byte == b':' {
                    tag.is_namespace |= tag.local_name == b"xmlns";
                    tag.local_name.clear();
                } else if tag.local_name.len() < MAX_NAME_BYTES {
                    tag.local_name.push(byte);
                }
            }
        }
        self.tag.last_byte = byte;
        1
    }

    fn end_attribute(&mut self) {
        self.tag.attributes += 1;
        let steps = self.tag.attributes + self.scope.namespaces + self.open.len() as u64;
        let tag = &mut self.tag;
        tag.is_name_complete = true;
        let is_namespace = tag.is_namespace || tag.local_name == b"xmlns";
        let value_bytes = tag.value_bytes;
        match tag.local_name.as_slice() {
            _ if is_namespace => {
                tag.element.namespaces += 1;
                self.scope.namespaces += 1;
                self.inherit(value_bytes);
            }
            b"base" => {
                tag.element.base_bytes += value_bytes;
                self.scope.base_bytes += value_bytes;
                self.inherit(value_bytes);
            }
            b"lang" => self.inherit(value_bytes),
            b"parseType" => tag.is_literal = !matches!(tag.value.as_slice(), b"Resource" | b"Collection"),
            b"ID" => {
                self.id_bytes += (value_bytes + self.scope.base_bytes) as u64;
                if IDS.is_exceeded(self.id_bytes, self.bytes) {
                    self.limit = Some(XmlLimit::Ids);
                }
            }
            _ => {}
        }
        self.add_steps(steps);
    }

    fn inherit(&mut self, bytes: usize) {
        self.tag.element.inherited_bytes += bytes;
        self.scope.inherited_bytes += bytes;
        if self.scope.inherited_bytes > MAX_INHERITED_BYTES {
            self.limit = Some(XmlLimit::Inherited);
        }
    }

    fn add_steps(&mut self, steps: u64) {
        self.steps += steps;
        if STEPS.is_exceeded(self.steps, self.bytes) {
            self.limit = Some(XmlLimit::Steps);
        }
    }

    /// Ends a start tag.
    fn end_tag(&mut self) {
        self.open.push(std::mem::take(&mut self.tag.element));
        let depth = self.open.len();
        match &mut self.literal {
            // The parser adds all namespaces in scope to the elements at the top of a literal.
            Some((at, bytes)) if depth == *at + 1 => {
                *bytes += self.scope.inherited_bytes;
                self.add_steps(self.scope.namespaces * self.scope.namespaces);
            }
            None if self.tag.is_literal => self.literal = Some((depth, 0)),
            _ => {}
        }
        let is_empty = self.tag.last_byte == b'/';
        self.begin_token(XmlState::Text);
        if is_empty {
            self.close_element();
        }
    }

    fn scan_end_tag(&mut self, byte: u8) -> usize {
        match byte {
            b'>' => {
                self.begin_token(XmlState::Text);
                self.close_element();
            }
            b'"' | b'\'' => self.state = XmlState::EndTagQuotes(byte),
            _ => {}
        }
        1
    }

    fn close_element(&mut self) {
        let Some(closed) = self.open.pop() else { return };
        self.scope.namespaces -= closed.namespaces;
        self.scope.inherited_bytes -= closed.inherited_bytes;
        self.scope.base_bytes -= closed.base_bytes;
        if self.literal.is_some_and(|(depth, _)| self.open.len() < depth) {
            self.literal = None;
        }
    }
}
