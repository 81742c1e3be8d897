//! The HTML tokenizer, by the rules of the HTML standard.
//!
//! html5ever's tokenizer copies every character; this one returns slices of the page. As in the
//! standard, the caller decides when a start tag turns the following text into raw text. Character
//! references are not resolved here, because most text and most attributes are never used.

mod markup;
mod raw;
mod tag;

use std::borrow::Cow;

use memchr::{memchr, memchr2_iter};

pub(crate) use raw::RawTextKind;
pub(crate) use tag::{HtmlTag, TagAttributes};

/// A token of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HtmlToken<'a> {
    /// Text, with its kind if it is raw.
    Text {
        text: &'a str,
        raw: Option<RawTextKind>,
    },
    /// A start tag; its attributes are in [`Tokenizer::attributes`].
    Start(HtmlTag<'a>),
    /// An end tag.
    End(HtmlTag<'a>),
    Comment(&'a str),
    Doctype(HtmlDoctype<'a>),
    /// `<![CDATA[`, which is text in SVG and `MathML` and a comment elsewhere. The caller must then
    /// call [`Tokenizer::cdata`].
    Cdata,
}

/// A document type declaration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct HtmlDoctype<'a> {
    pub(crate) name: Option<&'a str>,
    pub(crate) public_id: Option<&'a str>,
    pub(crate) system_id: Option<&'a str>,
    pub(crate) is_quirky: bool,
}

/// Splits a page into tokens.
#[derive(Debug)]
pub(crate) struct Tokenizer<'a> {
    page: &'a str,
    at: usize,
    raw: Option<RawTextKind>,
    /// The name of the end tag that ends raw text.
    raw_name: &'a str,
    attributes: TagAttributes<'a>,
}

impl<'a> Tokenizer<'a> {
    /// Tokenizes a page whose lines end in line feeds: see [`normalize_newlines`].
    pub(crate) fn new(page: &'a str) -> Self {
        let at = if page.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { page, at, raw: None, raw_name: "", attributes: TagAttributes::default() }
    }

    /// Marks the text after the last start tag as raw.
    pub(crate) fn expect_raw(&mut self, raw: RawTextKind, name: &'a str) {
        self.raw = Some(raw);
        self.raw_name = name;
    }

    /// The attributes of the last tag.
    pub(crate) fn attributes(&self) -> &TagAttributes<'a> {
        &self.attributes
    }

    /// The next token. This is not an iterator, because attributes are borrowed.
    pub(crate) fn next(&mut self) -> Option<HtmlToken<'a>> {
        if let Some(raw) = self.raw.take() {
            let text = self.raw_text(raw);
            if !text.is_empty() {
                return Some(HtmlToken::Text { text, raw: Some(raw) });
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
            // `</>` is no token.
            if token.is_some() || self.at == self.page.len() {
                return token;
            }
            start = self.at;
        }
    }

    /// Continues after [`HtmlToken::Cdata`].
    pub(crate) fn cdata(&mut self, is_text: bool) -> HtmlToken<'a> {
        const OPEN: &str = "<![CDATA[";
        if !is_text {
            self.at += "<!".len();
            return self.bogus_comment();
        }
        self.at += OPEN.len();
        let text = self.take_until("]]>");
        HtmlToken::Text { text, raw: Some(RawTextKind::Text) }
    }

    fn text(&self, start: usize, end: usize) -> Option<HtmlToken<'a>> {
        (start < end).then(|| HtmlToken::Text { text: &self.page[start..end], raw: None })
    }

    fn rest(&self) -> &'a str {
        &self.page[self.at..]
    }

    fn raw_text(&mut self, raw: RawTextKind) -> &'a str {
        let rest = self.rest();
        let text = &rest[..raw.find_end(rest.as_bytes(), self.raw_name)];
        self.at += text.len();
        text
    }
}

/// A page with all line ends normalized to line feeds, as the standard requires.
pub(crate) fn normalize_newlines(page: &str) -> Cow<'_, str> {
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

/// Whether a page contains this word, ignoring case. The search is for the letter at this index,
/// which should be a rare one.
pub(crate) fn contains_ignore_case(page: &str, word: &[u8], letter: usize) -> bool {
    let bytes = page.as_bytes();
    let (lower, upper) = (word[letter].to_ascii_lowercase(), word[letter].to_ascii_uppercase());
    let mut starts = memchr2_iter(lower, upper, bytes).filter_map(|at| at.checked_sub(letter));
    starts.any(|at| bytes[at..].get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word)))
}

/// Resolves the character references of a text, unless it is raw.
pub(crate) fn unescape_text(text: &str, raw: Option<RawTextKind>) -> Cow<'_, str> {
    let has_references = matches!(raw, None | Some(RawTextKind::Rcdata));
    if has_references && memchr(b'&', text.as_bytes()).is_some() {
        htmlize::unescape(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// Resolves the character references of an attribute value.
pub(crate) fn unescape_value(value: &str) -> Cow<'_, str> {
    let value = replace_nul(value);
    if memchr(b'&', value.as_bytes()).is_some() { htmlize::unescape_attribute(value) } else { value }
}

/// The name of a tag or an attribute in lower case.
pub(crate) fn to_lower_case(name: &str) -> Cow<'_, str> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase() || byte == 0) {
        return Cow::Owned(replace_nul(name).to_ascii_lowercase());
    }
    Cow::Borrowed(name)
}

pub(crate) fn replace_nul(text: &str) -> Cow<'_, str> {
    if memchr(0, text.as_bytes()).is_some() { Cow::Owned(text.replace('\0', "\u{fffd}")) } else { Cow::Borrowed(text) }
}

#[cfg(test)]
mod tests;
