//! The tokens of a query, roughly: for hints, for the order of columns and for prefixes.
//!
//! The parser does not return tokens. This module knows comments, strings, IRIs, variables and names,
//! and takes every other character as a symbol. What it returns for an invalid text is only a guess.

/// A token, with its position in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SparqlToken<'t> {
    pub(super) at: usize,
    pub(super) kind: TokenKind<'t>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind<'t> {
    /// `?name` or `$name`, without the sign.
    Variable(&'t str),
    /// `<…>`, without the brackets.
    Iri(&'t str),
    /// A keyword, or another name without a colon.
    Word(&'t str),
    /// `prefix:local`: the prefix, and the rest.
    Name(&'t str, &'t str),
    /// A string, without its quotes.
    Text(&'t str),
    /// Any other character.
    Symbol(char),
}

/// All tokens of a text, without comments and white space.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = SparqlToken<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[at..];
            let first = rest.chars().next()?;
            let (kind, length) = match first {
                _ if first.is_whitespace() => {
                    at += first.len_utf8();
                    continue;
                }
                '#' => {
                    at += rest.find(['\n', '\r']).unwrap_or(rest.len());
                    continue;
                }
                _ => next_token(rest, first),
            };
            let token = SparqlToken { at, kind };
            at += length;
            return Some(token);
        }
    })
}

/// The first token of a text, and its length in bytes.
fn next_token(rest: &str, first: char) -> (TokenKind<'_>, usize) {
    let symbol = (TokenKind::Symbol(first), first.len_utf8());
    match first {
        '?' | '$' => {
            let name = take_name(&rest[1..]);
            if name.is_empty() { symbol } else { (TokenKind::Variable(name), name.len() + 1) }
        }
        '<' => {
            let is_end = |c: char| c.is_whitespace() || "<>\"{}|^`\\".contains(c);
            match rest[1..].find(is_end).map(|end| &rest[1..=end]) {
                Some(iri) if rest[iri.len() + 1..].starts_with('>') => (TokenKind::Iri(iri), iri.len() + 2),
                _ => symbol,
            }
        }
        '"' | '\'' => take_text(rest, first),
        _ if is_name_char(first) || first == ':' => {
            let name = take_name(rest);
            let Some(local) = rest[name.len()..].strip_prefix(':') else { return (TokenKind::Word(name), name.len()) };
            let end = local.find(|c: char| !(is_name_char(c) || ":.%-".contains(c))).unwrap_or(local.len());
            let local = local[..end].trim_end_matches('.');
            (TokenKind::Name(name, local), name.len() + 1 + local.len())
        }
        _ => symbol,
    }
}

fn take_text(rest: &str, quote: char) -> (TokenKind<'_>, usize) {
    let long = [quote; 3].iter().collect::<String>();
    let quotes = if rest.starts_with(&long) { 3 } else { 1 };
    let content = &rest[quotes..];
    let mut is_escaped = false;
    for (at, character) in content.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if character == '\\' {
            is_escaped = true;
        } else if content[at..].starts_with(&long[..quotes]) {
            return (TokenKind::Text(&content[..at]), at + 2 * quotes);
        } else if quotes == 1 && character == '\n' {
            break;
        }
    }
    // A quote without an end: the rest of the line.
    let end = content.find('\n').unwrap_or(content.len());
    (TokenKind::Text(&content[..end]), quotes + end)
}

fn is_name_char(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn take_name(text: &str) -> &str {
    let end = text.find(|c: char| !is_name_char(c) && c != '-').unwrap_or(text.len());
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::TokenKind::{Iri, Name, Symbol, Text, Variable, Word};
    use super::*;

    #[test]
    fn strings_iris_and_comments_are_one_token_or_none() {
        let check = |text: &str, expected: &[TokenKind<'_>]| {
            assert_eq!(tokens(text).map(|token| token.kind).collect::<Vec<_>>(), expected, "{text}");
        };

        check(
            "SELECT * # ?x\n{ ?s a $t }",
            &[Word("SELECT"), Symbol('*'), Symbol('{'), Variable("s"), Word("a"), Variable("t"), Symbol('}')],
        );
        check(
            "<http://a.example/#?x> foaf:name :x.",
            &[Iri("http://a.example/#?x"), Name("foaf", "name"), Name("", "x"), Symbol('.')],
        );
        check("?a<?b", &[Variable("a"), Symbol('<'), Variable("b")]);
        check("'it\\'s ?x' \"\"\"a \"b\" ?c\"\"\"", &[Text("it\\'s ?x"), Text("a \"b\" ?c")]);
        check("\"open ?x\n?y ?", &[Text("open ?x"), Variable("y"), Symbol('?')]);
        check(
            "http://a.example/x",
            &[
                Name("http", ""),
                Symbol('/'),
                Symbol('/'),
                Word("a"),
                Symbol('.'),
                Word("example"),
                Symbol('/'),
                Word("x"),
            ],
        );
        check("“x” é:ü", &[Symbol('“'), Word("x"), Symbol('”'), Name("é", "ü")]);
    }
}
