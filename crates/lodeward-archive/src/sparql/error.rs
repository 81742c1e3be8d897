//! What can go wrong with a query or an update.

use std::time::Duration;

use oxrdf::NamedNode;
use spareval::QueryEvaluationError;

use super::format::{AnswerFormat, AnswerKind};
use super::services::ServiceError;
use crate::ArchiveError;

/// Which bound stopped a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Stopped {
    /// Its time is over.
    #[error("it ran for longer than {0:?}")]
    Time(Duration),
    /// It has more rows than it may.
    #[error("it has more than {0} rows: add a LIMIT, or allow more rows")]
    Rows(u64),
    /// Memory ran short.
    #[error("it took more than {0} bytes of memory: ask for less at once, or allow more memory")]
    Memory(u64),
    /// Somebody cancelled it.
    #[error("it was cancelled")]
    Cancelled,
}

/// A text that is not SPARQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The line, from 1, if it is known.
    pub line: Option<usize>,
    /// The character in that line, from 1, if it is known.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// What may help.
    pub hint: Option<String>,
}

impl std::error::Error for SyntaxError {}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const CHARACTERS_MAX: usize = 160;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "line {line}, column {column}: ")?;
        }
        // What a parser expected may fill a screen.
        let line = self.message.lines().next().unwrap_or_default();
        let short: String = line.chars().take(CHARACTERS_MAX).collect();
        f.write_str(if self.message.contains("Prefix not found") { "a prefix is not declared" } else { &short })?;
        if let Some(hint) = &self.hint {
            write!(f, " (hint: {hint})")?;
        }
        Ok(())
    }
}

/// A query has no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// It is not SPARQL.
    #[error("the query is not SPARQL: {0}")]
    Syntax(#[source] SyntaxError),
    /// A bound stopped it. Rows that were read before are not the whole answer.
    #[error("the query was stopped: {0}")]
    Stopped(Stopped),
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A `SERVICE` did not answer.
    #[error("the service <{endpoint}> did not answer: {source}")]
    Service {
        /// Which.
        endpoint: String,
        /// Why.
        #[source]
        source: ServiceError,
    },
    /// This kind of answer cannot be written so.
    #[error("{kind} cannot be written as {format}; use one of {kind_formats}", kind_formats = .kind.format_names())]
    Format {
        /// The kind of answer.
        kind: AnswerKind,
        /// The format that was asked for.
        format: AnswerFormat,
    },
    /// The answer cannot be written.
    #[error("cannot write the answer: {0}")]
    Write(#[source] std::io::Error),
    /// It is deep, and there is no thread for it.
    #[error("the query is deeply nested, and there is no memory for a thread to answer it: {0}")]
    Thread(#[source] std::io::Error),
    /// It cannot be evaluated.
    #[error("the query cannot be evaluated: {0}")]
    Evaluation(#[source] QueryEvaluationError),
}

/// An update was not done. Nothing of it was.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// It is not SPARQL.
    #[error("the update is not SPARQL: {0}")]
    Syntax(#[source] SyntaxError),
    /// A bound stopped it.
    #[error("the update was stopped: {0}")]
    Stopped(Stopped),
    /// The archive cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// `CREATE` of a graph that there is.
    #[error("there is a graph {0} already: use CREATE SILENT if that is no matter")]
    GraphExists(NamedNode),
    /// `CLEAR` or `DROP` of a graph that there is not.
    #[error("there is no graph {0}: use SILENT if that is no matter")]
    NoGraph(NamedNode),
    /// A document cannot be loaded.
    #[error("cannot load <{url}>: {source}")]
    Load {
        /// Which.
        url: String,
        /// Why.
        #[source]
        source: ServiceError,
    },
    /// A `SERVICE` did not answer.
    #[error("the service <{endpoint}> did not answer: {source}")]
    Service {
        /// Which.
        endpoint: String,
        /// Why.
        #[source]
        source: ServiceError,
    },
    /// The protocol's `using-graph-uri` and the request's own `USING` or `WITH`.
    #[error("the request has USING or WITH, so using-graph-uri may not be given: leave one of them out")]
    UsingTwice,
    /// It is deep, and there is no thread for it.
    #[error("the update is deeply nested, and there is no memory for a thread to do it: {0}")]
    Thread(#[source] std::io::Error),
    /// It cannot be evaluated.
    #[error("the update cannot be evaluated: {0}")]
    Evaluation(#[source] QueryEvaluationError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_syntax_error_is_told_in_short() {
        let told = |message: &str| {
            SyntaxError { line: None, column: None, message: message.to_owned(), hint: None }.to_string()
        };

        assert_eq!(told("expected DATA"), "expected DATA");
        assert_eq!(told("expected one of OPTIONAL, Prefix not found, ['%'],\n['.']"), "a prefix is not declared");
        assert_eq!(told(&"ä".repeat(200)).chars().count(), 160);
    }
}
