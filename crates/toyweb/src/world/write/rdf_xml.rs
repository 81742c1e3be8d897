//! Writes RDF/XML.

use super::super::content::{ContentProperty, ContentSubject, ContentTerm, DocumentContent, LiteralAnnotation, XSD};
use super::super::site::push_number;
use super::super::vocabulary::VocabularyName;
use super::{WriteContext, escape};

pub(super) fn write(content: &DocumentContent, context: &WriteContext<'_>, out: &mut String) {
    out.push_str("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<rdf:RDF");
    for namespace in content.namespaces() {
        out.push_str("\n    xmlns:");
        namespace.push_prefix(out);
        out.push_str("=\"");
        namespace.push(out);
        out.push('"');
    }
    out.push_str(">\n");
    for description in &content.descriptions {
        // Half of the documents use typed node elements.
        let (element, properties) = match description.properties.split_first() {
            Some((ContentProperty { object: ContentTerm::Name(class), .. }, rest))
                if context.style.is_multiple_of(2) =>
            {
                (Some(*class), rest)
            }
            _ => (None, description.properties.as_slice()),
        };
        out.push_str("  <");
        push_element(element, out);
        match &description.subject {
            ContentSubject::Iri(iri) => push_attribute("rdf:about", context.shorten(iri), out),
            ContentSubject::Blank(label) => push_node_id(*label, out),
        }
        out.push_str(">\n");
        push_properties(properties, context, out);
        out.push_str("  </");
        push_element(element, out);
        out.push_str(">\n");
    }
    out.push_str("</rdf:RDF>\n");
}

fn push_element(class: Option<VocabularyName>, out: &mut String) {
    match class {
        Some(class) => class.push_prefixed(out),
        None => out.push_str("rdf:Description"),
    }
}

fn push_attribute(name: &str, value: &str, out: &mut String) {
    out.push(' ');
    out.push_str(name);
    out.push_str("=\"");
    escape::markup(value, out);
    out.push('"');
}

fn push_node_id(label: u32, out: &mut String) {
    out.push_str(" rdf:nodeID=\"b");
    push_number(label, out);
    out.push('"');
}

fn push_properties(properties: &[ContentProperty], context: &WriteContext<'_>, out: &mut String) {
    for ContentProperty { predicate, object } in properties {
        out.push_str("    <");
        predicate.push_prefixed(out);
        match object {
            ContentTerm::Iri(iri) => push_attribute("rdf:resource", context.shorten(iri), out),
            ContentTerm::Name(name) => push_attribute("rdf:resource", &name.iri(), out),
            ContentTerm::Blank(label) => push_node_id(*label, out),
            ContentTerm::Nested(properties) => {
                out.push_str(" rdf:parseType=\"Resource\">\n");
                push_properties(properties, context, out);
                push_end(*predicate, out);
                continue;
            }
            ContentTerm::Literal(literal) => {
                match literal.annotation {
                    LiteralAnnotation::Plain => {}
                    LiteralAnnotation::Language(tag) => push_attribute("xml:lang", tag, out),
                    LiteralAnnotation::Typed(local) => {
                        out.push_str(" rdf:datatype=\"");
                        out.push_str(XSD);
                        out.push_str(local);
                        out.push('"');
                    }
                }
                out.push('>');
                escape::markup(&literal.text, out);
                push_end(*predicate, out);
                continue;
            }
        }
        out.push_str("/>\n");
    }
}

fn push_end(predicate: VocabularyName, out: &mut String) {
    out.push_str("</");
    predicate.push_prefixed(out);
    out.push_str(">\n");
}
