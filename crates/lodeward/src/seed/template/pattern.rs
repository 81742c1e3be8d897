//! Texts with placeholders in them.

use std::collections::BTreeMap;
use std::fmt;

/// A text with placeholders: `{base}Transport_in_{place}`. Braces that are none
/// are written twice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    written: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

impl Pattern {
    /// Reads a pattern; says what is wrong with it otherwise.
    pub(super) fn parse(written: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
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
                        return Err(format!("`{{{name}` is no placeholder, as {{place}}; a brace is written as {{{{"));
                    }
                    if !text.is_empty() {
                        pieces.push(Piece::Text(std::mem::take(&mut text)));
                    }
                    pieces.push(Piece::Placeholder(name));
                }
                '}' => return Err("a `}` closes nothing; a brace is written as }}".to_owned()),
                letter => text.push(letter),
            }
        }
        if !text.is_empty() {
            pieces.push(Piece::Text(text));
        }
        Ok(Self { written: written.to_owned(), pieces })
    }

    /// The placeholders, as often as they are there.
    pub(super) fn placeholders(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Placeholder(name) => Some(name.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The placeholder that it is, if it is nothing else.
    pub(super) fn alone(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Placeholder(name)] => Some(name),
            _ => None,
        }
    }

    /// Whether it is nothing but a name, after the beginning of an IRI or after
    /// nothing: `{place}`, `{base}{place}`, `http://a.example/{place}`.
    pub(super) fn is_named_by(&self, name: &str, is_base: impl Fn(&str) -> bool) -> bool {
        let Some((Piece::Placeholder(last), before)) = self.pieces.split_last() else { return false };
        let is_begun = match before.last() {
            None => true,
            Some(Piece::Text(text)) => text.ends_with(['/', '#']),
            Some(Piece::Placeholder(other)) => is_base(other),
        };
        last == name && is_begun
    }

    /// The text with values put in. Every placeholder must have one.
    pub(super) fn filled(&self, values: &BTreeMap<&str, String>) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Text(text) => text.clone(),
            Piece::Placeholder(name) => values[name.as_str()].clone(),
        };
        self.pieces.iter().map(piece).collect()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.written)
    }
}

/// Whether something can be the name of a placeholder or of a template.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    (1..=64).contains(&name.len()) && name.chars().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_put_in_for_placeholders() {
        let check = |written: &str, filled: &str| {
            let values = BTreeMap::from([("a", "1".to_owned()), ("b-2", "{a}".to_owned())]);
            assert_eq!(Pattern::parse(written).unwrap().filled(&values), filled);
        };

        check("{a}", "1");
        check("x{a}y{a}", "x1y1");
        // What was put in is not looked at again.
        check("{b-2}{{{a}}}", "{a}{1}");
        check("plain", "plain");
        check("", "");
    }

    #[test]
    fn a_pattern_may_be_nothing_but_a_name() {
        let check = |written: &str, is_so: bool| {
            assert_eq!(Pattern::parse(written).unwrap().is_named_by("a", |name| name == "base"), is_so, "{written}");
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
    fn what_is_no_placeholder_is_told() {
        let check = |written: &str, problem: &str| {
            let told = Pattern::parse(written).unwrap_err();
            assert!(told.contains(problem), "{told}");
        };

        check("{a b}", "`{a b` is no placeholder");
        check("{a", "`{a` is no placeholder");
        check("{}", "is no placeholder");
        check("{ä}", "is no placeholder");
        check("a}", "closes nothing");
    }
}
