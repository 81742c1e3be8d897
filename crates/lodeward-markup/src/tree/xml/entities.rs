//! Entities, and the document type that declares them.

use std::cell::Cell;
use std::collections::HashMap;

use memchr::memchr;

/// How long the text of one entity may be. Twenty bytes of declaration can
/// double what the one before it stands for; so there is an end to it.
const ENTITY_BYTES_MAX: usize = 4096;

/// How much entities may add to the smallest document.
const ADDED_BYTES_MIN: usize = 1 << 16;

/// How far from its `&` a reference may end.
const NAME_BYTES_MAX: usize = 64;

/// The entities that a document declares. Those of HTML are known besides:
/// the document types of XHTML declare them, and nobody fetches those.
pub(super) struct Entities {
    declared: HashMap<String, String, foldhash::fast::RandomState>,
    /// How many more bytes declared entities may add to the document.
    bytes_left: Cell<usize>,
}

impl Entities {
    pub(super) fn new(document_bytes: usize) -> Self {
        let bytes_left = Cell::new(document_bytes.saturating_add(ADDED_BYTES_MIN));
        Self { declared: HashMap::default(), bytes_left }
    }

    /// The text with all references replaced; `None` if there is none.
    pub(super) fn decode(&self, text: &str) -> Option<String> {
        memchr(b'&', text.as_bytes())?;
        let mut decoded = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = memchr(b'&', rest.as_bytes()) {
            decoded.push_str(&rest[..at]);
            rest = &rest[at..];
            let near = &rest.as_bytes()[..rest.len().min(NAME_BYTES_MAX)];
            let Some(end) = memchr(b';', near) else {
                decoded.push('&');
                rest = &rest[1..];
                continue;
            };
            match self.declared.get(&rest[1..end]) {
                Some(replacement) => decoded.push_str(self.affordable(replacement)),
                None => decoded.push_str(&htmlize::unescape(&rest[..=end])),
            }
            rest = &rest[end + 1..];
        }
        decoded.push_str(rest);
        Some(decoded)
    }

    /// The value of an attribute: white space that is written as such becomes
    /// spaces (XML 1.0, section 3.3.3).
    pub(super) fn decode_value(&self, value: &str) -> String {
        let spaced = if value.contains(['\t', '\n', '\r']) {
            value.replace("\r\n", " ").replace(['\t', '\n', '\r'], " ")
        } else {
            value.to_owned()
        };
        self.decode(&spaced).unwrap_or(spaced)
    }

    fn affordable<'a>(&self, replacement: &'a str) -> &'a str {
        let Some(left) = self.bytes_left.get().checked_sub(replacement.len()) else { return "" };
        self.bytes_left.set(left);
        replacement
    }

    fn declare(&mut self, name: &str, value: &str) {
        let text = self.decode(value).unwrap_or_else(|| value.to_owned());
        if text.len() <= ENTITY_BYTES_MAX {
            // The first declaration is the one that counts (section 4.2).
            self.declared.entry(name.to_owned()).or_insert(text);
        }
    }
}

/// The public identifier of a document type, and what follows it. Entities
/// that stand for text are declared.
pub(super) fn doctype<'a>(text: &'a str, entities: &mut Entities) -> Option<(&'a str, &'a str)> {
    let keyword = text.get(..9).filter(|keyword| keyword.eq_ignore_ascii_case("<!doctype"))?;
    let text = text[keyword.len()..].trim_start();
    let name_end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '[' | '>'))?;
    let mut text = text[name_end..].trim_start();
    let mut public_id = "";
    if let Some(after) = text.strip_prefix("PUBLIC") {
        (public_id, text) = quoted(after.trim_start()).unwrap_or(("", after));
        text = quoted(text.trim_start()).map_or(text, |(_, rest)| rest);
    } else if let Some(after) = text.strip_prefix("SYSTEM") {
        text = quoted(after.trim_start()).map_or(after, |(_, rest)| rest);
    }
    text = text.trim_start();
    if let Some(inside) = text.strip_prefix('[') {
        text = subset(inside, entities)?.trim_start();
    }
    let end = memchr(b'>', text.as_bytes())?;
    Some((public_id, &text[end + 1..]))
}

/// Reads the internal subset, and gives what follows it.
fn subset<'a>(mut text: &'a str, entities: &mut Entities) -> Option<&'a str> {
    loop {
        text = text.trim_start();
        if let Some(rest) = text.strip_prefix(']') {
            return Some(rest);
        } else if let Some(inside) = text.strip_prefix("<!--") {
            text = inside.split_once("-->")?.1;
        } else if let Some(inside) = text.strip_prefix("<?") {
            text = inside.split_once("?>")?.1;
        } else if let Some(inside) = text.strip_prefix("<!ENTITY") {
            text = entity(inside, entities)?;
        } else if text.starts_with('<') {
            text = declaration_end(text)?;
        } else {
            // A parameter entity, or what has no place here.
            let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '<' | ']'))?;
            text = if end == 0 { &text[1..] } else { &text[end..] };
        }
    }
}

fn entity<'a>(text: &'a str, entities: &mut Entities) -> Option<&'a str> {
    let text = text.trim_start();
    let end = text.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
    let (name, text) = text.split_at(end);
    if let Some((value, rest)) = quoted(text.trim_start())
        && name != "%"
    {
        entities.declare(name, value);
        return declaration_end(rest);
    }
    declaration_end(text)
}

/// What follows the `>` of a declaration, which may be inside quotes, too.
fn declaration_end(mut text: &str) -> Option<&str> {
    loop {
        let at = text.find(['>', '"', '\''])?;
        text = match text.as_bytes()[at] {
            b'>' => return Some(&text[at + 1..]),
            _ => quoted(&text[at..])?.1,
        };
    }
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text[1..].split_once(quote)
}
