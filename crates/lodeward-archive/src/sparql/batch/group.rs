//! `GROUP BY` with `COUNT`.

use std::collections::HashSet;

use foldhash::fast::FixedState;
use oxrdf::Literal;

use super::keys::RowNumbers;
use super::rows::RowBatch;
use super::{BatchFailure, BatchResult};
use crate::term::TermId;

/// The groups and counts of a query.
#[derive(Debug)]
pub(super) struct GroupStep {
    pub(super) keys: Vec<usize>,
    pub(super) counts: Vec<CountStep>,
}

/// A `COUNT`.
#[derive(Debug)]
pub(super) struct CountStep {
    /// The cell of the result.
    pub(super) result: usize,
    /// The cell whose values are counted; `None` for `COUNT(*)`.
    pub(super) value: Option<usize>,
    pub(super) is_distinct: bool,
}

/// The groups so far.
pub(super) struct RowGroups<'a> {
    step: &'a GroupStep,
    numbers: RowNumbers,
    /// The values of the keys, and the counts, of one group after the other.
    keys: Vec<u64>,
    counts: Vec<u64>,
    /// The distinct values of each count, with the number of their group.
    seen: Vec<HashSet<(usize, u64), FixedState>>,
}

impl<'a> RowGroups<'a> {
    pub(super) fn new(step: &'a GroupStep) -> Self {
        let seen = step.counts.iter().map(|_| HashSet::default()).collect();
        let mut groups = Self { step, numbers: RowNumbers::default(), keys: Vec::new(), counts: Vec::new(), seen };
        if step.keys.is_empty() {
            // Without keys, there is one group, even without rows.
            groups.group(&[]);
        }
        groups
    }

    fn group(&mut self, key: &[u64]) -> usize {
        let (group, is_new) = self.numbers.number(key);
        if is_new {
            self.keys.extend_from_slice(key);
            self.counts.extend(self.step.counts.iter().map(|_| 0));
        }
        group
    }

    pub(super) fn add(&mut self, rows: &RowBatch) {
        let step = self.step;
        let mut key = vec![0; step.keys.len()];
        for row in rows.rows() {
            for (id, cell) in key.iter_mut().zip(&step.keys) {
                *id = row[*cell];
            }
            let group = self.group(&key);
            let counts = &mut self.counts[group * step.counts.len()..];
            for ((count, sum), seen) in step.counts.iter().zip(counts).zip(&mut self.seen) {
                let value = count.value.map_or(1, |cell| row[cell]);
                if value != 0 && (!count.is_distinct || seen.insert((group, value))) {
                    *sum += 1;
                }
            }
        }
    }

    /// One row for each group.
    pub(super) fn finish(self, width: usize) -> BatchResult<RowBatch> {
        let GroupStep { keys, counts } = self.step;
        let mut rows = RowBatch::new(width);
        let empty = vec![0; width];
        let groups = if keys.is_empty() { 1 } else { self.keys.len() / keys.len() };
        for group in 0..groups {
            let mut is_supported = true;
            rows.push_with(&empty, |row| {
                for (cell, id) in keys.iter().zip(&self.keys[group * keys.len()..]) {
                    row[*cell] = *id;
                }
                for (count, sum) in counts.iter().zip(&self.counts[group * counts.len()..]) {
                    let id = i64::try_from(*sum).ok().and_then(|sum| TermId::try_inline((&Literal::from(sum)).into()));
                    is_supported &= id.is_some();
                    row[count.result] = id.map_or(0, |id| id.0);
                }
                true
            });
            if !is_supported {
                return Err(BatchFailure::Unsupported);
            }
        }
        Ok(rows)
    }
}
