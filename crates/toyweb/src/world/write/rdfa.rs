//! RDFa 1.1 in HTML.

use super::super::content::{Annotation, Content, Literal, Property, Subject, Term, XSD};
use super::super::site::push_number;
use super::super::vocabulary::TYPE;
use super::escape;

pub(super) fn write(content: &Content, out: &mut String) {
    out.push_str("<div prefix=\"xsd: ");
    out.push_str(XSD);
    for namespace in content.namespaces() {
        out.push(' ');
        namespace.push_prefix(out);
        out.push_str(": ");
        namespace.push(out);
    }
    out.push_str("\">\n");
    for description in &content.descriptions {
        out.push_str("<div about=\"");
        match &description.subject {
            Subject::Iri(iri) => escape::markup(iri, out),
            Subject::Blank(label) => push_blank(*label, out),
        }
        out.push('"');
        push_rest(&description.properties, out);
    }
    out.push_str("</div>\n");
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

/// Pushes `typeof`, what is inside, and the end tag.
fn push_rest(properties: &[Property], out: &mut String) {
    let types = properties.iter().filter(|property| property.predicate == TYPE);
    let mut separator = " typeof=\"";
    for property in types {
        if let Term::Name(class) = property.object {
            out.push_str(separator);
            class.push_prefixed(out);
            separator = " ";
        }
    }
    out.push_str(if separator == " " { "\">\n" } else { ">\n" });
    for property in properties.iter().filter(|property| property.predicate != TYPE) {
        push_property(property, out);
    }
    out.push_str("</div>\n");
}

fn push_property(Property { predicate, object }: &Property, out: &mut String) {
    let element = match object {
        Term::Iri(_) | Term::Name(_) => "<a property=\"",
        Term::Blank(_) | Term::Literal(_) => "<span property=\"",
        Term::Nested(_) => "<div property=\"",
    };
    out.push_str(element);
    predicate.push_prefixed(out);
    out.push('"');
    match object {
        Term::Iri(iri) => push_reference(iri, out),
        Term::Name(name) => push_reference(&name.iri(), out),
        Term::Blank(label) => {
            out.push_str(" resource=\"");
            push_blank(*label, out);
            out.push_str("\"></span>\n");
        }
        Term::Nested(properties) => push_rest(properties, out),
        Term::Literal(literal) => push_literal(literal, out),
    }
}

fn push_reference(iri: &str, out: &mut String) {
    out.push_str(" href=\"");
    escape::markup(iri, out);
    out.push_str("\">see</a>\n");
}

fn push_literal(literal: &Literal, out: &mut String) {
    match literal.annotation {
        Annotation::Plain => out.push('>'),
        Annotation::Language(tag) => {
            out.push_str(" lang=\"");
            out.push_str(tag);
            out.push_str("\">");
        }
        Annotation::Typed(local) => {
            out.push_str(" datatype=\"xsd:");
            out.push_str(local);
            out.push_str("\" content=\"");
            escape::markup(&literal.text, out);
            out.push_str("\">");
        }
    }
    escape::markup(&literal.text, out);
    out.push_str("</span>\n");
}
