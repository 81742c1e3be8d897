//! JSON-LD, always with its context inside.

use super::super::content::{Annotation, Content, Description, Literal, Property, Subject, Term, XSD};
use super::super::site::push_number;
use super::super::vocabulary::{Name, Namespace, TYPE};
use super::{Setting, escape};

pub(super) fn write(content: &Content, setting: &Setting<'_>, out: &mut String) {
    let namespaces = content.namespaces();
    let main = namespaces.iter().copied().find(|namespace| matches!(namespace, Namespace::World(_)));
    // Half of the documents name their vocabulary once, with @vocab.
    let vocabulary = main.filter(|_| setting.manner.is_multiple_of(2));
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
    let writer = Writer { vocabulary, setting };
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

struct Writer<'a> {
    vocabulary: Option<Namespace>,
    setting: &'a Setting<'a>,
}

impl Writer<'_> {
    fn push_members(&self, description: &Description, out: &mut String) {
        out.push_str("\"@id\":\"");
        match &description.subject {
            Subject::Iri(iri) => escape::json(self.setting.shorten(iri), out),
            Subject::Blank(label) => push_blank(*label, out),
        }
        out.push('"');
        if !description.properties.is_empty() {
            out.push(',');
        }
        self.push_properties(&description.properties, out);
    }

    fn push_properties(&self, properties: &[Property], out: &mut String) {
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

    fn push_name(&self, name: Name, out: &mut String) {
        if Some(name.namespace) == self.vocabulary {
            name.push_local(out);
        } else {
            name.push_prefixed(out);
        }
    }

    fn push_object(&self, predicate: Name, object: &Term, out: &mut String) {
        match object {
            Term::Name(class) if predicate == TYPE => {
                out.push('"');
                self.push_name(*class, out);
                out.push('"');
            }
            Term::Name(name) => {
                out.push_str("{\"@id\":\"");
                name.push_iri(out);
                out.push_str("\"}");
            }
            Term::Iri(iri) => {
                out.push_str("{\"@id\":\"");
                escape::json(self.setting.shorten(iri), out);
                out.push_str("\"}");
            }
            Term::Blank(label) => {
                out.push_str("{\"@id\":\"");
                push_blank(*label, out);
                out.push_str("\"}");
            }
            Term::Nested(properties) => {
                out.push('{');
                self.push_properties(properties, out);
                out.push('}');
            }
            Term::Literal(literal) => push_literal(literal, out),
        }
    }
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

fn push_literal(literal: &Literal, out: &mut String) {
    let (key, value) = match literal.annotation {
        Annotation::Typed("integer" | "boolean") => return out.push_str(&literal.text),
        Annotation::Plain => ("", ""),
        Annotation::Language(tag) => ("\",\"@language\":\"", tag),
        Annotation::Typed(local) => ("\",\"@type\":\"xsd:", local),
    };
    out.push_str(if key.is_empty() { "\"" } else { "{\"@value\":\"" });
    escape::json(&literal.text, out);
    out.push_str(key);
    out.push_str(value);
    out.push_str(if key.is_empty() { "\"" } else { "\"}" });
}
