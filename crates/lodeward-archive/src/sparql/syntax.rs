//! From text to algebra, and what is wrong with it if it cannot be.

use spargebra::{Query, SparqlParser, SparqlSyntaxError, Update};

use super::error::SyntaxError;
use super::prologue::skip_blank;

/// How deep brackets may be nested. The parser and the evaluator go as deep as
/// the query, on the stack of whoever asks; a query of a stranger must not
/// overflow it.
const NESTING_MAX: usize = 64;

/// Parses a query.
pub(super) fn query(sparql: &str, base_iri: Option<&str>) -> Result<Query, SyntaxError> {
    bounded(sparql)?;
    parser(base_iri)?.parse_query(sparql).map_err(|error| explained(sparql, &error, Asked::Query))
}

/// Parses an update.
pub(super) fn update(sparql: &str, base_iri: Option<&str>) -> Result<Update, SyntaxError> {
    bounded(sparql)?;
    parser(base_iri)?.parse_update(sparql).map_err(|error| explained(sparql, &error, Asked::Update))
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
fn explained(sparql: &str, error: &SparqlSyntaxError, asked: Asked) -> SyntaxError {
    let text = error.to_string();
    let place = text.strip_prefix("error at ").and_then(|rest| rest.split_once(": ")).and_then(|(place, message)| {
        let (line, column) = place.split_once(':')?;
        Some((line.parse().ok()?, column.parse().ok()?, message))
    });
    let hint = hint(sparql, &text, asked);
    match place {
        Some((line, column, message)) => {
            SyntaxError { line: Some(line), column: Some(column), message: message.to_owned(), hint }
        }
        None => SyntaxError { line: None, column: None, message: text, hint },
    }
}

const QUERY_WORDS: [&str; 4] = ["SELECT", "ASK", "CONSTRUCT", "DESCRIBE"];
const UPDATE_WORDS: [&str; 10] = ["INSERT", "DELETE", "WITH", "LOAD", "CLEAR", "CREATE", "DROP", "COPY", "MOVE", "ADD"];

fn hint(sparql: &str, message: &str, asked: Asked) -> Option<String> {
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
    if message.to_ascii_lowercase().contains("prefix not found") {
        return Some("declare the prefix first: PREFIX name: <http://…>".to_owned());
    }
    if message.contains("No scheme found") {
        return Some("a relative IRI needs a base: BASE <http://…>".to_owned());
    }
    None
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

/// Refuses what is nested too deeply. Brackets in strings, IRIs and comments
/// are counted, too, which only a query made for it would notice: they come in
/// pairs, or far apart.
fn bounded(sparql: &str) -> Result<(), SyntaxError> {
    let mut depth = 0usize;
    let mut line = 1;
    for text in sparql.split('\n') {
        for (column, byte) in text.bytes().enumerate() {
            match byte {
                b'(' | b'{' | b'[' => depth += 1,
                b')' | b'}' | b']' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth > NESTING_MAX {
                let message = format!("brackets are nested more than {NESTING_MAX} deep");
                return Err(SyntaxError { line: Some(line), column: Some(column + 1), message, hint: None });
            }
        }
        line += 1;
    }
    Ok(())
}
