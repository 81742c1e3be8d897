//! Runs: new chunks in the order of their keys.
//!
//! A small run is inserted into a batch, which goes through the journal and the memtables. A large
//! run is *ingested*: it is written as sorted tables, without journal and memtables, which costs a
//! fraction per entry, but a few files per table. The tables are written one after another, so
//! ingesting is not atomic by itself: the chunks of the run are hidden until they are
//! published (`Archive::publish`).

use fjall::{Keyspace, OwnedWriteBatch, Slice};

use crate::chunk::{self, IdTriple, MAX_QUADS};
use crate::dictionary::NewTerms;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::tables::ArchiveTables;
use crate::varint;

/// New chunks, sorted by graph, with consecutive numbers.
#[derive(Default)]
pub(crate) struct ChunkRun {
    /// Graph, subject, predicate and object of the quads of all chunks.
    quads: Vec<[u64; 4]>,
    /// The end of each chunk, as an index into `quads`.
    ends: Vec<usize>,
    first_chunk: u64,
    /// Graphs that are new to the archive, each with its first chunk.
    new_graphs: Vec<(u64, u64)>,
}

impl ChunkRun {
    /// An empty run, whose chunks are numbered from `first_chunk` on.
    pub(crate) fn new(first_chunk: u64) -> Self {
        Self { first_chunk, ..Self::default() }
    }

    /// A run of quads that are sorted and distinct. `is_new` returns whether a graph is new to the
    /// archive.
    pub(crate) fn from_sorted(
        quads: Vec<[u64; 4]>,
        first_chunk: u64,
        mut is_new: impl FnMut(u64) -> Result<bool, ArchiveError>,
    ) -> Result<Self, ArchiveError> {
        let (mut ends, mut new_graphs, mut end) = (Vec::new(), Vec::new(), 0);
        for graph in quads.chunk_by(|one, other| one[0] == other[0]) {
            if is_new(graph[0][0])? {
                new_graphs.push((graph[0][0], first_chunk + ends.len() as u64));
            }
            for group in graph.chunks(MAX_QUADS) {
                end += group.len();
                ends.push(end);
            }
        }
        Ok(Self { quads, ends, first_chunk, new_graphs })
    }

    /// Adds the chunks of sorted and distinct triples of a graph. Graphs are added in order.
    pub(crate) fn push_graph(&mut self, graph: u64, triples: &[IdTriple]) {
        for group in triples.chunks(MAX_QUADS) {
            self.quads.extend(group.iter().map(|&[subject, predicate, object]| [graph, subject, predicate, object]));
            self.ends.push(self.quads.len());
        }
    }

    /// Records that the graph that is added next is new to the archive.
    pub(crate) fn push_new_graph(&mut self, graph: u64) {
        self.new_graphs.push((graph, self.next_chunk()));
    }

    /// The number of the next chunk after this run.
    pub(crate) fn next_chunk(&self) -> u64 {
        self.first_chunk + self.ends.len() as u64
    }

    pub(crate) fn first_chunk(&self) -> u64 {
        self.first_chunk
    }

    /// The quads, in the order of the chunks.
    pub(crate) fn quads(&self) -> &[[u64; 4]] {
        &self.quads
    }

    /// The chunks: the number and the quads of each. All quads of a chunk are in one graph.
    fn chunks(&self) -> impl Iterator<Item = (u64, &[[u64; 4]])> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).zip(self.first_chunk..).map(|((begin, &end), number)| (number, &self.quads[begin..end]))
    }

    /// Inserts the run into a batch.
    pub(crate) fn insert_into(&self, batch: &mut OwnedWriteBatch, tables: &ArchiveTables) {
        for &(graph, _) in &self.new_graphs {
            batch.insert(&tables.graphs, keys::key(keys::GRAPH, &[graph]), []);
        }
        let mut triples = Vec::with_capacity(MAX_QUADS);
        for (number, quads) in self.chunks() {
            let graph = quads[0][0];
            batch.insert(&tables.chunks, keys::number_key(number), encode(quads, &mut triples));
            let count = varint::encode(quads.len() as u64);
            batch.insert(&tables.graphs, keys::key(keys::GRAPH_CHUNK, &[graph, number]), count);
            for posting in keys::postings(triples.iter().copied()) {
                batch.insert(&tables.postings, posting.key(number), []);
            }
        }
    }

    /// Ingests the run. Chunks go first, so that after a crash every other entry belongs to an
    /// existing chunk.
    pub(crate) fn ingest(&self, tables: &ArchiveTables) -> Result<(), ArchiveError> {
        if !self.quads.is_empty() {
            self.ingest_chunks(&tables.chunks)?;
            self.ingest_graphs(&tables.graphs)?;
            self.ingest_postings(&tables.postings)?;
        }
        Ok(())
    }

    /// The buffer of the quads, for reuse.
    pub(crate) fn into_buffer(self) -> Vec<[u64; 4]> {
        let mut quads = self.quads;
        quads.clear();
        quads
    }

    fn ingest_chunks(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        let mut ingestion = table.start_ingestion()?;
        let mut triples = Vec::with_capacity(MAX_QUADS);
        for (number, quads) in self.chunks() {
            ingestion.write(keys::number_key(number), encode(quads, &mut triples))?;
        }
        Ok(ingestion.finish()?)
    }

    fn ingest_graphs(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        let mut ingestion = table.start_ingestion()?;
        // Chunks are sorted by graph and number, which is the order of the keys.
        for (number, quads) in self.chunks() {
            let count = varint::encode(quads.len() as u64);
            ingestion.write(keys::key(keys::GRAPH_CHUNK, &[quads[0][0], number]), count)?;
        }
        for &(graph, since) in &self.new_graphs {
            ingestion.write(keys::key(keys::GRAPH, &[graph]), varint::encode(since))?;
        }
        Ok(ingestion.finish()?)
    }

    fn ingest_postings(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        // Kinds are sorted one after another, in the order of their keys: this takes less memory and
        // time than sorting all of them together.
        let mut ingestion = table.start_ingestion()?;
        let mut write = |key: &[u8]| ingestion.write(Slice::from(key), Slice::empty());
        let mut objects = Vec::with_capacity(self.quads.len());
        for (number, quads) in self.chunks() {
            objects.extend(quads.iter().map(|&[_, _, predicate, object]| [object, predicate, number]));
        }
        objects.sort_unstable();
        objects.dedup();
        write_postings(&mut write, &objects, |[object, predicate, _]| PostingKey::Object(object, predicate))?;
        drop(objects);
        let mut predicates = self.distinct_by_chunk(|&[_, _, predicate, _]| predicate);
        predicates.sort_unstable();
        write_postings(&mut write, &predicates, |[predicate, _]| PostingKey::Predicate(predicate))?;
        drop(predicates);
        let mut subjects = self.distinct_by_chunk(|&[_, subject, _, _]| subject);
        subjects.sort_unstable();
        write_postings(&mut write, &subjects, |[subject, _]| PostingKey::Subject(subject))?;
        Ok(ingestion.finish()?)
    }

    /// The distinct terms of each chunk in one role, each with the number of the chunk.
    fn distinct_by_chunk(&self, term: impl Fn(&[u64; 4]) -> u64) -> Vec<[u64; 2]> {
        let (mut found, mut terms) = (Vec::new(), Vec::with_capacity(MAX_QUADS));
        for (number, quads) in self.chunks() {
            terms.clear();
            terms.extend(quads.iter().map(&term));
            terms.sort_unstable();
            terms.dedup();
            found.extend(terms.iter().map(|&term| [term, number]));
        }
        found
    }
}

/// Writes sorted postings. The last number of each is its chunk.
fn write_postings<const N: usize>(
    write: &mut impl FnMut(&[u8]) -> Result<(), fjall::Error>,
    postings: &[[u64; N]],
    posting: impl Fn([u64; N]) -> PostingKey,
) -> Result<(), ArchiveError> {
    let mut key = Vec::with_capacity(32);
    for &numbers in postings {
        posting(numbers).write_key(numbers[N - 1], &mut key);
        write(&key)?;
    }
    Ok(())
}

/// Packs the quads of a chunk. Leaves their triples in `triples`.
fn encode(quads: &[[u64; 4]], triples: &mut Vec<IdTriple>) -> Vec<u8> {
    triples.clear();
    triples.extend(quads.iter().map(|&[_, subject, predicate, object]| [subject, predicate, object]));
    chunk::encode(quads[0][0], triples)
}

/// Inserts new terms of the dictionary into a batch.
pub(crate) fn insert_terms(batch: &mut OwnedWriteBatch, tables: &ArchiveTables, new_terms: &NewTerms) {
    for (id, bytes) in new_terms.terms() {
        batch.insert(&tables.terms, keys::number_key(id), bytes);
    }
    for (hash, id) in new_terms.hashes() {
        batch.insert(&tables.ids, hash.to_be_bytes(), varint::encode(id));
    }
}

/// Ingests new terms of the dictionary.
pub(crate) fn ingest_terms(tables: &ArchiveTables, new_terms: &NewTerms) -> Result<(), ArchiveError> {
    if new_terms.next() == new_terms.first {
        return Ok(());
    }
    let mut ingestion = tables.terms.start_ingestion()?;
    for (id, bytes) in new_terms.terms() {
        ingestion.write(keys::number_key(id), bytes)?;
    }
    ingestion.finish()?;
    let mut hashes: Vec<(u128, u64)> = new_terms.hashes().collect();
    hashes.sort_unstable();
    let mut ingestion = tables.ids.start_ingestion()?;
    for (hash, id) in hashes {
        ingestion.write(hash.to_be_bytes(), varint::encode(id))?;
    }
    Ok(ingestion.finish()?)
}
