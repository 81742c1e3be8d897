//! Fast writer of canonical N-Quads.
//!
//! Every harvested statement is written once by this module, so the writer avoids `core::fmt`: a
//! term is scanned in blocks that compile to vector instructions, and is copied as a whole unless a
//! character has to be escaped. The output is canonical N-Quads (RDF 1.2 N-Quads §4), so equal
//! statements are equal lines.

use oxrdf::vocab::xsd;
use oxrdf::{GraphNameRef, LiteralRef, NamedOrBlankNodeRef, QuadRef, TermRef};

/// Writes statements of one document; the name of its graph is rendered once.
#[derive(Clone, Debug)]
pub struct NQuadsWriter {
    graph: Box<str>,
    /// End of a line: ` <graph> .` and a line feed.
    ending: Box<[u8]>,
}

impl NQuadsWriter {
    /// Creates a writer for statements that are mostly in the graph `graph`.
    #[must_use]
    pub fn new(graph: &str) -> Self {
        let mut ending = vec![b' '];
        write_iri(&mut ending, graph);
        ending.extend_from_slice(b" .\n");
        Self { graph: graph.into(), ending: ending.into() }
    }

    /// Writes a statement of any graph, with a line feed.
    pub fn write(&self, into: &mut Vec<u8>, quad: QuadRef<'_>) {
        match quad.graph_name {
            GraphNameRef::NamedNode(graph) if graph.as_str() == &*self.graph => {
                write_triple(into, quad);
                into.extend_from_slice(&self.ending);
            }
            _ => write_quad(into, quad),
        }
    }
}

/// Writes a statement and a line feed.
pub fn write_quad(into: &mut Vec<u8>, quad: QuadRef<'_>) {
    write_triple(into, quad);
    match quad.graph_name {
        GraphNameRef::NamedNode(graph) => {
            into.push(b' ');
            write_iri(into, graph.as_str());
        }
        GraphNameRef::BlankNode(graph) => {
            into.push(b' ');
            write_blank_node(into, graph.as_str());
        }
        GraphNameRef::DefaultGraph => {}
    }
    into.extend_from_slice(b" .\n");
}

fn write_triple(into: &mut Vec<u8>, quad: QuadRef<'_>) {
    match quad.subject {
        NamedOrBlankNodeRef::NamedNode(node) => write_iri(into, node.as_str()),
        NamedOrBlankNodeRef::BlankNode(node) => write_blank_node(into, node.as_str()),
    }
    into.push(b' ');
    write_iri(into, quad.predicate.as_str());
    into.push(b' ');
    match quad.object {
        TermRef::NamedNode(node) => write_iri(into, node.as_str()),
        TermRef::BlankNode(node) => write_blank_node(into, node.as_str()),
        TermRef::Literal(literal) => write_literal(into, literal),
    }
}

fn write_blank_node(into: &mut Vec<u8>, label: &str) {
    into.extend_from_slice(b"_:");
    into.extend_from_slice(label.as_bytes());
}

fn write_literal(into: &mut Vec<u8>, literal: LiteralRef<'_>) {
    into.push(b'"');
    write_escaped(into, literal.value(), is_special_in_literal, escape_in_literal);
    into.push(b'"');
    if let Some(language) = literal.language() {
        into.push(b'@');
        into.extend_from_slice(language.as_bytes());
    } else if literal.datatype() != xsd::STRING {
        into.extend_from_slice(b"^^");
        write_iri(into, literal.datatype().as_str());
    }
}

/// Writes an IRI in its angle brackets.
pub fn write_iri(into: &mut Vec<u8>, iri: &str) {
    into.push(b'<');
    write_escaped(into, iri, is_special_in_iri, escape_unicode);
    into.push(b'>');
}

/// Whether IRIREF forbids a character: controls, space, and ``<>"{}|^`\``. The parsers reject such
/// IRIs; if one occurs nevertheless, it must not break the line. Each mask tests two characters
/// with one comparison.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a branch per comparison would prevent vectorisation")]
fn is_special_in_iri(byte: u8) -> bool {
    (byte <= b' ')
        | (byte == b'"')
        | (byte & 0xFD == b'<')
        | (byte & 0xFD == b'\\')
        | (byte == b'`')
        | (byte.wrapping_sub(b'{') <= b'}' - b'{')
}

/// Whether a byte may need an escape in a literal. 0xEF is the first byte of U+FFFE and U+FFFF,
/// which are not XML characters, and of other characters, which `escape_in_literal` copies.
#[inline]
#[expect(clippy::needless_bitwise_bool, reason = "a branch per comparison would prevent vectorisation")]
fn is_special_in_literal(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\') | (byte == 0x7F) | (byte == 0xEF)
}

#[inline]
fn write_escaped(
    into: &mut Vec<u8>,
    text: &str,
    is_special: impl Fn(u8) -> bool + Copy,
    escape: impl Fn(&mut Vec<u8>, char),
) {
    let mut rest = text;
    while let Some(position) = find_special(rest.as_bytes(), is_special) {
        into.extend_from_slice(&rest.as_bytes()[..position]);
        rest = &rest[position..];
        let character = rest.chars().next().expect("a special byte begins a character");
        escape(into, character);
        rest = &rest[character.len_utf8()..];
    }
    into.extend_from_slice(rest.as_bytes());
}

/// Finds the first special byte. Blocks are scanned without early exit, so that the loop over their
/// bytes compiles to a few vector instructions. The last block overlaps the one before it, so only
/// short texts are scanned byte by byte.
#[inline]
fn find_special(bytes: &[u8], is_special: impl Fn(u8) -> bool + Copy) -> Option<usize> {
    const BLOCK: usize = 16;
    let any = |block: &[u8; BLOCK]| block.iter().fold(false, |found, &byte| found | is_special(byte));
    let found = match bytes.last_chunk::<BLOCK>() {
        Some(last) => bytes.as_chunks::<BLOCK>().0.iter().any(any) || any(last),
        None => true,
    };
    if found { bytes.iter().position(|&byte| is_special(byte)) } else { None }
}

#[cold]
fn escape_in_literal(into: &mut Vec<u8>, character: char) {
    let short = match character {
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{C}' => b'f',
        '\r' => b'r',
        '"' => b'"',
        '\\' => b'\\',
        '\0'..' ' | '\u{7F}' | '\u{FFFE}' | '\u{FFFF}' => return escape_unicode(into, character),
        _ => return into.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
    };
    into.extend_from_slice(&[b'\\', short]);
}

/// Writes `\uXXXX`, which suffices: no special character is above U+FFFF.
#[cold]
fn escape_unicode(into: &mut Vec<u8>, character: char) {
    into.extend_from_slice(b"\\u");
    for shift in [12, 8, 4, 0] {
        let digit = u32::from(character) >> shift & 0xF;
        into.extend(char::from_digit(digit, 16).map(|digit| digit.to_ascii_uppercase() as u8));
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};
    use oxttl::NQuadsParser;
    use proptest::prelude::*;

    use super::*;

    fn line(quad: &Quad) -> String {
        let mut line = Vec::new();
        write_quad(&mut line, quad.as_ref());
        String::from_utf8(line).unwrap()
    }

    fn statement(object: impl Into<Term>) -> Quad {
        let node = NamedNode::new_unchecked;
        Quad::new(node("http://a.example/s"), node("http://a.example/p"), object, node("http://a.example/g"))
    }

    #[test]
    fn literals_are_written_in_canonical_form() {
        let check = |literal: Literal, written: &str| {
            let expected = format!("<http://a.example/s> <http://a.example/p> {written} <http://a.example/g> .\n");
            assert_eq!(line(&statement(literal)), expected);
        };
        let integer = oxrdf::vocab::xsd::INTEGER;

        check(Literal::from("plain"), r#""plain""#);
        check(Literal::new_typed_literal("x", oxrdf::vocab::xsd::STRING), r#""x""#);
        check(Literal::new_typed_literal("7", integer), r#""7"^^<http://www.w3.org/2001/XMLSchema#integer>"#);
        check(Literal::new_language_tagged_literal("chat", "fr-be").unwrap(), r#""chat"@fr-be"#);
        check(Literal::from("a\"b\\c\nd\re\tf"), r#""a\"b\\c\nd\re\tf""#);
        check(Literal::from("\u{0}\u{1F}\u{7F}\u{FFFF}"), r#""\u0000\u001F\u007F\uFFFF""#);
        check(Literal::from("全角，and 😀"), r#""全角，and 😀""#);
    }

    #[test]
    fn a_forbidden_character_in_an_iri_cannot_break_the_line() {
        let quad = statement(NamedNode::new_unchecked("http://a.example/> .\n<x`{|}^\\\""));

        let line = line(&quad);

        assert!(
            line.contains(r"<http://a.example/\u003E\u0020.\u000A\u003Cx\u0060\u007B\u007C\u007D\u005E\u005C\u0022>")
        );
        assert_eq!(line.lines().count(), 1);
    }

    fn iri() -> impl Strategy<Value = NamedNode> {
        "[a-zA-Z0-9é%/?#._~-]{0,80}"
            .prop_filter_map("not an IRI", |path| NamedNode::new(format!("http://a.example/{path}")).ok())
    }

    fn blank_node() -> impl Strategy<Value = BlankNode> {
        "[a-z][a-z0-9]{0,40}".prop_map(BlankNode::new_unchecked)
    }

    fn subject() -> impl Strategy<Value = NamedOrBlankNode> {
        prop_oneof![iri().prop_map(Into::into), blank_node().prop_map(Into::into)]
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof!["\\PC{0,200}", any::<String>(), "[\n\r\t\"\\\\\u{7F}\u{FFFE}\u{FFFF}a]{0,60}"]
    }

    fn object() -> impl Strategy<Value = Term> {
        prop_oneof![
            iri().prop_map(Into::into),
            blank_node().prop_map(Into::into),
            text().prop_map(|text| Literal::from(text).into()),
            (text(), iri()).prop_map(|(text, datatype)| Literal::new_typed_literal(text, datatype).into()),
            (text(), "[a-z]{2}(-[a-z]{2})?(-x-[a-z0-9]{1,8})?")
                .prop_map(|(text, language)| Literal::new_language_tagged_literal(text, language).unwrap().into()),
        ]
    }

    fn graph() -> impl Strategy<Value = GraphName> {
        prop_oneof![subject().prop_map(Into::into), Just(GraphName::DefaultGraph)]
    }

    proptest! {
        #[test]
        fn written_quads_are_read_back(
            subject in subject(), predicate in iri(), object in object(), graph in graph(),
        ) {
            let quad = Quad::new(subject, predicate, object, graph);

            let line = line(&quad);

            let read: Vec<Quad> = NQuadsParser::new().for_slice(&line).collect::<Result<_, _>>().unwrap();
            prop_assert_eq!(read, vec![quad.clone()]);
            prop_assert_eq!(line, format!("{quad} .\n"));
        }

        #[test]
        fn the_rendered_graph_name_does_not_change_the_output(object in object(), graph in graph()) {
            let mut quad = statement(object);
            let writer = NQuadsWriter::new("http://a.example/g");
            for graph in [quad.graph_name.clone(), graph] {
                quad.graph_name = graph;
                let mut written = Vec::new();
                writer.write(&mut written, quad.as_ref());
                prop_assert_eq!(String::from_utf8(written).unwrap(), line(&quad));
            }
        }
    }
}
