//! XML entities in the text of a document.

use std::cell::Cell;

use lodeward_rdf::xml_doctype::{XmlEntities, split_reference};
use memchr::memchr;

/// Number of bytes that entities can add to a document of any size, in addition to its own length.
const MIN_EXPANSION_BYTES: usize = 1 << 16;

/// Replaces entity references. The entities of HTML are always known: the document types of XHTML
/// declare them, and these are not fetched.
pub(super) struct EntityDecoder {
    declared: XmlEntities,
    /// How many more bytes declared entities can add to the document.
    bytes_left: Cell<usize>,
    is_exhausted: Cell<bool>,
}

impl EntityDecoder {
    pub(super) fn new(document_bytes: usize) -> Self {
        let bytes_left = Cell::new(document_bytes.saturating_add(MIN_EXPANSION_BYTES));
        Self { declared: XmlEntities::default(), bytes_left, is_exhausted: Cell::new(false) }
    }

    /// Sets the entities that the document declares.
    pub(super) fn declare(&mut self, entities: XmlEntities) {
        self.declared = entities;
    }

    /// Whether text is missing, because entities exceed their limits.
    pub(super) fn is_limited(&self) -> bool {
        self.is_exhausted.get() || self.declared.limit().is_some()
    }

    /// The text with all references replaced; `None` if it contains none.
    pub(super) fn decode(&self, text: &str) -> Option<String> {
        memchr(b'&', text.as_bytes())?;
        let mut decoded = String::with_capacity(text.len());
        let mut rest = text;
        while !rest.is_empty() {
            let (plain, reference, after) = split_reference(rest);
            decoded.push_str(plain);
            if let Some(reference) = reference {
                match self.declared.get(&reference[1..reference.len() - 1]) {
                    Some(replacement) => decoded.push_str(self.limit_expansion(replacement)),
                    None => decoded.push_str(&htmlize::unescape(reference)),
                }
            }
            rest = after;
        }
        Some(decoded)
    }

    /// The value of an attribute: literal white space becomes spaces (XML 1.0, section 3.3.3).
    pub(super) fn decode_value(&self, value: &str) -> String {
        let spaced = if value.contains(['\t', '\n', '\r']) {
            value.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ")
        } else {
            value.to_owned()
        };
        self.decode(&spaced).unwrap_or(spaced)
    }

    fn limit_expansion<'a>(&self, replacement: &'a str) -> &'a str {
        let Some(left) = self.bytes_left.get().checked_sub(replacement.len()) else {
            self.is_exhausted.set(true);
            return "";
        };
        self.bytes_left.set(left);
        replacement
    }
}
