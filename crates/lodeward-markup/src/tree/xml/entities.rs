//! XML entities, and the document type that declares them.

use std::cell::Cell;
use std::collections::HashMap;

use memchr::memchr;

/// The maximum length of an entity's text. A declaration of twenty bytes can double the text of
/// another entity, so expansion must be limited.
const MAX_ENTITY_BYTES: usize = 4096;

/// Number of bytes that entities can add to a document of any size, in addition to its own length.
const MIN_EXPANSION_BYTES: usize = 1 << 16;

/// The maximum length of an entity reference.
const MAX_REFERENCE_BYTES: usize = 64;

/// The entities that a document declares. The entities of HTML are always known: the document types
/// of XHTML declare them, and these are not fetched.
pub(super) struct XmlEntities {
    declared: HashMap<String, String, foldhash::fast::RandomState>,
    /// How many more bytes declared entities can add to the document.
    bytes_left: Cell<usize>,
}

impl XmlEntities {
    pub(super) fn new(document_bytes: usize) -> Self {
        let bytes_left = Cell::new(document_bytes.saturating_add(MIN_EXPANSION_BYTES));
        Self { declared: HashMap::default(), bytes_left }
    }

    /// The text with all references replaced; `None` if it contains none.
    pub(super) fn decode(&self, text: &str) -> Option<String> {
        memchr(b'&', text.as_bytes())?;
        let mut decoded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = memchr(b'&', rest.as_bytes()) {
            decoded.push_str(&rest[..at]);
            rest = &rest[at..];
            let near = &rest.as_bytes()[..rest.len().min(MAX_REFERENCE_BYTES)];
            let Some(end) = memchr(b';', near) else {
                decoded.push('&');
                rest = &rest[1..];
                continue;
            };
            match self.declared.get(&rest[1..end]) {
                Some(replacement) => decoded.push_str(self.limit_expansion(replacement)),
                None => decoded.push_str(&htmlize::unescape(&rest[..=end])),
            }
            rest = &rest[end + 1..];
        }
        decoded.push_str(rest);
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
        let Some(left) = self.bytes_left.get().checked_sub(replacement.len()) else { return "" };
        self.bytes_left.set(left);
        replacement
    }

    fn declare(&mut self, name: &str, value: &str) {
        let text = self.decode(value).unwrap_or_else(|| value.to_owned());
        if text.len() <= MAX_ENTITY_BYTES {
            // The first declaration is binding (section 4.2).
            self.declared.entry(name.to_owned()).or_insert(text);
        }
    }
}

/// Parses a document type: returns its public identifier and the rest of the text. Declares its
/// text entities.
pub(super) fn parse_doctype<'a>(text: &'a str, entities: &mut XmlEntities) -> Option<(&'a str, &'a str)> {
    let keyword = text.get(..9).filter(|keyword| keyword.eq_ignore_ascii_case("<!doctype"))?;
    let text = text[keyword.len()..].trim_start();
    let name_end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '[' | '>'))?;
    let mut text = text[name_end..].trim_start();
    let mut public_id = "";
    if let Some(after) = text.strip_prefix("PUBLIC") {
        (public_id, text) = parse_quoted(after.trim_start()).unwrap_or(("", after));
        text = parse_quoted(text.trim_start()).map_or(text, |(_, rest)| rest);
    } else if let Some(after) = text.strip_prefix("SYSTEM") {
        text = parse_quoted(after.trim_start()).map_or(after, |(_, rest)| rest);
    }
    text = text.trim_start();
    if let Some(inside) = text.strip_prefix('[') {
        text = parse_internal_subset(inside, entities)?.trim_start();
    }
    let end = memchr(b'>', text.as_bytes())?;
    Some((public_id, &text[end + 1..]))
}

/// Parses the internal subset, and returns the rest.
fn parse_internal_subset<'a>(mut text: &'a str, entities: &mut XmlEntities) -> Option<&'a str> {
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix(']') {
            return Some(rest);
        } else if let Some(inside) = text.strip_prefix("<!--") {
            text = inside.split_once("-->")?.1;
        } else if let Some(inside) = text.strip_prefix("<?") {
            text = inside.split_once("?>")?.1;
        } else if let Some(inside) = text.strip_prefix("<!ENTITY") {
            text = parse_entity_declaration(inside, entities)?;
        } else if text.starts_with('<') {
            text = skip_declaration(text)?;
        } else {
            // A parameter entity, or invalid text.
            let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '<' | ']'))?;
            text = if end == 0 { &text[1..] } else { &text[end..] };
        }
    }
}

fn parse_entity_declaration<'a>(text: &'a str, entities: &mut XmlEntities) -> Option<&'a str> {
    let text = text.trim_start();
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
    let (name, text) = text.split_at(end);
    if let Some((value, rest)) = parse_quoted(text.trim_start())
        && name != "%"
    {
        entities.declare(name, value);
        return skip_declaration(rest);
    }
    skip_declaration(text)
}

/// The text after the `>` of a declaration, ignoring `>` inside quotes.
fn skip_declaration(mut text: &str) -> Option<&str> {
    loop {
        let at = text.find(['>', '"', '\''])?;
        text = match text.as_bytes()[at] {
            b'>' => return Some(&text[at + 1..]),
            _ => parse_quoted(&text[at..])?.1,
        };
    }
}

fn parse_quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}
