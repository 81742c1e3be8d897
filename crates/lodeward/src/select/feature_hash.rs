//! Hashes features to numbers, so that a model needs no dictionary.
//!
//! `MurmurHash3` `x86_32`, as in LDCOC §4.3. Models are stored, so neither the hash nor its seed
//! may ever change.

use crate::frontier::FeatureVector;

/// Seed of the hash.
const SEED: u32 = 0x10de_44a2;

/// Austin Appleby's `MurmurHash3`, the 32-bit variant.
#[must_use]
pub fn murmur3(bytes: &[u8], seed: u32) -> u32 {
    let mut hash = seed;
    let mut chunks = bytes.chunks_exact(4);
    for chunk in &mut chunks {
        let block = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        hash = (hash ^ scramble(block)).rotate_left(13).wrapping_mul(5).wrapping_add(0xe654_6b64);
    }
    let tail = chunks.remainder();
    if !tail.is_empty() {
        let block = tail.iter().rev().fold(0_u32, |block, byte| block << 8 | u32::from(*byte));
        hash ^= scramble(block);
    }
    #[expect(clippy::cast_possible_truncation, reason = "MurmurHash3 uses the low 32 bits of the length")]
    let length = bytes.len() as u32;
    finish(hash ^ length)
}

fn scramble(block: u32) -> u32 {
    block.wrapping_mul(0xcc9e_2d51).rotate_left(15).wrapping_mul(0x1b87_3593)
}

fn finish(mut hash: u32) -> u32 {
    hash = (hash ^ hash >> 16).wrapping_mul(0x85eb_ca6b);
    hash = (hash ^ hash >> 13).wrapping_mul(0xc2b2_ae35);
    hash ^ hash >> 16
}

/// Hashes features to numbers below 2 to the power of `bits`.
#[derive(Clone, Debug)]
pub(crate) struct FeatureHasher {
    mask: u32,
    scratch: Vec<u8>,
}

impl FeatureHasher {
    /// Creates a hasher for models with 2 to the power of `bits` coordinates.
    #[must_use]
    pub(crate) fn new(bits: u8) -> Self {
        Self { mask: u32::MAX >> (32 - u32::from(bits.clamp(1, 32))), scratch: Vec::new() }
    }

    /// Returns the number of a feature, which consists of a field and the parts of its value.
    pub(crate) fn feature_index(&mut self, field: &str, parts: &[&str]) -> u32 {
        self.write(field, parts);
        murmur3(&self.scratch, SEED) & self.mask
    }

    /// The text of the feature that was hashed last.
    #[must_use]
    pub(crate) fn last_feature_text(&self) -> &str {
        std::str::from_utf8(&self.scratch).unwrap_or_default()
    }

    fn write(&mut self, field: &str, parts: &[&str]) {
        self.scratch.clear();
        self.scratch.extend_from_slice(field.as_bytes());
        self.scratch.push(b'=');
        for (index, part) in parts.iter().enumerate() {
            if index > 0 {
                self.scratch.push(b'|');
            }
            self.scratch.extend_from_slice(part.as_bytes());
        }
    }
}

/// Sorts features and removes duplicates.
pub(crate) fn normalise(features: &mut FeatureVector) {
    features.0.sort_unstable();
    features.0.dedup();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn murmur3_matches_reference_values() {
        let check = |text: &str, seed: u32, hash: u32| assert_eq!(murmur3(text.as_bytes(), seed), hash, "{text}");

        check("", 0, 0);
        check("", 1, 0x514e_28b7);
        check("", 0xffff_ffff, 0x81f1_6f39);
        check("test", 0, 0xba6b_d213);
        check("test", 0x9747_b28c, 0x704b_81dc);
        check("Hello, world!", 0, 0xc036_3e43);
        check("Hello, world!", 0x9747_b28c, 0x2488_4cba);
        check("The quick brown fox jumps over the lazy dog", 0x9747_b28c, 0x2fa8_26cd);
        check("aaaa", 0x9747_b28c, 0x5a97_808a);
        check("aaa", 0x9747_b28c, 0x283e_0130);
        check("aa", 0x9747_b28c, 0x5d21_1726);
        check("a", 0x9747_b28c, 0x7fa0_9ea6);
    }
}
