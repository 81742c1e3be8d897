//! Evaluates queries and serialises their results.

use std::io;

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{BoundPreparedSparqlQuery, QueryEvaluationError, QueryResults};

use crate::accept::AcceptHeader;

/// Why a query has no results.
pub(super) enum EvaluationError {
    /// The query is invalid or exceeds a limit.
    Rejected(String),
    /// The query exceeded the time limit.
    TimedOut,
    /// No supported format is acceptable to the client.
    NotAcceptable,
    /// The evaluation failed with this internal error.
    Internal(String),
}

/// The format of results.
#[derive(Clone, Copy)]
pub(super) enum ResultsEncoding {
    /// A format for rows or a boolean, with its media type.
    Table(&'static str, QueryResultsFormat),
    /// A format for triples, with its media type.
    Graph(&'static str, RdfFormat),
}

/// Serialised results.
pub(super) struct EncodedResults {
    pub(super) media_type: &'static str,
    pub(super) bytes: Vec<u8>,
}

/// The formats for rows and booleans, with their media types. The first format is the default.
const TABLE_FORMATS: [(&str, QueryResultsFormat); 7] = [
    ("application/sparql-results+json", QueryResultsFormat::Json),
    ("application/sparql-results+xml", QueryResultsFormat::Xml),
    ("text/csv", QueryResultsFormat::Csv),
    ("text/tab-separated-values", QueryResultsFormat::Tsv),
    ("application/json", QueryResultsFormat::Json),
    ("application/xml", QueryResultsFormat::Xml),
    ("text/xml", QueryResultsFormat::Xml),
];

const GRAPH_FORMATS: [(&str, RdfFormat); 5] = [
    ("text/turtle", RdfFormat::Turtle),
    ("application/n-triples", RdfFormat::NTriples),
    ("application/rdf+xml", RdfFormat::RdfXml),
    ("text/plain", RdfFormat::NTriples),
    ("application/x-turtle", RdfFormat::Turtle),
];

impl ResultsEncoding {
    /// Negotiates the format of the results of a query.
    pub(super) fn negotiate(query: &spargebra::Query, accept: &AcceptHeader) -> Result<Self, EvaluationError> {
        use spargebra::Query::{Ask, Construct, Describe, Select};
        match query {
            Select { .. } | Ask { .. } => {
                let best = accept.best(&TABLE_FORMATS, |(media_type, _)| media_type);
                best.map(|(media_type, format)| Self::Table(media_type, format))
            }
            Construct { .. } | Describe { .. } => {
                let best = accept.best(&GRAPH_FORMATS, |(media_type, _)| media_type);
                best.map(|(media_type, format)| Self::Graph(media_type, format))
            }
        }
        .ok_or(EvaluationError::NotAcceptable)
    }
}

/// Evaluates a query. Rows and triples beyond `max_rows` are omitted.
pub(super) fn evaluate(
    query: BoundPreparedSparqlQuery<'_>,
    results: ResultsEncoding,
    max_rows: Option<usize>,
) -> Result<EncodedResults, EvaluationError> {
    let limit = max_rows.unwrap_or(usize::MAX);
    let (media_type, bytes) = match (query.execute()?, results) {
        (QueryResults::Boolean(truth), ResultsEncoding::Table(media_type, format)) => {
            (media_type, QueryResultsSerializer::from_format(format).serialize_boolean_to_writer(Vec::new(), truth)?)
        }
        (QueryResults::Solutions(solutions), ResultsEncoding::Table(media_type, format)) => {
            let serializer = QueryResultsSerializer::from_format(format);
            let variables = solutions.variables().to_vec();
            let mut writer = serializer.serialize_solutions_to_writer(Vec::new(), variables)?;
            for solution in solutions.take(limit) {
                writer.serialize(&solution?)?;
            }
            (media_type, writer.finish()?)
        }
        (QueryResults::Graph(triples), ResultsEncoding::Graph(media_type, format)) => {
            let mut writer = RdfSerializer::from_format(format).for_writer(Vec::new());
            for triple in triples.take(limit) {
                writer.serialize_triple(&triple?)?;
            }
            (media_type, writer.finish()?)
        }
        _ => return Err(EvaluationError::Internal("the results do not match the type of the query".to_owned())),
    };
    Ok(EncodedResults { media_type, bytes })
}

impl From<QueryEvaluationError> for EvaluationError {
    fn from(error: QueryEvaluationError) -> Self {
        match error {
            QueryEvaluationError::Cancelled => Self::TimedOut,
            error => Self::Rejected(format!("Virtuoso 22023 Error SR...: {error}")),
        }
    }
}

impl From<io::Error> for EvaluationError {
    fn from(error: io::Error) -> Self {
        Self::Internal(error.to_string())
    }
}
