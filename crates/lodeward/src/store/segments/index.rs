//! Which record of which document is the current one.

use fjall::{Database, Keyspace, PersistMode, Readable, Snapshot};
use foldhash::HashSet;

use super::super::StoreError;

/// Where a record is, and how many statements it has. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Location {
    /// The number of the segment file.
    pub(super) segment: u32,
    /// How many records begin before it in that file.
    pub(super) ordinal: u32,
    /// Statements.
    pub(super) quads: u64,
    /// Where its frame begins, in bytes. An index of before it was kept does not
    /// tell.
    pub(super) offset: Option<u64>,
}

impl Location {
    /// Before all records.
    pub(super) const NOWHERE: Self = Self { segment: 0, ordinal: 0, quads: 0, offset: None };

    fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24);
        bytes.extend_from_slice(&self.segment.to_be_bytes());
        bytes.extend_from_slice(&self.ordinal.to_be_bytes());
        bytes.extend_from_slice(&self.quads.to_be_bytes());
        if let Some(offset) = self.offset {
            bytes.extend_from_slice(&offset.to_be_bytes());
        }
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (segment, rest) = bytes.split_first_chunk()?;
        let (ordinal, rest) = rest.split_first_chunk()?;
        let (quads, rest) = rest.split_first_chunk()?;
        let (segment, ordinal) = (u32::from_be_bytes(*segment), u32::from_be_bytes(*ordinal));
        let offset = rest.try_into().ok().map(u64::from_be_bytes);
        Some(Self { segment, ordinal, quads: u64::from_be_bytes(*quads), offset })
    }
}

/// Where the segments end. Ordered by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct End {
    /// The number of the last segment file.
    pub(super) segment: u32,
    /// How many records begin in that file.
    pub(super) ordinal: u32,
    /// Its length. Where a record of several frames has lost some of them, this
    /// alone tells. An index of before it was kept has 0 here.
    pub(super) bytes: u64,
}

impl End {
    /// Kept like a location.
    fn encode(self) -> Vec<u8> {
        Location { segment: self.segment, ordinal: self.ordinal, quads: self.bytes, offset: None }.encode()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Location::decode(bytes).map(|Location { segment, ordinal, quads, .. }| Self { segment, ordinal, bytes: quads })
    }
}

/// The key of the end of the segments when the index was last written. Not a
/// fingerprint, for those have 16 bytes.
const END: &[u8] = b"end";

/// What became of a document: where it is now, or that it is gone.
pub(super) type Change = (u128, Option<Location>);

/// The index: from the fingerprint of a document to its current record.
pub(super) struct Index {
    pub(super) database: Database,
    pub(super) documents: Keyspace,
}

impl Index {
    /// Applies changes, of which the last one of a document counts, in one
    /// batch that reaches the operating system before this returns.
    pub(super) fn apply(&self, changes: &[Change], end: End) -> Result<(), StoreError> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        // All writes of a batch carry one sequence number, so a key must not
        // occur in it twice.
        let mut seen = HashSet::default();
        for &(fingerprint, location) in changes.iter().rev() {
            let key = fingerprint.to_be_bytes();
            if !seen.insert(fingerprint) {
                continue;
            }
            match location {
                Some(location) => batch.insert(&self.documents, key, location.encode()),
                // Most documents without statements never had any; asking is
                // cheaper than a tombstone.
                None if self.documents.contains_key(key)? => batch.remove(&self.documents, key),
                None => {}
            }
        }
        batch.insert(&self.documents, END, end.encode());
        Ok(batch.commit()?)
    }

    /// Makes the index safe from a power cut.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        Ok(self.database.persist(PersistMode::SyncData)?)
    }

    /// Names the documents of records at or after `end`, where the segments are
    /// shorter than the index remembers. The record before `end`
    /// goes with them if it may have `lost_frames`: how many it had, nobody
    /// knows.
    pub(super) fn lost_after(&self, end: End, lost_frames: bool) -> Result<Vec<u128>, StoreError> {
        let remembered = self.documents.get(END)?.and_then(|bytes| End::decode(&bytes));
        if remembered.is_none_or(|remembered| remembered <= end) {
            return Ok(Vec::new());
        }
        let first_lost = (end.segment, end.ordinal.saturating_sub(u32::from(lost_frames)));
        let mut lost = Vec::new();
        for guard in self.documents.iter() {
            let (key, value) = guard.into_inner()?;
            let fingerprint = <[u8; 16]>::try_from(&key[..]).ok().map(u128::from_be_bytes);
            if let (Some(fingerprint), Some(location)) = (fingerprint, Location::decode(&value))
                && (location.segment, location.ordinal) >= first_lost
            {
                lost.push(fingerprint);
            }
        }
        Ok(lost)
    }

    /// Forgets where documents are whose records are lost, but not that they
    /// were: a follower may have them, and must hear of it if they are gone when
    /// they are visited again.
    pub(super) fn forget(&self, end: End, lost: &[u128]) -> Result<(), StoreError> {
        let changes: Vec<Change> = lost.iter().map(|&fingerprint| (fingerprint, Some(Location::NOWHERE))).collect();
        self.apply(&changes, end)
    }

    /// Whether a document is known: there, or lost.
    pub(super) fn knows(&self, fingerprint: u128) -> Result<bool, StoreError> {
        Ok(self.documents.contains_key(fingerprint.to_be_bytes())?)
    }

    /// The index as it is now, whatever is written later.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.database.snapshot()
    }

    /// The current record of a document.
    pub(super) fn current(&self, snapshot: &Snapshot, fingerprint: u128) -> Result<Option<Location>, StoreError> {
        let bytes = snapshot.get(&self.documents, fingerprint.to_be_bytes())?;
        Ok(bytes.and_then(|bytes| Location::decode(&bytes)))
    }
}
