//! Classes, properties and graphs of the archive with their numbers, for completion while a query is written.

use std::cmp::Reverse;
use std::collections::HashMap;

use lodeward_archive::{Archive, ArchiveError};
use oxrdf::vocab::rdf;
use oxrdf::{GraphName, NamedOrBlankNode, Term};
use serde::{Deserialize, Serialize};

use crate::prefixes::{expand_name, shorten};

/// The maximum number of graphs that are counted. An archive of documents has a graph for each.
const MAX_GRAPHS: usize = 100_000;

/// The kind of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TermKind {
    /// A class: the object of `rdf:type`.
    Class,
    /// A property.
    Property,
    /// A named graph.
    Graph,
}

/// A term of the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TermCount {
    /// The IRI.
    pub iri: String,
    /// A name with a usual prefix, if there is one: `dbo:Building`.
    pub name: Option<String>,
    /// Number of statements: with this class or property, or in this graph.
    pub count: u64,
}

/// The terms of an archive, the most frequent first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TermTable {
    classes: Vec<TermCount>,
    properties: Vec<TermCount>,
    graphs: Vec<TermCount>,
}

impl TermTable {
    /// Reads the terms of an archive. Reads all types, and the names of all graphs. Blocks.
    pub fn read(archive: &Archive) -> Result<Self, ArchiveError> {
        let snapshot = archive.snapshot();
        let mut classes: HashMap<String, u64> = HashMap::new();
        for quad in snapshot.quads(None, Some(rdf::TYPE), None, None) {
            if let Term::NamedNode(class) = quad?.object {
                *classes.entry(class.into_string()).or_default() += 1;
            }
        }
        let mut properties = HashMap::new();
        for property in snapshot.predicates() {
            let (property, count) = property?;
            properties.insert(property.into_string(), count);
        }
        let mut graphs = HashMap::new();
        for graph in snapshot.named_graphs().take(MAX_GRAPHS) {
            if let NamedOrBlankNode::NamedNode(graph) = graph? {
                let count = snapshot.graph_len(GraphName::NamedNode(graph.clone()).as_ref())?;
                graphs.insert(graph.into_string(), count);
            }
        }
        Ok(Self { classes: sorted(classes), properties: sorted(properties), graphs: sorted(graphs) })
    }

    /// The terms of a kind whose IRI or short name contains a text, at most `max` of them, and the number of all. Those
    /// whose name begins with the text are first.
    #[must_use]
    pub fn find(&self, kind: TermKind, text: &str, max: usize) -> (Vec<&TermCount>, usize) {
        let terms = match kind {
            TermKind::Class => &self.classes,
            TermKind::Property => &self.properties,
            TermKind::Graph => &self.graphs,
        };
        let (text, expanded) = (text.to_lowercase(), expand_name(text).map(|iri| iri.to_lowercase()));
        let mut found: Vec<(u8, &TermCount)> =
            terms.iter().filter_map(|term| Some((rank(term, &text, expanded.as_deref())?, term))).collect();
        // Stable, so that the most frequent terms stay first.
        found.sort_by_key(|(rank, _)| *rank);
        let total = found.len();
        (found.into_iter().take(max).map(|(_, term)| term).collect(), total)
    }
}

/// How well a term matches a text; smaller is better. `None` if it does not match.
fn rank(term: &TermCount, text: &str, expanded: Option<&str>) -> Option<u8> {
    let iri = term.iri.to_lowercase();
    let local = &iri[iri.rfind(['/', '#', ':']).map_or(0, |end| end + 1)..];
    if local.starts_with(text) || expanded.is_some_and(|expanded| iri.starts_with(expanded)) {
        return Some(0);
    }
    let is_in_name = term.name.as_ref().is_some_and(|name| name.to_lowercase().contains(text));
    (is_in_name || iri.contains(text)).then_some(1)
}

fn sorted(counts: HashMap<String, u64>) -> Vec<TermCount> {
    let term = |(iri, count): (String, u64)| TermCount { name: shorten(&iri), iri, count };
    let mut terms: Vec<TermCount> = counts.into_iter().map(term).collect();
    terms.sort_by(|one, other| (Reverse(one.count), &one.iri).cmp(&(Reverse(other.count), &other.iri)));
    terms
}

#[cfg(test)]
mod tests {
    use lodeward_archive::Options;
    use oxrdf::{NamedNode, Quad};

    use super::*;

    #[test]
    fn terms_are_counted_and_found_by_text() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), &Options::default()).unwrap();
        let node = |name: &str| NamedNode::new_unchecked(name);
        let graph = node("urn:lodeward:crawl/3");
        let mut transaction = archive.begin();
        for (number, class) in [(1, "Building"), (2, "Building"), (3, "Place")] {
            let subject = node(&format!("http://e.example/{number}"));
            let class = node(&format!("http://dbpedia.org/ontology/{class}"));
            transaction.insert(Quad::new(subject.clone(), rdf::TYPE, class, graph.clone()).as_ref()).unwrap();
        }
        transaction.commit().unwrap();

        let terms = TermTable::read(&archive).unwrap();

        let names = |kind, text: &str| -> Vec<(String, u64)> {
            let (found, _) = terms.find(kind, text, 10);
            found.into_iter().map(|term| (term.name.clone().unwrap_or_else(|| term.iri.clone()), term.count)).collect()
        };
        let (building, place) = (("dbo:Building".to_owned(), 2), ("dbo:Place".to_owned(), 1));
        assert_eq!(names(TermKind::Class, ""), [building.clone(), place.clone()]);
        assert_eq!(names(TermKind::Class, "dbo:Bui"), std::slice::from_ref(&building));
        assert_eq!(names(TermKind::Class, "lace"), [place]);
        assert_eq!(names(TermKind::Property, "type"), [("rdf:type".to_owned(), 3)]);
        assert_eq!(names(TermKind::Graph, "crawl/"), [("lodeward:crawl/3".to_owned(), 3)]);
        assert_eq!(terms.find(TermKind::Class, "", 1).1, 2);
    }
}
