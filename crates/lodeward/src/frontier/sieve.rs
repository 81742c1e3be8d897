//! Answers quickly whether a URI is known.
//!
//! Two filters in memory precede the exact set on disk: a table of recent fingerprints, which gives
//! a definite *yes*, and a Bloom filter, which gives a definite *no*. Most links point to URIs that
//! were seen recently or never, so few lookups reach the disk.

use fastbloom::BloomFilter;

/// The false positive rate of one Bloom filter. A false positive costs one disk lookup.
const FALSE_POSITIVE_RATE: f64 = 0.004;

/// The sizes of the Bloom filters, as divisors of the expected number of URIs. A filter is created
/// when the one before is full: all of its memory is in use from the start, because hashes are
/// spread over it.
const FILTER_SHARES: [usize; 3] = [64, 8, 1];

/// Number of slots in the table of recent fingerprints (4 MiB).
const RECENT_SLOTS: usize = 1 << 19;

/// The filters in front of the set of known URIs. Memory grows in a few steps up to a maximum, which
/// depends on the expected number of URIs.
pub(crate) struct Sieve {
    expected: usize,
    /// One half of each fingerprint; the other half selects the slot. 0 is no fingerprint.
    recent: Box<[u64]>,
    /// The last filter is the one that is filled.
    filters: Vec<BloomFilter>,
    /// How many fingerprints the last filter can still take.
    left: usize,
}

/// The result of a lookup in the sieve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SieveResult {
    /// The URI is known.
    Known,
    /// The URI is not known.
    New,
    /// The sieve cannot decide: look the URI up in the exact set.
    Undecided,
}

impl Sieve {
    /// A sieve for about `expected` URIs. With more URIs, more lookups reach the disk; the
    /// answers stay correct.
    #[must_use]
    pub(crate) fn new(expected: usize) -> Self {
        let expected = expected.max(1_000);
        let mut sieve =
            Self { expected, recent: vec![0; RECENT_SLOTS].into_boxed_slice(), filters: Vec::new(), left: 0 };
        sieve.add_filter();
        sieve
    }

    fn add_filter(&mut self) {
        let Some(share) = FILTER_SHARES.get(self.filters.len()) else { return };
        self.left = self.expected / share;
        let filter = BloomFilter::with_false_pos(FALSE_POSITIVE_RATE).seed(&0).expected_items(self.left);
        self.filters.push(filter);
    }

    /// Looks up a fingerprint.
    #[must_use]
    pub(crate) fn check(&self, fingerprint: u128) -> SieveResult {
        let hash = low_bits(fingerprint);
        if hash != 0 && self.recent[slot(fingerprint)] == hash {
            return SieveResult::Known;
        }
        let is_listed = self.filters.iter().any(|filter| filter.contains_hash(hash));
        if is_listed { SieveResult::Undecided } else { SieveResult::New }
    }

    /// Inserts a fingerprint that is, or is about to be, in the exact set.
    pub(crate) fn insert(&mut self, fingerprint: u128) {
        let hash = low_bits(fingerprint);
        self.recent[slot(fingerprint)] = hash;
        if self.left == 0 {
            self.add_filter();
        }
        self.left = self.left.saturating_sub(1);
        if let Some(filter) = self.filters.last_mut() {
            filter.insert_hash(hash);
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low 64 bits of a hash are a hash")]
fn low_bits(fingerprint: u128) -> u64 {
    fingerprint as u64
}

#[expect(clippy::cast_possible_truncation, reason = "the slot is masked to the size of the table")]
fn slot(fingerprint: u128) -> usize {
    (fingerprint >> 64) as usize & (RECENT_SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inserted_fingerprint_is_never_new() {
        let mut sieve = Sieve::new(10_000);
        let fingerprint = |n: u32| xxhash_rust::xxh3::xxh3_128(&n.to_be_bytes());

        for n in 0..10_000 {
            sieve.insert(fingerprint(n));
        }

        assert!((0..10_000).all(|n| sieve.check(fingerprint(n)) != SieveResult::New));
        let false_positives = (10_000..20_000).filter(|n| sieve.check(fingerprint(*n)) != SieveResult::New).count();
        assert_eq!(sieve.filters.len(), 3);
        assert!(false_positives < 300, "{false_positives} false positives among 10,000 unknown fingerprints");
    }
}
