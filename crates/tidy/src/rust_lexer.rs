//! Splits Rust source text into code, comments and literals.
//!
//! The lexer implements only the part of the grammar that decides where comments and
//! literals begin and end: nested block comments, raw strings with any number of
//! `#`, byte and C strings, escapes, character literals and lifetimes.

use std::ops::Range;

/// What a piece of source text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    /// A comment, documentation included; the range includes its markers.
    Comment,
    /// A string literal with escapes; the range is what is between the quotes.
    Str,
    /// A raw string literal; the range is what is between the quotes.
    RawStr,
    /// A character or byte literal, quotes included.
    Char,
}

/// A comment or a literal; everything between two pieces is code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) kind: PieceKind,
    pub(crate) range: Range<usize>,
}

/// The comments and literals of a source text, in order.
pub(crate) fn pieces(source: &str) -> Vec<Piece> {
    let mut lexer = Lexer { bytes: source.as_bytes(), source, at: 0, pieces: Vec::new() };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    lexer.pieces
}

/// The source with comments and literals replaced by spaces; offsets and line
/// numbers stay as they are.
pub(crate) fn code_only(source: &str) -> String {
    let mut bytes = source.as_bytes().to_vec();
    for piece in pieces(source) {
        blank(&mut bytes, piece.range);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Overwrites a range with spaces, except for its line breaks.
pub(crate) fn blank(bytes: &mut [u8], range: Range<usize>) {
    for byte in &mut bytes[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// The line of an offset, counted from 1.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    text[..offset].matches('\n').count() + 1
}

struct Lexer<'a> {
    bytes: &'a [u8],
    source: &'a str,
    at: usize,
    pieces: Vec<Piece>,
}

impl Lexer<'_> {
    fn byte(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: PieceKind, range: Range<usize>) {
        self.pieces.push(Piece { kind, range });
    }

    fn step(&mut self) {
        match (self.byte(0), self.byte(1)) {
            (b'/', b'/') => self.line_comment(),
            (b'/', b'*') => self.block_comment(),
            (b'"', _) => self.string(),
            (b'\'', _) => self.char_or_lifetime(),
            (first, _) if is_identifier_byte(first) => self.word(),
            _ => self.at += 1,
        }
    }

    fn line_comment(&mut self) {
        let start = self.at;
        self.at = self.source[start..].find('\n').map_or(self.bytes.len(), |length| start + length);
        self.push(PieceKind::Comment, start..self.at);
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0_usize;
        while self.at < self.bytes.len() {
            match (self.byte(0), self.byte(1)) {
                (b'/', b'*') => (depth, self.at) = (depth + 1, self.at + 2),
                (b'*', b'/') => (depth, self.at) = (depth - 1, self.at + 2),
                _ => self.at += 1,
            }
            if depth == 0 {
                break;
            }
        }
        self.push(PieceKind::Comment, start..self.at);
    }

    fn string(&mut self) {
        self.at += 1;
        let start = self.at;
        while self.at < self.bytes.len() && self.byte(0) != b'"' {
            self.at += if self.byte(0) == b'\\' { 2 } else { 1 };
        }
        let end = self.at.min(self.bytes.len());
        self.push(PieceKind::Str, start..end);
        self.at = end + 1;
    }

    /// An identifier, a number, or the prefix of a raw string.
    fn word(&mut self) {
        let start = self.at;
        while is_identifier_byte(self.byte(0)) {
            self.at += 1;
        }
        if matches!(&self.source[start..self.at], "r" | "br" | "cr") {
            let hashes = self.bytes[self.at..].iter().take_while(|byte| **byte == b'#').count();
            if self.byte(hashes) == b'"' {
                self.raw_string(hashes);
            }
        }
    }

    fn raw_string(&mut self, hashes: usize) {
        let start = self.at + hashes + 1;
        let closing = format!("\"{}", "#".repeat(hashes));
        let end = self.source[start..].find(&closing).map_or(self.bytes.len(), |length| start + length);
        self.push(PieceKind::RawStr, start..end);
        self.at = (end + closing.len()).min(self.bytes.len());
    }

    /// `'x'` and `'\n'` are literals; `'a` in `&'a str` is a lifetime.
    fn char_or_lifetime(&mut self) {
        let start = self.at;
        let body = &self.source[start + 1..];
        let length = if body.starts_with('\\') {
            body.get(2..).and_then(|rest| rest.find('\'')).map(|length| length + 2)
        } else {
            body.chars().next().map(char::len_utf8).filter(|length| body[*length..].starts_with('\''))
        };
        match length {
            Some(length) => {
                self.at = start + 1 + length + 1;
                self.push(PieceKind::Char, start..self.at);
            }
            None => self.at += 1,
        }
    }
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(source: &str) -> Vec<(PieceKind, &str)> {
        pieces(source).into_iter().map(|piece| (piece.kind, &source[piece.range])).collect()
    }

    #[test]
    fn comments_are_found_and_block_comments_nest() {
        let source = "a /* one /* two */ three */ b // four\nc";
        assert_eq!(texts(source), [(PieceKind::Comment, "/* one /* two */ three */"), (PieceKind::Comment, "// four")]);
    }

    #[test]
    fn strings_end_at_the_first_quote_that_is_not_escaped() {
        assert_eq!(texts(r#"f("a \" // b", b"c")"#), [(PieceKind::Str, r#"a \" // b"#), (PieceKind::Str, "c")]);
        assert_eq!(texts(r#""\\" x "y""#), [(PieceKind::Str, r"\\"), (PieceKind::Str, "y")]);
    }

    #[test]
    fn raw_strings_end_at_a_quote_with_as_many_hashes() {
        let source = "r#\"a \"quoted\" // b\"# br\"c\\\" r##\"d\"#e\"##";
        assert_eq!(
            texts(source),
            [(PieceKind::RawStr, "a \"quoted\" // b"), (PieceKind::RawStr, "c\\"), (PieceKind::RawStr, "d\"#e")]
        );
    }

    #[test]
    fn raw_identifiers_are_code() {
        assert_eq!(texts("let r#type = for_r; x"), []);
    }

    #[test]
    fn quote_characters_open_no_string() {
        assert_eq!(texts(r#"'"' "a""#), [(PieceKind::Char, "'\"'"), (PieceKind::Str, "a")]);
        assert_eq!(texts(r#"'\'' "a""#), [(PieceKind::Char, r"'\''"), (PieceKind::Str, "a")]);
        assert_eq!(texts("'…' '\\u{2026}'"), [(PieceKind::Char, "'…'"), (PieceKind::Char, "'\\u{2026}'")]);
    }

    #[test]
    fn lifetimes_are_code() {
        assert_eq!(texts("fn f<'a>(x: &'a str, y: &'static str) -> &'a str { \"z\" }"), [(PieceKind::Str, "z")]);
    }

    #[test]
    fn code_keeps_its_offsets() {
        let source = "let a = \"ü\\n\"; // ö\nlet b;";
        let code = code_only(source);
        assert_eq!(code.len(), source.len());
        assert_eq!(code.find("let b"), source.find("let b"));
        assert_eq!(code.matches('\n').count(), 1);
        assert_eq!(line_of(source, source.len()), 2);
    }
}
