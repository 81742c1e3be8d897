//! Tokenizing what follows a `<`: tags, comments, declarations.

use memchr::{memchr, memmem};

use super::{HtmlDoctype, HtmlToken, Tokenizer};

impl<'a> Tokenizer<'a> {
    /// Parses the token that begins with this `<`. `None` if there is no token: for `</>`, and for
    /// a tag inside which the page ends.
    pub(super) fn markup(&mut self) -> Option<HtmlToken<'a>> {
        let rest = self.rest().as_bytes();
        match rest[1] {
            b'!' => Some(self.declaration()),
            b'?' => {
                self.at += 1;
                Some(self.bogus_comment())
            }
            b'/' => match rest[2] {
                b'>' => {
                    self.at += 3;
                    None
                }
                byte if byte.is_ascii_alphabetic() => self.tag(self.at + 2, true),
                _ => {
                    self.at += 2;
                    Some(self.bogus_comment())
                }
            },
            _ => self.tag(self.at + 1, false),
        }
    }

    fn declaration(&mut self) -> HtmlToken<'a> {
        let rest = &self.rest()[2..];
        if rest.starts_with("--") {
            self.at += "<!--".len();
            return self.comment();
        }
        if rest.as_bytes().get(..7).is_some_and(|word| word.eq_ignore_ascii_case(b"doctype")) {
            self.at += "<!doctype".len();
            return HtmlToken::Doctype(self.doctype());
        }
        if rest.starts_with("[CDATA[") {
            return HtmlToken::Cdata;
        }
        self.at += "<!".len();
        self.bogus_comment()
    }

    /// A bogus comment, as the standard calls it: everything up to the next `>`.
    pub(super) fn bogus_comment(&mut self) -> HtmlToken<'a> {
        HtmlToken::Comment(self.take_until(">"))
    }

    fn comment(&mut self) -> HtmlToken<'a> {
        let rest = self.rest();
        // `<!-->` and `<!--->` are complete comments.
        for opening in [">", "->"] {
            if rest.starts_with(opening) {
                self.at += opening.len();
                return HtmlToken::Comment("");
            }
        }
        let bytes = rest.as_bytes();
        let mut from = 0;
        while let Some(dashes) = memmem::find(&bytes[from..], b"--").map(|found| from + found) {
            for closing in ["-->", "--!>"] {
                if bytes[dashes..].starts_with(closing.as_bytes()) {
                    self.at += dashes + closing.len();
                    return HtmlToken::Comment(&rest[..dashes]);
                }
            }
            from = dashes + 1;
        }
        self.at = self.page.len();
        // Dashes at the end of the page start the end of the comment, and are not part of it.
        let open = ["--!", "--", "-"].into_iter().find_map(|end| rest.strip_suffix(end));
        HtmlToken::Comment(open.unwrap_or(rest))
    }

    /// Takes the text up to `end`, and skips `end`; or up to the end of the page.
    pub(super) fn take_until(&mut self, end: &str) -> &'a str {
        let rest = self.rest();
        match memmem::find(rest.as_bytes(), end.as_bytes()) {
            Some(len) => {
                self.at += len + end.len();
                &rest[..len]
            }
            None => {
                self.at = self.page.len();
                rest
            }
        }
    }

    fn doctype(&mut self) -> HtmlDoctype<'a> {
        self.skip_spaces();
        let rest = self.rest();
        let name_len = rest.bytes().position(|byte| matches!(byte, b'\t' | b'\n' | b'\x0c' | b' ' | b'>'));
        let Some(name_len) = name_len else {
            self.at = self.page.len();
            return HtmlDoctype {
                name: Some(rest).filter(|name| !name.is_empty()),
                is_quirky: true,
                ..HtmlDoctype::default()
            };
        };
        let mut doctype =
            HtmlDoctype { name: Some(&rest[..name_len]).filter(|name| !name.is_empty()), ..HtmlDoctype::default() };
        doctype.is_quirky = doctype.name.is_none();
        self.at += name_len;
        self.skip_spaces();
        let is_whole = self.doctype_identifiers(&mut doctype);
        doctype.is_quirky |= is_whole.is_none();
        doctype
    }

    /// Parses the identifiers and the end. `None` if the standard requires quirks mode.
    fn doctype_identifiers(&mut self, doctype: &mut HtmlDoctype<'a>) -> Option<()> {
        let keyword = self.rest().as_bytes().get(..6).unwrap_or_default().to_ascii_lowercase();
        let result = match keyword.as_slice() {
            b"public" => {
                self.at += keyword.len();
                self.identifier(&mut doctype.public_id).and_then(|()| {
                    self.skip_spaces();
                    let has_more = matches!(self.rest().as_bytes().first(), Some(b'"' | b'\''));
                    if has_more { self.identifier(&mut doctype.system_id) } else { Some(()) }
                })
            }
            b"system" => {
                self.at += keyword.len();
                self.identifier(&mut doctype.system_id)
            }
            _ => Some(()),
        };
        self.finish_doctype(doctype, result)
    }

    fn finish_doctype(&mut self, doctype: &HtmlDoctype<'a>, result: Option<()>) -> Option<()> {
        if result.is_none() && self.page.as_bytes().get(self.at.wrapping_sub(1)) == Some(&b'>') {
            return None;
        }
        self.skip_spaces();
        let has_more = self.rest().as_bytes().first().is_some_and(|byte| *byte != b'>');
        let end = memchr(b'>', self.rest().as_bytes());
        self.at = end.map_or(self.page.len(), |end| self.at + end + 1);
        // After a system identifier, anything can follow.
        let is_well_ended = if has_more { doctype.system_id.is_some() } else { end.is_some() };
        (result.is_some() && is_well_ended).then_some(())
    }

    /// Parses a quoted identifier, which a `>` ends early.
    fn identifier(&mut self, identifier: &mut Option<&'a str>) -> Option<()> {
        self.skip_spaces();
        let bytes = self.rest().as_bytes();
        let quote = *bytes.first().filter(|byte| matches!(byte, b'"' | b'\''))?;
        let start = self.at + 1;
        let len = self.page.as_bytes()[start..].iter().position(|byte| *byte == quote || *byte == b'>');
        let end = len.map_or(self.page.len(), |len| start + len);
        *identifier = Some(&self.page[start..end]);
        self.at = (end + 1).min(self.page.len());
        (self.page.as_bytes().get(end) == Some(&quote)).then_some(())
    }
}
