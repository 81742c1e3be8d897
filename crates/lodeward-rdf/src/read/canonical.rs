//! Reads the lines that [`write::n_quads`](crate::write::n_quads) has written.
//!
//! The store reads back what this program wrote, protected by checksums. So terms are not
//! validated, and a statement is passed on without a copy: its terms are parts of the line. A line
//! with an escape, or one that is not canonical, goes to the complete parser, which also reports
//! errors.

use std::str::from_utf8;

use memchr::memchr;
use oxrdf::{BlankNodeRef, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};
use oxttl::NQuadsParser;

/// A line is no statement.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a statement: {0}")]
pub struct CanonicalLineError(String);

/// Reads the statements of complete lines, in order. Stops at the first error; `wrong` converts the
/// error of a line.
pub fn for_each_quad<E>(
    lines: &[u8],
    wrong: impl Fn(CanonicalLineError) -> E,
    take: &mut impl FnMut(QuadRef<'_>) -> Result<(), E>,
) -> Result<(), E> {
    // One check of all lines is faster than one of each term. Lines that are not UTF-8 go to the
    // parser.
    let text = from_utf8(lines).ok();
    let mut begin = 0;
    while begin < lines.len() {
        let end = memchr(b'\n', &lines[begin..]).map_or(lines.len(), |length| begin + length);
        match text.and_then(|text| plain_quad(&text[begin..end])) {
            Some(quad) => take(quad)?,
            None => parse_line(&lines[begin..end], &wrong, take)?,
        }
        begin = end + 1;
    }
    Ok(())
}

fn parse_line<E>(
    line: &[u8],
    wrong: impl Fn(CanonicalLineError) -> E,
    take: &mut impl FnMut(QuadRef<'_>) -> Result<(), E>,
) -> Result<(), E> {
    for quad in NQuadsParser::new().for_slice(line) {
        match quad {
            Ok(quad) => take(quad.as_ref())?,
            Err(error) => return Err(wrong(CanonicalLineError(error.to_string()))),
        }
    }
    Ok(())
}

/// Splits a line into its terms; `None` if it has an escape or is not canonical.
fn plain_quad(line: &str) -> Option<QuadRef<'_>> {
    if memchr(b'\\', line.as_bytes()).is_some() {
        return None;
    }
    let (subject, rest) = take_node(line)?;
    let (predicate, rest) = take_iri(rest.strip_prefix(' ')?)?;
    let (object, rest) = take_object(rest.strip_prefix(' ')?)?;
    let rest = rest.strip_prefix(' ')?;
    if rest == "." {
        return Some(QuadRef { subject, predicate, object, graph_name: GraphNameRef::DefaultGraph });
    }
    let (graph, rest) = take_node(rest)?;
    (rest == " .").then_some(QuadRef { subject, predicate, object, graph_name: graph.into() })
}

fn take_iri(text: &str) -> Option<(NamedNodeRef<'_>, &str)> {
    let text = text.strip_prefix('<')?;
    let end = memchr(b'>', text.as_bytes())?;
    Some((NamedNodeRef::new_unchecked(&text[..end]), &text[end + 1..]))
}

fn take_node(text: &str) -> Option<(NamedOrBlankNodeRef<'_>, &str)> {
    let Some(label) = text.strip_prefix("_:") else {
        return take_iri(text).map(|(iri, rest)| (iri.into(), rest));
    };
    let (label, rest) = label.split_at(memchr(b' ', label.as_bytes())?);
    Some((BlankNodeRef::new_unchecked(label).into(), rest))
}

fn take_object(text: &str) -> Option<(TermRef<'_>, &str)> {
    let Some(quoted) = text.strip_prefix('"') else {
        return take_node(text).map(|(node, rest)| (node.into(), rest));
    };
    let end = memchr(b'"', quoted.as_bytes())?;
    let (value, rest) = (&quoted[..end], &quoted[end + 1..]);
    if let Some(datatype) = rest.strip_prefix("^^") {
        let (datatype, rest) = take_iri(datatype)?;
        return Some((LiteralRef::new_typed_literal(value, datatype).into(), rest));
    }
    let Some(language) = rest.strip_prefix('@') else {
        return Some((LiteralRef::new_simple_literal(value).into(), rest));
    };
    let (language, rest) = language.split_at(memchr(b' ', language.as_bytes())?);
    // `--` begins a base direction of RDF 1.2.
    let is_plain = !language.contains("--");
    is_plain.then(|| (LiteralRef::new_language_tagged_literal_unchecked(value, language).into(), rest))
}

#[cfg(test)]
mod tests {
    use oxrdf::Quad;
    use proptest::prelude::*;

    use super::*;
    use crate::write::n_quads::write_quad;

    fn read(lines: &[u8]) -> Result<Vec<Quad>, CanonicalLineError> {
        let mut quads = Vec::new();
        for_each_quad(lines, |error| error, &mut |quad| {
            quads.push(quad.into_owned());
            Ok(())
        })?;
        Ok(quads)
    }

    const LINES: &str = "<http://a.example/s> <http://a.example/p> <urn:o> <http://a.example/g> .\n\
        _:b1 <http://a.example/p> _:c2 .\n\
        <http://a.example/s> <http://a.example/p> \"a é\" _:g .\n\
        <http://a.example/s> <http://a.example/p> \"\"@en-gb <http://a.example/g> .\n\
        <http://a.example/s> <http://a.example/p> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:g> .\n\
        <http://a.example/s> <http://a.example/p> \"a\\n\\\"b\" <http://a.example/g> .\n";

    #[test]
    fn canonical_lines_are_read_as_the_parser_reads_them() {
        let by_parser: Vec<Quad> = NQuadsParser::new().for_slice(LINES).collect::<Result<_, _>>().unwrap();

        assert_eq!(read(LINES.as_bytes()), Ok(by_parser));
        let plain = LINES.lines().filter(|line| plain_quad(line).is_some()).count();
        assert_eq!(plain, 5, "only the line with escapes needs the parser");
    }

    #[test]
    fn a_malformed_line_is_an_error() {
        for lines in ["<http://a.example/s> \n", "<http://a.example/s> <http://a.example/p> \"x .\n", "x\n"] {
            assert!(read(lines.as_bytes()).is_err(), "{lines}");
        }
        assert!(read(b"<http://a.example/s> <http://a.example/p> \"\xFF\" .\n").is_err());
    }

    #[test]
    fn truncated_lines_never_panic() {
        for end in 0..LINES.len() {
            if LINES.is_char_boundary(end) {
                let _ = read(&LINES.as_bytes()[..end]);
            }
        }
    }

    proptest! {
        #[test]
        fn written_literals_are_read_back(value in any::<String>()) {
            let node = oxrdf::NamedNode::new_unchecked;
            let literal = oxrdf::Literal::from(value);
            let quad = Quad::new(node("http://a.example/s"), node("http://a.example/p"), literal, node("urn:g"));
            let mut line = Vec::new();
            write_quad(&mut line, quad.as_ref());

            prop_assert_eq!(read(&line), Ok(vec![quad]));
        }
    }
}
