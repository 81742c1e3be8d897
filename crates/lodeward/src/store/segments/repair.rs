//! Finds all damage of a store, and repairs it.

use std::fs::OpenOptions;
use std::io::{self, Seek as _, SeekFrom, Write as _};
use std::ops::Range;
use std::path::Path;

use foldhash::HashSet;

use super::super::StoreError;
use super::frame::{GAP_HEADER_BYTES, encode_gap_header};
use super::index::{IndexChange, RecordLocation, SegmentsEnd};
use super::record::records;
use super::segment_reader::{SegmentExtent, SegmentFrame, SegmentItem, SegmentReader};
use super::set_aside::set_aside;
use super::writer::segment_path;
use super::{DamagedRange, SegmentStore};

/// The damage of a store.
#[derive(Debug, Default)]
pub struct DamageReport {
    /// The damaged parts of segments, in the order of the log.
    pub ranges: Vec<DamagedRange>,
    /// Fingerprints of the documents whose current version cannot be read.
    pub documents: Vec<u128>,
    /// Number of documents that can be read but have lost their provenance.
    pub without_provenance: u64,
    /// New locations of documents that have lost their provenance.
    relocated: Vec<IndexChange>,
}

/// Maximum size of a gap. The length field of a gap has 32 bits.
const MAX_GAP_BYTES: u64 = 1 << 30;

impl SegmentStore {
    /// Reads all segments, and returns their damage and the documents concerned. Changes no file.
    pub fn verify(&self) -> Result<DamageReport, StoreError> {
        let end = self.shared.writer().end();
        for segment in 1..=end.segment {
            self.verify_segment(segment, self.extent(segment, end)?)?;
        }
        let ranges = self.damage();
        let is_damaged = |location: RecordLocation| {
            let contains =
                |range: &DamagedRange| range.segment == location.segment && range.bytes.contains(&location.offset);
            ranges.iter().any(contains)
        };
        let affected = if ranges.is_empty() { Vec::new() } else { self.shared.index.select(is_damaged)? };
        let mut relocated = Vec::new();
        for range in &ranges {
            relocated.extend(self.relocated_by(range)?);
        }
        let readable: HashSet<u128> = relocated.iter().map(|(fingerprint, _)| *fingerprint).collect();
        let documents = affected.into_iter().map(|(fingerprint, _)| fingerprint);
        let documents = documents.filter(|fingerprint| !readable.contains(fingerprint)).collect();
        Ok(DamageReport { ranges, documents, without_provenance: readable.len() as u64, relocated })
    }

    fn verify_segment(&self, segment: u32, extent: SegmentExtent) -> Result<(), StoreError> {
        let path = segment_path(&self.shared.directory, segment);
        let unreadable = |source| StoreError::Read { path: path.clone(), source };
        let mut reader = SegmentReader::open(&path, 0, extent).map_err(unreadable)?;
        loop {
            match reader.next_item().map_err(unreadable)? {
                SegmentItem::Frame(_) => {}
                SegmentItem::Damage(damage) => self.shared.note_damage(segment, &damage),
                SegmentItem::End => return Ok(()),
            }
        }
    }

    /// The extent of a segment of a log that ends at `end`.
    fn extent(&self, segment: u32, end: SegmentsEnd) -> Result<SegmentExtent, StoreError> {
        if segment == end.segment {
            return Ok(SegmentExtent::complete(end.bytes));
        }
        self.shared.closed_extent(segment)
    }

    /// The frame after a damaged range. The range is read again, as an export reads it: where the
    /// frame may begin is then the same for both. If the range begins with the intact first frame of
    /// a large document, for example, the frame after the range cannot be that of this document.
    fn frame_after(&self, range: &DamagedRange) -> Result<Option<SegmentFrame>, StoreError> {
        let DamagedRange { segment, path, bytes, .. } = range;
        let end = self.shared.writer().end();
        if *segment > end.segment {
            return Ok(None);
        }
        let extent = self.extent(*segment, end)?;
        let read = || {
            let mut reader = SegmentReader::open(path, bytes.start, extent)?;
            while reader.offset() <= bytes.end {
                match reader.next_item()? {
                    SegmentItem::Frame(frame) if *frame.begin.end() == bytes.end => return Ok(Some(frame)),
                    SegmentItem::Frame(_) | SegmentItem::Damage(_) => {}
                    SegmentItem::End => break,
                }
            }
            Ok(None)
        };
        read().map_err(|source| StoreError::Read { path: path.clone(), source })
    }

    /// The documents of the frame after a damaged range whose metadata is in that range.
    fn relocated_by(&self, range: &DamagedRange) -> Result<Vec<IndexChange>, StoreError> {
        let DamagedRange { segment, bytes, .. } = range;
        let Some(frame) = self.frame_after(range)? else { return Ok(Vec::new()) };
        let snapshot = self.shared.index.snapshot();
        let mut relocated = Vec::new();
        for (record, number) in records(&frame.raw).zip(0..) {
            let current = self.shared.index.current(&snapshot, record.fingerprint)?;
            if let Some(current) = current.filter(|current| frame.is_at(*segment, number, record.quads, *current))
                && current.offset != bytes.end
            {
                let location = RecordLocation { offset: bytes.end, ..current };
                relocated.push((record.fingerprint, Some(location)));
            }
        }
        Ok(relocated)
    }

    /// Sets damaged bytes aside, and makes the segments readable without damage. The documents of
    /// the report must have been removed or put again before, except `unknown`, which are removed
    /// from the index only: followers keep their copies.
    pub fn repair(&self, report: &DamageReport, unknown: &[u128]) -> Result<(), StoreError> {
        self.acknowledge_lost()?;
        let mut writer = self.shared.writer();
        writer.cut_torn_end()?;
        let removed = unknown.iter().map(|&fingerprint| (fingerprint, None));
        let changes: Vec<IndexChange> = report.relocated.iter().copied().chain(removed).collect();
        self.shared.index.apply(&changes, writer.end())?;
        for range in &report.ranges {
            let last = writer.end();
            let is_after_end = (range.segment, range.bytes.start) >= (last.segment, last.bytes);
            if !is_after_end {
                self.repair_range(range)?;
            }
        }
        self.shared.index.sync()?;
        self.shared.damage.remove_from(0, 0);
        Ok(())
    }

    fn repair_range(&self, range: &DamagedRange) -> Result<(), StoreError> {
        let DamagedRange { segment, path, bytes, .. } = range;
        let failed = |source| StoreError::Write { path: path.clone(), source };
        let length = match path.metadata() {
            Ok(metadata) => metadata.len(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return self.shared.index.set_length(*segment, 0);
            }
            Err(error) => return Err(failed(error)),
        };
        if bytes.end < length {
            return write_gap(path, bytes.clone()).map_err(failed);
        }
        // Nothing readable follows, so the end is cut.
        cut_end(path, bytes.start..length).map_err(failed)?;
        self.shared.index.set_length(*segment, bytes.start)
    }
}

/// Cuts the end of a segment, and keeps its bytes in another file.
fn cut_end(path: &Path, bytes: Range<u64>) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    set_aside(path, bytes.clone(), "damaged")?;
    let file = OpenOptions::new().write(true).open(path)?;
    file.set_len(bytes.start)?;
    file.sync_all()
}

/// Replaces damaged bytes with a gap, and keeps them in another file.
fn write_gap(path: &Path, bytes: Range<u64>) -> io::Result<()> {
    if bytes.end - bytes.start < GAP_HEADER_BYTES as u64 {
        let (path, from, to) = (path.display(), bytes.start, bytes.end);
        tracing::warn!(%path, from, to, "damaged bytes are too few to be replaced by a gap");
        return Ok(());
    }
    set_aside(path, bytes.clone(), "damaged")?;
    let mut file = OpenOptions::new().write(true).open(path)?;
    let mut from = bytes.start;
    while from < bytes.end {
        let left = bytes.end - from;
        // The last gap must have room for its header.
        let size = if left > MAX_GAP_BYTES { left.min(MAX_GAP_BYTES) - GAP_HEADER_BYTES as u64 } else { left };
        file.seek(SeekFrom::Start(from + GAP_HEADER_BYTES as u64))?;
        io::copy(&mut io::Read::take(io::repeat(0), size - GAP_HEADER_BYTES as u64), &mut file)?;
        file.seek(SeekFrom::Start(from))?;
        file.write_all(&encode_gap_header(u32::try_from(size).expect("a gap is smaller than 4 GiB")))?;
        from += size;
    }
    file.sync_all()
}
