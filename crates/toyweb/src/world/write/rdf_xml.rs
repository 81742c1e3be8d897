//! RDF/XML.

use super::super::content::{Annotation, Content, Property, Subject, Term, XSD};
use super::super::site::push_number;
use super::super::vocabulary::Name;
use super::{Setting, escape};

pub(super) fn write(content: &Content, setting: &Setting<'_>, out: &mut String) {
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
            Some((Property { object: Term::Name(class), .. }, rest)) if setting.manner.is_multiple_of(2) => {
                (Some(*class), rest)
            }
            _ => (None, description.properties.as_slice()),
        };
        out.push_str("  <");
        push_element(element, out);
        match &description.subject {
            Subject::Iri(iri) => push_attribute("rdf:about", setting.shorten(iri), out),
            Subject::Blank(label) => push_node_id(*label, out),
        }
        out.push_str(">\n");
        push_properties(properties, setting, out);
        out.push_str("  </");
        push_element(element, out);
        out.push_str(">\n");
    }
    out.push_str("</rdf:RDF>\n");
}

fn push_element(class: Option<Name>, out: &mut String) {
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

fn push_properties(properties: &[Property], setting: &Setting<'_>, out: &mut String) {
    for Property { predicate, object } in properties {
        out.push_str("    <");
        predicate.push_prefixed(out);
        match object {
            Term::Iri(iri) => push_attribute("rdf:resource", setting.shorten(iri), out),
            Term::Name(name) => push_attribute("rdf:resource", &name.iri(), out),
            Term::Blank(label) => push_node_id(*label, out),
            Term::Nested(properties) => {
                out.push_str(" rdf:parseType=\"Resource\">\n");
                push_properties(properties, setting, out);
                push_end(*predicate, out);
                continue;
            }
            Term::Literal(literal) => {
                match literal.annotation {
                    Annotation::Plain => {}
                    Annotation::Language(tag) => push_attribute("xml:lang", tag, out),
                    Annotation::Typed(local) => {
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

fn push_end(predicate: Name, out: &mut String) {
    out.push_str("</");
    predicate.push_prefixed(out);
    out.push_str(">\n");
}
