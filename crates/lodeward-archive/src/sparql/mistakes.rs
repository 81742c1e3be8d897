//! Hints for common mistakes in queries.
//!
//! The parser reports what it expects at a position, which is often far from the mistake. Each
//! function here recognises one mistake in the tokens of a text that could not be parsed.

use super::tokens::{SparqlToken, TokenKind, tokens};

/// A text that could not be parsed.
struct FaultyText<'t> {
    text: &'t str,
    tokens: Vec<SparqlToken<'t>>,
    /// The message of the parser.
    message: &'t str,
}

/// The hint for the first mistake that is recognised; `message` is that of the parser.
pub(super) fn find_hint(text: &str, message: &str) -> Option<String> {
    let faulty = FaultyText { text, tokens: tokens(text).collect(), message };
    MISTAKES.iter().find_map(|mistake| mistake(&faulty))
}

/// The hint for an IRI without angle brackets, whose scheme the parser takes for a prefix.
pub(super) fn bare_iri_hint(text: &str) -> Option<String> {
    bare_iri(&FaultyText { text, tokens: tokens(text).collect(), message: "" })
}

/// All mistakes that are recognised, the more certain ones first.
const MISTAKES: [fn(&FaultyText<'_>) -> Option<String>; 13] = [
    typographic_quotes,
    ungrouped_variable,
    bare_aggregate,
    comma_in_projection,
    double_equals,
    word_operator,
    bare_iri,
    filter_without_parentheses,
    limit_before_order,
    unbalanced_brackets,
    missing_dot,
    name_without_sign,
    missing_quotes,
];

fn is_word(token: &SparqlToken<'_>, expected: &[&str]) -> bool {
    matches!(token.kind, TokenKind::Word(word) if expected.iter().any(|one| word.eq_ignore_ascii_case(one)))
}

/// Two tokens that follow each other without a space.
fn are_adjacent(one: &SparqlToken<'_>, other: &SparqlToken<'_>) -> bool {
    one.at + 1 == other.at
}

const AGGREGATES: [&str; 7] = ["COUNT", "SUM", "AVG", "MIN", "MAX", "SAMPLE", "GROUP_CONCAT"];

impl FaultyText<'_> {
    /// The tokens of the first `SELECT` up to its group.
    fn projection(&self) -> &[SparqlToken<'_>] {
        let Some(start) = self.tokens.iter().position(|token| is_word(token, &["SELECT"])) else { return &[] };
        let rest = &self.tokens[start..];
        let is_end =
            |token: &SparqlToken<'_>| token.kind == TokenKind::Symbol('{') || is_word(token, &["WHERE", "FROM"]);
        &rest[..rest.iter().position(is_end).unwrap_or(rest.len())]
    }

    fn has_symbol(&self, symbol: char) -> bool {
        self.tokens.iter().any(|token| token.kind == TokenKind::Symbol(symbol))
    }
}

fn typographic_quotes(faulty: &FaultyText<'_>) -> Option<String> {
    let quote = ['“', '”', '„', '‘', '’', '«', '»'].into_iter().find(|quote| faulty.has_symbol(*quote))?;
    Some(format!("write strings in straight quotes: \"…\", not {quote}…"))
}

fn ungrouped_variable(faulty: &FaultyText<'_>) -> Option<String> {
    let is_grouping = faulty.message.contains("a variable that is unbound");
    let projection = faulty.projection();
    let has_aggregate = projection.iter().any(|token| is_word(token, &AGGREGATES));
    let has_group = faulty.tokens.iter().any(|token| is_word(token, &["GROUP"]));
    if !is_grouping && (!has_aggregate || has_group) {
        return None;
    }
    let mut depth = 0_u32;
    let mut bare = Vec::new();
    for token in projection {
        match token.kind {
            TokenKind::Symbol('(') => depth += 1,
            TokenKind::Symbol(')') => depth = depth.saturating_sub(1),
            TokenKind::Variable(name) if depth == 0 => bare.push(format!("?{name}")),
            _ => {}
        }
    }
    let first = bare.first()?;
    Some(format!("add GROUP BY {}, or aggregate the variable: (SAMPLE({first}) AS ?any)", bare.join(" ")))
}

/// `SELECT COUNT(*)` without parentheses and `AS`.
fn bare_aggregate(faulty: &FaultyText<'_>) -> Option<String> {
    let projection = faulty.projection();
    for (at, token) in projection.iter().enumerate().filter(|(_, token)| is_word(token, &AGGREGATES)) {
        let TokenKind::Word(name) = token.kind else { continue };
        let is_in_parentheses = at > 0 && projection[at - 1].kind == TokenKind::Symbol('(');
        let has_name = projection[at..].iter().any(|token| is_word(token, &["AS"]));
        if !is_in_parentheses || !has_name {
            return Some(format!("name the result, in parentheses: ({}(…) AS ?n)", name.to_ascii_uppercase()));
        }
    }
    None
}

fn comma_in_projection(faulty: &FaultyText<'_>) -> Option<String> {
    let mut depth = 0_i32;
    let is_comma = |token: &SparqlToken<'_>| {
        depth += match token.kind {
            TokenKind::Symbol('(') => 1,
            TokenKind::Symbol(')') => -1,
            _ => 0,
        };
        depth == 0 && token.kind == TokenKind::Symbol(',')
    };
    let has_comma = faulty.projection().iter().any(is_comma);
    has_comma.then(|| "separate the variables of SELECT with spaces, not with commas".to_owned())
}

fn double_equals(faulty: &FaultyText<'_>) -> Option<String> {
    let is_double = |pair: &[SparqlToken<'_>]| {
        pair[0].kind == TokenKind::Symbol('=')
            && pair[1].kind == TokenKind::Symbol('=')
            && are_adjacent(&pair[0], &pair[1])
    };
    faulty.tokens.windows(2).any(is_double).then(|| "compare with a single =".to_owned())
}

/// `AND`, `OR` and `NOT` in a condition.
fn word_operator(faulty: &FaultyText<'_>) -> Option<String> {
    let (at, word) = faulty.tokens.iter().enumerate().find_map(|(at, token)| match token.kind {
        TokenKind::Word(word) if is_word(token, &["AND", "OR", "NOT"]) => Some((at, word)),
        _ => None,
    })?;
    let operator = match word.to_ascii_uppercase().as_str() {
        "AND" => "&&",
        "OR" => "||",
        // NOT EXISTS and NOT IN are part of the language.
        _ if faulty.tokens.get(at + 1).is_some_and(|next| is_word(next, &["EXISTS", "IN"])) => return None,
        _ => "!",
    };
    Some(format!("write {operator} instead of `{word}`"))
}

/// `http://…` without angle brackets.
fn bare_iri(faulty: &FaultyText<'_>) -> Option<String> {
    let is_scheme = |scheme: &str| ["http", "https", "urn", "file", "ftp"].contains(&scheme);
    let at = faulty.tokens.iter().enumerate().find_map(|(at, token)| match token.kind {
        TokenKind::Name(scheme, rest) if is_scheme(scheme) => {
            let next = faulty.tokens.get(at + 1).map(|next| next.kind);
            (scheme == "urn" || (rest.is_empty() && next == Some(TokenKind::Symbol('/')))).then_some(token.at)
        }
        _ => None,
    })?;
    let rest = &faulty.text[at..];
    let end = rest.find(|c: char| c.is_whitespace() || "{}()<>;,\"'".contains(c)).unwrap_or(rest.len());
    Some(format!("put the IRI in angle brackets: <{}>", rest[..end].trim_end_matches('.')))
}

fn filter_without_parentheses(faulty: &FaultyText<'_>) -> Option<String> {
    let pairs = faulty.tokens.windows(2);
    let is_bare = |pair: &[SparqlToken<'_>]| {
        let follows = pair[1].kind;
        is_word(&pair[0], &["FILTER"])
            && (matches!(follows, TokenKind::Variable(_) | TokenKind::Text(_)) || follows == TokenKind::Symbol('!'))
    };
    let pair = pairs.clone().find(|pair| is_bare(pair))?;
    let rest = &faulty.text[pair[1].at..];
    let end = rest.find(['}', '\n', '{']).unwrap_or(rest.len());
    let condition = rest[..end].trim().trim_end_matches('.').trim_end();
    Some(format!("put the condition in parentheses: FILTER({condition})"))
}

fn limit_before_order(faulty: &FaultyText<'_>) -> Option<String> {
    let place = |words: &[&str]| faulty.tokens.iter().rposition(|token| is_word(token, words));
    let (limit, order) = (place(&["LIMIT", "OFFSET"])?, place(&["ORDER"])?);
    let is_same_level =
        !faulty.tokens[limit.min(order)..order].iter().any(|token| token.kind == TokenKind::Symbol('}'));
    (limit < order && is_same_level).then(|| "write ORDER BY before LIMIT and OFFSET".to_owned())
}

fn unbalanced_brackets(faulty: &FaultyText<'_>) -> Option<String> {
    let mut open = Vec::new();
    for token in &faulty.tokens {
        match token.kind {
            TokenKind::Symbol(bracket @ ('{' | '(')) => open.push(bracket),
            TokenKind::Symbol(bracket @ ('}' | ')')) => {
                let expected = if bracket == '}' { '{' } else { '(' };
                if open.pop() != Some(expected) {
                    return Some(format!("there is a {bracket} without its {expected}"));
                }
            }
            _ => {}
        }
    }
    let (bracket, missing) = match open.last()? {
        '{' => ('{', '}'),
        bracket => (*bracket, ')'),
    };
    Some(format!("a {bracket} is not closed: add {missing}"))
}

/// A second triple follows a complete one without a dot. The position of the error does not help: the
/// parser has read on to look for a keyword.
fn missing_dot(faulty: &FaultyText<'_>) -> Option<String> {
    let tokens = &faulty.tokens;
    if tokens.iter().any(|token| is_word(token, &["VALUES"])) {
        return None;
    }
    let is_term = |token: &SparqlToken<'_>| {
        matches!(token.kind, TokenKind::Variable(_) | TokenKind::Iri(_) | TokenKind::Name(..) | TokenKind::Text(_))
            || token.kind == TokenKind::Word("a")
    };
    let starts = |at: &usize| matches!(tokens[*at].kind, TokenKind::Symbol('{' | '.' | '}'));
    let next = (0..tokens.len()).filter(starts).find_map(|at| {
        let run = &tokens[at + 1..];
        let length = run.iter().position(|token| !is_term(token)).unwrap_or(run.len());
        (length > 3).then(|| run[3])
    })?;
    let end = faulty.text[next.at..].find(char::is_whitespace).map_or(faulty.text.len(), |end| next.at + end);
    Some(format!("end a triple with a dot before the next one: … . {}", &faulty.text[next.at..end]))
}

/// A term that is a bare word: a variable without its sign.
fn name_without_sign(faulty: &FaultyText<'_>) -> Option<String> {
    let is_name = |word: &str| word.starts_with(|c: char| c.is_ascii_lowercase()) && word != "a" && !is_keyword(word);
    let word = faulty.tokens.windows(2).find_map(|pair| match (pair[0].kind, pair[1].kind) {
        (
            TokenKind::Symbol('{' | '.' | ';' | ',') | TokenKind::Variable(_) | TokenKind::Iri(_) | TokenKind::Name(..),
            TokenKind::Word(word),
        ) if is_name(word) => Some(word),
        _ => None,
    })?;
    Some(format!("a variable starts with a question mark (?{word}), a string has quotes (\"{word}\")"))
}

/// A comparison with a bare word.
fn missing_quotes(faulty: &FaultyText<'_>) -> Option<String> {
    let pairs = faulty.tokens.windows(2);
    let word = pairs.filter(|pair| pair[0].kind == TokenKind::Symbol('=')).find_map(|pair| match pair[1].kind {
        TokenKind::Word(word) if !is_keyword(word) && word.starts_with(char::is_alphabetic) => Some(word),
        _ => None,
    })?;
    Some(format!("write the string in quotes: \"{word}\""))
}

fn is_keyword(word: &str) -> bool {
    const KEYWORDS: [&str; 26] = [
        "select", "where", "filter", "optional", "union", "graph", "bind", "as", "values", "minus", "service", "from",
        "named", "order", "by", "group", "having", "limit", "offset", "distinct", "asc", "desc", "true", "false",
        "exists", "in",
    ];
    KEYWORDS.iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::sparql::error::QueryError;
    use crate::sparql::syntax::parse_query;

    #[test]
    fn a_common_mistake_has_a_hint() {
        let mut wrong = Vec::new();
        let mut check = |sparql: &str, expected: &str| {
            let Err(QueryError::Syntax(error)) = parse_query(sparql, None, None, &Arc::default()) else {
                panic!("{sparql} is no syntax error");
            };
            if !error.hint.as_deref().is_some_and(|hint| hint.contains(expected)) {
                wrong.push(format!("{sparql}\n{error:?}"));
            }
        };

        check("SELECT * { http://a.example/x ?p ?o }", "put the IRI in angle brackets: <http://a.example/x>");
        check("SELECT * { ?s urn:a:b ?o . }", "put the IRI in angle brackets: <urn:a:b>");
        check("SELECT * { ?s foo:name ?n }", "declare the prefix: PREFIX foo: <http://…>");
        check("SELECT ?s (COUNT(*) AS ?n) { ?s ?p ?o }", "add GROUP BY ?s, or aggregate");
        check("SELECT ?s ?p (COUNT(*) AS ?n) { ?s ?p ?o } GROUP BY ?s", "add GROUP BY ?s ?p, or aggregate");
        check("SELECT * { ?s ?p ?o FILTER ?o > 3 }", "put the condition in parentheses: FILTER(?o > 3)");
        check("SELECT * { ?s a ?t ?s ?p ?o }", "end a triple with a dot before the next one: … . ?s");
        check("SELECT * { ?s ?p ?o FILTER(?o == 3) }", "compare with a single =");
        check("SELECT * { ?s ?p ?o FILTER(?o > 3 and ?o < 5) }", "write && instead of `and`");
        check("SELECT * { ?s ?p ?o FILTER(?o = 3 OR ?o = 5) }", "write || instead of `OR`");
        check("SELECT COUNT(*) { ?s ?p ?o }", "name the result, in parentheses: (COUNT(…) AS ?n)");
        check("SELECT (COUNT(?s)) { ?s ?p ?o }", "name the result, in parentheses: (COUNT(…) AS ?n)");
        check("SELECT ?s, ?o { ?s ?p ?o }", "separate the variables of SELECT with spaces");
        check("SELECT * { ?s ?p “Alice” }", "write strings in straight quotes");
        check("SELECT * { ?s ?p ?o", "a { is not closed: add }");
        check("SELECT * { ?s ?p ?o } }", "there is a } without its {");
        check("SELECT * { ?s ?p ?o FILTER(STRLEN(?o) > 3 }", "without its {");
        check("SELECT * { ?s ?p ?o } LIMIT 3 ORDER BY ?s", "write ORDER BY before LIMIT");
        check("SELECT * { s ?p ?o }", "a variable starts with a question mark (?s)");
        check("SELECT * { ?s ?p ?o FILTER(?o = Alice) }", "write the string in quotes: \"Alice\"");
        check("INSERT DATA { <urn:a> <urn:b> <urn:c> }", "`INSERT` starts an update");
        check("SELECT * { <x> ?p ?o }", "declare a base for relative IRIs");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}
