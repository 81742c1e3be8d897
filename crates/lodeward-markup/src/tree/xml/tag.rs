//! Parsing of XML start tags.

use std::collections::HashSet;

/// A start tag as written.
pub(super) struct XmlStartTag<'a> {
    pub(super) name: &'a str,
    /// Names and undecoded values; names are unique.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    pub(super) is_empty: bool,
    pub(super) is_malformed: bool,
}

/// Why a `<` does not start a start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartTagError {
    /// No name follows.
    MissingName,
    /// The document ends inside the tag.
    MissingEnd,
}

/// From this number of attributes on, a set is faster for detecting duplicates.
const MIN_ATTRIBUTES_FOR_SET: usize = 16;

impl<'a> XmlStartTag<'a> {
    /// Parses a tag, and returns the rest of the text.
    pub(super) fn parse(text: &'a str) -> Result<(Self, &'a str), StartTagError> {
        let text = text.strip_prefix('<').ok_or(StartTagError::MissingName)?;
        let (name, mut text) = split_name(text);
        if name.is_empty() || !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':') {
            return Err(StartTagError::MissingName);
        }
        let mut start = XmlStartTag { name, attributes: Vec::new(), is_empty: false, is_malformed: false };
        let mut seen = HashSet::with_hasher(foldhash::fast::RandomState::default());
        loop {
            text = text.trim_start();
            match text.as_bytes().first().ok_or(StartTagError::MissingEnd)? {
                b'>' => return Ok((start, &text[1..])),
                b'/' if text.as_bytes().get(1) == Some(&b'>') => {
                    start.is_empty = true;
                    return Ok((start, &text[2..]));
                }
                // The next tag starts inside this one.
                b'<' => {
                    start.is_malformed = true;
                    return Ok((start, text));
                }
                b'/' | b'=' | b'"' | b'\'' => {
                    start.is_malformed = true;
                    text = &text[1..];
                }
                _ => text = start.parse_attribute(text, &mut seen),
            }
        }
    }

    fn parse_attribute(&mut self, text: &'a str, seen: &mut HashSet<&'a str, foldhash::fast::RandomState>) -> &'a str {
        let (name, text) = split_name(text);
        let (value, text) = match text.trim_start().strip_prefix('=') {
            Some(text) => self.parse_value(text.trim_start()),
            None => {
                self.is_malformed = true;
                ("", text)
            }
        };
        if self.attributes.len() == MIN_ATTRIBUTES_FOR_SET {
            seen.extend(self.attributes.iter().map(|(name, _)| *name));
        }
        let is_new = if self.attributes.len() < MIN_ATTRIBUTES_FOR_SET {
            self.attributes.iter().all(|(other, _)| *other != name)
        } else {
            seen.insert(name)
        };
        self.is_malformed |= !is_new;
        if is_new {
            self.attributes.push((name, value));
        }
        text
    }

    /// Parses a value, and returns the rest of the text. A value whose quote is never closed ends
    /// before the next `<` or `>`. As no such quote follows until the end of the document, this
    /// search happens only once per quote.
    fn parse_value(&mut self, text: &'a str) -> (&'a str, &'a str) {
        for quote in ['"', '\''] {
            if let Some(inside) = text.strip_prefix(quote) {
                let (value, text) = inside.split_once(quote).unwrap_or_else(|| {
                    self.is_malformed = true;
                    inside.split_at(inside.find(['<', '>']).unwrap_or(inside.len()))
                });
                self.is_malformed |= value.contains('<');
                return (value, text);
            }
        }
        self.is_malformed = true;
        let end = text.find(|c: char| c.is_ascii_whitespace() || matches!(c, '>' | '<')).unwrap_or(text.len());
        text.split_at(end)
    }
}

fn split_name(text: &str) -> (&str, &str) {
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '=' | '/' | '>' | '<' | '"' | '\'');
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}
