//! The receiver of statements and faults of a page.

use std::fmt;

use lodeward_rdf::{QuadSink, RdfFault, RdfFaultKind};
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
    /// Classes of microformats, of version 1 or 2.
    Microformats,
}

impl EmbeddedSyntax {
    /// A short name, for counts and logs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rdfa => "rdfa",
            Self::Microdata => "microdata",
            Self::JsonLd => "json-ld-script",
            Self::Microformats => "microformats",
        }
    }

    /// The IRI that the W3C has assigned to the syntax, if there is one.
    #[must_use]
    pub fn w3c_iri(self) -> Option<&'static str> {
        match self {
            Self::Rdfa => Some("http://www.w3.org/ns/formats/RDFa"),
            Self::Microdata => Some("http://www.w3.org/ns/formats/microdata"),
            Self::JsonLd | Self::Microformats => None,
        }
    }

    /// The syntax with this [name](Self::name).
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Rdfa, Self::Microdata, Self::JsonLd, Self::Microformats].into_iter().find(|syntax| syntax.name() == name)
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
    pub kind: RdfFaultKind,
    /// What is wrong, for users.
    pub detail: String,
}

impl fmt::Display for MarkupFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.syntax, self.detail)
    }
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

/// Passes the statements of JSON-LD scripts to the sink of their page.
pub(crate) struct ScriptSink<'a>(pub(crate) &'a mut dyn PageSink);

impl QuadSink for ScriptSink<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.0.quad(EmbeddedSyntax::JsonLd, quad);
    }

    fn fault(&mut self, fault: RdfFault) {
        let RdfFault { kind, detail, .. } = fault;
        self.0.fault(MarkupFault { syntax: EmbeddedSyntax::JsonLd, kind, detail });
    }

    fn begin_scope(&mut self) {
        self.0.begin(EmbeddedSyntax::JsonLd);
    }
}
