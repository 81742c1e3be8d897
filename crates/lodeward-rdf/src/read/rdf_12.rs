//! Reports documents that use RDF 1.2, which the parsers are built without.
//!
//! Terms of RDF 1.2 are syntax errors for a parser of RDF 1.1, which skips the statements that contain them. Without
//! this report, such a document looks broken. The archive and the N-Quads of a harvest are RDF 1.1: a triple term has
//! no place in them, so reading it (feature `rdf-12` of `oxttl`) would not be enough.

use super::RdfInput;
use super::input::split_head;
use crate::format::RdfFormat;

/// The part of a document that is searched.
const MAX_HEAD_BYTES: usize = 64 << 10;

/// The beginning of a document in a format that RDF 1.2 extends, and the document.
pub(super) fn split_rdf_12_head(format: RdfFormat, input: RdfInput<'_>) -> (Vec<u8>, RdfInput<'_>) {
    if !matches!(format, RdfFormat::Turtle | RdfFormat::TriG | RdfFormat::NTriples | RdfFormat::NQuads) {
        return (Vec::new(), input);
    }
    match input {
        RdfInput::Slice(bytes) => (bytes[..bytes.len().min(MAX_HEAD_BYTES)].to_vec(), input),
        RdfInput::Stream(stream) => {
            let (head, rest) = split_head(stream, MAX_HEAD_BYTES as u64);
            let document = std::io::Read::chain(std::io::Cursor::new(head.clone()), rest);
            (head, RdfInput::Stream(Box::new(document)))
        }
    }
}

/// The feature of RDF 1.2 that a text uses first.
pub(super) fn rdf_12_feature(text: &[u8]) -> Option<&'static str> {
    let mut at = 0;
    let is_line_start = |at: usize| text[..at].iter().rev().find(|byte| !matches!(byte, b' ' | b'\t')) == Some(&b'\n');
    while let Some(&byte) = text.get(at) {
        let rest = &text[at..];
        match byte {
            b'#' => at += end_of(rest, b'\n'),
            b'<' if rest.starts_with(b"<<") => return Some("triple terms"),
            b'<' => at += end_of(rest, b'>'),
            b'"' | b'\'' => at += string_len(rest, byte),
            b'{' if rest.starts_with(b"{|") => return Some("annotations"),
            b'~' => return Some("reifiers"),
            b'@' if direction(rest) => return Some("text directions"),
            b'V' | b'v' | b'@' if is_version(rest) && (at == 0 || is_line_start(at)) => return Some("`VERSION`"),
            b'\\' => at += 2,
            _ => at += 1,
        }
        if byte == b'@' {
            at += 1;
        }
    }
    None
}

fn end_of(rest: &[u8], end: u8) -> usize {
    memchr::memchr(end, rest).map_or(rest.len(), |found| found + 1)
}

/// The length of the string at the start, in one or three quotes.
fn string_len(rest: &[u8], quote: u8) -> usize {
    let is_long = rest.starts_with(&[quote; 3]);
    let mut at = if is_long { 3 } else { 1 };
    while let Some(&byte) = rest.get(at) {
        at += match byte {
            b'\\' => 2,
            byte if byte == quote && !is_long => return at + 1,
            byte if byte == quote && rest[at..].starts_with(&[quote; 3]) => return at + 3,
            _ => 1,
        };
    }
    rest.len()
}

fn is_version(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"@").unwrap_or(rest);
    let (word, after) = rest.split_at(rest.len().min(7));
    word.eq_ignore_ascii_case(b"version") && after.first().is_some_and(u8::is_ascii_whitespace)
}

/// Whether a language tag with a direction follows: `@ar--rtl`.
fn direction(rest: &[u8]) -> bool {
    let end = rest[1..]
        .iter()
        .position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'-')
        .map_or(rest.len(), |it| it + 1);
    rest[..end].ends_with(b"--ltr") || rest[..end].ends_with(b"--rtl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_rdf_1_2_are_recognised_outside_strings_and_comments() {
        let check = |text: &str, expected| assert_eq!(rdf_12_feature(text.as_bytes()), expected, "{text}");

        check("<a> <b> <<( <c> <d> <e> )>> .", Some("triple terms"));
        check("<< <c> <d> <e> >> <b> <a> .", Some("triple terms"));
        check("<a> <b> <c> {| <d> <e> |} .", Some("annotations"));
        check("<a> <b> <c> ~ <d> .", Some("reifiers"));
        check("VERSION \"1.2\"\n<a> <b> <c> .", Some("`VERSION`"));
        check("@version \"1.2\" .", Some("`VERSION`"));
        check("<a> <b> 'x'@ar--rtl .", Some("text directions"));
        check("# <<\n<a~b> <b{|> '<< ~ {|', '''x'~''' , \"\\\"~\"@en-x--y .", None);
        check(":version <b> <c> .", None);
        check("<a> <b> :c\\~d .", None);
    }
}
