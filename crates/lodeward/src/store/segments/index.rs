//! The index: the current record of every document.

use fjall::{Database, Keyspace, PersistMode, Readable, Snapshot};
use foldhash::HashSet;

use super::super::StoreError;

/// Location of a record, and its number of statements. The location of an earlier record is less
/// than that of a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct RecordLocation {
    /// Number of the segment file.
    pub(super) segment: u32,
    /// Number of records that begin before this record in that file.
    pub(super) ordinal: u32,
    /// Number of statements.
    pub(super) quads: u64,
    /// Byte offset of the frame with the record; `None` in entries written by older versions.
    pub(super) offset: Option<u64>,
}

impl RecordLocation {
    /// A location before all records, for a document whose record was lost.
    pub(super) const LOST: Self = Self { segment: 0, ordinal: 0, quads: 0, offset: None };

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

/// End of the segments. An earlier end is less than a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentsEnd {
    /// Number of the last segment file.
    pub(super) segment: u32,
    /// Number of records that begin in that file.
    pub(super) ordinal: u32,
    /// Length of that file. Needed to detect that a record of several frames has lost some of them.
    /// 0 in an index written by an older version.
    pub(super) bytes: u64,
}

impl SegmentsEnd {
    /// Encodes the end in the format of a record location.
    fn encode(self) -> Vec<u8> {
        RecordLocation { segment: self.segment, ordinal: self.ordinal, quads: self.bytes, offset: None }.encode()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        RecordLocation::decode(bytes).map(|RecordLocation { segment, ordinal, quads, .. }| Self {
            segment,
            ordinal,
            bytes: quads,
        })
    }
}

/// Key of the end of the segments as of the last write to the index. It cannot collide with a
/// fingerprint, which has 16 bytes.
const END_KEY: &[u8] = b"end";

/// Change of an index entry: fingerprint and new location, or `None` for a removed document.
pub(super) type IndexChange = (u128, Option<RecordLocation>);

/// Maps the fingerprint of a document to its current record.
pub(super) struct DocumentIndex {
    pub(super) database: Database,
    pub(super) documents: Keyspace,
}

impl DocumentIndex {
    /// Applies changes in one batch, which reaches the operating system before this returns. If a
    /// document changes several times, the last change takes effect.
    pub(super) fn apply(&self, changes: &[IndexChange], end: SegmentsEnd) -> Result<(), StoreError> {
        let mut batch = self.database.batch().durability(Some(PersistMode::Buffer));
        // All writes of a batch have the same sequence number, so a key must not occur twice.
        let mut seen = HashSet::default();
        for &(fingerprint, location) in changes.iter().rev() {
            let key = fingerprint.to_be_bytes();
            if !seen.insert(fingerprint) {
                continue;
            }
            match location {
                Some(location) => batch.insert(&self.documents, key, location.encode()),
                // Most documents without statements never had any; a lookup is cheaper than a
                // tombstone.
                None if self.documents.contains_key(key)? => batch.remove(&self.documents, key),
                None => {}
            }
        }
        batch.insert(&self.documents, END_KEY, end.encode());
        Ok(batch.commit()?)
    }

    /// Makes the index survive a power cut.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        Ok(self.database.persist(PersistMode::SyncData)?)
    }

    /// Returns the documents of records at or after `end`, if the segments are shorter than the
    /// index expects. With `lost_frames`, includes the record before `end`: it may have had further
    /// frames.
    pub(super) fn lost_after(&self, end: SegmentsEnd, lost_frames: bool) -> Result<Vec<u128>, StoreError> {
        let expected = self.documents.get(END_KEY)?.and_then(|bytes| SegmentsEnd::decode(&bytes));
        if expected.is_none_or(|expected| expected <= end) {
            return Ok(Vec::new());
        }
        let first_lost = (end.segment, end.ordinal.saturating_sub(u32::from(lost_frames)));
        let mut lost = Vec::new();
        for guard in self.documents.iter() {
            let (key, value) = guard.into_inner()?;
            let fingerprint = <[u8; 16]>::try_from(&key[..]).ok().map(u128::from_be_bytes);
            if let (Some(fingerprint), Some(location)) = (fingerprint, RecordLocation::decode(&value))
                && (location.segment, location.ordinal) >= first_lost
            {
                lost.push(fingerprint);
            }
        }
        Ok(lost)
    }

    /// Marks documents as lost. Their entries stay: a follower may have a copy, and must receive a
    /// removal if the documents no longer exist when they are fetched again.
    pub(super) fn mark_lost(&self, end: SegmentsEnd, lost: &[u128]) -> Result<(), StoreError> {
        let changes: Vec<IndexChange> =
            lost.iter().map(|&fingerprint| (fingerprint, Some(RecordLocation::LOST))).collect();
        self.apply(&changes, end)
    }

    /// Whether the index has an entry for a document, present or lost.
    pub(super) fn contains(&self, fingerprint: u128) -> Result<bool, StoreError> {
        Ok(self.documents.contains_key(fingerprint.to_be_bytes())?)
    }

    /// A snapshot of the index.
    pub(super) fn snapshot(&self) -> Snapshot {
        self.database.snapshot()
    }

    /// The current record of a document.
    pub(super) fn current(&self, snapshot: &Snapshot, fingerprint: u128) -> Result<Option<RecordLocation>, StoreError> {
        let bytes = snapshot.get(&self.documents, fingerprint.to_be_bytes())?;
        Ok(bytes.and_then(|bytes| RecordLocation::decode(&bytes)))
    }
}
