//! Have we seen this URI before?
//!
//! Two cheap answers stand in front of the exact set on disk: a table of recent
//! fingerprints, which says *yes* for certain, and a Bloom filter, which says
//! *no* for certain. Most links of a page point to pages met a moment ago or
//! never, so that few questions reach the disk.

use fastbloom::BloomFilter;

/// How often the filter says "perhaps" to a URI that is new. A wrong "perhaps"
/// costs a look at the disk, nothing else.
const FALSE_POSITIVES: f64 = 0.01;

/// The size of the table of recent fingerprints: 8 MiB.
const RECENT_SLOTS: usize = 1 << 19;

/// The door of the seen set. Its memory is fixed when it is made.
pub struct Sieve {
    recent: Box<[u128]>,
    filter: BloomFilter,
}

/// What the sieve can say by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Glance {
    /// Seen for certain.
    Seen,
    /// Never seen, for certain.
    New,
    /// Ask the exact set.
    Perhaps,
}

impl Sieve {
    /// A sieve for about this many URIs. More make it slower, not wrong.
    #[must_use]
    pub fn new(expected: usize) -> Self {
        let filter = BloomFilter::with_false_pos(FALSE_POSITIVES).seed(&0).expected_items(expected.max(1_000));
        Self { recent: vec![0; RECENT_SLOTS].into_boxed_slice(), filter }
    }

    /// Looks at a fingerprint.
    #[must_use]
    pub fn glance(&self, fingerprint: u128) -> Glance {
        if self.recent[slot(fingerprint)] == fingerprint {
            return Glance::Seen;
        }
        if self.filter.contains_hash(low(fingerprint)) { Glance::Perhaps } else { Glance::New }
    }

    /// Remembers a fingerprint that is in the exact set, or about to be.
    pub fn remember(&mut self, fingerprint: u128) {
        self.recent[slot(fingerprint)] = fingerprint;
        self.filter.insert_hash(low(fingerprint));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits of a hash are a hash")]
fn low(fingerprint: u128) -> u64 {
    fingerprint as u64
}

#[expect(clippy::cast_possible_truncation, reason = "bits of a hash, masked to the table")]
fn slot(fingerprint: u128) -> usize {
    (fingerprint >> 64) as usize & (RECENT_SLOTS - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_remembered_is_never_called_new() {
        let mut sieve = Sieve::new(10_000);
        let fingerprint = |n: u32| xxhash_rust::xxh3::xxh3_128(&n.to_be_bytes());

        for n in 0..10_000 {
            sieve.remember(fingerprint(n));
        }

        assert!((0..10_000).all(|n| sieve.glance(fingerprint(n)) != Glance::New));
        let wrong = (10_000..20_000).filter(|n| sieve.glance(fingerprint(*n)) != Glance::New).count();
        assert!(wrong < 300, "{wrong} of 10,000 strangers were taken for acquaintances");
    }
}
