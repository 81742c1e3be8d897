//! Answers, read row by row.

use std::io::Write;

use oxrdf::{Triple, Variable};
use oxttl::{NTriplesSerializer, TurtleSerializer};
use sparesults::{QueryResultsFormat, QueryResultsSerializer, QuerySolution};
use spareval::{QueryEvaluationError, QuerySolutionIter, QueryTripleIter};

use super::error::QueryError;
use super::format::{AnswerFormat, AnswerKind};

/// The answer to a query. Rows are found as they are read; it cannot be sent to
/// another thread, so ask and read on the same one (in an async server: inside
/// one `spawn_blocking`).
pub enum Answer {
    /// Of `SELECT`.
    Solutions(Solutions),
    /// Of `ASK`.
    Boolean(bool),
    /// Of `CONSTRUCT` and `DESCRIBE`.
    Graph(Statements),
}

/// The rows of a `SELECT`.
pub struct Solutions {
    pub(super) inner: QuerySolutionIter<'static>,
}

impl Solutions {
    /// The columns, in the order of the query.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        self.inner.variables()
    }
}

impl Iterator for Solutions {
    type Item = Result<QuerySolution, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next().map(|row| row.map_err(evaluation))
    }
}

/// The triples of a `CONSTRUCT` or `DESCRIBE`.
pub struct Statements {
    pub(super) inner: QueryTripleIter<'static>,
}

impl Iterator for Statements {
    type Item = Result<Triple, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.inner.next().map(|triple| triple.map_err(evaluation))
    }
}

fn evaluation(error: QueryEvaluationError) -> QueryError {
    QueryError::Evaluation(error)
}

impl Answer {
    /// What kind of answer it is.
    #[must_use]
    pub fn kind(&self) -> AnswerKind {
        match self {
            Self::Solutions(_) => AnswerKind::Solutions,
            Self::Boolean(_) => AnswerKind::Boolean,
            Self::Graph(_) => AnswerKind::Graph,
        }
    }

    /// Writes the whole answer, and tells how many rows it had (1 for `ASK`).
    pub fn write(self, format: AnswerFormat, writer: impl Write) -> Result<u64, QueryError> {
        let kind = self.kind();
        let mut rows = 0;
        match (self, results_format(format)) {
            (Self::Boolean(value), Some(format)) => {
                QueryResultsSerializer::from_format(format)
                    .serialize_boolean_to_writer(writer, value)
                    .map_err(QueryError::Write)?;
                rows = 1;
            }
            (Self::Solutions(solutions), Some(format)) => {
                let mut serializer = QueryResultsSerializer::from_format(format)
                    .serialize_solutions_to_writer(writer, solutions.variables().to_vec())
                    .map_err(QueryError::Write)?;
                for solution in solutions {
                    serializer.serialize(&solution?).map_err(QueryError::Write)?;
                    rows += 1;
                }
                serializer.finish().map_err(QueryError::Write)?;
            }
            (Self::Graph(statements), None) if format == AnswerFormat::Turtle => {
                let mut serializer = TurtleSerializer::new().for_writer(writer);
                for triple in statements {
                    serializer.serialize_triple(&triple?).map_err(QueryError::Write)?;
                    rows += 1;
                }
                serializer.finish().map_err(QueryError::Write)?;
            }
            (Self::Graph(statements), None) => {
                let mut serializer = NTriplesSerializer::new().for_writer(writer);
                for triple in statements {
                    serializer.serialize_triple(&triple?).map_err(QueryError::Write)?;
                    rows += 1;
                }
                serializer.finish();
            }
            _ => return Err(QueryError::Format { kind, format }),
        }
        Ok(rows)
    }
}

fn results_format(format: AnswerFormat) -> Option<QueryResultsFormat> {
    match format {
        AnswerFormat::Json => Some(QueryResultsFormat::Json),
        AnswerFormat::Xml => Some(QueryResultsFormat::Xml),
        AnswerFormat::Csv => Some(QueryResultsFormat::Csv),
        AnswerFormat::Tsv => Some(QueryResultsFormat::Tsv),
        _ => None,
    }
}
