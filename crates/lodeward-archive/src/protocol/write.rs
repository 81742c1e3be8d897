//! Graphs and whole stores as bodies.

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

use super::problem::Problem;
use crate::sparql::{AnswerFormat, AnswerKind};

/// Whether graphs have to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    Triples,
    Quads,
}

/// The format for whoever accepts this.
pub(super) fn negotiate(accept: &str, shape: Shape) -> Result<AnswerFormat, Problem> {
    let refused = |known: &str| Problem::new(StatusCode::NOT_ACCEPTABLE, format!("can be had as {known}"));
    match shape {
        Shape::Triples => {
            let format = AnswerFormat::negotiate(accept, AnswerKind::Graph);
            format
                .ok_or_else(|| refused("text/turtle, application/n-triples, application/rdf+xml, application/ld+json"))
        }
        Shape::Quads => match AnswerFormat::negotiate(accept, AnswerKind::Graph) {
            Some(format @ (AnswerFormat::TriG | AnswerFormat::NQuads)) => Ok(format),
            // The preferred format for graphs may have been but a guess.
            _ if accept.is_empty() || accept.contains("*/*") || accept.contains("application/*") => {
                Ok(AnswerFormat::NQuads)
            }
            _ => Err(refused("application/n-quads, application/trig")),
        },
    }
}

/// Writes statements one after the other.
pub(super) enum Writer<W: Write> {
    Turtle(WriterTurtleSerializer<W>),
    NTriples(WriterNTriplesSerializer<W>),
    RdfXml(WriterRdfXmlSerializer<W>),
    JsonLd(WriterJsonLdSerializer<W>),
    TriG(WriterTriGSerializer<W>, Shape),
    NQuads(WriterNQuadsSerializer<W>, Shape),
}

impl<W: Write> Writer<W> {
    /// Formats without graphs of their own leave graphs out, and so do the
    /// others if the graph was what was asked for.
    pub(super) fn new(format: AnswerFormat, shape: Shape, into: W) -> Self {
        match format {
            AnswerFormat::NTriples => Self::NTriples(NTriplesSerializer::new().for_writer(into)),
            AnswerFormat::RdfXml => Self::RdfXml(RdfXmlSerializer::new().for_writer(into)),
            AnswerFormat::JsonLd => Self::JsonLd(JsonLdSerializer::new().for_writer(into)),
            AnswerFormat::TriG => Self::TriG(TriGSerializer::new().for_writer(into), shape),
            AnswerFormat::NQuads => Self::NQuads(NQuadsSerializer::new().for_writer(into), shape),
            _ => Self::Turtle(TurtleSerializer::new().for_writer(into)),
        }
    }

    pub(super) fn write(&mut self, quad: QuadRef<'_>) -> io::Result<()> {
        let triple = oxrdf::TripleRef::from(quad);
        let shaped = |shape: &Shape| match shape {
            Shape::Triples => triple.in_graph(GraphNameRef::DefaultGraph),
            Shape::Quads => quad,
        };
        match self {
            Self::Turtle(writer) => writer.serialize_triple(triple),
            Self::NTriples(writer) => writer.serialize_triple(triple),
            Self::RdfXml(writer) => writer.serialize_triple(triple),
            // Nobody is asked for a whole store in it.
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
