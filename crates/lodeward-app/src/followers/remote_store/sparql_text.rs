//! Writes statements as SPARQL, so that no value can break a request.
//!
//! SPARQL differs from N-Quads: `\uXXXX` is replaced before anything is parsed (SPARQL 1.1 §19.2),
//! so it cannot serve as an escape; fewer blank node labels are allowed; a label may be used in one
//! operation only.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use oxrdf::vocab::xsd;
use oxrdf::{GraphName, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, Quad, TermRef};
use xxhash_rust::xxh3::xxh3_128;

/// Writes statements of one document.
#[derive(Clone, Debug)]
pub(super) struct SparqlTextWriter {
    /// Prefix of blank node labels, unique among the documents of a request.
    prefix: String,
    /// Base of the IRIs that replace blank nodes as graph names: in SPARQL, a graph name must be an
    /// IRI.
    skolem_base: String,
}

impl SparqlTextWriter {
    /// Creates a writer for document `number` of a request.
    pub(super) fn new(document: &str, number: usize) -> Self {
        Self { prefix: format!("d{number}"), skolem_base: format!("{document}#.well-known/genid/") }
    }

    /// Creates a writer for the provenance of that document in the same request.
    pub(super) fn for_provenance(document: &str, number: usize) -> Self {
        Self { prefix: format!("p{number}"), ..Self::new(document, number) }
    }

    /// Writes a triple with full stop and line feed.
    pub(super) fn write_triple(&self, into: &mut String, quad: &Quad, named: &BlankGraphNames) {
        match quad.subject.as_ref() {
            NamedOrBlankNodeRef::NamedNode(node) => write_iri(into, node.as_str()),
            NamedOrBlankNodeRef::BlankNode(node) => self.write_blank_node(into, node.as_str(), named),
        }
        into.push(' ');
        write_iri(into, quad.predicate.as_str());
        into.push(' ');
        match quad.object.as_ref() {
            TermRef::NamedNode(node) => write_iri(into, node.as_str()),
            TermRef::BlankNode(node) => self.write_blank_node(into, node.as_str(), named),
            TermRef::Literal(literal) => self::write_literal(into, literal),
        }
        into.push_str(" .\n");
    }

    fn write_blank_node(&self, into: &mut String, label: &str, named: &BlankGraphNames) {
        if named.contains(label) {
            return write_iri(into, &self.skolem_iri(label));
        }
        into.push_str("_:");
        into.push_str(&self.prefix);
        let is_simple = label.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // `s` marks a label that is written as it is, `h` a hashed label, so that the two never
        // collide.
        let written =
            if is_simple { write!(into, "s{label}") } else { write!(into, "h{:032x}", xxh3_128(label.as_bytes())) };
        written.expect("writing to a string does not fail");
    }

    /// Skolem IRI of a blank node that names a graph (RDF 1.1 §3.5).
    fn skolem_iri(&self, label: &str) -> String {
        format!("{}{label}", self.skolem_base)
    }

    /// Name of a graph as an IRI; `None` for the default graph.
    pub(super) fn graph_iri<'a>(&self, graph: &'a GraphName) -> Option<Cow<'a, str>> {
        match graph {
            GraphName::NamedNode(name) => Some(Cow::Borrowed(name.as_str())),
            GraphName::BlankNode(name) => Some(Cow::Owned(self.skolem_iri(name.as_str()))),
            GraphName::DefaultGraph => None,
        }
    }
}

/// The blank nodes of a document that name graphs. They are written as IRIs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct BlankGraphNames(HashSet<String>);

impl BlankGraphNames {
    pub(super) fn add(&mut self, graph: &GraphName) {
        if let GraphName::BlankNode(name) = graph
            && !self.contains(name.as_str())
        {
            self.0.insert(name.as_str().to_owned());
        }
    }

    pub(super) fn contains(&self, label: &str) -> bool {
        self.0.contains(label)
    }
}

/// Writes `GRAPH <name> { … }`, or the triples alone for the default graph.
pub(super) fn write_block(into: &mut String, graph: Option<&str>, triples: &str) {
    match graph {
        Some(graph) => {
            into.push_str("GRAPH ");
            write_iri(into, graph);
            into.push_str(" {\n");
            into.push_str(triples);
            into.push_str("}\n");
        }
        None => into.push_str(triples),
    }
}

/// Writes `DROP SILENT GRAPH <name>;`.
pub(super) fn write_drop_graph(into: &mut String, graph: &str) {
    into.push_str("DROP SILENT GRAPH ");
    write_iri(into, graph);
    into.push_str(";\n");
}

/// Writes an IRI in angle brackets. Characters that IRIREF forbids are percent-encoded: SPARQL
/// cannot express such an IRI, and the parsers produce none.
pub(super) fn write_iri(into: &mut String, text: &str) {
    into.push('<');
    for character in text.chars() {
        match character {
            '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\' => {
                write!(into, "%{:02X}", u32::from(character)).expect("writing to a string does not fail");
            }
            _ => into.push(character),
        }
    }
    into.push('>');
}

fn write_literal(into: &mut String, literal: LiteralRef<'_>) {
    into.push('"');
    write_escaped(into, literal.value());
    into.push('"');
    if let Some(language) = literal.language() {
        into.push('@');
        into.push_str(language);
    } else if literal.datatype() != xsd::STRING {
        into.push_str("^^");
        write_iri(into, literal.datatype().as_str());
    }
}

/// Escapes a string literal. SPARQL requires escapes for `"`, `\`, line feed and carriage return;
/// tab, backspace and form feed are escaped for readability. All other characters, NUL included,
/// are allowed.
fn write_escaped(into: &mut String, text: &str) {
    let mut after_backslash = false;
    for character in text.chars() {
        match character {
            '"' => into.push_str("\\\""),
            '\\' => into.push_str("\\\\"),
            '\n' => into.push_str("\\n"),
            '\r' => into.push_str("\\r"),
            '\t' => into.push_str("\\t"),
            '\u{8}' => into.push_str("\\b"),
            '\u{C}' => into.push_str("\\f"),
            // The text `\u0041` is written as `\\u0041`. A parser that replaces `\uXXXX` first, as
            // specified, may find one in it. If the `u` itself is escaped, all parsers read the
            // text correctly.
            'u' if after_backslash => into.push_str("\\u0075"),
            'U' if after_backslash => into.push_str("\\u0055"),
            _ => into.push(character),
        }
        after_backslash = character == '\\';
    }
}

/// Writes a triple with a string literal.
pub(super) fn write_literal_triple(into: &mut String, subject: &str, predicate: NamedNodeRef<'_>, value: &str) {
    write_iri(into, subject);
    into.push(' ');
    write_iri(into, predicate.as_str());
    into.push_str(" \"");
    write_escaped(into, value);
    into.push_str("\" .\n");
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, Literal, NamedNode, Term};
    use proptest::prelude::*;
    use spargebra::{GraphUpdateOperation, SparqlParser};

    use super::*;

    fn writer() -> SparqlTextWriter {
        SparqlTextWriter::new("http://a.example/d", 7)
    }

    fn quad(object: impl Into<Term>) -> Quad {
        let node = NamedNode::new_unchecked;
        Quad::new(node("http://a.example/s"), node("http://a.example/p"), object, node("http://a.example/g"))
    }

    /// Parses the written triple with a SPARQL parser.
    fn read_back(quad: &Quad) -> Term {
        let mut triples = String::new();
        writer().write_triple(&mut triples, quad, &BlankGraphNames::default());
        let mut update = "INSERT DATA {".to_owned();
        write_block(&mut update, Some("http://a.example/g"), &triples);
        update.push('}');
        let update = SparqlParser::new().parse_update(&update).unwrap_or_else(|error| panic!("{error}: {update}"));
        match update.operations.into_iter().next() {
            Some(GraphUpdateOperation::InsertData { data }) => data[0].object.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn literals_are_read_back_unchanged() {
        let all: String = (0..0x300_u32).chain([0xFEFF, 0xFFFE, 0xFFFF, 0x1F600]).filter_map(char::from_u32).collect();
        for text in [all.as_str(), "C:\\u0041 \\U00000041 \\\\u0041 \\", "}; DROP ALL; #", "'''\"\"\"", ""] {
            let literal = Literal::from(text);
            assert_eq!(read_back(&quad(literal.clone())), literal.into());
            let tagged = Literal::new_language_tagged_literal(text, "zh-hans-cn").unwrap();
            assert_eq!(read_back(&quad(tagged.clone())), tagged.into());
            let typed = Literal::new_typed_literal(text, NamedNode::new_unchecked("http://a.example/type"));
            assert_eq!(read_back(&quad(typed.clone())), typed.into());
        }
    }

    #[test]
    fn a_forbidden_character_in_an_iri_cannot_break_a_request() {
        let broken = NamedNode::new_unchecked("http://a.example/> } ; DROP ALL ; #\u{1}`{|}^\\\"");
        let encoded = "http://a.example/%3E%20%7D%20;%20DROP%20ALL%20;%20#%01%60%7B%7C%7D%5E%5C%22";
        assert_eq!(read_back(&quad(broken)), NamedNode::new_unchecked(encoded).into());
        let unicode = NamedNode::new_unchecked("http://a.example/é全%20");
        assert_eq!(read_back(&quad(unicode.clone())), unicode.into());
    }

    #[test]
    fn blank_node_labels_are_unique_per_document() {
        let label = |label: &str| {
            let mut text = String::new();
            writer().write_blank_node(&mut text, label, &BlankGraphNames(HashSet::from(["g".to_owned()])));
            text
        };

        assert_eq!(label("b0"), "_:d7sb0");
        assert_eq!(label("g"), "<http://a.example/d#.well-known/genid/g>");
        assert!(label("a:b").starts_with("_:d7h") && label("a:b") != label("a.b"));
        for odd in ["a:b", "a.b", "é", "a-b"] {
            assert!(matches!(read_back(&quad(BlankNode::new_unchecked(odd))), Term::BlankNode(_)));
        }
    }

    proptest! {
        #[test]
        fn any_text_survives(text in "(\\PC|\\\\|u|[\\x00-\\x1f]|\"|'|[0-9a-f]){0,40}") {
            let literal = Literal::from(text);
            prop_assert_eq!(read_back(&quad(literal.clone())), literal.into());
        }
    }
}
