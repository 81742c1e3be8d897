//! Finds the most frequent values in bounded memory.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

/// Maximum number of distinct values that are counted.
pub(super) const MAX_HELD: usize = 100_000;

/// Counts values. If there are too many distinct values, the rarest are discarded. Counts of rare
/// values can therefore be too low, and rare values that occur early can be missing. Frequent
/// values are always found (lossy counting, Manku and Motwani 2002).
#[derive(Debug)]
pub(super) struct FrequencyCounts<K> {
    held: HashMap<K, FrequencyCount, RandomState>,
    max_held: usize,
    seen: u64,
    is_truncated: bool,
}

/// The number of occurrences of a value, and its first occurrence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrequencyCount {
    pub(super) times: u64,
    first: u64,
    /// The index of the file.
    pub(super) file: usize,
    /// The index of the property in its role.
    pub(super) property: usize,
}

impl<K: Eq + Hash + Clone> FrequencyCounts<K> {
    pub(super) fn new(max_held: usize) -> Self {
        Self { held: HashMap::default(), max_held, seen: 0, is_truncated: false }
    }

    pub(super) fn add(&mut self, key: K, file: usize, property: usize) {
        self.seen += 1;
        let first = FrequencyCount { times: 0, first: self.seen, file, property };
        self.held.entry(key).or_insert(first).times += 1;
        if self.held.len() >= 2 * self.max_held {
            let kept = self.by_frequency().into_iter().take(self.max_held).collect();
            self.held = kept;
            self.is_truncated = true;
        }
    }

    /// Whether values were discarded.
    pub(super) fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// The values, most frequent first; ties in order of first occurrence.
    pub(super) fn by_frequency(&self) -> Vec<(K, FrequencyCount)> {
        let mut all: Vec<(K, FrequencyCount)> = self.held.iter().map(|(key, count)| (key.clone(), *count)).collect();
        all.sort_by_key(|(_, count)| (std::cmp::Reverse(count.times), count.first));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_ordered_by_frequency_and_then_by_first_occurrence() {
        let mut counts = FrequencyCounts::new(10);
        for key in ["c", "a", "b", "b", "d"] {
            counts.add(key, 0, 0);
        }

        let order: Vec<(&str, u64)> =
            counts.by_frequency().into_iter().map(|(key, count)| (key, count.times)).collect();
        assert_eq!(order, [("b", 2), ("c", 1), ("a", 1), ("d", 1)]);
        assert!(!counts.is_truncated());
    }

    #[test]
    fn a_frequent_value_is_found_among_many_rare_ones() {
        let mut counts = FrequencyCounts::new(10);
        for number in 0..10_000 {
            counts.add(number, 0, 0);
            counts.add(-1, 0, 0);
        }

        assert_eq!(counts.by_frequency()[0].0, -1);
        assert_eq!(counts.by_frequency()[0].1.times, 10_000);
        assert!(counts.by_frequency().len() < 20 && counts.is_truncated());
    }
}
