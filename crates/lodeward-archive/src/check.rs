//! Looking through a whole archive for what cannot be.

use fjall::Readable;
use foldhash::HashMap;

use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::snapshot::{Snapshot, unpack};
use crate::term::TermId;
use crate::{keys, number};

/// What a check has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Quads.
    pub quads: u64,
    /// The chunks they are packed in.
    pub chunks: u64,
    /// Entries of the index that point at a chunk which is gone. They do no
    /// harm, and go with time or with [`Archive::reclaim`](crate::Archive::reclaim).
    pub stale_postings: u64,
}

impl Snapshot {
    /// Looks through everything: that all quads can be read, that all of them
    /// can be found by subject, predicate, object and graph, and that the
    /// statistics are right. Takes its time.
    pub fn check(&self) -> Result<Checked, ArchiveError> {
        let mut checked = Checked::default();
        let mut predicates: HashMap<u64, u64> = HashMap::default();
        for entry in self.view().iter(&self.tables().chunks) {
            let (key, bytes) = entry.into_inner()?;
            let number = keys::plain_number(&key)?;
            if !self.is_published(number) {
                break;
            }
            let chunk = unpack(number, &bytes)?;
            self.check_chunk(number, &chunk)?;
            checked.chunks += 1;
            for triple in chunk.triples() {
                checked.quads += 1;
                *predicates.entry(triple[1]).or_default() += 1;
            }
        }
        self.check_counts(checked.quads, &predicates)?;
        checked.stale_postings = self.stale_postings()?;
        Ok(checked)
    }

    /// A chunk must be found by everything that is in it.
    fn check_chunk(&self, number: u64, chunk: &Chunk) -> Result<(), ArchiveError> {
        let graph = TermId(chunk.graph);
        let entry = self.view().get(&self.tables().graphs, keys::key(keys::GRAPH_CHUNK, &[graph.0, number]))?;
        let count = entry.and_then(|count| number::take(&mut &count[..]));
        if count != Some(chunk.len() as u64) {
            return Err(ArchiveError::corrupted(format!("chunk {number} is not found by its graph")));
        }
        if graph != TermId::DEFAULT_GRAPH && !self.has_graph(graph)? {
            return Err(ArchiveError::corrupted(format!("chunk {number} is of a graph that does not exist")));
        }
        for posting in keys::postings(chunk.triples()) {
            if !self.view().contains_key(&self.tables().postings, posting.key(number))? {
                return Err(ArchiveError::corrupted(format!("chunk {number} is not found by {posting:?}")));
            }
        }
        for [subject, predicate, object] in chunk.triples() {
            let quad = self.quad([graph.0, subject, predicate, object])?;
            if self.find(quad.object.as_ref())? != Some(TermId(object)) {
                return Err(ArchiveError::corrupted(format!("{} is not found in the dictionary", quad.object)));
            }
        }
        Ok(())
    }

    fn check_counts(&self, quads: u64, predicates: &HashMap<u64, u64>) -> Result<(), ArchiveError> {
        if self.len()? != quads {
            return Err(ArchiveError::corrupted(format!("there are {quads} quads, not {}", self.len()?)));
        }
        for (&predicate, &count) in predicates {
            if self.predicate_count(TermId(predicate))? != count {
                return Err(ArchiveError::corrupted(format!(
                    "the count of {} is wrong",
                    self.term(TermId(predicate))?
                )));
            }
        }
        let counted = self.predicates().count();
        if counted != predicates.len() {
            return Err(ArchiveError::corrupted(format!(
                "{counted} predicates are counted, {} exist",
                predicates.len()
            )));
        }
        Ok(())
    }

    fn stale_postings(&self) -> Result<u64, ArchiveError> {
        let mut stale = 0;
        for entry in self.view().iter(&self.tables().postings) {
            let number = keys::chunk(&entry.key()?).ok_or_else(|| ArchiveError::corrupted("the key of a posting"))?;
            if self.is_published(number) && self.packed_chunk(number)?.is_none() {
                stale += 1;
            }
        }
        Ok(stale)
    }
}
