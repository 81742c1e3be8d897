//! What is wrong with a filter, and where.

use std::fmt;

/// How much of a long filter is shown, before the place and after it.
const SHOWN_CHARACTERS: usize = 40;

/// A filter cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterError {
    /// What is wrong.
    pub what: String,
    /// Where, in bytes from the beginning of the text.
    pub at: usize,
    /// What to write instead, if there is more to say.
    pub hint: Option<String>,
    text: String,
}

impl FilterError {
    pub(super) fn new(what: impl Into<String>, at: usize) -> Self {
        Self { what: what.into(), at, hint: None, text: String::new() }
    }

    pub(super) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(super) fn in_text(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// The text around the place, and a caret below it.
    #[must_use]
    pub fn pointed_at(&self) -> String {
        let (before, after) = self.text.split_at(self.text.floor_char_boundary(self.at));
        let skipped = before.chars().count().saturating_sub(SHOWN_CHARACTERS);
        let begin = if skipped > 0 { "…" } else { "" };
        let end = if after.chars().nth(SHOWN_CHARACTERS).is_some() { "…" } else { "" };
        let before: String = begin.chars().chain(before.chars().skip(skipped)).collect();
        let after: String = after.chars().take(SHOWN_CHARACTERS).chain(end.chars()).collect();
        let line = format!("{before}{after}").replace(char::is_control, " ");
        format!("  {line}\n  {}^", " ".repeat(before.chars().count()))
    }
}

impl fmt::Display for FilterError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}\n{}", self.what, self.pointed_at())
    }
}

impl std::error::Error for FilterError {}
