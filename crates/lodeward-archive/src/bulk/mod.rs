//! Bulk loading of many quads.
//!
//! Quads are collected into *runs*. A run is sorted in memory and ingested directly into the
//! tables, without journal and memtables. The tables are written one after another, so a load is
//! not atomic by itself: its chunk numbers are hidden from snapshots until one final batch
//! publishes all of them. Before anything else, a mark of the unfinished load is written to disk.
//! If the process crashes, the next opening of the archive finds the mark and removes the loaded
//! chunks.

mod replacement;
mod run;

pub use replacement::GraphReplacement;

use std::sync::{Arc, MutexGuard};

use fjall::PersistMode;
use foldhash::HashMap;
use oxrdf::{GraphNameRef, NamedNode, QuadRef, TermRef};

use self::run::{count_predicates, sorted_run};
use crate::archive::{Archive, WriterState};
use crate::chunk_run::ingest_terms;
use crate::dictionary::{Interner, NewTerms};
use crate::error::ArchiveError;
use crate::snapshot::Snapshot;
use crate::tables::ArchiveTables;
use crate::term::{self, TermId};
use crate::{CommitSummary, keys, varint};

/// Maximum size of the new terms of a run, in bytes. When it is reached, the run is written.
const MAX_TERM_BYTES: usize = 64 << 20;

impl Archive {
    /// Starts a bulk load: faster than a transaction, and in bounded memory. Waits until the
    /// current writer has finished.
    #[must_use]
    pub fn bulk_loader(&self) -> BulkLoader<'_> {
        BulkLoader::new(self, self.writer())
    }

    /// Starts the replacement of all statements of a graph, in bounded memory. Other writers do not
    /// wait, unless the new statements exceed the buffer.
    #[must_use]
    pub fn replace_graph(&self, graph: NamedNode) -> GraphReplacement<'_> {
        GraphReplacement::new(self, graph)
    }
}

/// Loads many quads. [`finish`](Self::finish) makes them visible all at once and durable. If the
/// loader is dropped without a call of `finish`, nothing is loaded.
pub struct BulkLoader<'a> {
    archive: &'a Archive,
    writer: MutexGuard<'a, WriterState>,
    /// The tables, which are not opened again while the writer is locked.
    tables: Arc<ArchiveTables>,
    /// The term ids of the added quads: graph, subject, predicate, object.
    quads: Vec<[u64; 4]>,
    new_terms: NewTerms,
    /// The number of added quads, by predicate.
    predicates: HashMap<u64, u64>,
    inserted: u64,
    /// The graph of the last quad, cached because the next quad is usually in the same graph.
    last_graph: Option<(oxrdf::GraphName, u64)>,
    scratch: Vec<u8>,
    /// The graph whose content is replaced. If set, only this graph is loaded.
    replaced_graph: Option<TermId>,
    /// The first chunk of this load.
    first_chunk: u64,
    started: bool,
    published: bool,
}

impl<'a> BulkLoader<'a> {
    fn new(archive: &'a Archive, writer: MutexGuard<'a, WriterState>) -> Self {
        let new_terms = NewTerms::new(writer.counters.next_term);
        let first_chunk = writer.counters.next_chunk;
        Self {
            tables: archive.tables(),
            archive,
            writer,
            quads: Vec::new(),
            new_terms,
            predicates: HashMap::default(),
            inserted: 0,
            last_graph: None,
            scratch: Vec::new(),
            replaced_graph: None,
            first_chunk,
            started: false,
            published: false,
        }
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<u64, ArchiveError> {
        let (tables, recent) = (&*self.tables, &mut self.writer.recent);
        let mut interner = Interner { tables, recent, scratch: &mut self.scratch };
        Ok(interner.intern(term, &mut self.new_terms)?.0)
    }

    fn intern_graph(&mut self, graph: GraphNameRef<'_>) -> Result<u64, ArchiveError> {
        if let Some((last, id)) = &self.last_graph
            && last.as_ref() == graph
        {
            return Ok(*id);
        }
        let id = match term::from_graph_name(graph) {
            Some(name) => self.intern(name)?,
            None => TermId::DEFAULT_GRAPH.0,
        };
        self.last_graph = Some((graph.into_owned(), id));
        Ok(id)
    }

    /// Adds a quad.
    pub fn add(&mut self, quad: QuadRef<'_>) -> Result<(), ArchiveError> {
        let graph = self.intern_graph(quad.graph_name)?;
        let subject = self.intern(quad.subject.into())?;
        let predicate = self.intern(quad.predicate.into())?;
        let object = self.intern(quad.object)?;
        self.quads.push([graph, subject, predicate, object]);
        if self.quads.len() >= self.archive.options().run_quads || self.new_terms.byte_len() >= MAX_TERM_BYTES {
            self.write_run()?;
        }
        Ok(())
    }

    /// Writes the mark of an unfinished load to disk.
    fn mark_unfinished(&mut self) -> Result<(), ArchiveError> {
        if self.started {
            return Ok(());
        }
        self.archive.check_writable()?;
        self.started = true;
        self.archive.mark_load(&self.tables, self.first_chunk, self.writer.counters)
    }

    fn write_run(&mut self) -> Result<(), ArchiveError> {
        self.mark_unfinished()?;
        let (tables, tombstones) = (&self.tables, &self.archive.tombstones());
        let everything = Snapshot::new(tables, tombstones, u64::MAX);
        let quads = std::mem::take(&mut self.quads);
        // If a graph is replaced, its old quads are removed at the end, so a new quad is omitted
        // only if this load already contains it.
        let own = self.replaced_graph.map(|_| Snapshot::with_first_chunk(tables, tombstones, self.first_chunk));
        let existing = own.as_ref().unwrap_or(&everything);
        let run = sorted_run(quads, existing, &everything, self.new_terms.first, self.writer.counters.next_chunk)?;
        count_predicates(&run, &mut self.predicates);
        self.inserted += run.quads().len() as u64;
        // The counters are written first: if the load is undone, its term and chunk numbers must
        // not be reused.
        self.writer.counters.next_chunk = run.next_chunk();
        self.writer.counters.next_term = self.new_terms.next();
        tables.meta.insert(keys::COUNTERS, self.writer.counters.encode())?;
        tables.database.persist(PersistMode::SyncAll)?;
        ingest_terms(tables, &self.new_terms)?;
        run.ingest(tables)?;
        self.quads = run.into_buffer();
        for (hash, id) in self.new_terms.hashes() {
            self.writer.recent.put(hash, id);
        }
        self.new_terms = NewTerms::new(self.writer.counters.next_term);
        Ok(())
    }

    /// Makes all added quads visible.
    pub fn finish(mut self) -> Result<CommitSummary, ArchiveError> {
        if !self.quads.is_empty() || self.new_terms.byte_len() > 0 {
            self.write_run()?;
        }
        if !self.started {
            return Ok(CommitSummary::default());
        }
        let tables = &self.tables;
        let now = self.archive.snapshot();
        let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
        let mut differences: HashMap<u64, i64> = HashMap::default();
        for (&predicate, &count) in &self.predicates {
            differences.insert(predicate, i64::try_from(count).unwrap_or(i64::MAX));
        }
        let removed = match self.replaced_graph {
            Some(graph) => replacement::remove_graph_chunks(&now, graph, &mut batch, &mut differences)?,
            None => replacement::RemovedChunks::default(),
        };
        for (&predicate, &difference) in differences.iter().filter(|(_, difference)| **difference != 0) {
            let key = keys::key(keys::PREDICATE, &[predicate]);
            match now.predicate_count(TermId(predicate))?.saturating_add_signed(difference) {
                0 => batch.remove(&tables.meta, key),
                total => batch.insert(&tables.meta, key, varint::encode(total)),
            }
        }
        let mut counters = self.writer.counters;
        counters.quads = counters.quads + self.inserted - removed.quads;
        removed.edits.write(self.archive, tables, &mut batch, &mut counters.next_chunk);
        batch.insert(&tables.meta, keys::COUNTERS, counters.encode());
        batch.remove(&tables.meta, keys::BULK);
        self.archive.publish(|| batch.commit())?;
        self.writer.counters = counters;
        self.published = true;
        if !removed.chunks.is_empty() {
            drop(now);
            self.archive.tombstones().add(&removed.chunks);
        }
        Ok(CommitSummary { inserted: self.inserted, removed: removed.quads })
    }
}

impl Drop for BulkLoader<'_> {
    fn drop(&mut self) {
        if self.started && !self.published {
            self.archive.abort_load(&mut self.writer);
        }
    }
}
