//! Reads `TriX`, triples in XML (Carroll and Stickler, HPL-2004-56).

use oxrdf::{BlankNode, GraphName, Literal, NamedNode, NamedOrBlankNode, Quad, Term};

use super::xml::{XmlElement, XmlElementReader, XmlItem, XmlReadError};
use crate::blank_nodes::label_from_text;
use crate::sink::{QuadSink, RdfFault, RdfFaultKind};

/// Reads a document. A triple with an error is a fault, and the others are read.
pub(super) fn read(reader: &mut XmlElementReader<'_>, sink: &mut dyn QuadSink) -> Result<(), XmlReadError> {
    let mut depth = 0;
    let mut graph = GraphName::DefaultGraph;
    while let Some(item) = reader.next_item()? {
        match item {
            XmlItem::Start(element) if depth == 2 => {
                let element = reader.read_content(element)?;
                let result = match element.name.as_str() {
                    "triple" => triple(&element).map(|[subject, predicate, object]| {
                        Some(statement(subject, predicate, object, graph.clone())).transpose()
                    }),
                    _ => graph_name(&element).map(|name| {
                        graph = name;
                        Ok(None)
                    }),
                };
                match result.and_then(|quad| quad) {
                    Ok(Some(quad)) => sink.owned_quad(quad),
                    Ok(None) => {}
                    Err(detail) => sink.fault(RdfFault::new(RdfFaultKind::Syntax, detail)),
                }
                if !sink.is_open() {
                    return Ok(());
                }
            }
            XmlItem::Start(_) => {
                depth += 1;
                if depth == 2 {
                    graph = GraphName::DefaultGraph;
                }
            }
            XmlItem::End => depth -= 1,
            XmlItem::Text(_) => {}
        }
    }
    Ok(())
}

fn triple(element: &XmlElement) -> Result<[Term; 3], String> {
    let [subject, predicate, object] = element.children.as_slice() else {
        return Err(format!("a triple has {} terms", element.children.len()));
    };
    Ok([term(subject)?, term(predicate)?, term(object)?])
}

fn statement(subject: Term, predicate: Term, object: Term, graph: GraphName) -> Result<Quad, String> {
    let Term::NamedNode(predicate) = predicate else { return Err(format!("{predicate} is not a predicate")) };
    match subject {
        Term::Literal(literal) => Err(format!("{literal} is not a subject")),
        Term::NamedNode(node) => Ok(Quad::new(node, predicate, object, graph)),
        Term::BlankNode(node) => Ok(Quad::new(node, predicate, object, graph)),
    }
}

fn graph_name(element: &XmlElement) -> Result<GraphName, String> {
    match term(element)? {
        Term::NamedNode(node) => Ok(node.into()),
        Term::BlankNode(node) => Ok(NamedOrBlankNode::from(node).into()),
        Term::Literal(literal) => Err(format!("{literal} is not the name of a graph")),
    }
}

fn term(element: &XmlElement) -> Result<Term, String> {
    let text = element.text.as_str();
    let named = |text: &str| {
        let iri = element.resolve(text).ok_or_else(|| format!("`{text}` is not an absolute IRI"))?;
        Ok::<_, String>(NamedNode::new_unchecked(iri))
    };
    match element.name.as_str() {
        "uri" => Ok(named(text)?.into()),
        "id" => Ok(BlankNode::new_unchecked(label_from_text(text.trim())).into()),
        "plainLiteral" => match &element.language {
            Some(language) => {
                let literal = Literal::new_language_tagged_literal(text, &**language);
                literal.map(Into::into).map_err(|error| format!("language tag `{language}`: {error}"))
            }
            None => Ok(Literal::new_simple_literal(text).into()),
        },
        "typedLiteral" => {
            let datatype = element.attribute("datatype").ok_or("a typed literal has no datatype")?;
            Ok(Literal::new_typed_literal(text, named(datatype)?).into())
        }
        other => Err(format!("unknown element `{other}`")),
    }
}
