//! Errors of queries and updates.

use std::time::Duration;

use oxrdf::NamedNode;
use spareval::QueryEvaluationError;

use super::result_format::{ResultFormat, ResultKind};
use super::service_handler::ServiceCallError;
use super::text_search::TextSearchError;
use crate::ArchiveError;

/// The limit that stopped a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum QueryLimit {
    /// The time limit.
    #[error("time limit of {0:?} exceeded")]
    Time(Duration),
    /// The row limit.
    #[error("row limit of {0} exceeded: add a LIMIT, or raise the row limit")]
    Rows(u64),
    /// The memory limit.
    #[error("memory limit of {0} bytes exceeded: simplify the query, or raise the memory limit")]
    Memory(u64),
    /// The maximum size of a text that a function computes.
    #[error("a function returned a text of more than {0} bytes: shorten it, or raise the memory limit")]
    TextSize(u64),
    /// The maximum work of one regular expression.
    #[error(
        "a regular expression of {states} states is too expensive for a text of {bytes} bytes: \
         simplify the expression, or shorten the text with SUBSTR"
    )]
    Regex {
        /// The states of the compiled expression.
        states: u64,
        /// The size of the text.
        bytes: u64,
    },
    /// The maximum size of a regular expression.
    #[error("a regular expression is too large: shorten it, or use fewer repetitions and classes")]
    RegexSize,
    /// The query was cancelled.
    #[error("cancelled")]
    Cancelled,
}

/// A text that cannot be parsed as SPARQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuerySyntaxError {
    /// The line, starting with 1, if known.
    pub line: Option<usize>,
    /// The column in characters, starting with 1, if known.
    pub column: Option<usize>,
    /// What is wrong.
    pub message: String,
    /// How to fix the text.
    pub hint: Option<String>,
}

impl std::error::Error for QuerySyntaxError {}

impl QuerySyntaxError {
    /// The message of the parser for users: shortened, because the list of expected tokens can be
    /// very long.
    #[must_use]
    pub fn reason(&self) -> String {
        const MAX_CHARS: usize = 160;
        // The parser reports an undeclared prefix as one of many expected tokens.
        if self.message.contains("Prefix not found") {
            return "a prefix is not declared".to_owned();
        }
        if self.message.contains("a variable that is unbound") {
            return "a variable of SELECT is neither grouped nor aggregated".to_owned();
        }
        // If several first keywords are possible, the parser names only the longest.
        match &*self.message {
            "expected CONSTRUCT" => return "expected SELECT, ASK, CONSTRUCT or DESCRIBE".to_owned(),
            "expected VERSION" => return "expected INSERT, DELETE, LOAD, CLEAR, DROP or another update".to_owned(),
            _ => {}
        }
        let line = self.message.lines().next().unwrap_or_default();
        let short: String = line.chars().take(MAX_CHARS).collect();
        if short.len() < self.message.len() { format!("{short} …") } else { short }
    }
}

impl std::fmt::Display for QuerySyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, "line {line}, column {column}: ")?;
        }
        f.write_str(&self.reason())?;
        if let Some(hint) = &self.hint {
            write!(f, " (hint: {hint})")?;
        }
        Ok(())
    }
}

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum QueryError {
    /// The query cannot be parsed.
    #[error("cannot parse query: {0}")]
    Syntax(#[source] QuerySyntaxError),
    /// A limit stopped the query. Rows read before are not the complete result.
    #[error("query stopped: {0}")]
    Stopped(QueryLimit),
    /// The archive cannot be read.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// A `SERVICE` failed.
    #[error("service <{endpoint}> failed: {source}")]
    Service {
        /// The URL of the service.
        endpoint: String,
        /// The cause.
        #[source]
        source: ServiceCallError,
    },
    /// This kind of result cannot be written in the format.
    #[error("cannot write {kind} as {format}: use one of {kind_formats}", kind_formats = .kind.format_names())]
    Format {
        /// The kind of the result.
        kind: ResultKind,
        /// The requested format.
        format: ResultFormat,
    },
    /// The result cannot be written.
    #[error("cannot write the result: {0}")]
    Write(#[source] std::io::Error),
    /// The query needs a thread, and none can be started.
    #[error("cannot start a thread for the query: {0}")]
    Thread(#[source] std::io::Error),
    /// `lodeward:search` cannot be evaluated.
    #[error("cannot evaluate lodeward:search: {0}")]
    Search(#[from] TextSearchError),
    /// The evaluation failed.
    #[error("cannot evaluate query: {0}")]
    Evaluation(#[source] QueryEvaluationError),
}

/// Why an update failed. A failed update changes nothing.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum UpdateError {
    /// The update cannot be parsed.
    #[error("cannot parse update: {0}")]
    Syntax(#[source] QuerySyntaxError),
    /// A limit stopped the update.
    #[error("update stopped: {0}")]
    Stopped(QueryLimit),
    /// The archive cannot be read or written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// `CREATE` of an existing graph.
    #[error("graph {0} already exists: use CREATE SILENT to ignore this")]
    GraphExists(NamedNode),
    /// `CLEAR` or `DROP` of a missing graph.
    #[error("graph {0} does not exist: use SILENT to ignore this")]
    GraphNotFound(NamedNode),
    /// A change of a provenance graph.
    #[error("cannot change graph {0}: it is generated from a provenance record")]
    ProvenanceGraph(NamedNode),
    /// A document cannot be loaded.
    #[error("cannot load <{url}>: {source}")]
    Load {
        /// The URL of the document.
        url: String,
        /// The cause.
        #[source]
        source: ServiceCallError,
    },
    /// A `SERVICE` failed.
    #[error("service <{endpoint}> failed: {source}")]
    Service {
        /// The URL of the service.
        endpoint: String,
        /// The cause.
        #[source]
        source: ServiceCallError,
    },
    /// `using-graph-uri` of the protocol together with `USING` or `WITH` in the update.
    #[error("using-graph-uri cannot be combined with USING or WITH: remove one of them")]
    ConflictingUsing,
    /// The update needs a thread, and none can be started.
    #[error("cannot start a thread for the update: {0}")]
    Thread(#[source] std::io::Error),
    /// `lodeward:search` cannot be evaluated.
    #[error("cannot evaluate lodeward:search: {0}")]
    Search(#[from] TextSearchError),
    /// The evaluation failed.
    #[error("cannot evaluate update: {0}")]
    Evaluation(#[source] QueryEvaluationError),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_of_a_syntax_error_is_shortened() {
        let display = |message: &str| {
            QuerySyntaxError { line: None, column: None, message: message.to_owned(), hint: None }.to_string()
        };

        assert_eq!(display("expected DATA"), "expected DATA");
        assert_eq!(display("expected one of OPTIONAL, Prefix not found, ['%'],\n['.']"), "a prefix is not declared");
        assert_eq!(display("expected CONSTRUCT"), "expected SELECT, ASK, CONSTRUCT or DESCRIBE");
        assert_eq!(display(&"ä".repeat(200)).chars().count(), 162);
    }
}
