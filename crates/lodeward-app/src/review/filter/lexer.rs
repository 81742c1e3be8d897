//! Splits a filter into tokens.

use super::FilterError;

/// A position in the text of a filter.
pub(super) struct FilterCursor<'t> {
    text: &'t str,
    at: usize,
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FilterOperator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Matches,
    MatchesNot,
}

/// The operators. Longer ones come first, because they begin with shorter ones.
const OPERATORS: [(&str, FilterOperator); 9] = [
    ("==", FilterOperator::Equal),
    ("!=", FilterOperator::Unequal),
    ("<=", FilterOperator::AtMost),
    (">=", FilterOperator::AtLeast),
    ("!~", FilterOperator::MatchesNot),
    ("=", FilterOperator::Equal),
    ("<", FilterOperator::Less),
    (">", FilterOperator::More),
    ("~", FilterOperator::Matches),
];

/// A name or a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FilterToken {
    pub(super) text: String,
    pub(super) kind: FilterTokenKind,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum FilterTokenKind {
    Bare,
    /// In quotes, with or without a language tag.
    Quoted(Option<String>),
    /// In angle brackets.
    Iri,
}

impl<'t> FilterCursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Skips whitespace. Returns the position after it.
    pub(super) fn skip_whitespace(&mut self) -> usize {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.skip_whitespace() == self.text.len()
    }

    /// Skips whitespace and then `sign`, if it is the next character. Returns whether `sign` was skipped.
    pub(super) fn eat_char(&mut self, sign: char) -> bool {
        self.skip_whitespace();
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len_utf8() } else { 0 };
        is_next
    }

    /// The next word: letters, digits, `_` and `-`; empty if there is none.
    pub(super) fn peek_word(&mut self) -> &'t str {
        self.skip_whitespace();
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-'));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Skips `word`, if it is the next word; case is ignored. Returns whether `word` was skipped.
    pub(super) fn eat_word(&mut self, word: &str) -> bool {
        let next = self.peek_word();
        let is_next = next.eq_ignore_ascii_case(word);
        self.at += if is_next { next.len() } else { 0 };
        is_next
    }

    pub(super) fn has_operator(&mut self) -> bool {
        self.skip_whitespace();
        OPERATORS.iter().any(|(sign, _)| self.rest().starts_with(sign))
    }

    pub(super) fn operator(&mut self) -> Option<FilterOperator> {
        self.skip_whitespace();
        let (sign, operator) = OPERATORS.into_iter().find(|(sign, _)| self.rest().starts_with(sign))?;
        self.at += sign.len();
        Some(operator)
    }

    /// Reads the name of a property. It ends before an operator.
    pub(super) fn name(&mut self, after: &str) -> Result<FilterToken, FilterError> {
        self.token(after, |letter| matches!(letter, '=' | '<' | '>' | '~' | '!'))
    }

    /// Reads a value. An unquoted value may contain balanced parentheses, as regular expressions
    /// do.
    pub(super) fn value(&mut self, after: &str) -> Result<FilterToken, FilterError> {
        self.token(after, |_| false)
    }

    fn token(&mut self, after: &str, ends: impl Fn(char) -> bool) -> Result<FilterToken, FilterError> {
        let at = self.skip_whitespace();
        let rest = self.rest();
        let missing = || FilterError::new(format!("a value is expected after `{after}`"), at);
        match rest.chars().next() {
            Some('<') => self.iri(at),
            Some(quote @ ('"' | '\'')) => self.quoted(quote, at),
            _ => {
                let text = &rest[..bare_end(rest, ends)];
                self.at += text.len();
                let is_keyword = ["and", "or", "not"].iter().any(|keyword| text.eq_ignore_ascii_case(keyword));
                match text {
                    "" => Err(missing()),
                    keyword if is_keyword => {
                        Err(missing().with_hint(format!("write \"{keyword}\" if this is a value")))
                    }
                    text => Ok(FilterToken { text: text.to_owned(), kind: FilterTokenKind::Bare, at }),
                }
            }
        }
    }

    fn iri(&mut self, at: usize) -> Result<FilterToken, FilterError> {
        let inside = &self.rest()[1..];
        let end = inside.find(['>', '<', ' ', '"']).filter(|end| inside[*end..].starts_with('>'));
        let end = end.ok_or_else(|| FilterError::new("unclosed `<`: a `>` is missing", at))?;
        self.at += end + 2;
        Ok(FilterToken { text: inside[..end].to_owned(), kind: FilterTokenKind::Iri, at })
    }

    /// Reads a quoted text. A backslash escapes a quote; other backslashes are kept, because
    /// regular expressions use them.
    fn quoted(&mut self, quote: char, at: usize) -> Result<FilterToken, FilterError> {
        let inside = &self.rest()[1..];
        let mut text = String::new();
        let mut letters = inside.char_indices().peekable();
        while let Some((position, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if letter == '\\' && next == Some(quote) {
                text.push(quote);
                letters.next();
            } else if letter == quote {
                self.at += position + 2;
                let language = self.language();
                return Ok(FilterToken { text, kind: FilterTokenKind::Quoted(language), at });
            } else {
                text.push(letter);
            }
        }
        Err(FilterError::new(format!("unclosed {quote}"), at))
    }

    fn language(&mut self) -> Option<String> {
        let tag = self.rest().strip_prefix('@')?;
        let end = tag.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(tag.len());
        self.at += 1 + end;
        Some(tag[..end].to_owned())
    }
}

/// End of an unquoted token: before a space, a semicolon, an unbalanced closing parenthesis, or a
/// character for which `ends` is true.
fn bare_end(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut open = 0_usize;
    for (position, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' if open == 0 => return position,
            ')' => open -= 1,
            ';' => return position,
            letter if letter.is_whitespace() || ends(letter) => return position,
            _ => {}
        }
    }
    text.len()
}
