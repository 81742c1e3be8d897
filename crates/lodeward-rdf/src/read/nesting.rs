//! Bounds the nesting of Turtle, `TriG` and N3.
//!
//! The parser keeps about a hundred bytes for each open bracket. Nothing but an attack opens
//! thousands of them, so a stream fails where it does. Documents in memory are not measured, unless
//! they are large: their length is the bound.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use memchr::memchr;

use super::RdfInput;
use super::xml::ReachedLimit;

/// Maximum number of open brackets.
const MAX_OPEN_BRACKETS: usize = 1 << 16;
/// Documents in memory up to this length are not measured.
const MAX_UNMEASURED_BYTES: usize = 1 << 20;

/// Where the reader is in the text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TurtleState {
    Code,
    /// After a backslash outside strings and IRIs.
    Escape,
    Comment,
    Iri,
    /// After one or two quotes that may start a long string.
    Quotes(u8, u8),
    /// In a string in this number of quotes. The second number counts the quotes just read.
    String(u8, u8, u8),
    StringEscape(u8, u8),
}

/// Bounds a document. `<` always starts an IRI: the parser rejects quoted triples, and reports an
/// error. `has_errors` is set by the caller at the first syntax error: from then on,
/// the parser may see strings where this reader sees code, so that all brackets count.
pub(super) fn bound_nesting<'a>(
    input: RdfInput<'a>,
    has_errors: &Rc<Cell<bool>>,
    reached: &ReachedLimit,
) -> RdfInput<'a> {
    let inner: Box<dyn Read + 'a> = match input {
        RdfInput::Slice(bytes) if bytes.len() <= MAX_UNMEASURED_BYTES => return input,
        RdfInput::Slice(bytes) => Box::new(bytes),
        RdfInput::Stream(stream) => stream,
    };
    RdfInput::Stream(Box::new(NestingReader {
        inner,
        state: TurtleState::Code,
        open: 0,
        has_errors: Rc::clone(has_errors),
        reached: reached.clone(),
        is_over: false,
    }))
}

struct NestingReader<'a> {
    inner: Box<dyn Read + 'a>,
    state: TurtleState,
    open: usize,
    has_errors: Rc<Cell<bool>>,
    reached: ReachedLimit,
    is_over: bool,
}

impl Read for NestingReader<'_> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "a limit is exceeded"));
        }
        let len = self.inner.read(into)?;
        let passed = self.scan(&into[..len]);
        if passed == len {
            return Ok(len);
        }
        self.reached.set("brackets are nested too deep");
        self.is_over = true;
        // A read of 0 bytes would signal the end of the stream, so it returns the error instead.
        if passed == 0 { self.read(into) } else { Ok(passed) }
    }
}

impl NestingReader<'_> {
    /// The number of bytes before the bracket that exceeds the limit.
    fn scan(&mut self, bytes: &[u8]) -> usize {
        let counts_all = self.has_errors.get();
        let mut at = 0;
        while at < bytes.len() {
            let used = match self.state {
                _ if counts_all => {
                    self.count(bytes[at]);
                    1
                }
                TurtleState::Comment => self.skip_to(b'\n', &bytes[at..]),
                TurtleState::Iri => self.skip_to(b'>', &bytes[at..]),
                _ => {
                    self.step(bytes[at]);
                    1
                }
            };
            if self.open > MAX_OPEN_BRACKETS {
                return at;
            }
            at += used;
        }
        at
    }

    fn skip_to(&mut self, end: u8, bytes: &[u8]) -> usize {
        let Some(at) = memchr(end, bytes) else { return bytes.len() };
        self.state = TurtleState::Code;
        at + 1
    }

    fn step(&mut self, byte: u8) {
        self.state = match (self.state, byte) {
            (TurtleState::Code, b'"' | b'\'') => TurtleState::Quotes(byte, 1),
            (TurtleState::Code, b'<') => TurtleState::Iri,
            (TurtleState::Code, b'#') => TurtleState::Comment,
            (TurtleState::Code, b'\\') => TurtleState::Escape,
            (TurtleState::Quotes(quote, 1), byte) if byte == quote => TurtleState::Quotes(quote, 2),
            (TurtleState::Quotes(quote, 2), byte) if byte == quote => TurtleState::String(quote, 3, 0),
            (TurtleState::Quotes(_, 2), byte) => {
                self.state = TurtleState::Code;
                return self.step(byte);
            }
            (TurtleState::Quotes(quote, _), b'\\') => TurtleState::StringEscape(quote, 1),
            (TurtleState::Quotes(quote, _), _) => TurtleState::String(quote, 1, 0),
            (TurtleState::String(quote, quotes, _), b'\\') => TurtleState::StringEscape(quote, quotes),
            (TurtleState::String(quote, quotes, seen), byte) if byte == quote => {
                if seen + 1 == quotes {
                    TurtleState::Code
                } else {
                    TurtleState::String(quote, quotes, seen + 1)
                }
            }
            (TurtleState::String(quote, quotes, _) | TurtleState::StringEscape(quote, quotes), _) => {
                TurtleState::String(quote, quotes, 0)
            }
            (TurtleState::Escape, _) => TurtleState::Code,
            (state, byte) => {
                self.count(byte);
                state
            }
        };
    }

    fn count(&mut self, byte: u8) {
        match byte {
            b'(' | b'[' | b'{' => self.open += 1,
            b')' | b']' | b'}' => self.open = self.open.saturating_sub(1),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::tests::Lines;
    use crate::{RdfFaultKind, RdfFormat, RdfReader};

    fn faults(format: RdfFormat, document: &str) -> (usize, Vec<RdfFaultKind>) {
        let mut lines = Lines::default();
        let input = RdfInput::Stream(Box::new(document.as_bytes()));
        RdfReader::new(format).lenient().read(input, &mut lines).unwrap();
        (lines.quads.len(), lines.kinds)
    }

    #[test]
    fn deep_nesting_is_a_limit_fault() {
        for format in [RdfFormat::Turtle, RdfFormat::TriG, RdfFormat::N3] {
            for open in ["(", "[ <p:> "] {
                let (_, kinds) = faults(format, &format!("<a:> <b:> {}", open.repeat(200_000)));
                assert!(kinds.contains(&RdfFaultKind::Limit), "{format:?} {open}");
            }
        }
    }

    /// An error inside a string makes the parser read the rest of it as code.
    #[test]
    fn nesting_after_an_error_counts_in_strings() {
        let document = format!("<a:> <b:> \"\"\"\\q . <a:> <b:> {}", "(".repeat(400_000));

        assert!(faults(RdfFormat::Turtle, &document).1.contains(&RdfFaultKind::Limit));
    }

    #[test]
    fn brackets_in_strings_iris_and_comments_do_not_count() {
        let many = "((([".repeat(20_000);
        for object in [
            format!("\"{many}\""),
            format!("'{many}\\''"),
            format!("\"\"\"{many}\" \"\" {many}\\\"x\"\"\""),
            format!("'''{many}\n{many}'''"),
            "\"\"".to_owned(),
            format!("<c:{many}>"),
            format!("<c:> # {many}\n"),
            format!("<p:>, {}", "p:a\\(b ,".repeat(70_000)).trim_end_matches(',').to_owned(),
            "() , [] , ".repeat(70_000) + "()",
        ] {
            let document = format!("@prefix p: <p:> . <a:> <b:> {object} . <a:> <b:> <c:> .");
            assert!(faults(RdfFormat::Turtle, &document).1.is_empty(), "{object:.60}");
        }
    }
}
