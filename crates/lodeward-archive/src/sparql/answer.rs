//! Answers, read row by row.

use std::sync::Arc;

use oxrdf::{Triple, Variable};
use spareval::{QueryEvaluationError, QuerySolution, QuerySolutionIter, QueryTripleIter};

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

/// The rows of a `SELECT`. The last is an error if there would have been more.
pub struct Solutions {
    variables: Vec<Variable>,
    rows: Rows<QuerySolutionIter<'static>>,
}

impl Solutions {
    pub(super) fn new(inner: QuerySolutionIter<'static>, control: Arc<Control>, rows_max: Option<u64>) -> Self {
        Self { variables: inner.variables().to_vec(), rows: Rows::new(inner, control, rows_max) }
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
    rows: Rows<QueryTripleIter<'static>>,
    pub(super) prefixes: Vec<(String, String)>,
}

impl Statements {
    pub(super) fn new(
        inner: QueryTripleIter<'static>,
        control: Arc<Control>,
        rows_max: Option<u64>,
        prefixes: Vec<(String, String)>,
    ) -> Self {
        Self { rows: Rows::new(inner, control, rows_max), prefixes }
    }
}

impl Iterator for Statements {
    type Item = Result<Triple, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.rows.next()
    }
}

/// An iterator of the evaluator, within the bounds. After an error, nothing.
struct Rows<I> {
    inner: Option<I>,
    control: Arc<Control>,
    rows: u64,
    rows_max: Option<u64>,
}

impl<I> Rows<I> {
    fn new(inner: I, control: Arc<Control>, rows_max: Option<u64>) -> Self {
        Self { inner: Some(inner), control, rows: 0, rows_max }
    }
}

impl<I: Iterator<Item = Result<T, QueryEvaluationError>>, T> Iterator for Rows<I> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        let inner = self.inner.as_mut()?;
        let found = match guarded(&self.control, || inner.next()) {
            Ok(Some(Ok(row))) if self.rows_max.is_none_or(|max| self.rows < max) => Ok(row),
            Ok(Some(Ok(_))) => Err(QueryError::Stopped(Stopped::Rows(self.rows))),
            Ok(Some(Err(error))) => Err(QueryError::Evaluation(error)),
            Ok(None) => {
                self.inner = None;
                return None;
            }
            Err(reason) => Err(reason.into()),
        };
        self.rows += 1;
        if found.is_err() {
            self.inner = None;
        }
        Some(found)
    }
}
