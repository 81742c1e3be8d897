//! Replacing all statements of a graph atomically, in bounded memory.

use fjall::OwnedWriteBatch;
use foldhash::HashMap;
use oxrdf::{GraphName, NamedNode, NamedOrBlankNodeRef, Triple, TripleRef};

use super::BulkLoader;
use crate::archive::Archive;
use crate::changes::ChunkEdits;
use crate::error::ArchiveError;
use crate::snapshot::Snapshot;
use crate::term::TermId;
use crate::tombstones::{self, ChunkRange};
use crate::{CommitSummary, keys};

/// Default number of statements that are buffered before a bulk load starts: about 20 MB.
const MAX_BUFFERED_TRIPLES: usize = 50_000;

/// New statements for a graph. [`finish`](Self::finish) replaces the graph's content with them,
/// atomically: readers see the old or the new content. If the replacement is dropped
/// without a call of `finish`, nothing changes. Adding a statement twice has no effect.
pub struct GraphReplacement<'a> {
    archive: &'a Archive,
    graph: NamedNode,
    max_buffered: usize,
    stage: ReplacementStage<'a>,
}

enum ReplacementStage<'a> {
    /// Few statements: they are buffered, and `finish` writes them in one transaction. Until then,
    /// other writers do not wait.
    Buffered(Vec<Triple>),
    /// Many statements: a bulk load, which holds the writer lock.
    Loading(Box<BulkLoader<'a>>),
}

impl<'a> GraphReplacement<'a> {
    pub(crate) fn new(archive: &'a Archive, graph: NamedNode) -> Self {
        Self { archive, graph, max_buffered: MAX_BUFFERED_TRIPLES, stage: ReplacementStage::Buffered(Vec::new()) }
    }

    /// Sets the maximum number of statements that are buffered in memory.
    #[must_use]
    pub fn with_max_buffered(self, max_buffered: usize) -> Self {
        Self { max_buffered, ..self }
    }

    /// Adds a statement.
    pub fn add(&mut self, triple: TripleRef<'_>) -> Result<(), ArchiveError> {
        if let ReplacementStage::Buffered(buffered) = &mut self.stage {
            if buffered.len() < self.max_buffered {
                buffered.push(triple.into_owned());
                return Ok(());
            }
            let buffered = std::mem::take(buffered);
            self.stage = ReplacementStage::Loading(self.start_bulk_load(&buffered)?);
        }
        match &mut self.stage {
            ReplacementStage::Loading(loader) => loader.add(triple.in_graph(self.graph.as_ref())),
            ReplacementStage::Buffered(_) => Ok(()),
        }
    }

    fn start_bulk_load(&self, buffered: &[Triple]) -> Result<Box<BulkLoader<'a>>, ArchiveError> {
        let mut loader = Box::new(self.archive.bulk_loader());
        let graph = GraphName::from(self.graph.clone());
        loader.replaced_graph = Some(TermId(loader.intern_graph(graph.as_ref())?));
        buffered.iter().try_for_each(|triple| loader.add(triple.as_ref().in_graph(graph.as_ref())))?;
        Ok(loader)
    }

    /// Replaces the graph's content. When this returns, the change is visible and durable.
    pub fn finish(self) -> Result<CommitSummary, ArchiveError> {
        let summary = match self.stage {
            ReplacementStage::Loading(loader) => loader.finish()?,
            ReplacementStage::Buffered(buffered) => {
                let mut transaction = self.archive.begin();
                transaction.clear_graph(self.graph.as_ref().into())?;
                transaction.create_graph(NamedOrBlankNodeRef::from(self.graph.as_ref()))?;
                for triple in &buffered {
                    transaction.insert(triple.as_ref().in_graph(self.graph.as_ref()))?;
                }
                transaction.commit()?
            }
        };
        self.archive.sync()?;
        Ok(summary)
    }
}

/// The chunks that a replacement removes.
#[derive(Default)]
pub(super) struct RemovedChunks {
    pub(super) chunks: Vec<ChunkRange>,
    pub(super) quads: u64,
    pub(super) edits: ChunkEdits,
}

/// Removes the chunks of a graph in this batch, and subtracts them from the predicate counts.
pub(super) fn remove_graph_chunks(
    now: &Snapshot,
    graph: TermId,
    batch: &mut OwnedWriteBatch,
    differences: &mut HashMap<u64, i64>,
) -> Result<RemovedChunks, ArchiveError> {
    let tables = now.tables();
    let (mut numbers, mut quads, mut edits) = (Vec::new(), 0, ChunkEdits::default());
    for entry in now.graph_chunks(graph) {
        let (number, _) = entry?;
        let chunk = now.chunk(number)?;
        let chunk = chunk.ok_or_else(|| ArchiveError::corrupted(format!("chunk {number} of a graph is missing")))?;
        for [_, predicate, _] in chunk.triples() {
            *differences.entry(predicate).or_default() -= 1;
            quads += 1;
        }
        edits.add_difference(chunk.triples(), &[]);
        batch.remove(&tables.chunks, keys::number_key(number));
        batch.remove(&tables.graphs, keys::key(keys::GRAPH_CHUNK, &[graph.0, number]));
        numbers.push(number);
    }
    let chunks = tombstones::to_ranges(numbers);
    for &(first, last) in &chunks {
        batch.insert(&tables.meta, keys::key(keys::TOMBSTONE, &[first]), last.to_be_bytes());
    }
    Ok(RemovedChunks { chunks, quads, edits })
}
