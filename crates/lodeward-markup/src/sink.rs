//! The receiver of statements and faults of a page.

use std::fmt;

use oxrdf::QuadRef;

/// The embedded syntax of a statement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum EmbeddedSyntax {
    /// Attributes of `RDFa`, 1.0 or 1.1.
    Rdfa,
    /// Attributes of Microdata.
    Microdata,
    /// A script element with JSON-LD in it.
    JsonLd,
}

impl EmbeddedSyntax {
    /// A short name, for counts and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rdfa => "rdfa",
            Self::Microdata => "microdata",
            Self::JsonLd => "json-ld-script",
        }
    }
}

impl fmt::Display for EmbeddedSyntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A part of a page that could not be read, or was read incompletely. The rest of the page was
/// read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkupFault {
    /// The syntax that was being read.
    pub syntax: EmbeddedSyntax,
    /// The kind of the fault.
    pub kind: MarkupFaultKind,
    /// What is wrong, for users.
    pub detail: String,
}

impl fmt::Display for MarkupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.syntax, self.detail)
    }
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum MarkupFaultKind {
    /// Invalid markup, or markup that cannot be expressed in RDF.
    Syntax,
    /// A remote context or vocabulary that is not available.
    Remote,
    /// A limit was exceeded, and the rest was omitted.
    Limit,
    /// Malformed text that was repaired: nothing is lost.
    Repaired,
}

/// Receives what is found in a page, in document order.
pub trait PageSink {
    /// Receives a statement. Blank nodes are scoped to the [`EmbeddedSyntax`] and the page; those
    /// of each JSON-LD script are scoped to the script, which [`begin`](PageSink::begin) announces.
    fn quad(&mut self, syntax: EmbeddedSyntax, quad: QuadRef<'_>);

    /// Receives a fault.
    fn fault(&mut self, fault: MarkupFault);

    /// Starts a new scope: the following statements are of this syntax, and their blank nodes are
    /// distinct from earlier ones with the same label. A page can contain several scripts, each
    /// with its own scope.
    fn begin(&mut self, syntax: EmbeddedSyntax);
}
