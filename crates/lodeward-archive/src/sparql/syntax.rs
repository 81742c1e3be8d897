//! From text to algebra, and what is wrong with it if it cannot be.

use spargebra::{GraphUpdateOperation, Query, SparqlParser, Update};

use super::error::SyntaxError;
use super::nesting::{self, LEVELS_MAX, NESTING_MAX, TooMuch};
use super::prologue::{prefixes, skip_blank};
use super::{deep, plan};

/// Parses a query, and tells how deep it is if it is deep.
pub(super) fn query(sparql: &str, base_iri: Option<&str>) -> Result<(Query, Option<usize>), SyntaxError> {
    let nesting = nesting(sparql)?;
    let parser = parser(base_iri)?;
    on_a_stack(sparql, nesting, || {
        let mut query =
            parser.parse_query(sparql).map_err(|error| explained(sparql, &error.to_string(), Asked::Query))?;
        let depth = deep::depth_of(plan::pattern_of(&mut query))?;
        Ok((query, depth))
    })
}

/// Parses an update, and tells how deep it is if it is deep.
pub(super) fn update(sparql: &str, base_iri: Option<&str>) -> Result<(Update, Option<usize>), SyntaxError> {
    let nesting = nesting(sparql)?;
    let parser = parser(base_iri)?;
    on_a_stack(sparql, nesting, || {
        let update =
            parser.parse_update(sparql).map_err(|error| explained(sparql, &error.to_string(), Asked::Update))?;
        let mut deepest = None;
        for operation in &update.operations {
            if let GraphUpdateOperation::DeleteInsert { pattern, .. } = operation {
                deepest = deepest.max(deep::depth_of(pattern)?);
            }
        }
        Ok((update, deepest))
    })
}

fn on_a_stack<T: Send>(
    sparql: &str,
    nesting: usize,
    parse: impl FnOnce() -> Result<T, SyntaxError> + Send,
) -> Result<T, SyntaxError> {
    deep::parsed(sparql, nesting, parse).unwrap_or_else(|error| {
        let message = format!("it is long, and there is no memory for a stack to parse it on: {error}");
        Err(SyntaxError { line: None, column: None, message, hint: None })
    })
}

fn parser(base_iri: Option<&str>) -> Result<SparqlParser, SyntaxError> {
    let Some(base_iri) = base_iri else { return Ok(SparqlParser::new()) };
    let wrong = |error| SyntaxError {
        line: None,
        column: None,
        message: format!("the base `{base_iri}` is not an absolute IRI: {error}"),
        hint: None,
    };
    SparqlParser::new().with_base_iri(base_iri).map_err(wrong)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Query,
    Update,
}

/// The parser tells the place in its text: `error at 1:10: expected …`.
fn explained(sparql: &str, text: &str, asked: Asked) -> SyntaxError {
    let place = text.strip_prefix("error at ").and_then(|rest| rest.split_once(": ")).and_then(|(place, message)| {
        let (line, column) = place.split_once(':')?;
        Some((line.parse().ok()?, column.parse().ok()?, message))
    });
    let hint = hint(sparql, place.map(|(line, column, _)| (line, column)), asked);
    match place {
        Some((line, column, message)) => {
            SyntaxError { line: Some(line), column: Some(column), message: message.to_owned(), hint }
        }
        None => SyntaxError { line: None, column: None, message: text.to_owned(), hint },
    }
}

const QUERY_WORDS: [&str; 4] = ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"];
const UPDATE_WORDS: [&str; 10] = ["INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"];

fn hint(sparql: &str, place: Option<(usize, usize)>, asked: Asked) -> Option<String> {
    let first = first_word(sparql);
    let is = |words: &[&str]| words.iter().any(|word| first.eq_ignore_ascii_case(word));
    if first.is_empty() {
        return Some("there is nothing in it".to_owned());
    }
    if asked == Asked::Query && is(&UPDATE_WORDS) {
        return Some(format!("`{first}` begins an update; this is the place for queries"));
    }
    if asked == Asked::Update && is(&QUERY_WORDS) {
        return Some(format!("`{first}` begins a query; this is the place for updates"));
    }
    if !is(&QUERY_WORDS) && !is(&UPDATE_WORDS) {
        let (kind, words) = match asked {
            Asked::Query => ("query", &QUERY_WORDS[..]),
            Asked::Update => ("update", &UPDATE_WORDS[..]),
        };
        return Some(format!("`{first}` does not begin a {kind}: {}", words.join(", ")));
    }
    if !sparql.to_ascii_lowercase().contains("base") && has_relative_iri(sparql) {
        return Some("a relative IRI needs a base: BASE <http://…>".to_owned());
    }
    let token = place.and_then(|(line, column)| token_at(sparql, line, column))?;
    let (prefix, _) = token.split_once(':')?;
    let is_name = prefix.chars().all(|c| c.is_alphanumeric() || c == '-' || c == '_' || c == '.');
    let is_declared = prefixes(sparql).iter().any(|(known, _)| known == prefix);
    (is_name && !is_declared).then(|| format!("the prefix `{prefix}` is not declared: PREFIX {prefix}: <http://…>"))
}

/// Whether there is something like `<name>`, without a scheme. (Only a hint
/// depends on it, so strings and comments do not matter.)
fn has_relative_iri(sparql: &str) -> bool {
    let iri = |rest: &str| {
        let end = rest.find(|c: char| c.is_whitespace() || "<>\"{}|^`\\".contains(c))?;
        (rest[end..].starts_with('>') && !rest[..end].contains(':')).then_some(())
    };
    sparql.split('<').skip(1).any(|rest| iri(rest).is_some())
}

/// What stands where the parser gave up, or right before it: it reads a name
/// before it finds that there is something wrong with it.
fn token_at(sparql: &str, line: usize, column: usize) -> Option<&str> {
    let line = sparql.split('\n').nth(line.checked_sub(1)?)?;
    let place = line.char_indices().nth(column.saturating_sub(1)).map_or(line.len(), |(at, _)| at);
    let ends = |c: char| c.is_whitespace() || "{}()[];,|^".contains(c);
    let before = line[..place].trim_end();
    let start = before.rfind(ends).map_or(0, |at| at + 1);
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

/// How deep brackets are nested. Refuses what is too deep.
fn nesting(sparql: &str) -> Result<usize, SyntaxError> {
    nesting::nesting(sparql).map_err(|too_much| {
        let (place, message) = match too_much {
            TooMuch::Nested(place) => (place, format!("brackets are nested more than {NESTING_MAX} deep")),
            TooMuch::Long => (None, format!("it has more than {LEVELS_MAX} operators and brackets")),
        };
        SyntaxError { line: place.map(|place| place.0), column: place.map(|place| place.1), message, hint: None }
    })
}
