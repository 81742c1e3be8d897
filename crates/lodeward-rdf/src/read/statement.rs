//! The statements and errors of the parsers.

use std::cell::Cell;
use std::io;

use oxrdf::{GraphName, NamedOrBlankNode, Quad, Term, Triple};
use oxrdfxml::{RdfXmlParseError, RdfXmlSyntaxError};
use oxttl::n3::{N3Quad, N3Term};
use oxttl::{TurtleParseError, TurtleSyntaxError};

use super::ReadEnd;
use crate::sink::{QuadSink, RdfFault, RdfFaultKind, TextPosition};

/// Passes everything that a parser finds to the sink, and stops after `max_errors` errors.
/// `has_errors` is set at the first one.
pub(super) fn drain<T: ParsedStatement, E: Into<ParserError>>(
    statements: impl Iterator<Item = Result<T, E>>,
    max_errors: usize,
    has_errors: &Cell<bool>,
    sink: &mut impl QuadSink,
) -> io::Result<ReadEnd> {
    let mut errors = 0;
    for statement in statements {
        match statement.map_err(Into::into) {
            Ok(statement) => {
                if let Some(quad) = statement.into_quad() {
                    sink.owned_quad(quad);
                }
            }
            Err(ParserError::Io(error)) => return Err(error),
            Err(ParserError::Syntax(fault)) => {
                sink.fault(fault);
                has_errors.set(true);
                errors += 1;
                if errors >= max_errors {
                    return Ok(ReadEnd::TooManyErrors);
                }
            }
        }
        if !sink.is_open() {
            return Ok(ReadEnd::Closed);
        }
    }
    Ok(ReadEnd::Complete)
}

/// An error of a parser: in the document, or in its stream.
pub(super) enum ParserError {
    Syntax(RdfFault),
    Io(io::Error),
}

impl From<TurtleSyntaxError> for ParserError {
    fn from(error: TurtleSyntaxError) -> Self {
        Self::Syntax(error.into())
    }
}

impl From<TurtleSyntaxError> for RdfFault {
    fn from(error: TurtleSyntaxError) -> Self {
        let start = error.location().start;
        let position = Some(TextPosition { line: start.line + 1, column: start.column + 1 });
        Self { kind: RdfFaultKind::Syntax, position, detail: error.message().to_owned() }
    }
}

impl From<TurtleParseError> for ParserError {
    fn from(error: TurtleParseError) -> Self {
        match error {
            TurtleParseError::Io(error) => Self::Io(error),
            TurtleParseError::Syntax(error) => error.into(),
        }
    }
}

impl From<RdfXmlSyntaxError> for ParserError {
    fn from(error: RdfXmlSyntaxError) -> Self {
        Self::Syntax(RdfFault::new(RdfFaultKind::Syntax, error.to_string()))
    }
}

impl From<RdfXmlParseError> for ParserError {
    fn from(error: RdfXmlParseError) -> Self {
        match error {
            RdfXmlParseError::Io(error) => Self::Io(error),
            RdfXmlParseError::Syntax(error) => error.into(),
        }
    }
}

/// An item produced by a parser.
pub(super) trait ParsedStatement {
    /// The statement; `None` if the item is not RDF.
    fn into_quad(self) -> Option<Quad>;
}

impl ParsedStatement for Quad {
    fn into_quad(self) -> Option<Quad> {
        Some(self)
    }
}

impl ParsedStatement for Triple {
    fn into_quad(self) -> Option<Quad> {
        Some(self.in_graph(GraphName::DefaultGraph))
    }
}

/// The RDF subset of N3: no variables and no quoted formulae, which are not asserted.
impl ParsedStatement for N3Quad {
    fn into_quad(self) -> Option<Quad> {
        let Self { subject, predicate, object, graph_name } = self;
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
