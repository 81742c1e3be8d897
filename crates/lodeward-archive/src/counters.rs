//! The counters of an archive: the next free ids, and the number of quads.

use fjall::Slice;

use crate::error::ArchiveError;
use crate::term::TermId;

/// The counters, which are written with every commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveCounters {
    pub(crate) next_term: u64,
    pub(crate) next_chunk: u64,
    pub(crate) quads: u64,
}

impl ArchiveCounters {
    /// Decodes stored counters; if none are stored, returns the counters of an empty archive.
    pub(crate) fn read(bytes: Option<Slice>) -> Result<Self, ArchiveError> {
        let Some(bytes) = bytes else {
            return Ok(Self { next_term: TermId::FIRST, next_chunk: 1, quads: 0 });
        };
        match bytes.as_chunks() {
            ([term_next, chunk_next, quads], []) => Ok(Self {
                next_term: u64::from_be_bytes(*term_next),
                next_chunk: u64::from_be_bytes(*chunk_next),
                quads: u64::from_be_bytes(*quads),
            }),
            _ => Err(ArchiveError::corrupted("invalid counters")),
        }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        [self.next_term, self.next_chunk, self.quads].map(u64::to_be_bytes).concat()
    }
}
