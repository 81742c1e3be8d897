//! Splits a body into the pieces in which it is sent.

use std::time::Duration;

use bytes::Bytes;

use crate::message::{DeliveryFault, WebBody};

/// Number of bytes of a body that a dripping server sends between two pauses.
const DRIP_BYTES: usize = 16;
/// Small blocks are concatenated up to this number of bytes, so that one write sends several.
const BLOCK_BYTES: usize = 16 * 1024;

/// The unsent rest of a body: a block that is repeated up to a number of bytes.
pub(super) struct BodyPieces {
    block: Bytes,
    position: usize,
    left: u64,
    max_piece_bytes: usize,
}

impl BodyPieces {
    /// The pieces of `body` for this delivery.
    pub(super) fn new(body: WebBody, delivery: DeliveryFault) -> Self {
        let length = body_length(&body);
        let block = match body {
            WebBody::Whole(block) => block,
            WebBody::Endless(block) | WebBody::Repeated(block, _) => repeat_block(block),
        };
        let left = match delivery {
            _ if block.is_empty() => 0,
            // Half of an endless body is one block, so that the truncation is visible.
            DeliveryFault::Truncated => length.map_or(block.len() as u64, |length| length / 2),
            DeliveryFault::TruncatedAfter(bytes) => length.map_or(bytes, |length| length.min(bytes)),
            _ => length.unwrap_or(u64::MAX),
        };
        let max_piece_bytes = if matches!(delivery, DeliveryFault::Dripping(_)) { DRIP_BYTES } else { usize::MAX };
        Self { block, position: 0, left, max_piece_bytes }
    }

    /// No pieces, as in the response to a `HEAD`.
    pub(super) fn empty() -> Self {
        Self { block: Bytes::new(), position: 0, left: 0, max_piece_bytes: 0 }
    }

    pub(super) fn is_done(&self) -> bool {
        self.left == 0
    }
}

impl Iterator for BodyPieces {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        if self.is_done() {
            return None;
        }
        let max_bytes = usize::try_from(self.left).unwrap_or(usize::MAX).min(self.max_piece_bytes);
        let end = self.position.saturating_add(max_bytes).min(self.block.len());
        let piece = self.block.slice(self.position..end);
        self.position = if end == self.block.len() { 0 } else { end };
        self.left -= piece.len() as u64;
        Some(piece)
    }
}

/// The length of the body, or `None` if it is endless.
pub(super) fn body_length(body: &WebBody) -> Option<u64> {
    match body {
        WebBody::Whole(block) => Some(block.len() as u64),
        WebBody::Endless(_) => None,
        WebBody::Repeated(block, times) => Some((block.len() as u64).saturating_mul(*times)),
    }
}

/// The `Content-Length` of the response, which a fault may understate.
pub(super) fn declared_length(body: &WebBody, delivery: DeliveryFault) -> Option<u64> {
    match delivery {
        DeliveryFault::UnderstatedLength(by) => body_length(body).map(|length| length.saturating_sub(u64::from(by))),
        _ => body_length(body),
    }
}

/// Whether the connection is closed before the whole body is sent.
pub(super) fn is_truncated(body: &WebBody, delivery: DeliveryFault) -> bool {
    match delivery {
        DeliveryFault::Truncated => true,
        DeliveryFault::TruncatedAfter(bytes) => body_length(body).is_none_or(|length| length > bytes),
        _ => false,
    }
}

/// The pause between two pieces.
pub(super) fn piece_interval(delivery: DeliveryFault) -> Option<Duration> {
    match delivery {
        DeliveryFault::Dripping(pause) => Some(pause),
        _ => None,
    }
}

fn repeat_block(block: Bytes) -> Bytes {
    let times = BLOCK_BYTES.checked_div(block.len()).unwrap_or(1);
    if times <= 1 { block } else { block.repeat(times).into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(body: WebBody, delivery: DeliveryFault) -> Vec<u8> {
        BodyPieces::new(body, delivery).flatten().collect()
    }

    #[test]
    fn a_repeated_block_is_sent_the_given_number_of_times() {
        let body = WebBody::Repeated(Bytes::from_static(b"abc"), 20_000);

        assert_eq!(sent(body, DeliveryFault::Plain), b"abc".repeat(20_000));
    }

    #[test]
    fn a_truncated_body_is_half_as_long() {
        let body = WebBody::Whole(Bytes::from_static(b"12345678"));

        assert_eq!(declared_length(&body, DeliveryFault::Truncated), Some(8));
        assert_eq!(sent(body, DeliveryFault::Truncated), b"1234");
    }

    #[test]
    fn an_endless_body_has_no_length_and_no_end() {
        let body = WebBody::Endless(Bytes::from_static(b"x"));

        assert_eq!(body_length(&body), None);
        assert_eq!(BodyPieces::new(body, DeliveryFault::Plain).take(100).flatten().count(), 100 * BLOCK_BYTES);
    }

    #[test]
    fn a_body_of_empty_blocks_ends() {
        for body in [WebBody::Endless(Bytes::new()), WebBody::Repeated(Bytes::new(), 7), WebBody::Whole(Bytes::new())] {
            assert_eq!(sent(body, DeliveryFault::Plain), b"");
        }
    }
}
