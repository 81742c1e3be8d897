//! What a document is, whatever it is called.
//!
//! A sixth of the RDF/XML of the web is declared to be something else, and
//! error pages come as `application/rdf+xml`. So the first bytes decide when
//! they are clear; the declared media type decides between what they leave
//! open; and the extension of the file is asked last.

use std::borrow::Cow;

use crate::model::media_type::Syntax;

/// How much of a document is looked at.
pub const HEAD_BYTES: usize = 16 * 1024;

/// What the first bytes look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Look {
    /// A bare element that pages begin with; or a relative IRI of Turtle.
    Tag,
    /// Not text.
    Binary,
    /// This syntax, beyond doubt.
    Clear(Syntax),
    /// Lines of three terms: N-Triples, and Turtle too.
    Triples,
    /// Directives or abbreviations of Turtle, which is `TriG` and N3 too.
    Turtle,
    /// JSON without any keyword of JSON-LD so far.
    Json,
    /// XML that is neither RDF nor HTML.
    Xml,
    /// Nothing known.
    Unclear,
}

/// The syntax of a document, or `None` if there is nothing to read in it.
///
/// `declared` is the essence of its media type; `extension` is that of its
/// address; both in lower case. `head` is its beginning, in UTF-8.
#[must_use]
pub fn syntax(declared: Option<&str>, extension: Option<&str>, head: &[u8]) -> Option<Syntax> {
    let look = look(head);
    if let Look::Clear(syntax) = look {
        return Some(refined(syntax, declared, head));
    }
    if look == Look::Binary || declared.is_some_and(is_media) {
        return None;
    }
    let declared = declared.and_then(Syntax::of_media_type);
    let named = declared.or_else(|| extension.and_then(Syntax::of_extension));
    match (look, named) {
        (Look::Tag, Some(named @ (Syntax::Turtle | Syntax::NTriples | Syntax::NQuads | Syntax::TriG | Syntax::N3))) => {
            Some(named)
        }
        (Look::Tag, _) => Some(if declared == Some(Syntax::Xhtml) { Syntax::Xhtml } else { Syntax::Html }),
        (Look::Triples, Some(named @ (Syntax::Turtle | Syntax::NQuads)))
        | (Look::Triples | Look::Turtle, Some(named @ (Syntax::TriG | Syntax::N3))) => Some(named),
        (Look::Triples, _) => Some(Syntax::NTriples),
        (Look::Turtle, Some(Syntax::NQuads)) => Some(Syntax::TriG),
        (Look::Turtle, _) => Some(Syntax::Turtle),
        // Plain JSON and plain XML are common and hold no RDF; only the server's
        // word can make them more. A file name cannot.
        (Look::Json | Look::Xml, _) => declared,
        (_, named) => named,
    }
}

/// HTML by its looks is XHTML if its server says so, and the other way round,
/// unless it says itself that it is XML with RDFa: servers call such pages HTML
/// for the sake of old browsers. And what is not N3 should not have rules.
fn refined(syntax: Syntax, declared: Option<&str>, head: &[u8]) -> Syntax {
    match (syntax, declared.and_then(Syntax::of_media_type)) {
        (Syntax::Xhtml, Some(Syntax::Html)) if memchr::memmem::find(head, b"//DTD XHTML+RDFa").is_some() => syntax,
        (Syntax::Html | Syntax::Xhtml, Some(declared @ (Syntax::Html | Syntax::Xhtml)))
        | (Syntax::N3, Some(declared @ (Syntax::Turtle | Syntax::TriG))) => declared,
        _ => syntax,
    }
}

/// Media types that are believed: nobody sends RDF as a picture.
fn is_media(essence: &str) -> bool {
    let is_of = |kind: &str| essence.starts_with(kind);
    is_of("image/") || is_of("audio/") || is_of("video/") || is_of("font/") || essence == "text/css"
}

fn look(head: &[u8]) -> Look {
    let head = &head[..head.len().min(HEAD_BYTES)];
    let head = head.strip_prefix(b"\xef\xbb\xbf").unwrap_or(head);
    if has_magic(head) {
        return Look::Binary;
    }
    let text = std::str::from_utf8(head).map_or_else(|_| String::from_utf8_lossy(head), Cow::Borrowed);
    let text = text.trim_start();
    let statements = without_comments(text);
    match statements.as_bytes() {
        [] => Look::Unclear,
        [b'<', b'?' | b'!', ..] => look_of_xml(statements),
        [b'<', ..] => look_of_terms(statements).unwrap_or_else(|| look_of_xml(statements)),
        [b'_', b':', ..] => look_of_terms(statements).unwrap_or(Look::Unclear),
        [b'{' | b'[', rest @ ..] => look_of_brackets(statements, rest),
        _ if has_directive(statements) => look_of_turtle(statements),
        _ if has_controls(head) => Look::Binary,
        _ => Look::Unclear,
    }
}

fn has_magic(head: &[u8]) -> bool {
    const MAGIC: &[&[u8]] =
        &[b"%PDF-", b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"PK\x03\x04", b"\x1f\x8b", b"BZh", b"\x7fELF"];
    MAGIC.iter().any(|magic| head.starts_with(magic))
}

/// Control characters that no text has, as the standard on sniffing says.
fn has_controls(head: &[u8]) -> bool {
    head.iter().take(1024).any(|byte| matches!(byte, 0..=8 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

fn without_comments(mut text: &str) -> &str {
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

/// `<…` that is not a declaration: an IRI that begins a statement, or a tag.
fn look_of_terms(text: &str) -> Option<Look> {
    let (subject, rest) = term(text)?;
    if !is_node(subject) {
        return None;
    }
    if rest.starts_with('{') {
        return Some(Look::Clear(Syntax::TriG));
    }
    let Some((predicate, rest)) = term(rest) else { return (text.len() >= HEAD_BYTES / 2).then_some(Look::Turtle) };
    if !predicate.starts_with('<') {
        let is_name = predicate == "a" || predicate.contains(':');
        return is_name.then(|| look_of_turtle(text));
    }
    let (object, rest) = term(rest)?;
    let is_line = is_node(object) || object.starts_with('"');
    match term(rest) {
        Some((graph, rest)) if is_line && is_node(graph) && rest.starts_with('.') => Some(Look::Clear(Syntax::NQuads)),
        None if is_line && rest.starts_with('.') => Some(Look::Triples),
        _ => Some(look_of_turtle(text)),
    }
}

fn is_node(term: &str) -> bool {
    let is_iri = |iri: &str| iri.contains(':') || iri.is_empty() || iri.starts_with(['#', '/']);
    term.starts_with("_:") || term.strip_prefix('<').and_then(|iri| iri.strip_suffix('>')).is_some_and(is_iri)
}

/// The first term of a text, and the text after it and its white space.
fn term(text: &str) -> Option<(&str, &str)> {
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

/// Turtle with braces is `TriG`, or N3 if it has rules. Those within strings,
/// IRIs and comments do not count. Looks a little way past the usual block of
/// prefixes, byte by byte: this is done for every Turtle document.
fn look_of_turtle(text: &str) -> Look {
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
            b'=' if bytes[at..].starts_with(b">") => return Look::Clear(Syntax::N3),
            b'@' if bytes[at..].starts_with(b"forAll") || bytes[at..].starts_with(b"forSome") => {
                return Look::Clear(Syntax::N3);
            }
            _ => {}
        }
    }
    if has_braces { Look::Clear(Syntax::TriG) } else { Look::Turtle }
}

fn look_of_brackets(text: &str, rest: &[u8]) -> Look {
    let next = rest.iter().find(|byte| !byte.is_ascii_whitespace()).copied();
    let is_json = match text.as_bytes()[0] {
        b'{' => matches!(next, Some(b'"' | b'}') | None),
        // A list may hold anything; an anonymous node of Turtle is followed by
        // a verb.
        _ => matches!(next, Some(b'{' | b'"' | b'[' | b'0'..=b'9' | b'-') | None) || text.trim_end() == "[]",
    };
    if !is_json {
        return look_of_turtle(text);
    }
    let keywords = ["\"@context\"", "\"@id\"", "\"@graph\"", "\"@type\""];
    if keywords.iter().any(|keyword| text.contains(keyword)) { Look::Clear(Syntax::JsonLd) } else { Look::Json }
}

/// Looks for the root element, past declarations, comments and document type.
fn look_of_xml(text: &str) -> Look {
    const RDF: &str = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
    let is_declared = text.starts_with("<?xml");
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let end = if rest.starts_with("<!--") {
            rest.find("-->").map(|end| end + 3)
        } else if rest.starts_with("<?") {
            rest.find('>').map(|end| end + 1)
        } else if has_prefix(rest, "<!doctype") {
            if has_prefix(rest["<!doctype".len()..].trim_start(), "html") {
                return Look::Clear(if rest.contains("XHTML") && is_declared { Syntax::Xhtml } else { Syntax::Html });
            }
            let subset = rest.find(['[', '>']).filter(|&at| rest[at..].starts_with('['));
            subset.map_or_else(|| rest.find('>'), |_| rest.find("]>").map(|end| end + 1)).map(|end| end + 1)
        } else {
            break;
        };
        // Comments or entities that fill the whole head: see what they mention.
        let Some(end) = end else {
            return if text.contains(RDF) { Look::Clear(Syntax::RdfXml) } else { Look::Unclear };
        };
        rest = &rest[end..];
    }
    let Some(tag) = rest.strip_prefix('<') else { return Look::Unclear };
    let name_end =
        tag.find(|character: char| character.is_whitespace() || matches!(character, '>' | '/')).unwrap_or(tag.len());
    let name = &tag[..name_end];
    let tag = &tag[..tag.find('>').unwrap_or(tag.len())];
    let local_name = name.rsplit(':').next().unwrap_or_default();
    if is_html_element(name) {
        // `<a> <b> <c> .` is Turtle just as well as it is HTML.
        let is_root = ["html", "head", "body"].iter().any(|root| root.eq_ignore_ascii_case(name));
        let is_first = !is_declared && rest.len() == text.trim_start().len();
        let behind = &rest[(1 + tag.len() + 1).min(rest.len())..];
        let goes_on_as_triple =
            behind.starts_with(char::is_whitespace) && behind.trim_start().starts_with(['<', ':', '_']);
        if tag.len() == name.len() && !is_root && is_first && goes_on_as_triple {
            return Look::Tag;
        }
        Look::Clear(if is_declared && name == "html" { Syntax::Xhtml } else { Syntax::Html })
    } else if local_name == "svg" {
        Look::Clear(Syntax::Svg)
    } else if local_name == "RDF" || tag.contains(RDF) {
        Look::Clear(Syntax::RdfXml)
    } else if name.is_empty() {
        Look::Unclear
    } else {
        Look::Xml
    }
}

/// The elements by which the standard on sniffing knows HTML, and a few more
/// that pages begin with.
fn is_html_element(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "html", "head", "body", "script", "iframe", "h1", "h2", "div", "font", "table", "a", "style", "title", "b",
        "br", "p", "meta", "link", "base", "center", "form", "img", "ul", "span", "main", "article", "section",
        "header", "nav",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

fn has_prefix(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
#[path = "sniff_tests.rs"]
mod tests;
