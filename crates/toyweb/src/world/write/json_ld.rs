//! Writes JSON-LD, always with an inline context.

use super::super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, LiteralAnnotation,
    SubjectDescription, XSD,
};
use super::super::site::push_number;
use super::super::vocabulary::{TYPE, VocabularyName, VocabularyNamespace};
use super::{WriteContext, escape};

pub(super) fn write(content: &DocumentContent, context: &WriteContext<'_>, out: &mut String) {
    let namespaces = content.namespaces();
    let main = namespaces.iter().copied().find(|namespace| matches!(namespace, VocabularyNamespace::World(_)));
    // Half of the documents name their vocabulary once, with @vocab.
    let vocabulary = main.filter(|_| context.style.is_multiple_of(2));
    out.push_str("{\"@context\":{");
    if let Some(vocabulary) = vocabulary {
        out.push_str("\"@vocab\":\"");
        vocabulary.push(out);
        out.push_str("\",");
    }
    for namespace in namespaces.iter().filter(|namespace| Some(**namespace) != vocabulary) {
        out.push('"');
        namespace.push_prefix(out);
        out.push_str("\":\"");
        namespace.push(out);
        out.push_str("\",");
    }
    out.push_str("\"xsd\":\"");
    out.push_str(XSD);
    out.push_str("\"},");
    let writer = JsonLdWriter { vocabulary, context };
    if let [description] = content.descriptions.as_slice() {
        writer.push_members(description, out);
    } else {
        out.push_str("\"@graph\":[\n");
        for (index, description) in content.descriptions.iter().enumerate() {
            out.push_str(if index == 0 { "{" } else { ",\n{" });
            writer.push_members(description, out);
            out.push('}');
        }
        out.push(']');
    }
    out.push_str("}\n");
}

struct JsonLdWriter<'a> {
    vocabulary: Option<VocabularyNamespace>,
    context: &'a WriteContext<'a>,
}

impl JsonLdWriter<'_> {
    fn push_members(&self, description: &SubjectDescription, out: &mut String) {
        out.push_str("\"@id\":\"");
        match &description.subject {
            ContentSubject::Iri(iri) => escape::json(self.context.shorten(iri), out),
            ContentSubject::Blank(label) => push_blank(*label, out),
        }
        out.push('"');
        if !description.properties.is_empty() {
            out.push(',');
        }
        self.push_properties(&description.properties, out);
    }

    fn push_properties(&self, properties: &[ContentProperty], out: &mut String) {
        let groups = properties.chunk_by(|left, right| left.predicate == right.predicate);
        for (index, group) in groups.enumerate() {
            if index > 0 {
                out.push(',');
            }
            let predicate = group[0].predicate;
            out.push('"');
            if predicate == TYPE {
                out.push_str("@type");
            } else {
                self.push_name(predicate, out);
            }
            out.push_str(if group.len() > 1 { "\":[" } else { "\":" });
            for (index, property) in group.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                self.push_object(predicate, &property.object, out);
            }
            if group.len() > 1 {
                out.push(']');
            }
        }
    }

    fn push_name(&self, name: VocabularyName, out: &mut String) {
        if Some(name.namespace) == self.vocabulary {
            name.push_local(out);
        } else {
            name.push_prefixed(out);
        }
    }

    fn push_object(&self, predicate: VocabularyName, object: &ContentTerm, out: &mut String) {
        match object {
            ContentTerm::Name(class) if predicate == TYPE => {
                out.push('"');
                self.push_name(*class, out);
                out.push('"');
            }
            ContentTerm::Name(name) => {
                out.push_str("{\"@id\":\"");
                name.push_iri(out);
                out.push_str("\"}");
            }
            ContentTerm::Iri(iri) => {
                out.push_str("{\"@id\":\"");
                escape::json(self.context.shorten(iri), out);
                out.push_str("\"}");
            }
            ContentTerm::Blank(label) => {
                out.push_str("{\"@id\":\"");
                push_blank(*label, out);
                out.push_str("\"}");
            }
            ContentTerm::Nested(properties) => {
                out.push('{');
                self.push_properties(properties, out);
                out.push('}');
            }
            ContentTerm::Literal(literal) => push_literal(literal, out),
        }
    }
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

fn push_literal(literal: &ContentLiteral, out: &mut String) {
    let (key, value) = match literal.annotation {
        LiteralAnnotation::Typed("integer" | "boolean") => return out.push_str(&literal.text),
        LiteralAnnotation::Plain => ("", ""),
        LiteralAnnotation::Language(tag) => ("\",\"@language\":\"", tag),
        LiteralAnnotation::Typed(local) => ("\",\"@type\":\"xsd:", local),
    };
    out.push_str(if key.is_empty() { "\"" } else { "{\"@value\":\"" });
    escape::json(&literal.text, out);
    out.push_str(key);
    out.push_str(value);
    out.push_str(if key.is_empty() { "\"" } else { "\"}" });
}
