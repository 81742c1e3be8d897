//! Parsing of HTML tags and attributes.

use memchr::memchr;

use super::{HtmlToken, Tokenizer};

/// A tag. The name is as written, in upper or lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HtmlTag<'a> {
    pub(crate) name: &'a str,
    pub(crate) is_self_closing: bool,
}

/// The maximum number of attributes of a tag. Further ones are ignored, so that a page of one tag with
/// millions of attributes takes no more memory than other pages.
const MAX_TAG_ATTRIBUTES: usize = 65_536;

/// The attributes of one tag, as written: names in any case, values with character references, and
/// duplicates included. If a name is repeated, the first value applies.
#[derive(Clone, Debug, Default)]
pub(crate) struct TagAttributes<'a>(Vec<(&'a str, &'a str)>);

impl<'a> TagAttributes<'a> {
    fn push(&mut self, name: &'a str, value: &'a str) {
        if self.0.len() < MAX_TAG_ATTRIBUTES {
            self.0.push((name, value));
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a str)> + '_ {
        self.0.iter().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of an attribute, as written. `name` is in lower case.
    pub(crate) fn get(&self, name: &str) -> Option<&'a str> {
        self.iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

impl<'a> Tokenizer<'a> {
    /// Parses the tag whose name begins at `name_at`. If the page ends inside the tag, there is no
    /// tag.
    pub(super) fn tag(&mut self, name_at: usize, is_end: bool) -> Option<HtmlToken<'a>> {
        let name = self.take_name(name_at, b">/");
        let Some(is_self_closing) = self.tag_attributes() else {
            self.at = self.page.len();
            return None;
        };
        let tag = HtmlTag { name, is_self_closing };
        Some(if is_end { HtmlToken::End(tag) } else { HtmlToken::Start(tag) })
    }

    /// Parses attributes up to the end of the tag. `None` if the tag has no end.
    fn tag_attributes(&mut self) -> Option<bool> {
        self.attributes.0.clear();
        let bytes = self.page.as_bytes();
        loop {
            self.skip_spaces();
            match *bytes.get(self.at)? {
                b'>' => {
                    self.at += 1;
                    return Some(false);
                }
                b'/' => {
                    self.at += 1;
                    if bytes.get(self.at) == Some(&b'>') {
                        self.at += 1;
                        return Some(true);
                    }
                }
                _ => self.attribute()?,
            }
        }
    }

    fn attribute(&mut self) -> Option<()> {
        let bytes = self.page.as_bytes();
        let start = self.at;
        // A leading equals sign is part of the name.
        let name_start = start + usize::from(bytes[start] == b'=');
        self.take_name(name_start, b">/=");
        let name = &self.page[start..self.at];
        self.skip_spaces();
        if bytes.get(self.at) != Some(&b'=') {
            self.attributes.push(name, "");
            return Some(());
        }
        self.at += 1;
        self.skip_spaces();
        let value = self.value()?;
        self.attributes.push(name, value);
        Some(())
    }

    fn value(&mut self) -> Option<&'a str> {
        let bytes = self.page.as_bytes();
        let first = *bytes.get(self.at)?;
        if matches!(first, b'"' | b'\'') {
            let start = self.at + 1;
            let end = start + memchr(first, &bytes[start..])?;
            self.at = end + 1;
            return Some(&self.page[start..end]);
        }
        let start = self.at;
        let is_end = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ' | b'>');
        let end = start + bytes[start..].iter().position(is_end)?;
        self.at = end;
        Some(&self.page[start..end])
    }

    /// The name from `start` up to white space or one of these bytes.
    fn take_name(&mut self, start: usize, stops: &[u8]) -> &'a str {
        let bytes = &self.page.as_bytes()[start..];
        let is_end = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ') || stops.contains(byte);
        let len = bytes.iter().position(is_end).unwrap_or(bytes.len());
        self.at = start + len;
        &self.page[start..self.at]
    }

    pub(super) fn skip_spaces(&mut self) {
        let rest = &self.page.as_bytes()[self.at..];
        let is_other = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ');
        self.at += rest.iter().position(is_other).unwrap_or(rest.len());
    }
}
