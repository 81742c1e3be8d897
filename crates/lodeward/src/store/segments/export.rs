//! Exports the harvest from the segments, and reads record headers.

use std::io::{self, Write};
use std::path::Path;

use fjall::Snapshot;
use memchr::memmem;

use super::super::{DocumentRouter, ExportSummary, StoreError};
use super::frame_stream::frame_stream;
use super::inner::SegmentStoreInner;
use super::record::records;
use super::segment_reader::{SegmentExtent, SegmentFrame, SegmentItem, SegmentReader};
use super::writer::segment_path;
use crate::model::Uri;

/// Prefix of the header line of a record. No other line of a segment begins with `#`, because
/// statements do not.
const RECORD_HEADER_PREFIX: &[u8] = b"# document <";

/// Writes the header line of a record.
pub(super) fn write_record_header(into: &mut Vec<u8>, document: &Uri, quads: u64) {
    into.extend_from_slice(RECORD_HEADER_PREFIX);
    into.extend_from_slice(document.as_str().as_bytes());
    into.extend_from_slice(b"> quads=");
    into.extend_from_slice(quads.to_string().as_bytes());
    into.push(b'\n');
}

/// Whether a frame contains only the header line of a record. The statements of such a record are
/// in the frames that follow.
pub(super) fn is_record_header(raw: &[u8]) -> bool {
    raw.starts_with(RECORD_HEADER_PREFIX) && memchr::memchr(b'\n', raw) == Some(raw.len() - 1)
}

/// Parses the header line of a record: its document and number of statements.
pub(super) fn parse_record_header(line: &[u8]) -> Option<(Uri, u64)> {
    let line = line.strip_prefix(RECORD_HEADER_PREFIX)?;
    let end = memmem::find(line, b"> quads=")?;
    let quads = line[end + b"> quads=".len()..].trim_ascii_end();
    let document = Uri::parse_stored(std::str::from_utf8(&line[..end]).ok()?).ok()?;
    Some((document, std::str::from_utf8(quads).ok()?.parse().ok()?))
}

/// Error for a record without a header line.
pub(super) fn missing_record_header(path: &Path) -> StoreError {
    let what = "a record has no header line".to_owned();
    StoreError::Corrupted { path: path.to_path_buf(), what }
}

/// Returns the end of the record at the beginning of `lines`.
pub(super) fn record_end(lines: &[u8]) -> usize {
    if lines.starts_with(RECORD_HEADER_PREFIX) {
        return 0;
    }
    memmem::find(lines, b"\n# document <").map_or(lines.len(), |end| end + 1)
}

/// Copies the current records out of the segments, and skips damaged ones. Holds one frame in
/// memory at a time.
pub(super) struct SegmentExporter<'a> {
    pub(super) shared: &'a SegmentStoreInner,
    /// The index as of the start of the export: a document that is replaced meanwhile is written
    /// once, in its old version.
    pub(super) snapshot: Snapshot,
    pub(super) into: &'a mut dyn DocumentRouter,
    pub(super) written: ExportSummary,
}

impl SegmentExporter<'_> {
    /// Exports one segment.
    pub(super) fn export(&mut self, segment: u32, extent: SegmentExtent) -> Result<(), StoreError> {
        let path = segment_path(&self.shared.directory, segment);
        let unreadable = |source| StoreError::Read { path: path.clone(), source };
        let mut reader = SegmentReader::open(&path, 0, extent).map_err(unreadable)?;
        loop {
            match reader.next_item().map_err(unreadable)? {
                SegmentItem::Frame(frame) => self.export_frame(segment, &frame, &path)?,
                SegmentItem::Damage(damage) => self.shared.note_damage(segment, &damage),
                SegmentItem::End => return Ok(()),
            }
        }
    }

    /// Exports the current records of a frame.
    fn export_frame(&mut self, segment: u32, frame: &SegmentFrame, path: &Path) -> Result<(), StoreError> {
        let mut number = 0;
        for record in records(&frame.raw).take(frame.label.documents as usize) {
            let current = self.shared.index.current(&self.snapshot, record.fingerprint)?;
            let is_current = current.is_some_and(|current| frame.is_at(segment, number, record.quads, current));
            number += 1;
            if !is_current || !self.into.start_document(&record.document).map_err(StoreError::Export)? {
                continue;
            }
            self.written.documents += 1;
            self.written.quads += record.quads;
            match &frame.rest {
                Some(rest) => {
                    let mut statements = frame_stream(path, rest.clone())?;
                    io::copy(&mut statements, self.into).map(drop).map_err(StoreError::Export)?;
                }
                None => self.into.write_all(record.lines).map_err(StoreError::Export)?,
            }
        }
        if number == frame.label.documents { Ok(()) } else { Err(missing_record_header(path)) }
    }
}

/// Router that writes all documents to one output.
pub(super) struct SingleOutput<'a>(pub(super) &'a mut dyn Write);

impl DocumentRouter for SingleOutput<'_> {
    fn start_document(&mut self, _: &Uri) -> io::Result<bool> {
        Ok(true)
    }
}

impl Write for SingleOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
