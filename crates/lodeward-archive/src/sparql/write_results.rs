//! Writing query results in all formats.

use std::io::Write;

use lodeward_rdf::{QuadWriter, RdfFormat};
use oxrdf::GraphNameRef;
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
            (Self::Boolean(value), Ok(format)) => QueryResultsSerializer::from_format(format)
                .serialize_boolean_to_writer(writer, value)
                .and_then(|mut writer| writer.flush())
                .map(|()| 1)
                .map_err(QueryError::Write),
            (Self::Solutions(solutions), Ok(format)) => write_solutions(solutions, format, writer),
            (Self::Graph(statements), Err(format)) => write_graph(statements, format, writer),
            _ => Err(QueryError::Format { kind, format }),
        }
    }
}

/// The format of tables, or the RDF format.
fn results_format(format: ResultFormat) -> Result<QueryResultsFormat, RdfFormat> {
    match format {
        ResultFormat::Json => Ok(QueryResultsFormat::Json),
        ResultFormat::Xml => Ok(QueryResultsFormat::Xml),
        ResultFormat::Csv => Ok(QueryResultsFormat::Csv),
        ResultFormat::Tsv => Ok(QueryResultsFormat::Tsv),
        ResultFormat::Rdf(format) => Err(format),
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

fn write_graph(statements: QueryTriples, format: RdfFormat, writer: impl Write) -> Result<u64, QueryError> {
    let mut writer = QuadWriter::with_prefixes(format, &statements.prefixes, writer).map_err(QueryError::Write)?;
    let mut rows = 0;
    for triple in statements {
        let triple = triple?;
        writer.write(triple.as_ref().in_graph(GraphNameRef::DefaultGraph)).map_err(QueryError::Write)?;
        rows += 1;
    }
    writer.finish().and_then(|mut writer| writer.flush()).map_err(QueryError::Write)?;
    Ok(rows)
}
