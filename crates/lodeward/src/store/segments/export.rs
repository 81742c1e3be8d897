//! Reading the harvest back.

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use fjall::Snapshot;
use memchr::memmem;

use super::super::{Exported, Sorter, StoreError};
use super::frame::{Frames, Next};
use super::index::{Index, Location};
use super::writer::segment_path;
use crate::model::Uri;

/// How the first line of a record begins. No other line of a segment begins
/// with `#`, for statements do not.
const FIRST_LINE: &[u8] = b"# document <";

/// Writes the first line of a record.
pub(super) fn write_first_line(into: &mut Vec<u8>, document: &Uri, quads: u64) {
    into.extend_from_slice(FIRST_LINE);
    into.extend_from_slice(document.as_str().as_bytes());
    into.extend_from_slice(b"> quads=");
    into.extend_from_slice(quads.to_string().as_bytes());
    into.push(b'\n');
}

/// Whether a frame holds the first line of a record and nothing else: the
/// statements are in the frames that follow.
pub(super) fn is_first_line(raw: &[u8]) -> bool {
    raw.starts_with(FIRST_LINE) && memchr::memchr(b'\n', raw) == Some(raw.len() - 1)
}

/// What the first line of a record says: of which document it is, and how many
/// statements it has.
pub(super) fn read_first_line(line: &[u8]) -> Option<(Uri, u64)> {
    let line = line.strip_prefix(FIRST_LINE)?;
    let end = memmem::find(line, b"> quads=")?;
    let quads = line[end + b"> quads=".len()..].trim_ascii_end();
    let document = Uri::recorded(std::str::from_utf8(&line[..end]).ok()?).ok()?;
    Some((document, std::str::from_utf8(quads).ok()?.parse().ok()?))
}

/// That a record has no such line.
pub(super) fn nameless(path: &Path) -> StoreError {
    let what = "a record begins without the address of its document".to_owned();
    StoreError::Corrupted { path: path.to_path_buf(), what }
}

/// Where the lines end that belong to the record at the beginning of `lines`.
pub(super) fn end_of_record(lines: &[u8]) -> usize {
    if lines.starts_with(FIRST_LINE) {
        return 0;
    }
    memmem::find(lines, b"\n# document <").map_or(lines.len(), |end| end + 1)
}

/// Copies current records, and only those, out of the segments. Holds one frame
/// in memory at a time.
pub(super) struct Exporter<'a> {
    pub(super) index: &'a Index,
    /// The index when the export began: a document that is replaced meanwhile
    /// is written in its old version, and not again in its new one.
    pub(super) snapshot: Snapshot,
    pub(super) into: &'a mut dyn Sorter,
    pub(super) written: Exported,
    /// Whether the record that is being read is a current one, and wanted. It may go on in
    /// the next frame.
    pub(super) current: bool,
}

impl Exporter<'_> {
    /// Exports one segment, up to its first `bytes` bytes.
    pub(super) fn export(&mut self, directory: &Path, segment: u32, bytes: Option<u64>) -> Result<(), StoreError> {
        let path = segment_path(directory, segment);
        let unreadable = |source| StoreError::Unreadable { path: path.clone(), source };
        let file = File::open(&path).map_err(unreadable)?;
        let reader = BufReader::with_capacity(64 << 10, file).take(bytes.unwrap_or(u64::MAX));
        let mut frames = Frames::new(reader).map_err(unreadable)?;
        let mut records = 0;
        self.current = false;
        loop {
            let label = match frames.advance().map_err(unreadable)? {
                Next::Frame(label) => label,
                Next::End => return Ok(()),
                Next::Torn(what) => return Err(StoreError::Corrupted { path, what: what.to_owned() }),
            };
            let raw = frames.unpack(label).map_err(unreadable)?;
            self.frame(raw, Location { segment, ordinal: records, quads: 0, offset: None }, &path)?;
            records += label.documents;
        }
    }

    /// Exports what is current of a frame whose first record is at `next`.
    fn frame(&mut self, raw: &[u8], mut next: Location, path: &Path) -> Result<(), StoreError> {
        let mut rest = raw;
        while !rest.is_empty() {
            if rest.starts_with(FIRST_LINE) {
                let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
                self.begin(&rest[..end], next, path)?;
                next.ordinal += 1;
                rest = &rest[end..];
            }
            let end = end_of_record(rest);
            if self.current {
                self.into.write_all(&rest[..end]).map_err(StoreError::Export)?;
            }
            rest = &rest[end..];
        }
        Ok(())
    }

    /// Decides whether a record is the current one of its document.
    fn begin(&mut self, first_line: &[u8], here: Location, path: &Path) -> Result<(), StoreError> {
        let (document, _) = read_first_line(first_line).ok_or_else(|| nameless(path))?;
        let current = self.index.current(&self.snapshot, document.fingerprint())?;
        let current = current.filter(|current| (current.segment, current.ordinal) == (here.segment, here.ordinal));
        self.current = current.is_some() && self.into.turn_to(&document).map_err(StoreError::Export)?;
        let current = current.filter(|_| self.current);
        self.written.documents += u64::from(self.current);
        self.written.quads += current.map_or(0, |current| current.quads);
        Ok(())
    }
}

/// Everything, in one place.
pub(super) struct Unsorted<'a>(pub(super) &'a mut dyn Write);

impl Sorter for Unsorted<'_> {
    fn turn_to(&mut self, _: &Uri) -> io::Result<bool> {
        Ok(true)
    }
}

impl Write for Unsorted<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
