//! Positions in the log.

/// A position between two frames of the log, where a record begins.
///
/// An earlier position in the log is less than a later one. Followers do not interpret a position;
/// they store its [bytes](Self::encode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// Number of the segment file.
    pub(in crate::store) segment: u32,
    /// Byte offset of the position in that file.
    pub(in crate::store) offset: u64,
    /// Checksum of the frame that ends at the position; 0 at the beginning of a file. If a power
    /// cut removes the tail of a segment and other frames replace it, the checksum differs.
    pub(in crate::store) check: u64,
}

impl Position {
    /// Beginning of the log.
    pub(crate) const START: Self = Self::segment_start(1);

    /// Value of `check` after damaged bytes. A frame has this checksum in one of 2⁶⁴ cases, in
    /// which a truncated log may be noticed late.
    pub(in crate::store) const AFTER_DAMAGE: u64 = u64::MAX;

    /// Beginning of a segment.
    pub(in crate::store) const fn segment_start(segment: u32) -> Self {
        Self { segment, offset: 0, check: 0 }
    }

    /// Encodes the position as bytes. The bytes of two positions compare as the positions do.
    #[must_use]
    pub fn encode(self) -> [u8; 20] {
        let mut bytes = [0; 20];
        bytes[..4].copy_from_slice(&self.segment.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_be_bytes());
        bytes[12..].copy_from_slice(&self.check.to_be_bytes());
        bytes
    }

    /// Decodes the result of [`encode`](Self::encode); `None` if the length is wrong.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 20] = bytes.try_into().ok()?;
        let (segment, rest) = bytes.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (check, _) = rest.split_first_chunk()?;
        Some(Self {
            segment: u32::from_be_bytes(*segment),
            offset: u64::from_be_bytes(*offset),
            check: u64::from_be_bytes(*check),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_positions_are_decoded_and_ordered_as_positions() {
        let position = |segment, offset| Position { segment, offset, check: 7 << 50 };
        let mut positions = vec![position(2, 0), position(1, 300), position(1, 299), Position::START];
        positions.sort();

        let mut encoded: Vec<_> = positions.iter().map(|position| position.encode()).collect();
        encoded.sort_unstable();

        let decoded: Vec<_> = encoded.iter().map(|bytes| Position::decode(bytes).unwrap()).collect();
        assert_eq!(decoded, positions);
        assert_eq!(Position::decode(&encoded[0][..19]), None);
        assert_eq!(Position::decode(b""), None);
    }
}
