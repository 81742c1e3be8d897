//! N-Quads and N-Triples, read without a copy.
//!
//! Most lines of most dumps are plain: terms without escapes, IRIs of harmless
//! characters, one blank between them. Those are read in place, straight into
//! the archive. Every other line goes to the parser that knows all of the
//! grammar, and says what is wrong with it; so what is plain is a matter of
//! speed only, and all that is accepted here must be what that one accepts.

use std::str::from_utf8;

use memchr::{memchr, memchr3};
use oxrdf::{BlankNode, GraphName, GraphNameRef, LiteralRef, NamedNodeRef, NamedOrBlankNodeRef, QuadRef, TermRef};
use oxttl::NQuadsParser;

use super::blank::BlankNodes;

/// What a line may end up as.
pub(super) enum Line<'a> {
    Quad(QuadRef<'a>),
    /// What is wrong, and in which column, from 1.
    Wrong(u64, String),
}

/// Reads the lines of one file.
pub(super) struct Lines {
    blanks: BlankNodes,
    /// Where statements go that are in no graph.
    graph: GraphName,
    lenient: bool,
    has_graphs: bool,
}

impl Lines {
    pub(super) fn new(file: u64, graph: GraphName, lenient: bool, has_graphs: bool) -> Self {
        Self { blanks: BlankNodes::hashed(file), graph, lenient, has_graphs }
    }

    /// Reads a line, without its line feed. Nothing comes of blank ones.
    pub(super) fn read<E>(&mut self, line: &[u8], take: &mut impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        if let Some(plain) = Plain::read(line)
            && (self.has_graphs || matches!(plain.graph, Graph::Default))
        {
            return self.take_plain(&plain, take);
        }
        self.read_any(line, take)
    }

    fn take_plain<E>(&self, plain: &Plain<'_>, take: &mut impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let name = |label: &str| self.blanks.hashed_name(label.as_bytes());
        let (subject, object, graph): (BlankNode, BlankNode, BlankNode);
        let subject = match plain.subject {
            Node::Iri(iri) => NamedOrBlankNodeRef::from(NamedNodeRef::new_unchecked(iri)),
            Node::Blank(label) => {
                subject = name(label);
                subject.as_ref().into()
            }
        };
        let object = match plain.object {
            Object::Node(Node::Iri(iri)) => TermRef::from(NamedNodeRef::new_unchecked(iri)),
            Object::Node(Node::Blank(label)) => {
                object = name(label);
                object.as_ref().into()
            }
            Object::Literal(literal) => literal.into(),
        };
        let graph_name = match plain.graph {
            Graph::Default => self.graph.as_ref(),
            Graph::Named(Node::Iri(iri)) => NamedNodeRef::new_unchecked(iri).into(),
            Graph::Named(Node::Blank(label)) => {
                graph = name(label);
                GraphNameRef::from(graph.as_ref())
            }
        };
        let predicate = NamedNodeRef::new_unchecked(plain.predicate);
        take(Line::Quad(QuadRef { subject, predicate, object, graph_name }))
    }

    fn read_any<E>(&mut self, line: &[u8], take: &mut impl FnMut(Line<'_>) -> Result<(), E>) -> Result<(), E> {
        let parser = NQuadsParser::new();
        let parser = if self.lenient { parser.lenient() } else { parser };
        // One thing that is wrong often makes the parser stumble twice.
        let mut is_wrong = false;
        for quad in parser.for_slice(line) {
            let was_wrong = std::mem::replace(&mut is_wrong, quad.is_err());
            match quad {
                Err(_) if was_wrong => {}
                Ok(quad) if !self.has_graphs && !quad.graph_name.is_default_graph() => {
                    take(Line::Wrong(1, "N-Triples have no graphs".to_owned()))?;
                }
                Ok(mut quad) => {
                    self.blanks.rename(&mut quad);
                    if quad.graph_name.is_default_graph() {
                        quad.graph_name.clone_from(&self.graph);
                    }
                    take(Line::Quad(quad.as_ref()))?;
                }
                Err(error) => {
                    take(Line::Wrong(error.location().start.column + 1, error.message().to_owned()))?;
                }
            }
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Node<'a> {
    Iri(&'a str),
    Blank(&'a str),
}

enum Object<'a> {
    Node(Node<'a>),
    Literal(LiteralRef<'a>),
}

enum Graph<'a> {
    Default,
    Named(Node<'a>),
}

/// A line in which nothing is special.
struct Plain<'a> {
    subject: Node<'a>,
    predicate: &'a str,
    object: Object<'a>,
    graph: Graph<'a>,
}

impl<'a> Plain<'a> {
    /// `None` if anything is.
    fn read(line: &'a [u8]) -> Option<Self> {
        let (subject, rest) = node(line)?;
        let (predicate, rest) = iri(blank(rest)?)?;
        let (object, rest) = object(blank(rest)?)?;
        let rest = blank(rest)?;
        let (graph, rest) = match rest {
            [b'.', ..] => (Graph::Default, rest),
            _ => {
                let (graph, rest) = node(rest)?;
                (Graph::Named(graph), blank(rest)?)
            }
        };
        (rest == b"." || rest == b".\r").then_some(Self { subject, predicate, object, graph })
    }
}

fn blank(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b" ").filter(|rest| !rest.starts_with(b" "))
}

fn node(text: &[u8]) -> Option<(Node<'_>, &[u8])> {
    let Some(label) = text.strip_prefix(b"_:") else { return iri(text).map(|(iri, rest)| (Node::Iri(iri), rest)) };
    let end = label.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let (label, rest) = label.split_at(end);
    // What else a label may have, or may not end with, is for the parser.
    let is_end = !label.is_empty() && rest.starts_with(b" ");
    is_end.then_some((Node::Blank(from_utf8(label).ok()?), rest))
}

fn object(text: &[u8]) -> Option<(Object<'_>, &[u8])> {
    let Some(quoted) = text.strip_prefix(b"\"") else {
        return node(text).map(|(node, rest)| (Object::Node(node), rest));
    };
    let end = memchr3(b'"', b'\\', b'\r', quoted)?;
    let value = from_utf8(&quoted[..end]).ok()?;
    match quoted[end..].strip_prefix(b"\"")? {
        rest @ [b' ', ..] => Some((Object::Literal(LiteralRef::new_simple_literal(value)), rest)),
        [b'^', b'^', rest @ ..] => {
            let (datatype, rest) = iri(rest)?;
            // A string with a language that it does not say is none.
            let is_plain = !datatype.starts_with("http://www.w3.org/1999/02/22-rdf-syntax-ns#");
            let literal = LiteralRef::new_typed_literal(value, NamedNodeRef::new_unchecked(datatype));
            is_plain.then_some((Object::Literal(literal), rest))
        }
        [b'@', rest @ ..] => {
            let end = memchr(b' ', rest)?;
            let (tag, rest) = rest.split_at(end);
            // `en` and `und`; regions and the rest have rules of their own.
            let is_plain = matches!(tag.len(), 2 | 3) && tag.iter().all(u8::is_ascii_lowercase);
            let literal = LiteralRef::new_language_tagged_literal_unchecked(value, from_utf8(tag).ok()?);
            is_plain.then_some((Object::Literal(literal), rest))
        }
        _ => None,
    }
}

/// An absolute IRI whose characters cannot make it wrong.
fn iri(text: &[u8]) -> Option<(&str, &[u8])> {
    let text = text.strip_prefix(b"<")?;
    let end = memchr(b'>', text)?;
    let (iri, rest) = text.split_at(end);
    is_plain_iri(iri).then_some((from_utf8(iri).ok()?, &rest[1..]))
}

/// `http` or `https`, a host of letters, digits, dots and hyphens, perhaps a
/// port; then whatever may stand in a path, a query or a fragment by itself.
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
    let begins_well = matches!(path, [] | [b'/' | b'?', ..]);
    begins_well && path.iter().chain(fragment).all(|byte| IS_PLAIN[usize::from(*byte)])
}

/// What stands for itself after the host of an IRI, `%` and all that is not
/// ASCII excepted.
const IS_PLAIN: [bool; 256] = {
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
        "<http://a.example/s> <http://a.example/p> \"a\\nb\"@en-GB  <urn:g> . # said",
        "<http://a.example/s> <http://a.example/p> \"x\"^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString> .",
    ];

    /// What comes of a line: quads, and whether something was wrong.
    fn read(line: &[u8], read: impl Fn(&mut Lines, &[u8], &mut dyn FnMut(Line<'_>))) -> (Vec<Quad>, bool) {
        let mut lines = Lines::new(7, GraphName::DefaultGraph, false, true);
        let (mut quads, mut is_wrong) = (Vec::new(), false);
        read(&mut lines, line, &mut |line| match line {
            Line::Quad(quad) => quads.push(quad.into_owned()),
            Line::Wrong(..) => is_wrong = true,
        });
        (quads, is_wrong)
    }

    fn check(line: &[u8]) -> bool {
        let quickly = read(line, |lines, line, take| {
            let taken: Result<(), ()> = lines.read(line, &mut |line| {
                take(line);
                Ok(())
            });
            taken.unwrap();
        });
        let carefully = read(line, |lines, line, take| {
            let taken: Result<(), ()> = lines.read_any(line, &mut |line| {
                take(line);
                Ok(())
            });
            taken.unwrap();
        });
        assert_eq!(quickly, carefully, "{}", String::from_utf8_lossy(line));
        Plain::read(line).is_some()
    }

    #[test]
    fn plain_lines_are_read_as_the_parser_reads_them() {
        let plain: Vec<bool> = LINES.iter().map(|line| check(line.as_bytes())).collect();

        assert_eq!(plain, [true, true, true, true, true, true, false, false]);
    }

    #[test]
    fn whatever_is_changed_in_a_line_it_is_read_as_the_parser_reads_it() {
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
    fn n_triples_have_no_graphs() {
        let mut lines = Lines::new(7, GraphName::DefaultGraph, false, false);
        let mut wrong = 0;

        for line in &LINES[..2] {
            let taken: Result<(), ()> = lines.read(line.as_bytes(), &mut |line| {
                wrong += u32::from(matches!(line, Line::Wrong(..)));
                Ok(())
            });
            taken.unwrap();
        }

        assert_eq!(wrong, 1);
    }
}
