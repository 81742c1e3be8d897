//! The RDF syntaxes, each read by the parser of the Oxigraph family.
//!
//! Lenient parsers skip the checks of IRIs and language tags, which the harvest
//! makes once for each distinct one instead of at every mention. Those of the
//! Turtle family go on after an error, with the next statement or line.

use std::io::{self, Read};
use std::sync::Arc;

use lodeward_markup::charset::without_xml_declaration;
use lodeward_markup::json_ld::Contexts;
use oxrdf::{GraphName, GraphNameRef, NamedOrBlankNodeRef, Quad, QuadRef, TermRef, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlParser, RdfXmlSyntaxError};
use oxttl::n3::{N3Quad, N3Term};
use oxttl::{N3Parser, NQuadsParser, NTriplesParser, TriGParser, TurtleParseError, TurtleParser, TurtleSyntaxError};

use super::depth::{Shallow, TOO_DEEP, shallow};
use super::harvest::Harvest;
use super::json_ld;
use crate::fetch::CutShort;
use crate::model::media_type::Syntax;
use crate::model::{Fault, FaultKind};

/// A document in UTF-8.
pub(super) enum Input<'a> {
    Slice(&'a [u8]),
    Stream(Box<dyn Read + 'a>),
}

/// Reads a document in one of the syntaxes that are RDF.
pub(super) fn read(syntax: Syntax, input: Input<'_>, contexts: &Arc<dyn Contexts>, harvest: &mut Harvest<'_>) {
    const BASE: &str = "the name of a document's graph is an IRI";
    harvest.begin(syntax.name());
    let base = harvest.base().to_owned();
    let errors_max = harvest.options.syntax_errors_max;
    macro_rules! drain {
        ($input:ident, $errors_max:expr, $parser:expr) => {
            match $input {
                Input::Slice(bytes) => drain($parser.for_slice(bytes), $errors_max, harvest),
                Input::Stream(reader) => drain($parser.for_reader(reader), $errors_max, harvest),
            }
        };
    }
    match syntax {
        Syntax::NTriples => drain!(input, errors_max, NTriplesParser::new().lenient()),
        Syntax::NQuads => drain!(input, errors_max, NQuadsParser::new().lenient()),
        Syntax::Turtle => drain!(input, errors_max, TurtleParser::new().lenient().with_base_iri(base).expect(BASE)),
        Syntax::TriG => drain!(input, errors_max, TriGParser::new().lenient().with_base_iri(base).expect(BASE)),
        Syntax::N3 => drain!(input, errors_max, N3Parser::new().lenient().with_base_iri(base).expect(BASE)),
        Syntax::RdfXml => {
            let input = prepared_xml(input, harvest);
            // After an error the parser no longer knows which element it is in,
            // and makes statements that nobody made.
            let errors_max = 1;
            drain!(input, errors_max, RdfXmlParser::new().lenient().with_base_iri(base).expect(BASE));
        }
        Syntax::JsonLd => json_ld::read(input, &base, contexts, harvest),
        Syntax::Html | Syntax::Xhtml | Syntax::Svg => unreachable!("pages have a reader of their own"),
    }
}

fn prepared_xml<'a>(input: Input<'a>, harvest: &mut Harvest<'_>) -> Input<'a> {
    match input {
        Input::Slice(bytes) => {
            let bytes = without_xml_declaration(bytes);
            let readable = shallow(bytes);
            if readable.len() < bytes.len() {
                harvest.fault(Fault::new(FaultKind::Syntax, TOO_DEEP));
            }
            Input::Slice(readable)
        }
        Input::Stream(mut reader) => {
            let mut head = Vec::new();
            if let Err(error) = reader.by_ref().take(1024).read_to_end(&mut head) {
                harvest.fault(fault_of_stream(&error));
            }
            let head = io::Cursor::new(without_xml_declaration(&head).to_vec());
            Input::Stream(Box::new(Shallow::new(head.chain(reader))))
        }
    }
}

/// Hands everything a parser finds to the harvest, and gives up after so many
/// errors: a parser in a document that is not in its syntax finds no end of them.
pub(super) fn drain<S: Statement, E: Into<Trouble>>(
    statements: impl Iterator<Item = Result<S, E>>,
    errors_max: usize,
    harvest: &mut Harvest<'_>,
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
                Trouble::Io(error) => return harvest.fault(fault_of_stream(&error)),
                Trouble::Syntax(detail) => {
                    errors += 1;
                    detail
                }
            },
        };
        harvest.fault(Fault::new(FaultKind::Syntax, detail));
        if errors >= errors_max || refusals >= harvest.options.syntax_errors_max {
            return;
        }
    }
}

/// What ended a stream before its end.
pub(crate) fn fault_of_stream(error: &io::Error) -> Fault {
    let mut source = error.get_ref().map(|inner| inner as &(dyn std::error::Error + 'static));
    while let Some(inner) = source {
        if let Some(CutShort(fault)) = inner.downcast_ref::<CutShort>() {
            return fault.clone();
        }
        source = inner.source();
    }
    match error.kind() {
        io::ErrorKind::InvalidData => Fault::new(FaultKind::Syntax, error),
        io::ErrorKind::OutOfMemory => Fault::new(FaultKind::Syntax, "a term is too long to be held"),
        _ => Fault::new(FaultKind::Truncated, error),
    }
}

/// What stops a parser: the document, or the stream it comes from.
pub(super) enum Trouble {
    Syntax(String),
    Io(io::Error),
}

macro_rules! trouble_from {
    ($($of_slice:ident or $of_stream:ident;)+) => { $(
        impl From<$of_slice> for Trouble {
            fn from(error: $of_slice) -> Self {
                Self::Syntax(error.to_string())
            }
        }

        impl From<$of_stream> for Trouble {
            fn from(error: $of_stream) -> Self {
                match error {
                    $of_stream::Io(error) => Self::Io(error),
                    $of_stream::Syntax(error) => error.into(),
                }
            }
        }
    )+ };
}

trouble_from! {
    TurtleSyntaxError or TurtleParseError;
    RdfXmlSyntaxError or RdfXmlParseError;
}

/// What parsers yield. `None` for what is not RDF.
pub(super) trait Statement {
    fn as_quad(&self) -> Option<QuadRef<'_>>;
}

impl Statement for Triple {
    fn as_quad(&self) -> Option<QuadRef<'_>> {
        Some(self.as_ref().in_graph(GraphNameRef::DefaultGraph))
    }
}

impl Statement for Quad {
    fn as_quad(&self) -> Option<QuadRef<'_>> {
        Some(self.as_ref())
    }
}

/// The RDF part of N3: no variables, and not what formulae quote, which nobody
/// asserts.
impl Statement for N3Quad {
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
