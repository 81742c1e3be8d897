//! What is there most often, of however many.

use std::collections::HashMap;
use std::hash::Hash;

use foldhash::fast::RandomState;

/// Different things that are counted at a time.
pub(super) const HELD_MAX: usize = 100_000;

/// Counts things. Of more different ones than can be held the rarest are
/// forgotten now and then, so that counts may be too low, and what is rare and
/// comes early may be missed; what is frequent is not (lossy counting, Manku and
/// Motwani 2002).
#[derive(Debug)]
pub(super) struct Counts<K> {
    held: HashMap<K, Count, RandomState>,
    held_max: usize,
    seen: u64,
    was_cut: bool,
}

/// How often something was there, and where it was first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Count {
    pub(super) times: u64,
    first: u64,
    /// Which file.
    pub(super) file: usize,
    /// Which property of its role.
    pub(super) property: usize,
}

impl<K: Eq + Hash + Clone> Counts<K> {
    pub(super) fn new(held_max: usize) -> Self {
        Self { held: HashMap::default(), held_max, seen: 0, was_cut: false }
    }

    pub(super) fn take(&mut self, key: K, file: usize, property: usize) {
        self.seen += 1;
        let first = Count { times: 0, first: self.seen, file, property };
        self.held.entry(key).or_insert(first).times += 1;
        if self.held.len() >= 2 * self.held_max {
            let kept = self.in_order().into_iter().take(self.held_max).collect();
            self.held = kept;
            self.was_cut = true;
        }
    }

    /// Whether something was forgotten.
    pub(super) fn was_cut(&self) -> bool {
        self.was_cut
    }

    /// The most frequent first; of those that are as frequent, whoever was first.
    pub(super) fn in_order(&self) -> Vec<(K, Count)> {
        let mut all: Vec<(K, Count)> = self.held.iter().map(|(key, count)| (key.clone(), *count)).collect();
        all.sort_by_key(|(_, count)| (std::cmp::Reverse(count.times), count.first));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_comes_first_and_then_who_was_first() {
        let mut counts = Counts::new(10);
        for key in ["c", "a", "b", "b", "d"] {
            counts.take(key, 0, 0);
        }

        let order: Vec<(&str, u64)> = counts.in_order().into_iter().map(|(key, count)| (key, count.times)).collect();
        assert_eq!(order, [("b", 2), ("c", 1), ("a", 1), ("d", 1)]);
        assert!(!counts.was_cut());
    }

    #[test]
    fn what_is_frequent_is_held_among_very_many() {
        let mut counts = Counts::new(10);
        for number in 0..10_000 {
            counts.take(number, 0, 0);
            counts.take(-1, 0, 0);
        }

        assert_eq!(counts.in_order()[0].0, -1);
        assert_eq!(counts.in_order()[0].1.times, 10_000);
        assert!(counts.in_order().len() < 20 && counts.was_cut());
    }
}
