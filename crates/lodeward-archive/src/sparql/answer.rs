//! Answers, read row by row.

use std::sync::Arc;

use oxrdf::{Triple, Variable};
use spareval::{QueryEvaluationError, QuerySolution};

use super::control::{Control, guarded};
use super::error::{QueryError, Stopped};
use super::format::AnswerKind;

/// The answer to a query. Rows are found as they are read, so most of the work
/// (and of the time that is bounded) is in reading. An answer cannot be sent to
/// another thread: ask and read on the same one; in an async server, on one of
/// those for blocking work (`tokio::task::spawn_blocking`), writing into a
/// channel.
pub enum Answer {
    /// Of `SELECT`.
    Solutions(Solutions),
    /// Of `ASK`.
    Boolean(bool),
    /// Of `CONSTRUCT` and `DESCRIBE`.
    Graph(Statements),
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
}

type Boxed<T> = Box<dyn Iterator<Item = Result<T, QueryError>>>;

/// The rows of a `SELECT`. The last is an error if there would have been more.
pub struct Solutions {
    variables: Vec<Variable>,
    rows: Rows<QuerySolution>,
}

impl Solutions {
    pub(super) fn new(variables: Vec<Variable>, rows: Boxed<QuerySolution>, rows_max: Option<u64>) -> Self {
        Self { variables, rows: Rows { inner: Some(rows), given: 0, given_max: rows_max } }
    }

    /// The columns, in the order of the query.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }
}

impl Iterator for Solutions {
    type Item = Result<QuerySolution, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

/// The triples of a `CONSTRUCT` or `DESCRIBE`. The last is an error if there
/// would have been more.
pub struct Statements {
    rows: Rows<Triple>,
    pub(super) prefixes: Vec<(String, String)>,
}

impl Statements {
    pub(super) fn new(rows: Boxed<Triple>, rows_max: Option<u64>, prefixes: Vec<(String, String)>) -> Self {
        Self { rows: Rows { inner: Some(rows), given: 0, given_max: rows_max }, prefixes }
    }
}

impl Iterator for Statements {
    type Item = Result<Triple, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

/// At most so many rows. After an error, nothing.
struct Rows<T> {
    inner: Option<Boxed<T>>,
    given: u64,
    given_max: Option<u64>,
}

impl<T> Iterator for Rows<T> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some(row) = self.inner.as_mut()?.next() else {
            self.inner = None;
            return None;
        };
        let row = match row {
            Ok(_) if self.given_max.is_some_and(|max| self.given >= max) => {
                Err(QueryError::Stopped(Stopped::Rows(self.given)))
            }
            row => row,
        };
        self.given += 1;
        if row.is_err() {
            self.inner = None;
        }
        Some(row)
    }
}

/// An iterator of the evaluator, which can be stopped.
pub(super) struct Steps<I> {
    pub(super) inner: I,
    pub(super) control: Arc<Control>,
}

impl<I: Iterator<Item = Result<T, QueryEvaluationError>>, T> Iterator for Steps<I> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        match guarded(&self.control, || self.inner.next()) {
            Ok(row) => row.map(|row| row.map_err(QueryError::Evaluation)),
            Err(reason) => Some(Err(reason.into())),
        }
    }
}
