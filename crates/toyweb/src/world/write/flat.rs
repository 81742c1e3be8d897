//! N-Triples and N-Quads.

use super::super::content::{Annotation, Content, Node, XSD};
use super::super::site::push_number;
use super::escape;

pub(super) fn write(content: &Content, base: &str, out: &mut String) {
    content.for_each(&mut |statement| {
        push_triple(statement.subject, Node::Name(statement.predicate), statement.object, out);
        if let Some(graph) = statement.graph {
            out.push_str(" <");
            push_graph(base, graph, out);
            out.push('>');
        }
        out.push_str(" .\n");
    });
}

/// Pushes three terms, without a graph and a full stop.
pub(crate) fn push_triple(subject: Node<'_>, predicate: Node<'_>, object: Node<'_>, out: &mut String) {
    push_node(subject, out);
    out.push(' ');
    push_node(predicate, out);
    out.push(' ');
    push_node(object, out);
}

/// Pushes the name of one of a document's named graphs.
pub(crate) fn push_graph(base: &str, graph: u8, out: &mut String) {
    out.push_str(base);
    out.push_str("#g");
    push_number(graph.into(), out);
}

fn push_node(node: Node<'_>, out: &mut String) {
    match node {
        Node::Iri(iri) => {
            out.push('<');
            out.push_str(iri);
            out.push('>');
        }
        Node::Name(name) => {
            out.push('<');
            name.push_iri(out);
            out.push('>');
        }
        Node::Blank(label) => {
            out.push_str("_:b");
            push_number(label, out);
        }
        Node::Literal(literal) => {
            out.push('"');
            escape::turtle(&literal.text, out);
            out.push('"');
            match literal.annotation {
                Annotation::Plain => {}
                Annotation::Language(tag) => {
                    out.push('@');
                    out.push_str(tag);
                }
                Annotation::Typed(local) => {
                    out.push_str("^^<");
                    out.push_str(XSD);
                    out.push_str(local);
                    out.push('>');
                }
            }
        }
    }
}
