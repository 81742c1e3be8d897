//! Measuring the nesting depth of a text before it is parsed.
//!
//! The parser and the evaluator recurse as deep as the query, and a query from an untrusted client
//! must not overflow the stack. Brackets in strings, IRIs and comments do not count, as archived
//! text often contains `:(`. Without a grammar it is not always clear what a string is: in
//! `?a<'x>y'`, a bracket can be in an IRI or in a string. So all readings of the text are followed
//! in parallel, and the deepest one counts.
//!
//! The parser (spargebra) also reads some expressions twice: what follows a `!`, and the arguments
//! of `REGEX`, `REPLACE`, `SUBSTR`, `GROUP_CONCAT` and of functions with an IRI. Thirty of them in
//! each other are read 2³⁰ times. So the bytes that it reads again are counted as well.

use std::borrow::Cow;

/// The maximum nesting depth of brackets.
pub(super) const MAX_NESTING: usize = 64;
/// The maximum number of operators and brackets. Each can be a level of the algebra. Deep algebra
/// is rejected, but only after it is parsed.
pub(super) const MAX_LEVELS: usize = 250_000;

/// The maximum number of uses of variables. The parser's time grows with the square of the number of
/// columns, and with the number of `BIND`s times that of variables.
pub(super) const MAX_VARIABLES: usize = 10_000;

/// The maximum number of bytes that the parser reads again: about two seconds.
const MAX_REPEATED_BYTES: u64 = 2 << 20;

/// Why a text cannot be parsed safely.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum NestingError {
    /// Brackets are nested too deep at this line and column, if known.
    Nested(Option<(usize, usize)>),
    /// There are too many operators.
    Long,
    /// There are too many uses of variables.
    Variables,
    /// Expressions that the parser reads twice are nested too deep.
    Repeated,
}

/// The open brackets in one reading of the text.
#[derive(Clone, Copy, Default)]
struct OpenBrackets {
    depth: usize,
    /// Two bits for each open bracket: how often the parser doubles its work for the content.
    repeated: u128,
    /// A `!` precedes the next bracket.
    is_negated: bool,
    /// The name of a function whose arguments are read twice precedes the next bracket.
    is_call: bool,
}

impl OpenBrackets {
    fn read(mut self, bytes: &[u8], at: usize) -> Self {
        match bytes[at] {
            b'(' | b'{' | b'[' => {
                let repeated = u128::from(self.is_negated) | u128::from(self.is_call) << 1;
                if self.depth < MAX_NESTING {
                    self.repeated |= repeated << (2 * self.depth);
                }
                Self { depth: self.depth + 1, is_negated: false, is_call: false, ..self }
            }
            b')' | b'}' | b']' => {
                let depth = self.depth.saturating_sub(1);
                let closed = if depth < MAX_NESTING { 0b11 << (2 * depth) } else { 0 };
                Self { depth, repeated: self.repeated & !closed, is_negated: false, is_call: false }
            }
            b'!' => {
                self.is_negated = bytes.get(at + 1) != Some(&b'=');
                Self { is_call: false, ..self }
            }
            byte if byte.is_ascii_whitespace() || byte == b'#' => self,
            byte if is_name_byte(byte) => {
                let starts = at == 0 || !is_name_byte(bytes[at - 1]);
                Self { is_call: if starts { starts_repeated_call(&bytes[at..]) } else { self.is_call }, ..self }
            }
            // The rest of a name with an escape, or an IRI.
            b'\\' | b'<' => Self { is_call: true, ..self },
            _ => Self { is_negated: false, is_call: false, ..self },
        }
    }

    /// How often the parser reads this position again.
    fn repetitions(self) -> u64 {
        1u64.checked_shl(self.repeated.count_ones()).map_or(u64::MAX, |times| times - 1)
    }

    fn merge(self, other: Self) -> Self {
        Self {
            depth: self.depth.max(other.depth),
            repeated: self.repeated | other.repeated,
            is_negated: self.is_negated || other.is_negated,
            is_call: self.is_call || other.is_call,
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"_:-.%".contains(&byte)
}

/// Whether the text starts with the name of a function whose arguments the parser reads twice. A
/// keyword such as `FILTER` can directly precede it.
fn starts_repeated_call(text: &[u8]) -> bool {
    let name = &text[..text.iter().take_while(|byte| is_name_byte(**byte)).count()];
    let ends_with = |function: &&str| {
        name.len() >= function.len() && name[name.len() - function.len()..].eq_ignore_ascii_case(function.as_bytes())
    };
    name.contains(&b':') || ["REGEX", "REPLACE", "SUBSTR", "GROUP_CONCAT"].iter().any(ends_with)
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

/// What a text costs the parser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TextShape {
    /// The nesting depth of brackets.
    pub(super) depth: usize,
    /// How many bytes the parser reads again.
    pub(super) repeated_bytes: u64,
}

/// The shape of a text; an error if it cannot be parsed safely.
pub(super) fn measure_nesting(sparql: &str) -> Result<TextShape, NestingError> {
    let text = unescape(sparql);
    let mut scan = NestingScan::new(text.as_bytes(), matches!(text, Cow::Borrowed(_)));
    for at in 0..text.len() {
        let now = std::mem::take(&mut scan.readings[at % 4]);
        let repetitions = now.iter().flatten().map(|open| open.repetitions()).max().unwrap_or(0);
        scan.repeated_bytes = scan.repeated_bytes.saturating_add(repetitions);
        for (state, open) in ALL_STATES.into_iter().zip(now) {
            match (state, open) {
                (_, None) => {}
                (NestingState::Nothing, Some(open)) => scan.read_code(at, open)?,
                (state, Some(open)) => scan.read_token(at, state, open),
            }
        }
        if scan.levels > MAX_LEVELS {
            return Err(NestingError::Long);
        }
        if scan.variables > MAX_VARIABLES {
            return Err(NestingError::Variables);
        }
        if scan.repeated_bytes > MAX_REPEATED_BYTES {
            return Err(NestingError::Repeated);
        }
    }
    Ok(TextShape { depth: scan.deepest, repeated_bytes: scan.repeated_bytes })
}

/// All readings of a text up to a position.
struct NestingScan<'a> {
    bytes: &'a [u8],
    /// The text is as the client sent it, so that positions can be reported.
    is_original: bool,
    /// The open brackets of all readings, by the next position (modulo 4) and by state.
    readings: [[Option<OpenBrackets>; ALL_STATES.len()]; 4],
    deepest: usize,
    levels: usize,
    variables: usize,
    repeated_bytes: u64,
    /// The end of the last language tag; its hyphens are no operators.
    tag_end: usize,
    look_ahead: LookAhead<'a>,
}

impl<'a> NestingScan<'a> {
    fn new(bytes: &'a [u8], is_original: bool) -> Self {
        let mut readings: [[Option<OpenBrackets>; ALL_STATES.len()]; 4] = Default::default();
        readings[0][0] = Some(OpenBrackets::default());
        let look_ahead = LookAhead { bytes, bytes_left: bytes.len().saturating_mul(2) };
        Self {
            bytes,
            is_original,
            readings,
            deepest: 0,
            levels: 0,
            variables: 0,
            repeated_bytes: 0,
            tag_end: 0,
            look_ahead,
        }
    }

    /// Continues a reading some bytes behind `at`.
    fn go(&mut self, at: usize, ahead: usize, state: NestingState, open: OpenBrackets) {
        let reading = &mut self.readings[(at + ahead) % 4][state.index()];
        *reading = Some(reading.map_or(open, |other| other.merge(open)));
    }

    /// Reads a byte outside of strings, IRIs and comments.
    fn read_code(&mut self, at: usize, open: OpenBrackets) -> Result<(), NestingError> {
        let byte = self.bytes[at];
        let open = open.read(self.bytes, at);
        self.deepest = self.deepest.max(open.depth);
        if open.depth > MAX_NESTING {
            return Err(NestingError::Nested(self.is_original.then(|| line_column(self.bytes, at))));
        }
        if byte == b'@' {
            let tag = self.bytes[at + 1..].iter();
            self.tag_end = at + 1 + tag.take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
        }
        self.variables += usize::from(starts_variable(self.bytes, at));
        self.levels += usize::from(at >= self.tag_end && adds_level(self.bytes, at));
        match byte {
            b'"' | b'\'' => {
                let (long, short) = self.look_ahead.classify_quote(at);
                if long {
                    self.go(at, 3, NestingState::Long(byte), open);
                }
                if short {
                    self.go(at, 1, NestingState::Short(byte), open);
                }
            }
            b'#' => self.go(at, 1, NestingState::Comment, open),
            b'\\' => self.go(at, 2, NestingState::Nothing, open),
            b'<' => {
                self.go(at, 1, NestingState::Iri, open);
                if !starts_iri(&self.bytes[at + 1..]) {
                    self.go(at, 1, NestingState::Nothing, open);
                }
            }
            _ => self.go(at, 1, NestingState::Nothing, open),
        }
        Ok(())
    }

    /// Reads a byte of a string, an IRI or a comment.
    fn read_token(&mut self, at: usize, state: NestingState, open: OpenBrackets) {
        match (state, self.bytes[at]) {
            (NestingState::Iri, b'>') | (NestingState::Comment, b'\n' | b'\r') => {
                self.go(at, 1, NestingState::Nothing, open);
            }
            // An IRI cannot contain these characters.
            (NestingState::Iri, 0..=b' ' | b'<' | b'"' | b'{' | b'}' | b'\\')
            | (NestingState::Short(_), b'\n' | b'\r') => {}
            (NestingState::Short(_) | NestingState::Long(_), b'\\') => self.go(at, 2, state, open),
            (NestingState::Short(quote), byte) if byte == quote => self.go(at, 1, NestingState::Nothing, open),
            (NestingState::Long(quote), _) if self.bytes[at..].starts_with(&[quote; 3]) => {
                self.go(at, 3, NestingState::Nothing, open);
            }
            _ => self.go(at, 1, state, open),
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

/// Whether a variable starts here.
fn starts_variable(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    matches!(bytes[at], b'?' | b'$') && (next.is_ascii_alphanumeric() || next == b'_' || next >= 0x80)
}

/// Whether this character can add a level to the algebra.
fn adds_level(bytes: &[u8], at: usize) -> bool {
    let next = bytes.get(at + 1).copied().unwrap_or(b' ');
    match bytes[at] {
        b'(' | b'{' | b'+' | b'-' | b'*' | b'/' | b'|' | b'&' | b'!' => true,
        // `^` adds a level, but not in the `^^` of a datatype.
        b'^' => next != b'^' && (at == 0 || bytes[at - 1] != b'^'),
        // `?` adds a level, but not at the start of a variable.
        b'?' => !starts_variable(bytes, at),
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
        assert_eq!(measure_nesting(text).map(|shape| shape.depth), Ok(expected), "{text}");
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
        for (operator, is_level) in [("+1", true), (":a :p? :b .", true), ("\"1\"^^:t", false)] {
            let text = operator.repeat(MAX_LEVELS + 1);
            assert_eq!(measure_nesting(&text) == Err(NestingError::Long), is_level, "{operator}");
        }
    }

    #[test]
    fn expressions_that_the_parser_reads_twice_are_bounded() {
        let nested = |before: &str, open: &str, close: &str, levels: usize| {
            format!("ASK {{ {before}{}1{} }}", open.repeat(levels), close.repeat(levels))
        };
        for (before, open, close) in [
            ("FILTER", "(!", ")"),
            ("FILTER", "(! # (\n", ")"),
            ("FILTER(", "!EXISTS{FILTER(", ")}"),
            ("FILTER ", "REGEX (", ",'a')"),
            ("FILTER", "replace(", ",'a','b')"),
            ("FILTER", "SUBSTR(", ",1)"),
            ("FILTER", "STR(GROUP_CONCAT(DISTINCT ", "))"),
            ("FILTER", "<urn:f>(", ")"),
            ("FILTER", "a:b\\-(", ")"),
        ] {
            assert!(measure_nesting(&nested(before, open, close, 8)).is_ok(), "{open}");
            assert_eq!(measure_nesting(&nested(before, open, close, 24)), Err(NestingError::Repeated), "{open}");
        }
        for text in ["?a != (", "STR(", "(", "CONCAT(", "?x IN ("] {
            assert!(measure_nesting(&nested("FILTER", text, ")", 30)).is_ok(), "{text}");
        }
        // The expressions follow each other.
        let text = format!("ASK {{ FILTER({} 1) }}", "!(REGEX(?a, 'b')) && ".repeat(10_000));
        assert!(measure_nesting(&text).is_ok());
    }
}
