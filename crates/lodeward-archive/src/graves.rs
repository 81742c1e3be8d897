//! Chunks that are gone, and whose postings are not yet.
//!
//! Dropping a graph removes its chunks, which are few, and leaves the postings
//! that point at them, which are many: readers pass over what points at
//! nothing. The postings go when the storage engine rewrites the table they
//! are in: a compaction filter then asks here whether their chunk is dead.
//!
//! A snapshot from before the drop still has those chunks and needs those
//! postings, so a chunk is dead only when no such snapshot is left. And a power
//! cut may take the drop back, but not what a compaction did since, so a chunk
//! is dead only when the drop has been synced.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fjall::compaction::filter::{CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor, Verdict};

use crate::keys;

/// Chunks from the first to the last, both included.
pub(crate) type Range = (u64, u64);

/// What is gone, and who may still see it.
#[derive(Default)]
pub(crate) struct Graves {
    state: Mutex<State>,
    dead: Arc<Dead>,
}

#[derive(Default)]
struct State {
    /// Counts the times that something was buried.
    generation: u64,
    /// The last of them that no power cut can take back.
    synced: u64,
    /// How many snapshots there are from which generation.
    witnesses: BTreeMap<u64, usize>,
    /// What was buried when, and may still be seen.
    waiting: Vec<(u64, Range)>,
}

/// Keeps what was there when it was made from being forgotten.
pub(crate) struct Witness {
    graves: Arc<Graves>,
    generation: u64,
}

impl Graves {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// To be called before a snapshot is taken, and kept as long as it.
    pub(crate) fn witness(self: &Arc<Self>) -> Witness {
        let mut state = self.state();
        let generation = state.generation;
        *state.witnesses.entry(generation).or_default() += 1;
        Witness { graves: Arc::clone(self), generation }
    }

    /// What has been buried so far: to be asked before a sync, and told after it.
    pub(crate) fn generation(&self) -> u64 {
        self.state().generation
    }

    /// What was buried up to then is on disk.
    pub(crate) fn synced(&self, generation: u64) {
        let mut state = self.state();
        state.synced = state.synced.max(generation);
        drop(state);
        self.settle();
    }

    /// To be called after these chunks have been removed.
    pub(crate) fn bury(&self, ranges: &[Range]) {
        let mut state = self.state();
        state.generation += 1;
        let generation = state.generation;
        state.waiting.extend(ranges.iter().map(|&range| (generation, range)));
        drop(state);
        self.settle();
    }

    /// Declares dead what nobody can see any more.
    fn settle(&self) {
        let mut state = self.state();
        let oldest = state.witnesses.keys().next().copied().unwrap_or(u64::MAX);
        let alive_from = oldest.min(state.synced);
        let (seen, unseen) = std::mem::take(&mut state.waiting).into_iter().partition(|grave| grave.0 > alive_from);
        state.waiting = seen;
        drop(state);
        let unseen: Vec<(u64, Range)> = unseen;
        self.dead.add(unseen.into_iter().map(|(_, range)| range));
    }

    /// Whether all of these are dead.
    pub(crate) fn are_dead(&self, (first, last): Range) -> bool {
        let dead = self.dead.ranges();
        dead.range(..=first).next_back().is_some_and(|(_, end)| last <= *end)
    }

    /// No posting of what is dead is left.
    pub(crate) fn forget(&self) {
        self.dead.ranges().clear();
    }

    /// The filter of the table of postings.
    pub(crate) fn filter(&self) -> Arc<dyn Factory> {
        Arc::clone(&self.dead) as Arc<dyn Factory>
    }
}

impl Drop for Witness {
    fn drop(&mut self) {
        let mut state = self.graves.state();
        if let Some(count) = state.witnesses.get_mut(&self.generation) {
            *count -= 1;
            if *count == 0 {
                state.witnesses.remove(&self.generation);
            }
        }
    }
}

/// Joins numbers into ranges.
pub(crate) fn ranges(mut chunks: Vec<u64>) -> Vec<Range> {
    chunks.sort_unstable();
    let mut ranges: Vec<Range> = Vec::new();
    for chunk in chunks {
        match ranges.last_mut() {
            Some((_, last)) if chunk <= *last + 1 => *last = chunk,
            _ => ranges.push((chunk, chunk)),
        }
    }
    ranges
}

/// Dead chunks: ranges that do not touch, by the first.
#[derive(Default)]
struct Dead {
    ranges: Mutex<BTreeMap<u64, u64>>,
}

impl Dead {
    fn ranges(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, more: impl Iterator<Item = Range>) {
        let mut ranges = self.ranges();
        for (mut first, mut last) in more {
            if let Some((&before, &end)) = ranges.range(..=first).next_back()
                && end.saturating_add(1) >= first
            {
                (first, last) = (before, last.max(end));
            }
            while let Some((&after, &end)) = ranges.range(first..=last.saturating_add(1)).next() {
                ranges.remove(&after);
                last = last.max(end);
            }
            ranges.insert(first, last);
        }
    }
}

impl Factory for Dead {
    fn name(&self) -> &'static str {
        "postings of chunks that are gone"
    }

    fn make_filter(&self, _context: &Context) -> Box<dyn CompactionFilter> {
        Box::new(DeadFilter(self.ranges().iter().map(|(&first, &last)| (first, last)).collect()))
    }
}

struct DeadFilter(Vec<Range>);

impl DeadFilter {
    fn is_dead(&self, chunk: u64) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= chunk);
        after.checked_sub(1).is_some_and(|place| chunk <= self.0[place].1)
    }
}

impl CompactionFilter for DeadFilter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _context: &Context) -> CompactionFilterResult {
        let dead = !self.0.is_empty() && keys::chunk(item.key()).is_some_and(|chunk| self.is_dead(chunk));
        // Without a tombstone: should an older version come to light, it is
        // dead as well.
        Ok(if dead { Verdict::Destroy } else { Verdict::Keep })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{DeadFilter, Graves, ranges};

    #[test]
    fn numbers_become_ranges() {
        assert_eq!(ranges(vec![5, 1, 2, 3, 9, 8]), [(1, 3), (5, 5), (8, 9)]);
    }

    #[test]
    fn a_range_holds_its_ends_and_no_more() {
        let filter = DeadFilter(vec![(3, 5), (9, 9)]);
        let dead: Vec<u64> = (0..12).filter(|&chunk| filter.is_dead(chunk)).collect();
        assert_eq!(dead, [3, 4, 5, 9]);
    }

    #[test]
    fn ranges_that_touch_become_one() {
        let dead = super::Dead::default();
        let mut kept = std::collections::BTreeSet::new();
        for (first, last) in [(5, 6), (1, 2), (9, 9), (3, 4), (20, 30), (7, 8), (15, 25), (22, 23), (11, 11)] {
            dead.add(std::iter::once((first, last)));
            kept.extend(first..=last);
            assert_eq!(
                dead.ranges().iter().flat_map(|(&first, &last)| first..=last).collect::<Vec<u64>>(),
                kept.iter().copied().collect::<Vec<u64>>()
            );
        }
        assert_eq!(dead.ranges().clone().into_iter().collect::<Vec<_>>(), [(1, 9), (11, 11), (15, 30)]);
    }

    #[test]
    fn what_a_snapshot_sees_is_not_dead() {
        let graves = Arc::new(Graves::default());
        let before = graves.witness();
        graves.bury(&[(1, 2)]);
        let after = graves.witness();
        graves.bury(&[(7, 7)]);
        let dead = || (graves.are_dead((1, 2)), graves.are_dead((7, 7)));
        assert_eq!(dead(), (false, false));

        drop(before);
        graves.settle();
        assert_eq!(dead(), (false, false), "a power cut may take it back");
        graves.synced(1);
        assert_eq!(dead(), (true, false));

        drop(after);
        graves.synced(graves.generation());
        assert_eq!(dead(), (true, true));
        assert!(!graves.are_dead((1, 3)) && !graves.are_dead((0, 2)));

        graves.forget();
        assert_eq!(dead(), (false, false));
    }
}
