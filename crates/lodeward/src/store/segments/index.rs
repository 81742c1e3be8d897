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
    /// Byte offset of the frame with the record.
    pub(super) offset: u64,
    /// Number of records before this record in its frame.
    pub(super) record: u32,
    /// Number of statements.
    pub(super) quads: u64,
}

impl RecordLocation {
    /// A location before all records, for a document whose record was lost.
    pub(super) const LOST: Self = Self { segment: 0, offset: 0, record: 0, quads: 0 };

    fn encode(self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(24);
        bytes.extend_from_slice(&self.segment.to_be_bytes());
        bytes.extend_from_slice(&self.offset.to_be_bytes());
        bytes.extend_from_slice(&self.record.to_be_bytes());
        bytes.extend_from_slice(&self.quads.to_be_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        let (segment, rest) = bytes.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (record, rest) = rest.split_first_chunk()?;
        let quads = rest.try_into().ok().map(u64::from_be_bytes)?;
        let (segment, offset) = (u32::from_be_bytes(*segment), u64::from_be_bytes(*offset));
        Some(Self { segment, offset, record: u32::from_be_bytes(*record), quads })
    }
}

/// End of the segments. An earlier end is less than a later one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct SegmentsEnd {
    /// Number of the last segment file.
    pub(super) segment: u32,
    /// Length of that file.
    pub(super) bytes: u64,
}

/// Prefix of the keys of the lengths of segments, followed by the number of the segment. The keys
/// cannot collide with fingerprints, which have 16 bytes.
const LENGTH_PREFIX: &[u8] = b"end";

/// Key of the length of a segment as of the last write to the index.
fn length_key(segment: u32) -> Vec<u8> {
    [LENGTH_PREFIX, &segment.to_be_bytes()].concat()
}

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
        batch.insert(&self.documents, length_key(end.segment), end.bytes.to_be_bytes());
        Ok(batch.commit()?)
    }

    /// The end of the segments as of the last write to the index; `None` if nothing was written.
    pub(super) fn expected_end(&self) -> Result<Option<SegmentsEnd>, StoreError> {
        let Some(guard) = self.documents.prefix(LENGTH_PREFIX).next_back() else { return Ok(None) };
        let (key, value) = guard.into_inner()?;
        let segment = key[LENGTH_PREFIX.len()..].try_into().ok().map(u32::from_be_bytes);
        let bytes = value[..].try_into().ok().map(u64::from_be_bytes);
        Ok(segment.zip(bytes).map(|(segment, bytes)| SegmentsEnd { segment, bytes }))
    }

    /// The length of a segment as of the last write to the index that concerned it.
    pub(super) fn expected_length(&self, segment: u32) -> Result<u64, StoreError> {
        let bytes = self.documents.get(length_key(segment))?;
        Ok(bytes.and_then(|bytes| bytes[..].try_into().ok()).map_or(0, u64::from_be_bytes))
    }

    /// Replaces the length of a segment, because its end was cut; removes it if `bytes` is 0.
    pub(super) fn set_length(&self, segment: u32, bytes: u64) -> Result<(), StoreError> {
        match bytes {
            0 => self.documents.remove(length_key(segment))?,
            bytes => self.documents.insert(length_key(segment), bytes.to_be_bytes())?,
        }
        Ok(())
    }

    /// Makes the index survive a power cut.
    pub(super) fn sync(&self) -> Result<(), StoreError> {
        Ok(self.database.persist(PersistMode::SyncData)?)
    }

    /// Returns the documents of records at or after `end`, if the segments are shorter than the
    /// index expects.
    pub(super) fn lost_after(&self, end: SegmentsEnd) -> Result<Vec<u128>, StoreError> {
        if self.expected_end()?.is_none_or(|expected| expected <= end) {
            return Ok(Vec::new());
        }
        let lost = |location: RecordLocation| (location.segment, location.offset) >= (end.segment, end.bytes);
        Ok(self.select(lost)?.into_iter().map(|(fingerprint, _)| fingerprint).collect())
    }

    /// Returns the documents whose location `accept` accepts. Reads the whole index.
    pub(super) fn select(
        &self,
        accept: impl Fn(RecordLocation) -> bool,
    ) -> Result<Vec<(u128, RecordLocation)>, StoreError> {
        let mut selected = Vec::new();
        for guard in self.documents.iter() {
            let (key, value) = guard.into_inner()?;
            let fingerprint = <[u8; 16]>::try_from(&key[..]).ok().map(u128::from_be_bytes);
            if let (Some(fingerprint), Some(location)) = (fingerprint, RecordLocation::decode(&value))
                && accept(location)
            {
                selected.push((fingerprint, location));
            }
        }
        Ok(selected)
    }

    /// Marks documents as lost. Their entries stay: a follower may have a copy, and must receive a
    /// removal if the documents no longer exist when they are fetched again.
    pub(super) fn mark_lost(&self, end: SegmentsEnd, lost: &[u128]) -> Result<(), StoreError> {
        let changes: Vec<IndexChange> =
            lost.iter().map(|&fingerprint| (fingerprint, Some(RecordLocation::LOST))).collect();
        self.apply(&changes, end)?;
        // Segments after the end do not exist.
        while let Some(expected) = self.expected_end()?.filter(|expected| expected.segment > end.segment) {
            self.set_length(expected.segment, 0)?;
        }
        Ok(())
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
