//! A crawl in the archive as one graph, where queries name it.
//!
//! The graph is a copy of what the segments hold at one moment: of a focused crawl
//! what is said about its candidates, of another one everything. It takes the place
//! of what was exported before, as a whole, and belongs to no collection, so that
//! making the archive anew leaves it alone.

use std::collections::HashSet;
use std::io::{self, Seek as _, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward_archive::{Archive, ArchiveError, Replacement};
use oxrdf::{BlankNode, NamedNode, NamedOrBlankNode, Quad, Term, TripleRef};
use oxttl::NQuadsParser;
use serde::{Deserialize, Serialize};
use tempfile::{SpooledTempFile, spooled_tempfile_in};

use super::candidates::{Candidates, CandidatesError, Wish, candidates_with};
use crate::config::Config;
use crate::model::Uri;
use crate::provenance::Names;
use crate::registry::{Registry, RegistryError};
use crate::store::segments::SegmentStore;
use crate::store::{Sorter, StoreError};

/// The file that tells of an export.
const FILE: &str = "exported.json";

/// Bytes of a document that are held in memory.
const HELD_BYTES_MAX: usize = 4 << 20;

/// How often a document is read again for blank nodes that were named after what
/// is said about them.
const PASSES_MAX: usize = 8;

/// A crawl cannot be exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// Its candidates cannot be had.
    #[error(transparent)]
    Candidates(#[from] CandidatesError),
    /// It has candidates, and none of them is wanted.
    #[error("none of its candidates is among those that are wanted")]
    Nobody,
    /// Its harvest cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The archive cannot be written.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// What is kept with the crawl cannot be read or written.
    #[error(transparent)]
    Registry(#[from] RegistryError),
}

/// Which part of a crawl is exported.
#[derive(Clone, Copy, Debug)]
pub enum Part<'a> {
    /// Everything that it has harvested.
    Harvest,
    /// What is said about these candidates, and about blank nodes that this names.
    Candidates(Wish<'a>),
}

/// What an export has put into the archive. Kept with the crawl.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exported {
    /// The name of the graph.
    pub graph: String,
    /// When, in milliseconds since the Unix epoch.
    pub exported_at_ms: u64,
    /// Candidates that were chosen, if the crawl has such.
    pub candidates: Option<u64>,
    /// Documents that had something to say.
    pub documents: u64,
    /// Statements of the graph.
    pub statements: u64,
}

/// The last export of a crawl, if there is one.
pub fn exported(registry: &Registry, crawl: u32) -> Result<Option<Exported>, RegistryError> {
    registry.kept(crawl, FILE)
}

/// A crawl that can be exported.
pub struct Source<'a> {
    /// Its settings.
    pub config: &'a Config,
    /// The data directory that it is in.
    pub registry: &'a Registry,
    /// Its number.
    pub crawl: u32,
    /// Its harvest.
    pub segments: &'a Arc<SegmentStore>,
}

/// Puts a crawl, or part of it, into the archive as its graph, in the place of what
/// was there: visible at once, and safe from a power cut. Belongs on a thread that
/// may block.
pub fn export_crawl(
    source: &Source<'_>,
    archive: &Archive,
    part: Part<'_>,
    now_ms: u64,
) -> Result<Exported, ExportError> {
    let graph = crawl_graph(source.config, source.crawl);
    let directory = source.registry.directory_of(source.crawl);
    let entities = match part {
        Part::Harvest => None,
        Part::Candidates(wish) => {
            let Candidates { heading, found, .. } =
                candidates_with(&directory, &wish, || Ok(Arc::clone(source.segments)))?;
            // What was exported before is not replaced by nothing, unseen.
            if found.is_empty() && heading.listed > 0 {
                return Err(ExportError::Nobody);
            }
            Some(found.into_iter().map(|candidate| candidate.row.entity).collect::<HashSet<String>>())
        }
    };
    let candidates = entities.as_ref().map(|entities| entities.len() as u64);
    let documents = copy(source.segments, entities, archive.replace_graph(graph.clone()), directory)?;
    let statements = archive.snapshot().graph_len(graph.as_ref().into())?;
    let before = exported(source.registry, source.crawl)?;
    let graph = graph.into_string();
    let exported = Exported { graph, exported_at_ms: now_ms, candidates, documents, statements };
    source.registry.keep(source.crawl, FILE, &exported)?;
    if let Some(before) = before.filter(|before| before.graph != exported.graph) {
        // It had another name once.
        drop_graph(archive, &NamedNode::new_unchecked(before.graph))?;
    }
    Ok(exported)
}

/// Takes what was exported of a crawl out of the archive. Tells whether there was
/// something.
pub fn remove_export(config: &Config, registry: &Registry, archive: &Archive, crawl: u32) -> Result<bool, ExportError> {
    let graph = match exported(registry, crawl)? {
        Some(exported) => NamedNode::new_unchecked(exported.graph),
        None => crawl_graph(config, crawl),
    };
    let existed = drop_graph(archive, &graph)?;
    // Last: cut short, it can be asked for again.
    registry.forget(crawl, FILE)?;
    Ok(existed)
}

/// The graph that a crawl is exported to.
fn crawl_graph(config: &Config, crawl: u32) -> NamedNode {
    Names::new(&config.store.base, crawl).crawl()
}

fn drop_graph(archive: &Archive, graph: &NamedNode) -> Result<bool, ArchiveError> {
    let mut transaction = archive.begin();
    let existed = transaction.contains_named_graph(graph.as_ref().into())?;
    transaction.drop_graph(graph.as_ref().into())?;
    transaction.commit()?;
    archive.sync()?;
    Ok(existed)
}

/// Copies a harvest, or what it says of these entities. Tells how many documents had
/// something to say.
fn copy(
    segments: &SegmentStore,
    entities: Option<HashSet<String>>,
    into: Replacement<'_>,
    directory: PathBuf,
) -> Result<u64, ExportError> {
    let document = spool(&directory);
    let mut taker = Taker { entities, document, into, directory, documents: 0, failure: None };
    let read = segments.export_sorted(&mut taker).and_then(|_| taker.end_document().map_err(StoreError::Export));
    if let Some(failure) = taker.failure {
        return Err(failure.into());
    }
    read?;
    taker.into.finish()?;
    Ok(taker.documents)
}

/// Beside the harvest, where there is room for what it has.
fn spool(directory: &Path) -> SpooledTempFile {
    spooled_tempfile_in(HELD_BYTES_MAX, directory)
}

/// Takes a harvest document by document.
struct Taker<'a> {
    /// Whose statements are wanted; `None` for all.
    entities: Option<HashSet<String>>,
    /// The statements of the document that is being read, as N-Quads.
    document: SpooledTempFile,
    into: Replacement<'a>,
    directory: PathBuf,
    documents: u64,
    /// An archive that failed, which is no fault of the harvest.
    failure: Option<ArchiveError>,
}

impl Sorter for Taker<'_> {
    fn turn_to(&mut self, _: &Uri) -> io::Result<bool> {
        self.end_document()?;
        Ok(true)
    }
}

impl Write for Taker<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.document.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Taker<'_> {
    /// Passes on what is wanted of the document that has been read.
    fn end_document(&mut self) -> io::Result<()> {
        if self.document.stream_position()? == 0 {
            return Ok(());
        }
        let mut wanted = Wanted { entities: self.entities.take(), ..Wanted::default() };
        let taken = self.take(&mut wanted);
        self.entities = wanted.entities;
        self.documents += u64::from(taken? > 0);
        if self.document.is_rolled() {
            self.document = spool(&self.directory);
        }
        self.document.seek(SeekFrom::Start(0))?;
        self.document.set_len(0)
    }

    fn take(&mut self, wanted: &mut Wanted) -> io::Result<u64> {
        let mut taken = 0;
        for _ in 0..PASSES_MAX {
            self.document.seek(SeekFrom::Start(0))?;
            let reader = io::BufReader::with_capacity(64 << 10, &mut self.document);
            for quad in NQuadsParser::new().for_reader(reader) {
                let quad = quad.map_err(io::Error::other)?;
                if wanted.wants(&quad) {
                    taken += 1;
                    if let Err(error) = self.into.add(TripleRef::from(quad.as_ref())) {
                        self.failure = Some(error);
                        return Err(io::Error::other("the archive failed"));
                    }
                }
            }
            if !wanted.has_more() {
                break;
            }
        }
        Ok(taken)
    }
}

/// What is wanted of a document.
#[derive(Default)]
struct Wanted {
    entities: Option<HashSet<String>>,
    /// Blank nodes whose statements have been taken, or are in this pass.
    known: HashSet<BlankNode>,
    /// Blank nodes that were named in this pass.
    named: HashSet<BlankNode>,
    /// Those that are looked for in this pass, besides the ones it names.
    sought: HashSet<BlankNode>,
    is_later: bool,
}

impl Wanted {
    fn wants(&mut self, quad: &Quad) -> bool {
        let Some(entities) = &self.entities else { return true };
        let is_wanted = match &quad.subject {
            NamedOrBlankNode::NamedNode(subject) => !self.is_later && entities.contains(subject.as_str()),
            NamedOrBlankNode::BlankNode(subject) => self.sought.contains(subject) || self.named.contains(subject),
        };
        if let (true, Term::BlankNode(object)) = (is_wanted, &quad.object)
            && self.known.insert(object.clone())
        {
            self.named.insert(object.clone());
        }
        is_wanted
    }

    /// Ends a pass. Tells whether another one may find more: what is said of a
    /// blank node may come before its name. What is found twice is in a set.
    fn has_more(&mut self) -> bool {
        self.is_later = true;
        self.sought = std::mem::take(&mut self.named);
        !self.sought.is_empty()
    }
}

#[cfg(test)]
#[path = "export_tests.rs"]
mod tests;
