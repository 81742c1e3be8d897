//! Statements as SPARQL, written so that nothing in them can break a request.
//!
//! SPARQL is not N-Quads: `\uXXXX` is replaced before anything else is read
//! (SPARQL 1.1 §19.2), so it cannot be used to escape; blank nodes have fewer
//! labels; a label may be used in one operation only.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt::Write;

use oxrdf::vocab::xsd;
use oxrdf::{GraphName, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, Quad, TermRef};
use xxhash_rust::xxh3::xxh3_128;

/// Writes statements of one document.
#[derive(Clone, Debug)]
pub(super) struct Scribe {
    /// What its blank nodes' labels begin with, so that no other document of
    /// the same request has one of them.
    prefix: String,
    /// Where graphs whose names are blank nodes are kept: SPARQL has none.
    skolem_base: String,
}

impl Scribe {
    /// For the document that is the so-manieth of a request.
    pub(super) fn new(document: &str, number: usize) -> Self {
        Self { prefix: format!("d{number}"), skolem_base: format!("{document}#.well-known/genid/") }
    }

    /// For what is said about that document, in the same request.
    pub(super) fn beside(document: &str, number: usize) -> Self {
        Self { prefix: format!("p{number}"), ..Self::new(document, number) }
    }

    /// A triple with its dot and a line feed.
    pub(super) fn triple(&self, into: &mut String, quad: &Quad, named: &GraphNames) {
        match quad.subject.as_ref() {
            NamedOrBlankNodeRef::NamedNode(node) => iri(into, node.as_str()),
            NamedOrBlankNodeRef::BlankNode(node) => self.blank(into, node.as_str(), named),
        }
        into.push(' ');
        iri(into, quad.predicate.as_str());
        into.push(' ');
        match quad.object.as_ref() {
            TermRef::NamedNode(node) => iri(into, node.as_str()),
            TermRef::BlankNode(node) => self.blank(into, node.as_str(), named),
            TermRef::Literal(literal) => self::literal(into, literal),
        }
        into.push_str(" .\n");
    }

    fn blank(&self, into: &mut String, label: &str, named: &GraphNames) {
        if named.contains(label) {
            return iri(into, &self.skolem(label));
        }
        into.push_str("_:");
        into.push_str(&self.prefix);
        let is_simple = label.bytes().all(|byte| byte.is_ascii_alphanumeric());
        // The letter tells the two forms apart.
        let written =
            if is_simple { write!(into, "s{label}") } else { write!(into, "h{:032x}", xxh3_128(label.as_bytes())) };
        written.expect("a string can be written to");
    }

    /// The IRI for a blank node that names a graph (RDF 1.1 §3.5).
    fn skolem(&self, label: &str) -> String {
        format!("{}{label}", self.skolem_base)
    }

    /// The name of a graph as an IRI; `None` for the default graph.
    pub(super) fn graph<'a>(&self, graph: &'a GraphName) -> Option<Cow<'a, str>> {
        match graph {
            GraphName::NamedNode(name) => Some(Cow::Borrowed(name.as_str())),
            GraphName::BlankNode(name) => Some(Cow::Owned(self.skolem(name.as_str()))),
            GraphName::DefaultGraph => None,
        }
    }
}

/// The blank nodes of a document that name graphs, and so have to be IRIs
/// wherever they occur.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GraphNames(HashSet<String>);

impl GraphNames {
    pub(super) fn note(&mut self, graph: &GraphName) {
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

/// `GRAPH <name> { … }`, or the triples alone.
pub(super) fn block(into: &mut String, graph: Option<&str>, triples: &str) {
    match graph {
        Some(graph) => {
            into.push_str("GRAPH ");
            iri(into, graph);
            into.push_str(" {\n");
            into.push_str(triples);
            into.push_str("}\n");
        }
        None => into.push_str(triples),
    }
}

/// `DROP SILENT GRAPH <name>;`
pub(super) fn drop_graph(into: &mut String, graph: &str) {
    into.push_str("DROP SILENT GRAPH ");
    iri(into, graph);
    into.push_str(";\n");
}

/// An IRI in its brackets. What IRIREF forbids is percent-encoded: such an IRI
/// cannot be said in SPARQL, and no reader of ours makes one.
pub(super) fn iri(into: &mut String, text: &str) {
    into.push('<');
    for character in text.chars() {
        match character {
            '\0'..=' ' | '<' | '>' | '"' | '{' | '}' | '|' | '^' | '`' | '\\' => {
                write!(into, "%{:02X}", u32::from(character)).expect("a string can be written to");
            }
            _ => into.push(character),
        }
    }
    into.push('>');
}

fn literal(into: &mut String, literal: LiteralRef<'_>) {
    into.push('"');
    string(into, literal.value());
    into.push('"');
    if let Some(language) = literal.language() {
        into.push('@');
        into.push_str(language);
    } else if literal.datatype() != xsd::STRING {
        into.push_str("^^");
        iri(into, literal.datatype().as_str());
    }
}

/// Only four characters must be escaped, and have escapes of their own; others
/// have them for those who look at requests. All else, NUL included, may stand
/// as it is.
fn string(into: &mut String, text: &str) {
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
            // A backslash and `u0041` is text here, but a reader that replaces
            // `\uXXXX` first, as it should, may not count backslashes. It does
            // count if the `u` itself is replaced.
            'u' if after_backslash => into.push_str("\\u0075"),
            'U' if after_backslash => into.push_str("\\u0055"),
            _ => into.push(character),
        }
        after_backslash = character == '\\';
    }
}

/// A triple of our own.
pub(super) fn ground(into: &mut String, subject: &str, predicate: NamedNodeRef<'_>, value: &str) {
    iri(into, subject);
    into.push(' ');
    iri(into, predicate.as_str());
    into.push_str(" \"");
    string(into, value);
    into.push_str("\" .\n");
}

#[cfg(test)]
mod tests {
    use oxrdf::{BlankNode, Literal, NamedNode, Term};
    use proptest::prelude::*;
    use spargebra::{GraphUpdateOperation, SparqlParser};

    use super::*;

    fn scribe() -> Scribe {
        Scribe::new("http://a.example/d", 7)
    }

    fn quad(object: impl Into<Term>) -> Quad {
        let node = NamedNode::new_unchecked;
        Quad::new(node("http://a.example/s"), node("http://a.example/p"), object, node("http://a.example/g"))
    }

    /// What a SPARQL parser reads in what was written.
    fn read_back(quad: &Quad) -> Term {
        let mut triples = String::new();
        scribe().triple(&mut triples, quad, &GraphNames::default());
        let mut update = "INSERT DATA {".to_owned();
        block(&mut update, Some("http://a.example/g"), &triples);
        update.push('}');
        let update = SparqlParser::new().parse_update(&update).unwrap_or_else(|error| panic!("{error}: {update}"));
        match update.operations.into_iter().next() {
            Some(GraphUpdateOperation::InsertData { data }) => data[0].object.clone(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn literals_are_read_back_as_they_were() {
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
    fn an_iri_that_sparql_cannot_say_cannot_break_a_request() {
        let broken = NamedNode::new_unchecked("http://a.example/> } ; DROP ALL ; #\u{1}`{|}^\\\"");
        let mended = "http://a.example/%3E%20%7D%20;%20DROP%20ALL%20;%20#%01%60%7B%7C%7D%5E%5C%22";
        assert_eq!(read_back(&quad(broken)), NamedNode::new_unchecked(mended).into());
        let unicode = NamedNode::new_unchecked("http://a.example/é全%20");
        assert_eq!(read_back(&quad(unicode.clone())), unicode.into());
    }

    #[test]
    fn blank_nodes_have_labels_of_their_document() {
        let label = |label: &str| {
            let mut text = String::new();
            scribe().blank(&mut text, label, &GraphNames(HashSet::from(["g".to_owned()])));
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
