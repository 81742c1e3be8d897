//! Writing statements in all RDF formats.

pub mod n_quads;

use std::io::{self, Write};

use oxiri::Iri;
use oxjsonld::{JsonLdSerializer, WriterJsonLdSerializer};
use oxrdf::{GraphNameRef, QuadRef, TripleRef};
use oxrdfxml::{RdfXmlSerializer, WriterRdfXmlSerializer};
use oxttl::trig::WriterTriGSerializer;
use oxttl::turtle::WriterTurtleSerializer;
use oxttl::{TriGSerializer, TurtleSerializer};

use crate::format::RdfFormat;
use n_quads::write_quad;

/// Prefixes for readable output. An unused prefix only adds a line.
pub const COMMON_PREFIXES: &[(&str, &str)] = &[
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

/// Writes each statement immediately; buffers none. In a format without named graphs, graph names
/// are omitted.
pub struct QuadWriter<W: Write>(Serializer<W>);

enum Serializer<W: Write> {
    Lines { writer: W, line: Vec<u8>, has_graphs: bool },
    Turtle(WriterTurtleSerializer<W>),
    TriG(WriterTriGSerializer<W>),
    RdfXml(WriterRdfXmlSerializer<W>),
    JsonLd(WriterJsonLdSerializer<W>),
}

/// The formats of [`QuadWriter`], the preferred one first.
pub const WRITTEN_FORMATS: [RdfFormat; 6] =
    [RdfFormat::Turtle, RdfFormat::NTriples, RdfFormat::RdfXml, RdfFormat::JsonLd, RdfFormat::TriG, RdfFormat::NQuads];

impl<W: Write> QuadWriter<W> {
    /// A writer without prefixes. Fails if the format is not one of [`WRITTEN_FORMATS`].
    pub fn new(format: RdfFormat, writer: W) -> io::Result<Self> {
        Self::with_prefixes(format, &[] as &[(&str, &str)], writer)
    }

    /// A writer that abbreviates IRIs with prefixes, except those whose namespace is not an absolute
    /// IRI.
    pub fn with_prefixes(
        format: RdfFormat,
        prefixes: &[(impl AsRef<str>, impl AsRef<str>)],
        writer: W,
    ) -> io::Result<Self> {
        macro_rules! prefixed {
            ($serializer:expr) => {{
                let prefixes = prefixes.iter().map(|(prefix, iri)| (prefix.as_ref(), iri.as_ref()));
                // In XML, an empty prefix would declare the default namespace, which does not apply to
                // attributes; in JSON-LD, it is not a term.
                let allows_empty = matches!(format, RdfFormat::Turtle | RdfFormat::TriG);
                let prefixes = prefixes.filter(|(prefix, _)| allows_empty || !prefix.is_empty());
                let prefixes = prefixes.filter(|(_, iri)| Iri::parse(*iri).is_ok());
                prefixes.fold($serializer, |serializer, (prefix, iri)| {
                    serializer.with_prefix(prefix, iri).expect("the namespace is an absolute IRI")
                })
            }};
        }
        Ok(Self(match format {
            RdfFormat::NQuads => Serializer::Lines { writer, line: Vec::new(), has_graphs: true },
            RdfFormat::NTriples => Serializer::Lines { writer, line: Vec::new(), has_graphs: false },
            RdfFormat::Turtle => Serializer::Turtle(prefixed!(TurtleSerializer::new()).for_writer(writer)),
            RdfFormat::TriG => Serializer::TriG(prefixed!(TriGSerializer::new()).for_writer(writer)),
            RdfFormat::JsonLd => Serializer::JsonLd(prefixed!(JsonLdSerializer::new()).for_writer(writer)),
            RdfFormat::RdfXml => Serializer::RdfXml(prefixed!(RdfXmlSerializer::new()).for_writer(writer)),
            _ => {
                let message = format!("{} is read, but not written", format.title());
                return Err(io::Error::new(io::ErrorKind::Unsupported, message));
            }
        }))
    }

    /// Writes a statement.
    pub fn write(&mut self, quad: QuadRef<'_>) -> io::Result<()> {
        match &mut self.0 {
            Serializer::Lines { writer, line, has_graphs } => {
                let graph_name = if *has_graphs { quad.graph_name } else { GraphNameRef::DefaultGraph };
                line.clear();
                write_quad(line, QuadRef { graph_name, ..quad });
                writer.write_all(line)
            }
            Serializer::Turtle(serializer) => serializer.serialize_triple(TripleRef::from(quad)),
            Serializer::TriG(serializer) => serializer.serialize_quad(quad),
            Serializer::RdfXml(serializer) => serializer.serialize_triple(TripleRef::from(quad)),
            Serializer::JsonLd(serializer) => serializer.serialize_quad(quad),
        }
    }

    /// Completes the output and returns the writer.
    pub fn finish(self) -> io::Result<W> {
        match self.0 {
            Serializer::Lines { writer, .. } => Ok(writer),
            Serializer::Turtle(serializer) => serializer.finish(),
            Serializer::TriG(serializer) => serializer.finish(),
            Serializer::RdfXml(serializer) => serializer.finish(),
            Serializer::JsonLd(serializer) => serializer.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use oxrdf::{Literal, NamedNode, Quad, Triple};

    use super::*;
    use crate::read::RdfReader;

    fn quads() -> Vec<Quad> {
        let node = |text: &str| NamedNode::new(text).unwrap();
        let name = node("http://xmlns.com/foaf/0.1/name");
        let graph = node("http://a.example/g");
        let french = Literal::new_language_tagged_literal("é\n\"x\"", "fr").unwrap();
        vec![
            Quad::new(node("http://a.example/s"), name.clone(), french, graph.clone()),
            Quad::new(node("http://a.example/s"), name, Literal::from(7), graph),
        ]
    }

    fn written(format: RdfFormat) -> String {
        let mut writer = QuadWriter::with_prefixes(format, COMMON_PREFIXES, Vec::new()).unwrap();
        for quad in quads() {
            writer.write(quad.as_ref()).unwrap();
        }
        String::from_utf8(writer.finish().unwrap()).unwrap()
    }

    #[test]
    fn every_written_format_is_read_back() {
        for format in WRITTEN_FORMATS {
            let read = RdfReader::new(format).collect(written(format).as_bytes().into()).unwrap();

            if format.has_graphs() {
                assert_eq!(read, quads(), "{format:?}");
            } else {
                let triples = |quads: Vec<Quad>| quads.into_iter().map(Triple::from).collect::<Vec<_>>();
                assert_eq!(triples(read), triples(quads()), "{format:?}");
            }
        }
    }

    #[test]
    fn other_formats_are_rejected() {
        for format in RdfFormat::all().filter(|format| !WRITTEN_FORMATS.contains(format)) {
            assert!(QuadWriter::new(format, Vec::new()).is_err(), "{format:?}");
        }
    }

    #[test]
    fn turtle_uses_common_prefixes() {
        assert!(written(RdfFormat::Turtle).contains("foaf:name"), "{}", written(RdfFormat::Turtle));
    }

    #[test]
    fn unusable_prefixes_are_ignored() {
        for format in WRITTEN_FORMATS {
            let prefixes = [("", "http://a.example/"), ("relative", "a/")];
            let mut writer = QuadWriter::with_prefixes(format, &prefixes, Vec::new()).unwrap();
            for quad in quads() {
                writer.write(quad.as_ref()).unwrap();
            }
            let text = writer.finish().unwrap();

            assert_eq!(RdfReader::new(format).collect(text.as_slice().into()).unwrap().len(), 2, "{format:?}");
        }
    }
}
