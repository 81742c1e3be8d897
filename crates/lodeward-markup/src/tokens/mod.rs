//! Tags and text of a page, by the tokenization rules of the HTML standard.
//!
//! html5ever's own tokenizer copies every character, whoever may want it; this
//! one points into the page. Whoever asks for tokens decides, as the standard's
//! tree construction does, when a start tag turns what follows into raw text.
//! Character references are not resolved here: most text and most attributes
//! nobody looks at.

mod markup;
mod raw;
mod tag;

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter};

pub(crate) use raw::Raw;
pub(crate) use tag::{Attributes, Tag};

/// A piece of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    /// Text, and of which sort if it is raw.
    Text {
        text: &'a str,
        raw: Option<Raw>,
    },
    /// A start tag; its attributes are in [`Tokens::attributes`].
    Start(Tag<'a>),
    /// An end tag.
    End(Tag<'a>),
    Comment(&'a str),
    Doctype(Doctype<'a>),
    /// `<![CDATA[`, which is text in SVG and `MathML` and a comment elsewhere:
    /// to be followed by [`Tokens::cdata`].
    Cdata,
}

/// A document type declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Doctype<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) public_id: Option<&'a str>,
    pub(crate) system_id: Option<&'a str>,
    pub(crate) is_quirky: bool,
}

/// Reads tokens off a page.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    page: &'a str,
    at: usize,
    raw: Option<Raw>,
    /// What ends raw text.
    raw_name: &'a str,
    attributes: Attributes<'a>,
}

impl<'a> Tokens<'a> {
    /// Tokens of a page whose lines end in line feeds: see [`with_line_feeds`].
    pub(crate) fn new(page: &'a str) -> Self {
        let at = if page.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { page, at, raw: None, raw_name: "", attributes: Attributes::default() }
    }

    /// What follows the start tag that was just read is raw text.
    pub(crate) fn expect_raw(&mut self, raw: Raw, name: &'a str) {
        self.raw = Some(raw);
        self.raw_name = name;
    }

    /// The attributes of the tag that was just read.
    pub(crate) fn attributes(&self) -> &Attributes<'a> {
        &self.attributes
    }

    /// The next token. Not an iterator, because attributes are borrowed.
    pub(crate) fn next(&mut self) -> Option<Token<'a>> {
        if let Some(raw) = self.raw.take() {
            let text = self.raw_text(raw);
            if !text.is_empty() {
                return Some(Token::Text { text, raw: Some(raw) });
            }
        }
        let mut start = self.at;
        loop {
            let bytes = self.page.as_bytes();
            let Some(angle) = memchr(b'<', &bytes[self.at..]).map(|found| self.at + found) else {
                self.at = self.page.len();
                return self.text(start, self.at);
            };
            let opens = match bytes.get(angle + 1) {
                Some(b'!' | b'?' | b'/') => true,
                Some(byte) => byte.is_ascii_alphabetic(),
                None => false,
            };
            let is_text = !opens || (bytes[angle + 1] == b'/' && angle + 2 == bytes.len());
            if is_text {
                self.at = angle + 1;
                continue;
            }
            if angle > start {
                self.at = angle;
                return self.text(start, angle);
            }
            self.at = angle;
            let token = self.markup();
            // `</>` is nothing at all.
            if token.is_some() || self.at == self.page.len() {
                return token;
            }
            start = self.at;
        }
    }

    /// Goes on after [`Token::Cdata`].
    pub(crate) fn cdata(&mut self, is_text: bool) -> Token<'a> {
        const OPEN: &str = "<![CDATA[";
        if !is_text {
            self.at += "<!".len();
            return self.bogus_comment();
        }
        self.at += OPEN.len();
        let text = self.up_to("]]>");
        Token::Text { text, raw: Some(Raw::Text) }
    }

    fn text(&self, start: usize, end: usize) -> Option<Token<'a>> {
        (start < end).then(|| Token::Text { text: &self.page[start..end], raw: None })
    }

    fn rest(&self) -> &'a str {
        &self.page[self.at..]
    }

    fn raw_text(&mut self, raw: Raw) -> &'a str {
        let rest = self.rest();
        let text = &rest[..raw.end(rest.as_bytes(), self.raw_name)];
        self.at += text.len();
        text
    }
}

/// A page whose lines end in line feeds, as the standard wants its input.
pub(crate) fn with_line_feeds(page: &str) -> Cow<'_, str> {
    if memchr(b'\r', page.as_bytes()).is_none() {
        return Cow::Borrowed(page);
    }
    let mut text = String::with_capacity(page.len());
    let mut lines = page.split('\r');
    text.push_str(lines.next().unwrap_or_default());
    for line in lines {
        text.push('\n');
        text.push_str(line.strip_prefix('\n').unwrap_or(line));
    }
    Cow::Owned(text)
}

/// Whether a page has this word anywhere, in any case. Looks for one of its
/// letters, best a rare one.
pub(crate) fn mentions(page: &str, word: &[u8], letter: usize) -> bool {
    let bytes = page.as_bytes();
    let (lower, upper) = (word[letter].to_ascii_lowercase(), word[letter].to_ascii_uppercase());
    let mut starts = memchr2_iter(lower, upper, bytes).filter_map(|at| at.checked_sub(letter));
    starts.any(|at| bytes[at..].get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word)))
}

/// Text with its character references resolved, if they count in it.
pub(crate) fn unescaped_text(text: &str, raw: Option<Raw>) -> Cow<'_, str> {
    let has_references = matches!(raw, None | Some(Raw::Rcdata));
    if has_references && memchr(b'&', text.as_bytes()).is_some() {
        htmlize::unescape(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// The value of an attribute with its character references resolved.
pub(crate) fn unescaped_value(value: &str) -> Cow<'_, str> {
    let value = without_nul(value);
    if memchr(b'&', value.as_bytes()).is_some() { htmlize::unescape_attribute(value) } else { value }
}

/// The name of a tag or of an attribute, as the standard spells it.
pub(crate) fn lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase() || byte == 0) {
        return Cow::Owned(without_nul(name).to_ascii_lowercase());
    }
    Cow::Borrowed(name)
}

pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    if memchr(0, text.as_bytes()).is_some() { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests;
