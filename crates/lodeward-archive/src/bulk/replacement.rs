//! A graph whose statements are all replaced at once, however many they are.

use fjall::OwnedWriteBatch;
use foldhash::HashMap;
use oxrdf::{GraphName, NamedNode, NamedOrBlankNodeRef, Triple, TripleRef};

use super::BulkLoader;
use crate::archive::Archive;
use crate::error::ArchiveError;
use crate::graves::{self, Range};
use crate::snapshot::Snapshot;
use crate::term::TermId;
use crate::{Committed, keys};

/// Statements that are held before a bulk load is begun: about 20 MB.
const HELD_MAX: usize = 50_000;

/// Statements that will take the place of all that a graph has, at once, with
/// [`finish`](Self::finish). Dropped without, it leaves no trace: whoever reads
/// sees the graph as it was or as it will be. A statement may be added twice.
pub struct Replacement<'a> {
    archive: &'a Archive,
    graph: NamedNode,
    held_max: usize,
    stage: Stage<'a>,
}

enum Stage<'a> {
    /// Few: one transaction will do, and nobody waits for us until then.
    Held(Vec<Triple>),
    /// Many.
    Loading(Box<BulkLoader<'a>>),
}

impl<'a> Replacement<'a> {
    pub(crate) fn new(archive: &'a Archive, graph: NamedNode) -> Self {
        Self { archive, graph, held_max: HELD_MAX, stage: Stage::Held(Vec::new()) }
    }

    /// The same, with so many statements in memory at most.
    #[must_use]
    pub fn holding(self, held_max: usize) -> Self {
        Self { held_max, ..self }
    }

    /// Adds a statement.
    pub fn add(&mut self, triple: TripleRef<'_>) -> Result<(), ArchiveError> {
        if let Stage::Held(held) = &mut self.stage {
            if held.len() < self.held_max {
                held.push(triple.into_owned());
                return Ok(());
            }
            let held = std::mem::take(held);
            self.stage = Stage::Loading(self.loader(&held)?);
        }
        match &mut self.stage {
            Stage::Loading(loader) => loader.add(triple.in_graph(self.graph.as_ref())),
            Stage::Held(_) => Ok(()),
        }
    }

    fn loader(&self, held: &[Triple]) -> Result<Box<BulkLoader<'a>>, ArchiveError> {
        let mut loader = Box::new(self.archive.bulk_loader());
        let graph = GraphName::from(self.graph.clone());
        loader.replaced = Some(TermId(loader.graph(graph.as_ref())?));
        held.iter().try_for_each(|triple| loader.add(triple.as_ref().in_graph(graph.as_ref())))?;
        Ok(loader)
    }

    /// Puts them in place: visible to all, and safe from a power cut.
    pub fn finish(self) -> Result<Committed, ArchiveError> {
        let done = match self.stage {
            Stage::Loading(loader) => loader.finish()?,
            Stage::Held(held) => {
                let mut transaction = self.archive.begin();
                transaction.clear_graph(self.graph.as_ref().into())?;
                transaction.create_graph(NamedOrBlankNodeRef::from(self.graph.as_ref()))?;
                for triple in &held {
                    transaction.insert(triple.as_ref().in_graph(self.graph.as_ref()))?;
                }
                transaction.commit()?
            }
        };
        self.archive.sync()?;
        Ok(done)
    }
}

/// What goes.
#[derive(Default)]
pub(super) struct Killed {
    pub(super) chunks: Vec<Range>,
    pub(super) quads: u64,
}

/// Removes what a graph has, in this batch. Counts its predicates down.
pub(super) fn remove_chunks(
    now: &Snapshot,
    graph: TermId,
    batch: &mut OwnedWriteBatch,
    differences: &mut HashMap<u64, i64>,
) -> Result<Killed, ArchiveError> {
    let tables = now.tables();
    let (mut numbers, mut quads) = (Vec::new(), 0);
    for entry in now.graph_chunks(graph) {
        let (number, _) = entry?;
        let chunk = now.chunk(number)?;
        let chunk = chunk.ok_or_else(|| ArchiveError::corrupted(format!("a graph has lost its chunk {number}")))?;
        for [_, predicate, _] in chunk.triples() {
            *differences.entry(predicate).or_default() -= 1;
            quads += 1;
        }
        batch.remove(&tables.chunks, keys::plain(number));
        batch.remove(&tables.graphs, keys::key(keys::GRAPH_CHUNK, &[graph.0, number]));
        numbers.push(number);
    }
    let chunks = graves::ranges(numbers);
    for &(first, last) in &chunks {
        batch.insert(&tables.meta, keys::key(keys::GRAVE, &[first]), last.to_be_bytes());
    }
    Ok(Killed { chunks, quads })
}
