//! Serialisation of statements to every format.

use std::io::{self, Write};

use lodeward::store::n_quads::write_quad;
use oxjsonld::{JsonLdSerializer, WriterJsonLdSerializer};
use oxrdf::{GraphNameRef, QuadRef, TripleRef};
use oxrdfxml::{RdfXmlSerializer, WriterRdfXmlSerializer};
use oxttl::trig::WriterTriGSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use oxttl::{TriGSerializer, TurtleSerializer};

use crate::args::RdfFormatArg;

/// Prefixes for readable output. An unused prefix only adds a line.
const PREFIXES: &[(&str, &str)] = &[
    ("dcterms", "http://purl.org/dc/terms/"),
    ("foaf", "http://xmlns.com/foaf/0.1/"),
    ("owl", "http://www.w3.org/2002/07/owl#"),
    ("prov", "http://www.w3.org/ns/prov#"),
    ("rdf", "http://www.w3.org/1999/02/22-rdf-syntax-ns#"),
    ("rdfs", "http://www.w3.org/2000/01/rdf-schema#"),
    ("schema", "http://schema.org/"),
    ("skos", "http://www.w3.org/2004/02/skos/core#"),
    ("void", "http://rdfs.org/ns/void#"),
    ("xsd", "http://www.w3.org/2001/XMLSchema#"),
];

/// Writes each statement immediately; buffers none.
pub(super) enum ExportWriter<W: Write> {
    Lines { writer: W, line: Vec<u8>, has_graphs: bool },
    Turtle(WriterTurtleSerializer<W>),
    TriG(WriterTriGSerializer<W>),
    RdfXml(WriterRdfXmlSerializer<W>),
    JsonLd(WriterJsonLdSerializer<W>),
}

macro_rules! with_prefixes {
    ($serializer:expr) => {
        PREFIXES
            .iter()
            .fold($serializer, |serializer, (prefix, iri)| serializer.with_prefix(*prefix, *iri).expect("valid prefix"))
    };
}

impl<W: Write> ExportWriter<W> {
    pub(super) fn new(format: RdfFormatArg, writer: W) -> Self {
        match format {
            RdfFormatArg::NQuads => Self::Lines { writer, line: Vec::new(), has_graphs: true },
            RdfFormatArg::NTriples => Self::Lines { writer, line: Vec::new(), has_graphs: false },
            RdfFormatArg::Turtle => Self::Turtle(with_prefixes!(TurtleSerializer::new()).for_writer(writer)),
            RdfFormatArg::TriG => Self::TriG(with_prefixes!(TriGSerializer::new()).for_writer(writer)),
            RdfFormatArg::JsonLd => Self::JsonLd(with_prefixes!(JsonLdSerializer::new()).for_writer(writer)),
            RdfFormatArg::RdfXml => Self::RdfXml(with_prefixes!(RdfXmlSerializer::new()).for_writer(writer)),
        }
    }

    pub(super) fn write(&mut self, quad: QuadRef<'_>) -> io::Result<()> {
        match self {
            Self::Lines { writer, line, has_graphs } => {
                let graph_name = if *has_graphs { quad.graph_name } else { GraphNameRef::DefaultGraph };
                line.clear();
                write_quad(line, QuadRef { graph_name, ..quad });
                writer.write_all(line)
            }
            Self::Turtle(serializer) => serializer.serialize_triple(TripleRef::from(quad)),
            Self::TriG(serializer) => serializer.serialize_quad(quad),
            Self::RdfXml(serializer) => serializer.serialize_triple(TripleRef::from(quad)),
            Self::JsonLd(serializer) => serializer.serialize_quad(quad),
        }
    }

    /// Completes the output and returns the writer.
    pub(super) fn finish(self) -> io::Result<W> {
        match self {
            Self::Lines { writer, .. } => Ok(writer),
            Self::Turtle(serializer) => serializer.finish(),
            Self::TriG(serializer) => serializer.finish(),
            Self::RdfXml(serializer) => serializer.finish(),
            Self::JsonLd(serializer) => serializer.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{Literal, NamedNode, Quad};
    use oxrdfxml::RdfXmlParser;
    use oxttl::{NQuadsParser, NTriplesParser, TriGParser, TurtleParser};

    use super::*;

    fn quads() -> Vec<Quad> {
        let node = |text: &str| NamedNode::new(text).unwrap();
        let name = node("http://xmlns.com/foaf/0.1/name");
        let graph = node("http://a.example/g");
        vec![
            Quad::new(
                node("http://a.example/s"),
                name.clone(),
                Literal::new_language_tagged_literal("é\n\"x\"", "fr").unwrap(),
                graph.clone(),
            ),
            Quad::new(node("http://a.example/s"), name, Literal::from(7), graph),
        ]
    }

    fn written(format: RdfFormatArg) -> String {
        let mut writer = ExportWriter::new(format, Vec::new());
        for quad in quads() {
            writer.write(quad.as_ref()).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn every_format_round_trips() {
        let triples: Vec<_> = quads().into_iter().map(oxrdf::Triple::from).collect();

        let lines: Vec<_> = NQuadsParser::new().for_slice(&written(RdfFormatArg::NQuads)).map(Result::unwrap).collect();
        assert_eq!(lines, quads());
        let trig: Vec<_> = TriGParser::new().for_slice(&written(RdfFormatArg::TriG)).map(Result::unwrap).collect();
        assert_eq!(trig, quads());
        let turtle: Vec<_> =
            TurtleParser::new().for_slice(&written(RdfFormatArg::Turtle)).map(Result::unwrap).collect();
        assert_eq!(turtle, triples);
        let lines: Vec<_> =
            NTriplesParser::new().for_slice(&written(RdfFormatArg::NTriples)).map(Result::unwrap).collect();
        assert_eq!(lines, triples);
        let xml: Vec<_> = RdfXmlParser::new().for_slice(&written(RdfFormatArg::RdfXml)).map(Result::unwrap).collect();
        assert_eq!(xml, triples);
        let json = written(RdfFormatArg::JsonLd);
        let json: Vec<_> = oxjsonld::JsonLdParser::new().for_slice(&json).map(Result::unwrap).collect();
        assert_eq!(json, quads());
    }

    #[test]
    fn turtle_uses_well_known_prefixes() {
        assert!(written(RdfFormatArg::Turtle).contains("foaf:name"), "{}", written(RdfFormatArg::Turtle));
    }
}
