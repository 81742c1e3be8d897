//! Reading chunks by number.

use std::sync::Arc;

use fjall::{Readable, Slice};

use crate::chunk::Chunk;
use crate::error::ArchiveError;
use crate::keys;
use crate::snapshot::{Snapshot, decode_chunk};

/// Chunks whose numbers differ by at most this much are close. Reading the ones in between costs less
/// than a lookup.
const MAX_STEP: u64 = 8;
/// The number of close chunks in succession after which they are read in order.
const MIN_RUN: u32 = 4;

/// Reads chunks. While their numbers increase in small steps, as in the postings of a frequent term,
/// it reads the table in order instead of looking up each chunk.
#[derive(Default)]
pub(crate) struct ChunkReader {
    /// The chunk that was read last.
    last: u64,
    /// The number of close chunks in succession.
    run: u32,
    entries: Option<fjall::Iter>,
    /// The next entry of the table.
    next: Option<(u64, Slice)>,
}

impl ChunkReader {
    /// A chunk; `None` if it is removed.
    pub(crate) fn read(&mut self, snapshot: &Snapshot, number: u64) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        let is_close = number > self.last && number - self.last <= MAX_STEP;
        self.last = number;
        if !is_close {
            *self = Self { last: number, ..Self::default() };
            return snapshot.chunk(number);
        }
        self.run = self.run.saturating_add(1);
        if self.run < MIN_RUN || !snapshot.is_published(number) {
            return snapshot.chunk(number);
        }
        if self.entries.is_none() {
            self.entries = Some(snapshot.view().range(&snapshot.tables().chunks, keys::number_key(number)..));
        }
        self.read_in_order(number)
    }

    fn read_in_order(&mut self, number: u64) -> Result<Option<Arc<Chunk>>, ArchiveError> {
        loop {
            match self.next.take() {
                Some((found, bytes)) if found == number => {
                    return decode_chunk(number, &bytes).map(|chunk| Some(Arc::new(chunk)));
                }
                Some(later) if later.0 > number => {
                    self.next = Some(later);
                    return Ok(None);
                }
                _ => {}
            }
            let Some(entry) = self.entries.as_mut().and_then(Iterator::next) else { return Ok(None) };
            let (key, bytes) = entry.into_inner()?;
            self.next = Some((keys::parse_number_key(&key)?, bytes));
        }
    }
}
