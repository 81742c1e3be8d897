//! Reading one record back, wherever it is.

use std::fs::File;
use std::io::{self, BufReader};
use std::path::{Path, PathBuf};

use super::super::StoreError;
use super::export::{end_of_record, is_first_line, read_first_line};
use super::frame::{Frames, Label, Next};
use super::index::Location;
use super::slip::Slip;
use super::writer::segment_path;
use crate::provenance::Provenance;

/// Statements that can be gone through, as often as need be.
pub(super) trait Lines {
    /// Hands over every statement, one line each, with its line feed.
    fn each(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError>;
}

impl Lines for &[u8] {
    fn each(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
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

/// Statements in labelled frames that are not in a segment yet.
impl Lines for &mut File {
    fn each(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let unreadable = |source| StoreError::Unreadable { path: PathBuf::from("spool"), source };
        io::Seek::rewind(self).map_err(unreadable)?;
        let mut frames = Frames::new(BufReader::new(&**self)).map_err(unreadable)?;
        while let Next::Frame(label) = frames.advance().map_err(unreadable)? {
            each_line(frames.unpack(label).map_err(unreadable)?, take)?;
        }
        Ok(())
    }
}

/// The record of a document in a segment.
pub(super) struct Record {
    path: PathBuf,
    fingerprint: u128,
    at: Location,
}

impl Record {
    pub(super) fn new(directory: &Path, fingerprint: u128, at: Location) -> Self {
        Self { path: segment_path(directory, at.segment), fingerprint, at }
    }

    /// How many statements it has.
    pub(super) fn quads(&self) -> u64 {
        self.at.quads
    }

    /// Goes to the frame in which it begins, and reads that.
    fn find(&self) -> io::Result<Option<(Frames<BufReader<File>>, Label)>> {
        let mut frames = Frames::new(BufReader::with_capacity(64 << 10, File::open(&self.path)?))?;
        match self.at.offset {
            Some(offset) => frames.seek(offset)?,
            // Indexed before it was kept where frames are: labels tell.
            None => {
                let (mut offset, mut records) = (0, 0);
                while let Next::Frame(label) = frames.pass_over()? {
                    records += label.documents;
                    if records > self.at.ordinal {
                        break;
                    }
                    offset += frames.bytes();
                }
                frames.seek(offset)?;
            }
        }
        match frames.advance()? {
            Next::Frame(label) => Ok(Some((frames, label))),
            Next::End | Next::Torn(_) => Ok(None),
        }
    }

    /// Where it comes from, if that was kept.
    pub(super) fn provenance(&self) -> Result<Option<Provenance>, StoreError> {
        let unreadable = |source| StoreError::Unreadable { path: self.path.clone(), source };
        let Some((mut frames, label)) = self.find().map_err(unreadable)? else { return Err(self.missing()) };
        let mut slip = Slip::decode(&frames.unpack_slip().map_err(unreadable)?);
        let raw = frames.unpack(label).map_err(unreadable)?;
        let versions = (0..).zip(records(raw)).filter(|(_, record)| record.fingerprint == self.fingerprint);
        Ok(versions.last().and_then(|(place, _)| slip.take(place)))
    }

    fn missing(&self) -> StoreError {
        let what = "a record is not where the index says".to_owned();
        StoreError::Corrupted { path: self.path.clone(), what }
    }
}

impl Lines for Record {
    fn each(&mut self, take: &mut dyn FnMut(&[u8]) -> Result<(), StoreError>) -> Result<(), StoreError> {
        let unreadable = |source| StoreError::Unreadable { path: self.path.clone(), source };
        let Some((mut frames, label)) = self.find().map_err(unreadable)? else { return Err(self.missing()) };
        let raw = frames.unpack(label).map_err(unreadable)?;
        if !is_first_line(raw) {
            return each_line(lines_of(raw, self.fingerprint).ok_or_else(|| self.missing())?, take);
        }
        // The frames that follow are all its own.
        while let Next::Frame(label) = frames.advance().map_err(unreadable)? {
            if label.documents > 0 {
                break;
            }
            each_line(frames.unpack(label).map_err(unreadable)?, take)?;
        }
        Ok(())
    }
}

/// A record within a group of them.
pub(super) struct InGroup<'a> {
    pub(super) fingerprint: u128,
    pub(super) quads: u64,
    pub(super) lines: &'a [u8],
}

/// The records of a group, in order.
pub(super) fn records(raw: &[u8]) -> impl Iterator<Item = InGroup<'_>> {
    let mut rest = raw;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest)? + 1;
        let (document, quads) = read_first_line(&rest[..end])?;
        let behind = &rest[end..];
        let (lines, next) = behind.split_at(end_of_record(behind));
        rest = next;
        Some(InGroup { fingerprint: document.fingerprint(), quads, lines })
    })
}

/// The statements of a document in a group; of its last version, if there are
/// several.
fn lines_of(raw: &[u8], fingerprint: u128) -> Option<&[u8]> {
    records(raw).filter(|record| record.fingerprint == fingerprint).last().map(|record| record.lines)
}
