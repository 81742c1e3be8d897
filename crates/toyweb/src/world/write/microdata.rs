//! Writes Microdata for the mapping of "Microdata to RDF" (W3C, 2014): a property without a colon belongs to the
//! vocabulary of its item's type.

use super::super::content::{ContentProperty, ContentSubject, ContentTerm, DocumentContent};
use super::super::vocabulary::{TYPE, VocabularyName, VocabularyNamespace};
use super::escape;

pub(super) fn write(content: &DocumentContent, out: &mut String) {
    for description in &content.descriptions {
        out.push_str("<div itemscope");
        if let ContentSubject::Iri(iri) = &description.subject {
            out.push_str(" itemid=\"");
            escape::markup(iri, out);
            out.push('"');
        }
        push_type_and_properties(&description.properties, out);
    }
}

/// Appends `itemtype`, the properties, and the end tag.
fn push_type_and_properties(properties: &[ContentProperty], out: &mut String) {
    let class = properties.iter().find_map(|property| match property.object {
        ContentTerm::Name(class) if property.predicate == TYPE => Some(class),
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

fn push_property(property: &ContentProperty, vocabulary: Option<VocabularyNamespace>, out: &mut String) {
    match &property.object {
        ContentTerm::Iri(iri) => {
            out.push_str("<a itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" href=\"");
            escape::markup(iri, out);
            out.push_str("\">see</a>\n");
        }
        ContentTerm::Nested(properties) => {
            out.push_str("<div itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" itemscope");
            push_type_and_properties(properties, out);
        }
        ContentTerm::Literal(literal) if literal.text.contains('\n') => {
            out.push_str("<meta itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\" content=\"");
            escape::markup(&literal.text, out);
            out.push_str("\">\n");
        }
        ContentTerm::Literal(literal) => {
            out.push_str("<span itemprop=\"");
            push_name(property.predicate, vocabulary, out);
            out.push_str("\">");
            escape::markup(&literal.text, out);
            out.push_str("</span>\n");
        }
        ContentTerm::Blank(_) | ContentTerm::Name(_) => {
            unreachable!("documents for Microdata have no labelled blank nodes")
        }
    }
}

fn push_name(name: VocabularyName, vocabulary: Option<VocabularyNamespace>, out: &mut String) {
    if Some(name.namespace) == vocabulary {
        name.push_local(out);
    } else {
        name.push_iri(out);
    }
}
