//! Reads the segments as a log: changes in the order in which they were written.

use std::fs::File;
use std::io::{self, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fjall::Snapshot;

use super::super::StoreError;
use super::super::follow::{DocumentChange, DocumentStatements, Position};
use super::export::{is_record_header, missing_record_header, parse_record_header, record_end};
use super::frame::{FrameLabel, FrameRead, FrameReader};
use super::frame_metadata::FrameMetadata;
use super::index::RecordLocation;
use super::inner::SegmentStoreInner;
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
        Self { max_records: 1_024, max_bytes: 4 << 20 }
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

    pub(in crate::store) fn tail(&self) -> &LogTail {
        &self.shared.tail
    }

    /// Reads from a position, or from the beginning.
    ///
    /// If the log no longer has the position, because a power cut has truncated the log, reading
    /// restarts at the beginning of the segment; earlier segments are complete, because each was
    /// synced before the next was created. Changes read again have been applied before, and
    /// applying is idempotent.
    pub fn read(&self, from: Option<Position>) -> Result<LogReader, StoreError> {
        let from = from.unwrap_or(Position::START);
        let mut reader = LogReader { log: self.clone(), at: Position::segment_start(from.segment), open: None };
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
}

/// Reads the log.
pub struct LogReader {
    log: SegmentLog,
    at: Position,
    /// The open segment, at the position.
    open: Option<OpenedSegment>,
}

struct OpenedSegment {
    path: Arc<PathBuf>,
    frames: FrameReader<BufReader<File>>,
}

/// A frame of the log.
struct LogFrame {
    begin: Position,
    label: FrameLabel,
    raw: Arc<[u8]>,
    metadata: FrameMetadata,
    /// Byte range of the following frames, if the frame holds the beginning of one large document.
    rest: Option<Range<u64>>,
    path: Arc<PathBuf>,
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
        let mut probe = Self { log: self.log.clone(), at: self.at, open: None };
        let mut distance = LogDistance::default();
        while probe.is_before(end)? {
            let begin = probe.at.offset;
            distance.records += u64::from(probe.skip_frame()?.documents);
            distance.bytes += probe.at.offset - begin;
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
            let mut frame = self.read_frame(end)?;
            raw_bytes += frame.raw.len();
            group.records += u64::from(frame.label.documents);
            group.bytes += self.at.offset - frame.begin.offset;
            group.upto = self.at;
            self.collect_changes(&mut frame, &snapshot, &mut group.changes)?;
            if frame.rest.is_some() {
                // A large document is the last of its group.
                break;
            }
        }
        Ok((group.bytes > 0).then_some(group))
    }

    /// Adds the changes of the records of a frame.
    fn collect_changes(
        &self,
        frame: &mut LogFrame,
        snapshot: &Snapshot,
        changes: &mut Vec<DocumentChange>,
    ) -> Result<(), StoreError> {
        // The frame continues a large document whose first frame was truncated or skipped, so the
        // document was never indexed.
        if frame.label.documents == 0 {
            return Ok(());
        }
        let mut offset = 0;
        for record in 0..frame.label.documents {
            let lines = &frame.raw[offset..];
            let first_line = memchr::memchr(b'\n', lines).map_or(lines, |end| &lines[..=end]);
            let (document, quads) =
                parse_record_header(first_line).ok_or_else(|| missing_record_header(&frame.path))?;
            let begin = offset + first_line.len();
            offset = begin + record_end(&frame.raw[begin..]);
            let here = (frame.begin.segment, frame.begin.ordinal + record);
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
                Some(RecordLocation { segment, ordinal, .. }) if (segment, ordinal) == here => {
                    let statements = match &frame.rest {
                        Some(rest) => DocumentStatements::streamed(Arc::clone(&frame.path), rest.clone()),
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

    /// Reads a frame. For the first frame of a large document, also finds the end of the document.
    fn read_frame(&mut self, end: LogEnd) -> Result<LogFrame, StoreError> {
        let begin = self.at;
        let open = self.open_segment()?;
        let path = Arc::clone(&open.path);
        let unreadable = |source| StoreError::Read { path: path.to_path_buf(), source };
        let label = expect_frame(open.frames.advance().map_err(unreadable)?, &path)?;
        let metadata = FrameMetadata::decode(&open.frames.unpack_metadata().map_err(unreadable)?);
        let raw: Arc<[u8]> = open.frames.unpack(label).map_err(unreadable)?.into();
        let bytes = open.frames.frame_bytes();
        self.advance(label, bytes);
        let is_large = is_record_header(&raw) && parse_record_header(&raw).is_some_and(|(_, quads)| quads > 0);
        let rest = if is_large { Some(self.skip_continuation_frames(end)?) } else { None };
        Ok(LogFrame { begin, label, raw, metadata, rest, path })
    }

    /// Skips frames in which no record begins. Returns their byte range.
    fn skip_continuation_frames(&mut self, end: LogEnd) -> Result<Range<u64>, StoreError> {
        let begin = self.at;
        while self.has_more_before(end) && self.at.offset < self.segment_bytes()? {
            let before = self.at;
            if self.skip_frame()?.documents > 0 {
                self.at = before;
                self.open = None;
                break;
            }
        }
        Ok(begin.offset..self.at.offset)
    }

    /// Skips a frame.
    fn skip_frame(&mut self) -> Result<FrameLabel, StoreError> {
        let open = self.open_segment()?;
        let unreadable = |source| StoreError::Read { path: open.path.to_path_buf(), source };
        let label = expect_frame(open.frames.skip_frame().map_err(unreadable)?, &open.path)?;
        let bytes = open.frames.frame_bytes();
        self.advance(label, bytes);
        Ok(label)
    }

    fn advance(&mut self, label: FrameLabel, bytes: u64) {
        self.at.offset += bytes;
        self.at.ordinal += label.documents;
        self.at.check = label.checksum;
    }

    /// Whether there is a frame before `end`. Moves to the next segment at the end of one.
    fn is_before(&mut self, end: LogEnd) -> Result<bool, StoreError> {
        while self.at.segment < end.segment && self.at.offset >= self.segment_bytes()? {
            self.at = Position::segment_start(self.at.segment + 1);
            self.open = None;
        }
        Ok(self.has_more_before(end))
    }

    fn segment_bytes(&self) -> Result<u64, StoreError> {
        let path = segment_path(&self.log.shared.directory, self.at.segment);
        let about = path.metadata().map_err(|source| StoreError::Read { path, source })?;
        Ok(about.len())
    }

    /// Moves from the beginning of a segment to a position in it. Returns `false` if the position
    /// is not a frame boundary of this log.
    fn seek(&mut self, position: Position) -> Result<bool, StoreError> {
        let end = self.log.tail().end();
        let bytes = if position.segment == end.segment { end.bytes } else { self.segment_bytes()? };
        while self.at < position && self.at.offset < bytes {
            self.skip_frame()?;
        }
        Ok(self.at == position)
    }

    fn open_segment(&mut self) -> Result<&mut OpenedSegment, StoreError> {
        if self.open.is_none() {
            let path = segment_path(&self.log.shared.directory, self.at.segment);
            let frames =
                open_at(&path, self.at.offset).map_err(|source| StoreError::Read { path: path.clone(), source })?;
            self.open = Some(OpenedSegment { path: Arc::new(path), frames });
        }
        Ok(self.open.as_mut().expect("a segment was just opened"))
    }
}

fn open_at(path: &Path, offset: u64) -> io::Result<FrameReader<BufReader<File>>> {
    let mut frames = FrameReader::new(BufReader::with_capacity(64 << 10, File::open(path)?))?;
    frames.seek(offset)?;
    Ok(frames)
}

/// Returns the label of a frame before the end of the log. It is an error if the frame is not
/// complete.
fn expect_frame(next: FrameRead, path: &Path) -> Result<FrameLabel, StoreError> {
    let what = match next {
        FrameRead::Frame(label) => return Ok(label),
        FrameRead::End => "the file ends before the end of the log",
        FrameRead::Torn(what) => what,
    };
    Err(StoreError::Corrupted { path: path.to_path_buf(), what: what.to_owned() })
}
