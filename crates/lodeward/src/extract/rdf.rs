//! Reads the RDF formats with the parsers of the Oxigraph family.
//!
//! The lenient parsers skip the checks of IRIs and language tags; `Extraction` checks each distinct one once instead of
//! at every occurrence. The parsers of the Turtle family continue after an error with the next statement or line.

use std::io::{self, Read};
use std::sync::Arc;

use lodeward_markup::charset::strip_xml_declaration;
use lodeward_markup::json_ld::ContextLoader;
use oxrdf::{GraphName, GraphNameRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser, RdfXmlSyntaxError};
use oxttl::n3::{N3Quad, N3Term};
use oxttl::{N3Parser, NQuadsParser, NTriplesParser, TriGParser, TurtleParseError, TurtleParser, TurtleSyntaxError};

use super::depth::{DepthLimitedReader, TOO_DEEP, limit_depth};
use super::extraction::Extraction;
use super::json_ld;
use crate::model::format::RdfFormat;
use crate::model::{Fault, FaultKind, stream_fault};

/// A document in UTF-8.
pub(super) enum RdfInput<'a> {
    Slice(&'a [u8]),
    Stream(Box<dyn Read + 'a>),
}

/// Reads a document in an RDF format.
pub(super) fn read(
    syntax: RdfFormat,
    input: RdfInput<'_>,
    contexts: &Arc<dyn ContextLoader>,
    harvest: &mut Extraction<'_>,
) {
    const VALID_BASE: &str = "the base is the name of the graph, which is a valid IRI";
    harvest.begin_syntax(syntax.name());
    let base = harvest.base().to_owned();
    let max_errors = harvest.options.max_syntax_errors;
    macro_rules! drain {
        ($input:ident, $max_errors:expr, $parser:expr) => {
            match $input {
                RdfInput::Slice(bytes) => drain($parser.for_slice(bytes), $max_errors, harvest),
                RdfInput::Stream(reader) => drain($parser.for_reader(reader), $max_errors, harvest),
            }
        };
    }
    match syntax {
        RdfFormat::NTriples => drain!(input, max_errors, NTriplesParser::new().lenient()),
        RdfFormat::NQuads => drain!(input, max_errors, NQuadsParser::new().lenient()),
        RdfFormat::Turtle => {
            drain!(input, max_errors, TurtleParser::new().lenient().with_base_iri(base).expect(VALID_BASE));
        }
        RdfFormat::TriG => {
            drain!(input, max_errors, TriGParser::new().lenient().with_base_iri(base).expect(VALID_BASE));
        }
        RdfFormat::N3 => drain!(input, max_errors, N3Parser::new().lenient().with_base_iri(base).expect(VALID_BASE)),
        RdfFormat::RdfXml => {
            let input = prepare_xml(input, harvest);
            // After an error the parser has lost its position in the tree and produces wrong statements.
            let max_errors = 1;
            drain!(input, max_errors, RdfXmlParser::new().lenient().with_base_iri(base).expect(VALID_BASE));
        }
        RdfFormat::JsonLd => json_ld::read(input, &base, contexts, harvest),
        RdfFormat::Html | RdfFormat::Xhtml | RdfFormat::Svg => unreachable!("pages are read by the page reader"),
    }
}

fn prepare_xml<'a>(input: RdfInput<'a>, harvest: &mut Extraction<'_>) -> RdfInput<'a> {
    match input {
        RdfInput::Slice(bytes) => {
            let bytes = strip_xml_declaration(bytes);
            let readable = limit_depth(bytes);
            if readable.len() < bytes.len() {
                harvest.fault(Fault::new(FaultKind::Syntax, TOO_DEEP));
            }
            RdfInput::Slice(readable)
        }
        RdfInput::Stream(mut reader) => {
            let mut head = Vec::new();
            if let Err(error) = reader.by_ref().take(1024).read_to_end(&mut head) {
                harvest.fault(stream_fault(&error));
            }
            let head = io::Cursor::new(strip_xml_declaration(&head).to_vec());
            RdfInput::Stream(Box::new(DepthLimitedReader::new(head.chain(reader))))
        }
    }
}

/// Passes everything a parser finds to the extraction, and stops after `max_errors` errors: a document in another
/// format can cause any number of them.
pub(super) fn drain<S: ParsedStatement, E: Into<RdfReadError>>(
    statements: impl Iterator<Item = Result<S, E>>,
    max_errors: usize,
    harvest: &mut Extraction<'_>,
) {
    let mut errors = 0;
    let mut refusals = 0;
    for statement in statements {
        let detail = match statement {
            Ok(statement) => {
                let Err(detail) = statement.as_quad().map_or(Ok(()), |quad| harvest.quad(quad)) else { continue };
                refusals += 1;
                detail
            }
            Err(error) => match error.into() {
                RdfReadError::Io(error) => return harvest.fault(stream_fault(&error)),
                RdfReadError::Syntax(detail) => {
                    errors += 1;
                    detail
                }
            },
        };
        harvest.fault(Fault::new(FaultKind::Syntax, detail));
        if errors >= max_errors || refusals >= harvest.options.max_syntax_errors {
            return;
        }
    }
}

/// Why a parser stops: an error in the document, or in its stream.
pub(super) enum RdfReadError {
    Syntax(String),
    Io(io::Error),
}

macro_rules! read_error_from {
    ($($of_slice:ident or $of_stream:ident;)+) => { $(
        impl From<$of_slice> for RdfReadError {
            fn from(error: $of_slice) -> Self {
                Self::Syntax(error.to_string())
            }
        }

        impl From<$of_stream> for RdfReadError {
            fn from(error: $of_stream) -> Self {
                match error {
                    $of_stream::Io(error) => Self::Io(error),
                    $of_stream::Syntax(error) => error.into(),
                }
            }
        }
    )+ };
}

read_error_from! {
    TurtleSyntaxError or TurtleParseError;
    RdfXmlSyntaxError or RdfXmlParseError;
}

/// Converts an item produced by a parser to RDF; `None` if the item is not RDF.
pub(super) trait ParsedStatement {
    fn as_quad(&self) -> Option<QuadRef<'_>>;
}

impl ParsedStatement for Triple {
    fn as_quad(&self) -> Option<QuadRef<'_>> {
        Some(self.as_ref().in_graph(GraphNameRef::DefaultGraph))
    }
}

impl ParsedStatement for Quad {
    fn as_quad(&self) -> Option<QuadRef<'_>> {
        Some(self.as_ref())
    }
}

/// The RDF subset of N3: no variables and no quoted formulae, which are not asserted.
impl ParsedStatement for N3Quad {
    fn as_quad(&self) -> Option<QuadRef<'_>> {
        if self.graph_name != GraphName::DefaultGraph {
            return None;
        }
        let subject = match &self.subject {
            N3Term::NamedNode(node) => NamedOrBlankNodeRef::from(node),
            N3Term::BlankNode(node) => node.into(),
            _ => return None,
        };
        let N3Term::NamedNode(predicate) = &self.predicate else { return None };
        let object = match &self.object {
            N3Term::NamedNode(node) => TermRef::from(node),
            N3Term::BlankNode(node) => node.into(),
            N3Term::Literal(literal) => literal.into(),
            N3Term::Variable(_) => return None,
        };
        Some(QuadRef::new(subject, predicate, object, GraphNameRef::DefaultGraph))
    }
}
