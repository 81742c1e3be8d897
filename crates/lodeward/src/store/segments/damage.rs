//! Damaged parts of segments that were found while reading.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

/// A part of a segment that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DamagedRange {
    /// Number of the segment file.
    pub(super) segment: u32,
    /// Path of the segment file.
    pub path: PathBuf,
    /// The damaged bytes. They may exceed the file, if its end is missing.
    pub bytes: Range<u64>,
    /// The defect.
    pub what: &'static str,
    /// Whether this is the end of the log. The next crawl queues its documents again.
    pub is_end: bool,
}

/// The damaged ranges that any reader of a store has found since the store was opened.
#[derive(Default)]
pub(super) struct DamageLog(Mutex<BTreeMap<(u32, u64), DamagedRange>>);

impl DamageLog {
    /// Adds a range, and logs it unless it is known.
    pub(super) fn add(&self, range: DamagedRange) {
        let mut ranges = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let DamagedRange { path, bytes, what, .. } = &range;
        let (from, to) = (bytes.start, bytes.end);
        let key = (range.segment, from);
        if ranges.get(&key).is_none_or(|known| known.bytes.end < to) {
            tracing::error!(path = %path.display(), from, to, what, "segment is damaged; its other documents are read");
            ranges.insert(key, range);
        }
    }

    /// All ranges, in the order of the log.
    pub(super) fn ranges(&self) -> Vec<DamagedRange> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect()
    }

    /// Forgets all ranges that begin at or after this offset, because their documents are queued
    /// again and their bytes are replaced.
    pub(super) fn remove_from(&self, segment: u32, offset: u64) {
        drop(self.0.lock().unwrap_or_else(PoisonError::into_inner).split_off(&(segment, offset)));
    }
}
