//! The receiver of statements and faults.

use std::fmt;

use oxrdf::{Quad, QuadRef};

/// Receives what a reader finds, in document order.
pub trait QuadSink {
    /// Receives a statement. A statement without a graph name is in the default graph.
    fn quad(&mut self, quad: QuadRef<'_>);

    /// Receives a statement that the reader does not need any more. Sinks that store statements
    /// implement this to avoid a copy.
    fn owned_quad(&mut self, quad: Quad) {
        self.quad(quad.as_ref());
    }

    /// Receives a fault.
    fn fault(&mut self, fault: RdfFault);

    /// Starts a new scope of blank nodes: those that follow are distinct from earlier ones with
    /// the same label.
    fn begin_scope(&mut self) {}

    /// Whether the sink accepts more. If not, the reader stops as soon as possible; until then, the
    /// sink can receive more statements, and discards them.
    fn is_open(&self) -> bool {
        true
    }
}

/// A part of a document that could not be read, or was read incompletely.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RdfFault {
    /// The kind of the fault.
    pub kind: RdfFaultKind,
    /// Where the fault is, if the reader of the format knows.
    pub position: Option<TextPosition>,
    /// What is wrong, for users.
    pub detail: String,
}

impl RdfFault {
    /// A fault without a position.
    pub fn new(kind: RdfFaultKind, detail: impl Into<String>) -> Self {
        Self { kind, position: None, detail: detail.into() }
    }
}

impl fmt::Display for RdfFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.position {
            Some(TextPosition { line, column }) => write!(f, "line {line}, column {column}: {}", self.detail),
            None => f.write_str(&self.detail),
        }
    }
}

impl std::error::Error for RdfFault {}

/// A position in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RdfFaultKind {
    /// Invalid text, or text that cannot be expressed in RDF.
    Syntax,
    /// A remote context or vocabulary that is not available.
    Remote,
    /// A limit was exceeded, and the rest was omitted.
    Limit,
    /// Malformed text that was repaired: nothing is lost.
    Repaired,
    /// A format, or a version of it, that is not read.
    Unsupported,
}
