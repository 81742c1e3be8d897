//! Measuring the nesting depth of a text before it is parsed.
//!
//! The parser and the evaluator recurse as deep as the query, and a query from an untrusted client
//! must not overflow the stack. Brackets in strings, IRIs and comments do not count, as archived
//! text often contains `:(`. Without a grammar it is not always clear what a string is: in
//! `?a<'x>y'`, a bracket can be in an IRI or in a string. So all readings of the text are followed
//! in parallel, and the deepest one counts.

use std::borrow::Cow;

/// The maximum nesting depth of brackets.
pub(super) const MAX_NESTING: usize = 64;
/// The maximum number of operators and brackets. Each can be a level of the algebra. Deep algebra
/// is rejected, but only after it is parsed.
pub(super) const MAX_LEVELS: usize = 250_000;

/// Why a text cannot be parsed safely.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NestingError {
    /// Brackets are nested too deep at this line and column, if known.
    Nested(Option<(usize, usize)>),
    /// There are too many operators.
    Long,
}

/// The kind of token at the current position, in one reading of the text.
#[derive(Clone, Copy)]
enum NestingState {
    Nothing,
    Iri,
    Comment,
    Short(u8),
    Long(u8),
}

const ALL_STATES: [NestingState; 7] = [
    NestingState::Nothing,
    NestingState::Iri,
    NestingState::Comment,
    NestingState::Short(b'"'),
    NestingState::Short(b'\''),
    NestingState::Long(b'"'),
    NestingState::Long(b'\''),
];

impl NestingState {
    fn index(self) -> usize {
        match self {
            Self::Nothing => 0,
            Self::Iri => 1,
            Self::Comment => 2,
            Self::Short(quote) => 3 + usize::from(quote == b'\''),
            Self::Long(quote) => 5 + usize::from(quote == b'\''),
        }
    }
}

/// The nesting depth of brackets; an error if it is too deep.
pub(super) fn measure_nesting(sparql: &str) -> Result<usize, NestingError> {
    let text = unescape(sparql);
    let mut scan = NestingScan::new(text.as_bytes(), matches!(text, Cow::Borrowed(_)));
    for at in 0..text.len() {
        let now = std::mem::take(&mut scan.readings[at % 4]);
        for (state, depth) in ALL_STATES.into_iter().zip(now) {
            match (state, depth) {
                (_, None) => {}
                (NestingState::Nothing, Some(depth)) => scan.read_code(at, depth)?,
                (state, Some(depth)) => scan.read_token(at, state, depth),
            }
        }
        if scan.levels > MAX_LEVELS {
            return Err(NestingError::Long);
        }
    }
    Ok(scan.deepest)
}

/// All readings of a text up to a position.
struct NestingScan<'a> {
    bytes: &'a [u8],
    /// The text is as the client sent it, so that positions can be reported.
    is_original: bool,
    /// The maximum depth of all readings, by the next position (modulo 4) and by state.
    readings: [[Option<usize>; ALL_STATES.len()]; 4],
    deepest: usize,
    levels: usize,
    /// The end of the last language tag; its hyphens are no operators.
    tag_end: usize,
    look_ahead: LookAhead<'a>,
}

impl<'a> NestingScan<'a> {
    fn new(bytes: &'a [u8], is_original: bool) -> Self {
        let mut readings: [[Option<usize>; ALL_STATES.len()]; 4] = Default::default();
        readings[0][0] = Some(0);
        let look_ahead = LookAhead { bytes, bytes_left: bytes.len().saturating_mul(2) };
        Self { bytes, is_original, readings, deepest: 0, levels: 0, tag_end: 0, look_ahead }
    }

    /// Continues a reading some bytes behind `at`.
    fn go(&mut self, at: usize, ahead: usize, state: NestingState, depth: usize) {
        let reading = &mut self.readings[(at + ahead) % 4][state.index()];
        *reading = (*reading).max(Some(depth));
    }

    /// Reads a byte outside of strings, IRIs and comments.
    fn read_code(&mut self, at: usize, depth: usize) -> Result<(), NestingError> {
        let byte = self.bytes[at];
        let depth = match byte {
            b'(' | b'{' | b'[' => depth + 1,
            b')' | b'}' | b']' => depth.saturating_sub(1),
            _ => depth,
        };
        self.deepest = self.deepest.max(depth);
        if depth > MAX_NESTING {
            return Err(NestingError::Nested(self.is_original.then(|| line_column(self.bytes, at))));
        }
        if byte == b'@' {
            let tag = self.bytes[at + 1..].iter();
            self.tag_end = at + 1 + tag.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        }
        self.levels += usize::from(at >= self.tag_end && adds_level(self.bytes, at));
        match byte {
            b'"' | b'\'' => {
                let (long, short) = self.look_ahead.classify_quote(at);
                if long {
                    self.go(at, 3, NestingState::Long(byte), depth);
                }
                if short {
                    self.go(at, 1, NestingState::Short(byte), depth);
                }
            }
            b'#' => self.go(at, 1, NestingState::Comment, depth),
            b'\\' => self.go(at, 2, NestingState::Nothing, depth),
            b'<' => {
                self.go(at, 1, NestingState::Iri, depth);
                if !starts_iri(&self.bytes[at + 1..]) {
                    self.go(at, 1, NestingState::Nothing, depth);
                }
            }
            _ => self.go(at, 1, NestingState::Nothing, depth),
        }
        Ok(())
    }

    /// Reads a byte of a string, an IRI or a comment.
    fn read_token(&mut self, at: usize, state: NestingState, depth: usize) {
        match (state, self.bytes[at]) {
            (NestingState::Iri, b'>') | (NestingState::Comment, b'\n' | b'\r') => {
                self.go(at, 1, NestingState::Nothing, depth);
            }
            // An IRI cannot contain these characters.
            (NestingState::Iri, 0..=b' ' | b'<' | b'"' | b'{' | b'}' | b'\\')
            | (NestingState::Short(_), b'\n' | b'\r') => {}
            (NestingState::Short(_) | NestingState::Long(_), b'\\') => self.go(at, 2, state, depth),
            (NestingState::Short(quote), byte) if byte == quote => self.go(at, 1, NestingState::Nothing, depth),
            (NestingState::Long(quote), _) if self.bytes[at..].starts_with(&[quote; 3]) => {
                self.go(at, 3, NestingState::Nothing, depth);
            }
            _ => self.go(at, 1, state, depth),
        }
    }
}

/// Searches for the ends of long strings. All searches of a text share one budget.
struct LookAhead<'a> {
    bytes: &'a [u8],
    bytes_left: usize,
}

impl LookAhead<'_> {
    /// Whether a quote can start a long string, and whether it can start a short one. The parser
    /// reads a long string if it has an end.
    fn classify_quote(&mut self, at: usize) -> (bool, bool) {
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

/// Whether the text after `<` can only be an IRI: no expression contains `a://`.
fn starts_iri(rest: &[u8]) -> bool {
    let scheme = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    scheme > 0 && rest[scheme..].starts_with(b"://")
}

/// Whether this character can add a level to the algebra.
fn adds_level(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        b'(' | b'{' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'!' => true,
        // `^` adds a level, but not in the `^^` of a datatype.
        b'^' => next != b'^' && (at == 0 || bytes[at - 1] != b'^'),
        // `?` adds a level, but not at the start of a variable.
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

/// Replaces `\uXXXX` escapes, as the parser does before it reads the text.
fn unescape(sparql: &str) -> Cow<'_, str> {
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
    use super::{MAX_LEVELS, MAX_NESTING, NestingError, measure_nesting};

    fn check(text: &str, expected: usize) {
        assert_eq!(measure_nesting(text), Ok(expected), "{text}");
    }

    #[test]
    fn brackets_in_strings_iris_and_comments_do_not_count() {
        check("ASK { FILTER(1 = (2)) }", 3);
        check("INSERT DATA { <http://a.example/((> <http://a.example/it's(> \"((\\\"((\"@en-gb , '((\\'((' }", 1);
        check("INSERT DATA { _:a :b \"\"\"((\n\"((\\\"\"\"((\"\"\" , '''((\n''((''' } # (((", 1);
        check("PREFIX : <http://a.example/#> # it's ((\nASK {}", 1);
        check("ASK { :a\\(\\( :b \"\" , \"(\" }", 1);
    }

    #[test]
    fn ambiguous_brackets_count() {
        check("ASK { FILTER(?a<(((1>0)))) }", 5);
        check("ASK { FILTER(?a<'x>y'&&(((1)))&&'z'='z') }", 5);
        check("ASK { ?s <urn:'> ?o FILTER((((1)))) . ?s <urn:'> ?o }", 5);
        check("ASK { VALUES ?x { \"\"\" \" } FILTER((((1)))) } # \\\"\"\"", 5);
        check("ASK { FILTER\\u0028\\U000000281\\u0029\\u0029 }", 3);
        check("ASK { FILTER(\"\\u0022=((1))) }", 4);
    }

    #[test]
    fn too_deep_or_too_long_texts_are_rejected() {
        let deep = format!("ASK {{\n FILTER{}", "(".repeat(MAX_NESTING));
        assert_eq!(measure_nesting(&deep), Err(NestingError::Nested(Some((2, 7 + MAX_NESTING)))));
        assert_eq!(measure_nesting(&"\\u0028".repeat(100)), Err(NestingError::Nested(None)));
        for (operator, is_level) in [("+1", true), ("?a :p? ?b .", true), ("\"1\"^^:t", false)] {
            let text = operator.repeat(MAX_LEVELS + 1);
            assert_eq!(measure_nesting(&text) == Err(NestingError::Long), is_level, "{operator}");
        }
    }
}
