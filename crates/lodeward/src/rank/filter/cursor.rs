//! The words of a filter, one after the other.

use super::FilterError;

/// A place in the text of a filter.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

/// What stands between a field and a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
    Matches,
    MatchesNot,
}

/// The longer ones first.
const OPERATORS: [(&str, Operator); 9] = [
    ("==", Operator::Equal),
    ("!=", Operator::Unequal),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("!~", Operator::MatchesNot),
    ("=", Operator::Equal),
    ("<", Operator::Less),
    (">", Operator::More),
    ("~", Operator::Matches),
];

/// A name or a value, as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) kind: Kind,
    pub(super) at: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bare,
    /// In quotes, followed by a language tag or not.
    Quoted(Option<String>),
    /// In angle brackets.
    Iri,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Where the next word begins.
    pub(super) fn place(&mut self) -> usize {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.at
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.place() == self.text.len()
    }

    /// Passes over a sign, if it is next.
    pub(super) fn sign(&mut self, sign: char) -> bool {
        self.place();
        let is_next = self.rest().starts_with(sign);
        self.at += if is_next { sign.len_utf8() } else { 0 };
        is_next
    }

    /// The next word, if there is one: letters, and what may stand between them.
    pub(super) fn peek_word(&mut self) -> &'t str {
        self.place();
        let rest = self.rest();
        let end = rest.find(|letter: char| !letter.is_alphanumeric() && !matches!(letter, '_' | '-'));
        &rest[..end.unwrap_or(rest.len())]
    }

    /// Passes over a word, if it is next, in whatever case.
    pub(super) fn word(&mut self, word: &str) -> bool {
        let next = self.peek_word();
        let is_next = next.eq_ignore_ascii_case(word);
        self.at += if is_next { next.len() } else { 0 };
        is_next
    }

    pub(super) fn has_operator(&mut self) -> bool {
        self.place();
        OPERATORS.iter().any(|(sign, _)| self.rest().starts_with(sign))
    }

    pub(super) fn operator(&mut self) -> Option<Operator> {
        self.place();
        let (sign, operator) = OPERATORS.into_iter().find(|(sign, _)| self.rest().starts_with(sign))?;
        self.at += sign.len();
        Some(operator)
    }

    /// The name of a property. It ends before an operator.
    pub(super) fn name(&mut self, after: &str) -> Result<Piece, FilterError> {
        self.piece(after, |letter| matches!(letter, '=' | '<' | '>' | '~' | '!'))
    }

    /// A value. One without quotes may have parentheses in it, as patterns have,
    /// if they are closed again.
    pub(super) fn value(&mut self, after: &str) -> Result<Piece, FilterError> {
        self.piece(after, |_| false)
    }

    fn piece(&mut self, after: &str, ends: impl Fn(char) -> bool) -> Result<Piece, FilterError> {
        let at = self.place();
        let rest = self.rest();
        let missing = || FilterError::new(format!("something must follow `{after}`"), at);
        match rest.chars().next() {
            Some('<') => self.iri(at),
            Some(quote @ ('"' | '\'')) => self.quoted(quote, at),
            _ => {
                let text = &rest[..end_of_bare(rest, ends)];
                self.at += text.len();
                let is_joint = ["and", "or", "not"].iter().any(|joint| text.eq_ignore_ascii_case(joint));
                match text {
                    "" => Err(missing()),
                    joint if is_joint => {
                        Err(missing().with_hint(format!("write \"{joint}\" if that is what is meant")))
                    }
                    text => Ok(Piece { text: text.to_owned(), kind: Kind::Bare, at }),
                }
            }
        }
    }

    fn iri(&mut self, at: usize) -> Result<Piece, FilterError> {
        let inside = &self.rest()[1..];
        let end = inside.find(['>', '<', ' ', '"']).filter(|end| inside[*end..].starts_with('>'));
        let end = end.ok_or_else(|| FilterError::new("this `<` is not closed by a `>`", at))?;
        self.at += end + 2;
        Ok(Piece { text: inside[..end].to_owned(), kind: Kind::Iri, at })
    }

    /// A text in quotes. A backslash before a quote makes it part of the text; any
    /// other stays what it is, for patterns are full of them.
    fn quoted(&mut self, quote: char, at: usize) -> Result<Piece, FilterError> {
        let inside = &self.rest()[1..];
        let mut text = String::new();
        let mut letters = inside.char_indices().peekable();
        while let Some((place, letter)) = letters.next() {
            let next = letters.peek().map(|(_, next)| *next);
            if letter == '\\' && next == Some(quote) {
                text.push(quote);
                letters.next();
            } else if letter == quote {
                self.at += place + 2;
                let language = self.language();
                return Ok(Piece { text, kind: Kind::Quoted(language), at });
            } else {
                text.push(letter);
            }
        }
        Err(FilterError::new(format!("this {quote} is not closed"), at))
    }

    fn language(&mut self) -> Option<String> {
        let tag = self.rest().strip_prefix('@')?;
        let end = tag.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-').unwrap_or(tag.len());
        self.at += 1 + end;
        Some(tag[..end].to_owned())
    }
}

/// Where something without quotes ends: before a space, a semicolon, a
/// parenthesis that closes one outside, or what else ends it.
fn end_of_bare(text: &str, ends: impl Fn(char) -> bool) -> usize {
    let mut open = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' => open += 1,
            ')' if open == 0 => return place,
            ')' => open -= 1,
            ';' => return place,
            letter if letter.is_whitespace() || ends(letter) => return place,
            _ => {}
        }
    }
    text.len()
}
