//! Numbering of rows by some of their values.

use foldhash::HashMap;

/// Numbers lists of ids, from 0 on, in the order in which they first occur.
#[derive(Default)]
pub(super) struct RowNumbers {
    /// Lists of up to two ids.
    short: HashMap<u128, usize>,
    long: HashMap<Box<[u64]>, usize>,
}

impl RowNumbers {
    /// The number of the list, and whether it is new. All lists must have the same length.
    pub(super) fn number(&mut self, ids: &[u64]) -> (usize, bool) {
        let next = self.short.len() + self.long.len();
        let number = match *ids {
            [] => *self.short.entry(0).or_insert(next),
            [one] => *self.short.entry(one.into()).or_insert(next),
            [one, other] => *self.short.entry(u128::from(one) << 64 | u128::from(other)).or_insert(next),
            _ => match self.long.get(ids) {
                Some(number) => *number,
                None => *self.long.entry(ids.into()).or_insert(next),
            },
        };
        (number, number == next)
    }
}
