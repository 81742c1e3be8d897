//! What the archive says about an entity: labels, types, statements with their sources, links to it, coordinates.

mod coordinates;
mod labels;
mod neighbours;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use lodeward_archive::{Archive, ArchiveError, Collection, IncomingBounds, NodeReader, Snapshot};
use oxrdf::vocab::rdf;
use oxrdf::{GraphName, NamedNode, NamedNodeRef, Term, TermRef};

pub use coordinates::Coordinates;
pub use neighbours::{EntityNeighbourhood, NeighbourEdge, read_neighbours};

use labels::LabelReader;

/// The maximum number of statements that are read of an entity.
const MAX_STATEMENTS: usize = 50_000;

/// The maximum number of source documents that a statement names.
const MAX_SOURCES: usize = 10;

/// The maximum number of links to an entity that are counted per property, and of properties.
const MAX_INCOMING: IncomingBounds =
    IncomingBounds { max_per_predicate: 1_000, max_predicates: 200, skipped_predicate: None };

/// How an entity is read.
#[derive(Clone, Copy, Debug)]
pub struct EntityOptions<'a> {
    /// The preferred language of labels.
    pub language: &'a str,
    /// Maximum number of values per property.
    pub max_values: usize,
    /// Only statements in documents of this crawl.
    pub crawl: Option<u32>,
}

/// An entity of the archive.
#[derive(Clone, Debug, PartialEq)]
pub struct ArchivedEntity {
    /// Its IRI.
    pub iri: String,
    /// Its label.
    pub label: Option<String>,
    /// Its types.
    pub types: Vec<LabelledTerm>,
    /// Its properties with their values, by IRI, without `rdf:type`.
    pub properties: Vec<EntityProperty>,
    /// Number of statements that were read.
    pub statements: u64,
    /// Whether it has more statements than were read.
    pub is_cut: bool,
    /// Links to it, by property, the most frequent first.
    pub incoming: Vec<IncomingCount>,
    /// Where it is.
    pub coordinates: Option<Coordinates>,
}

/// A term and its label, if it is an IRI with one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledTerm {
    /// The term.
    pub term: Term,
    /// Its label.
    pub label: Option<String>,
}

/// A property of an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityProperty {
    /// The property.
    pub property: LabelledTerm,
    /// Number of different values.
    pub total: u64,
    /// The first values.
    pub values: Vec<EntityValue>,
}

/// A value of a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityValue {
    /// The value.
    pub value: LabelledTerm,
    /// Graphs with the statement: documents, mostly. At most ten.
    pub sources: Vec<String>,
    /// Number of graphs with the statement.
    pub source_count: u64,
}

/// The links to an entity with one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingCount {
    /// The property.
    pub property: LabelledTerm,
    /// Number of subjects.
    pub count: u64,
    /// Whether there are more subjects than were counted.
    pub is_cut: bool,
}

/// A subject that links to an entity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncomingLink {
    /// The subject.
    pub subject: LabelledTerm,
    /// A graph with the statement.
    pub source: String,
}

/// Reads an entity; `None` if the archive has no statement about it or with it as object. Blocks.
pub fn read_entity(
    archive: &Archive,
    iri: NamedNodeRef<'_>,
    options: EntityOptions<'_>,
) -> Result<Option<ArchivedEntity>, ArchiveError> {
    let snapshot = archive.snapshot();
    let labels = LabelReader::new(&snapshot, options.language);
    let (statements, count, is_cut) = read_statements(&snapshot, iri, options.crawl)?;
    let incoming = count_incoming(&snapshot, iri, &labels)?;
    if count == 0 && incoming.is_empty() {
        return Ok(None);
    }
    let (mut types, mut properties) = (Vec::new(), Vec::new());
    for (property, values) in &statements {
        if property.as_ref() == rdf::TYPE {
            for (value, _) in values.iter().take(options.max_values) {
                types.push(labels.with_label(value.clone())?);
            }
            continue;
        }
        let mut listed = Vec::new();
        for (value, graphs) in values.iter().take(options.max_values) {
            let sources = graphs.iter().take(MAX_SOURCES).map(graph_text).collect();
            let value = labels.with_label(value.clone())?;
            listed.push(EntityValue { value, sources, source_count: graphs.len() as u64 });
        }
        let property = labels.with_label(property.clone().into())?;
        properties.push(EntityProperty { property, total: values.len() as u64, values: listed });
    }
    Ok(Some(ArchivedEntity {
        iri: iri.as_str().to_owned(),
        label: labels.find(iri)?,
        types,
        coordinates: Coordinates::from_statements(&statements),
        properties,
        statements: count,
        is_cut,
        incoming,
    }))
}

/// The subjects that link to an entity with a property, at most `max` of them. Blocks.
pub fn read_incoming(
    archive: &Archive,
    iri: NamedNodeRef<'_>,
    property: NamedNodeRef<'_>,
    language: &str,
    max: usize,
) -> Result<Vec<IncomingLink>, ArchiveError> {
    let snapshot = archive.snapshot();
    let labels = LabelReader::new(&snapshot, language);
    let mut found: Vec<IncomingLink> = Vec::new();
    for quad in snapshot.quads(None, Some(property), Some(TermRef::NamedNode(iri)), None) {
        let quad = quad?;
        let subject = Term::from(quad.subject);
        if found.iter().any(|link| link.subject.term == subject) {
            continue;
        }
        let link = IncomingLink { subject: labels.with_label(subject)?, source: graph_text(&quad.graph_name) };
        found.push(link);
        if found.len() == max {
            break;
        }
    }
    Ok(found)
}

/// The crawls among `crawls` that have a statement about an entity. Blocks.
pub fn crawls_with(archive: &Archive, iri: NamedNodeRef<'_>, crawls: &[u32]) -> Result<Vec<u32>, ArchiveError> {
    let snapshot = archive.snapshot();
    let Some(number) = snapshot.term_number(iri.into())? else { return Ok(Vec::new()) };
    let mut graphs = Vec::new();
    for quad in snapshot.numbered_quads(number).take(MAX_STATEMENTS) {
        let [graph, ..] = quad?;
        if graphs.last() != Some(&graph) {
            graphs.push(graph);
        }
    }
    graphs.sort_unstable();
    graphs.dedup();
    let mut found = Vec::new();
    for crawl in crawls {
        for graph in &graphs {
            if snapshot.is_in_collection(*graph, Collection(*crawl))? {
                found.push(*crawl);
                break;
            }
        }
    }
    Ok(found)
}

/// The values of each property, and the graphs with each statement.
type StatementsByProperty = BTreeMap<NamedNode, Vec<(Term, Vec<GraphName>)>>;

fn read_statements(
    snapshot: &Snapshot,
    iri: NamedNodeRef<'_>,
    crawl: Option<u32>,
) -> Result<(StatementsByProperty, u64, bool), ArchiveError> {
    let mut found: BTreeMap<NamedNode, HashMap<Term, Vec<GraphName>>> = BTreeMap::new();
    let (mut count, mut read) = (0, 0);
    for quad in snapshot.quads(Some(iri.into()), None, None, None) {
        let quad = quad?;
        read += 1;
        if read > MAX_STATEMENTS {
            break;
        }
        if !is_selected(snapshot, &quad.graph_name, crawl)? {
            continue;
        }
        let graphs = found.entry(quad.predicate).or_default().entry(quad.object).or_default();
        count += u64::from(graphs.is_empty());
        graphs.push(quad.graph_name);
    }
    let sorted = |values: HashMap<Term, Vec<GraphName>>| {
        let mut values: Vec<_> = values.into_iter().collect();
        for (_, graphs) in &mut values {
            graphs.sort_by_key(graph_text);
        }
        values.sort_by_cached_key(|(value, _)| value.to_string());
        values
    };
    let statements = found.into_iter().map(|(property, values)| (property, sorted(values))).collect();
    Ok((statements, count, read > MAX_STATEMENTS))
}

fn is_selected(snapshot: &Snapshot, graph: &GraphName, crawl: Option<u32>) -> Result<bool, ArchiveError> {
    let Some(crawl) = crawl else { return Ok(true) };
    let term = match graph {
        GraphName::NamedNode(name) => TermRef::NamedNode(name.as_ref()),
        GraphName::BlankNode(name) => TermRef::BlankNode(name.as_ref()),
        GraphName::DefaultGraph => return Ok(false),
    };
    match snapshot.term_number(term)? {
        Some(number) => snapshot.is_in_collection(number, Collection(crawl)),
        None => Ok(false),
    }
}

fn count_incoming(
    snapshot: &Snapshot,
    iri: NamedNodeRef<'_>,
    labels: &LabelReader<'_>,
) -> Result<Vec<IncomingCount>, ArchiveError> {
    let Some(number) = snapshot.term_number(iri.into())? else { return Ok(Vec::new()) };
    let incoming = NodeReader::new(snapshot).incoming(number, &MAX_INCOMING)?;
    let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
    for [_, predicate] in &incoming.statements {
        *counts.entry(*predicate).or_default() += 1;
    }
    let mut found = Vec::new();
    for (predicate, count) in counts {
        let property = labels.with_label(snapshot.numbered_term(predicate)?)?;
        found.push(IncomingCount { property, count, is_cut: incoming.cut_predicates.contains(&predicate) });
    }
    found.sort_by_key(|link| Reverse(link.count));
    Ok(found)
}

/// The name of a graph; empty for the default graph.
fn graph_text(graph: &GraphName) -> String {
    match graph {
        GraphName::NamedNode(name) => name.as_str().to_owned(),
        GraphName::BlankNode(name) => name.to_string(),
        GraphName::DefaultGraph => String::new(),
    }
}

#[cfg(test)]
mod tests;
