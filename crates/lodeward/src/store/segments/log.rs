//! Reads the segments as a log: changes in the order in which they were written.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;
use std::sync::Arc;

use fjall::Snapshot;

use super::super::StoreError;
use super::super::follow::{DocumentChange, DocumentStatements, Position};
use super::damage::DamagedRange;
use super::export::{missing_record_header, parse_record_header, record_end};
use super::frame::{FrameRead, FrameReader};
use super::inner::SegmentStoreInner;
use super::recent_frames::RecentFrame;
use super::segment_reader::{SegmentExtent, SegmentFrame, SegmentItem, SegmentReader, SegmentStep};
use super::tail::{LogEnd, LogTail};
use super::writer::segment_path;

/// The log of a segment store. Cheap to clone.
#[derive(Clone)]
pub struct SegmentLog {
    shared: Arc<SegmentStoreInner>,
}

/// Bounds of a group. Frames are read as a whole, so a group may exceed the bounds slightly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadBounds {
    /// Maximum number of records.
    pub max_records: u64,
    /// Maximum bytes of N-Quads.
    pub max_bytes: usize,
}

impl Default for ReadBounds {
    fn default() -> Self {
        Self { max_records: 4_096, max_bytes: 8 << 20 }
    }
}

/// A group of changes.
#[derive(Clone, Debug)]
pub struct LogGroup {
    /// The changes, in the order of the log.
    pub changes: Vec<DocumentChange>,
    /// Position after the group.
    pub upto: Position,
    /// Number of records read, including those that are no longer current.
    pub records: u64,
    /// Number of bytes of the log that were read.
    pub bytes: u64,
}

/// Distance between two positions of the log.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogDistance {
    /// Number of records.
    pub records: u64,
    /// Number of bytes of segments.
    pub bytes: u64,
}

impl SegmentLog {
    pub(super) fn new(shared: &Arc<SegmentStoreInner>) -> Self {
        Self { shared: Arc::clone(shared) }
    }

    /// The damaged parts of segments that were found since the store was opened.
    #[must_use]
    pub fn damage(&self) -> Vec<DamagedRange> {
        self.shared.damage.ranges()
    }

    pub(in crate::store) fn tail(&self) -> &LogTail {
        &self.shared.tail
    }

    /// Reads from a position, or from the beginning. Damaged parts are skipped and reported by
    /// [`damage`](Self::damage).
    ///
    /// If the log no longer has the position, because a power cut has truncated the log, reading
    /// restarts at the beginning of the segment; earlier segments are complete, because each was
    /// synced before the next was created. Changes read again have been applied before, and
    /// applying is idempotent.
    pub fn read(&self, from: Option<Position>) -> Result<LogReader, StoreError> {
        let from = from.unwrap_or(Position::START);
        let at = Position::segment_start(from.segment);
        let mut reader = LogReader { log: self.clone(), at, open: None, recent: None };
        let last = self.tail().end().segment;
        if from.segment > last || from.segment == 0 {
            reader.at = Position::segment_start(last);
        } else if reader.seek(from)? {
            reader.at = from;
        } else {
            tracing::warn!(
                segment = from.segment,
                offset = from.offset,
                "log was truncated; reading its last segment again"
            );
            reader.at = Position::segment_start(from.segment);
        }
        reader.open = None;
        Ok(reader)
    }

    /// Reads as [`read`](Self::read) does, and takes what is written from now on from memory, unless
    /// the reader is late.
    pub(in crate::store) fn follow(&self, from: Option<Position>) -> Result<LogReader, StoreError> {
        let mut reader = self.read(from)?;
        let number = self.shared.recent.add_reader((reader.at.segment, reader.at.offset));
        reader.recent = Some(RecentReader { shared: Arc::clone(&self.shared), number });
        Ok(reader)
    }

    /// The extent of a segment in a log that ends at `end`.
    fn extent(&self, segment: u32, end: LogEnd) -> Result<SegmentExtent, StoreError> {
        if segment == end.segment {
            // Records after the end were lost in a power cut, and will be replaced by others.
            return Ok(SegmentExtent::complete(end.bytes));
        }
        self.shared.closed_extent(segment)
    }
}

/// Reads the log.
pub struct LogReader {
    log: SegmentLog,
    at: Position,
    /// The open segment, at the position.
    open: Option<SegmentReader>,
    /// The frames in memory, if the reader takes frames from there.
    recent: Option<RecentReader>,
}

/// A reader of the frames in memory.
struct RecentReader {
    shared: Arc<SegmentStoreInner>,
    number: u64,
}

impl RecentReader {
    /// The frame at a position, if it is in memory.
    fn take(&self, at: Position) -> Option<RecentFrame> {
        self.shared.recent.take(self.number, (at.segment, at.offset))
    }

    fn pass(&self, at: Position) {
        self.shared.recent.pass(self.number, (at.segment, at.offset));
    }
}

impl Drop for RecentReader {
    fn drop(&mut self) {
        self.shared.recent.remove_reader(self.number);
    }
}

impl LogReader {
    /// Current position.
    #[cfg(test)]
    pub(super) fn position(&self) -> Position {
        self.at
    }

    /// Returns the distance to the end of the log. Reads labels only.
    pub fn distance(&self) -> Result<LogDistance, StoreError> {
        self.distance_to(self.log.tail().end())
    }

    /// Whether the position is before `end`.
    pub(in crate::store) fn has_more_before(&self, end: LogEnd) -> bool {
        (self.at.segment, self.at.offset) < (end.segment, end.bytes)
    }

    pub(in crate::store) fn distance_to(&self, end: LogEnd) -> Result<LogDistance, StoreError> {
        let mut distance = LogDistance::default();
        let mut offset = self.at.offset;
        for segment in self.at.segment..=end.segment {
            let path = segment_path(&self.log.shared.directory, segment);
            let bytes = self.log.extent(segment, end)?.readable;
            let records = count_records(&path, offset, bytes);
            distance.records += records.map_err(|source| StoreError::Read { path, source })?;
            distance.bytes += bytes.saturating_sub(offset);
            offset = 0;
        }
        Ok(distance)
    }

    /// Reads the next group; `None` at the end of the log.
    pub fn next_group(&mut self, bounds: ReadBounds) -> Result<Option<LogGroup>, StoreError> {
        // The end is read first: the index has all records before it.
        let end = self.log.tail().end();
        let snapshot = self.log.shared.index.snapshot();
        let mut group = LogGroup { changes: Vec::new(), upto: self.at, records: 0, bytes: 0 };
        let mut raw_bytes = 0;
        while group.records < bounds.max_records && raw_bytes < bounds.max_bytes && self.is_before(end)? {
            let begin = self.at.offset;
            let frame = self.read_frame(end)?;
            group.bytes += self.at.offset - begin;
            group.upto = self.at;
            let Some(mut frame) = frame else { continue };
            raw_bytes += frame.raw.len();
            group.records += u64::from(frame.label.documents);
            self.collect_changes(&mut frame, &snapshot, &mut group.changes)?;
            if frame.rest.is_some() {
                // A large document is the last of its group.
                break;
            }
        }
        Ok((group.bytes > 0).then_some(group))
    }

    /// Adds the changes of the records of a frame. A frame in which no record begins continues a
    /// large document that was never indexed.
    fn collect_changes(
        &self,
        frame: &mut SegmentFrame,
        snapshot: &Snapshot,
        changes: &mut Vec<DocumentChange>,
    ) -> Result<(), StoreError> {
        let path = || segment_path(&self.log.shared.directory, self.at.segment);
        let mut offset = 0;
        for record in 0..frame.label.documents {
            let lines = &frame.raw[offset..];
            let first_line = memchr::memchr(b'\n', lines).map_or(lines, |end| &lines[..=end]);
            let (document, quads) = parse_record_header(first_line).ok_or_else(|| missing_record_header(&path()))?;
            let begin = offset + first_line.len();
            offset = begin + record_end(&frame.raw[begin..]);
            let provenance = frame.metadata.take(record);
            match self.log.shared.index.current(snapshot, document.fingerprint())? {
                None => {
                    // The provenance of a removal is in the record without statements. Earlier
                    // records describe a version that was removed.
                    let provenance = provenance.filter(|_| quads == 0);
                    changes.push(DocumentChange {
                        document,
                        statements: DocumentStatements::empty(),
                        quads: 0,
                        provenance,
                    });
                }
                Some(location) if frame.is_at(self.at.segment, record, quads, location) => {
                    let statements = match &frame.rest {
                        Some(rest) => DocumentStatements::streamed(Arc::new(path()), rest.clone()),
                        None => DocumentStatements::in_memory(Arc::clone(&frame.raw), begin..offset),
                    };
                    changes.push(DocumentChange { document, statements, quads, provenance });
                }
                // The record was replaced, or was not indexed because the process that wrote it was
                // killed.
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Reads a frame; `None` if it is damaged.
    fn read_frame(&mut self, end: LogEnd) -> Result<Option<SegmentFrame>, StoreError> {
        if let Some(frame) = self.recent.as_ref().and_then(|recent| recent.take(self.at)) {
            self.open = None;
            (self.at.offset, self.at.check) = (frame.end, frame.label.checksum);
            return Ok(Some(SegmentFrame::from(frame)));
        }
        let item = self.with_segment(end, SegmentReader::next_item)?;
        if let Some(recent) = &self.recent {
            recent.pass(self.at);
        }
        match item {
            SegmentItem::Frame(frame) => {
                self.at.check = frame.check;
                Ok(Some(frame))
            }
            SegmentItem::Damage(damage) => {
                self.log.shared.note_damage(self.at.segment, &damage);
                self.at.check = Position::AFTER_DAMAGE;
                Ok(None)
            }
            SegmentItem::End => Ok(None),
        }
    }

    /// Reads from the open segment, and moves the position.
    fn with_segment<T>(
        &mut self,
        end: LogEnd,
        read: impl FnOnce(&mut SegmentReader) -> io::Result<T>,
    ) -> Result<T, StoreError> {
        let path = segment_path(&self.log.shared.directory, self.at.segment);
        let extent = self.log.extent(self.at.segment, end)?;
        let run = || {
            let reader = match &mut self.open {
                Some(reader) => reader,
                None => self.open.insert(SegmentReader::open(&path, self.at.offset, extent)?),
            };
            reader.set_extent(extent);
            let read = read(reader)?;
            self.at.offset = reader.offset();
            Ok(read)
        };
        run().map_err(|source| StoreError::Read { path: path.clone(), source })
    }

    /// Whether there is a frame before `end`. Moves to the next segment at the end of one.
    fn is_before(&mut self, end: LogEnd) -> Result<bool, StoreError> {
        while self.at.segment < end.segment && self.at.offset >= self.log.extent(self.at.segment, end)?.end() {
            self.at = Position::segment_start(self.at.segment + 1);
            self.open = None;
        }
        Ok(self.has_more_before(end))
    }

    /// Moves from the beginning of a segment to a position in it. Returns `false` if the position
    /// is not a frame boundary of this log.
    fn seek(&mut self, position: Position) -> Result<bool, StoreError> {
        let end = self.log.tail().end();
        while self.at.offset < position.offset {
            self.at.check = match self.with_segment(end, SegmentReader::step)? {
                SegmentStep::Frame(label, _) => label.checksum,
                SegmentStep::Gap | SegmentStep::Damage(_) => Position::AFTER_DAMAGE,
                SegmentStep::End => return Ok(false),
            };
        }
        // A frame before the position may have been damaged or repaired since it was read.
        let is_same = [self.at.check, position.check].contains(&Position::AFTER_DAMAGE) || self.at == position;
        Ok(is_same && self.at.offset == position.offset)
    }
}

/// Counts the records of the frames in a part of a segment by their labels. Stops at damage, because
/// the count only measures progress.
fn count_records(path: &Path, from: u64, to: u64) -> io::Result<u64> {
    if from >= to {
        return Ok(0);
    }
    let mut frames = FrameReader::new(BufReader::with_capacity(64 << 10, File::open(path)?))?;
    frames.seek(from)?;
    let (mut offset, mut records) = (from, 0);
    while offset < to {
        match frames.skip_frame()? {
            FrameRead::Frame(label) => records += u64::from(label.documents),
            FrameRead::Gap => {}
            FrameRead::End | FrameRead::Torn(_) => break,
        }
        offset += frames.frame_bytes();
    }
    Ok(records)
}
