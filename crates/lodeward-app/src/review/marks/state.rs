//! The marks after all changes of the mark file, and what a user can undo.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use super::line::{MarkAuthor, MarkBatch, MarkKind, MarkLine, MarkRecord};

/// The marks of a crawl, with the changes that led to them.
#[derive(Debug, Default)]
pub(super) struct MarkState {
    /// The changes of each entity that are in effect, the last one on top. An undo removes the
    /// change that it undoes, so the mark before it is in effect again, with its author.
    entities: BTreeMap<String, Vec<EffectiveChange>>,
    lines: Vec<MarkLine>,
}

/// A change that has not been undone.
#[derive(Debug)]
struct EffectiveChange {
    batch: u64,
    /// `None` if the mark was removed.
    mark: Option<MarkRecord>,
}

/// The result of an undo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UndoSummary {
    /// Number of marks that were changed back.
    pub changed: usize,
    /// Number of marks of the same change that stay, because another user has changed them since.
    pub superseded: usize,
}

impl MarkState {
    pub(super) fn get(&self, entity: &str) -> Option<&MarkRecord> {
        self.entities.get(entity)?.last()?.mark.as_ref()
    }

    /// All marks, by name of the entity.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &MarkRecord)> {
        self.entities.iter().filter_map(|(entity, changes)| Some((entity.as_str(), changes.last()?.mark.as_ref()?)))
    }

    pub(super) fn lines(&self) -> &[MarkLine] {
        &self.lines
    }

    /// The changes, the last one first.
    pub(super) fn batches(&self) -> Vec<MarkBatch> {
        let undone: HashSet<u64> = self.lines.iter().filter_map(|line| line.undoes).collect();
        let mut batches: BTreeMap<u64, MarkBatch> = BTreeMap::new();
        for line in self.lines.iter().filter(|line| line.batch > 0) {
            let batch = batches.entry(line.batch).or_insert_with(|| MarkBatch {
                number: line.batch,
                mark: line.mark,
                count: 0,
                first: line.entity.clone(),
                filter: None,
                undoes: line.undoes,
                is_undone: undone.contains(&line.batch),
                author: line.author(),
            });
            batch.count += 1;
            batch.filter = batch.filter.take().or_else(|| line.filter.clone());
        }
        batches.into_values().rev().collect()
    }

    pub(super) fn next_batch(&self) -> u64 {
        self.lines.iter().map(|line| line.batch).max().unwrap_or(0) + 1
    }

    pub(super) fn apply(&mut self, line: MarkLine) {
        let changes = self.entities.entry(line.entity.clone()).or_default();
        if let Some(undone) = line.undoes {
            changes.retain(|change| change.batch != undone);
        }
        let kind = |changes: &[EffectiveChange]| changes.last().and_then(|change| Some(change.mark.as_ref()?.mark));
        // After an undo, the mark before it is in effect, unless it was lost by a compaction.
        if line.undoes.is_none() || kind(changes) != line.mark {
            changes.push(EffectiveChange { batch: line.batch, mark: line.record() });
        }
        if changes.is_empty() {
            self.entities.remove(&line.entity);
        }
        self.lines.push(line);
    }

    /// The lines that undo the last change of this user, and their number of superseded marks. A
    /// mark that another user has changed since is not changed back: that would undo the change of
    /// the other user.
    pub(super) fn undo_lines(&self, author: &MarkAuthor) -> (Vec<MarkLine>, usize) {
        let undone: HashSet<u64> = self.lines.iter().filter_map(|line| line.undoes).collect();
        let is_open = |line: &&MarkLine| {
            line.batch > 0 && line.undoes.is_none() && line.by == author.user && !undone.contains(&line.batch)
        };
        let batches: BTreeSet<u64> = self.lines.iter().filter(is_open).map(|line| line.batch).collect();
        self.undo_batches(batches.into_iter().rev(), author)
    }

    /// The lines that undo this change, and the number of its superseded marks.
    pub(super) fn undo_batch_lines(&self, batch: u64, author: &MarkAuthor) -> (Vec<MarkLine>, usize) {
        self.undo_batches([batch].into_iter().filter(|batch| *batch > 0), author)
    }

    /// The lines that undo the first of these changes that is in effect.
    fn undo_batches(&self, batches: impl Iterator<Item = u64>, author: &MarkAuthor) -> (Vec<MarkLine>, usize) {
        let next = self.next_batch();
        for batch in batches {
            let (last, superseded): (Vec<&MarkLine>, Vec<_>) =
                self.lines.iter().filter(|line| line.batch == batch).partition(|line| self.is_in_effect(line));
            if !last.is_empty() {
                return (last.into_iter().map(|line| line.reverse(next, author)).collect(), superseded.len());
            }
        }
        (Vec::new(), 0)
    }

    /// Whether a line is the last change of its entity.
    fn is_in_effect(&self, line: &MarkLine) -> bool {
        let last = self.entities.get(&line.entity).and_then(|changes| changes.last());
        last.is_some_and(|change| change.batch == line.batch)
    }

    /// One line for each marked entity: the state without its history.
    pub(super) fn compacted(&self) -> Vec<MarkLine> {
        let line = |(entity, MarkRecord { mark, author }): (&str, &MarkRecord)| MarkLine {
            entity: entity.to_owned(),
            mark: Some(*mark),
            previous: None::<MarkKind>,
            batch: 0,
            undoes: None,
            filter: None,
            by: author.user.clone(),
            at_ms: author.at_ms,
        };
        self.iter().map(line).collect()
    }
}
