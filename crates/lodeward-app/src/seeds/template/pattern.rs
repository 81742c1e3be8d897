//! Parses and fills texts with placeholders.

use std::collections::BTreeMap;
use std::fmt;

/// A text with placeholders, such as `{base}Transport_in_{place}`. Literal braces are doubled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TextPattern {
    written: String,
    parts: Vec<PatternPart>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum PatternPart {
    Text(String),
    Placeholder(String),
}

impl TextPattern {
    /// Parses a pattern. The error is a message for the user.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let mut parts = Vec::new();
        let mut text = String::new();
        let mut rest = written.chars().peekable();
        while let Some(letter) = rest.next() {
            match letter {
                '{' | '}' if rest.peek() == Some(&letter) => {
                    rest.next();
                    text.push(letter);
                }
                '{' => {
                    let mut is_closed = false;
                    let name = rest.by_ref().take_while(|letter| {
                        is_closed = *letter == '}';
                        !is_closed
                    });
                    let name: String = name.collect();
                    if !is_closed || !is_name(&name) {
                        return Err(format!(
                            "`{{{name}` is not a placeholder such as {{place}}; write a literal brace as {{{{"
                        ));
                    }
                    if !text.is_empty() {
                        parts.push(PatternPart::Text(std::mem::take(&mut text)));
                    }
                    parts.push(PatternPart::Placeholder(name));
                }
                '}' => return Err("unmatched `}`; write a literal brace as }}".to_owned()),
                letter => text.push(letter),
            }
        }
        if !text.is_empty() {
            parts.push(PatternPart::Text(text));
        }
        Ok(Self { written: written.to_owned(), parts })
    }

    /// The placeholders, with repetitions.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().filter_map(|part| match part {
            PatternPart::Placeholder(name) => Some(name.as_str()),
            PatternPart::Text(_) => None,
        })
    }

    /// The placeholder, if the pattern consists of nothing else.
    pub(super) fn sole_placeholder(&self) -> Option<&str> {
        match &self.parts[..] {
            [PatternPart::Placeholder(name)] => Some(name),
            _ => None,
        }
    }

    /// Whether the pattern is this placeholder, alone or after the base of an IRI:
    /// `{place}`, `{base}{place}`, `http://a.example/{place}`.
    pub(super) fn ends_in_name(&self, name: &str, is_base: impl Fn(&str) -> bool) -> bool {
        let Some((PatternPart::Placeholder(last), before)) = self.parts.split_last() else { return false };
        let is_last_part = match before.last() {
            None => true,
            Some(PatternPart::Text(text)) => text.ends_with(['/', '#']),
            Some(PatternPart::Placeholder(other)) => is_base(other),
        };
        last == name && is_last_part
    }

    /// The text with values inserted. Every placeholder must have a value.
    pub(super) fn fill(&self, values: &BTreeMap<&str, String>) -> String {
        let fill = |part: &PatternPart| match part {
            PatternPart::Text(text) => text.clone(),
            PatternPart::Placeholder(name) => values[name.as_str()].clone(),
        };
        self.parts.iter().map(fill).collect()
    }
}

impl fmt::Display for TextPattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

/// Whether a text is a valid name of a placeholder or of a template.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_replaced_by_values() {
        let check = |written: &str, filled: &str| {
            let values = BTreeMap::from([("a", "1".to_owned()), ("b-2", "{a}".to_owned())]);
            assert_eq!(TextPattern::parse(written).unwrap().fill(&values), filled);
        };

        check("{a}", "1");
        check("x{a}y{a}", "x1y1");
        // Inserted values are not parsed.
        check("{b-2}{{{a}}}", "{a}{1}");
        check("plain", "plain");
        check("", "");
    }

    #[test]
    fn a_pattern_that_ends_in_a_name_is_recognised() {
        let check = |written: &str, expected: bool| {
            assert_eq!(
                TextPattern::parse(written).unwrap().ends_in_name("a", |name| name == "base"),
                expected,
                "{written}"
            );
        };

        check("{a}", true);
        check("{base}{a}", true);
        check("http://a.example/{a}", true);
        check("{base}History_of_{a}", false);
        check("http://a.example/?q={a}", false);
        check("{a}{b}", false);
        check("{b}{a}", false);
        check("a", false);
    }

    #[test]
    fn invalid_placeholders_are_rejected() {
        let check = |written: &str, problem: &str| {
            let message = TextPattern::parse(written).unwrap_err();
            assert!(message.contains(problem), "{message}");
        };

        check("{a b}", "`{a b` is not a placeholder");
        check("{a", "`{a` is not a placeholder");
        check("{}", "is not a placeholder");
        check("{ä}", "is not a placeholder");
        check("a}", "unmatched `}`");
    }
}
