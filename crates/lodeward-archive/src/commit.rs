//! Translating graph changes into one database batch.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use fjall::{OwnedWriteBatch, PersistMode, Readable};
use foldhash::HashMap;

use crate::chunk::{self, Chunk, IdTriple, MAX_QUADS};
use crate::dictionary::NewTerms;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::overlay::GraphChange;
use crate::scan::posting_entries;
use crate::snapshot::Snapshot;
use crate::tables::ArchiveCounters;
use crate::term::TermId;
use crate::tombstones::{self, ChunkRange};
use crate::{CommitSummary, varint};

/// If a graph has at most this many chunks, all of them are searched for the changed quads.
const MAX_SMALL_GRAPH_CHUNKS: usize = 4;

/// A batch that is being built.
pub(crate) struct CommitBatch<'a> {
    base: &'a Snapshot,
    batch: OwnedWriteBatch,
    counters: ArchiveCounters,
    /// Terms from this id on are new, so no chunk contains them.
    first_new_term: u64,
    /// The change in the number of quads, by predicate.
    predicates: HashMap<u64, i64>,
    removed: Vec<u64>,
    summary: CommitSummary,
}

impl<'a> CommitBatch<'a> {
    pub(crate) fn new(base: &'a Snapshot, counters: ArchiveCounters, first_new_term: u64) -> Self {
        let batch = base.tables().database.batch().durability(Some(PersistMode::Buffer));
        let (predicates, removed, summary) = (HashMap::default(), Vec::new(), CommitSummary::default());
        Self { base, batch, counters, first_new_term, predicates, removed, summary }
    }

    /// Adds or removes a document or member entry.
    pub(crate) fn set_member(&mut self, key: &[u8], present: bool) -> Result<(), ArchiveError> {
        let graphs = &self.base.tables().graphs;
        let before = self.base.view().contains_key(graphs, key)?;
        match present {
            true if !before => self.batch.insert(graphs, key, []),
            false if before => self.batch.remove(graphs, key),
            _ => {}
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

    /// Adds terms to the dictionary.
    pub(crate) fn add_terms(&mut self, new_terms: &NewTerms) {
        let tables = self.base.tables();
        for (id, bytes) in new_terms.terms() {
            self.batch.insert(&tables.terms, keys::number_key(id), bytes);
        }
        for (hash, id) in new_terms.hashes() {
            self.batch.insert(&tables.ids, hash.to_be_bytes(), varint::encode(id));
        }
        self.counters.next_term = new_terms.next();
    }

    /// Adds the changes of one graph.
    pub(crate) fn apply_graph_change(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        if let Some(exists) = change.exists
            && exists != self.base.has_graph(graph)?
        {
            let (graphs, key) = (&self.base.tables().graphs, keys::key(keys::GRAPH, &[graph.0]));
            if exists { self.batch.insert(graphs, key, []) } else { self.batch.remove(graphs, key) }
        }
        if change.cleared { self.replace_graph(graph, change) } else { self.update_graph(graph, change) }
    }

    /// Replaces all quads of a graph. Existing chunks are reused in order and rewritten only if
    /// they differ, so a document that changed a little causes few writes.
    fn replace_graph(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        let now: Vec<IdTriple> = change.added_triples().collect();
        let (mut before, mut unchanged) = (0, 0);
        for &triple in &now {
            self.count_predicate(triple, 1);
        }
        let mut groups = now.chunks(MAX_QUADS);
        for entry in self.base.graph_chunks(graph) {
            let (number, _) = entry?;
            let chunk = self.chunk(number)?;
            let group = groups.next().unwrap_or_default();
            let changed = group.len() != chunk.len() || !chunk.triples().eq(group.iter().copied());
            before += chunk.len() as u64;
            for triple in chunk.triples() {
                self.count_predicate(triple, -1);
                unchanged += u64::from(change.triples.get(&triple) == Some(&true));
            }
            self.write(graph, number, &ChunkEdit { before: Some(chunk), now: group.to_vec(), changed });
        }
        for group in groups {
            self.write_new_chunk(graph, group);
        }
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
        for (triple, &present) in &change.triples {
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
        for group in rest.chunks(MAX_QUADS) {
            self.write_new_chunk(graph, group);
        }
        Ok(())
    }

    /// Adds quads to the last chunk of a graph until it is full. Returns the rest.
    fn fill_last_chunk(
        &self,
        graph: TermId,
        edits: &mut BTreeMap<u64, ChunkEdit>,
        mut added: Vec<IdTriple>,
    ) -> Result<Vec<IdTriple>, ArchiveError> {
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
        if TermId(subject).is_in_dictionary() && subject >= self.first_new_term {
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

    fn write_new_chunk(&mut self, graph: TermId, now: &[IdTriple]) {
        let number = self.counters.next_chunk;
        self.counters.next_chunk += 1;
        self.write(graph, number, &ChunkEdit { before: None, now: now.to_vec(), changed: true });
    }

    /// Writes a chunk, and adds and removes the postings that changed.
    fn write(&mut self, graph: TermId, number: u64, edit: &ChunkEdit) {
        if !edit.changed {
            return;
        }
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

    /// Commits the batch. Returns the new counters and the removed chunks.
    pub(crate) fn finish(mut self) -> Result<(ArchiveCounters, Vec<ChunkRange>, CommitSummary), ArchiveError> {
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
        self.counters.quads = self.counters.quads + self.summary.inserted - self.summary.removed;
        if !self.batch.is_empty() {
            self.batch.insert(meta, keys::COUNTERS, self.counters.encode());
            self.batch.commit()?;
            self.base.tables().wait_for_flushes()?;
        }
        Ok((self.counters, removed, self.summary))
    }
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
