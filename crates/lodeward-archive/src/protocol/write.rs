//! Writing graphs and whole stores as response bodies.

use std::io::{self, Write};

use http::StatusCode;
use oxjsonld::{JsonLdSerializer, WriterJsonLdSerializer};
use oxrdf::{GraphNameRef, QuadRef};
use oxrdfxml::{RdfXmlSerializer, WriterRdfXmlSerializer};
use oxttl::nquads::WriterNQuadsSerializer;
use oxttl::ntriples::WriterNTriplesSerializer;
use oxttl::trig::WriterTriGSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use oxttl::{NQuadsSerializer, NTriplesSerializer, TriGSerializer, TurtleSerializer};

use super::problem::ProtocolProblem;
use crate::sparql::{ResultFormat, ResultKind};

/// Whether the output names graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GraphShape {
    Triples,
    Quads,
}

/// Selects the format for an `Accept` header.
pub(super) fn negotiate(accept: &str, shape: GraphShape) -> Result<ResultFormat, ProtocolProblem> {
    let not_acceptable =
        |known: &str| ProtocolProblem::new(StatusCode::NOT_ACCEPTABLE, format!("available media types: {known}"));
    match shape {
        GraphShape::Triples => {
            let format = ResultFormat::negotiate(accept, ResultKind::Graph);
            format.ok_or_else(|| {
                not_acceptable("text/turtle, application/n-triples, application/rdf+xml, application/ld+json")
            })
        }
        GraphShape::Quads => match ResultFormat::negotiate(accept, ResultKind::Graph) {
            Some(format @ (ResultFormat::TriG | ResultFormat::NQuads)) => Ok(format),
            // A wildcard may have selected a format without named graphs. The wildcard also matches
            // N-Quads.
            _ if accept.is_empty() || accept.contains("*/*") || accept.contains("application/*") => {
                Ok(ResultFormat::NQuads)
            }
            _ => Err(not_acceptable("application/n-quads, application/trig")),
        },
    }
}

/// Writes statements one by one.
pub(super) enum Writer<W: Write> {
    Turtle(WriterTurtleSerializer<W>),
    NTriples(WriterNTriplesSerializer<W>),
    RdfXml(WriterRdfXmlSerializer<W>),
    JsonLd(WriterJsonLdSerializer<W>),
    TriG(WriterTriGSerializer<W>, GraphShape),
    NQuads(WriterNQuadsSerializer<W>, GraphShape),
}

impl<W: Write> Writer<W> {
    /// Graph names are omitted in formats without named graphs, and in all formats if a single
    /// graph was requested.
    pub(super) fn new(format: ResultFormat, shape: GraphShape, into: W) -> Self {
        match format {
            ResultFormat::NTriples => Self::NTriples(NTriplesSerializer::new().for_writer(into)),
            ResultFormat::RdfXml => Self::RdfXml(RdfXmlSerializer::new().for_writer(into)),
            ResultFormat::JsonLd => Self::JsonLd(JsonLdSerializer::new().for_writer(into)),
            ResultFormat::TriG => Self::TriG(TriGSerializer::new().for_writer(into), shape),
            ResultFormat::NQuads => Self::NQuads(NQuadsSerializer::new().for_writer(into), shape),
            _ => Self::Turtle(TurtleSerializer::new().for_writer(into)),
        }
    }

    pub(super) fn write(&mut self, quad: QuadRef<'_>) -> io::Result<()> {
        let triple = oxrdf::TripleRef::from(quad);
        let shaped = |shape: &GraphShape| match shape {
            GraphShape::Triples => triple.in_graph(GraphNameRef::DefaultGraph),
            GraphShape::Quads => quad,
        };
        match self {
            Self::Turtle(writer) => writer.serialize_triple(triple),
            Self::NTriples(writer) => writer.serialize_triple(triple),
            Self::RdfXml(writer) => writer.serialize_triple(triple),
            // JSON-LD is only selected for a single graph, so the graph name is omitted.
            Self::JsonLd(writer) => writer.serialize_quad(triple.in_graph(GraphNameRef::DefaultGraph)),
            Self::TriG(writer, shape) => writer.serialize_quad(shaped(shape)),
            Self::NQuads(writer, shape) => writer.serialize_quad(shaped(shape)),
        }
    }

    pub(super) fn finish(self) -> io::Result<()> {
        match self {
            Self::Turtle(writer) => writer.finish().map(drop),
            Self::NTriples(writer) => {
                drop(writer.finish());
                Ok(())
            }
            Self::RdfXml(writer) => writer.finish().map(drop),
            Self::JsonLd(writer) => writer.finish().map(drop),
            Self::TriG(writer, _) => writer.finish().map(drop),
            Self::NQuads(writer, _) => {
                drop(writer.finish());
                Ok(())
            }
        }
    }
}
