//! Sorting and ingesting one run of a bulk load.

use fjall::Keyspace;
use foldhash::HashMap;

use crate::chunk::{self, IdTriple, MAX_QUADS};
use crate::dictionary::NewTerms;
use crate::error::ArchiveError;
use crate::keys::{self, PostingKey};
use crate::scan::IdPattern;
use crate::snapshot::Snapshot;
use crate::tables::ArchiveTables;
use crate::term::TermId;
use crate::varint;

/// A run: sorted new quads of all graphs, split into chunks.
pub(super) struct SortedRun {
    quads: Vec<[u64; 4]>,
    /// The end of each chunk, as an index into `quads`.
    ends: Vec<usize>,
    first_chunk: u64,
    /// Graphs that are new to the archive, each with its first chunk.
    new_graphs: Vec<(u64, u64)>,
    pub(super) predicates: Vec<(u64, u64)>,
    pub(super) inserted: u64,
}

impl SortedRun {
    /// Sorts the quads, omits those that `existing` contains, and splits the rest into chunks.
    /// Terms from `first_new_term` on are new to the archive, and so are graphs that `everything`
    /// does not contain.
    pub(super) fn new(
        mut quads: Vec<[u64; 4]>,
        existing: &Snapshot,
        everything: &Snapshot,
        first_new_term: u64,
        first_chunk: u64,
    ) -> Result<Self, ArchiveError> {
        quads.sort_unstable();
        quads.dedup();
        remove_existing(&mut quads, existing, first_new_term)?;
        let mut predicates: HashMap<u64, u64> = HashMap::default();
        for quad in &quads {
            *predicates.entry(quad[2]).or_default() += 1;
        }
        let (mut ends, mut new_graphs, mut end) = (Vec::new(), Vec::new(), 0);
        for graph in quads.chunk_by(|one, other| one[0] == other[0]) {
            let name = TermId(graph[0][0]);
            if name != TermId::DEFAULT_GRAPH && (is_new_term(name.0, first_new_term) || !everything.has_graph(name)?) {
                new_graphs.push((name.0, first_chunk + ends.len() as u64));
            }
            for group in graph.chunks(MAX_QUADS) {
                end += group.len();
                ends.push(end);
            }
        }
        let (predicates, inserted) = (predicates.into_iter().collect(), quads.len() as u64);
        Ok(Self { quads, ends, first_chunk, new_graphs, predicates, inserted })
    }

    /// The number of the next chunk after this run.
    pub(super) fn next_chunk(&self) -> u64 {
        self.first_chunk + self.ends.len() as u64
    }

    /// The chunks: the number and the quads of each. All quads of a chunk are in one graph.
    fn chunks(&self) -> impl Iterator<Item = (u64, &[[u64; 4]])> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).zip(self.first_chunk..).map(|((begin, &end), number)| (number, &self.quads[begin..end]))
    }

    /// Writes the run into the tables. Chunks go first, so that after a crash every other entry
    /// belongs to an existing chunk. Returns the buffer of the quads for reuse.
    pub(super) fn ingest(self, tables: &ArchiveTables) -> Result<Vec<[u64; 4]>, ArchiveError> {
        if !self.quads.is_empty() {
            self.ingest_chunks(&tables.chunks)?;
            self.ingest_graphs(&tables.graphs)?;
            self.ingest_postings(&tables.postings)?;
        }
        let mut quads = self.quads;
        quads.clear();
        Ok(quads)
    }

    fn ingest_chunks(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        let mut ingestion = table.start_ingestion()?;
        let mut triples: Vec<IdTriple> = Vec::with_capacity(MAX_QUADS);
        for (number, quads) in self.chunks() {
            triples.clear();
            triples.extend(quads.iter().map(|&[_, subject, predicate, object]| [subject, predicate, object]));
            ingestion.write(keys::number_key(number), chunk::encode(quads[0][0], &triples))?;
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
        let mut postings: Vec<(PostingKey, u64)> = Vec::with_capacity(2 * self.quads.len());
        for (number, quads) in self.chunks() {
            let mut chunk_postings = keys::postings(quads.iter().map(|&[_, s, p, o]| [s, p, o]));
            postings.extend(chunk_postings.drain(..).map(|posting| (posting, number)));
        }
        postings.sort_unstable();
        let mut ingestion = table.start_ingestion()?;
        for (posting, number) in postings {
            ingestion.write(posting.key(number), [])?;
        }
        Ok(ingestion.finish()?)
    }
}

fn is_new_term(id: u64, first_new_term: u64) -> bool {
    TermId(id).is_in_dictionary() && id >= first_new_term
}

/// Removes quads that the archive already contains. Most runs have none, and for most quads no
/// lookup is needed: their graph or one of their terms is new.
fn remove_existing(quads: &mut Vec<[u64; 4]>, known: &Snapshot, first_new_term: u64) -> Result<(), ArchiveError> {
    let mut last_graph: Option<(u64, bool)> = None;
    let mut failure = None;
    let mut exists = |&[graph, subject, predicate, object]: &[u64; 4]| -> Result<bool, ArchiveError> {
        let old_graph = match last_graph {
            Some((last, old)) if last == graph => old,
            _ => !is_new_term(graph, first_new_term) && known.graph_chunks(TermId(graph)).next().transpose()?.is_some(),
        };
        last_graph = Some((graph, old_graph));
        if !old_graph || [subject, predicate, object].iter().any(|&id| is_new_term(id, first_new_term)) {
            return Ok(false);
        }
        let terms = [Some(subject), Some(predicate), Some(object)];
        Ok(known.scan(IdPattern { terms, graph: Some(TermId(graph)) }).next().transpose()?.is_some())
    };
    quads.retain(|quad| {
        let known = exists(quad);
        known.map_or_else(
            |error| {
                failure = Some(error);
                true
            },
            |known| !known,
        )
    });
    failure.map_or(Ok(()), Err)
}

/// Writes new terms into the dictionary.
pub(super) fn ingest_terms(tables: &ArchiveTables, new_terms: &NewTerms) -> Result<(), ArchiveError> {
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
