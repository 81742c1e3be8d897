//! Detection of the format of a file, and parsing.

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use lodeward::extract::sniff;
use lodeward::model::format::RdfFormat;
use lodeward_markup::charset::{self, CharsetSource, Utf8Reader};
use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser};
use oxttl::n3::{N3Quad, N3Term};
use oxttl::{N3Parser, TriGParser, TurtleParseError, TurtleParser};

use super::blank::BlankNodes;
use super::blocks::{self, LineFile};
use super::feed::{FeedStopped, ImportFeed};
use super::source::ImportSource;
use super::{ImportOptions, MAX_ERRORS, pages};

/// Reads a file.
pub(super) fn read(
    source: &ImportSource,
    options: &ImportOptions,
    meter: &Arc<AtomicU64>,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let identity = source.identity();
    feed.begin_file(source, BlankNodes::numbered(identity));
    let mut head = Vec::new();
    let opened = source.open(meter).and_then(|mut content| {
        content.by_ref().take(sniff::HEAD_BYTES as u64).read_to_end(&mut head)?;
        Ok(content)
    });
    let content = match opened {
        Ok(content) => content,
        Err(error) => return feed.record_fault(None, error.to_string()),
    };
    let named = options.format.or_else(|| source.syntax());
    let Some(syntax) = named.or_else(|| sniff::detect_format(None, None, &charset::decode_for_sniffing(&head))) else {
        return feed.record_fault(None, "no RDF found, or the format is unknown; set it with --content-type");
    };
    if matches!(syntax, RdfFormat::NTriples | RdfFormat::NQuads) {
        let file = LineFile { name: source.name.clone(), identity, has_graphs: syntax == RdfFormat::NQuads };
        return blocks::split_into_blocks(Cursor::new(head).chain(content), file, feed);
    }
    let base = options.base.clone().unwrap_or_else(|| source.base_iri());
    let document = ImportDocument { head, rest: content, base, options };
    document.read(syntax, feed)?;
    feed.finish_file()
}

/// A file whose first bytes have been read.
struct ImportDocument<'a> {
    head: Vec<u8>,
    rest: Box<dyn Read>,
    base: String,
    options: &'a ImportOptions,
}

impl ImportDocument<'_> {
    fn read(self, syntax: RdfFormat, feed: &mut ImportFeed) -> Result<(), FeedStopped> {
        const BASE_CHECKED: &str = "the base is a valid IRI";
        let lenient = self.options.lenient;
        let base = self.base.clone();
        macro_rules! drain {
            ($errors_max:expr, $content:expr, $parser:expr) => {{
                let parser = if lenient { $parser.lenient() } else { $parser };
                drain(parser.for_reader($content), $errors_max, feed)
            }};
        }
        match syntax {
            RdfFormat::NTriples | RdfFormat::NQuads => unreachable!("`read` splits these files into blocks"),
            RdfFormat::Turtle => {
                drain!(MAX_ERRORS, self.into_text(), TurtleParser::new().with_base_iri(base).expect(BASE_CHECKED))
            }
            RdfFormat::TriG => {
                drain!(MAX_ERRORS, self.into_text(), TriGParser::new().with_base_iri(base).expect(BASE_CHECKED))
            }
            RdfFormat::N3 => {
                drain!(MAX_ERRORS, self.into_text(), N3Parser::new().with_base_iri(base).expect(BASE_CHECKED))
            }
            RdfFormat::RdfXml => {
                let was_replaced = Rc::new(Cell::new(false));
                let content = self.into_xml(&was_replaced);
                // After an error the parser has lost track of the elements, and would return wrong
                // statements.
                drain!(1, content, RdfXmlParser::new().with_base_iri(base).expect(BASE_CHECKED))?;
                if was_replaced.get() {
                    feed.record_fault(None, "bytes invalid in the character encoding were replaced")
                } else {
                    Ok(())
                }
            }
            RdfFormat::JsonLd => {
                let contexts = self.options.contexts.clone();
                pages::read_json_ld(self.into_text(), &base, contexts.as_deref(), feed)
            }
            RdfFormat::Html | RdfFormat::Xhtml | RdfFormat::Svg => {
                let contexts = self.options.contexts.clone();
                pages::read_page(self.into_text(), syntax, &base, contexts.as_deref(), feed)
            }
        }
    }

    /// The content without a byte order mark.
    fn into_text(mut self) -> impl Read {
        if self.head.starts_with(b"\xef\xbb\xbf") {
            self.head.drain(..3);
        }
        Cursor::new(self.head).chain(self.rest)
    }

    /// The content in UTF-8, without the XML declaration, which may name another encoding.
    fn into_xml(self, was_replaced: &Rc<Cell<bool>>) -> impl Read + use<> {
        let encoding = charset::detect_encoding(CharsetSource::Xml, None, &self.head, None);
        let whole = Cursor::new(self.head).chain(self.rest);
        let mut decoded = Utf8Reader::new(whole, encoding, Rc::clone(was_replaced));
        let mut head = Vec::new();
        // A read error is ignored here, because the parser gets it again.
        let _ = decoded.by_ref().take(1_024).read_to_end(&mut head);
        Cursor::new(charset::strip_xml_declaration(&head).to_vec()).chain(decoded)
    }
}

fn drain<S: IntoQuad, E: Into<ParserError>>(
    statements: impl Iterator<Item = Result<S, E>>,
    errors_max: u32,
    feed: &mut ImportFeed,
) -> Result<(), FeedStopped> {
    let mut errors = 0;
    for statement in statements {
        match statement.map_err(Into::into) {
            Ok(statement) => {
                if let Some(quad) = statement.into_quad() {
                    feed.push_quad(quad)?;
                }
            }
            Err(ParserError::Io(error)) => return feed.record_fault(None, error.to_string()),
            Err(ParserError::Syntax(location, message)) => {
                feed.record_fault(location, message)?;
                errors += 1;
                if errors >= errors_max {
                    return feed.record_fault(None, "too many errors; the rest of the file was not read");
                }
            }
        }
    }
    Ok(())
}

/// An error of a parser.
enum ParserError {
    Syntax(Option<(u64, u64)>, String),
    Io(io::Error),
}

impl From<TurtleParseError> for ParserError {
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

impl From<RdfXmlParseError> for ParserError {
    fn from(error: RdfXmlParseError) -> Self {
        match error {
            RdfXmlParseError::Io(error) => Self::Io(error),
            RdfXmlParseError::Syntax(error) => Self::Syntax(None, error.to_string()),
        }
    }
}

/// A parsed statement; `None` if it is not RDF.
trait IntoQuad {
    fn into_quad(self) -> Option<Quad>;
}

impl IntoQuad for Quad {
    fn into_quad(self) -> Option<Quad> {
        Some(self)
    }
}

impl IntoQuad for Triple {
    fn into_quad(self) -> Option<Quad> {
        Some(self.in_graph(GraphName::DefaultGraph))
    }
}

/// The RDF subset of N3: without variables and without the content of formulae, which is not asserted.
impl IntoQuad for N3Quad {
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
