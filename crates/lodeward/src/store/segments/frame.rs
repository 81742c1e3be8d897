//! The unit of a segment: some documents, compressed together.
//!
//! A segment is a plain `.zst` file. Each compressed frame is preceded by a
//! *skippable* frame (RFC 8878 §3.1.2), which every zstd tool passes over and
//! which tells us, without decompressing, how long the frame is, how many
//! documents begin in it, and whether all of it has reached the disk: its label.
//!
//! A label may be preceded by a skippable frame of another magic number, which
//! holds what is told of the documents beside their statements: a *slip*. A
//! frame without one is as good as any; segments of before there were slips
//! have none.
//!
//! ```text
//! slip    5E 2A 4D 18 │ bytes that follow │ "LDP1" │ bytes unpacked │ xxh3-64 │ zstd …
//! label   5D 2A 4D 18 │ 24                │ "LDW1" │ documents │ bytes unpacked │ bytes │ xxh3-64
//! frame   zstd …
//! ```

use std::io::{self, ErrorKind, Read, Seek};

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

/// One of the sixteen magic numbers of skippable frames, and what is in ours.
const MAGIC: u32 = 0x184D_2A5D;
const TAG: u32 = u32::from_le_bytes(*b"LDW1");
const LABEL_BYTES: usize = 32;
/// The same for slips.
const SLIP_MAGIC: u32 = 0x184D_2A5E;
const SLIP_TAG: u32 = u32::from_le_bytes(*b"LDP1");
const SLIP_HEAD_BYTES: usize = 24;
/// What of it the length of the skippable frame counts.
const SLIP_HEAD_BYTES_COUNTED: u32 = 16;
/// Every skippable frame begins with its magic number and its length.
const SKIPPABLE_HEAD_BYTES: usize = 8;

/// What is told of a frame before it begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Label {
    /// Documents that begin in the frame.
    pub(super) documents: u32,
    /// Bytes of N-Quads in the frame.
    raw_bytes: u32,
    /// Bytes of the frame itself.
    frame_bytes: u32,
    /// Of the frame, and of what the label says.
    pub(super) checksum: u64,
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
}

/// What precedes the content of a slip.
#[derive(Clone, Copy)]
struct SlipHead {
    packed_bytes: u32,
    raw_bytes: u32,
    checksum: u64,
}

impl SlipHead {
    fn of(raw: &[u8], packed: &[u8]) -> io::Result<Self> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::FileTooLarge));
        let (packed_bytes, raw_bytes) = (size(packed)?, size(raw)?);
        Ok(Self { packed_bytes, raw_bytes, checksum: checksum(0, raw_bytes, packed) })
    }

    fn encode(self) -> [u8; SLIP_HEAD_BYTES] {
        let rest = self.packed_bytes + SLIP_HEAD_BYTES_COUNTED;
        let mut bytes = [0; SLIP_HEAD_BYTES];
        for (field, word) in bytes.chunks_exact_mut(4).zip([SLIP_MAGIC, rest, SLIP_TAG, self.raw_bytes]) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes[16..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: [u8; SLIP_HEAD_BYTES]) -> Option<Self> {
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("four bytes"));
        let checksum = u64::from_le_bytes(bytes[16..].try_into().expect("eight bytes"));
        let packed_bytes = word(1).checked_sub(SLIP_HEAD_BYTES_COUNTED)?;
        let head = Self { packed_bytes, raw_bytes: word(3), checksum };
        (head.encode() == bytes).then_some(head)
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

    /// A frame with its label, and with a slip if there is something to put on
    /// one, to be written at once.
    pub(super) fn press(&mut self, documents: u32, raw: &[u8], slip: &[u8]) -> io::Result<&[u8]> {
        self.pressed.clear();
        if !slip.is_empty() {
            let (head, packed) = self.pack(slip, SLIP_HEAD_BYTES)?;
            let encoded = SlipHead::of(slip, &self.pressed[packed..])?.encode();
            self.pressed[head..packed].copy_from_slice(&encoded);
        }
        let (head, packed) = self.pack(raw, LABEL_BYTES)?;
        let encoded = Label::of(documents, raw, &self.pressed[packed..])?.encode();
        self.pressed[head..packed].copy_from_slice(&encoded);
        Ok(&self.pressed)
    }

    /// Appends `raw`, compressed, after room for a head. Tells where both begin.
    fn pack(&mut self, raw: &[u8], head_bytes: usize) -> io::Result<(usize, usize)> {
        let head = self.pressed.len();
        let packed = head + head_bytes;
        self.pressed.resize(packed + zstd::zstd_safe::compress_bound(raw.len()), 0);
        let packed_bytes = self.compressor.compress_to_buffer(raw, &mut self.pressed[packed..])?;
        self.pressed.truncate(packed + packed_bytes);
        Ok((head, packed))
    }
}

/// Reads a segment frame by frame, reusing its buffers.
pub(super) struct Frames<R> {
    reader: R,
    decompressor: Decompressor<'static>,
    slip: Vec<u8>,
    slip_raw_bytes: u32,
    frame: Vec<u8>,
    raw: Vec<u8>,
    bytes: u64,
}

/// What comes next in a segment.
#[derive(Clone, Copy, Debug)]
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
        let decompressor = Decompressor::new()?;
        let (slip, frame, raw) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { reader, decompressor, slip, slip_raw_bytes: 0, frame, raw, bytes: 0 })
    }

    /// Reads the next frame and checks that it is whole.
    pub(super) fn advance(&mut self) -> io::Result<Next> {
        let label = match self.read_heads()? {
            Next::Frame(label) => label,
            other => return Ok(other),
        };
        if !read_bytes(&mut self.reader, label.frame_bytes, &mut self.frame)? {
            return Ok(Next::Torn("half a frame"));
        }
        if checksum(label.documents, label.raw_bytes, &self.frame) != label.checksum {
            return Ok(Next::Torn("a frame that is not what its label says"));
        }
        Ok(Next::Frame(label))
    }

    /// Reads slip and label.
    fn read_heads(&mut self) -> io::Result<Next> {
        self.slip.clear();
        self.slip_raw_bytes = 0;
        self.bytes = 0;
        let mut head = [0; SKIPPABLE_HEAD_BYTES];
        match read_up_to(&mut self.reader, &mut head)? {
            0 => return Ok(Next::End),
            SKIPPABLE_HEAD_BYTES => {}
            _ => return Ok(Next::Torn("half a label")),
        }
        if head.starts_with(&SLIP_MAGIC.to_le_bytes()) {
            if let Some(torn) = self.read_slip(head)? {
                return Ok(Next::Torn(torn));
            }
            if read_up_to(&mut self.reader, &mut head)? < SKIPPABLE_HEAD_BYTES {
                return Ok(Next::Torn("half a label"));
            }
        }
        let mut bytes = [0; LABEL_BYTES];
        bytes[..SKIPPABLE_HEAD_BYTES].copy_from_slice(&head);
        if read_up_to(&mut self.reader, &mut bytes[SKIPPABLE_HEAD_BYTES..])? < LABEL_BYTES - SKIPPABLE_HEAD_BYTES {
            return Ok(Next::Torn("half a label"));
        }
        let Some(label) = Label::decode(bytes) else { return Ok(Next::Torn("no label where a frame should begin")) };
        self.bytes += LABEL_BYTES as u64 + u64::from(label.frame_bytes);
        Ok(Next::Frame(label))
    }

    /// Reads a slip that begins like this. Tells what is wrong with it.
    fn read_slip(&mut self, begin: [u8; SKIPPABLE_HEAD_BYTES]) -> io::Result<Option<&'static str>> {
        let mut head = [0; SLIP_HEAD_BYTES];
        head[..SKIPPABLE_HEAD_BYTES].copy_from_slice(&begin);
        if read_up_to(&mut self.reader, &mut head[SKIPPABLE_HEAD_BYTES..])? < SLIP_HEAD_BYTES - SKIPPABLE_HEAD_BYTES {
            return Ok(Some("half a slip"));
        }
        let Some(head) = SlipHead::decode(head) else { return Ok(Some("a slip that is none of ours")) };
        if !read_bytes(&mut self.reader, head.packed_bytes, &mut self.slip)? {
            return Ok(Some("half a slip"));
        }
        if checksum(0, head.raw_bytes, &self.slip) != head.checksum {
            return Ok(Some("a slip that is not what its head says"));
        }
        self.slip_raw_bytes = head.raw_bytes;
        self.bytes = SLIP_HEAD_BYTES as u64 + u64::from(head.packed_bytes);
        Ok(None)
    }

    /// Bytes in the file of the frame that was read last, with slip and label.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The N-Quads in the frame that was read last.
    pub(super) fn unpack(&mut self, label: Label) -> io::Result<&[u8]> {
        self.raw.resize(self.raw.len().max(label.raw_bytes as usize), 0);
        let length = self.decompressor.decompress_to_buffer(&self.frame, &mut self.raw[..label.raw_bytes as usize])?;
        Ok(&self.raw[..length])
    }

    /// What is on its slip; empty if it has none.
    pub(super) fn unpack_slip(&mut self) -> io::Result<Vec<u8>> {
        if self.slip.is_empty() {
            return Ok(Vec::new());
        }
        self.decompressor.decompress(&self.slip, self.slip_raw_bytes as usize)
    }
}

impl<R: Read + Seek> Frames<R> {
    /// Goes on reading somewhere else.
    pub(super) fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.reader.seek(io::SeekFrom::Start(offset)).map(|_| ())
    }

    /// Passes over the next frame, of which only the label is read.
    pub(super) fn pass_over(&mut self) -> io::Result<Next> {
        let next = self.read_heads()?;
        if let Next::Frame(label) = &next {
            self.reader.seek_relative(i64::from(label.frame_bytes))?;
        }
        Ok(next)
    }
}

/// Reads so many bytes. Tells whether there were as many: they are read with a
/// limit, rather than into a buffer of the size that a label claims, for a label
/// can be wrong too.
fn read_bytes(reader: &mut impl Read, bytes: u32, into: &mut Vec<u8>) -> io::Result<bool> {
    into.clear();
    reader.take(u64::from(bytes)).read_to_end(into)?;
    Ok(into.len() as u64 == u64::from(bytes))
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
