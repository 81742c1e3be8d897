//! Ids of terms.
//!
//! A [`TermId`] is either the number of a dictionary entry or, for short literals, the literal
//! itself. Two terms are equal if and only if their ids are equal: a literal that can be encoded
//! [inline](inline) is never in the dictionary.

mod bytes;
mod inline;

use oxrdf::{GraphNameRef, Term, TermRef};

pub(crate) use self::bytes::{decode, decode_ref, encode, is_node};

/// The name of a graph as a term; `None` for the default graph.
pub(crate) fn from_graph_name(graph: GraphNameRef<'_>) -> Option<TermRef<'_>> {
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
    /// Stands for the name of the default graph.
    pub(crate) const DEFAULT_GRAPH: Self = Self(0);
    /// The first id of the dictionary.
    pub(crate) const FIRST: u64 = 1;
    /// Dictionary ids are below this number, inline literals are not.
    const FIRST_INLINE: u64 = 1 << 56;

    /// The id of a term that can be encoded inline.
    pub(crate) fn try_inline(term: TermRef<'_>) -> Option<Self> {
        match term {
            TermRef::Literal(literal) => inline::encode(literal).map(Self),
            _ => None,
        }
    }

    /// The term, if it is encoded in the id.
    pub(crate) fn as_inline(self) -> Option<Term> {
        if self.0 < Self::FIRST_INLINE { None } else { inline::decode(self.0).map(Term::from) }
    }

    /// Whether the id refers to a dictionary entry.
    pub(crate) fn is_in_dictionary(self) -> bool {
        (Self::FIRST..Self::FIRST_INLINE).contains(&self.0)
    }

    /// Whether the id refers to a dictionary entry that is numbered from `first_new` on.
    pub(crate) fn is_new(self, first_new: u64) -> bool {
        self.is_in_dictionary() && self.0 >= first_new
    }
}
