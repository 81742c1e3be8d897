//! Parses the header and the data descriptor of a file in a zip archive.

use std::io;

use crate::extract::unpack::peek_reader::{PeekReader, invalid_error};

const HEADER_BYTES: usize = 30;
const ENCRYPTED: u16 = 1 << 0;
const HAS_DESCRIPTOR: u16 = 1 << 3;
const STRONG_ENCRYPTION: u16 = 1 << 6;
const ZIP64: u16 = 1;

/// Maximum size of a descriptor and the signature that follows it.
pub(super) const MAX_DESCRIPTOR_BYTES: usize = 28;

/// The header of a file.
pub(super) struct ZipFileHeader {
    pub(super) name: String,
    pub(super) method: u16,
    flags: u16,
    sum: u32,
    packed: u64,
    unpacked: u64,
}

/// The observed sizes and checksum of a file. `None` if a value was not determined.
pub(super) struct ZipObserved {
    pub(super) packed: u64,
    pub(super) unpacked: Option<u64>,
    pub(super) sum: Option<u32>,
}

impl ZipFileHeader {
    /// Reads a header; `None` at the beginning of the directory.
    pub(super) fn read(layer: &mut PeekReader<'_>) -> io::Result<Option<Self>> {
        match layer.peek_exact(4)? {
            b"PK\x03\x04" => {}
            b"PK\x01\x02" | b"PK\x05\x06" | b"PK\x06\x06" | b"PK\x06\x08" => return Ok(None),
            _ => return Err(invalid_error("invalid header in a zip archive")),
        }
        let fixed = layer.peek_exact(HEADER_BYTES)?;
        let (flags, method) = (u16_at(fixed, 6), u16_at(fixed, 8));
        let (sum, packed, unpacked) = (u32_at(fixed, 14), u32_at(fixed, 18), u32_at(fixed, 22));
        let name_end = HEADER_BYTES + usize::from(u16_at(fixed, 26));
        let end = name_end + usize::from(u16_at(fixed, 28));
        let header = layer.peek_exact(end)?;
        let name = String::from_utf8_lossy(&header[HEADER_BYTES..name_end]).into_owned();
        let (packed, unpacked) = zip64_sizes(&header[name_end..], packed, unpacked);
        layer.consume(end);
        Ok(Some(Self { name, method, flags, sum, packed, unpacked }))
    }

    pub(super) fn is_encrypted(&self) -> bool {
        self.flags & (ENCRYPTED | STRONG_ENCRYPTION) != 0
    }

    /// Whether a descriptor follows the file.
    pub(super) fn has_descriptor(&self) -> bool {
        self.flags & HAS_DESCRIPTOR != 0
    }

    /// The size of the packed file, if it is known beforehand.
    pub(super) fn size(&self) -> Option<u64> {
        (!self.has_descriptor() || self.packed > 0).then_some(self.packed)
    }

    /// Whether the observed values match the header. If there is a descriptor, the header has no values.
    pub(super) fn matches(&self, observed: &ZipObserved) -> bool {
        self.has_descriptor()
            || (observed.unpacked.is_none_or(|bytes| bytes == self.unpacked)
                && observed.sum.is_none_or(|sum| sum == self.sum))
    }
}

/// Sizes above four gigabytes are in the extra fields.
fn zip64_sizes(mut extra: &[u8], packed: u32, unpacked: u32) -> (u64, u64) {
    let (mut packed_wide, mut unpacked_wide) = (u64::from(packed), u64::from(unpacked));
    while extra.len() >= 4 {
        let (id, len) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
        let mut field = extra.get(4..4 + len).unwrap_or_default();
        if id == ZIP64 {
            for (narrow, wide) in [(unpacked, &mut unpacked_wide), (packed, &mut packed_wide)] {
                if narrow == u32::MAX
                    && let Some((bytes, rest)) = field.split_first_chunk::<8>()
                {
                    *wide = u64::from_le_bytes(*bytes);
                    field = rest;
                }
            }
        }
        extra = extra.get(4 + len..).unwrap_or_default();
    }
    (packed_wide, unpacked_wide)
}

/// The length of the descriptor at the start of these bytes, if it matches the observed values. Its signature is
/// optional, and its sizes have four or eight bytes; only the match shows which form it has.
pub(super) fn descriptor_len(bytes: &[u8], observed: &ZipObserved) -> Option<usize> {
    let start = if bytes.starts_with(b"PK\x07\x08") { 4 } else { 0 };
    // With and without a signature, because a checksum may look like one.
    let starts = if start == 0 { &[0][..] } else { &[4, 0][..] };
    for &start in starts {
        for (width, len) in [(4, start + 12), (8, start + 20)] {
            let Some(descriptor) = bytes.get(start..len) else { continue };
            let size = |at: usize| if width == 4 { u64::from(u32_at(descriptor, at)) } else { u64_at(descriptor, at) };
            let narrow = |size: u64| if width == 4 { size & u64::from(u32::MAX) } else { size };
            let fits = observed.sum.is_none_or(|sum| sum == u32_at(descriptor, 0))
                && size(4) == narrow(observed.packed)
                && observed.unpacked.is_none_or(|bytes| size(4 + width) == narrow(bytes))
                && bytes.get(len..len + 2).is_none_or(|next| next == b"PK");
            if fits {
                return Some(len);
            }
        }
    }
    None
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    u32::from(u16_at(bytes, at)) | u32::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}
