//! Errors of queries and updates: usage errors, interruptions and others, with hints.

use lodeward_archive::sparql::{QueryError, QueryLimit, QuerySyntaxError, UpdateError};
use spargebra::SparqlParser;

use super::text::QuerySource;
use crate::errors::{InterruptedError, UsageError};

/// Adds a hint to an error of a query; `max_memory` is its flag.
pub(super) fn explain_query_error(error: QueryError, text: &QuerySource, max_memory: Option<u64>) -> anyhow::Error {
    match error {
        QueryError::Syntax(error) => {
            // The empty string is a valid update.
            let is_update = SparqlParser::new().parse_update(&text.sparql).is_ok_and(|it| !it.operations.is_empty());
            explain_syntax_error("query", &error, text, is_update.then_some("this is an update: add --update"))
        }
        QueryError::Stopped(QueryLimit::Memory(limit)) if max_memory != Some(limit) => {
            let stopped = InterruptedError::new(format!("query stopped: {}", QueryLimit::Memory(limit)));
            let hint = "this is the limit beside a crawl or a service; run the query when it has ended";
            stopped.with_hint(hint).into()
        }
        QueryError::Stopped(why) => explain_limit("query", why),
        // The kind of the error tells whether the reader of a pipe has closed it.
        QueryError::Write(error) => anyhow::Error::new(error).context("cannot write the result"),
        QueryError::Format { .. } => anyhow::Error::new(UsageError { message: error.to_string(), hint: None }),
        // The message contains the causes.
        error => anyhow::Error::msg(error.to_string()),
    }
}

pub(super) fn explain_update_error(error: UpdateError, text: &QuerySource) -> anyhow::Error {
    match error {
        UpdateError::Syntax(error) => {
            let is_query = SparqlParser::new().parse_query(&text.sparql).is_ok();
            explain_syntax_error("update", &error, text, is_query.then_some("this is a query: remove --update"))
        }
        UpdateError::Stopped(why) => explain_limit("update", why),
        error => anyhow::Error::msg(error.to_string()),
    }
}

fn explain_limit(what: &str, why: QueryLimit) -> anyhow::Error {
    let stopped = InterruptedError::new(format!("{what} stopped: {why}"));
    let hint = match why {
        QueryLimit::Time(_) => "allow more time with --timeout",
        QueryLimit::Rows(_) => "the first rows were written; allow more with --max-rows",
        QueryLimit::Memory(_) | QueryLimit::TextSize(_) => "allow more memory with --max-memory",
        _ => return stopped.into(),
    };
    stopped.with_hint(hint).into()
}

fn explain_syntax_error(what: &str, error: &QuerySyntaxError, text: &QuerySource, hint: Option<&str>) -> anyhow::Error {
    let source = if text.name.is_empty() { String::new() } else { format!(" in {}", text.name) };
    if text.sparql.trim().is_empty() {
        return anyhow::Error::new(UsageError { message: format!("invalid {what}{source}: it is empty"), hint: None });
    }
    let reason = error.reason();
    let message = format!("invalid {what}{source}: {reason}{}", text.error_excerpt(error));
    let hint = text.file_hint().or_else(|| hint.map(str::to_owned)).or_else(|| error.hint.clone());
    anyhow::Error::new(UsageError { message, hint })
}
