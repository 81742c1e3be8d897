//! Start tags.

use std::collections::HashSet;

/// A start tag, as it is written.
pub(super) struct Start<'a> {
    pub(super) name: &'a str,
    /// Names and undecoded values; no name twice.
    pub(super) attributes: Vec<(&'a str, &'a str)>,
    pub(super) is_empty: bool,
    pub(super) is_malformed: bool,
}

/// Why a `<` begins no start tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoTag {
    /// No name follows it.
    Nameless,
    /// The document ends before the tag does.
    Endless,
}

/// From how many attributes on a set finds one of the same name faster.
const FEW: usize = 16;

impl<'a> Start<'a> {
    /// The tag and what follows it.
    pub(super) fn parse(text: &'a str) -> Result<(Self, &'a str), NoTag> {
        let text = text.strip_prefix('<').ok_or(NoTag::Nameless)?;
        let (name, mut text) = split_name(text);
        if name.is_empty() || !name.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == ':') {
            return Err(NoTag::Nameless);
        }
        let mut start = Start { name, attributes: Vec::new(), is_empty: false, is_malformed: false };
        let mut seen = HashSet::with_hasher(foldhash::fast::RandomState::default());
        loop {
            text = text.trim_start();
            match text.as_bytes().first().ok_or(NoTag::Endless)? {
                b'>' => return Ok((start, &text[1..])),
                b'/' if text.as_bytes().get(1) == Some(&b'>') => {
                    start.is_empty = true;
                    return Ok((start, &text[2..]));
                }
                // The next tag begins, and this one has not ended.
                b'<' => {
                    start.is_malformed = true;
                    return Ok((start, text));
                }
                b'/' | b'=' | b'"' | b'\'' => {
                    start.is_malformed = true;
                    text = &text[1..];
                }
                _ => text = start.attribute(text, &mut seen),
            }
        }
    }

    fn attribute(&mut self, text: &'a str, seen: &mut HashSet<&'a str, foldhash::fast::RandomState>) -> &'a str {
        let (name, text) = split_name(text);
        let (value, text) = match text.trim_start().strip_prefix('=') {
            Some(text) => self.value(text.trim_start()),
            None => {
                self.is_malformed = true;
                ("", text)
            }
        };
        if self.attributes.len() == FEW {
            seen.extend(self.attributes.iter().map(|(name, _)| *name));
        }
        let is_new = if self.attributes.len() < FEW {
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

    /// A value and what follows it. One whose quotes are never closed ends
    /// before the next `<` or `>`: as there is no other such quote until the
    /// end of the document, that is looked for only once.
    fn value(&mut self, text: &'a str) -> (&'a str, &'a str) {
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
