//! Renders an entity document in the negotiated syntax.

use std::fmt::Write;
use std::io;

use http::HeaderMap;
use oxjsonld::JsonLdSerializer;
use oxrdf::{GraphNameRef, NamedOrBlankNode, Term, Triple};
use oxrdfxml::RdfXmlSerializer;
use oxttl::{NTriplesSerializer, TurtleSerializer};
use url::Url;

use super::graph::EntityStatements;
use crate::accept::AcceptHeader;

const PREFIXES: [(&str, &str); 5] = [
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("dcterms", "http://purl.org/dc/terms/"),
    ("dbp", "http://dbpedia.org/property/"),
];

/// The supported syntaxes, the preferred one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntitySyntax {
    Turtle,
    NTriples,
    RdfXml,
    JsonLd,
    Html,
}

impl EntitySyntax {
    const ALL: [Self; 5] = [Self::Turtle, Self::NTriples, Self::RdfXml, Self::JsonLd, Self::Html];

    /// The best match of the `Accept` fields; Turtle if none matches.
    pub(super) fn negotiate(headers: &HeaderMap) -> Self {
        AcceptHeader::from_headers(headers).best(&Self::ALL, Self::media_type).unwrap_or(Self::Turtle)
    }

    fn media_type(self) -> &'static str {
        match self {
            Self::Turtle => "text/turtle",
            Self::NTriples => "application/n-triples",
            Self::RdfXml => "application/rdf+xml",
            Self::JsonLd => "application/ld+json",
            Self::Html => "text/html",
        }
    }

    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::Turtle => "text/turtle; charset=utf-8",
            Self::Html => "text/html; charset=utf-8",
            other => other.media_type(),
        }
    }

    pub(super) fn render(self, statements: &EntityStatements) -> io::Result<Vec<u8>> {
        match self {
            Self::Turtle => turtle(&statements.triples),
            Self::NTriples => n_triples(&statements.triples),
            Self::RdfXml => rdf_xml(&statements.triples),
            Self::JsonLd => json_ld(&statements.triples),
            Self::Html => Ok(html(statements).into_bytes()),
        }
    }
}

fn turtle(triples: &[Triple]) -> io::Result<Vec<u8>> {
    let mut serializer = TurtleSerializer::new();
    for (prefix, iri) in PREFIXES {
        serializer = serializer.with_prefix(prefix, iri).map_err(io::Error::other)?;
    }
    let mut writer = serializer.for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple)?;
    }
    writer.finish()
}

fn n_triples(triples: &[Triple]) -> io::Result<Vec<u8>> {
    let mut writer = NTriplesSerializer::new().for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple)?;
    }
    Ok(writer.finish())
}

fn rdf_xml(triples: &[Triple]) -> io::Result<Vec<u8>> {
    let mut serializer = RdfXmlSerializer::new();
    for (prefix, iri) in PREFIXES.into_iter().skip(1) {
        serializer = serializer.with_prefix(prefix, iri).map_err(io::Error::other)?;
    }
    let mut writer = serializer.for_writer(Vec::new());
    for triple in triples {
        writer.serialize_triple(triple)?;
    }
    writer.finish()
}

fn json_ld(triples: &[Triple]) -> io::Result<Vec<u8>> {
    let mut writer = JsonLdSerializer::new().for_writer(Vec::new());
    for triple in triples {
        writer.serialize_quad(triple.as_ref().in_graph(GraphNameRef::DefaultGraph))?;
    }
    writer.finish()
}

/// A page with a link for every IRI, without embedded data.
fn html(statements: &EntityStatements) -> String {
    let title = escaped(&statements.title);
    let mut page = format!("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{title}</title>");
    page.push_str("</head><body>\n<h1>");
    page.push_str(&title);
    page.push_str("</h1>\n<table>\n");
    for Triple { subject, predicate, object } in &statements.triples {
        let subject = match subject {
            NamedOrBlankNode::NamedNode(iri) => anchor(iri.as_str()),
            NamedOrBlankNode::BlankNode(_) => String::new(),
        };
        let object = match object {
            Term::NamedNode(iri) => anchor(iri.as_str()),
            Term::Literal(literal) => escaped(literal.value()),
            Term::BlankNode(_) => String::new(),
        };
        let predicate = escaped(predicate.as_str());
        // Writing to a string cannot fail.
        let _ = writeln!(page, "<tr><td>{subject}</td><td>{predicate}</td><td>{object}</td></tr>");
    }
    page.push_str("</table>\n</body></html>\n");
    page
}

fn anchor(iri: &str) -> String {
    let href = Url::parse(iri).map_or_else(|_| iri.to_owned(), String::from);
    format!("<a href=\"{}\">{}</a>", escaped(&href), escaped(iri))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
