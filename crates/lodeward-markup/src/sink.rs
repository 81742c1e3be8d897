//! Where statements, links and faults go.

use std::fmt;

use oxrdf::QuadRef;

/// How a statement was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Syntax {
    /// Attributes of `RDFa`, 1.0 or 1.1.
    Rdfa,
    /// Attributes of Microdata.
    Microdata,
    /// A script element with JSON-LD in it.
    JsonLd,
}

impl Syntax {
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

impl fmt::Display for Syntax {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Something of a page that could not be read, or not as it is. The rest was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What was being read.
    pub syntax: Syntax,
    /// What sort of fault it is.
    pub kind: FaultKind,
    /// What is wrong, in words.
    pub detail: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.syntax, self.detail)
    }
}

/// The sorts of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FaultKind {
    /// Markup that says nothing, or something that RDF cannot say.
    Syntax,
    /// A context or vocabulary elsewhere that is not at hand.
    Remote,
    /// A limit was reached, and the rest left out.
    Excess,
    /// Text that is not quite what it should be was read as what it was meant
    /// to be: nothing is lost.
    Repaired,
}

/// Takes what is found in a page, as it is found.
pub trait Sink {
    /// Takes a statement. Its blank nodes are those of the same [`Syntax`] in
    /// the same page; those of each JSON-LD script are its own, which
    /// [`begin`](Sink::begin) tells.
    fn quad(&mut self, syntax: Syntax, quad: QuadRef<'_>);

    /// Takes note of a fault.
    fn fault(&mut self, fault: Fault);

    /// Statements from here on are of this syntax, and their blank nodes are
    /// not those of before, even if they are called the same: a page may have
    /// several scripts, and each has its own.
    fn begin(&mut self, syntax: Syntax);
}
