//! What a predicate says about its subject.

use std::sync::Arc;

use foldhash::HashMap;
use lodeward_archive::{ArchiveError, Snapshot};
use lodeward_rdf::text_properties::{TEXT_PROPERTIES, TextRole};
use oxrdf::Term;

/// What a predicate says about its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PredicateRole {
    /// A label; the smallest number is preferred.
    Label(u8),
    /// Another name.
    Alias,
    /// A description.
    Description,
    /// A class.
    Type,
    /// Anything else.
    Other,
}

impl PredicateRole {
    /// The field of the literals of such a predicate.
    pub(crate) fn field(self) -> &'static str {
        match self {
            Self::Label(_) => "label",
            Self::Alias => "alias",
            Self::Description => "description",
            Self::Type | Self::Other => "literal",
        }
    }

    pub(crate) fn of(iri: &str) -> Self {
        let known = TEXT_PROPERTIES.iter().position(|property| property.iri == iri);
        match known.map(|rank| (rank, TEXT_PROPERTIES[rank].role)) {
            Some((rank, TextRole::Label)) => Self::Label(u8::try_from(rank).unwrap_or(u8::MAX)),
            Some((_, TextRole::Alias)) => Self::Alias,
            Some((_, TextRole::Description)) => Self::Description,
            None if iri == oxrdf::vocab::rdf::TYPE.as_str() => Self::Type,
            None => Self::Other,
        }
    }
}

/// Roles and IRIs of the predicates of an archive, by number.
#[derive(Default)]
pub(super) struct PredicateTable {
    known: HashMap<u64, (PredicateRole, Arc<str>)>,
}

/// Maximum length of the IRI of a predicate; the rest is cut.
const MAX_IRI_BYTES: usize = 1_024;

/// Number of predicates in memory. If there are more, they are read again.
const MAX_PREDICATES: usize = 20_000;

impl PredicateTable {
    pub(super) fn get(&mut self, snapshot: &Snapshot, number: u64) -> Result<&(PredicateRole, Arc<str>), ArchiveError> {
        if self.known.len() >= MAX_PREDICATES && !self.known.contains_key(&number) {
            self.known.clear();
        }
        Ok(match self.known.entry(number) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(unknown) => {
                let iri: Arc<str> = match snapshot.numbered_term(number)? {
                    Term::NamedNode(node) => node.as_str()[..node.as_str().floor_char_boundary(MAX_IRI_BYTES)].into(),
                    _ => "".into(),
                };
                unknown.insert((PredicateRole::of(&iri), iri))
            }
        })
    }
}
