//! Turtle and TriG.

use super::super::content::{Annotation, Content, Literal, Property, Subject, Term, XSD};
use super::super::site::push_number;
use super::super::vocabulary::{Name, TYPE};
use super::{Setting, escape, flat};

pub(super) fn write(content: &Content, setting: &Setting<'_>, out: &mut String) {
    for namespace in content.namespaces() {
        out.push_str("@prefix ");
        namespace.push_prefix(out);
        out.push_str(": <");
        namespace.push(out);
        out.push_str("> .\n");
    }
    out.push_str("@prefix xsd: <");
    out.push_str(XSD);
    out.push_str("> .\n");
    for description in &content.descriptions {
        if let Some(graph) = description.graph {
            // Both ways TriG has of opening a graph.
            out.push_str(if setting.manner.is_multiple_of(2) { "\n<" } else { "\nGRAPH <" });
            let mut name = String::new();
            flat::push_graph(setting.base, graph, &mut name);
            out.push_str(setting.shorten(&name));
            out.push_str("> {");
        }
        out.push('\n');
        match &description.subject {
            Subject::Iri(iri) => push_iri(iri, setting, out),
            Subject::Blank(label) => push_blank(*label, out),
        }
        out.push(' ');
        push_properties(&description.properties, "\n  ", setting, out);
        out.push_str(" .\n");
        if description.graph.is_some() {
            out.push_str("}\n");
        }
    }
}

fn push_properties(properties: &[Property], indentation: &str, setting: &Setting<'_>, out: &mut String) {
    let mut previous: Option<Name> = None;
    for property in properties {
        match previous {
            Some(predicate) if predicate == property.predicate => out.push_str(", "),
            _ => {
                if previous.is_some() {
                    out.push_str(" ;");
                    out.push_str(indentation);
                }
                push_predicate(property.predicate, out);
                out.push(' ');
            }
        }
        previous = Some(property.predicate);
        push_object(&property.object, setting, out);
    }
}

fn push_predicate(predicate: Name, out: &mut String) {
    if predicate == TYPE {
        out.push('a');
    } else {
        predicate.push_prefixed(out);
    }
}

fn push_object(object: &Term, setting: &Setting<'_>, out: &mut String) {
    match object {
        Term::Iri(iri) => push_iri(iri, setting, out),
        Term::Name(name) => name.push_prefixed(out),
        Term::Blank(label) => push_blank(*label, out),
        Term::Literal(literal) => push_literal(literal, out),
        Term::Nested(properties) => {
            out.push_str("[ ");
            push_properties(properties, " ", setting, out);
            out.push_str(" ]");
        }
    }
}

fn push_iri(iri: &str, setting: &Setting<'_>, out: &mut String) {
    out.push('<');
    out.push_str(setting.shorten(iri));
    out.push('>');
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

fn push_literal(literal: &Literal, out: &mut String) {
    // Numbers and truth values have a short form.
    if matches!(literal.annotation, Annotation::Typed("integer" | "boolean" | "decimal")) {
        out.push_str(&literal.text);
        return;
    }
    if literal.text.contains('\n') {
        out.push_str("\"\"\"");
        escape::turtle_long(&literal.text, out);
        out.push_str("\"\"\"");
    } else {
        out.push('"');
        escape::turtle(&literal.text, out);
        out.push('"');
    }
    match literal.annotation {
        Annotation::Plain => {}
        Annotation::Language(tag) => {
            out.push('@');
            out.push_str(tag);
        }
        Annotation::Typed(local) => {
            out.push_str("^^xsd:");
            out.push_str(local);
        }
    }
}
