//! The columns of `SELECT *`.
//!
//! The parser orders them by name. A reader expects the order in which they appear in the query.

use std::collections::HashMap;

use oxrdf::Variable;
use spargebra::Query;
use spargebra::algebra::GraphPattern;

use super::prologue::after_prologue;
use super::tokens::{TokenKind, tokens};

/// Orders the columns of `SELECT *` as the variables appear in the query.
pub(super) fn order_columns(query: &mut Query, sparql: &str) {
    let body = after_prologue(sparql);
    let Query::Select { pattern, .. } = query else { return };
    if !selects_all(body) {
        return;
    }
    let Some(columns) = projection(pattern) else { return };
    let mut places: HashMap<&str, usize> = HashMap::new();
    for token in tokens(body) {
        if let TokenKind::Variable(name) = token.kind {
            places.entry(name).or_insert(token.at);
        }
    }
    // Variables that the scan does not find, if there are any, stay in their order at the end.
    columns.sort_by_key(|column| places.get(column.as_str()).copied().unwrap_or(usize::MAX));
}

/// Whether a query without its prologue begins with `SELECT *`.
fn selects_all(body: &str) -> bool {
    let is_word = |token: TokenKind<'_>, expected: &[&str]| matches!(token, TokenKind::Word(word) if expected.iter().any(|one| word.eq_ignore_ascii_case(one)));
    let mut words = tokens(body).map(|token| token.kind).peekable();
    if !words.next().is_some_and(|first| is_word(first, &["SELECT"])) {
        return false;
    }
    words.next_if(|next| is_word(*next, &["DISTINCT", "REDUCED"]));
    words.next() == Some(TokenKind::Symbol('*'))
}

/// The columns of the outermost projection.
fn projection(pattern: &mut GraphPattern) -> Option<&mut Vec<Variable>> {
    match pattern {
        GraphPattern::Project { variables, .. } => Some(variables),
        GraphPattern::Distinct { inner } | GraphPattern::Reduced { inner } | GraphPattern::Slice { inner, .. } => {
            projection(inner)
        }
        _ => None,
    }
}
