//! Quads that are sorted and written together.

use fjall::Keyspace;
use foldhash::HashMap;

use crate::chunk::{self, QUADS_MAX, Triple};
use crate::dictionary::Fresh;
use crate::error::ArchiveError;
use crate::keys::{self, Posting};
use crate::number;
use crate::scan::Pattern;
use crate::snapshot::Snapshot;
use crate::tables::Tables;
use crate::term::TermId;

/// A run: new quads of all graphs, in order, cut into chunks.
pub(super) struct Run {
    quads: Vec<[u64; 4]>,
    /// Where each chunk ends.
    ends: Vec<usize>,
    chunk_first: u64,
    /// Graphs that have no entry yet, and their first chunk.
    graphs_new: Vec<(u64, u64)>,
    pub(super) predicates: Vec<(u64, u64)>,
    pub(super) inserted: u64,
}

impl Run {
    /// Sorts quads, leaves out those that `kept` has, and cuts the rest into
    /// chunks. Terms from `term_fresh` on are new to the archive, and graphs that
    /// `everything` does not have.
    pub(super) fn new(
        mut quads: Vec<[u64; 4]>,
        kept: &Snapshot,
        everything: &Snapshot,
        term_fresh: u64,
        chunk_first: u64,
    ) -> Result<Self, ArchiveError> {
        quads.sort_unstable();
        quads.dedup();
        leave_out_known(&mut quads, kept, term_fresh)?;
        let mut predicates: HashMap<u64, u64> = HashMap::default();
        for quad in &quads {
            *predicates.entry(quad[2]).or_default() += 1;
        }
        let (mut ends, mut graphs_new, mut end) = (Vec::new(), Vec::new(), 0);
        for graph in quads.chunk_by(|one, other| one[0] == other[0]) {
            let name = TermId(graph[0][0]);
            if name != TermId::DEFAULT_GRAPH && (is_fresh(name.0, term_fresh) || !everything.has_graph(name)?) {
                graphs_new.push((name.0, chunk_first + ends.len() as u64));
            }
            for group in graph.chunks(QUADS_MAX) {
                end += group.len();
                ends.push(end);
            }
        }
        let (predicates, inserted) = (predicates.into_iter().collect(), quads.len() as u64);
        Ok(Self { quads, ends, chunk_first, graphs_new, predicates, inserted })
    }

    /// The number after that of the last chunk.
    pub(super) fn chunk_next(&self) -> u64 {
        self.chunk_first + self.ends.len() as u64
    }

    /// The chunks: number, and quads of one graph.
    fn chunks(&self) -> impl Iterator<Item = (u64, &[[u64; 4]])> {
        let begins = std::iter::once(0).chain(self.ends.iter().copied());
        begins.zip(&self.ends).zip(self.chunk_first..).map(|((begin, &end), number)| (number, &self.quads[begin..end]))
    }

    /// Puts everything into the tables: chunks first, so that whatever else is
    /// there after a crash belongs to a chunk that is. Gives back the memory of
    /// the quads.
    pub(super) fn ingest(self, tables: &Tables) -> Result<Vec<[u64; 4]>, ArchiveError> {
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
        let mut triples: Vec<Triple> = Vec::with_capacity(QUADS_MAX);
        for (number, quads) in self.chunks() {
            triples.clear();
            triples.extend(quads.iter().map(|&[_, subject, predicate, object]| [subject, predicate, object]));
            ingestion.write(keys::plain(number), chunk::encode(quads[0][0], &triples))?;
        }
        Ok(ingestion.finish()?)
    }

    fn ingest_graphs(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        let mut ingestion = table.start_ingestion()?;
        // By graph and number, and so in the order of the keys.
        for (number, quads) in self.chunks() {
            let count = number::bytes(quads.len() as u64);
            ingestion.write(keys::key(keys::GRAPH_CHUNK, &[quads[0][0], number]), count)?;
        }
        for &(graph, since) in &self.graphs_new {
            ingestion.write(keys::key(keys::GRAPH, &[graph]), number::bytes(since))?;
        }
        Ok(ingestion.finish()?)
    }

    fn ingest_postings(&self, table: &Keyspace) -> Result<(), ArchiveError> {
        let mut postings: Vec<(Posting, u64)> = Vec::with_capacity(2 * self.quads.len());
        for (number, quads) in self.chunks() {
            let mut gathered = keys::postings(quads.iter().map(|&[_, s, p, o]| [s, p, o]));
            postings.extend(gathered.drain(..).map(|posting| (posting, number)));
        }
        postings.sort_unstable();
        let mut ingestion = table.start_ingestion()?;
        for (posting, number) in postings {
            ingestion.write(posting.key(number), [])?;
        }
        Ok(ingestion.finish()?)
    }
}

fn is_fresh(id: u64, term_fresh: u64) -> bool {
    TermId(id).is_in_dictionary() && id >= term_fresh
}

/// Leaves out quads that are there already. Most runs have none, and for most
/// quads that is clear at once: something about them is new.
fn leave_out_known(quads: &mut Vec<[u64; 4]>, known: &Snapshot, term_fresh: u64) -> Result<(), ArchiveError> {
    let mut about: Option<(u64, bool)> = None;
    let mut failure = None;
    let mut exists = |&[graph, subject, predicate, object]: &[u64; 4]| -> Result<bool, ArchiveError> {
        let old_graph = match about {
            Some((last, old)) if last == graph => old,
            _ => !is_fresh(graph, term_fresh) && known.graph_chunks(TermId(graph)).next().transpose()?.is_some(),
        };
        about = Some((graph, old_graph));
        if !old_graph || [subject, predicate, object].iter().any(|&id| is_fresh(id, term_fresh)) {
            return Ok(false);
        }
        let terms = [Some(subject), Some(predicate), Some(object)];
        Ok(known.scan(Pattern { terms, graph: Some(TermId(graph)) }).next().transpose()?.is_some())
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

/// Puts new terms into the dictionary.
pub(super) fn ingest_terms(tables: &Tables, fresh: &Fresh) -> Result<(), ArchiveError> {
    if fresh.next() == fresh.first {
        return Ok(());
    }
    let mut ingestion = tables.terms.start_ingestion()?;
    for (id, bytes) in fresh.terms() {
        ingestion.write(keys::plain(id), bytes)?;
    }
    ingestion.finish()?;
    let mut hashes: Vec<(u128, u64)> = fresh.hashes().collect();
    hashes.sort_unstable();
    let mut ingestion = tables.ids.start_ingestion()?;
    for (hash, id) in hashes {
        ingestion.write(hash.to_be_bytes(), number::bytes(id))?;
    }
    Ok(ingestion.finish()?)
}
