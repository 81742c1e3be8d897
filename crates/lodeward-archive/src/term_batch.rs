//! Reading many terms at once.

use fjall::Readable;

use crate::error::ArchiveError;
use crate::keys;
use crate::snapshot::Snapshot;
use crate::term::{self, TermId};

/// Terms whose numbers differ by at most this much are read in one range: reading an entry of a range
/// costs a small part of a lookup.
const MAX_GAP: u64 = 16;
/// The number of terms from which on a range is read.
const MIN_RANGE_TERMS: usize = 2;

/// The encoded bytes of some terms, by id.
pub(crate) struct TermBatch {
    /// Sorted.
    ids: Vec<u64>,
    /// Where the bytes of each term end.
    ends: Vec<usize>,
    bytes: Vec<u8>,
}

impl TermBatch {
    /// Reads the terms with these ids. 0 stands for no term.
    pub(crate) fn read(snapshot: &Snapshot, mut ids: Vec<u64>) -> Result<Self, ArchiveError> {
        ids.sort_unstable();
        ids.dedup();
        if ids.first() == Some(&TermId::DEFAULT_GRAPH.0) {
            ids.remove(0);
        }
        let mut batch = Self { ends: Vec::with_capacity(ids.len()), bytes: Vec::with_capacity(ids.len() * 32), ids };
        let stored = batch.ids.partition_point(|id| TermId(*id).is_in_dictionary());
        let mut at = 0;
        while at < stored {
            let mut end = at + 1;
            while end < stored && batch.ids[end] - batch.ids[end - 1] <= MAX_GAP {
                end += 1;
            }
            if end - at < MIN_RANGE_TERMS {
                batch.look_up(snapshot, at, end)?;
            } else {
                batch.read_range(snapshot, at, end)?;
            }
            at = end;
        }
        let mut encoded = Vec::new();
        for at in stored..batch.ids.len() {
            let id = TermId(batch.ids[at]);
            let literal = id.as_inline().ok_or_else(|| missing(id.0))?;
            term::encode(literal.as_ref(), &mut encoded);
            batch.push(&encoded);
        }
        Ok(batch)
    }

    fn push(&mut self, encoded: &[u8]) {
        self.bytes.extend_from_slice(encoded);
        self.ends.push(self.bytes.len());
    }

    fn look_up(&mut self, snapshot: &Snapshot, begin: usize, end: usize) -> Result<(), ArchiveError> {
        for at in begin..end {
            let id = self.ids[at];
            let encoded = snapshot.view().get(&snapshot.tables().terms, keys::number_key(id))?;
            self.push(&encoded.ok_or_else(|| missing(id))?);
        }
        Ok(())
    }

    fn read_range(&mut self, snapshot: &Snapshot, begin: usize, end: usize) -> Result<(), ArchiveError> {
        // Searching for the end of the range in every table would cost more than reading on.
        let mut entries = snapshot.view().range(&snapshot.tables().terms, keys::number_key(self.ids[begin])..);
        let mut at = begin;
        while at < end
            && let Some(entry) = entries.next()
        {
            let (key, encoded) = entry.into_inner()?;
            let id = keys::parse_number_key(&key)?;
            if self.ids[at] == id {
                self.push(&encoded);
                at += 1;
            }
        }
        if at < end { Err(missing(self.ids[at])) } else { Ok(()) }
    }

    /// The bytes of all terms.
    pub(crate) fn size(&self) -> usize {
        self.bytes.len()
    }

    /// The bytes of a term; `None` if it was not read.
    pub(crate) fn get(&self, id: u64) -> Option<&[u8]> {
        let at = self.ids.binary_search(&id).ok()?;
        let begin = if at == 0 { 0 } else { self.ends[at - 1] };
        Some(&self.bytes[begin..self.ends[at]])
    }
}

fn missing(id: u64) -> ArchiveError {
    ArchiveError::corrupted(format!("term {id} is missing"))
}
