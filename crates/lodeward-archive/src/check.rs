//! Checking the consistency of a whole archive.

use fjall::Readable;
use foldhash::HashMap;

use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::snapshot::{Snapshot, decode_chunk};
use crate::term::TermId;
use crate::{keys, varint};

/// The result of a check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckSummary {
    /// The number of quads.
    pub quads: u64,
    /// The number of chunks.
    pub chunks: u64,
    /// Postings that refer to a removed chunk. They are harmless, and are removed by compaction or
    /// by [`Archive::reclaim`](crate::Archive::reclaim).
    pub stale_postings: u64,
}

impl Snapshot {
    /// Checks that all quads can be decoded, that all indexes find them (subject, predicate,
    /// object, graph), and that the statistics are correct. Reads the whole archive.
    pub fn check(&self) -> Result<CheckSummary, ArchiveError> {
        let mut summary = CheckSummary::default();
        let mut predicates: HashMap<u64, u64> = HashMap::default();
        for entry in self.view().iter(&self.tables().chunks) {
            let (key, bytes) = entry.into_inner()?;
            let number = keys::parse_number_key(&key)?;
            if !self.is_published(number) {
                break;
            }
            let chunk = decode_chunk(number, &bytes)?;
            self.check_chunk(number, &chunk)?;
            summary.chunks += 1;
            for triple in chunk.triples() {
                summary.quads += 1;
                *predicates.entry(triple[1]).or_default() += 1;
            }
        }
        self.check_counts(summary.quads, &predicates)?;
        summary.stale_postings = self.count_stale_postings()?;
        Ok(summary)
    }

    /// Checks that all indexes refer to the chunk.
    fn check_chunk(&self, number: u64, chunk: &Chunk) -> Result<(), ArchiveError> {
        let graph = TermId(chunk.graph);
        let entry = self.view().get(&self.tables().graphs, keys::key(keys::GRAPH_CHUNK, &[graph.0, number]))?;
        let count = entry.and_then(|count| varint::take(&mut &count[..]));
        if count != Some(chunk.len() as u64) {
            return Err(ArchiveError::corrupted(format!("graph index does not contain chunk {number}")));
        }
        if graph != TermId::DEFAULT_GRAPH && !self.has_graph(graph)? {
            return Err(ArchiveError::corrupted(format!("chunk {number} belongs to a missing graph")));
        }
        for posting in keys::postings(chunk.triples()) {
            if !self.view().contains_key(&self.tables().postings, posting.key(number))? {
                return Err(ArchiveError::corrupted(format!("posting {posting:?} of chunk {number} is missing")));
            }
        }
        for [subject, predicate, object] in chunk.triples() {
            let quad = self.quad([graph.0, subject, predicate, object])?;
            if self.find(quad.object.as_ref())? != Some(TermId(object)) {
                return Err(ArchiveError::corrupted(format!("dictionary does not contain {}", quad.object)));
            }
        }
        Ok(())
    }

    fn check_counts(&self, quads: u64, predicates: &HashMap<u64, u64>) -> Result<(), ArchiveError> {
        if self.len()? != quads {
            return Err(ArchiveError::corrupted(format!("found {quads} quads, but the counter is {}", self.len()?)));
        }
        for (&predicate, &count) in predicates {
            if self.predicate_count(TermId(predicate))? != count {
                return Err(ArchiveError::corrupted(format!(
                    "wrong quad count of predicate {}",
                    self.term(TermId(predicate))?
                )));
            }
        }
        let counted = self.predicates().count();
        if counted != predicates.len() {
            return Err(ArchiveError::corrupted(format!(
                "counts are stored for {counted} predicates, but quads use {}",
                predicates.len()
            )));
        }
        Ok(())
    }

    fn count_stale_postings(&self) -> Result<u64, ArchiveError> {
        let mut stale = 0;
        for entry in self.view().iter(&self.tables().postings) {
            let number =
                keys::parse_chunk(&entry.key()?).ok_or_else(|| ArchiveError::corrupted("invalid posting key"))?;
            if self.is_published(number) && self.encoded_chunk(number)?.is_none() {
                stale += 1;
            }
        }
        Ok(stale)
    }
}
