//! Syntax errors of filters, with their position.

use std::fmt;

/// Number of characters of a long filter that are shown before and after the position.
const CONTEXT_CHARS: usize = 40;

/// A syntax error of a filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// What is wrong at the position.
    pub message: String,
    /// Position in bytes from the beginning of the text.
    pub position: usize,
    /// How to fix the error; `None` if the message makes it clear.
    pub hint: Option<String>,
    text: String,
}

impl FilterError {
    pub(super) fn new(what: impl Into<String>, position: usize) -> Self {
        Self { message: what.into(), position, hint: None, text: String::new() }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn with_text(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// The first character of the error and the first one after it, counted from 0. At the end of the
    /// filter, they are equal.
    #[must_use]
    pub fn character_range(&self) -> (usize, usize) {
        let (before, after) = self.text.split_at(self.text.floor_char_boundary(self.position));
        let ends_word = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')');
        let word = after.find(ends_word).map_or(after, |end| &after[..end]);
        let from = before.chars().count();
        (from, from + word.chars().count().max(usize::from(!after.is_empty())))
    }

    /// The text around the position, with a caret below it.
    #[must_use]
    pub fn excerpt(&self) -> String {
        let (before, after) = self.text.split_at(self.text.floor_char_boundary(self.position));
        let skipped = before.chars().count().saturating_sub(CONTEXT_CHARS);
        let begin = if skipped > 0 { "…" } else { "" };
        let end = if after.chars().nth(CONTEXT_CHARS).is_some() { "…" } else { "" };
        let before: String = begin.chars().chain(before.chars().skip(skipped)).collect();
        let after: String = after.chars().take(CONTEXT_CHARS).chain(end.chars()).collect();
        let line = format!("{before}{after}").replace(char::is_control, " ");
        format!("  {line}\n  {}^", " ".repeat(before.chars().count()))
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n{}", self.message, self.excerpt())
    }
}

impl std::error::Error for FilterError {}
