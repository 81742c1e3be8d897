//! A fast reader of N-Quads and N-Triples.
//!
//! Most lines of most dumps are plain: terms without escapes, IRIs of unreserved characters, one
//! space between them. These are passed on without a copy. All other lines go to the
//! complete parser, which also reports errors. So whether a line is plain affects speed only, and
//! this reader must accept no line that the parser rejects.

use std::str::from_utf8;

use memchr::{memchr, memchr3};
use oxrdf::{BlankNode, GraphName, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};
use oxttl::NQuadsParser;

use crate::blank_nodes::FileBlankNodes;

/// The statement of a line, or its error.
pub enum LineResult<'a> {
    /// The statement.
    Quad(QuadRef<'a>),
    /// The column, from 1, and the error message.
    Wrong(u64, String),
}

/// Reads the lines of one file.
pub struct LineReader {
    blanks: FileBlankNodes,
    /// The graph of statements without one.
    graph: GraphName,
    lenient: bool,
    has_graphs: bool,
}

impl LineReader {
    /// A reader for the file with this identity, whose statements without a graph are in `graph`. If
    /// `has_graphs` is false, the file is in N-Triples.
    #[must_use]
    pub fn new(file: u64, graph: GraphName, lenient: bool, has_graphs: bool) -> Self {
        Self { blanks: FileBlankNodes::hashed(file), graph, lenient, has_graphs }
    }

    /// Reads a line without its line feed. Blank lines and comments yield nothing.
    pub fn read<E>(&mut self, line: &[u8], take: &mut impl FnMut(LineResult<'_>) -> Result<(), E>) -> Result<(), E> {
        if let Some(plain) = PlainLine::read(line)
            && (self.has_graphs || matches!(plain.graph, LineGraph::Default))
        {
            return self.emit_plain(&plain, take);
        }
        self.parse_line(line, take)
    }

    fn emit_plain<E>(
        &self,
        plain: &PlainLine<'_>,
        take: &mut impl FnMut(LineResult<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let name = |label: &str| self.blanks.hashed_name(label.as_bytes());
        let (subject, object, graph): (BlankNode, BlankNode, BlankNode);
        let subject = match plain.subject {
            LineNode::Iri(iri) => NamedOrBlankNodeRef::from(NamedNodeRef::new_unchecked(iri)),
            LineNode::Blank(label) => {
                subject = name(label);
                subject.as_ref().into()
            }
        };
        let object = match plain.object {
            LineObject::Node(LineNode::Iri(iri)) => TermRef::from(NamedNodeRef::new_unchecked(iri)),
            LineObject::Node(LineNode::Blank(label)) => {
                object = name(label);
                object.as_ref().into()
            }
            LineObject::Literal(literal) => literal.into(),
        };
        let graph_name = match plain.graph {
            LineGraph::Default => self.graph.as_ref(),
            LineGraph::Named(LineNode::Iri(iri)) => NamedNodeRef::new_unchecked(iri).into(),
            LineGraph::Named(LineNode::Blank(label)) => {
                graph = name(label);
                GraphNameRef::from(graph.as_ref())
            }
        };
        let predicate = NamedNodeRef::new_unchecked(plain.predicate);
        take(LineResult::Quad(QuadRef { subject, predicate, object, graph_name }))
    }

    fn parse_line<E>(&mut self, line: &[u8], take: &mut impl FnMut(LineResult<'_>) -> Result<(), E>) -> Result<(), E> {
        let parser = NQuadsParser::new();
        let parser = if self.lenient { parser.lenient() } else { parser };
        // After an error the parser often reports a second one for the same cause.
        let mut is_wrong = false;
        for quad in parser.for_slice(line) {
            let was_wrong = std::mem::replace(&mut is_wrong, quad.is_err());
            match quad {
                Err(_) if was_wrong => {}
                Ok(quad) if !self.has_graphs && !quad.graph_name.is_default_graph() => {
                    take(LineResult::Wrong(1, "N-Triples statements must not have a graph".to_owned()))?;
                }
                Ok(mut quad) => {
                    self.blanks.rename(&mut quad);
                    if quad.graph_name.is_default_graph() {
                        quad.graph_name.clone_from(&self.graph);
                    }
                    take(LineResult::Quad(quad.as_ref()))?;
                }
                Err(error) => {
                    take(LineResult::Wrong(error.location().start.column + 1, error.message().to_owned()))?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum LineNode<'a> {
    Iri(&'a str),
    Blank(&'a str),
}

enum LineObject<'a> {
    Node(LineNode<'a>),
    Literal(LiteralRef<'a>),
}

enum LineGraph<'a> {
    Default,
    Named(LineNode<'a>),
}

/// A line that needs no complete parser: without escapes, with one space between terms.
struct PlainLine<'a> {
    subject: LineNode<'a>,
    predicate: &'a str,
    object: LineObject<'a>,
    graph: LineGraph<'a>,
}

impl<'a> PlainLine<'a> {
    /// Splits a line into its terms; `None` if the line is not plain.
    fn read(line: &'a [u8]) -> Option<Self> {
        let (subject, rest) = parse_node(line)?;
        let (predicate, rest) = parse_iri(skip_space(rest)?)?;
        let (object, rest) = parse_object(skip_space(rest)?)?;
        let rest = skip_space(rest)?;
        let (graph, rest) = match rest {
            [b'.', ..] => (LineGraph::Default, rest),
            _ => {
                let (graph, rest) = parse_node(rest)?;
                (LineGraph::Named(graph), skip_space(rest)?)
            }
        };
        (rest == b"." || rest == b".\r").then_some(Self { subject, predicate, object, graph })
    }
}

fn skip_space(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b" ").filter(|rest| !rest.starts_with(b" "))
}

fn parse_node(text: &[u8]) -> Option<(LineNode<'_>, &[u8])> {
    let Some(label) = text.strip_prefix(b"_:") else {
        return parse_iri(text).map(|(iri, rest)| (LineNode::Iri(iri), rest));
    };
    let end = label.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let (label, rest) = label.split_at(end);
    // A label with other characters than letters and digits is left to the parser.
    let is_end = !label.is_empty() && rest.starts_with(b" ");
    is_end.then_some((LineNode::Blank(from_utf8(label).ok()?), rest))
}

fn parse_object(text: &[u8]) -> Option<(LineObject<'_>, &[u8])> {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        return parse_node(text).map(|(node, rest)| (LineObject::Node(node), rest));
    };
    let end = memchr3(b'"', b'\\', b'\r', quoted)?;
    let value = from_utf8(&quoted[..end]).ok()?;
    match quoted[end..].strip_prefix(b"\"")? {
        rest @ [b' ', ..] => Some((LineObject::Literal(LiteralRef::new_simple_literal(value)), rest)),
        [b'^', b'^', rest @ ..] => {
            let (datatype, rest) = parse_iri(rest)?;
            // A `rdf:langString` without a language tag is invalid.
            let is_plain = !datatype.starts_with("http://www.w3.org/1999/02/22-rdf-syntax-ns#");
            let literal = LiteralRef::new_typed_literal(value, NamedNodeRef::new_unchecked(datatype));
            is_plain.then_some((LineObject::Literal(literal), rest))
        }
        [b'@', rest @ ..] => {
            let end = memchr(b' ', rest)?;
            let (tag, rest) = rest.split_at(end);
            // A plain tag has two or three lower-case letters, such as `en`; other tags are left to the parser.
            let is_plain = matches!(tag.len(), 2 | 3) && tag.iter().all(u8::is_ascii_lowercase);
            let literal = LiteralRef::new_language_tagged_literal_unchecked(value, from_utf8(tag).ok()?);
            is_plain.then_some((LineObject::Literal(literal), rest))
        }
        _ => None,
    }
}

/// An absolute IRI of plain characters, which is always valid.
fn parse_iri(text: &[u8]) -> Option<(&str, &[u8])> {
    let text = text.strip_prefix(b"<")?;
    let end = memchr(b'>', text)?;
    let (iri, rest) = text.split_at(end);
    is_plain_iri(iri).then_some((from_utf8(iri).ok()?, &rest[1..]))
}

/// `http` or `https`, a host of letters, digits, dots and hyphens, optionally a port; then the
/// characters of [`PLAIN_IRI_BYTES`].
fn is_plain_iri(iri: &[u8]) -> bool {
    let Some(rest) = iri.strip_prefix(b"http://").or_else(|| iri.strip_prefix(b"https://")) else { return false };
    let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-')));
    let rest = &rest[end.unwrap_or(rest.len())..];
    let rest = match rest {
        [b':', port @ ..] => &port[port.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(port.len())..],
        rest => rest,
    };
    let (path, fragment) = match memchr(b'#', rest) {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &rest[..0]),
    };
    let has_path_start = matches!(path, [] | [b'/' | b'?', ..]);
    has_path_start && path.iter().chain(fragment).all(|byte| PLAIN_IRI_BYTES[usize::from(*byte)])
}

/// Bytes that are valid in a path, query or fragment without escaping; `%` and non-ASCII bytes are
/// left to the parser.
const PLAIN_IRI_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let plain = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?";
    let mut at = 0;
    while at < plain.len() {
        table[plain[at] as usize] = true;
        at += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use oxrdf::Quad;

    use super::*;

    const LINES: &[&str] = &[
        "<http://a.example/s#x> <https://a.example:80/p?q=1> <http://a.example/o> <http://a.example/g> .",
        "<http://a.example/s> <http://a.example/p> \"text\" .",
        "_:b1 <http://a.example/p> _:abc _:g .",
        "<http://a.example/s> <http://a.example/p> \"chat é\"@fr <http://a.example/g> .",
        "<http://a.example/s> <http://a.example/p> \"7\"^^<http://www.w3.org/2001/XMLSchema#integer> .",
        "<http://a.example/s> <http://a.example/p> \"7\"^^<http://www.w3.org/2001/XMLSchema#string> .\r",
        "<http://a.example/s> <http://a.example/p> \"a\\nb\"@en-GB  <urn:g> . # comment",
        "<http://a.example/s> <http://a.example/p> \"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
    ];

    /// The result of a line: quads, and whether there was an error.
    fn read(line: &[u8], read: impl Fn(&mut LineReader, &[u8], &mut dyn FnMut(LineResult<'_>))) -> (Vec<Quad>, bool) {
        let mut lines = LineReader::new(7, GraphName::DefaultGraph, false, true);
        let (mut quads, mut is_wrong) = (Vec::new(), false);
        read(&mut lines, line, &mut |line| match line {
            LineResult::Quad(quad) => quads.push(quad.into_owned()),
            LineResult::Wrong(..) => is_wrong = true,
        });
        (quads, is_wrong)
    }

    fn check(line: &[u8]) -> bool {
        let by_reader = read(line, |lines, line, take| {
            let taken: Result<(), ()> = lines.read(line, &mut |line| {
                take(line);
                Ok(())
            });
            taken.unwrap();
        });
        let by_parser = read(line, |lines, line, take| {
            let taken: Result<(), ()> = lines.parse_line(line, &mut |line| {
                take(line);
                Ok(())
            });
            taken.unwrap();
        });
        assert_eq!(by_reader, by_parser, "{}", String::from_utf8_lossy(line));
        PlainLine::read(line).is_some()
    }

    #[test]
    fn plain_lines_are_read_as_the_parser_reads_them() {
        let plain: Vec<bool> = LINES.iter().map(|line| check(line.as_bytes())).collect();

        assert_eq!(plain, [true, true, true, true, true, true, false, false]);
    }

    #[test]
    fn mutated_lines_are_read_as_the_parser_reads_them() {
        for line in LINES {
            for at in 0..line.len() {
                for byte in *b" \t\r\"\\<>_:.@^#%/?[]{}|-0aZ\x00\x7f\xc3" {
                    let mut changed = line.as_bytes().to_vec();
                    changed[at] = byte;
                    check(&changed);
                    changed.insert(at, line.as_bytes()[at]);
                    check(&changed);
                }
                check(&[&line.as_bytes()[..at], &line.as_bytes()[at + 1..]].concat());
                check(&line.as_bytes()[..at]);
            }
        }
    }

    #[test]
    fn n_triples_with_a_graph_are_errors() {
        let mut lines = LineReader::new(7, GraphName::DefaultGraph, false, false);
        let mut wrong = 0;

        for line in &LINES[..2] {
            let taken: Result<(), ()> = lines.read(line.as_bytes(), &mut |line| {
                wrong += u32::from(matches!(line, LineResult::Wrong(..)));
                Ok(())
            });
            taken.unwrap();
        }

        assert_eq!(wrong, 1);
    }
}
