//! Exports a crawl to the archive, as one named graph.
//!
//! The graph is a copy of the segments at the time of the export. For a focused crawl it contains
//! the statements about its candidates and its seeds, for any other crawl all statements. It
//! replaces the previous export in one transaction. It belongs to no collection, so rebuilding the archive does
//! not remove it.

use std::collections::HashSet;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_archive::{Archive, ArchiveError, GraphReplacement};
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Quad, Term, TripleRef};
use oxttl::NQuadsParser;
use serde::{Deserialize, Serialize};
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use crate::data_dir::{DataDir, DataDirError};
use crate::provenance::GraphNames;
use crate::review::{CandidateError, CandidatePage, CandidateQuery, MarkFile, MarkKind, candidates_with};
use crate::settings::Config;
use lodeward::model::Uri;
use lodeward::store::segments::SegmentStore;
use lodeward::store::{DocumentRouter, StoreError};

/// The name of the file that stores the record of an export.
const EXPORT_FILE: &str = "export.json";

/// Maximum number of bytes of a document held in memory; the rest is written to disk.
const MAX_BUFFERED_BYTES: usize = 4 << 20;

/// Maximum number of times a document is read. It is read again if the statements of a blank node
/// precede the statement that refers to the node.
const MAX_PASSES: usize = 8;

/// A crawl cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The candidates of the crawl cannot be read.
    #[error(transparent)]
    Candidates(#[from] CandidateError),
    /// The crawl has candidates, but none is selected.
    #[error("no candidate of the crawl matches the filter")]
    NoCandidates,
    /// The harvest of the crawl cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// The record of the export cannot be read or written.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
}

/// Which part of a crawl is exported.
#[derive(Clone, Copy, Debug)]
pub enum ExportPart<'a> {
    /// The whole harvest.
    Harvest,
    /// The statements about these candidates and about the seeds that are not dropped, and about the
    /// blank nodes that these statements refer to.
    Candidates(CandidateQuery<'a>),
}

/// The record of an export, stored with the crawl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphExport {
    /// The name of the graph.
    pub graph: String,
    /// The time of the export, in milliseconds since the Unix epoch.
    pub exported_at_ms: u64,
    /// The number of exported candidates, if candidates were exported.
    pub candidates: Option<u64>,
    /// The number of exported seeds that are not among these candidates, if candidates were exported.
    #[serde(default)]
    pub seeds: Option<u64>,
    /// The number of documents with exported statements.
    pub documents: u64,
    /// The number of statements of the graph.
    pub statements: u64,
}

/// The last export of a crawl, if there is one.
pub fn last_export(data_dir: &DataDir, crawl: u32) -> Result<Option<GraphExport>, DataDirError> {
    data_dir.crawl(crawl).read_json(EXPORT_FILE)
}

/// A crawl that can be exported.
pub struct ExportSource<'a> {
    /// The settings of the crawl.
    pub config: &'a Config,
    /// The data directory of the crawl.
    pub data_dir: &'a DataDir,
    /// The number of the crawl.
    pub crawl: u32,
    /// The harvest of the crawl.
    pub segments: &'a Arc<SegmentStore>,
}

/// Replaces the graph of a crawl in the archive, in one transaction that survives a power
/// cut. Blocks.
pub fn export_crawl(
    source: &ExportSource<'_>,
    archive: &Archive,
    part: ExportPart<'_>,
    now_ms: u64,
) -> Result<GraphExport, ExportError> {
    let graph = crawl_graph(source.config, source.crawl);
    let directory = source.data_dir.crawl(source.crawl).into_path();
    let selected = match part {
        ExportPart::Harvest => None,
        ExportPart::Candidates(query) => Some(ExportedEntities::read(source, &directory, &query)?),
    };
    let (candidates, seeds) = selected.as_ref().map(|selected| (selected.candidates, selected.seeds)).unzip();
    let entities = selected.map(|selected| selected.names);
    let documents = copy_statements(source.segments, entities, archive.replace_graph(graph.clone()), directory)?;
    let statements = archive.snapshot().graph_len(graph.as_ref().into())?;
    let previous = last_export(source.data_dir, source.crawl)?;
    let graph = graph.into_string();
    let exported = GraphExport { graph, exported_at_ms: now_ms, candidates, seeds, documents, statements };
    source.data_dir.crawl(source.crawl).write_json(EXPORT_FILE, &exported)?;
    if let Some(previous) = previous.filter(|previous| previous.graph != exported.graph) {
        // The base IRI has changed since the last export, so the graph has another name.
        drop_graph(archive, &NamedNode::new_unchecked(previous.graph))?;
    }
    Ok(exported)
}

/// The entities whose statements are exported.
struct ExportedEntities {
    names: HashSet<String>,
    candidates: u64,
    /// Seeds that are not among the candidates.
    seeds: u64,
}

impl ExportedEntities {
    /// The selected candidates, and the seeds of the ranking that are not dropped.
    fn read(source: &ExportSource<'_>, directory: &Path, query: &CandidateQuery<'_>) -> Result<Self, ExportError> {
        let CandidatePage { header, candidates: found, .. } =
            candidates_with(directory, query, || Ok(Arc::clone(source.segments)))?;
        // An empty selection must not silently delete the last export.
        if found.is_empty() && header.listed > 0 {
            return Err(ExportError::NoCandidates);
        }
        let mut names: HashSet<String> = found.into_iter().map(|candidate| candidate.row.entity).collect();
        let candidates = names.len() as u64;
        let marks = MarkFile::open(directory).map_err(CandidateError::from)?;
        let is_dropped = |seed: &str| marks.get(seed).is_some_and(|record| record.mark == MarkKind::Drop);
        let seeds = header.seeds.seeds.into_iter().map(|seed| seed.name);
        names.extend(seeds.filter(|seed| !is_dropped(seed)));
        Ok(Self { candidates, seeds: names.len() as u64 - candidates, names })
    }
}

/// Removes the export of a crawl from the archive. Returns whether there was one.
pub fn remove_export(config: &Config, data_dir: &DataDir, archive: &Archive, crawl: u32) -> Result<bool, ExportError> {
    let graph = match last_export(data_dir, crawl)? {
        Some(exported) => NamedNode::new_unchecked(exported.graph),
        None => crawl_graph(config, crawl),
    };
    let existed = drop_graph(archive, &graph)?;
    // The record is removed last, so that an interrupted removal can be repeated.
    data_dir.crawl(crawl).remove_json(EXPORT_FILE)?;
    Ok(existed)
}

/// The graph that a crawl is exported to.
fn crawl_graph(config: &Config, crawl: u32) -> NamedNode {
    GraphNames::new(&config.store.graph_base_iri, crawl).crawl()
}

fn drop_graph(archive: &Archive, graph: &NamedNode) -> Result<bool, ArchiveError> {
    let mut transaction = archive.begin();
    let existed = transaction.contains_named_graph(graph.as_ref().into())?;
    transaction.drop_graph(graph.as_ref().into())?;
    transaction.commit()?;
    archive.sync()?;
    Ok(existed)
}

/// Copies the statements of a harvest, or those about these entities. Returns the number of
/// documents with such statements.
fn copy_statements(
    segments: &SegmentStore,
    entities: Option<HashSet<String>>,
    into: GraphReplacement<'_>,
    directory: PathBuf,
) -> Result<u64, ExportError> {
    let document = spool(&directory);
    let mut sink = ExportSink { entities, document, into, directory, documents: 0, failure: None };
    let read = segments.export_by_document(&mut sink).and_then(|_| sink.end_document().map_err(StoreError::Export));
    if let Some(failure) = sink.failure {
        return Err(failure.into());
    }
    read?;
    sink.into.finish()?;
    Ok(sink.documents)
}

/// Creates a temporary file in the directory of the crawl, whose disk has space for a document.
fn spool(directory: &Path) -> SpooledTempFile {
    spooled_tempfile_in(MAX_BUFFERED_BYTES, directory)
}

/// Receives a harvest document by document.
struct ExportSink<'a> {
    /// The entities whose statements are exported; `None` for all.
    entities: Option<HashSet<String>>,
    /// The statements of the current document, as N-Quads.
    document: SpooledTempFile,
    into: GraphReplacement<'a>,
    directory: PathBuf,
    documents: u64,
    /// An error of the archive, kept here because a sink can return only I/O errors.
    failure: Option<ArchiveError>,
}

impl DocumentRouter for ExportSink<'_> {
    fn start_document(&mut self, _: &Uri) -> io::Result<bool> {
        self.end_document()?;
        Ok(true)
    }
}

impl Write for ExportSink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.document.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl ExportSink<'_> {
    /// Exports the selected statements of the document that has been received.
    fn end_document(&mut self) -> io::Result<()> {
        if self.document.stream_position()? == 0 {
            return Ok(());
        }
        let mut selection = DocumentSelection { entities: self.entities.take(), ..DocumentSelection::default() };
        let taken = self.export_document(&mut selection);
        self.entities = selection.entities;
        self.documents += u64::from(taken? > 0);
        if self.document.is_rolled() {
            self.document = spool(&self.directory);
        }
        self.document.seek(SeekFrom::Start(0))?;
        self.document.set_len(0)
    }

    fn export_document(&mut self, selection: &mut DocumentSelection) -> io::Result<u64> {
        let mut taken = 0;
        for _ in 0..MAX_PASSES {
            self.document.seek(SeekFrom::Start(0))?;
            let reader = io::BufReader::with_capacity(64 << 10, &mut self.document);
            for quad in NQuadsParser::new().for_reader(reader) {
                let quad = quad.map_err(io::Error::other)?;
                if selection.selects(&quad) {
                    taken += 1;
                    if let Err(error) = self.into.add(TripleRef::from(quad.as_ref())) {
                        self.failure = Some(error);
                        return Err(io::Error::other("writing to the archive failed"));
                    }
                }
            }
            if !selection.end_pass() {
                break;
            }
        }
        Ok(taken)
    }
}

/// Selects statements of a document.
#[derive(Default)]
struct DocumentSelection {
    entities: Option<HashSet<String>>,
    /// Blank nodes whose statements were exported, or are exported in this pass.
    known: HashSet<BlankNode>,
    /// Blank nodes that were found as objects in this pass.
    named: HashSet<BlankNode>,
    /// Blank nodes that were found in the previous pass.
    sought: HashSet<BlankNode>,
    is_later: bool,
}

impl DocumentSelection {
    fn selects(&mut self, quad: &Quad) -> bool {
        let Some(entities) = &self.entities else { return true };
        let is_selected = match &quad.subject {
            NamedOrBlankNode::NamedNode(subject) => !self.is_later && entities.contains(subject.as_str()),
            NamedOrBlankNode::BlankNode(subject) => self.sought.contains(subject) || self.named.contains(subject),
        };
        if let (true, Term::BlankNode(object)) = (is_selected, &quad.object)
            && self.known.insert(object.clone())
        {
            self.named.insert(object.clone());
        }
        is_selected
    }

    /// Ends a pass. Returns whether another pass may find more statements, because the statements
    /// of a blank node may precede the statement that refers to it. Duplicates are harmless,
    /// because the graph is a set.
    fn end_pass(&mut self) -> bool {
        self.is_later = true;
        self.sought = std::mem::take(&mut self.named);
        !self.sought.is_empty()
    }
}

#[cfg(test)]
#[path = "graph_export_tests.rs"]
mod tests;
