//! Reads the results of a `SELECT` query, row by row.

use lodeward_archive::sparql::{ServiceCallError, ServiceCallResponse};
use sparesults::{QueryResultsFormat, QueryResultsParser, QuerySolution, ReaderQueryResultsParserOutput};

/// An iterator that parses the rows of a result while the response arrives.
pub(crate) type SolutionRows = Box<dyn Iterator<Item = Result<QuerySolution, ServiceCallError>>>;

/// Parses the response to a `SELECT` query. Rows are parsed while the iterator is advanced.
pub(crate) fn rows(fetched: ServiceCallResponse) -> Result<SolutionRows, ServiceCallError> {
    let failed = |reason: String| ServiceCallError(reason.into());
    let media_type = fetched.media_type.as_deref().unwrap_or("application/sparql-results+json");
    let format = QueryResultsFormat::from_media_type(media_type)
        .ok_or_else(|| failed(format!("media type `{media_type}` is not a SPARQL result format")))?;
    let parsed = QueryResultsParser::from_format(format).for_reader(fetched.body);
    match parsed.map_err(|error| ServiceCallError(error.into()))? {
        ReaderQueryResultsParserOutput::Solutions(rows) => {
            Ok(Box::new(rows.map(|row| row.map_err(|error| ServiceCallError(error.into())))))
        }
        ReaderQueryResultsParserOutput::Boolean(_) => {
            Err(failed("the result of a SELECT query is a boolean".to_owned()))
        }
    }
}
