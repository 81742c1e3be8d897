//! Detects the format of a document.
//!
//! A sixth of the RDF/XML on the web is declared as something else, and error pages are sent as `application/rdf+xml`.
//! So the first bytes decide if they are unambiguous; otherwise the declared media type decides among the remaining
//! formats; the file extension comes last.

mod unsupported;
mod xml;

use std::borrow::Cow;

use crate::format::RdfFormat;
pub use unsupported::unsupported_format;
use xml::sniff_xml;

/// Number of bytes inspected.
pub const HEAD_BYTES: usize = 16 * 1024;

/// The kinds of content that the first bytes indicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SniffedKind {
    /// A bare element as at the beginning of a page, or a relative IRI of Turtle.
    Tag,
    /// Not text.
    Binary,
    /// This format, unambiguously.
    Clear(RdfFormat),
    /// Lines of three terms: N-Triples or Turtle.
    Triples,
    /// Directives or abbreviations of Turtle, which `TriG` and N3 share.
    Turtle,
    /// JSON without a JSON-LD keyword so far.
    Json,
    /// XML that is neither RDF nor HTML.
    Xml,
    /// Unknown.
    Unclear,
}

/// The format of a document, or `None` if it cannot contain RDF.
///
/// `declared` is the essence of its media type; `extension` is that of its URL; both in lower case. `head` is its
/// beginning, in UTF-8.
#[must_use]
pub fn detect_format(declared: Option<&str>, extension: Option<&str>, head: &[u8]) -> Option<RdfFormat> {
    let sniffed = sniff(head);
    if let SniffedKind::Clear(format) = sniffed {
        return Some(refine(format, declared, head));
    }
    if sniffed == SniffedKind::Binary || declared.is_some_and(is_media) {
        return None;
    }
    let (declared_type, declared) = (declared, declared.and_then(RdfFormat::from_media_type));
    let named = declared.or_else(|| extension.and_then(RdfFormat::from_extension));
    match (sniffed, named) {
        (
            SniffedKind::Tag,
            Some(
                named @ (RdfFormat::Turtle | RdfFormat::NTriples | RdfFormat::NQuads | RdfFormat::TriG | RdfFormat::N3),
            ),
        )
        | (SniffedKind::Triples, Some(named @ (RdfFormat::Turtle | RdfFormat::NQuads)))
        | (SniffedKind::Triples | SniffedKind::Turtle, Some(named @ (RdfFormat::TriG | RdfFormat::N3))) => Some(named),
        (SniffedKind::Tag, _) => {
            Some(if declared == Some(RdfFormat::Xhtml) { RdfFormat::Xhtml } else { RdfFormat::Html })
        }
        (SniffedKind::Triples, _) => Some(RdfFormat::NTriples),
        (SniffedKind::Turtle, Some(RdfFormat::NQuads)) => Some(RdfFormat::TriG),
        (SniffedKind::Turtle, _) => Some(RdfFormat::Turtle),
        // Plain JSON and XML are common and contain no RDF. Only the declared media type, not the file name, can make
        // them RDF. Any XML may have RDFa.
        (SniffedKind::Json, _) => declared.filter(|format| *format != RdfFormat::Xml),
        (SniffedKind::Xml, _) => declared.or_else(|| is_xml(declared_type, head).then_some(RdfFormat::Xml)),
        // XML begins with a tag.
        (_, named) => named.filter(|format| *format != RdfFormat::Xml),
    }
}

/// Whether a document that begins with an unknown element is XML, rather than a text that begins with `<`.
fn is_xml(declared: Option<&str>, head: &[u8]) -> bool {
    let is_declared = declared.is_none_or(|declared| declared.ends_with("+xml") || declared.ends_with("/xml"));
    is_declared || head.trim_ascii_start().starts_with(b"<?xml")
}

/// Refines HTML to XHTML and vice versa by the declared media type, unless the document type is XHTML with RDFa:
/// servers declare such pages as HTML for old browsers. Also, only N3 may have rules.
fn refine(format: RdfFormat, declared: Option<&str>, head: &[u8]) -> RdfFormat {
    match (format, declared.and_then(RdfFormat::from_media_type)) {
        (RdfFormat::Xhtml, Some(RdfFormat::Html)) if memchr::memmem::find(head, b"//DTD XHTML+RDFa").is_some() => {
            format
        }
        (RdfFormat::Html | RdfFormat::Xhtml, Some(declared @ (RdfFormat::Html | RdfFormat::Xhtml)))
        | (RdfFormat::N3, Some(declared @ (RdfFormat::Turtle | RdfFormat::TriG))) => declared,
        _ => format,
    }
}

/// Whether a declared media type alone proves that the document is not RDF: RDF is never sent as an image, for example.
fn is_media(essence: &str) -> bool {
    let is_of = |kind: &str| essence.starts_with(kind);
    is_of("image/") || is_of("audio/") || is_of("video/") || is_of("font/") || essence == "text/css"
}

fn sniff(head: &[u8]) -> SniffedKind {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if has_magic(head) {
        return SniffedKind::Binary;
    }
    let text = std::str::from_utf8(head).map_or_else(|_| String::from_utf8_lossy(head), Cow::Borrowed);
    let text = text.trim_start();
    let statements = skip_comments(text);
    match statements.as_bytes() {
        [] => SniffedKind::Unclear,
        [b'<', b'?' | b'!', ..] => sniff_xml(statements),
        [b'<', ..] => sniff_terms(statements).unwrap_or_else(|| sniff_xml(statements)),
        [b'[', b'"', ..] if is_hex_tuple(statements) => SniffedKind::Clear(RdfFormat::HexTuples),
        [b'_', b':', ..] => sniff_terms(statements).unwrap_or(SniffedKind::Unclear),
        [b'{' | b'[', rest @ ..] => sniff_brackets(statements, rest),
        _ if has_directive(statements) => sniff_turtle(statements),
        _ if is_yaml_ld(statements) => SniffedKind::Clear(RdfFormat::YamlLd),
        _ if has_control_characters(head) => SniffedKind::Binary,
        _ => SniffedKind::Unclear,
    }
}

fn has_magic(head: &[u8]) -> bool {
    const MAGIC: &[&[u8]] =
        &[b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\x7fELF"];
    MAGIC.iter().any(|magic| head.starts_with(magic))
}

/// Control characters that do not occur in text, according to the MIME Sniffing standard.
fn has_control_characters(head: &[u8]) -> bool {
    head.iter().take(1024).any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

fn skip_comments(mut text: &str) -> &str {
    while text.starts_with('#') {
        text = text.split_once('\n').map_or("", |(_, rest)| rest).trim_start();
    }
    text
}

fn has_directive(text: &str) -> bool {
    let first = text.split(|character: char| character.is_whitespace() || character == '<').next().unwrap_or_default();
    let is_sparql = ["prefix", "base"].iter().any(|word| first.eq_ignore_ascii_case(word)) && text.contains('<');
    is_sparql || matches!(first, "@prefix" | "@base" | "@keywords" | "@forAll" | "@forSome")
}

/// `<…` that is not a declaration: an IRI at the start of a statement, or a tag.
fn sniff_terms(text: &str) -> Option<SniffedKind> {
    let (subject, rest) = next_term(text)?;
    if !is_node(subject) {
        return None;
    }
    if rest.starts_with('{') {
        return Some(SniffedKind::Clear(RdfFormat::TriG));
    }
    let Some((predicate, rest)) = next_term(rest) else {
        return (text.len() >= HEAD_BYTES / 2).then_some(SniffedKind::Turtle);
    };
    if !predicate.starts_with('<') {
        let is_name = predicate == "a" || predicate.contains(':');
        return is_name.then(|| sniff_turtle(text));
    }
    let (object, rest) = next_term(rest)?;
    let is_line = is_node(object) || object.starts_with('"');
    match next_term(rest) {
        Some((graph, rest)) if is_line && is_node(graph) && rest.starts_with('.') => {
            Some(SniffedKind::Clear(RdfFormat::NQuads))
        }
        None if is_line && rest.starts_with('.') => Some(SniffedKind::Triples),
        _ => Some(sniff_turtle(text)),
    }
}

fn is_node(term: &str) -> bool {
    let is_iri = |iri: &str| iri.contains(':') || iri.is_empty() || iri.starts_with(['#', '/']);
    term.starts_with("_:") || term.strip_prefix('<').and_then(|iri| iri.strip_suffix('>')).is_some_and(is_iri)
}

/// The first term of a text, and the text after it and its white space.
fn next_term(text: &str) -> Option<(&str, &str)> {
    let end = match text.as_bytes().first()? {
        b'<' => text.find(['>', ' ', '\n', '"']).filter(|&end| text[end..].starts_with('>'))? + 1,
        b'"' => {
            let mut is_escaped = false;
            let is_end = |character: char| match character {
                '\\' if !is_escaped => {
                    is_escaped = true;
                    false
                }
                character => !std::mem::take(&mut is_escaped) && character == '"',
            };
            let quote = 1 + text[1..].find(is_end)? + 1;
            quote + text[quote..].find([' ', '\t', '\n']).unwrap_or(0)
        }
        b'.' => return None,
        _ => text.find([' ', '\t', '\n', '\r'])?,
    };
    Some((&text[..end], text[end..].trim_start()))
}

/// Turtle with braces is `TriG`, or N3 if it has rules. Braces within strings, IRIs and comments do not count. Scans a
/// little beyond the usual block of prefixes, byte by byte: this runs for every Turtle document.
fn sniff_turtle(text: &str) -> SniffedKind {
    let bytes = &text.as_bytes()[..text.len().min(HEAD_BYTES)];
    let past = |from: usize, ends: &[u8]| {
        let end = bytes[from..].iter().position(|byte| ends.contains(byte));
        end.map_or(bytes.len(), |end| from + end + 1)
    };
    let mut at = 0;
    let mut has_braces = false;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' => has_braces = true,
            b'<' => at = past(at, b">\n"),
            b'"' => at = past(at, b"\""),
            b'#' => at = past(at, b"\n"),
            b'=' if bytes[at..].starts_with(b">") => return SniffedKind::Clear(RdfFormat::N3),
            b'@' if bytes[at..].starts_with(b"forAll") || bytes[at..].starts_with(b"forSome") => {
                return SniffedKind::Clear(RdfFormat::N3);
            }
            _ => {}
        }
    }
    if has_braces { SniffedKind::Clear(RdfFormat::TriG) } else { SniffedKind::Turtle }
}

fn sniff_brackets(text: &str, rest: &[u8]) -> SniffedKind {
    let next = rest.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
    let is_json = match text.as_bytes()[0] {
        b'{' => matches!(next, Some(b'"' | b'}') | None),
        // A JSON array begins with a value; in Turtle, a verb follows the bracket of an anonymous node.
        _ => matches!(next, Some(b'{' | b'"' | b'[' | b'0'..=b'9' | b'-') | None) || text.trim_end() == "[]",
    };
    if !is_json {
        return sniff_turtle(text);
    }
    let keywords = ["\"@context\"", "\"@id\"", "\"@graph\"", "\"@type\""];
    if keywords.iter().any(|keyword| text.contains(keyword)) {
        SniffedKind::Clear(RdfFormat::JsonLd)
    } else {
        SniffedKind::Json
    }
}

/// Whether the first line is a tuple of `HexTuples`: an array of six strings, the first of which is a node, the second
/// an absolute IRI.
fn is_hex_tuple(text: &str) -> bool {
    let line = text.lines().next().unwrap_or_default().trim_end();
    let Some(mut rest) = line.strip_prefix('[') else { return false };
    let mut fields = Vec::new();
    while let Some((string, after)) = next_json_string(rest.trim_start()) {
        fields.push(string);
        rest = after.trim_start().strip_prefix(',').unwrap_or(after);
    }
    let is_node = |text: &str| text.starts_with("_:") || text.contains("://") || text.starts_with("urn:");
    fields.len() == 6 && is_node(fields[0]) && is_node(fields[1])
}

/// The content of the JSON string at the start of a text, as written, and the text after it.
fn next_json_string(text: &str) -> Option<(&str, &str)> {
    let text = text.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let was_escaped = is_escaped;
        is_escaped = !was_escaped && byte == b'\\';
        byte == b'"' && !was_escaped
    })?;
    Some((&text[..end], &text[end + 1..]))
}

/// Whether a line at the top level of a YAML document has the key `@context`, `@id`, `@graph` or `@type`: in quotes,
/// because `@` is reserved.
fn is_yaml_ld(text: &str) -> bool {
    let is_key = |line: &str| {
        let line = line.strip_prefix("- ").unwrap_or(line);
        let Some(quote @ ('"' | '\'')) = line.chars().next() else { return false };
        let Some((key, rest)) = line[1..].split_once(quote) else { return false };
        matches!(key, "@context" | "@id" | "@graph" | "@type") && rest.starts_with(':')
    };
    text.lines().take(200).any(is_key)
}

#[cfg(test)]
mod tests;
