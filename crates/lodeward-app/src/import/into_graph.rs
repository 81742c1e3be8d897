//! Replaces a graph of the archive with a document.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use lodeward::extract::{DocumentReader, ExtractOptions, ExtractSink, Extractor as _};
use lodeward::fetch::{Representation, ResponseBody};
use lodeward::model::{Fault, FaultKind, Link, Uri};
use lodeward_archive::{Archive, ArchiveError, GraphReplacement};
use oxrdf::vocab::rdf;
use oxrdf::{NamedNode, QuadRef, TermRef, TripleRef};
use xxhash_rust::xxh3::xxh3_128;

/// A document cannot replace a graph. Nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GraphImportError {
    /// A part of the data cannot be parsed.
    #[error("cannot parse the data: {0}")]
    Fault(Fault),
    /// The data has too many statements.
    #[error("the data has more than {MAX_STATEMENTS} statements")]
    TooLarge,
    /// The data has no statements.
    #[error("the data has no statements in a known RDF format")]
    Empty,
    /// The archive cannot be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
}

/// The maximum number of statements of an import.
const MAX_STATEMENTS: u64 = 2_000_000;

/// The maximum number of classes collected from an import.
const MAX_TYPES: usize = 1_000;

/// The maximum number of values of a property for a template.
const MAX_VALUES: usize = 1_000;

/// The maximum length of a value for a template.
const MAX_VALUE_BYTES: usize = 200;

/// Facts about the statements of an import.
#[derive(Debug, Default)]
pub struct ImportContent {
    /// Number of statements.
    pub statements: u64,
    /// Digest of the statements, independent of their order.
    pub digest: u128,
    /// Classes of the described entities.
    pub types: BTreeSet<String>,
    /// Values of the properties that rules insert into templates.
    pub values: BTreeMap<String, BTreeSet<String>>,
}

/// Data to import.
pub struct ImportPayload<'a> {
    /// Base IRI of relative references.
    pub base: Uri,
    /// `Content-Type` of the request.
    pub content_type: Option<String>,
    /// The data.
    pub body: &'a Bytes,
    /// Maximum size of the unpacked data, in bytes.
    pub max_unpacked_bytes: u64,
}

/// Replaces the contents of a graph with the data, durably. If any part cannot be parsed,
/// nothing changes. Blocks.
pub fn import_into_graph(
    archive: &Archive,
    graph: &NamedNode,
    payload: ImportPayload<'_>,
    properties: &BTreeSet<&str>,
) -> Result<ImportContent, GraphImportError> {
    // Other transactions can write while the data is parsed, unless the data is large.
    let mut sink = ImportSink {
        replacement: archive.replace_graph(graph.clone()),
        properties,
        content: ImportContent::default(),
        fault: None,
        failure: None,
    };
    let options = ExtractOptions {
        max_dump_bytes: payload.max_unpacked_bytes,
        max_bytes_without_rdf: payload.max_unpacked_bytes,
        max_links_per_document: 0,
        max_syntax_errors: 1,
        ..ExtractOptions::default()
    };
    let body = ResponseBody::Buffered { bytes: payload.body.clone(), truncation: None };
    let representation = Representation::new(payload.base, payload.content_type, body);
    DocumentReader::new(options).extract(representation, &mut sink);
    let ImportSink { replacement, content, fault, failure, .. } = sink;
    if let Some(error) = failure {
        return Err(error.into());
    }
    if let Some(fault) = fault {
        return Err(GraphImportError::Fault(fault));
    }
    match content.statements {
        0 => return Err(GraphImportError::Empty),
        statements if statements > MAX_STATEMENTS => return Err(GraphImportError::TooLarge),
        _ => {}
    }
    replacement.finish()?;
    Ok(content)
}

/// Removes graphs, durably. Blocks.
pub fn remove_graphs(archive: &Archive, graphs: &[NamedNode]) -> Result<(), ArchiveError> {
    let mut transaction = archive.begin();
    for graph in graphs {
        transaction.drop_graph(graph.as_ref().into())?;
    }
    transaction.commit()?;
    archive.sync()
}

struct ImportSink<'a> {
    replacement: GraphReplacement<'a>,
    properties: &'a BTreeSet<&'a str>,
    content: ImportContent,
    fault: Option<Fault>,
    failure: Option<ArchiveError>,
}

impl ImportSink<'_> {
    fn record_quad(&mut self, quad: QuadRef<'_>) {
        let content = &mut self.content;
        // The sum of the hashes does not depend on the order of the statements.
        let statement = TripleRef::from(quad).to_string();
        content.digest = content.digest.wrapping_add(xxh3_128(statement.as_bytes()));
        if quad.predicate == rdf::TYPE
            && let TermRef::NamedNode(class) = quad.object
            && content.types.len() < MAX_TYPES
        {
            content.types.insert(class.as_str().to_owned());
        }
        let value = match quad.object {
            TermRef::NamedNode(value) => value.as_str(),
            TermRef::Literal(literal) => literal.value().trim(),
            TermRef::BlankNode(_) => return,
        };
        if self.properties.contains(quad.predicate.as_str()) && (1..=MAX_VALUE_BYTES).contains(&value.len()) {
            let values = content.values.entry(quad.predicate.as_str().to_owned()).or_default();
            if values.len() < MAX_VALUES {
                values.insert(value.to_owned());
            }
        }
    }
}

impl ExtractSink for ImportSink<'_> {
    fn quad(&mut self, quad: QuadRef<'_>) {
        self.content.statements += 1;
        if self.content.statements > MAX_STATEMENTS || self.fault.is_some() || self.failure.is_some() {
            return;
        }
        self.record_quad(quad);
        if let Err(error) = self.replacement.add(quad.into()) {
            self.failure = Some(error);
        }
    }

    fn link(&mut self, _: Link) {}

    fn fault(&mut self, fault: Fault) {
        // Links are not collected (the limit is 0), so exceeding this limit is not an error.
        let is_of_links = fault.kind == FaultKind::Limit && fault.detail.ends_with(" links");
        if !is_of_links && self.fault.is_none() {
            self.fault = Some(fault);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_transactions_can_write_while_an_import_is_parsed() {
        let dir = tempfile::tempdir().unwrap();
        let archive = Archive::open(dir.path(), &lodeward_archive::Options::default()).unwrap();
        let graph = NamedNode::new_unchecked("urn:lodeward:import/a");
        let body = Bytes::from_static(b"<http://a.example/> a <http://a.example/A> , .");
        let payload = ImportPayload {
            base: Uri::parse("http://a.example/").unwrap(),
            content_type: Some("text/turtle".into()),
            body: &body,
            max_unpacked_bytes: 1 << 20,
        };
        let writing = archive.begin();

        // The data has a syntax error, so the import fails before it waits for the lock.
        let rejected = import_into_graph(&archive, &graph, payload, &BTreeSet::new()).unwrap_err();

        assert!(matches!(rejected, GraphImportError::Fault(_)), "{rejected}");
        drop(writing);
        assert_eq!(archive.snapshot().named_graphs().count(), 0);
    }
}
