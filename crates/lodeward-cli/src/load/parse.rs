//! From bytes to statements, in every syntax we know.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lodeward::extract::sniff;
use lodeward::model::media_type::Syntax;
use lodeward_markup::charset::{self, Decoding, Kind};
use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::n3::{N3Quad, N3Term};
use oxttl::{N3Parser, TriGParser, TurtleParseError, TurtleParser};

use super::blank::BlankNodes;
use super::blocks::{self, About};
use super::feed::{Feed, Stop};
use super::source::Source;
use super::{ERRORS_MAX, Options, pages};

/// Reads a file.
pub(super) fn read(source: &Source, options: &Options, meter: &Arc<AtomicU64>, feed: &mut Feed) -> Result<(), Stop> {
    let identity = source.identity();
    feed.begin(source, BlankNodes::numbered(identity));
    let mut head = Vec::new();
    let opened = source.open(meter).and_then(|mut content| {
        content.by_ref().take(sniff::HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(content)
    });
    let content = match opened {
        Ok(content) => content,
        Err(error) => return feed.fault(None, error.to_string()),
    };
    let named = options.syntax.or_else(|| source.syntax());
    let Some(syntax) = named.or_else(|| sniff::syntax(None, None, &charset::sniffable(&head))) else {
        return feed.fault(None, "no RDF in it, or in no syntax we know; --content-type names one");
    };
    if matches!(syntax, Syntax::NTriples | Syntax::NQuads) {
        let about = About { file: source.name.clone(), identity, has_graphs: syntax == Syntax::NQuads };
        return blocks::cut(Cursor::new(head).chain(content), about, feed);
    }
    let base = options.base.clone().unwrap_or_else(|| source.address());
    let document = Document { head, rest: content, base, options };
    document.read(syntax, feed)?;
    feed.end()
}

/// A file of which the beginning has been read.
struct Document<'a> {
    head: Vec<u8>,
    rest: Box<dyn Read>,
    base: String,
    options: &'a Options,
}

impl Document<'_> {
    fn read(self, syntax: Syntax, feed: &mut Feed) -> Result<(), Stop> {
        const BASE: &str = "the base was checked";
        let lenient = self.options.lenient;
        let base = self.base.clone();
        macro_rules! drain {
            ($errors_max:expr, $content:expr, $parser:expr) => {{
                let parser = if lenient { $parser.lenient() } else { $parser };
                drain(parser.for_reader($content), $errors_max, feed)
            }};
        }
        match syntax {
            Syntax::NTriples | Syntax::NQuads => unreachable!("lines have a reader of their own"),
            Syntax::Turtle => {
                drain!(ERRORS_MAX, self.text(), TurtleParser::new().with_base_iri(base).expect(BASE))
            }
            Syntax::TriG => drain!(ERRORS_MAX, self.text(), TriGParser::new().with_base_iri(base).expect(BASE)),
            Syntax::N3 => drain!(ERRORS_MAX, self.text(), N3Parser::new().with_base_iri(base).expect(BASE)),
            Syntax::RdfXml => {
                let was_replaced = Rc::new(Cell::new(false));
                let content = self.xml(&was_replaced);
                // After an error the parser no longer knows which element it is
                // in, and makes statements that nobody made.
                drain!(1, content, RdfXmlParser::new().with_base_iri(base).expect(BASE))?;
                if was_replaced.get() { feed.fault(None, "some bytes are no characters") } else { Ok(()) }
            }
            Syntax::JsonLd => {
                let contexts = self.options.contexts.clone();
                pages::read_json_ld(self.text(), &base, contexts.as_deref(), feed)
            }
            Syntax::Html | Syntax::Xhtml | Syntax::Svg => {
                let contexts = self.options.contexts.clone();
                pages::read_page(self.text(), syntax, &base, contexts.as_deref(), feed)
            }
        }
    }

    /// Its bytes, without a byte order mark.
    fn text(mut self) -> impl Read {
        if self.head.starts_with(b"\xef\xbb\xbf") {
            self.head.drain(..3);
        }
        Cursor::new(self.head).chain(self.rest)
    }

    /// XML in UTF-8, without the declaration that might say otherwise.
    fn xml(self, was_replaced: &Rc<Cell<bool>>) -> impl Read + use<> {
        let encoding = charset::encoding(Kind::Xml, None, &self.head, None);
        let whole = Cursor::new(self.head).chain(self.rest);
        let mut decoded = Decoding::new(whole, encoding, Rc::clone(was_replaced));
        let mut head = Vec::new();
        // What cannot be read now cannot be read in a moment either.
        let _ = decoded.by_ref().take(1_024).read_to_end(&mut head);
        Cursor::new(charset::without_xml_declaration(&head).to_vec()).chain(decoded)
    }
}

fn drain<S: Statement, E: Into<Trouble>>(
    statements: impl Iterator<Item = Result<S, E>>,
    errors_max: u32,
    feed: &mut Feed,
) -> Result<(), Stop> {
    let mut errors = 0;
    for statement in statements {
        match statement.map_err(Into::into) {
            Ok(statement) => {
                if let Some(quad) = statement.into_quad() {
                    feed.quad(quad)?;
                }
            }
            Err(Trouble::Io(error)) => return feed.fault(None, error.to_string()),
            Err(Trouble::Syntax(place, what)) => {
                feed.fault(place, what)?;
                errors += 1;
                if errors >= errors_max {
                    return feed.fault(None, "too many errors, or one too many: the rest is not read");
                }
            }
        }
    }
    Ok(())
}

/// What stops a parser: the file, or the system.
enum Trouble {
    Syntax(Option<(u64, u64)>, String),
    Io(io::Error),
}

impl From<TurtleParseError> for Trouble {
    fn from(error: TurtleParseError) -> Self {
        match error {
            TurtleParseError::Io(error) => Self::Io(error),
            TurtleParseError::Syntax(error) => {
                let start = error.location().start;
                Self::Syntax(Some((start.line + 1, start.column + 1)), error.message().to_owned())
            }
        }
    }
}

impl From<RdfXmlParseError> for Trouble {
    fn from(error: RdfXmlParseError) -> Self {
        match error {
            RdfXmlParseError::Io(error) => Self::Io(error),
            RdfXmlParseError::Syntax(error) => Self::Syntax(None, error.to_string()),
        }
    }
}

/// What parsers yield. `None` for what is not RDF.
trait Statement {
    fn into_quad(self) -> Option<Quad>;
}

impl Statement for Quad {
    fn into_quad(self) -> Option<Quad> {
        Some(self)
    }
}

impl Statement for Triple {
    fn into_quad(self) -> Option<Quad> {
        Some(self.in_graph(GraphName::DefaultGraph))
    }
}

/// The RDF part of N3: no variables, and not what formulae quote, which nobody
/// asserts.
impl Statement for N3Quad {
    fn into_quad(self) -> Option<Quad> {
        let N3Quad { subject, predicate, object, graph_name } = self;
        let subject = match subject {
            N3Term::NamedNode(node) => NamedOrBlankNode::from(node),
            N3Term::BlankNode(node) => node.into(),
            _ => return None,
        };
        let N3Term::NamedNode(predicate) = predicate else { return None };
        let object = match object {
            N3Term::NamedNode(node) => Term::from(node),
            N3Term::BlankNode(node) => node.into(),
            N3Term::Literal(literal) => literal.into(),
            N3Term::Variable(_) => return None,
        };
        (graph_name == GraphName::DefaultGraph).then(|| Quad::new(subject, predicate, object, graph_name))
    }
}
