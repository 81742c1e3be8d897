//! Translating graph changes into one database batch and a run of new chunks.
//!
//! If the run is large, it is ingested before the batch is committed, as a bulk load is: a mark on
//! disk and `Archive::publish` make both visible together, or not at all.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use fjall::{OwnedWriteBatch, PersistMode, Readable};
use foldhash::HashMap;

use crate::archive::{Archive, WriterState};
use crate::changes::ChunkEdits;
use crate::chunk::{self, Chunk, IdTriple, MAX_QUADS};
use crate::chunk_run::{ChunkRun, ingest_terms, insert_terms};
use crate::dictionary::NewTerms;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::overlay::GraphChange;
use crate::provenance::RecordKey;
use crate::scan::posting_entries;
use crate::snapshot::Snapshot;
use crate::tables::{ArchiveCounters, ArchiveTables};
use crate::term::TermId;
use crate::tombstones::{self, ChunkRange};
use crate::{CommitSummary, varint};

/// If a graph has at most this many chunks, all of them are searched for the changed quads.
const MAX_SMALL_GRAPH_CHUNKS: usize = 4;

/// Quads that a transaction adds to a graph get a chunk of their own from this number on.
const MIN_NEW_CHUNK_QUADS: usize = MAX_QUADS / 2;

/// A batch that is being built.
pub(crate) struct CommitBatch<'a> {
    base: &'a Snapshot,
    batch: OwnedWriteBatch,
    /// The number of quads before this commit.
    quads: u64,
    /// New chunks.
    run: ChunkRun,
    /// Terms from this id on are new, so no chunk contains them.
    first_new_term: u64,
    /// The change in the number of quads, by predicate.
    predicates: HashMap<u64, i64>,
    removed: Vec<u64>,
    edits: ChunkEdits,
    summary: CommitSummary,
}

impl<'a> CommitBatch<'a> {
    pub(crate) fn new(base: &'a Snapshot, counters: ArchiveCounters, first_new_term: u64) -> Self {
        let batch = base.tables().database.batch().durability(Some(PersistMode::Buffer));
        let run = ChunkRun::new(counters.next_chunk);
        let (predicates, removed, summary) = (HashMap::default(), Vec::new(), CommitSummary::default());
        let edits = ChunkEdits::default();
        Self { base, batch, quads: counters.quads, run, first_new_term, predicates, removed, edits, summary }
    }

    /// Adds or removes a document or member entry.
    pub(crate) fn set_member(&mut self, key: &[u8], present: bool) -> Result<(), ArchiveError> {
        let graphs = &self.base.tables().graphs;
        // Writing an entry again is cheaper than looking it up; removing one that does not exist
        // would leave a tombstone.
        if present {
            self.batch.insert(graphs, key, []);
        } else if self.base.view().contains_key(graphs, key)? {
            self.batch.remove(graphs, key);
        }
        Ok(())
    }

    pub(crate) fn set_note(&mut self, key: &[u8], note: Option<&[u8]>) {
        let meta = &self.base.tables().meta;
        match note {
            Some(note) => self.batch.insert(meta, key, note),
            None => self.batch.remove(meta, key),
        }
    }

    /// Stores a provenance record, or removes it.
    pub(crate) fn set_provenance(&mut self, key: RecordKey, record: Option<&[u8]>) {
        let provenance = &self.base.tables().provenance;
        match record {
            Some(record) => self.batch.insert(provenance, key.encode(), record),
            None => self.batch.remove(provenance, key.encode()),
        }
    }

    /// Adds the changes of one graph. Graphs are added in the order of their ids.
    pub(crate) fn apply_graph_change(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        // A graph that does not exist has no chunks, so nothing is looked up for it.
        if graph != TermId::DEFAULT_GRAPH && (graph.is_new(self.first_new_term) || !self.base.has_graph(graph)?) {
            self.create_graph(graph, change);
            return Ok(());
        }
        if change.exists == Some(false) {
            self.batch.remove(&self.base.tables().graphs, keys::key(keys::GRAPH, &[graph.0]));
        }
        if change.cleared { self.replace_graph(graph, change) } else { self.update_graph(graph, change) }
    }

    fn create_graph(&mut self, graph: TermId, change: &GraphChange) {
        if change.exists != Some(true) {
            return;
        }
        let triples = change.added_triples();
        if triples.is_empty() {
            self.batch.insert(&self.base.tables().graphs, keys::key(keys::GRAPH, &[graph.0]), []);
            return;
        }
        for &triple in &*triples {
            self.count_predicate(triple, 1);
        }
        self.run.push_new_graph(graph.0);
        self.run.push_graph(graph.0, &triples);
        self.summary.inserted += triples.len() as u64;
    }

    /// Replaces all quads of a graph. Existing chunks are reused in order and rewritten only if
    /// they differ, so a document that changed a little causes few writes.
    fn replace_graph(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        let now = change.added_triples();
        let (mut before, mut unchanged) = (0, 0);
        for &triple in &*now {
            self.count_predicate(triple, 1);
        }
        let mut rest = &now[..];
        for entry in self.base.graph_chunks(graph) {
            let (number, _) = entry?;
            let chunk = self.chunk(number)?;
            let group;
            (group, rest) = rest.split_at(rest.len().min(MAX_QUADS));
            let changed = group.len() != chunk.len() || !chunk.triples().eq(group.iter().copied());
            before += chunk.len() as u64;
            for triple in chunk.triples() {
                self.count_predicate(triple, -1);
                unchanged += u64::from(change.triples.get(&triple) == Some(true));
            }
            self.write(graph, number, &ChunkEdit { before: Some(chunk), now: group.to_vec(), changed });
        }
        self.run.push_graph(graph.0, rest);
        self.summary.inserted += now.len() as u64 - unchanged;
        self.summary.removed += before - unchanged;
        Ok(())
    }

    /// Adds and removes single quads.
    fn update_graph(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        if change.triples.is_empty() {
            return Ok(());
        }
        let first: Vec<u64> = self
            .base
            .graph_chunks(graph)
            .take(MAX_SMALL_GRAPH_CHUNKS + 1)
            .map(|entry| Ok(entry?.0))
            .collect::<Result<_, ArchiveError>>()?;
        let small = first.len() <= MAX_SMALL_GRAPH_CHUNKS;
        let mut edits = BTreeMap::new();
        if small {
            for &number in &first {
                edits.insert(number, ChunkEdit::from_chunk(self.chunk(number)?));
            }
        }
        let mut added = Vec::new();
        let mut current: (u64, HashMap<IdTriple, u64>) = (u64::MAX, HashMap::default());
        for (triple, present) in change.triples.iter() {
            let triple = &triple;
            let subject = triple[0];
            if !small && current.0 != subject {
                current = (subject, self.subject_triples(graph, subject, &mut edits)?);
            }
            let number = if small {
                first.iter().find(|&number| edits[number].now.binary_search(triple).is_ok()).copied()
            } else {
                current.1.get(triple).copied()
            };
            match (number, present) {
                (Some(number), false) => {
                    let edit = edits.get_mut(&number).expect("the search loaded the chunk");
                    edit.now.retain(|other| other != triple);
                    edit.changed = true;
                    self.summary.removed += 1;
                    self.count_predicate(*triple, -1);
                }
                (None, true) => {
                    added.push(*triple);
                    self.summary.inserted += 1;
                    self.count_predicate(*triple, 1);
                }
                _ => {}
            }
        }
        let rest = self.fill_last_chunk(graph, &mut edits, added)?;
        for (number, edit) in &edits {
            self.write(graph, *number, edit);
        }
        self.run.push_graph(graph.0, &rest);
        Ok(())
    }

    /// Adds a few quads to the last chunk of a graph until it is full. Returns the rest. Many quads
    /// go into new chunks: writing a chunk again costs more than one that is not quite full.
    fn fill_last_chunk(
        &self,
        graph: TermId,
        edits: &mut BTreeMap<u64, ChunkEdit>,
        mut added: Vec<IdTriple>,
    ) -> Result<Vec<IdTriple>, ArchiveError> {
        if added.len() >= MIN_NEW_CHUNK_QUADS {
            return Ok(added);
        }
        let prefix = keys::key(keys::GRAPH_CHUNK, &[graph.0]);
        let last = self.base.view().prefix(&self.base.tables().graphs, prefix).next_back();
        if let (Some(last), false) = (last, added.is_empty()) {
            let number =
                keys::parse_chunk(&last.key()?).ok_or_else(|| ArchiveError::corrupted("invalid graph entry"))?;
            let edit = match edits.entry(number) {
                Entry::Occupied(edit) => edit.into_mut(),
                Entry::Vacant(entry) => entry.insert(ChunkEdit::from_chunk(self.chunk(number)?)),
            };
            let count = MAX_QUADS.saturating_sub(edit.now.len()).min(added.len());
            if count > 0 {
                edit.now.extend(added.drain(..count));
                edit.now.sort_unstable();
                edit.changed = true;
            }
        }
        Ok(added)
    }

    /// The quads of a graph with this subject, each with its chunk.
    fn subject_triples(
        &self,
        graph: TermId,
        subject: u64,
        edits: &mut BTreeMap<u64, ChunkEdit>,
    ) -> Result<HashMap<IdTriple, u64>, ArchiveError> {
        let mut found = HashMap::default();
        if TermId(subject).is_new(self.first_new_term) {
            return Ok(found);
        }
        for number in posting_entries(self.base, &PostingKey::Subject(subject).prefix()) {
            let number = number?;
            if let Some(chunk) = self.base.chunk(number)?
                && chunk.graph == graph.0
            {
                let now = &edits.entry(number).or_insert_with(|| ChunkEdit::from_chunk(chunk)).now;
                let begin = now.partition_point(|triple| triple[0] < subject);
                found.extend(
                    now[begin..].iter().take_while(|triple| triple[0] == subject).map(|&triple| (triple, number)),
                );
            }
        }
        Ok(found)
    }

    /// A chunk that a graph refers to; an error if it is missing.
    fn chunk(&self, number: u64) -> Result<Arc<Chunk>, ArchiveError> {
        let chunk = self.base.chunk(number)?;
        chunk.ok_or_else(|| ArchiveError::corrupted(format!("chunk {number} of a graph is missing")))
    }

    /// Rewrites a chunk, and adds and removes the postings that changed.
    fn write(&mut self, graph: TermId, number: u64, edit: &ChunkEdit) {
        if !edit.changed {
            return;
        }
        self.edits.add_difference(edit.before.iter().flat_map(|chunk| chunk.triples()), &edit.now);
        let tables = self.base.tables();
        let entry = keys::key(keys::GRAPH_CHUNK, &[graph.0, number]);
        if edit.now.is_empty() {
            self.batch.remove(&tables.chunks, keys::number_key(number));
            self.batch.remove(&tables.graphs, entry);
            self.removed.push(number);
            return;
        }
        self.batch.insert(&tables.chunks, keys::number_key(number), chunk::encode(graph.0, &edit.now));
        self.batch.insert(&tables.graphs, entry, varint::encode(edit.now.len() as u64));

        let now = keys::postings(edit.now.iter().copied());
        let before = edit.before.as_ref().map(|chunk| keys::postings(chunk.triples())).unwrap_or_default();
        for posting in now.iter().filter(|posting| before.binary_search(posting).is_err()) {
            self.batch.insert(&tables.postings, posting.key(number), []);
        }
        for posting in before.iter().filter(|posting| now.binary_search(posting).is_err()) {
            self.batch.remove(&tables.postings, posting.key(number));
        }
    }

    /// Adds `difference` to the number of quads with this predicate.
    fn count_predicate(&mut self, [_, predicate, _]: IdTriple, difference: i64) {
        *self.predicates.entry(predicate).or_default() += difference;
    }

    /// Makes the changes and new terms visible. Returns the removed chunks.
    pub(crate) fn finish(
        mut self,
        archive: &Archive,
        writer: &mut WriterState,
        new_terms: &NewTerms,
    ) -> Result<(Vec<ChunkRange>, CommitSummary), ArchiveError> {
        let removed = self.add_statistics()?;
        let mut next_chunk = self.run.next_chunk();
        std::mem::take(&mut self.edits).write(archive, self.base.tables(), &mut self.batch, &mut next_chunk);
        let counters = ArchiveCounters {
            next_term: new_terms.next(),
            next_chunk,
            quads: self.quads + self.summary.inserted - self.summary.removed,
        };
        let has_run = !self.run.quads().is_empty() || counters.next_term > new_terms.first;
        if self.batch.is_empty() && !has_run {
            return Ok((removed, self.summary));
        }
        self.batch.insert(&self.base.tables().meta, keys::COUNTERS, counters.encode());
        let tables = self.base.tables();
        if self.run.quads().len() < archive.options().min_ingested_quads {
            insert_terms(&mut self.batch, tables, new_terms);
            self.run.insert_into(&mut self.batch, tables);
            self.batch.commit()?;
            writer.counters = counters;
        } else {
            // If the run is undone, its numbers must not be reused.
            writer.counters = ArchiveCounters { quads: writer.counters.quads, ..counters };
            let Self { run, batch, .. } = self;
            if let Err(error) = ingest(archive, tables, &run, new_terms, batch, writer.counters) {
                archive.abort_load(writer);
                return Err(error);
            }
            writer.counters = counters;
        }
        writer.after_commit(tables)?;
        Ok((removed, self.summary))
    }

    /// Adds the changed numbers of quads by predicate, and the removed chunks, which it returns.
    fn add_statistics(&mut self) -> Result<Vec<ChunkRange>, ArchiveError> {
        let meta = &self.base.tables().meta;
        for (&predicate, &difference) in self.predicates.iter().filter(|(_, difference)| **difference != 0) {
            let key = keys::key(keys::PREDICATE, &[predicate]);
            let count = self.base.predicate_count(TermId(predicate))?.saturating_add_signed(difference);
            if count == 0 {
                self.batch.remove(meta, key);
            } else {
                self.batch.insert(meta, key, varint::encode(count));
            }
        }
        let removed = tombstones::to_ranges(std::mem::take(&mut self.removed));
        for &(first, last) in &removed {
            self.batch.insert(meta, keys::key(keys::TOMBSTONE, &[first]), last.to_be_bytes());
        }
        Ok(removed)
    }
}

/// Ingests a run, and publishes it with a batch. `counters` are those before the batch, with the
/// numbers of the run reserved.
fn ingest(
    archive: &Archive,
    tables: &ArchiveTables,
    run: &ChunkRun,
    new_terms: &NewTerms,
    mut batch: OwnedWriteBatch,
    counters: ArchiveCounters,
) -> Result<(), ArchiveError> {
    archive.mark_load(tables, run.first_chunk(), counters)?;
    ingest_terms(tables, new_terms)?;
    run.ingest(tables)?;
    batch.remove(&tables.meta, keys::BULK);
    Ok(archive.publish(|| batch.commit())?)
}

/// A chunk before and after an edit.
struct ChunkEdit {
    before: Option<Arc<Chunk>>,
    now: Vec<IdTriple>,
    changed: bool,
}

impl ChunkEdit {
    fn from_chunk(chunk: Arc<Chunk>) -> Self {
        Self { now: chunk.triples().collect(), before: Some(chunk), changed: false }
    }
}
