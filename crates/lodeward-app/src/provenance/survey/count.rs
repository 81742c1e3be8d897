//! Counters with bounded memory.

use foldhash::{HashMap, HashSet, HashSetExt};
use xxhash_rust::xxh3::xxh3_64;

/// Maximum number of distinct items counted exactly.
const MAX_EXACT: usize = 1 << 20;
/// Number of bits of a hash that select a register: 2^14 registers have a standard error of 0.8 percent.
const REGISTER_BITS: u32 = 14;

/// Counts distinct items.
#[derive(Clone, Debug)]
pub(super) enum DistinctCounter {
    /// The hashes of the items.
    Exact(HashSet<u64>),
    /// The registers of a `HyperLogLog` (Flajolet et al. 2007). The first bits of a hash select a register, which
    /// stores the longest run of leading zeros in the other bits.
    Estimate(Box<[u8]>),
}

impl Default for DistinctCounter {
    fn default() -> Self {
        Self::Exact(HashSet::new())
    }
}

impl DistinctCounter {
    pub(super) fn add(&mut self, item: &str) {
        self.add_hash(xxh3_64(item.as_bytes()));
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Self::Exact(hashes) => {
                hashes.insert(hash);
                if hashes.len() > MAX_EXACT {
                    self.switch_to_estimate();
                }
            }
            Self::Estimate(registers) => {
                let register = &mut registers[(hash >> (64 - REGISTER_BITS)) as usize];
                // The bit 1 set after the hash ends the run if all bits of the hash are zero.
                let run = (hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() + 1;
                *register = (*register).max(u8::try_from(run).expect("the run is at most 64"));
            }
        }
    }

    fn switch_to_estimate(&mut self) {
        let exact = std::mem::replace(self, Self::Estimate(vec![0; 1 << REGISTER_BITS].into()));
        if let Self::Exact(hashes) = exact {
            for hash in hashes {
                self.add_hash(hash);
            }
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the estimate is far below 2^53"
    )]
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Exact(hashes) => hashes.len() as u64,
            // Small counts are exact, so the small-range correction is not needed.
            Self::Estimate(registers) => {
                let count = registers.len() as f64;
                let alpha = 0.7213 / (1.0 + 1.079 / count);
                let sum: f64 = registers.iter().map(|&run| f64::from(run).exp2().recip()).sum();
                (alpha * count * count / sum).round() as u64
            }
        }
    }
}

/// Maximum number of names counted individually.
const MAX_NAMES: usize = 64_000;

/// Counts names: frequent ones individually, the others as a sum.
#[derive(Clone, Debug, Default)]
pub(super) struct FrequentCounts {
    names: HashMap<Box<str>, u64>,
    others: u64,
    distinct: DistinctCounter,
}

impl FrequentCounts {
    pub(super) fn add(&mut self, name: &str) {
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
            return;
        }
        self.distinct.add(name);
        self.names.insert(name.into(), 1);
        if self.names.len() > 2 * MAX_NAMES {
            self.prune();
        }
    }

    /// Adds the rarer half to the sum of the others.
    fn prune(&mut self) {
        let mut counts: Vec<u64> = self.names.values().copied().collect();
        let (_, &mut bound, _) = counts.select_nth_unstable(MAX_NAMES);
        self.names.retain(|_, count| {
            let is_kept = *count > bound;
            self.others += if is_kept { 0 } else { *count };
            is_kept
        });
    }

    /// Number of distinct names.
    pub(super) fn distinct(&self) -> u64 {
        self.distinct.count()
    }

    /// The most frequent names, and the sum of all others.
    pub(super) fn top(&self, max: usize) -> (Vec<(&str, u64)>, u64) {
        let mut names: Vec<(&str, u64)> = self.names.iter().map(|(name, count)| (&**name, *count)).collect();
        names.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let rest: u64 = names.iter().skip(max).map(|(_, count)| count).sum();
        names.truncate(max);
        (names, rest + self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_counts_are_exact_and_large_counts_within_three_percent() {
        let mut distinct = DistinctCounter::default();
        for round in 0..2 {
            (0..100_000).for_each(|number| distinct.add(&format!("item {number}")));
            assert_eq!(distinct.count(), 100_000, "round {round}");
        }

        (0..3_000_000).for_each(|number: u32| distinct.add_hash(xxh3_64(&number.to_le_bytes())));

        let estimate = distinct.count();
        assert!((3_007_000..3_193_000).contains(&estimate), "{estimate}");
    }

    #[test]
    fn frequent_names_are_counted_among_many_rare_ones() {
        let mut counts = FrequentCounts::default();
        let mut added = 0;
        for number in 0..200_000 {
            counts.add(&format!("rare {number}"));
            added += 1;
            if number % 100 == 0 {
                counts.add("frequent");
                added += 1;
            }
        }

        let (top, others) = counts.top(1);

        assert_eq!(top, [("frequent", 2_000)]);
        assert_eq!(2_000 + others, added, "all occurrences are counted");
        assert!(counts.names.len() <= 2 * MAX_NAMES);
        assert!((194_000..206_000).contains(&counts.distinct()), "{}", counts.distinct());
    }
}
