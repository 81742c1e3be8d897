//! What a predicate says about its subject.

use foldhash::HashMap;
use lodeward_archive::{ArchiveError, Snapshot};
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

/// Predicates of labels, preferred ones first.
const LABELS: [&str; 9] = [
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "http://www.w3.org/2000/01/rdf-schema#label",
    "http://schema.org/name",
    "https://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
    "http://www.w3.org/2006/vcard/ns#fn",
    "http://www.geonames.org/ontology#name",
];

const ALIASES: [&str; 10] = [
    "http://www.w3.org/2004/02/skos/core#altLabel",
    "http://www.w3.org/2004/02/skos/core#hiddenLabel",
    "http://schema.org/alternateName",
    "https://schema.org/alternateName",
    "http://purl.org/dc/terms/alternative",
    "http://xmlns.com/foaf/0.1/nick",
    "http://xmlns.com/foaf/0.1/givenName",
    "http://xmlns.com/foaf/0.1/familyName",
    "http://www.geonames.org/ontology#alternateName",
    "http://dbpedia.org/ontology/alias",
];

const DESCRIPTIONS: [&str; 10] = [
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#definition",
    "http://www.w3.org/2004/02/skos/core#scopeNote",
    "http://www.w3.org/2004/02/skos/core#note",
    "http://purl.org/dc/terms/description",
    "http://purl.org/dc/elements/1.1/description",
    "http://purl.org/dc/terms/abstract",
    "http://schema.org/description",
    "https://schema.org/description",
    "http://dbpedia.org/ontology/abstract",
];

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
        if let Some(rank) = LABELS.iter().position(|label| *label == iri) {
            return Self::Label(u8::try_from(rank).unwrap_or(u8::MAX));
        }
        if ALIASES.contains(&iri) {
            Self::Alias
        } else if DESCRIPTIONS.contains(&iri) {
            Self::Description
        } else if iri == oxrdf::vocab::rdf::TYPE.as_str() {
            Self::Type
        } else {
            Self::Other
        }
    }
}

/// Roles and IRIs of the predicates of an archive, by number.
#[derive(Default)]
pub(super) struct PredicateTable {
    known: HashMap<u64, (PredicateRole, String)>,
}

/// Number of predicates in memory. If there are more, they are read again.
const MAX_PREDICATES: usize = 20_000;

impl PredicateTable {
    pub(super) fn get(&mut self, snapshot: &Snapshot, number: u64) -> Result<&(PredicateRole, String), ArchiveError> {
        if self.known.len() >= MAX_PREDICATES && !self.known.contains_key(&number) {
            self.known.clear();
        }
        Ok(match self.known.entry(number) {
            std::collections::hash_map::Entry::Occupied(known) => known.into_mut(),
            std::collections::hash_map::Entry::Vacant(unknown) => {
                let iri = match snapshot.numbered_term(number)? {
                    Term::NamedNode(node) => node.into_string(),
                    _ => String::new(),
                };
                unknown.insert((PredicateRole::of(&iri), iri))
            }
        })
    }
}
