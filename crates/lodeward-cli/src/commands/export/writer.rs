//! Statements in every format, one after the other.

use std::io::{self, Write};

use lodeward::store::nquads::write_quad;
use oxjsonld::{JsonLdSerializer, WriterJsonLdSerializer};
use oxrdf::{GraphNameRef, QuadRef, TripleRef};
use oxrdfxml::{RdfXmlSerializer, WriterRdfXmlSerializer};
use oxttl::trig::WriterTriGSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use oxttl::{TriGSerializer, TurtleSerializer};

use crate::arguments::RdfFormat;

/// Prefixes that make files readable. Those that are not used cost a line.
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

/// Writes statements as they come; holds none of them.
pub(super) enum Writer<W: Write> {
    Lines { writer: W, line: Vec<u8>, has_graphs: bool },
    Turtle(WriterTurtleSerializer<W>),
    TriG(WriterTriGSerializer<W>),
    RdfXml(WriterRdfXmlSerializer<W>),
    JsonLd(WriterJsonLdSerializer<W>),
}

macro_rules! with_prefixes {
    ($serializer:expr) => {
        PREFIXES.iter().fold($serializer, |serializer, (prefix, iri)| {
            serializer.with_prefix(*prefix, *iri).expect("a prefix of ours is one")
        })
    };
}

impl<W: Write> Writer<W> {
    pub(super) fn new(format: RdfFormat, writer: W) -> Self {
        match format {
            RdfFormat::NQuads => Self::Lines { writer, line: Vec::new(), has_graphs: true },
            RdfFormat::NTriples => Self::Lines { writer, line: Vec::new(), has_graphs: false },
            RdfFormat::Turtle => Self::Turtle(with_prefixes!(TurtleSerializer::new()).for_writer(writer)),
            RdfFormat::TriG => Self::TriG(with_prefixes!(TriGSerializer::new()).for_writer(writer)),
            RdfFormat::JsonLd => Self::JsonLd(with_prefixes!(JsonLdSerializer::new()).for_writer(writer)),
            RdfFormat::RdfXml => Self::RdfXml(with_prefixes!(RdfXmlSerializer::new()).for_writer(writer)),
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

    /// Ends the file, and gives back what it was written to.
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

    fn written(format: RdfFormat) -> String {
        let mut writer = Writer::new(format, Vec::new());
        for quad in quads() {
            writer.write(quad.as_ref()).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn what_is_written_in_any_format_is_read_as_the_same() {
        let triples: Vec<_> = quads().into_iter().map(oxrdf::Triple::from).collect();

        let lines: Vec<_> = NQuadsParser::new().for_slice(&written(RdfFormat::NQuads)).map(Result::unwrap).collect();
        assert_eq!(lines, quads());
        let trig: Vec<_> = TriGParser::new().for_slice(&written(RdfFormat::TriG)).map(Result::unwrap).collect();
        assert_eq!(trig, quads());
        let turtle: Vec<_> = TurtleParser::new().for_slice(&written(RdfFormat::Turtle)).map(Result::unwrap).collect();
        assert_eq!(turtle, triples);
        let lines: Vec<_> =
            NTriplesParser::new().for_slice(&written(RdfFormat::NTriples)).map(Result::unwrap).collect();
        assert_eq!(lines, triples);
        let xml: Vec<_> = RdfXmlParser::new().for_slice(&written(RdfFormat::RdfXml)).map(Result::unwrap).collect();
        assert_eq!(xml, triples);
        let json = written(RdfFormat::JsonLd);
        let json: Vec<_> = oxjsonld::JsonLdParser::new().for_slice(&json).map(Result::unwrap).collect();
        assert_eq!(json, quads());
    }

    #[test]
    fn turtle_uses_well_known_prefixes() {
        assert!(written(RdfFormat::Turtle).contains("foaf:name"), "{}", written(RdfFormat::Turtle));
    }
}
