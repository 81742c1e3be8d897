//! Names of nodes, and other short texts, as a reader of entities keeps them in memory.

use std::sync::Arc;

use lodeward::model::Uri;
use lodeward_archive::{ArchiveError, Snapshot};
use lodeward_search::entity::NeighbourName;
use lodeward_search::recent::RecentMap;
use oxrdf::Term;
use oxrdf::vocab::rdf;

use super::predicates::PredicateTable;

/// Number of names in memory, about 150 bytes each. If there are more, they are read again.
const MAX_NAMES: usize = 100_000;

/// Longer IRIs are no names: such entities, types and graphs are not indexed.
pub(super) const MAX_IRI_BYTES: usize = 8 << 10;

/// Number of IRIs of graphs and types, and of hosts.
const MAX_IRIS: usize = 10_000;
const MAX_HOSTS: usize = 10_000;

/// What is kept in memory between two updates of the index.
pub(super) struct ReaderMemory {
    pub(super) predicates: PredicateTable,
    /// Names of nodes; `None` for a blank node.
    pub(super) names: RecentMap<u64, Option<NeighbourName>>,
    iris: RecentMap<u64, Option<Arc<str>>>,
    /// Pay-level domains by scheme and authority.
    domains: RecentMap<String, Option<Arc<str>>>,
    rdf_type: Option<u64>,
}

/// The name that a node had; `None` for a blank node.
pub(super) struct KnownName(pub(super) Option<NeighbourName>);

impl Default for ReaderMemory {
    fn default() -> Self {
        Self {
            predicates: PredicateTable::default(),
            names: RecentMap::new(MAX_NAMES / 2),
            iris: RecentMap::new(MAX_IRIS / 2),
            domains: RecentMap::new(MAX_HOSTS / 2),
            rdf_type: None,
        }
    }
}

impl ReaderMemory {
    /// Forgets the name of a node, whose statements have changed. Returns it, if it was known.
    pub(super) fn forget(&mut self, number: u64) -> Option<KnownName> {
        self.names.remove(&number).map(KnownName)
    }

    /// The number of `rdf:type`, if it is used.
    pub(super) fn rdf_type(&mut self, snapshot: &Snapshot) -> Result<Option<u64>, ArchiveError> {
        if self.rdf_type.is_none() {
            self.rdf_type = snapshot.term_number(rdf::TYPE.into())?;
        }
        Ok(self.rdf_type)
    }

    /// The IRI of a graph or a type; `None` for a blank node, or if it is too long.
    pub(super) fn iri(&mut self, snapshot: &Snapshot, number: u64) -> Result<Option<Arc<str>>, ArchiveError> {
        if let Some(known) = self.iris.get(&number) {
            return Ok(known.clone());
        }
        let iri = match snapshot.numbered_term(number)? {
            Term::NamedNode(node) if node.as_str().len() <= MAX_IRI_BYTES => Some(Arc::from(node.as_str())),
            _ => None,
        };
        self.iris.insert(number, iri.clone());
        Ok(iri)
    }

    /// The pay-level domain of an IRI; `None` if it is not that of a document.
    pub(super) fn domain(&mut self, iri: &str) -> Option<Arc<str>> {
        let (scheme, rest) = iri.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let host = &iri[..scheme.len() + "://".len() + authority.len()];
        if let Some(known) = self.domains.get(host) {
            return known.clone();
        }
        let domain = Uri::parse_stored(host).ok().map(|uri| Arc::from(uri.pld().as_str()));
        self.domains.insert(host.to_owned(), domain.clone());
        domain
    }
}

#[cfg(test)]
mod tests {
    use super::ReaderMemory;

    #[test]
    fn the_domain_of_an_iri_is_that_of_its_host() {
        let mut memory = ReaderMemory::default();
        for (iri, expected) in [
            ("http://data.h7.example/a#b", Some("h7.example")),
            ("http://data.h7.example?q", Some("h7.example")),
            ("https://x.example.co.uk:8443/", Some("example.co.uk")),
            ("urn:isbn:1", None),
            ("ftp://a.example/", None),
        ] {
            for _ in 0..2 {
                assert_eq!(memory.domain(iri).as_deref(), expected, "{iri}");
            }
        }
    }
}
