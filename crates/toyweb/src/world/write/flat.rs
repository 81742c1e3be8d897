//! N-Triples and N-Quads.

use super::super::content::{ContentNode, DocumentContent, LiteralAnnotation, XSD};
use super::super::site::push_number;
use super::escape;

pub(super) fn write(content: &DocumentContent, base: &str, out: &mut String) {
    content.for_each(&mut |statement| {
        push_triple(statement.subject, ContentNode::Name(statement.predicate), statement.object, out);
        if let Some(graph) = statement.graph {
            out.push_str(" <");
            push_graph(base, graph, out);
            out.push('>');
        }
        out.push_str(" .\n");
    });
}

/// Appends three terms, without a graph and a full stop.
pub(crate) fn push_triple(
    subject: ContentNode<'_>,
    predicate: ContentNode<'_>,
    object: ContentNode<'_>,
    out: &mut String,
) {
    push_node(subject, out);
    out.push(' ');
    push_node(predicate, out);
    out.push(' ');
    push_node(object, out);
}

/// Appends the name of one of a document's named graphs.
pub(crate) fn push_graph(base: &str, graph: u8, out: &mut String) {
    out.push_str(base);
    out.push_str("#g");
    push_number(graph.into(), out);
}

fn push_node(node: ContentNode<'_>, out: &mut String) {
    match node {
        ContentNode::Iri(iri) => {
            out.push('<');
            out.push_str(iri);
            out.push('>');
        }
        ContentNode::Name(name) => {
            out.push('<');
            name.push_iri(out);
            out.push('>');
        }
        ContentNode::Blank(label) => {
            out.push_str("_:b");
            push_number(label, out);
        }
        ContentNode::Literal(literal) => {
            out.push('"');
            escape::turtle(&literal.text, out);
            out.push('"');
            match literal.annotation {
                LiteralAnnotation::Plain => {}
                LiteralAnnotation::Language(tag) => {
                    out.push('@');
                    out.push_str(tag);
                }
                LiteralAnnotation::Typed(local) => {
                    out.push_str("^^<");
                    out.push_str(XSD);
                    out.push_str(local);
                    out.push('>');
                }
            }
        }
    }
}
