//! Tombstones: removed chunks whose postings still exist.
//!
//! Dropping a graph removes its few chunks, but leaves the many postings that refer to them;
//! readers skip postings without a chunk. The postings are removed when the storage engine compacts
//! their table: a compaction filter checks here whether the chunk of a posting is dead.
//!
//! A chunk is dead under two conditions. No snapshot from before its removal exists, as such a
//! snapshot still needs the chunk and its postings. And the removal is synced, because a power
//! failure can revert the removal but not the compaction.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fjall::compaction::filter::{CompactionFilter, CompactionFilterResult, Context, Factory, ItemAccessor, Verdict};

use crate::keys;

/// Chunks from the first to the last, both included.
pub(crate) type ChunkRange = (u64, u64);

/// Removed chunks, and the snapshots that can still see them.
#[derive(Default)]
pub(crate) struct Tombstones {
    state: Mutex<TombstoneState>,
    dead: Arc<DeadChunks>,
}

#[derive(Default)]
struct TombstoneState {
    /// Incremented by every removal.
    generation: u64,
    /// The last generation that is durable.
    synced: u64,
    /// The number of open snapshots, by generation.
    snapshots: BTreeMap<u64, usize>,
    /// Removed chunks that are not dead yet, with the generation of their removal.
    pending: Vec<(u64, ChunkRange)>,
}

/// While this guard exists, chunks that existed at its creation are not declared dead.
pub(crate) struct SnapshotGuard {
    tombstones: Arc<Tombstones>,
    generation: u64,
}

impl Tombstones {
    fn state(&self) -> MutexGuard<'_, TombstoneState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the guard of a snapshot. Call this before the snapshot is taken, and hold the guard
    /// as long as the snapshot.
    pub(crate) fn snapshot_guard(self: &Arc<Self>) -> SnapshotGuard {
        let mut state = self.state();
        let generation = state.generation;
        *state.snapshots.entry(generation).or_default() += 1;
        SnapshotGuard { tombstones: Arc::clone(self), generation }
    }

    /// The current generation. Read it before a sync, and pass it to [`Self::mark_synced`]
    /// afterwards.
    pub(crate) fn generation(&self) -> u64 {
        self.state().generation
    }

    /// Records that removals up to this generation are durable.
    pub(crate) fn mark_synced(&self, generation: u64) {
        let mut state = self.state();
        state.synced = state.synced.max(generation);
        drop(state);
        self.collect_dead();
    }

    /// Adds removed chunks. Call this after the removal is committed.
    pub(crate) fn add(&self, ranges: &[ChunkRange]) {
        let mut state = self.state();
        state.generation += 1;
        let generation = state.generation;
        state.pending.extend(ranges.iter().map(|&range| (generation, range)));
        drop(state);
        self.collect_dead();
    }

    /// Declares those pending chunks dead whose removal is synced and which no snapshot can see.
    fn collect_dead(&self) {
        let mut state = self.state();
        let oldest = state.snapshots.keys().next().copied().unwrap_or(u64::MAX);
        let alive_from = oldest.min(state.synced);
        let (pending, dead) =
            std::mem::take(&mut state.pending).into_iter().partition(|removal| removal.0 > alive_from);
        state.pending = pending;
        drop(state);
        let dead: Vec<(u64, ChunkRange)> = dead;
        self.dead.add(dead.into_iter().map(|(_, range)| range));
    }

    /// Whether all chunks of the range are dead.
    pub(crate) fn are_dead(&self, (first, last): ChunkRange) -> bool {
        let dead = self.dead.ranges();
        dead.range(..=first).next_back().is_some_and(|(_, end)| last <= *end)
    }

    /// Forgets dead chunks. Call it when none of their postings is left.
    pub(crate) fn clear_dead(&self) {
        self.dead.ranges().clear();
    }

    /// The compaction filter of the postings table.
    pub(crate) fn compaction_filter(&self) -> Arc<dyn Factory> {
        Arc::clone(&self.dead) as Arc<dyn Factory>
    }
}

impl Drop for SnapshotGuard {
    fn drop(&mut self) {
        let mut state = self.tombstones.state();
        if let Some(count) = state.snapshots.get_mut(&self.generation) {
            *count -= 1;
            if *count == 0 {
                state.snapshots.remove(&self.generation);
            }
        }
    }
}

/// Joins consecutive numbers into ranges.
pub(crate) fn to_ranges(mut chunks: Vec<u64>) -> Vec<ChunkRange> {
    chunks.sort_unstable();
    let mut ranges: Vec<ChunkRange> = Vec::new();
    for chunk in chunks {
        match ranges.last_mut() {
            Some((_, last)) if chunk <= *last + 1 => *last = chunk,
            _ => ranges.push((chunk, chunk)),
        }
    }
    ranges
}

/// Dead chunks: disjoint, non-adjacent ranges, by their first chunk.
#[derive(Default)]
struct DeadChunks {
    ranges: Mutex<BTreeMap<u64, u64>>,
}

impl DeadChunks {
    fn ranges(&self) -> MutexGuard<'_, BTreeMap<u64, u64>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, more: impl Iterator<Item = ChunkRange>) {
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

impl Factory for DeadChunks {
    fn name(&self) -> &'static str {
        "postings of removed chunks"
    }

    fn make_filter(&self, _context: &Context) -> Box<dyn CompactionFilter> {
        Box::new(TombstoneFilter(self.ranges().iter().map(|(&first, &last)| (first, last)).collect()))
    }
}

struct TombstoneFilter(Vec<ChunkRange>);

impl TombstoneFilter {
    fn is_dead(&self, chunk: u64) -> bool {
        let after = self.0.partition_point(|&(first, _)| first <= chunk);
        after.checked_sub(1).is_some_and(|index| chunk <= self.0[index].1)
    }
}

impl CompactionFilter for TombstoneFilter {
    fn filter_item(&mut self, item: ItemAccessor<'_>, _context: &Context) -> CompactionFilterResult {
        let dead = !self.0.is_empty() && keys::parse_chunk(item.key()).is_some_and(|chunk| self.is_dead(chunk));
        // `Destroy` leaves no tombstone in the LSM tree, so an older version of the posting can
        // become visible again. That is harmless: its chunk is dead, too.
        Ok(if dead { Verdict::Destroy } else { Verdict::Keep })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::{TombstoneFilter, Tombstones, to_ranges};

    #[test]
    fn consecutive_numbers_become_ranges() {
        assert_eq!(to_ranges(vec![5, 1, 2, 3, 9, 8]), [(1, 3), (5, 5), (8, 9)]);
    }

    #[test]
    fn a_range_includes_both_ends() {
        let filter = TombstoneFilter(vec![(3, 5), (9, 9)]);
        let dead: Vec<u64> = (0..12).filter(|&chunk| filter.is_dead(chunk)).collect();
        assert_eq!(dead, [3, 4, 5, 9]);
    }

    #[test]
    fn adjacent_ranges_are_merged() {
        let dead = super::DeadChunks::default();
        let mut expected = std::collections::BTreeSet::new();
        for (first, last) in [(5, 6), (1, 2), (9, 9), (3, 4), (20, 30), (7, 8), (15, 25), (22, 23), (11, 11)] {
            dead.add(std::iter::once((first, last)));
            expected.extend(first..=last);
            assert_eq!(
                dead.ranges().iter().flat_map(|(&first, &last)| first..=last).collect::<Vec<u64>>(),
                expected.iter().copied().collect::<Vec<u64>>()
            );
        }
        assert_eq!(dead.ranges().clone().into_iter().collect::<Vec<_>>(), [(1, 9), (11, 11), (15, 30)]);
    }

    #[test]
    fn chunks_visible_to_a_snapshot_are_not_dead() {
        let tombstones = Arc::new(Tombstones::default());
        let before = tombstones.snapshot_guard();
        tombstones.add(&[(1, 2)]);
        let after = tombstones.snapshot_guard();
        tombstones.add(&[(7, 7)]);
        let dead = || (tombstones.are_dead((1, 2)), tombstones.are_dead((7, 7)));
        assert_eq!(dead(), (false, false));

        drop(before);
        tombstones.collect_dead();
        assert_eq!(dead(), (false, false), "a removal that is not synced is not final");
        tombstones.mark_synced(1);
        assert_eq!(dead(), (true, false));

        drop(after);
        tombstones.mark_synced(tombstones.generation());
        assert_eq!(dead(), (true, true));
        assert!(!tombstones.are_dead((1, 3)) && !tombstones.are_dead((0, 2)));

        tombstones.clear_dead();
        assert_eq!(dead(), (false, false));
    }
}
