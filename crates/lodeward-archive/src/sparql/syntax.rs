//! Parsing queries and updates, and explaining syntax errors.

use std::sync::Arc;

use spargebra::{GraphUpdateOperation, Query, SparqlParser, Update};

use super::columns::order_columns;
use super::error::{QueryError, QuerySyntaxError};
use super::nesting::{self, MAX_LEVELS, MAX_NESTING, MAX_VARIABLES, NestingError};
use super::options::PrefixLookup;
use super::prologue::{prefixes, skip_blank, usual_prefixes};
use super::query_control::QueryControl;
use super::{depth, mistakes, plan, query_thread};

/// Parses a query. Also returns its depth if it needs a thread of its own.
pub(super) fn parse_query(
    sparql: &str,
    base_iri: Option<&str>,
    usual: Option<PrefixLookup>,
    control: &Arc<QueryControl>,
) -> Result<(Query, Option<usize>), QueryError> {
    let parser = new_parser(sparql, base_iri, usual).map_err(QueryError::Syntax)?;
    parse_unless_stopped(sparql, control, move |sparql| {
        let mut query = parser
            .parse_query(sparql)
            .map_err(|error| to_syntax_error(sparql, &error.to_string(), SparqlKind::Query))?;
        let depth = depth::check_depth(plan::query_pattern(&mut query))?;
        order_columns(&mut query, sparql);
        Ok((query, depth))
    })
}

/// Parses an update. Also returns its depth if it needs a thread of its own.
pub(super) fn parse_update(
    sparql: &str,
    base_iri: Option<&str>,
    usual: Option<PrefixLookup>,
    control: &Arc<QueryControl>,
) -> Result<(Update, Option<usize>), QueryError> {
    let parser = new_parser(sparql, base_iri, usual).map_err(QueryError::Syntax)?;
    parse_unless_stopped(sparql, control, move |sparql| {
        let mut update = parser
            .parse_update(sparql)
            .map_err(|error| to_syntax_error(sparql, &error.to_string(), SparqlKind::Update))?;
        let mut deepest = None;
        for operation in &mut update.operations {
            if let GraphUpdateOperation::DeleteInsert { pattern, .. } = operation {
                deepest = deepest.max(depth::check_depth(pattern)?);
            }
        }
        Ok((update, deepest))
    })
}

/// Parses a text that can be parsed safely. A text that takes long is parsed on a thread.
fn parse_unless_stopped<T: Send + 'static>(
    sparql: &str,
    control: &Arc<QueryControl>,
    parse: impl FnOnce(&str) -> Result<T, QuerySyntaxError> + Send + 'static,
) -> Result<T, QueryError> {
    let checked = |sparql: &str| check_nesting(sparql).and_then(|()| parse(sparql));
    let parsed = match depth::parser_depth(sparql) {
        None => checked(sparql),
        Some(depth) => {
            let text = sparql.to_owned();
            query_thread::compute(control, depth, move || checked(&text))?
        }
    };
    parsed.map_err(QueryError::Syntax)
}

fn new_parser(
    sparql: &str,
    base_iri: Option<&str>,
    usual: Option<PrefixLookup>,
) -> Result<SparqlParser, QuerySyntaxError> {
    let mut parser = SparqlParser::new();
    for (name, namespace) in usual_prefixes(sparql, usual) {
        parser = parser.with_prefix(name, namespace).expect("the namespaces of usual prefixes are IRIs");
    }
    let Some(base_iri) = base_iri else { return Ok(parser) };
    let invalid = |error| QuerySyntaxError {
        line: None,
        column: None,
        message: format!("the base IRI `{base_iri}` is not absolute: {error}"),
        hint: None,
    };
    parser.with_base_iri(base_iri).map_err(invalid)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum SparqlKind {
    Query,
    Update,
}

/// The parser states the position in its message: `error at 1:10: expected …`.
fn to_syntax_error(sparql: &str, text: &str, expected: SparqlKind) -> QuerySyntaxError {
    let position =
        text.strip_prefix("error at ").and_then(|rest| rest.split_once(": ")).and_then(|(position, message)| {
            let (line, column) = position.split_once(':')?;
            Some((line.parse().ok()?, column.parse().ok()?, message))
        });
    let message = position.map_or(text, |(_, _, message)| message);
    let hint = hint(sparql, message, position.map(|(line, column, _)| (line, column)), expected);
    match position {
        Some((line, column, message)) => {
            QuerySyntaxError { line: Some(line), column: Some(column), message: message.to_owned(), hint }
        }
        None => QuerySyntaxError { line: None, column: None, message: text.to_owned(), hint },
    }
}

const QUERY_KEYWORDS: [&str; 4] = ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"];
const UPDATE_KEYWORDS: [&str; 10] =
    ["INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"];

fn hint(sparql: &str, message: &str, position: Option<(usize, usize)>, expected: SparqlKind) -> Option<String> {
    let first = first_word(sparql);
    let is = |words: &[&str]| words.iter().any(|word| first.eq_ignore_ascii_case(word));
    if first.is_empty() {
        return Some("the text is empty".to_owned());
    }
    if expected == SparqlKind::Query && is(&UPDATE_KEYWORDS) {
        return Some(format!("`{first}` starts an update, but a query is expected"));
    }
    if expected == SparqlKind::Update && is(&QUERY_KEYWORDS) {
        return Some(format!("`{first}` starts a query, but an update is expected"));
    }
    if !is(&QUERY_KEYWORDS) && !is(&UPDATE_KEYWORDS) {
        let (kind, words) = match expected {
            SparqlKind::Query => ("query", &QUERY_KEYWORDS[..]),
            SparqlKind::Update => ("update", &UPDATE_KEYWORDS[..]),
        };
        return Some(format!("start the {kind} with one of {}, not with `{first}`", words.join(", ")));
    }
    if !sparql.to_ascii_lowercase().contains("base") && has_relative_iri(sparql) {
        return Some("declare a base for relative IRIs: BASE <http://…>".to_owned());
    }
    let is_prefix = message.contains("Prefix not found");
    let undeclared = || undeclared_prefix(sparql, position);
    let mistake = || mistakes::find_hint(sparql, message);
    if is_prefix {
        mistakes::bare_iri_hint(sparql).or_else(undeclared).or_else(mistake)
    } else {
        mistake().or_else(undeclared)
    }
}

/// The hint for a prefix that is not declared, at the position of an error.
fn undeclared_prefix(sparql: &str, position: Option<(usize, usize)>) -> Option<String> {
    let token = position.and_then(|(line, column)| token_at(sparql, line, column))?;
    let (prefix, _) = token.split_once(':')?;
    let is_name = prefix.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_' || c == '.');
    let is_declared = prefixes(sparql).iter().any(|(known, _)| known == prefix);
    (is_name && !is_declared).then(|| format!("declare the prefix: PREFIX {prefix}: <http://…>"))
}

/// Whether the text contains `<name>` without a scheme. Strings and comments are not excluded, as
/// only a hint depends on it.
fn has_relative_iri(sparql: &str) -> bool {
    let iri = |rest: &str| {
        let end = rest.find(|c: char| c.is_whitespace() || "<>\"{}|^`\\".contains(c))?;
        (rest[end..].starts_with('>') && !rest[..end].contains(':')).then_some(())
    };
    sparql.split('<').skip(1).any(|rest| iri(rest).is_some())
}

/// The token at the position of a syntax error, or directly before it: the parser reads a name
/// before it detects an error in it.
fn token_at(sparql: &str, line: usize, column: usize) -> Option<&str> {
    let line = sparql.split('\n').nth(line.checked_sub(1)?)?;
    let offset = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let ends = |c: char| c.is_whitespace() || "{}()[];,|^".contains(c);
    let before = line[..offset].trim_end();
    // The last separator may have several bytes.
    let start = before.trim_end_matches(|c| !ends(c)).len();
    let rest = &line[start..];
    let token = &rest[..rest.find(ends).unwrap_or(rest.len())];
    (!token.is_empty()).then_some(token)
}

/// The first word after the prologue.
fn first_word(sparql: &str) -> &str {
    let mut rest = skip_blank(sparql);
    loop {
        let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let word = &rest[..end];
        if !word.eq_ignore_ascii_case("prefix") && !word.eq_ignore_ascii_case("base") {
            return word;
        }
        rest = rest.split_once('>').map_or("", |(_, after)| skip_blank(after));
    }
}

/// Rejects a text that cannot be parsed safely.
fn check_nesting(sparql: &str) -> Result<(), QuerySyntaxError> {
    nesting::measure_nesting(sparql).map(drop).map_err(|error| {
        let is_repeated = error == NestingError::Repeated;
        let (position, message) = match error {
            NestingError::Nested(position) => (position, format!("brackets are nested more than {MAX_NESTING} deep")),
            NestingError::Variables => (None, format!("variables are used more than {MAX_VARIABLES} times")),
            NestingError::Long => (None, format!("more than {MAX_LEVELS} operators and brackets")),
            NestingError::Repeated => (
                None,
                "negations, REGEX, REPLACE, SUBSTR, GROUP_CONCAT or other functions are nested too deep".to_owned(),
            ),
        };
        QuerySyntaxError {
            line: position.map(|position| position.0),
            column: position.map(|position| position.1),
            message,
            hint: is_repeated.then(|| "use BIND for the inner expressions".to_owned()),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found by `make fuzz`: the separator before the token has three bytes.
    #[test]
    fn token_after_a_wide_separator_is_found() {
        assert_eq!(token_at("FILT\u{2028}ex:a b", 1, 9), Some("ex:a"));
        assert_eq!(token_at("a\u{a0}\u{3000}", 1, 4), Some("a"));

        let control = Arc::default();
        let error = parse_query("SELECT * { ?s\u{2028}ex:p ?o }", None, None, &control);
        assert!(matches!(&error, Err(QueryError::Syntax(error)) if error.line.is_some()), "{error:?}");
    }
}
