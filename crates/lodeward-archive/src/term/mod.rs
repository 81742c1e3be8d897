//! Terms as numbers.
//!
//! A [`TermId`] is either the number of an entry in the dictionary or, for
//! short literals, the literal itself. Two terms are equal if and only if their
//! ids are: what can be written [inline](inline) is never in the dictionary.

mod bytes;
mod inline;

use oxrdf::{GraphNameRef, Term, TermRef};

pub(crate) use self::bytes::{decode, encode};

/// The name of a graph as a term; the default graph has none.
pub(crate) fn of_graph(graph: GraphNameRef<'_>) -> Option<TermRef<'_>> {
    match graph {
        GraphNameRef::DefaultGraph => None,
        GraphNameRef::NamedNode(name) => Some(name.into()),
        GraphNameRef::BlankNode(name) => Some(name.into()),
    }
}

/// The id of a term. 0 stands for the default graph, which has no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct TermId(pub(crate) u64);

impl TermId {
    /// In place of the name of the default graph.
    pub(crate) const DEFAULT_GRAPH: Self = Self(0);
    /// The first number of the dictionary.
    pub(crate) const FIRST: u64 = 1;
    /// All numbers of the dictionary are below this one, all literals that are
    /// their own id are not.
    const INLINE: u64 = 1 << 56;

    /// The id of a term that needs no dictionary.
    pub(crate) fn inline(term: TermRef<'_>) -> Option<Self> {
        match term {
            TermRef::Literal(literal) => inline::encode(literal).map(Self),
            _ => None,
        }
    }

    /// The term, if the id holds it.
    pub(crate) fn as_inline(self) -> Option<Term> {
        if self.0 < Self::INLINE { None } else { inline::decode(self.0).map(Term::from) }
    }

    /// Whether it is to be looked up in the dictionary.
    pub(crate) fn is_in_dictionary(self) -> bool {
        (Self::FIRST..Self::INLINE).contains(&self.0)
    }
}
