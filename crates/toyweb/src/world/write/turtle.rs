//! Writes Turtle and TriG.

use super::super::content::{
    ContentLiteral, ContentProperty, ContentSubject, ContentTerm, DocumentContent, LiteralAnnotation, XSD,
};
use super::super::site::push_number;
use super::super::vocabulary::{TYPE, VocabularyName};
use super::{WriteContext, escape, flat};

pub(super) fn write(content: &DocumentContent, context: &WriteContext<'_>, out: &mut String) {
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
            // TriG has two ways to open a graph.
            out.push_str(if context.style.is_multiple_of(2) { "\n<" } else { "\nGRAPH <" });
            let mut name = String::new();
            flat::push_graph(context.base, graph, &mut name);
            out.push_str(context.shorten(&name));
            out.push_str("> {");
        }
        out.push('\n');
        match &description.subject {
            ContentSubject::Iri(iri) => push_iri(iri, context, out),
            ContentSubject::Blank(label) => push_blank(*label, out),
        }
        out.push(' ');
        push_properties(&description.properties, "\n  ", context, out);
        out.push_str(" .\n");
        if description.graph.is_some() {
            out.push_str("}\n");
        }
    }
}

fn push_properties(properties: &[ContentProperty], indentation: &str, context: &WriteContext<'_>, out: &mut String) {
    let mut previous: Option<VocabularyName> = None;
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
        push_object(&property.object, context, out);
    }
}

fn push_predicate(predicate: VocabularyName, out: &mut String) {
    if predicate == TYPE {
        out.push('a');
    } else {
        predicate.push_prefixed(out);
    }
}

fn push_object(object: &ContentTerm, context: &WriteContext<'_>, out: &mut String) {
    match object {
        ContentTerm::Iri(iri) => push_iri(iri, context, out),
        ContentTerm::Name(name) => name.push_prefixed(out),
        ContentTerm::Blank(label) => push_blank(*label, out),
        ContentTerm::Literal(literal) => push_literal(literal, out),
        ContentTerm::Nested(properties) => {
            out.push_str("[ ");
            push_properties(properties, " ", context, out);
            out.push_str(" ]");
        }
    }
}

fn push_iri(iri: &str, context: &WriteContext<'_>, out: &mut String) {
    out.push('<');
    out.push_str(context.shorten(iri));
    out.push('>');
}

fn push_blank(label: u32, out: &mut String) {
    out.push_str("_:b");
    push_number(label, out);
}

fn push_literal(literal: &ContentLiteral, out: &mut String) {
    // Turtle writes integers, decimals and booleans without quotes.
    if matches!(literal.annotation, LiteralAnnotation::Typed("integer" | "boolean" | "decimal")) {
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
        LiteralAnnotation::Plain => {}
        LiteralAnnotation::Language(tag) => {
            out.push('@');
            out.push_str(tag);
        }
        LiteralAnnotation::Typed(local) => {
            out.push_str("^^xsd:");
            out.push_str(local);
        }
    }
}
