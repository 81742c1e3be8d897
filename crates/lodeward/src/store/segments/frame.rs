//! The unit of a segment: some documents, compressed together.
//!
//! A segment is a plain `.zst` file. Each compressed frame is preceded by a
//! *skippable* frame (RFC 8878 §3.1.2), which every zstd tool passes over and
//! which tells us, without decompressing, how long the frame is, how many
//! documents begin in it, and whether all of it has reached the disk.

use std::io::{self, ErrorKind, Read};

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

/// One of the sixteen magic numbers of skippable frames, and what is in ours.
const MAGIC: u32 = 0x184D_2A5D;
const TAG: u32 = u32::from_le_bytes(*b"LDW1");
const LABEL_BYTES: usize = 32;

/// What is told of a frame before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Documents that begin in the frame.
    pub(super) documents: u32,
    /// Bytes of N-Quads in the frame.
    raw_bytes: u32,
    /// Bytes of the frame itself.
    frame_bytes: u32,
    checksum: u64,
}

impl Label {
    fn of(documents: u32, raw: &[u8], frame: &[u8]) -> io::Result<Self> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::FileTooLarge));
        let (raw_bytes, frame_bytes) = (size(raw)?, size(frame)?);
        Ok(Self { documents, raw_bytes, frame_bytes, checksum: checksum(documents, raw_bytes, frame) })
    }

    fn encode(self) -> [u8; LABEL_BYTES] {
        let content = u32::try_from(LABEL_BYTES).expect("a label is small") - 8;
        let words = [MAGIC, content, TAG, self.documents, self.raw_bytes, self.frame_bytes];
        let mut bytes = [0; LABEL_BYTES];
        for (field, word) in bytes.chunks_exact_mut(4).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: [u8; LABEL_BYTES]) -> Option<Self> {
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("four bytes"));
        let checksum = u64::from_le_bytes(bytes[24..].try_into().expect("eight bytes"));
        let label = Self { documents: word(3), raw_bytes: word(4), frame_bytes: word(5), checksum };
        (label.encode() == bytes).then_some(label)
    }

    /// Bytes of label and frame in the file.
    pub(super) fn total_bytes(self) -> u64 {
        LABEL_BYTES as u64 + u64::from(self.frame_bytes)
    }
}

fn checksum(documents: u32, raw_bytes: u32, frame: &[u8]) -> u64 {
    xxh3_64_with_seed(frame, u64::from(documents) << 32 | u64::from(raw_bytes))
}

/// Makes frames, reusing its buffers.
pub(super) struct Press {
    compressor: Compressor<'static>,
    pressed: Vec<u8>,
}

impl Press {
    pub(super) fn new(level: i32) -> io::Result<Self> {
        Ok(Self { compressor: Compressor::new(level)?, pressed: Vec::new() })
    }

    /// A frame with its label, to be written at once.
    pub(super) fn press(&mut self, documents: u32, raw: &[u8]) -> io::Result<&[u8]> {
        let room = LABEL_BYTES + zstd::zstd_safe::compress_bound(raw.len());
        self.pressed.resize(room.max(self.pressed.len()), 0);
        let frame_bytes = self.compressor.compress_to_buffer(raw, &mut self.pressed[LABEL_BYTES..])?;
        let (head, frame) = self.pressed.split_at_mut(LABEL_BYTES);
        head.copy_from_slice(&Label::of(documents, raw, &frame[..frame_bytes])?.encode());
        Ok(&self.pressed[..LABEL_BYTES + frame_bytes])
    }
}

/// Reads a segment frame by frame, reusing its buffers.
pub(super) struct Frames<R> {
    reader: R,
    decompressor: Decompressor<'static>,
    frame: Vec<u8>,
    raw: Vec<u8>,
}

/// What comes next in a segment.
pub(super) enum Next {
    /// A whole frame.
    Frame(Label),
    /// Nothing.
    End,
    /// Something that was never finished, or that the disk has lost.
    Torn(&'static str),
}

impl<R: Read> Frames<R> {
    pub(super) fn new(reader: R) -> io::Result<Self> {
        Ok(Self { reader, decompressor: Decompressor::new()?, frame: Vec::new(), raw: Vec::new() })
    }

    /// Reads the next frame and checks that it is whole.
    pub(super) fn advance(&mut self) -> io::Result<Next> {
        let mut bytes = [0; LABEL_BYTES];
        match read_up_to(&mut self.reader, &mut bytes)? {
            0 => return Ok(Next::End),
            LABEL_BYTES => {}
            _ => return Ok(Next::Torn("half a label")),
        }
        let Some(label) = Label::decode(bytes) else { return Ok(Next::Torn("no label where a frame should begin")) };
        // Read with a limit, rather than into a buffer of the size that the
        // label claims: a label can be wrong too.
        self.frame.clear();
        (&mut self.reader).take(u64::from(label.frame_bytes)).read_to_end(&mut self.frame)?;
        if self.frame.len() as u64 != u64::from(label.frame_bytes) {
            return Ok(Next::Torn("half a frame"));
        }
        if checksum(label.documents, label.raw_bytes, &self.frame) != label.checksum {
            return Ok(Next::Torn("a frame that is not what its label says"));
        }
        Ok(Next::Frame(label))
    }

    /// The N-Quads in the frame that was read last.
    pub(super) fn unpack(&mut self, label: Label) -> io::Result<&[u8]> {
        self.raw.resize(self.raw.len().max(label.raw_bytes as usize), 0);
        let length = self.decompressor.decompress_to_buffer(&self.frame, &mut self.raw[..label.raw_bytes as usize])?;
        Ok(&self.raw[..length])
    }
}

/// Like `read_exact`, but tells how much there was.
fn read_up_to(reader: &mut impl Read, mut into: &mut [u8]) -> io::Result<usize> {
    let wanted = into.len();
    while !into.is_empty() {
        match reader.read(into) {
            Ok(0) => break,
            Ok(count) => into = &mut into[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(wanted - into.len())
}
