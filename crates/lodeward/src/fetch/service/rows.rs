//! Answers to `SELECT`, row by row.

use lodeward_archive::sparql::{Fetched, ServiceError};
use sparesults::{QueryResultsFormat, QueryResultsParser, QuerySolution, ReaderQueryResultsParserOutput};

/// Rows, as they are read.
pub(crate) type Rows = Box<dyn Iterator<Item = Result<QuerySolution, ServiceError>>>;

/// The rows of an answer, as they are read.
pub(crate) fn rows(fetched: Fetched) -> Result<Rows, ServiceError> {
    let failed = |what: String| ServiceError(what.into());
    let media_type = fetched.media_type.as_deref().unwrap_or("application/sparql-results+json");
    let format = QueryResultsFormat::from_media_type(media_type)
        .ok_or_else(|| failed(format!("it answered with `{media_type}`, which is not a SPARQL result")))?;
    let parsed = QueryResultsParser::from_format(format).for_reader(fetched.body);
    match parsed.map_err(|error| ServiceError(error.into()))? {
        ReaderQueryResultsParserOutput::Solutions(rows) => {
            Ok(Box::new(rows.map(|row| row.map_err(|error| ServiceError(error.into())))))
        }
        ReaderQueryResultsParserOutput::Boolean(_) => Err(failed("it answered a SELECT with yes or no".to_owned())),
    }
}
