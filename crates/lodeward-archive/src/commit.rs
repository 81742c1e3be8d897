//! From changes of graphs to one batch of the database.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use fjall::{OwnedWriteBatch, PersistMode, Readable};
use foldhash::HashMap;

use crate::chunk::{self, Chunk, QUADS_MAX, Triple};
use crate::counters::Counters;
use crate::dictionary::Fresh;
use crate::error::ArchiveError;
use crate::graves::{self, Range};
use crate::keys::{self, Posting};
use crate::overlay::GraphChange;
use crate::scan::posting_entries;
use crate::snapshot::Snapshot;
use crate::term::TermId;
use crate::working::Working;
use crate::{Committed, number};

/// A graph of no more chunks than this is looked through for what is to change.
const SMALL_GRAPH: usize = 4;

/// A batch in the making.
pub(crate) struct Commit<'a> {
    base: &'a Snapshot,
    batch: OwnedWriteBatch,
    counters: Counters,
    /// Terms from here on are new, so no chunk has them.
    term_fresh: u64,
    /// By predicate, how many quads more or less have it.
    predicates: HashMap<u64, i64>,
    killed: Vec<u64>,
    done: Committed,
}

impl<'a> Commit<'a> {
    pub(crate) fn new(base: &'a Snapshot, counters: Counters, term_fresh: u64) -> Self {
        let batch = base.tables().database.batch().durability(Some(PersistMode::Buffer));
        let (predicates, killed, done) = (HashMap::default(), Vec::new(), Committed::default());
        Self { base, batch, counters, term_fresh, predicates, killed, done }
    }

    /// An entry of a document or member is there or not.
    pub(crate) fn member(&mut self, key: &[u8], present: bool) -> Result<(), ArchiveError> {
        let graphs = &self.base.tables().graphs;
        let before = self.base.view().contains_key(graphs, key)?;
        match present {
            true if !before => self.batch.insert(graphs, key, []),
            false if before => self.batch.remove(graphs, key),
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn note(&mut self, key: &[u8], note: Option<&[u8]>) {
        let meta = &self.base.tables().meta;
        match note {
            Some(note) => self.batch.insert(meta, key, note),
            None => self.batch.remove(meta, key),
        }
    }

    /// New terms.
    pub(crate) fn terms(&mut self, fresh: &Fresh) {
        let tables = self.base.tables();
        for (id, bytes) in fresh.terms() {
            self.batch.insert(&tables.terms, keys::plain(id), bytes);
        }
        for (hash, id) in fresh.hashes() {
            self.batch.insert(&tables.ids, hash.to_be_bytes(), number::bytes(id));
        }
        self.counters.term_next = fresh.next();
    }

    /// What becomes of a graph.
    pub(crate) fn graph(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        if let Some(exists) = change.exists
            && exists != self.base.has_graph(graph)?
        {
            let (graphs, key) = (&self.base.tables().graphs, keys::key(keys::GRAPH, &[graph.0]));
            if exists { self.batch.insert(graphs, key, []) } else { self.batch.remove(graphs, key) }
        }
        if change.cleared { self.replace(graph, change) } else { self.amend(graph, change) }
    }

    /// Puts quads in place of everything in a graph, in the same chunks as far
    /// as they go: of a document that changed a little, little is written.
    fn replace(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        let now: Vec<Triple> = change.present().collect();
        let (mut before, mut kept) = (0, 0);
        for &triple in &now {
            self.count(triple, 1);
        }
        let mut groups = now.chunks(QUADS_MAX);
        for entry in self.base.graph_chunks(graph) {
            let (number, _) = entry?;
            let chunk = self.chunk(number)?;
            let group = groups.next().unwrap_or_default();
            let changed = group.len() != chunk.len() || !chunk.triples().eq(group.iter().copied());
            before += chunk.len() as u64;
            for triple in chunk.triples() {
                self.count(triple, -1);
                kept += u64::from(change.triples.get(&triple) == Some(&true));
            }
            self.write(graph, number, &Working { before: Some(chunk), now: group.to_vec(), changed });
        }
        for group in groups {
            self.write_new(graph, group);
        }
        self.done.inserted += now.len() as u64 - kept;
        self.done.removed += before - kept;
        Ok(())
    }

    /// Adds and removes single quads.
    fn amend(&mut self, graph: TermId, change: &GraphChange) -> Result<(), ArchiveError> {
        if change.triples.is_empty() {
            return Ok(());
        }
        let first: Vec<u64> = self
            .base
            .graph_chunks(graph)
            .take(SMALL_GRAPH + 1)
            .map(|entry| Ok(entry?.0))
            .collect::<Result<_, ArchiveError>>()?;
        let small = first.len() <= SMALL_GRAPH;
        let mut workings = BTreeMap::new();
        if small {
            for &number in &first {
                workings.insert(number, Working::of(self.chunk(number)?));
            }
        }
        let mut added = Vec::new();
        let mut about: (u64, HashMap<Triple, u64>) = (u64::MAX, HashMap::default());
        for (triple, &present) in &change.triples {
            let subject = triple[0];
            if !small && about.0 != subject {
                about = (subject, self.triples_of(graph, subject, &mut workings)?);
            }
            let place = if small {
                first.iter().find(|&number| workings[number].now.binary_search(triple).is_ok()).copied()
            } else {
                about.1.get(triple).copied()
            };
            match (place, present) {
                (Some(number), false) => {
                    let working = workings.get_mut(&number).expect("it was looked at");
                    working.now.retain(|kept| kept != triple);
                    working.changed = true;
                    self.done.removed += 1;
                    self.count(*triple, -1);
                }
                (None, true) => {
                    added.push(*triple);
                    self.done.inserted += 1;
                    self.count(*triple, 1);
                }
                _ => {}
            }
        }
        let rest = self.fill_up(graph, &mut workings, added)?;
        for (number, working) in &workings {
            self.write(graph, *number, working);
        }
        for group in rest.chunks(QUADS_MAX) {
            self.write_new(graph, group);
        }
        Ok(())
    }

    /// Puts quads into the room that the last chunk of a graph has. Gives back
    /// what is left.
    fn fill_up(
        &self,
        graph: TermId,
        workings: &mut BTreeMap<u64, Working>,
        mut added: Vec<Triple>,
    ) -> Result<Vec<Triple>, ArchiveError> {
        let prefix = keys::key(keys::GRAPH_CHUNK, &[graph.0]);
        let last = self.base.view().prefix(&self.base.tables().graphs, prefix).next_back();
        if let (Some(last), false) = (last, added.is_empty()) {
            let number = keys::chunk(&last.key()?).ok_or_else(|| ArchiveError::corrupted("an entry of a graph"))?;
            let working = match workings.entry(number) {
                Entry::Occupied(working) => working.into_mut(),
                Entry::Vacant(place) => place.insert(Working::of(self.chunk(number)?)),
            };
            let room = QUADS_MAX.saturating_sub(working.now.len()).min(added.len());
            if room > 0 {
                working.now.extend(added.drain(..room));
                working.now.sort_unstable();
                working.changed = true;
            }
        }
        Ok(added)
    }

    /// The quads of a graph that have a subject, and which chunk each is in.
    fn triples_of(
        &self,
        graph: TermId,
        subject: u64,
        workings: &mut BTreeMap<u64, Working>,
    ) -> Result<HashMap<Triple, u64>, ArchiveError> {
        let mut found = HashMap::default();
        if TermId(subject).is_in_dictionary() && subject >= self.term_fresh {
            return Ok(found);
        }
        for number in posting_entries(self.base, &Posting::Subject(subject).prefix()) {
            let number = number?;
            if let Some(chunk) = self.base.chunk(number)?
                && chunk.graph == graph.0
            {
                let now = &workings.entry(number).or_insert_with(|| Working::of(chunk)).now;
                let begin = now.partition_point(|triple| triple[0] < subject);
                found.extend(
                    now[begin..].iter().take_while(|triple| triple[0] == subject).map(|&triple| (triple, number)),
                );
            }
        }
        Ok(found)
    }

    /// A chunk that a graph has.
    fn chunk(&self, number: u64) -> Result<Arc<Chunk>, ArchiveError> {
        let chunk = self.base.chunk(number)?;
        chunk.ok_or_else(|| ArchiveError::corrupted(format!("a graph has lost its chunk {number}")))
    }

    fn write_new(&mut self, graph: TermId, now: &[Triple]) {
        let number = self.counters.chunk_next;
        self.counters.chunk_next += 1;
        self.write(graph, number, &Working { before: None, now: now.to_vec(), changed: true });
    }

    /// Writes a chunk, and the postings by which it differs from before.
    fn write(&mut self, graph: TermId, number: u64, working: &Working) {
        if !working.changed {
            return;
        }
        let tables = self.base.tables();
        let entry = keys::key(keys::GRAPH_CHUNK, &[graph.0, number]);
        if working.now.is_empty() {
            self.batch.remove(&tables.chunks, keys::plain(number));
            self.batch.remove(&tables.graphs, entry);
            self.killed.push(number);
            return;
        }
        self.batch.insert(&tables.chunks, keys::plain(number), chunk::encode(graph.0, &working.now));
        self.batch.insert(&tables.graphs, entry, number::bytes(working.now.len() as u64));

        let now = keys::postings(working.now.iter().copied());
        let before = working.before.as_ref().map(|chunk| keys::postings(chunk.triples())).unwrap_or_default();
        for posting in now.iter().filter(|posting| before.binary_search(posting).is_err()) {
            self.batch.insert(&tables.postings, posting.key(number), []);
        }
        for posting in before.iter().filter(|posting| now.binary_search(posting).is_err()) {
            self.batch.remove(&tables.postings, posting.key(number));
        }
    }

    /// Counts a quad that comes or goes.
    fn count(&mut self, [_, predicate, _]: Triple, difference: i64) {
        *self.predicates.entry(predicate).or_default() += difference;
    }

    /// Writes the batch. Gives back the counters that hold now, and the chunks
    /// that are gone.
    pub(crate) fn finish(mut self) -> Result<(Counters, Vec<Range>, Committed), ArchiveError> {
        let meta = &self.base.tables().meta;
        for (&predicate, &difference) in self.predicates.iter().filter(|(_, difference)| **difference != 0) {
            let key = keys::key(keys::PREDICATE, &[predicate]);
            let count = self.base.predicate_count(TermId(predicate))?.saturating_add_signed(difference);
            if count == 0 {
                self.batch.remove(meta, key);
            } else {
                self.batch.insert(meta, key, number::bytes(count));
            }
        }
        let killed = graves::ranges(std::mem::take(&mut self.killed));
        for &(first, last) in &killed {
            self.batch.insert(meta, keys::key(keys::GRAVE, &[first]), last.to_be_bytes());
        }
        self.counters.quads = self.counters.quads + self.done.inserted - self.done.removed;
        if !self.batch.is_empty() {
            self.batch.insert(meta, keys::COUNTERS, self.counters.encode());
            self.batch.commit()?;
            self.base.tables().let_catch_up();
        }
        Ok((self.counters, killed, self.done))
    }
}
