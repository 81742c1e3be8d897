//! Loading very many quads.
//!
//! Quads are gathered into *runs*, which are sorted in memory and go into the
//! tables as they are, without journal and memtables. The tables take their
//! parts one after the other, so what is loaded carries numbers of chunks that
//! are hidden from everybody until one last batch publishes all of them. The
//! mark of an unfinished load is on disk before anything else: whoever opens
//! the archive after a crash finds it and removes what was loaded.

mod replacement;
mod run;

pub use replacement::Replacement;

use std::sync::MutexGuard;

use fjall::PersistMode;
use foldhash::HashMap;
use oxrdf::{GraphNameRef, QuadRef, TermRef};

use self::run::Run;
use crate::archive::{Archive, Writer};
use crate::dictionary::{Fresh, Interner};
use crate::error::ArchiveError;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};
use crate::{Committed, chunk, keys, number};

/// Bytes of new terms after which a run is ended.
const TERM_BYTES_MAX: usize = 64 << 20;

/// Loads very many quads. What has been added becomes visible all at once, with
/// [`finish`](Self::finish), and is then safe from power cuts, too. Dropped
/// without, it leaves no trace.
pub struct BulkLoader<'a> {
    archive: &'a Archive,
    writer: MutexGuard<'a, Writer>,
    /// Graph, subject, predicate, object.
    quads: Vec<[u64; 4]>,
    fresh: Fresh,
    /// By predicate, how many quads were added that have it.
    predicates: HashMap<u64, u64>,
    inserted: u64,
    /// The graph of the last quad, which is mostly that of the next one.
    last_graph: Option<(oxrdf::GraphName, u64)>,
    scratch: Vec<u8>,
    /// The graph that what is loaded takes the place of. Then nothing else is loaded.
    replaced: Option<TermId>,
    /// The first chunk of this load.
    chunk_first: u64,
    begun: bool,
    published: bool,
}

impl<'a> BulkLoader<'a> {
    pub(crate) fn new(archive: &'a Archive, writer: MutexGuard<'a, Writer>) -> Self {
        let fresh = Fresh::new(writer.counters.term_next);
        let chunk_first = writer.counters.chunk_next;
        Self {
            archive,
            writer,
            quads: Vec::new(),
            fresh,
            predicates: HashMap::default(),
            inserted: 0,
            last_graph: None,
            scratch: Vec::new(),
            replaced: None,
            chunk_first,
            begun: false,
            published: false,
        }
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<u64, ArchiveError> {
        let (tables, recent) = (self.archive.tables(), &mut self.writer.recent);
        let mut interner = Interner { tables, recent, scratch: &mut self.scratch };
        Ok(interner.intern(term, &mut self.fresh)?.0)
    }

    fn graph(&mut self, graph: GraphNameRef<'_>) -> Result<u64, ArchiveError> {
        if let Some((last, id)) = &self.last_graph
            && last.as_ref() == graph
        {
            return Ok(*id);
        }
        let id = match term::of_graph(graph) {
            Some(name) => self.intern(name)?,
            None => TermId::DEFAULT_GRAPH.0,
        };
        self.last_graph = Some((graph.into_owned(), id));
        Ok(id)
    }

    /// Adds a quad.
    pub fn add(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let graph = self.graph(quad.graph_name)?;
        let subject = self.intern(quad.subject.into())?;
        let predicate = self.intern(quad.predicate.into())?;
        let object = self.intern(quad.object)?;
        self.quads.push([graph, subject, predicate, object]);
        if self.quads.len() >= self.archive.options().run_quads || self.fresh.bytes() >= TERM_BYTES_MAX {
            self.write_run()?;
        }
        Ok(())
    }

    /// Puts the mark of an unfinished load on disk.
    fn begin(&mut self) -> Result<(), ArchiveError> {
        if self.begun {
            return Ok(());
        }
        self.begun = true;
        let (tables, first) = (self.archive.tables(), self.chunk_first);
        self.archive.hide(Some(first), || ());
        tables.meta.insert(keys::BULK, first.to_be_bytes())?;
        Ok(tables.database.persist(PersistMode::SyncAll)?)
    }

    fn write_run(&mut self) -> Result<(), ArchiveError> {
        self.begin()?;
        let (tables, graves) = (self.archive.tables(), self.archive.graves());
        let everything = Snapshot::new(tables, graves, u64::MAX);
        let quads = std::mem::take(&mut self.quads);
        // Of a graph that is replaced nothing counts but what is loaded.
        let own = self.replaced.map(|_| Snapshot::since(tables, graves, self.chunk_first));
        let kept = own.as_ref().unwrap_or(&everything);
        let run = Run::new(quads, kept, &everything, self.fresh.first, self.writer.counters.chunk_next)?;
        for &(predicate, count) in &run.predicates {
            *self.predicates.entry(predicate).or_default() += count;
        }
        self.inserted += run.inserted;
        // First the numbers: whoever finds the mark must not use them again.
        self.writer.counters.chunk_next = run.chunk_next();
        self.writer.counters.term_next = self.fresh.next();
        tables.meta.insert(keys::COUNTERS, self.writer.counters.encode())?;
        tables.database.persist(PersistMode::SyncAll)?;
        run::ingest_terms(tables, &self.fresh)?;
        self.quads = run.ingest(tables)?;
        for (hash, id) in self.fresh.hashes() {
            self.writer.recent.put(hash, id);
        }
        self.fresh = Fresh::new(self.writer.counters.term_next);
        Ok(())
    }

    /// Makes everything added visible.
    pub fn finish(mut self) -> Result<Committed, ArchiveError> {
        if !self.quads.is_empty() || self.fresh.bytes() > 0 {
            self.write_run()?;
        }
        if !self.begun {
            return Ok(Committed::default());
        }
        let tables = self.archive.tables();
        let now = self.archive.snapshot();
        let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
        let mut differences: HashMap<u64, i64> = HashMap::default();
        for (&predicate, &count) in &self.predicates {
            differences.insert(predicate, i64::try_from(count).unwrap_or(i64::MAX));
        }
        let killed = match self.replaced {
            Some(graph) => replacement::remove_chunks(&now, graph, &mut batch, &mut differences)?,
            None => replacement::Killed::default(),
        };
        for (&predicate, &difference) in differences.iter().filter(|(_, difference)| **difference != 0) {
            let key = keys::key(keys::PREDICATE, &[predicate]);
            match now.predicate_count(TermId(predicate))?.saturating_add_signed(difference) {
                0 => batch.remove(&tables.meta, key),
                total => batch.insert(&tables.meta, key, number::bytes(total)),
            }
        }
        let mut counters = self.writer.counters;
        counters.quads = counters.quads + self.inserted - killed.quads;
        batch.insert(&tables.meta, keys::COUNTERS, counters.encode());
        batch.remove(&tables.meta, keys::BULK);
        self.archive.hide(None, || batch.commit())?;
        self.writer.counters = counters;
        self.published = true;
        if !killed.chunks.is_empty() {
            drop(now);
            self.archive.graves().bury(&killed.chunks);
        }
        Ok(Committed { inserted: self.inserted, removed: killed.quads })
    }
}

impl Drop for BulkLoader<'_> {
    fn drop(&mut self) {
        if self.begun && !self.published {
            // What cannot be undone now is undone when the archive is opened.
            if let Err(error) = undo_unfinished(self.archive, &mut self.writer) {
                tracing::warn!(%error, "a bulk load that was given up could not be removed");
            }
        }
    }
}

/// Removes what a bulk load has left that was never finished.
pub(crate) fn undo_unfinished(archive: &Archive, writer: &mut Writer) -> Result<(), ArchiveError> {
    const CHUNKS_AT_ONCE: usize = 1_000;
    let tables = archive.tables();
    let Some(first) = tables.meta.get(keys::BULK)? else { return Ok(()) };
    let first = first.as_ref().try_into().map(u64::from_be_bytes);
    let first = first.map_err(|_| ArchiveError::corrupted("the mark of a bulk load is no number"))?;
    archive.hide(Some(first), || ());
    loop {
        let found: Vec<_> = tables.chunks.range(keys::plain(first)..).take(CHUNKS_AT_ONCE).collect();
        if found.is_empty() {
            break;
        }
        let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
        let mut graphs = Vec::new();
        for entry in found {
            let (key, bytes) = entry.into_inner()?;
            let graph = chunk::graph_of(&bytes).ok_or_else(|| ArchiveError::corrupted("a chunk without a graph"))?;
            let number = keys::plain_number(&key)?;
            batch.remove(&tables.chunks, key);
            batch.remove(&tables.graphs, keys::key(keys::GRAPH_CHUNK, &[graph, number]));
            graphs.push(graph);
        }
        graphs.sort_unstable();
        graphs.dedup();
        for graph in graphs {
            let key = keys::key(keys::GRAPH, &[graph]);
            let since = tables.graphs.get(&key)?.and_then(|since| number::take(&mut &since[..]));
            if since.is_some_and(|since| since >= first) {
                batch.remove(&tables.graphs, key);
            }
        }
        batch.commit()?;
    }
    // What was loaded told before how far its numbers would go. One is never
    // used: the dead must have a number, and nobody else may.
    writer.counters.chunk_next = writer.counters.chunk_next.max(first + 1);
    let last = writer.counters.chunk_next - 1;
    let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
    batch.insert(&tables.meta, keys::key(keys::GRAVE, &[first]), last.to_be_bytes());
    batch.insert(&tables.meta, keys::COUNTERS, writer.counters.encode());
    batch.remove(&tables.meta, keys::BULK);
    batch.commit()?;
    archive.hide(None, || ());
    archive.graves().bury(&[(first, last)]);
    archive.sync()
}
