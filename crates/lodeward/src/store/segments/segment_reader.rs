//! Reads a segment frame by frame, and skips damaged parts.
//!
//! After a damaged frame, the reader searches for the next bytes that are a frame with a correct
//! checksum. The bytes in between are reported as damage. A document of several frames is
//! damaged as a whole.

use std::fs::File;
use std::io::{self, BufReader, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memchr::memmem;

use super::export::{is_record_header, parse_record_header};
use super::frame::{FrameLabel, FrameRead, FrameReader, is_frame_start};
use super::frame_metadata::FrameMetadata;
use super::index::RecordLocation;
use super::recent_frames::RecentFrame;

/// Size of read buffers.
const BUFFER_BYTES: usize = 64 << 10;

/// How much of a segment can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SegmentExtent {
    /// Length up to which frames are read.
    pub(super) readable: u64,
    /// Length that the index states. If it is greater, the end of the file is missing.
    pub(super) expected: u64,
}

impl SegmentExtent {
    pub(super) fn complete(bytes: u64) -> Self {
        Self { readable: bytes, expected: bytes }
    }

    /// End of the segment, read or missing.
    pub(super) fn end(self) -> u64 {
        self.readable.max(self.expected)
    }
}

/// Reads one segment.
pub(super) struct SegmentReader {
    path: PathBuf,
    /// `None` if the file is missing.
    frames: Option<FrameReader<BufReader<File>>>,
    extent: SegmentExtent,
    /// Byte offset of the next frame.
    at: u64,
    /// Beginning of the damage that ends at `at`.
    damage_begin: Option<u64>,
}

/// A frame, with the frames that continue its document.
pub(super) struct SegmentFrame {
    pub(super) label: FrameLabel,
    /// Offset at which the frame begins. If its metadata may be damaged, all offsets at which the
    /// metadata may begin.
    pub(super) begin: RangeInclusive<u64>,
    pub(super) raw: Arc<[u8]>,
    pub(super) metadata: FrameMetadata,
    /// Byte range of the frames that continue the document, if it has several frames.
    pub(super) rest: Option<Range<u64>>,
    /// Checksum of the last frame read.
    pub(super) check: u64,
}

/// Damage of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SegmentDamage {
    pub(super) bytes: Range<u64>,
    pub(super) what: &'static str,
    /// Whether no complete record follows.
    pub(super) is_end: bool,
}

/// Next item of a segment, with its documents.
pub(super) enum SegmentItem {
    Frame(SegmentFrame),
    Damage(SegmentDamage),
    End,
}

/// Next frame of a segment, verified and not unpacked.
pub(super) enum SegmentStep {
    /// A frame and the offsets at which it may begin.
    Frame(FrameLabel, RangeInclusive<u64>),
    /// Damaged bytes that were repaired.
    Gap,
    Damage(SegmentDamage),
    End,
}

impl SegmentFrame {
    /// Whether the record with this number in the frame is at the location.
    pub(super) fn is_at(&self, segment: u32, record: u32, quads: u64, location: RecordLocation) -> bool {
        location.segment == segment
            && self.begin.contains(&location.offset)
            && (location.record, location.quads) == (record, quads)
    }
}

impl From<RecentFrame> for SegmentFrame {
    fn from(RecentFrame { begin, label, raw, metadata, .. }: RecentFrame) -> Self {
        Self { label, begin: begin..=begin, raw, metadata, rest: None, check: label.checksum }
    }
}

impl SegmentReader {
    /// Opens a segment at `offset`. A missing file is damage.
    pub(super) fn open(path: &Path, offset: u64, extent: SegmentExtent) -> io::Result<Self> {
        let frames = match File::open(path) {
            Ok(file) => {
                let mut frames = FrameReader::new(BufReader::with_capacity(BUFFER_BYTES, file))?;
                frames.seek(offset)?;
                Some(frames)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        Ok(Self { path: path.to_path_buf(), frames, extent, at: offset, damage_begin: None })
    }

    /// Byte offset of the next frame.
    pub(super) fn offset(&self) -> u64 {
        self.at
    }

    /// Replaces the extent of a segment that has grown.
    pub(super) fn set_extent(&mut self, extent: SegmentExtent) {
        self.extent = extent;
    }

    /// Reads the next frame with its documents. Damage ends where a record begins.
    pub(super) fn next_item(&mut self) -> io::Result<SegmentItem> {
        loop {
            return match self.step()? {
                SegmentStep::Frame(label, begin) => self.read_documents(label, begin),
                SegmentStep::Gap => continue,
                SegmentStep::Damage(damage) => Ok(SegmentItem::Damage(damage)),
                SegmentStep::End => Ok(SegmentItem::End),
            };
        }
    }

    fn read_documents(&mut self, label: FrameLabel, begin: RangeInclusive<u64>) -> io::Result<SegmentItem> {
        let frames = self.frames.as_mut().expect("a frame was read from the file");
        let metadata = FrameMetadata::decode(&frames.unpack_metadata()?);
        let raw: Arc<[u8]> = frames.unpack(label)?.into();
        let mut frame = SegmentFrame { label, begin, raw, metadata, rest: None, check: label.checksum };
        if is_large(&frame.raw) {
            let start = self.at;
            match self.read_rest(frame.check)? {
                Ok(check) => (frame.rest, frame.check) = (Some(start..self.at), check),
                Err(damage) => {
                    let bytes = *frame.begin.end()..damage.bytes.end;
                    return Ok(SegmentItem::Damage(SegmentDamage { bytes, ..damage }));
                }
            }
        }
        Ok(SegmentItem::Frame(frame))
    }

    /// Reads and verifies the frames that continue a document. Returns the last checksum.
    fn read_rest(&mut self, mut check: u64) -> io::Result<Result<u64, SegmentDamage>> {
        loop {
            let begin = self.at;
            match self.step()? {
                SegmentStep::Frame(label, _) if label.documents == 0 => check = label.checksum,
                SegmentStep::Frame(..) => {
                    self.seek(begin)?;
                    return Ok(Ok(check));
                }
                SegmentStep::Damage(damage) => return Ok(Err(damage)),
                SegmentStep::Gap | SegmentStep::End => return Ok(Ok(check)),
            }
        }
    }

    /// Whether the last frame is the beginning of a document of several frames.
    pub(super) fn is_large(&mut self, label: FrameLabel) -> io::Result<bool> {
        match &mut self.frames {
            Some(frames) if label.documents == 1 => frames.unpack(label).map(is_large),
            _ => Ok(false),
        }
    }

    /// Reads and verifies the next frame without unpacking it.
    pub(super) fn step(&mut self) -> io::Result<SegmentStep> {
        if self.at >= self.extent.readable || self.frames.is_none() {
            return Ok(self.missing_end());
        }
        let (next, bytes) = self.advance()?;
        let begin = self.at;
        match next {
            FrameRead::Gap => {
                self.at += bytes;
                self.damage_begin = None;
                Ok(SegmentStep::Gap)
            }
            FrameRead::Frame(label) => {
                self.at += bytes;
                let damage_begin = self.damage_begin.take().filter(|_| !self.has_metadata());
                Ok(SegmentStep::Frame(label, damage_begin.unwrap_or(begin)..=begin))
            }
            FrameRead::End => self.skip_damage("the file ends before the end of the log"),
            FrameRead::Torn(what) => self.skip_damage(what),
        }
    }

    fn has_metadata(&self) -> bool {
        self.frames.as_ref().is_some_and(FrameReader::has_metadata)
    }

    /// The end of the segment, or damage if the index expects more bytes.
    fn missing_end(&mut self) -> SegmentStep {
        let SegmentExtent { expected, .. } = self.extent;
        if self.at >= expected {
            return SegmentStep::End;
        }
        let what = if self.frames.is_some() { "the end of the file is missing" } else { "the file is missing" };
        let bytes = std::mem::replace(&mut self.at, expected)..expected;
        SegmentStep::Damage(SegmentDamage { bytes, what, is_end: true })
    }

    /// Reads the frame at the current offset. Returns its size, too.
    fn advance(&mut self) -> io::Result<(FrameRead, u64)> {
        let frames = self.frames.as_mut().expect("the file exists");
        let mut next = frames.advance()?;
        if matches!(next, FrameRead::End | FrameRead::Torn(_)) {
            // The buffer may hold bytes of an incomplete frame that was replaced since.
            frames.seek(self.at)?;
            next = frames.advance()?;
        }
        let bytes = frames.frame_bytes();
        let is_whole = matches!(next, FrameRead::Frame(_) | FrameRead::Gap);
        if is_whole && self.at + bytes > self.extent.readable {
            next = FrameRead::Torn("incomplete frame");
        }
        Ok((next, bytes))
    }

    /// Continues at the next frame in which a record begins.
    fn skip_damage(&mut self, what: &'static str) -> io::Result<SegmentStep> {
        let begin = self.at;
        let mut from = begin + 1;
        let next = loop {
            match self.find_frame(from)? {
                // The frame continues a document whose beginning is damaged.
                Some((offset, label, bytes)) if label.documents == 0 => from = offset + bytes,
                Some((offset, ..)) => break Some(offset),
                None => break None,
            }
        };
        let end = next.unwrap_or(self.extent.end());
        self.damage_begin = Some(begin);
        self.seek(end)?;
        Ok(SegmentStep::Damage(SegmentDamage { bytes: begin..end, what, is_end: next.is_none() }))
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.at = offset;
        self.frames.as_mut().map_or(Ok(()), |frames| frames.seek(offset))
    }

    /// Finds the first frame with a correct checksum at or after `from`: its offset, label and size.
    fn find_frame(&mut self, mut from: u64) -> io::Result<Option<(u64, FrameLabel, u64)>> {
        let mut file = File::open(&self.path)?;
        let frames = self.frames.as_mut().expect("the file exists");
        while let Some(offset) = find_frame_start(&mut file, from, self.extent.readable)? {
            frames.seek(offset)?;
            let next = frames.advance()?;
            let bytes = frames.frame_bytes();
            match next {
                FrameRead::Frame(label) if offset + bytes <= self.extent.readable => {
                    return Ok(Some((offset, label, bytes)));
                }
                _ => from = offset + 1,
            }
        }
        Ok(None)
    }
}

/// Whether a frame has only the header of a record whose statements are in the frames that follow.
fn is_large(raw: &[u8]) -> bool {
    is_record_header(raw) && parse_record_header(raw).is_some_and(|(_, quads)| quads > 0)
}

/// Finds the first offset in `from..end` at which the header of a frame may begin.
fn find_frame_start(file: &mut File, mut from: u64, end: u64) -> io::Result<Option<u64>> {
    /// The last three bytes of all magic numbers.
    const MAGIC_TAIL: &[u8] = &[0x2A, 0x4D, 0x18];
    /// Bytes that [`is_frame_start`] examines.
    const START_BYTES: u64 = 12;
    let mut chunk = Vec::new();
    while from + START_BYTES <= end {
        file.seek(SeekFrom::Start(from))?;
        chunk.clear();
        (&mut *file).take((BUFFER_BYTES as u64).min(end - from)).read_to_end(&mut chunk)?;
        let starts = memmem::find_iter(&chunk, MAGIC_TAIL).filter_map(|tail| tail.checked_sub(1));
        if let Some(start) = starts.into_iter().find(|&start| is_frame_start(&chunk[start..])) {
            return Ok(Some(from + start as u64));
        }
        if (chunk.len() as u64) < START_BYTES {
            return Ok(None);
        }
        // Chunks overlap, so that a header that spans two chunks is found.
        from += chunk.len() as u64 - (START_BYTES - 1);
    }
    Ok(None)
}
