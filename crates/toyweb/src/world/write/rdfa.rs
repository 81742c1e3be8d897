//! Writes RDFa 1.1 in HTML.

use super::super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, LiteralAnnotation, XSD,
};
use super::super::site::push_number;
use super::super::vocabulary::TYPE;
use super::escape;

pub(super) fn write(content: &DocumentContent, out: &mut String) {
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
            ContentSubject::Iri(iri) => escape::markup(iri, out),
            ContentSubject::Blank(label) => push_blank(*label, out),
        }
        out.push('"');
        push_type_and_properties(&description.properties, out);
    }
    out.push_str("</div>\n");
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

/// Appends `typeof`, the properties, and the end tag.
fn push_type_and_properties(properties: &[ContentProperty], out: &mut String) {
    let types = properties.iter().filter(|property| property.predicate == TYPE);
    let mut separator = " typeof=\"";
    for property in types {
        if let ContentTerm::Name(class) = property.object {
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

fn push_property(ContentProperty { predicate, object }: &ContentProperty, out: &mut String) {
    let element = match object {
        ContentTerm::Iri(_) | ContentTerm::Name(_) => "<a property=\"",
        ContentTerm::Blank(_) | ContentTerm::Literal(_) => "<span property=\"",
        ContentTerm::Nested(_) => "<div property=\"",
    };
    out.push_str(element);
    predicate.push_prefixed(out);
    out.push('"');
    match object {
        ContentTerm::Iri(iri) => push_reference(iri, out),
        ContentTerm::Name(name) => push_reference(&name.iri(), out),
        ContentTerm::Blank(label) => {
            out.push_str(" resource=\"");
            push_blank(*label, out);
            out.push_str("\"></span>\n");
        }
        ContentTerm::Nested(properties) => push_type_and_properties(properties, out),
        ContentTerm::Literal(literal) => push_literal(literal, out),
    }
}

fn push_reference(iri: &str, out: &mut String) {
    out.push_str(" href=\"");
    escape::markup(iri, out);
    out.push_str("\">see</a>\n");
}

fn push_literal(literal: &ContentLiteral, out: &mut String) {
    match literal.annotation {
        LiteralAnnotation::Plain => out.push('>'),
        LiteralAnnotation::Language(tag) => {
            out.push_str(" lang=\"");
            out.push_str(tag);
            out.push_str("\">");
        }
        LiteralAnnotation::Typed(local) => {
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
