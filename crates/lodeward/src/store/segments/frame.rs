//! Frames: groups of documents that are compressed together.
//!
//! A segment is a plain `.zst` file. Each compressed frame is preceded by a *label*, a skippable
//! frame (RFC 8878 §3.1.2) that zstd tools ignore. The label states the length of the frame, how
//! many documents begin in it, and a checksum that shows whether all of it has reached the disk.
//!
//! A label may be preceded by *metadata*, a skippable frame with another magic number, which holds
//! the provenance of the documents. Segments written by older versions have no metadata.
//!
//! Damaged bytes that were repaired are a *gap*, a skippable frame with a third magic number.
//!
//! ```text
//! metadata  5E 2A 4D 18 │ bytes that follow │ "LDP1" │ bytes unpacked │ xxh3-64 │ zstd …
//! label     5D 2A 4D 18 │ 24                │ "LDW1" │ documents │ bytes unpacked │ bytes │
//! xxh3-64
//! frame     zstd …
//! gap       5F 2A 4D 18 │ bytes that follow │ "LDG1" │ xxh3-64 │ zeros
//! ```

use std::io::{self, ErrorKind, Read, Seek};

use xxhash_rust::xxh3::xxh3_64_with_seed;
use zstd::bulk::{Compressor, Decompressor};

/// Magic number and tag of labels. The magic number is one of the sixteen of skippable frames.
const MAGIC: u32 = 0x184D_2A5D;
const TAG: u32 = u32::from_le_bytes(*b"LDW1");
const LABEL_BYTES: usize = 32;
/// Magic number and tag of metadata.
const METADATA_MAGIC: u32 = 0x184D_2A5E;
const METADATA_TAG: u32 = u32::from_le_bytes(*b"LDP1");
const METADATA_HEADER_BYTES: usize = 24;
/// Number of header bytes that the length field of the skippable frame includes.
const METADATA_HEADER_PAYLOAD_BYTES: u32 = 16;
/// Magic number and tag of gaps.
const GAP_MAGIC: u32 = 0x184D_2A5F;
const GAP_TAG: u32 = u32::from_le_bytes(*b"LDG1");
pub(super) const GAP_HEADER_BYTES: usize = 20;
/// Size of the header of a skippable frame: its magic number and its length.
const SKIPPABLE_HEADER_BYTES: usize = 8;
/// The same as a number of the format.
const SKIPPABLE_HEADER_LENGTH: u32 = 8;

/// Label of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrameLabel {
    /// Number of documents that begin in the frame.
    pub(super) documents: u32,
    /// Number of bytes of N-Quads in the frame.
    raw_bytes: u32,
    /// Size of the compressed frame in bytes.
    frame_bytes: u32,
    /// Checksum of the frame and of the label.
    pub(super) checksum: u64,
}

impl FrameLabel {
    fn new(documents: u32, raw: &[u8], frame: &[u8]) -> io::Result<Self> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::FileTooLarge));
        let (raw_bytes, frame_bytes) = (size(raw)?, size(frame)?);
        Ok(Self { documents, raw_bytes, frame_bytes, checksum: checksum(documents, raw_bytes, frame) })
    }

    fn encode(self) -> [u8; LABEL_BYTES] {
        let content = u32::try_from(LABEL_BYTES).expect("the size of a label fits in 32 bits") - 8;
        let words = [MAGIC, content, TAG, self.documents, self.raw_bytes, self.frame_bytes];
        let mut bytes = [0; LABEL_BYTES];
        for (field, word) in bytes.chunks_exact_mut(4).zip(words) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes[24..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: [u8; LABEL_BYTES]) -> Option<Self> {
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("a word has 4 bytes"));
        let checksum = u64::from_le_bytes(bytes[24..].try_into().expect("a checksum has 8 bytes"));
        let label = Self { documents: word(3), raw_bytes: word(4), frame_bytes: word(5), checksum };
        (label.encode() == bytes).then_some(label)
    }
}

/// Header of metadata.
#[derive(Clone, Copy)]
struct MetadataHeader {
    packed_bytes: u32,
    raw_bytes: u32,
    checksum: u64,
}

impl MetadataHeader {
    fn new(raw: &[u8], packed: &[u8]) -> io::Result<Self> {
        let size = |bytes: &[u8]| u32::try_from(bytes.len()).map_err(|_| io::Error::from(ErrorKind::FileTooLarge));
        let (packed_bytes, raw_bytes) = (size(packed)?, size(raw)?);
        Ok(Self { packed_bytes, raw_bytes, checksum: checksum(0, raw_bytes, packed) })
    }

    fn encode(self) -> [u8; METADATA_HEADER_BYTES] {
        let rest = self.packed_bytes + METADATA_HEADER_PAYLOAD_BYTES;
        let mut bytes = [0; METADATA_HEADER_BYTES];
        for (field, word) in bytes.chunks_exact_mut(4).zip([METADATA_MAGIC, rest, METADATA_TAG, self.raw_bytes]) {
            field.copy_from_slice(&word.to_le_bytes());
        }
        bytes[16..].copy_from_slice(&self.checksum.to_le_bytes());
        bytes
    }

    fn decode(bytes: [u8; METADATA_HEADER_BYTES]) -> Option<Self> {
        let word = |index: usize| u32::from_le_bytes(bytes[4 * index..][..4].try_into().expect("a word has 4 bytes"));
        let checksum = u64::from_le_bytes(bytes[16..].try_into().expect("a checksum has 8 bytes"));
        let packed_bytes = word(1).checked_sub(METADATA_HEADER_PAYLOAD_BYTES)?;
        let head = Self { packed_bytes, raw_bytes: word(3), checksum };
        (head.encode() == bytes).then_some(head)
    }
}

fn checksum(documents: u32, raw_bytes: u32, frame: &[u8]) -> u64 {
    xxh3_64_with_seed(frame, u64::from(documents) << 32 | u64::from(raw_bytes))
}

/// Encodes the header of a gap of `bytes` bytes, header included.
pub(super) fn encode_gap_header(bytes: u32) -> [u8; GAP_HEADER_BYTES] {
    let mut header = [0; GAP_HEADER_BYTES];
    let rest = bytes.saturating_sub(SKIPPABLE_HEADER_LENGTH);
    for (field, word) in header.chunks_exact_mut(4).zip([GAP_MAGIC, rest, GAP_TAG]) {
        field.copy_from_slice(&word.to_le_bytes());
    }
    header[12..].copy_from_slice(&checksum(0, bytes, &[]).to_le_bytes());
    header
}

/// Whether a frame or its metadata may begin with these bytes.
pub(super) fn is_frame_start(bytes: &[u8]) -> bool {
    let starts_with = |magic: u32, tag: u32| {
        bytes.starts_with(&magic.to_le_bytes())
            && bytes.get(8..).is_some_and(|rest| rest.starts_with(&tag.to_le_bytes()))
    };
    starts_with(MAGIC, TAG) || starts_with(METADATA_MAGIC, METADATA_TAG)
}

/// Encodes frames, reusing its buffers.
pub(super) struct FrameWriter {
    compressor: Compressor<'static>,
    buffer: Vec<u8>,
}

impl FrameWriter {
    pub(super) fn new(level: i32) -> io::Result<Self> {
        Ok(Self { compressor: Compressor::new(level)?, buffer: Vec::new() })
    }

    /// Encodes a frame with its label, preceded by `metadata` unless it is empty. The caller writes
    /// the returned bytes in one call.
    pub(super) fn encode_frame(
        &mut self,
        documents: u32,
        raw: &[u8],
        metadata: &[u8],
    ) -> io::Result<(&[u8], FrameLabel)> {
        self.buffer.clear();
        if !metadata.is_empty() {
            let (head, packed) = self.append_compressed(metadata, METADATA_HEADER_BYTES)?;
            let encoded = MetadataHeader::new(metadata, &self.buffer[packed..])?.encode();
            self.buffer[head..packed].copy_from_slice(&encoded);
        }
        let (head, packed) = self.append_compressed(raw, LABEL_BYTES)?;
        let label = FrameLabel::new(documents, raw, &self.buffer[packed..])?;
        self.buffer[head..packed].copy_from_slice(&label.encode());
        Ok((&self.buffer, label))
    }

    /// Appends `raw`, compressed, after space for a header. Returns the offsets of the header and
    /// of the compressed bytes.
    fn append_compressed(&mut self, raw: &[u8], head_bytes: usize) -> io::Result<(usize, usize)> {
        let head = self.buffer.len();
        let packed = head + head_bytes;
        self.buffer.resize(packed + zstd::zstd_safe::compress_bound(raw.len()), 0);
        let packed_bytes = self.compressor.compress_to_buffer(raw, &mut self.buffer[packed..])?;
        self.buffer.truncate(packed + packed_bytes);
        Ok((head, packed))
    }
}

/// Reads a segment frame by frame, reusing its buffers.
pub(super) struct FrameReader<R> {
    reader: R,
    decompressor: Decompressor<'static>,
    metadata: Vec<u8>,
    metadata_raw_bytes: u32,
    frame: Vec<u8>,
    raw: Vec<u8>,
    bytes: u64,
}

/// Next item of a segment.
#[derive(Clone, Copy, Debug)]
pub(super) enum FrameRead {
    /// A complete frame.
    Frame(FrameLabel),
    /// End of the segment.
    End,
    /// A gap: damaged bytes that were repaired.
    Gap,
    /// An incomplete or damaged frame, with the defect.
    Torn(&'static str),
}

impl<R: Read> FrameReader<R> {
    pub(super) fn new(reader: R) -> io::Result<Self> {
        let decompressor = Decompressor::new()?;
        let (metadata, frame, raw) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Self { reader, decompressor, metadata, metadata_raw_bytes: 0, frame, raw, bytes: 0 })
    }

    /// Reads the next frame and verifies its checksum.
    pub(super) fn advance(&mut self) -> io::Result<FrameRead> {
        let label = match self.read_headers()? {
            FrameRead::Frame(label) => label,
            other => return Ok(other),
        };
        if !read_bytes(&mut self.reader, label.frame_bytes, &mut self.frame)? {
            return Ok(FrameRead::Torn("incomplete frame"));
        }
        if checksum(label.documents, label.raw_bytes, &self.frame) != label.checksum {
            return Ok(FrameRead::Torn("checksum of a frame does not match"));
        }
        Ok(FrameRead::Frame(label))
    }

    /// Reads metadata and label.
    fn read_headers(&mut self) -> io::Result<FrameRead> {
        self.metadata.clear();
        self.metadata_raw_bytes = 0;
        self.bytes = 0;
        let mut head = [0; SKIPPABLE_HEADER_BYTES];
        match read_up_to(&mut self.reader, &mut head)? {
            0 => return Ok(FrameRead::End),
            SKIPPABLE_HEADER_BYTES => {}
            _ => return Ok(FrameRead::Torn("incomplete frame label")),
        }
        if head.starts_with(&GAP_MAGIC.to_le_bytes()) {
            return self.skip_gap(head);
        }
        if head.starts_with(&METADATA_MAGIC.to_le_bytes()) {
            if let Some(torn) = self.read_metadata(head)? {
                return Ok(FrameRead::Torn(torn));
            }
            if read_up_to(&mut self.reader, &mut head)? < SKIPPABLE_HEADER_BYTES {
                return Ok(FrameRead::Torn("incomplete frame label"));
            }
        }
        let mut bytes = [0; LABEL_BYTES];
        bytes[..SKIPPABLE_HEADER_BYTES].copy_from_slice(&head);
        if read_up_to(&mut self.reader, &mut bytes[SKIPPABLE_HEADER_BYTES..])? < LABEL_BYTES - SKIPPABLE_HEADER_BYTES {
            return Ok(FrameRead::Torn("incomplete frame label"));
        }
        let Some(label) = FrameLabel::decode(bytes) else { return Ok(FrameRead::Torn("invalid frame label")) };
        self.bytes += LABEL_BYTES as u64 + u64::from(label.frame_bytes);
        Ok(FrameRead::Frame(label))
    }

    /// Skips a gap whose first bytes are `begin`.
    fn skip_gap(&mut self, begin: [u8; SKIPPABLE_HEADER_BYTES]) -> io::Result<FrameRead> {
        let mut header = [0; GAP_HEADER_BYTES];
        header[..SKIPPABLE_HEADER_BYTES].copy_from_slice(&begin);
        let missing = GAP_HEADER_BYTES - SKIPPABLE_HEADER_BYTES;
        let read = read_up_to(&mut self.reader, &mut header[SKIPPABLE_HEADER_BYTES..])?;
        let length = u32::from_le_bytes(begin[4..].try_into().expect("a word has 4 bytes"));
        let bytes = length.saturating_add(SKIPPABLE_HEADER_LENGTH);
        if read < missing || header != encode_gap_header(bytes) {
            return Ok(FrameRead::Torn("invalid header of a gap"));
        }
        let rest = u64::from(bytes).saturating_sub(GAP_HEADER_BYTES as u64);
        if io::copy(&mut (&mut self.reader).take(rest), &mut io::sink())? < rest {
            return Ok(FrameRead::Torn("incomplete gap"));
        }
        self.bytes = u64::from(bytes);
        Ok(FrameRead::Gap)
    }

    /// Whether the last frame has metadata.
    pub(super) fn has_metadata(&self) -> bool {
        self.metadata_raw_bytes > 0
    }

    /// Reads metadata whose first bytes are `begin`. Returns the defect, if any.
    fn read_metadata(&mut self, begin: [u8; SKIPPABLE_HEADER_BYTES]) -> io::Result<Option<&'static str>> {
        let mut head = [0; METADATA_HEADER_BYTES];
        head[..SKIPPABLE_HEADER_BYTES].copy_from_slice(&begin);
        if read_up_to(&mut self.reader, &mut head[SKIPPABLE_HEADER_BYTES..])?
            < METADATA_HEADER_BYTES - SKIPPABLE_HEADER_BYTES
        {
            return Ok(Some("incomplete frame metadata"));
        }
        let Some(head) = MetadataHeader::decode(head) else { return Ok(Some("invalid header of frame metadata")) };
        if !read_bytes(&mut self.reader, head.packed_bytes, &mut self.metadata)? {
            return Ok(Some("incomplete frame metadata"));
        }
        if checksum(0, head.raw_bytes, &self.metadata) != head.checksum {
            return Ok(Some("checksum of frame metadata does not match"));
        }
        self.metadata_raw_bytes = head.raw_bytes;
        self.bytes = METADATA_HEADER_BYTES as u64 + u64::from(head.packed_bytes);
        Ok(None)
    }

    /// Returns the size of the last frame in the file, with metadata and label.
    pub(super) fn frame_bytes(&self) -> u64 {
        self.bytes
    }

    /// The N-Quads of the last frame.
    pub(super) fn unpack(&mut self, label: FrameLabel) -> io::Result<&[u8]> {
        self.raw.resize(self.raw.len().max(label.raw_bytes as usize), 0);
        let length = self.decompressor.decompress_to_buffer(&self.frame, &mut self.raw[..label.raw_bytes as usize])?;
        Ok(&self.raw[..length])
    }

    /// The metadata of the last frame; empty if it has none.
    pub(super) fn unpack_metadata(&mut self) -> io::Result<Vec<u8>> {
        if self.metadata.is_empty() {
            return Ok(Vec::new());
        }
        self.decompressor.decompress(&self.metadata, self.metadata_raw_bytes as usize)
    }
}

impl<R: Read + Seek> FrameReader<R> {
    /// Continues at `offset`.
    pub(super) fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.reader.seek(io::SeekFrom::Start(offset)).map(|_| ())
    }

    /// Skips the next frame; reads only its label.
    pub(super) fn skip_frame(&mut self) -> io::Result<FrameRead> {
        let next = self.read_headers()?;
        if let FrameRead::Frame(label) = &next {
            self.reader.seek_relative(i64::from(label.frame_bytes))?;
        }
        Ok(next)
    }
}

/// Reads `bytes` bytes. Returns `false` if there are fewer. Reads with a limit instead of into a
/// buffer of that size, because a damaged label may state a wrong length.
fn read_bytes(reader: &mut impl Read, bytes: u32, into: &mut Vec<u8>) -> io::Result<bool> {
    into.clear();
    reader.take(u64::from(bytes)).read_to_end(into)?;
    Ok(into.len() as u64 == u64::from(bytes))
}

/// As `read_exact`, but returns the number of bytes read.
fn read_up_to(reader: &mut impl Read, mut into: &mut [u8]) -> io::Result<usize> {
    let requested = into.len();
    while !into.is_empty() {
        match reader.read(into) {
            Ok(0) => break,
            Ok(count) => into = &mut into[count..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(requested - into.len())
}
