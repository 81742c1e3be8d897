//! The change feed: which quads have changed since a position, for an index that is derived from the
//! archive.
//!
//! New chunks have ascending numbers that are never reused, so quads that were added are found by
//! reading the chunks from a number on, and cost nothing to record. Only chunks that a commit
//! changes or removes need a record: the commit reserves the next number, and stores the quads that
//! differ under it, in the same batch. A position is the next free number as of a snapshot. So a
//! reader that stores its position with its own data continues exactly there after a crash.
//!
//! The feed has an identifier, which is drawn when recording starts. An archive that is opened
//! without [`Options::record_changes`](crate::Options::record_changes) ends the feed; a position of
//! an ended feed is unknown, and its reader starts over.

use std::hash::{BuildHasher as _, Hasher as _};

use fjall::{OwnedWriteBatch, PersistMode, Readable};

use crate::archive::Archive;
use crate::chunk::IdTriple;
use crate::error::ArchiveError;
use crate::snapshot::{Snapshot, decode_chunk};
use crate::tables::ArchiveTables;
use crate::{keys, varint};

/// A position in the change feed of an archive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangePosition {
    /// The identifier of the feed.
    pub feed: u64,
    /// All changes with smaller numbers are before this position.
    pub number: u64,
}

/// How a statement has changed. Statements are triples of term numbers, without their graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TripleChange {
    /// The statement is in a new chunk: other statements with the same terms keep their order.
    Added([u64; 3]),
    /// The statement was added to or removed from an existing chunk.
    Edited([u64; 3]),
}

impl Snapshot {
    /// The position of this snapshot; `None` if changes are not recorded.
    pub fn change_position(&self) -> Result<Option<ChangePosition>, ArchiveError> {
        let Some(feed) = read_feed(self.view().get(&self.tables().meta, keys::FEED)?)? else { return Ok(None) };
        Ok(Some(ChangePosition { feed, number: self.next_published_chunk()? }))
    }

    /// Calls `visit` for every statement that has changed between a position and this snapshot, in
    /// no particular order; some statements may be passed that are as before. Stops if `visit`
    /// returns false. Returns false if it was stopped, or if the position is of another feed.
    pub fn visit_changes(
        &self,
        since: ChangePosition,
        mut visit: impl FnMut(TripleChange) -> bool,
    ) -> Result<bool, ArchiveError> {
        let Some(end) = self.change_position()?.filter(|end| end.feed == since.feed && end.number >= since.number)
        else {
            return Ok(false);
        };
        let range = keys::number_key(since.number)..keys::number_key(end.number);
        for entry in self.view().range(&self.tables().chunks, range) {
            let (key, bytes) = entry.into_inner()?;
            let chunk = decode_chunk(keys::parse_number_key(&key)?, &bytes)?;
            if !chunk.triples().all(|triple| visit(TripleChange::Added(triple))) {
                return Ok(false);
            }
        }
        let range = keys::key(keys::EDIT, &[since.number])..keys::key(keys::EDIT, &[end.number]);
        for entry in self.view().range(&self.tables().meta, range) {
            let (_, bytes) = entry.into_inner()?;
            let edits = decode(&bytes).ok_or_else(|| ArchiveError::corrupted("invalid record of changes"))?;
            if !edits.into_iter().all(|triple| visit(TripleChange::Edited(triple))) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

impl Archive {
    /// Removes the records before a position, which no reader needs any more.
    pub fn forget_changes(&self, before: ChangePosition) -> Result<(), ArchiveError> {
        let tables = self.tables();
        let range = keys::key(keys::EDIT, &[0])..keys::key(keys::EDIT, &[before.number]);
        let mut batch = tables.database.batch().durability(Some(PersistMode::Buffer));
        for entry in tables.meta.range(range) {
            batch.remove(&tables.meta, entry.key()?);
        }
        if batch.is_empty() { Ok(()) } else { Ok(batch.commit()?) }
    }

    /// Starts or ends the change feed, as the options require.
    pub(crate) fn prepare_change_feed(&self) -> Result<(), ArchiveError> {
        let tables = self.tables();
        let feed = read_feed(tables.meta.get(keys::FEED)?)?;
        let mut batch = tables.database.batch().durability(Some(PersistMode::SyncAll));
        match (self.options().record_changes, feed) {
            (true, None) => batch.insert(&tables.meta, keys::FEED, new_feed().to_be_bytes()),
            (false, Some(_)) => {
                batch.remove(&tables.meta, keys::FEED);
                for entry in tables.meta.prefix([keys::EDIT]) {
                    batch.remove(&tables.meta, entry.key()?);
                }
            }
            _ => return Ok(()),
        }
        Ok(batch.commit()?)
    }
}

/// The statements of changed chunks that a commit adds or removes.
#[derive(Default)]
pub(crate) struct ChunkEdits {
    triples: Vec<IdTriple>,
}

impl ChunkEdits {
    /// Adds the statements that are in only one of two sorted lists.
    pub(crate) fn add_difference(&mut self, before: impl Iterator<Item = IdTriple>, now: &[IdTriple]) {
        let mut now = now.iter().copied().peekable();
        for old in before {
            while let Some(new) = now.next_if(|new| *new < old) {
                self.triples.push(new);
            }
            if now.next_if_eq(&old).is_none() {
                self.triples.push(old);
            }
        }
        self.triples.extend(now);
    }

    /// Writes the record into a batch, if changes are recorded. `number` is the next free number,
    /// which the record takes.
    pub(crate) fn write(
        mut self,
        archive: &Archive,
        tables: &ArchiveTables,
        batch: &mut OwnedWriteBatch,
        number: &mut u64,
    ) {
        if self.triples.is_empty() || !archive.options().record_changes {
            return;
        }
        self.triples.sort_unstable();
        self.triples.dedup();
        batch.insert(&tables.meta, keys::key(keys::EDIT, &[*number]), encode(&self.triples));
        *number += 1;
    }
}

/// Encodes sorted statements: the difference to the last subject, predicate, object.
fn encode(triples: &[IdTriple]) -> Vec<u8> {
    let (mut bytes, mut last) = (Vec::with_capacity(8 * triples.len()), 0);
    for &[subject, predicate, object] in triples {
        varint::push(&mut bytes, subject - last);
        varint::push(&mut bytes, predicate);
        varint::push(&mut bytes, object);
        last = subject;
    }
    bytes
}

fn decode(mut bytes: &[u8]) -> Option<Vec<IdTriple>> {
    let (mut triples, mut last) = (Vec::new(), 0_u64);
    while !bytes.is_empty() {
        last = last.checked_add(varint::take(&mut bytes)?)?;
        triples.push([last, varint::take(&mut bytes)?, varint::take(&mut bytes)?]);
    }
    Some(triples)
}

fn read_feed(bytes: Option<fjall::Slice>) -> Result<Option<u64>, ArchiveError> {
    let decode = |bytes: fjall::Slice| bytes.as_ref().try_into().map(u64::from_be_bytes);
    bytes.map(decode).transpose().map_err(|_| ArchiveError::corrupted("invalid identifier of the change feed"))
}

/// Draws an identifier. The standard library seeds each of its hashers randomly.
fn new_feed() -> u64 {
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

#[cfg(test)]
mod tests {
    use super::{ChunkEdits, decode, encode};

    #[test]
    fn only_differences_are_recorded() {
        let mut edits = ChunkEdits::default();
        edits.add_difference([[1, 1, 1], [2, 1, 1], [4, 1, 1]].into_iter(), &[[1, 1, 1], [3, 1, 1], [4, 1, 1]]);
        assert_eq!(edits.triples, [[2, 1, 1], [3, 1, 1]]);

        let mut edits = ChunkEdits::default();
        edits.add_difference([[5, 1, 1]].into_iter(), &[[1, 1, 1], [9, 1, 1]]);
        assert_eq!(edits.triples, [[1, 1, 1], [5, 1, 1], [9, 1, 1]]);
    }

    #[test]
    fn records_decode_to_the_same_statements() {
        let triples = [[1, 2, u64::MAX], [1, 3, 4], [700, 1, 0]];
        let bytes = encode(&triples);
        assert_eq!(decode(&bytes), Some(triples.to_vec()));
        assert_eq!(decode(&bytes[..bytes.len() - 1]), None);
    }
}
