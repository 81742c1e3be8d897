//! The neighbourhood of an entity as a small graph: the rarest properties first.

use std::collections::{BTreeMap, HashMap};

use lodeward_archive::{Archive, ArchiveError, NodeReader};
use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, NamedNodeRef, Term};

use super::labels::LabelReader;
use super::{MAX_INCOMING, read_statements};

/// The maximum number of properties, in both directions.
const MAX_PROPERTIES: usize = 8;

/// The neighbourhood of an entity.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntityNeighbourhood {
    /// The nodes with their labels; the entity is the first.
    pub nodes: Vec<(String, Option<String>)>,
    /// The edges, between positions of nodes.
    pub edges: Vec<NeighbourEdge>,
    /// Number of neighbours that are left out.
    pub omitted: u64,
}

/// A statement between two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NeighbourEdge {
    /// Position of the subject.
    pub from: usize,
    /// Position of the object.
    pub to: usize,
    /// IRI of the property.
    pub property: String,
}

/// Reads the neighbours of an entity, at most `max_nodes` with it. Properties with the fewest neighbours come first, so
/// that a property with thousands hides no other. Blocks.
pub fn read_neighbours(
    archive: &Archive,
    iri: NamedNodeRef<'_>,
    language: &str,
    max_nodes: usize,
) -> Result<EntityNeighbourhood, ArchiveError> {
    let snapshot = archive.snapshot();
    let labels = LabelReader::new(&snapshot, language);
    // By property and direction.
    let mut groups: BTreeMap<(NamedNode, bool), Vec<NamedNode>> = BTreeMap::new();
    let (statements, ..) = read_statements(&snapshot, iri, None)?;
    for (property, values) in statements.into_iter().filter(|(property, _)| property.as_ref() != rdf::TYPE) {
        let nodes = values.into_iter().filter_map(|(value, _)| named(value));
        groups.entry((property, true)).or_default().extend(nodes);
    }
    if let Some(number) = snapshot.term_number(iri.into())? {
        for [subject, predicate] in NodeReader::new(&snapshot).incoming(number, &MAX_INCOMING)?.statements {
            let (subject, predicate) = (snapshot.numbered_term(subject)?, snapshot.numbered_term(predicate)?);
            if let (Some(subject), Some(predicate)) = (named(subject), named(predicate)) {
                groups.entry((predicate, false)).or_default().push(subject);
            }
        }
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|(_, nodes)| !nodes.is_empty()).collect();
    groups.sort_by_key(|(_, nodes)| nodes.len());
    let total: usize = groups.iter().map(|(_, nodes)| nodes.len()).sum();
    let mut graph = EntityNeighbourhood::default();
    let mut positions: HashMap<String, usize> = HashMap::from([(iri.as_str().to_owned(), 0)]);
    graph.nodes.push((iri.as_str().to_owned(), labels.find(iri)?));
    for ((property, is_outgoing), nodes) in groups.into_iter().take(MAX_PROPERTIES) {
        for node in nodes {
            let position = match positions.get(node.as_str()) {
                Some(position) => *position,
                None if graph.nodes.len() >= max_nodes => continue,
                None => {
                    graph.nodes.push((node.as_str().to_owned(), labels.find(node.as_ref())?));
                    positions.insert(node.into_string(), graph.nodes.len() - 1);
                    graph.nodes.len() - 1
                }
            };
            let (from, to) = if is_outgoing { (0, position) } else { (position, 0) };
            graph.edges.push(NeighbourEdge { from, to, property: property.as_str().to_owned() });
        }
    }
    graph.omitted = total.saturating_sub(graph.edges.len()) as u64;
    Ok(graph)
}

fn named(term: Term) -> Option<NamedNode> {
    match term {
        Term::NamedNode(node) => Some(node),
        _ => None,
    }
}
