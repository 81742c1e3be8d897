//! Exports the harvest from the segments, and reads record headers.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use fjall::Snapshot;
use memchr::memmem;

use super::super::{DocumentRouter, ExportSummary, StoreError};
use super::frame::{FrameRead, FrameReader};
use super::index::{DocumentIndex, RecordLocation};
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

/// Copies the current records out of the segments. Holds one frame in memory at a time.
pub(super) struct SegmentExporter<'a> {
    pub(super) index: &'a DocumentIndex,
    /// The index as of the start of the export: a document that is replaced meanwhile is written
    /// once, in its old version.
    pub(super) snapshot: Snapshot,
    pub(super) into: &'a mut dyn DocumentRouter,
    pub(super) written: ExportSummary,
    /// Whether the record being read is current and requested. The record may continue in the next
    /// frame.
    pub(super) current: bool,
}

impl SegmentExporter<'_> {
    /// Exports one segment, or its first `bytes` bytes.
    pub(super) fn export(&mut self, directory: &Path, segment: u32, bytes: Option<u64>) -> Result<(), StoreError> {
        let path = segment_path(directory, segment);
        let unreadable = |source| StoreError::Read { path: path.clone(), source };
        let file = File::open(&path).map_err(unreadable)?;
        let reader = BufReader::with_capacity(64 << 10, file).take(bytes.unwrap_or(u64::MAX));
        let mut frames = FrameReader::new(reader).map_err(unreadable)?;
        let mut records = 0;
        self.current = false;
        loop {
            let label = match frames.advance().map_err(unreadable)? {
                FrameRead::Frame(label) => label,
                FrameRead::End => return Ok(()),
                FrameRead::Torn(what) => return Err(StoreError::Corrupted { path, what: what.to_owned() }),
            };
            let raw = frames.unpack(label).map_err(unreadable)?;
            self.export_frame(raw, RecordLocation { segment, ordinal: records, quads: 0, offset: None }, &path)?;
            records += label.documents;
        }
    }

    /// Exports the current records of a frame whose first record is at `next`.
    fn export_frame(&mut self, raw: &[u8], mut next: RecordLocation, path: &Path) -> Result<(), StoreError> {
        let mut rest = raw;
        while !rest.is_empty() {
            if rest.starts_with(RECORD_HEADER_PREFIX) {
                let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                self.start_record(&rest[..end], next, path)?;
                next.ordinal += 1;
                rest = &rest[end..];
            }
            let end = record_end(rest);
            if self.current {
                self.into.write_all(&rest[..end]).map_err(StoreError::Export)?;
            }
            rest = &rest[end..];
        }
        Ok(())
    }

    /// Decides whether a record is the current version of its document.
    fn start_record(&mut self, first_line: &[u8], here: RecordLocation, path: &Path) -> Result<(), StoreError> {
        let (document, _) = parse_record_header(first_line).ok_or_else(|| missing_record_header(path))?;
        let current = self.index.current(&self.snapshot, document.fingerprint())?;
        let current = current.filter(|current| (current.segment, current.ordinal) == (here.segment, here.ordinal));
        self.current = current.is_some() && self.into.start_document(&document).map_err(StoreError::Export)?;
        let current = current.filter(|_| self.current);
        self.written.documents += u64::from(self.current);
        self.written.quads += current.map_or(0, |current| current.quads);
        Ok(())
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
