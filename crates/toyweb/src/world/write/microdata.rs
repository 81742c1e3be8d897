//! Microdata, as "Microdata to RDF" (W3C, 2014) reads it: a property without
//! a colon belongs to the vocabulary of its item's type.

use super::super::content::{Content, Property, Subject, Term};
use super::super::vocabulary::{Name, Namespace, TYPE};
use super::escape;

pub(super) fn write(content: &Content, out: &mut String) {
    for description in &content.descriptions {
        out.push_str("<div itemscope");
        if let Subject::Iri(iri) = &description.subject {
            out.push_str(" itemid=\"");
            escape::markup(iri, out);
            out.push('"');
        }
        push_rest(&description.properties, out);
    }
}

/// Pushes `itemtype`, what is inside, and the end tag.
fn push_rest(properties: &[Property], out: &mut String) {
    let class = properties.iter().find_map(|property| match property.object {
        Term::Name(class) if property.predicate == TYPE => Some(class),
        _ => None,
    });
    if let Some(class) = class {
        out.push_str(" itemtype=\"");
        class.push_iri(out);
        out.push('"');
    }
    out.push_str(">\n");
    let vocabulary = class.map(|class| class.namespace);
    for property in properties.iter().filter(|property| property.predicate != TYPE) {
        push_property(property, vocabulary, out);
    }
    out.push_str("</div>\n");
}

fn push_property(property: &Property, vocabulary: Option<Namespace>, out: &mut String) {
    match &property.object {
        Term::Iri(iri) => {
            out.push_str("<a itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" href=\"");
            escape::markup(iri, out);
            out.push_str("\">see</a>\n");
        }
        Term::Nested(properties) => {
            out.push_str("<div itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" itemscope");
            push_rest(properties, out);
        }
        Term::Literal(literal) if literal.text.contains('\n') => {
            out.push_str("<meta itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" content=\"");
            escape::markup(&literal.text, out);
            out.push_str("\">\n");
        }
        Term::Literal(literal) => {
            out.push_str("<span itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\">");
            escape::markup(&literal.text, out);
            out.push_str("</span>\n");
        }
        Term::Blank(_) | Term::Name(_) => unreachable!("not composed for Microdata, which has no labels"),
    }
}

fn push_name(name: Name, vocabulary: Option<Namespace>, out: &mut String) {
    if Some(name.namespace) == vocabulary {
        name.push_local(out);
    } else {
        name.push_iri(out);
    }
}
