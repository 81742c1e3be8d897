//! Reads single records of segments.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::export::{is_record_header, parse_record_header, record_end};
use super::frame::{FrameLabel, FrameRead, FrameReader};
use super::frame_metadata::FrameMetadata;
use super::index::RecordLocation;
use super::writer::segment_path;
use crate::model::{Provenance, Uri};

/// Statements that can be read repeatedly.
pub(super) trait LineSource {
    /// Calls `take` with every statement: one line, with line feed.
    fn for_each_line(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError>;
}

impl LineSource for &[u8] {
    fn for_each_line(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        each_line(self, take)
    }
}

fn each_line(lines: &[u8], take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
    let mut rest = lines;
    while !rest.is_empty() {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |end| end + 1);
        take(&rest[..end])?;
        rest = &rest[end..];
    }
    Ok(())
}

/// Statements in the labelled frames of a spool file.
impl LineSource for &mut File {
    fn for_each_line(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let unreadable = |source| StoreError::Read { path: PathBuf::from("spool"), source };
        io::Seek::rewind(self).map_err(unreadable)?;
        let mut frames = FrameReader::new(BufReader::new(&**self)).map_err(unreadable)?;
        while let FrameRead::Frame(label) = frames.advance().map_err(unreadable)? {
            each_line(frames.unpack(label).map_err(unreadable)?, take)?;
        }
        Ok(())
    }
}

/// The record of a document in a segment.
pub(super) struct SegmentRecord {
    path: PathBuf,
    fingerprint: u128,
    at: RecordLocation,
}

impl SegmentRecord {
    pub(super) fn new(directory: &Path, fingerprint: u128, at: RecordLocation) -> Self {
        Self { path: segment_path(directory, at.segment), fingerprint, at }
    }

    /// Number of statements.
    pub(super) fn quads(&self) -> u64 {
        self.at.quads
    }

    /// Opens the segment and reads the frame in which the record begins.
    fn open_frame(&self) -> io::Result<Option<(FrameReader<BufReader<File>>, FrameLabel)>> {
        let file = match File::open(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut frames = FrameReader::new(BufReader::with_capacity(64 << 10, file))?;
        frames.seek(self.at.offset)?;
        match frames.advance()? {
            FrameRead::Frame(label) => Ok(Some((frames, label))),
            FrameRead::End | FrameRead::Gap | FrameRead::Torn(_) => Ok(None),
        }
    }

    /// Provenance, if it was stored.
    pub(super) fn provenance(&self) -> Result<Option<Provenance>, StoreError> {
        let unreadable = |source| StoreError::Read { path: self.path.clone(), source };
        let Some((mut frames, label)) = self.open_frame().map_err(unreadable)? else { return Err(self.missing()) };
        let mut metadata = FrameMetadata::decode(&frames.unpack_metadata().map_err(unreadable)?);
        let raw = frames.unpack(label).map_err(unreadable)?;
        let versions = (0..).zip(records(raw)).filter(|(_, record)| record.fingerprint == self.fingerprint);
        Ok(versions.last().and_then(|(index, _)| metadata.take(index)))
    }

    fn missing(&self) -> StoreError {
        let what = format!("the record at byte {} cannot be read", self.at.offset);
        StoreError::Corrupted { path: self.path.clone(), what }
    }
}

impl LineSource for SegmentRecord {
    fn for_each_line(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let unreadable = |source| StoreError::Read { path: self.path.clone(), source };
        let Some((mut frames, label)) = self.open_frame().map_err(unreadable)? else { return Err(self.missing()) };
        let raw = frames.unpack(label).map_err(unreadable)?;
        if !is_record_header(raw) {
            return each_line(find_lines(raw, self.fingerprint).ok_or_else(|| self.missing())?, take);
        }
        // The frames that follow belong to this record.
        let mut lines = 0;
        loop {
            match frames.advance().map_err(unreadable)? {
                FrameRead::Frame(label) if label.documents == 0 => {
                    each_line(frames.unpack(label).map_err(unreadable)?, &mut |line| {
                        lines += 1;
                        take(line)
                    })?;
                }
                FrameRead::Frame(_) | FrameRead::Gap | FrameRead::End if lines == self.at.quads => return Ok(()),
                _ => return Err(self.missing()),
            }
        }
    }
}

/// A record of a group.
pub(super) struct GroupRecord<'a> {
    pub(super) document: Uri,
    pub(super) fingerprint: u128,
    pub(super) quads: u64,
    pub(super) lines: &'a [u8],
}

/// The records of a group, in order.
pub(super) fn records(raw: &[u8]) -> impl Iterator<Item = GroupRecord<'_>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest)? + 1;
        let (document, quads) = parse_record_header(&rest[..end])?;
        let after_header = &rest[end..];
        let (lines, next) = after_header.split_at(record_end(after_header));
        rest = next;
        Some(GroupRecord { fingerprint: document.fingerprint(), document, quads, lines })
    })
}

/// Returns the statements of the last version of a document in a group.
fn find_lines(raw: &[u8], fingerprint: u128) -> Option<&[u8]> {
    records(raw).filter(|record| record.fingerprint == fingerprint).last().map(|record| record.lines)
}
