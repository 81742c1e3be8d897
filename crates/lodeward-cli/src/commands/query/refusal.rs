//! What went wrong, sorted into what is to be changed, what was cut short, and
//! the rest.

use lodeward_archive::sparql::{QueryError, Stopped, SyntaxError, UpdateError};
use spargebra::SparqlParser;

use super::text::{self, Text};
use crate::failure::{CutShort, Usage};

pub(super) fn of_query(error: QueryError, text: &Text) -> anyhow::Error {
    match error {
        QueryError::Syntax(error) => {
            // Nothing at all is an update, too.
            let is_update = SparqlParser::new().parse_update(&text.sparql).is_ok_and(|it| !it.operations.is_empty());
            not_sparql("query", &error, text, is_update.then_some("it is an update: say --update"))
        }
        QueryError::Stopped(why) => stopped("query", why),
        QueryError::Format { .. } => anyhow::Error::new(Usage { message: error.to_string(), hint: None }),
        // Their messages end with their causes.
        error => anyhow::Error::msg(error.to_string()),
    }
}

pub(super) fn of_update(error: UpdateError, text: &Text) -> anyhow::Error {
    match error {
        UpdateError::Syntax(error) => {
            let is_query = SparqlParser::new().parse_query(&text.sparql).is_ok();
            not_sparql("update", &error, text, is_query.then_some("it is a query: leave out --update"))
        }
        UpdateError::Stopped(why) => stopped("update", why),
        error => anyhow::Error::msg(error.to_string()),
    }
}

fn stopped(what: &str, why: Stopped) -> anyhow::Error {
    let cut = CutShort::new(format!("the {what} was stopped: {why}"));
    let hint = match why {
        Stopped::Time(_) => "--timeout allows more time",
        Stopped::Rows(_) => "what was written are the first of its rows; --rows allows more",
        Stopped::Memory(_) => "--memory allows more",
        _ => return cut.into(),
    };
    cut.with_hint(hint).into()
}

fn not_sparql(what: &str, error: &SyntaxError, text: &Text, hint: Option<&str>) -> anyhow::Error {
    if text.sparql.trim().is_empty() {
        return anyhow::Error::new(Usage {
            message: format!("{} is no SPARQL {what}: it is empty", text.name),
            hint: None,
        });
    }
    let message = format!("{} is no SPARQL {what}: {}{}", text.name, text::in_short(&error.message), text.shown(error));
    let hint = hint.map(str::to_owned).or_else(|| error.hint.clone());
    anyhow::Error::new(Usage { message, hint })
}
