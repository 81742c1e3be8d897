//! Query results, read row by row.

use std::sync::Arc;

use oxrdf::{Triple, Variable};
use spareval::{QueryEvaluationError, QuerySolution};

use super::error::{QueryError, QueryLimit};
use super::query_control::{QueryControl, run_guarded};
use super::result_format::ResultKind;

/// The result of a query. Rows are evaluated as they are read, so most of the work is done, and
/// most of the time limit is used, while rows are read. A result cannot be sent to another thread:
/// query and read on the same thread. An async server uses a thread for blocking work
/// (`tokio::task::spawn_blocking`) that writes into a channel.
pub enum QueryOutput {
    /// The rows of a `SELECT`.
    Solutions(QuerySolutions),
    /// The result of an `ASK`.
    Boolean(bool),
    /// The triples of a `CONSTRUCT` or `DESCRIBE`.
    Graph(QueryTriples),
}

impl QueryOutput {
    /// The kind of the result.
    #[must_use]
    pub fn kind(&self) -> ResultKind {
        match self {
            Self::Solutions(_) => ResultKind::Solutions,
            Self::Boolean(_) => ResultKind::Boolean,
            Self::Graph(_) => ResultKind::Graph,
        }
    }
}

type BoxedRows<T> = Box<dyn Iterator<Item = Result<T, QueryError>>>;

/// The rows of a `SELECT`. If the row limit is exceeded, the last item is an error.
pub struct QuerySolutions {
    variables: Vec<Variable>,
    rows: BoundedRows<QuerySolution>,
}

impl QuerySolutions {
    pub(super) fn new(variables: Vec<Variable>, rows: BoxedRows<QuerySolution>, max_rows: Option<u64>) -> Self {
        Self { variables, rows: BoundedRows { inner: Some(rows), returned: 0, max_rows } }
    }

    /// The columns, in the order of the query.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

impl Iterator for QuerySolutions {
    type Item = Result<QuerySolution, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

/// The triples of a `CONSTRUCT` or `DESCRIBE`. If the row limit is exceeded, the last item is an
/// error.
pub struct QueryTriples {
    rows: BoundedRows<Triple>,
    pub(super) prefixes: Vec<(String, String)>,
}

impl QueryTriples {
    pub(super) fn new(rows: BoxedRows<Triple>, max_rows: Option<u64>, prefixes: Vec<(String, String)>) -> Self {
        Self { rows: BoundedRows { inner: Some(rows), returned: 0, max_rows }, prefixes }
    }
}

impl Iterator for QueryTriples {
    type Item = Result<Triple, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

/// Rows up to a limit. The iterator ends after an error.
struct BoundedRows<T> {
    inner: Option<BoxedRows<T>>,
    returned: u64,
    max_rows: Option<u64>,
}

impl<T> Iterator for BoundedRows<T> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(row) = self.inner.as_mut()?.next() else {
            self.inner = None;
            return None;
        };
        let row = match row {
            Ok(_) if self.max_rows.is_some_and(|max| self.returned >= max) => {
                Err(QueryError::Stopped(QueryLimit::Rows(self.returned)))
            }
            row => row,
        };
        self.returned += 1;
        if row.is_err() {
            self.inner = None;
        }
        Some(row)
    }
}

/// A stoppable iterator of the evaluator.
pub(super) struct StoppableIter<I> {
    pub(super) inner: I,
    pub(super) control: Arc<QueryControl>,
}

impl<I: Iterator<Item = Result<T, QueryEvaluationError>>, T> Iterator for StoppableIter<I> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        match run_guarded(&self.control, || self.inner.next()) {
            Ok(row) => row.map(|row| row.map_err(QueryError::Evaluation)),
            Err(reason) => Some(Err(reason.into())),
        }
    }
}
