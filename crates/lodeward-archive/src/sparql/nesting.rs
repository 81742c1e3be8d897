//! How deep a text is, told before it is parsed.
//!
//! The parser and the evaluator go as deep on the stack as the query, and a
//! query of a stranger must not overflow it. Brackets in strings, IRIs and
//! comments do not count: what is written into an archive is full of `:(`. What
//! is a string and what is not cannot always be told without a grammar (in
//! `?a<'x>y'`, a bracket may be in an IRI or in a string), so all ways to read
//! the text are followed side by side, and the deepest of them counts.

use std::borrow::Cow;

/// How deep brackets may be nested.
pub(super) const NESTING_MAX: usize = 64;
/// How many operators and brackets there may be. Each may be a level of the
/// algebra, which is refused if it is deep, but has to be parsed and dropped.
pub(super) const LEVELS_MAX: usize = 250_000;

/// Why a text cannot be parsed safely.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum TooMuch {
    /// Brackets are nested too deep at this line and column, if those can be told.
    Nested(Option<(usize, usize)>),
    /// There are too many operators.
    Long,
}

/// What a way to read the text takes the next character for.
#[derive(Clone, Copy)]
enum Within {
    Nothing,
    Iri,
    Comment,
    Short(u8),
    Long(u8),
}

const ALL: [Within; 7] = [
    Within::Nothing,
    Within::Iri,
    Within::Comment,
    Within::Short(b'"'),
    Within::Short(b'\''),
    Within::Long(b'"'),
    Within::Long(b'\''),
];

impl Within {
    fn place(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Iri => 1,
            Self::Comment => 2,
            Self::Short(quote) => 3 + usize::from(quote == b'\''),
            Self::Long(quote) => 5 + usize::from(quote == b'\''),
        }
    }
}

/// How deep brackets are nested. Refuses what is too deep.
pub(super) fn nesting(sparql: &str) -> Result<usize, TooMuch> {
    let text = unescaped(sparql);
    let bytes = text.as_bytes();
    // By how far ahead it goes on, and within what: the depth of the deepest way.
    let mut ways: [[Option<usize>; ALL.len()]; 4] = Default::default();
    ways[0][0] = Some(0);
    let (mut deepest, mut levels, mut tag_end) = (0, 0, 0);
    let mut looks = Looks { bytes, bytes_left: bytes.len().saturating_mul(2) };
    for (at, &byte) in bytes.iter().enumerate() {
        let now = std::mem::take(&mut ways[at % 4]);
        for (within, depth) in ALL.into_iter().zip(now).filter_map(|(within, depth)| Some((within, depth?))) {
            let mut go = |ahead: usize, within: Within, depth: usize| {
                let way = &mut ways[(at + ahead) % 4][within.place()];
                *way = (*way).max(Some(depth));
            };
            match (within, byte) {
                (Within::Nothing, _) => {
                    let depth = match byte {
                        b'(' | b'{' | b'[' => depth + 1,
                        b')' | b'}' | b']' => depth.saturating_sub(1),
                        _ => depth,
                    };
                    deepest = deepest.max(depth);
                    if depth > NESTING_MAX {
                        return Err(TooMuch::Nested(matches!(text, Cow::Borrowed(_)).then(|| line_column(bytes, at))));
                    }
                    if byte == b'@' {
                        let tag = bytes[at + 1..].iter();
                        tag_end =
                            at + 1 + tag.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
                    }
                    levels += usize::from(at >= tag_end && is_level(bytes, at));
                    match byte {
                        b'"' | b'\'' => {
                            let (long, short) = looks.at_quote(at);
                            if long {
                                go(3, Within::Long(byte), depth);
                            }
                            if short {
                                go(1, Within::Short(byte), depth);
                            }
                        }
                        b'#' => go(1, Within::Comment, depth),
                        b'\\' => go(2, Within::Nothing, depth),
                        b'<' => {
                            go(1, Within::Iri, depth);
                            if !is_iri(&bytes[at + 1..]) {
                                go(1, Within::Nothing, depth);
                            }
                        }
                        _ => go(1, Within::Nothing, depth),
                    }
                }
                (Within::Iri, b'>') | (Within::Comment, b'\n' | b'\r') => go(1, Within::Nothing, depth),
                // No IRI has one of these.
                (Within::Iri, 0..=b' ' | b'<' | b'"' | b'{' | b'}' | b'\\') | (Within::Short(_), b'\n' | b'\r') => {}
                (Within::Short(_) | Within::Long(_), b'\\') => go(2, within, depth),
                (Within::Short(quote), _) if byte == quote => go(1, Within::Nothing, depth),
                (Within::Long(quote), _) if bytes[at..].starts_with(&[quote; 3]) => go(3, Within::Nothing, depth),
                _ => go(1, within, depth),
            }
        }
        if levels > LEVELS_MAX {
            return Err(TooMuch::Long);
        }
    }
    Ok(deepest)
}

/// Looks ahead for the ends of long strings, but not again and again.
struct Looks<'a> {
    bytes: &'a [u8],
    bytes_left: usize,
}

impl Looks<'_> {
    /// Whether a quote may begin a long string, and whether a short one. To the
    /// parser it is a long one if that has an end.
    fn at_quote(&mut self, at: usize) -> (bool, bool) {
        let quote = self.bytes[at];
        if !self.bytes[at..].starts_with(&[quote; 3]) {
            return (false, true);
        }
        let mut end = at + 3;
        while self.bytes_left > 0 && end < self.bytes.len() {
            if self.bytes[end..].starts_with(&[quote; 3]) {
                return (true, false);
            }
            let step = if self.bytes[end] == b'\\' { 2 } else { 1 };
            end += step;
            self.bytes_left = self.bytes_left.saturating_sub(step);
        }
        (true, true)
    }
}

/// Whether what follows `<` cannot be an operand: no expression has `a://`.
fn is_iri(rest: &[u8]) -> bool {
    let scheme = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    scheme > 0 && rest[scheme..].starts_with(b"://")
}

/// Whether the algebra may have one more level for this.
fn is_level(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        b'(' | b'{' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'!' => true,
        // Not the `^^` of a type.
        b'^' => next != b'^' && (at == 0 || bytes[at - 1] != b'^'),
        // Not that of a variable.
        b'?' => !next.is_ascii_alphanumeric() && next != b'_' && next < 0x80,
        _ => false,
    }
}

fn line_column(bytes: &[u8], at: usize) -> (usize, usize) {
    let before = &bytes[..at];
    let begin = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    let line = 1 + before.split(|byte| *byte == b'\n').skip(1).count();
    (line, at - begin + 1)
}

/// The text with `\uXXXX` replaced, as the parser does before it looks at it.
fn unescaped(sparql: &str) -> Cow<'_, str> {
    if !sparql.contains("\\u") && !sparql.contains("\\U") {
        return Cow::Borrowed(sparql);
    }
    let mut text = String::with_capacity(sparql.len());
    let mut rest = sparql;
    while let Some((before, after)) = rest.split_once('\\') {
        text.push_str(before);
        let digits = match after.as_bytes().first() {
            Some(b'u') => after.get(1..5),
            Some(b'U') => after.get(1..9),
            _ => None,
        };
        let character = digits.and_then(|digits| char::from_u32(u32::from_str_radix(digits, 16).ok()?));
        text.push(character.unwrap_or('\\'));
        rest = if character.is_some() { &after[1 + digits.map_or(0, str::len)..] } else { after };
    }
    text.push_str(rest);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::{LEVELS_MAX, NESTING_MAX, TooMuch, nesting};

    fn check(text: &str, expected: usize) {
        assert_eq!(nesting(text), Ok(expected), "{text}");
    }

    #[test]
    fn only_brackets_of_the_language_count() {
        check("ASK { FILTER(1 = (2)) }", 3);
        check("INSERT DATA { <http://a.example/((> <http://a.example/it's(> \"((\\\"((\"@en-gb , '((\\'((' }", 1);
        check("INSERT DATA { _:a :b \"\"\"((\n\"((\\\"\"\"((\"\"\" , '''((\n''((''' } # (((", 1);
        check("PREFIX : <http://a.example/#> # it's ((\nASK {}", 1);
        check("ASK { :a\\(\\( :b \"\" , \"(\" }", 1);
    }

    #[test]
    fn whatever_may_be_a_bracket_counts() {
        check("ASK { FILTER(?a<(((1>0)))) }", 5);
        check("ASK { FILTER(?a<'x>y'&&(((1)))&&'z'='z') }", 5);
        check("ASK { ?s <urn:'> ?o FILTER((((1)))) . ?s <urn:'> ?o }", 5);
        check("ASK { VALUES ?x { \"\"\" \" } FILTER((((1)))) } # \\\"\"\"", 5);
        check("ASK { FILTER\\u0028\\U000000281\\u0029\\u0029 }", 3);
        check("ASK { FILTER(\"\\u0022=((1))) }", 4);
    }

    #[test]
    fn too_much_is_refused() {
        let deep = format!("ASK {{\n FILTER{}", "(".repeat(NESTING_MAX));
        assert_eq!(nesting(&deep), Err(TooMuch::Nested(Some((2, 7 + NESTING_MAX)))));
        assert_eq!(nesting(&"\\u0028".repeat(100)), Err(TooMuch::Nested(None)));
        for (operator, is_level) in [("+1", true), ("?a :p? ?b .", true), ("\"1\"^^:t", false)] {
            let text = operator.repeat(LEVELS_MAX + 1);
            assert_eq!(nesting(&text) == Err(TooMuch::Long), is_level, "{operator}");
        }
    }
}
