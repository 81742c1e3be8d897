//! A body cut into the pieces in which it goes out.

use std::time::Duration;

use bytes::Bytes;

use crate::message::{Body, Conduct};

/// How much of a body goes out between two pauses of a dripping server.
const DRIP_BYTES: usize = 16;
/// Small blocks are repeated up to this size, to be written at once.
const BLOCK_BYTES: usize = 16 * 1024;

/// What remains to be sent of a body: a block that repeats itself, up to some
/// number of bytes.
pub(super) struct Pieces {
    block: Bytes,
    position: usize,
    left: u64,
    piece_bytes_max: usize,
}

impl Pieces {
    /// The pieces of `body` as `conduct` has them sent.
    pub(super) fn new(body: Body, conduct: Conduct) -> Self {
        let length = length(&body);
        let block = match body {
            Body::Whole(block) => block,
            Body::Endless(block) | Body::Repeated(block, _) => thickened(block),
        };
        let left = match conduct {
            _ if block.is_empty() => 0,
            // Half of what has no end: a block, so that there is something to miss.
            Conduct::Truncated => length.map_or(block.len() as u64, |length| length / 2),
            Conduct::Cut(bytes) => length.map_or(bytes, |length| length.min(bytes)),
            _ => length.unwrap_or(u64::MAX),
        };
        let piece_bytes_max = if matches!(conduct, Conduct::Dripping(_)) { DRIP_BYTES } else { usize::MAX };
        Self { block, position: 0, left, piece_bytes_max }
    }

    /// No pieces at all, as in the answer to a `HEAD`.
    pub(super) fn none() -> Self {
        Self { block: Bytes::new(), position: 0, left: 0, piece_bytes_max: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }
}

impl Iterator for Pieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.is_done() {
            return None;
        }
        let bytes_max = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.piece_bytes_max);
        let end = self.position.saturating_add(bytes_max).min(self.block.len());
        let piece = self.block.slice(self.position..end);
        self.position = if end == self.block.len() { 0 } else { end };
        self.left -= piece.len() as u64;
        Some(piece)
    }
}

/// How long the body is, if it ends.
pub(super) fn length(body: &Body) -> Option<u64> {
    match body {
        Body::Whole(block) => Some(block.len() as u64),
        Body::Endless(_) => None,
        Body::Repeated(block, times) => Some((block.len() as u64).saturating_mul(*times)),
    }
}

/// The length that the answer announces, which is not always the truth.
pub(super) fn announced(body: &Body, conduct: Conduct) -> Option<u64> {
    match conduct {
        Conduct::UnderstatedLength(by) => length(body).map(|length| length.saturating_sub(u64::from(by))),
        _ => length(body),
    }
}

/// Whether the connection is closed before all has been sent.
pub(super) fn breaks_off(body: &Body, conduct: Conduct) -> bool {
    match conduct {
        Conduct::Truncated => true,
        Conduct::Cut(bytes) => length(body).is_none_or(|length| length > bytes),
        _ => false,
    }
}

/// How long to wait between two pieces.
pub(super) fn rhythm(conduct: Conduct) -> Option<Duration> {
    match conduct {
        Conduct::Dripping(pause) => Some(pause),
        _ => None,
    }
}

fn thickened(block: Bytes) -> Bytes {
    let times = BLOCK_BYTES.checked_div(block.len()).unwrap_or(1);
    if times <= 1 { block } else { block.repeat(times).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: Body, conduct: Conduct) -> Vec<u8> {
        Pieces::new(body, conduct).flatten().collect()
    }

    #[test]
    fn a_repeated_block_is_sent_as_often_as_it_says() {
        let body = Body::Repeated(Bytes::from_static(b"abc"), 20_000);

        assert_eq!(sent(body, Conduct::Plain), b"abc".repeat(20_000));
    }

    #[test]
    fn a_truncated_body_is_half_of_it() {
        let body = Body::Whole(Bytes::from_static(b"12345678"));

        assert_eq!(announced(&body, Conduct::Truncated), Some(8));
        assert_eq!(sent(body, Conduct::Truncated), b"1234");
    }

    #[test]
    fn an_endless_body_has_no_length_and_no_end() {
        let body = Body::Endless(Bytes::from_static(b"x"));

        assert_eq!(length(&body), None);
        assert_eq!(Pieces::new(body, Conduct::Plain).take(100).flatten().count(), 100 * BLOCK_BYTES);
    }

    #[test]
    fn an_empty_block_ends_however_often_it_is_repeated() {
        for body in [Body::Endless(Bytes::new()), Body::Repeated(Bytes::new(), 7), Body::Whole(Bytes::new())] {
            assert_eq!(sent(body, Conduct::Plain), b"");
        }
    }
}
