//! Counting in bounded memory.

use foldhash::{HashMap, HashSet, HashSetExt};
use xxhash_rust::xxh3::xxh3_64;

/// Different things that are told apart exactly.
const EXACT_MAX: usize = 1 << 20;
/// Registers of the estimate: 2^14, for a standard error of 0.8 percent.
const REGISTER_BITS: u32 = 14;

/// How many different things there are.
#[derive(Clone, Debug)]
pub(super) enum Distinct {
    /// Their hashes.
    Exact(HashSet<u64>),
    /// The registers of a `HyperLogLog` (Flajolet et al. 2007): the longest run
    /// of zeros that a hash began with, by its first bits.
    Estimate(Box<[u8]>),
}

impl Default for Distinct {
    fn default() -> Self {
        Self::Exact(HashSet::new())
    }
}

impl Distinct {
    pub(super) fn add(&mut self, thing: &str) {
        self.add_hash(xxh3_64(thing.as_bytes()));
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Self::Exact(known) => {
                known.insert(hash);
                if known.len() > EXACT_MAX {
                    self.begin_to_estimate();
                }
            }
            Self::Estimate(registers) => {
                let register = &mut registers[(hash >> (64 - REGISTER_BITS)) as usize];
                // A one at the end bounds the run where all bits are zeros.
                let run = (hash << REGISTER_BITS | 1 << (REGISTER_BITS - 1)).leading_zeros() + 1;
                *register = (*register).max(u8::try_from(run).expect("a hash has 64 bits"));
            }
        }
    }

    fn begin_to_estimate(&mut self) {
        let exact = std::mem::replace(self, Self::Estimate(vec![0; 1 << REGISTER_BITS].into()));
        if let Self::Exact(known) = exact {
            for hash in known {
                self.add_hash(hash);
            }
        }
    }

    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an estimate, of far less than 2^53"
    )]
    pub(super) fn count(&self) -> u64 {
        match self {
            Self::Exact(known) => known.len() as u64,
            // Never few, for those are counted exactly: no correction is needed.
            Self::Estimate(registers) => {
                let count = registers.len() as f64;
                let alpha = 0.7213 / (1.0 + 1.079 / count);
                let sum: f64 = registers.iter().map(|&run| f64::from(run).exp2().recip()).sum();
                (alpha * count * count / sum).round() as u64
            }
        }
    }
}

/// Names that are counted each.
const NAMES_MAX: usize = 64_000;

/// How often names occur: the frequent ones each, the others together.
#[derive(Clone, Debug, Default)]
pub(super) struct Counts {
    names: HashMap<Box<str>, u64>,
    others: u64,
    distinct: Distinct,
}

impl Counts {
    pub(super) fn add(&mut self, name: &str) {
        if let Some(count) = self.names.get_mut(name) {
            *count += 1;
            return;
        }
        self.distinct.add(name);
        self.names.insert(name.into(), 1);
        if self.names.len() > 2 * NAMES_MAX {
            self.prune();
        }
    }

    /// Puts the rarer half to the others.
    fn prune(&mut self) {
        let mut counts: Vec<u64> = self.names.values().copied().collect();
        let (_, &mut bound, _) = counts.select_nth_unstable(NAMES_MAX);
        self.names.retain(|_, count| {
            let is_kept = *count > bound;
            self.others += if is_kept { 0 } else { *count };
            is_kept
        });
    }

    /// How many different names there are.
    pub(super) fn distinct(&self) -> u64 {
        self.distinct.count()
    }

    /// The most frequent names, and how often all others occur together.
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
    fn few_are_counted_exactly_and_many_within_three_percent() {
        let mut distinct = Distinct::default();
        for round in 0..2 {
            (0..100_000).for_each(|number| distinct.add(&format!("thing {number}")));
            assert_eq!(distinct.count(), 100_000, "round {round}");
        }

        (0..3_000_000).for_each(|number: u32| distinct.add_hash(xxh3_64(&number.to_le_bytes())));

        let estimate = distinct.count();
        assert!((3_007_000..3_193_000).contains(&estimate), "{estimate}");
    }

    #[test]
    fn what_is_frequent_is_found_among_any_number_of_others() {
        let mut counts = Counts::default();
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
        assert_eq!(2_000 + others, added, "nothing is lost");
        assert!(counts.names.len() <= 2 * NAMES_MAX);
        assert!((194_000..206_000).contains(&counts.distinct()), "{}", counts.distinct());
    }
}
