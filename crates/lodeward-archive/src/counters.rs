//! The numbers that are given out next, and how many quads there are.

use fjall::Slice;

use crate::error::ArchiveError;
use crate::term::TermId;

/// Kept with every commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Counters {
    pub(crate) term_next: u64,
    pub(crate) chunk_next: u64,
    pub(crate) quads: u64,
}

impl Counters {
    /// The counters as they were written, or those of an empty archive.
    pub(crate) fn read(bytes: Option<Slice>) -> Result<Self, ArchiveError> {
        let Some(bytes) = bytes else {
            return Ok(Self { term_next: TermId::FIRST, chunk_next: 1, quads: 0 });
        };
        match bytes.as_chunks() {
            ([term_next, chunk_next, quads], []) => Ok(Self {
                term_next: u64::from_be_bytes(*term_next),
                chunk_next: u64::from_be_bytes(*chunk_next),
                quads: u64::from_be_bytes(*quads),
            }),
            _ => Err(ArchiveError::corrupted("the counters are no numbers")),
        }
    }

    pub(crate) fn encode(self) -> Vec<u8> {
        [self.term_next, self.chunk_next, self.quads].map(u64::to_be_bytes).concat()
    }
}
