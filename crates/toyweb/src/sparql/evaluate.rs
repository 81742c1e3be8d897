//! Queries evaluated, and their results written.

use std::io;

use oxigraph::io::{RdfFormat, RdfSerializer};
use oxigraph::sparql::results::{QueryResultsFormat, QueryResultsSerializer};
use oxigraph::sparql::{BoundPreparedSparqlQuery, QueryEvaluationError, QueryResults};

use crate::accept::Accept;

/// Why there are no results.
pub(super) enum Failure {
    /// The query is at fault.
    Refused(String),
    /// It took too long.
    Late,
    /// There is no format in which the visitor would take them.
    NotAcceptable,
    /// We are at fault.
    Broken(String),
}

/// How results are to be written.
#[derive(Clone, Copy)]
pub(super) enum Results {
    /// Rows, or a truth value.
    Table(&'static str, QueryResultsFormat),
    /// Triples.
    Graph(&'static str, RdfFormat),
}

/// Results as they are sent.
pub(super) struct Written {
    pub(super) media_type: &'static str,
    pub(super) bytes: Vec<u8>,
}

/// The first is what those get who take anything.
const TABLES: [(&str, QueryResultsFormat); 7] = [
    ("application/sparql-results+json", QueryResultsFormat::Json),
    ("application/sparql-results+xml", QueryResultsFormat::Xml),
    ("text/csv", QueryResultsFormat::Csv),
    ("text/tab-separated-values", QueryResultsFormat::Tsv),
    ("application/json", QueryResultsFormat::Json),
    ("application/xml", QueryResultsFormat::Xml),
    ("text/xml", QueryResultsFormat::Xml),
];

const GRAPHS: [(&str, RdfFormat); 5] = [
    ("text/turtle", RdfFormat::Turtle),
    ("application/n-triples", RdfFormat::NTriples),
    ("application/rdf+xml", RdfFormat::RdfXml),
    ("text/plain", RdfFormat::NTriples),
    ("application/x-turtle", RdfFormat::Turtle),
];

impl Results {
    /// How the results of a query are to be written for this visitor.
    pub(super) fn chosen(query: &spargebra::Query, accept: &Accept) -> Result<Self, Failure> {
        use spargebra::Query::{Ask, Construct, Describe, Select};
        match query {
            Select { .. } | Ask { .. } => {
                let best = accept.best(&TABLES, |(media_type, _)| media_type);
                best.map(|(media_type, format)| Self::Table(media_type, format))
            }
            Construct { .. } | Describe { .. } => {
                let best = accept.best(&GRAPHS, |(media_type, _)| media_type);
                best.map(|(media_type, format)| Self::Graph(media_type, format))
            }
        }
        .ok_or(Failure::NotAcceptable)
    }
}

/// Evaluates a query; rows and triples beyond the cap are left off.
pub(super) fn evaluate(
    query: BoundPreparedSparqlQuery<'_>,
    results: Results,
    row_cap: Option<usize>,
) -> Result<Written, Failure> {
    let rows_max = row_cap.unwrap_or(usize::MAX);
    let (media_type, bytes) = match (query.execute()?, results) {
        (QueryResults::Boolean(truth), Results::Table(media_type, format)) => {
            (media_type, QueryResultsSerializer::from_format(format).serialize_boolean_to_writer(Vec::new(), truth)?)
        }
        (QueryResults::Solutions(solutions), Results::Table(media_type, format)) => {
            let serializer = QueryResultsSerializer::from_format(format);
            let variables = solutions.variables().to_vec();
            let mut writer = serializer.serialize_solutions_to_writer(Vec::new(), variables)?;
            for solution in solutions.take(rows_max) {
                writer.serialize(&solution?)?;
            }
            (media_type, writer.finish()?)
        }
        (QueryResults::Graph(triples), Results::Graph(media_type, format)) => {
            let mut writer = RdfSerializer::from_format(format).for_writer(Vec::new());
            for triple in triples.take(rows_max) {
                writer.serialize_triple(&triple?)?;
            }
            (media_type, writer.finish()?)
        }
        _ => return Err(Failure::Broken("results are not of the kind of their query".to_owned())),
    };
    Ok(Written { media_type, bytes })
}

impl From<QueryEvaluationError> for Failure {
    fn from(error: QueryEvaluationError) -> Self {
        match error {
            QueryEvaluationError::Cancelled => Self::Late,
            error => Self::Refused(format!("Virtuoso 22023 Error SR...: {error}")),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Broken(error.to_string())
    }
}
