//! Reads one document of the harvest.

use std::io::Write;

use super::super::StoreError;
use super::index::RecordLocation;
use super::inner::SegmentStoreInner;
use super::record::{LineSource, SegmentRecord};
use crate::model::{Provenance, Uri};

/// A stored document, as of the time it was found: later versions do not change it.
pub struct StoredDocument {
    record: SegmentRecord,
}

impl StoredDocument {
    pub(super) fn find(shared: &SegmentStoreInner, document: &Uri) -> Result<Option<Self>, StoreError> {
        let current = shared.index.current(&shared.index.snapshot(), document.fingerprint())?;
        // A record after the end was lost in a power cut.
        let end = shared.writer().end();
        let is_stored = |current: &RecordLocation| {
            current.segment != RecordLocation::LOST.segment
                && (current.segment, current.offset) < (end.segment, end.bytes)
        };
        let current = current.filter(is_stored);
        Ok(current.map(|at| Self { record: SegmentRecord::new(&shared.directory, document.fingerprint(), at) }))
    }

    /// Number of statements.
    #[must_use]
    pub fn quads(&self) -> u64 {
        self.record.quads()
    }

    /// Provenance, if it was stored.
    pub fn provenance(&self) -> Result<Option<Provenance>, StoreError> {
        self.record.provenance()
    }

    /// Writes its statements as N-Quads, frame by frame.
    pub fn write(&mut self, into: &mut dyn Write) -> Result<(), StoreError> {
        self.record.for_each_line(&mut |line| into.write_all(line).map_err(StoreError::Export))
    }
}
