//! Writing query results in all formats.

use std::io::{self, Write};

use oxjsonld::JsonLdSerializer;
use oxrdf::{GraphNameRef, Triple};
use oxrdfxml::RdfXmlSerializer;
use oxttl::{NQuadsSerializer, NTriplesSerializer, TriGSerializer, TurtleSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer};

use super::error::QueryError;
use super::output::{QueryOutput, QuerySolutions, QueryTriples};
use super::result_format::ResultFormat;

impl QueryOutput {
    /// Writes the whole result. Returns the number of rows (1 for `ASK`).
    ///
    /// If this returns an error, the written output is incomplete. In CSV, TSV, N-Triples and
    /// N-Quads the output itself does not show that: a server must abort the connection, or write
    /// to a buffer first.
    pub fn write(self, format: ResultFormat, writer: impl Write) -> Result<u64, QueryError> {
        let kind = self.kind();
        match (self, results_format(format)) {
            (Self::Boolean(value), Some(format)) => QueryResultsSerializer::from_format(format)
                .serialize_boolean_to_writer(writer, value)
                .and_then(|mut writer| writer.flush())
                .map(|()| 1)
                .map_err(QueryError::Write),
            (Self::Solutions(solutions), Some(format)) => write_solutions(solutions, format, writer),
            (Self::Graph(statements), None) => write_graph(statements, format, writer),
            _ => Err(QueryError::Format { kind, format }),
        }
    }
}

fn results_format(format: ResultFormat) -> Option<QueryResultsFormat> {
    match format {
        ResultFormat::Json => Some(QueryResultsFormat::Json),
        ResultFormat::Xml => Some(QueryResultsFormat::Xml),
        ResultFormat::Csv => Some(QueryResultsFormat::Csv),
        ResultFormat::Tsv => Some(QueryResultsFormat::Tsv),
        _ => None,
    }
}

fn write_solutions(
    solutions: QuerySolutions,
    format: QueryResultsFormat,
    writer: impl Write,
) -> Result<u64, QueryError> {
    let mut rows = 0;
    let mut serializer = QueryResultsSerializer::from_format(format)
        .serialize_solutions_to_writer(writer, solutions.variables().to_vec())
        .map_err(QueryError::Write)?;
    for solution in solutions {
        serializer.serialize(&solution?).map_err(QueryError::Write)?;
        rows += 1;
    }
    serializer.finish().and_then(|mut writer| writer.flush()).map_err(QueryError::Write)?;
    Ok(rows)
}

fn write_graph(statements: QueryTriples, format: ResultFormat, writer: impl Write) -> Result<u64, QueryError> {
    let mut serializer = ResultSerializer::new(format, &statements.prefixes, writer);
    let mut rows = 0;
    for triple in statements {
        serializer.serialize(&triple?).map_err(QueryError::Write)?;
        rows += 1;
    }
    serializer.finish().map_err(QueryError::Write)?;
    Ok(rows)
}

/// One of the RDF serializers.
enum ResultSerializer<W: Write> {
    Turtle(oxttl::turtle::WriterTurtleSerializer<W>),
    NTriples(oxttl::ntriples::WriterNTriplesSerializer<W>),
    RdfXml(oxrdfxml::WriterRdfXmlSerializer<W>),
    TriG(oxttl::trig::WriterTriGSerializer<W>),
    NQuads(oxttl::nquads::WriterNQuadsSerializer<W>),
    JsonLd(oxjsonld::WriterJsonLdSerializer<W>),
}

/// Adds prefixes to a serializer, except those whose namespace is not an absolute IRI (it was
/// relative to a base).
macro_rules! with_prefixes {
    ($serializer:expr, $prefixes:expr) => {{
        let mut serializer = $serializer;
        for (name, namespace) in $prefixes {
            serializer = serializer.clone().with_prefix(name, namespace).unwrap_or(serializer);
        }
        serializer
    }};
}

impl<W: Write> ResultSerializer<W> {
    fn new(format: ResultFormat, prefixes: &[(String, String)], writer: W) -> Self {
        // In XML, an empty prefix would declare the default namespace, which does not apply to
        // attributes.
        let named = || prefixes.iter().filter(|(name, _)| !name.is_empty());
        match format {
            ResultFormat::Turtle => Self::Turtle(with_prefixes!(TurtleSerializer::new(), prefixes).for_writer(writer)),
            ResultFormat::RdfXml => Self::RdfXml(with_prefixes!(RdfXmlSerializer::new(), named()).for_writer(writer)),
            ResultFormat::TriG => Self::TriG(with_prefixes!(TriGSerializer::new(), prefixes).for_writer(writer)),
            ResultFormat::NQuads => Self::NQuads(NQuadsSerializer::new().for_writer(writer)),
            ResultFormat::JsonLd => Self::JsonLd(with_prefixes!(JsonLdSerializer::new(), named()).for_writer(writer)),
            _ => Self::NTriples(NTriplesSerializer::new().for_writer(writer)),
        }
    }

    fn serialize(&mut self, triple: &Triple) -> io::Result<()> {
        let quad = triple.as_ref().in_graph(GraphNameRef::DefaultGraph);
        match self {
            Self::Turtle(serializer) => serializer.serialize_triple(triple),
            Self::NTriples(serializer) => serializer.serialize_triple(triple),
            Self::RdfXml(serializer) => serializer.serialize_triple(triple),
            Self::TriG(serializer) => serializer.serialize_quad(quad),
            Self::NQuads(serializer) => serializer.serialize_quad(quad),
            Self::JsonLd(serializer) => serializer.serialize_quad(quad),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Turtle(serializer) => serializer.finish(),
            Self::NTriples(serializer) => Ok(serializer.finish()),
            Self::RdfXml(serializer) => serializer.finish(),
            Self::TriG(serializer) => serializer.finish(),
            Self::NQuads(serializer) => Ok(serializer.finish()),
            Self::JsonLd(serializer) => serializer.finish(),
        }?
        .flush()
    }
}
