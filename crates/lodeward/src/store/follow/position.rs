//! A place in the log.

/// Where a follower stands: between two frames, where a record begins.
///
/// Ordered as the log is. Opaque to followers, who keep its [bytes](Self::encode).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The number of the segment file.
    pub(in crate::store) segment: u32,
    /// Bytes before it in that file.
    pub(in crate::store) offset: u64,
    /// Records that begin before it in that file.
    pub(in crate::store) ordinal: u32,
    /// The checksum of the frame that ends here; 0 at the beginning of a file.
    /// A power cut may take the tail of a segment and something else be written
    /// in its place: this tells.
    pub(in crate::store) check: u64,
}

impl Position {
    /// Where the log begins.
    pub const BEGINNING: Self = Self::beginning_of(1);

    /// Where a segment begins.
    pub(in crate::store) const fn beginning_of(segment: u32) -> Self {
        Self { segment, offset: 0, ordinal: 0, check: 0 }
    }

    /// As bytes, which are ordered as positions are.
    #[must_use]
    pub fn encode(self) -> [u8; 24] {
        let mut bytes = [0; 24];
        bytes[..4].copy_from_slice(&self.segment.to_be_bytes());
        bytes[4..12].copy_from_slice(&self.offset.to_be_bytes());
        bytes[12..16].copy_from_slice(&self.ordinal.to_be_bytes());
        bytes[16..].copy_from_slice(&self.check.to_be_bytes());
        bytes
    }

    /// What [`encode`](Self::encode) made; `None` if it did not.
    #[must_use]
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; 24] = bytes.try_into().ok()?;
        let (segment, rest) = bytes.split_first_chunk()?;
        let (offset, rest) = rest.split_first_chunk()?;
        let (ordinal, rest) = rest.split_first_chunk()?;
        let (check, _) = rest.split_first_chunk()?;
        Some(Self {
            segment: u32::from_be_bytes(*segment),
            offset: u64::from_be_bytes(*offset),
            ordinal: u32::from_be_bytes(*ordinal),
            check: u64::from_be_bytes(*check),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_back_and_ordered_as_positions_are() {
        let position = |segment, offset, ordinal| Position { segment, offset, ordinal, check: 7 << 50 };
        let mut positions = vec![position(2, 0, 0), position(1, 300, 2), position(1, 299, 1), Position::BEGINNING];
        positions.sort();

        let mut encoded: Vec<_> = positions.iter().map(|position| position.encode()).collect();
        encoded.sort_unstable();

        let decoded: Vec<_> = encoded.iter().map(|bytes| Position::decode(bytes).unwrap()).collect();
        assert_eq!(decoded, positions);
        assert_eq!(Position::decode(&encoded[0][..23]), None);
        assert_eq!(Position::decode(b""), None);
    }
}
