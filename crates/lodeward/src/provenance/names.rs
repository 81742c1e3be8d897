//! What graphs and things are called that a crawl makes itself.

use oxrdf::NamedNode;

use crate::model::Uri;

/// The namespace of our own terms, used where no public vocabulary has one.
/// `docs/provenance.md` lists them.
pub const NAMESPACE: &str = "https://lodeward.example/ns#";

/// The name of the graph of a document: its address, as an IRI.
#[must_use]
pub fn graph_of(document: &Uri) -> NamedNode {
    NamedNode::new_unchecked(lodeward_markup::escape_iri(document.as_str()).into_owned())
}

/// Names for what a crawl makes itself: all begin with a base of the user's
/// choice and the number of the crawl, and follow from nothing else, so that
/// the same crawl makes the same names again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    crawl: String,
}

impl Names {
    /// Names that begin with `base`, an absolute IRI that ends where a name can
    /// go on: `urn:lodeward:`, `https://data.example.org/`.
    #[must_use]
    pub fn new(base: &str, crawl: u32) -> Self {
        Self { crawl: format!("{base}crawl/{crawl}") }
    }

    /// The crawl itself, as a set of data; also the name of the graph that it is
    /// exported to.
    #[must_use]
    pub fn crawl(&self) -> NamedNode {
        NamedNode::new_unchecked(self.crawl.as_str())
    }

    /// The graph with the description of the crawl.
    #[must_use]
    pub fn description_graph(&self) -> NamedNode {
        NamedNode::new_unchecked(format!("{}/description", self.crawl))
    }

    /// The graph of where a document comes from.
    #[must_use]
    pub fn provenance_graph(&self, document: &Uri) -> NamedNode {
        NamedNode::new_unchecked(format!("{}/provenance/{:032x}", self.crawl, document.fingerprint()))
    }

    /// Whether a graph was made by this crawl, rather than harvested: what it was
    /// exported to, its description, where a document comes from.
    #[must_use]
    pub fn is_made(&self, graph: &str) -> bool {
        let rest = graph.strip_prefix(self.crawl.as_str());
        rest.is_some_and(|rest| rest.is_empty() || rest == "/description" || rest.starts_with("/provenance/"))
    }

    /// Something within the description of the crawl.
    #[must_use]
    pub fn part(&self, kind: &str, of: &str) -> NamedNode {
        let hash = xxhash_rust::xxh3::xxh3_64(of.as_bytes());
        NamedNode::new_unchecked(format!("{}/{kind}/{hash:016x}", self.crawl))
    }
}
