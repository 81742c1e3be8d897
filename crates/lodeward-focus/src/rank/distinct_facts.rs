//! A list of facts without duplicates, with a maximum length.

/// Facts as tuples of numbers. [`dedup`](Self::dedup) removes duplicates; facts added after it may
/// occur twice.
#[derive(Clone, Debug)]
pub(super) struct DistinctFacts<const N: usize> {
    all: Vec<[u32; N]>,
    /// Number of facts at the beginning that are sorted and distinct.
    sorted_len: usize,
    max: usize,
}

impl<const N: usize> DistinctFacts<N> {
    /// Creates an empty list with at most `max` facts.
    pub(super) fn new(max: usize) -> Self {
        Self { all: Vec::new(), sorted_len: 0, max }
    }

    /// Adds a fact. Returns `false` if it was omitted because the list is full.
    pub(super) fn push(&mut self, fact: [u32; N]) -> bool {
        // Sorting is slow. A full list is therefore deduplicated only if at least a sixteenth of its
        // facts are new, even if a document repeats the same fact many times.
        let is_worth_it = self.all.len() - self.sorted_len >= (self.max / 16).max(1);
        if self.all.len() >= self.max && is_worth_it {
            self.dedup();
        }
        if self.all.len() >= self.max {
            return self.all[..self.sorted_len].binary_search(&fact).is_ok();
        }
        self.all.push(fact);
        true
    }

    /// Sorts the facts and removes duplicates.
    pub(super) fn dedup(&mut self) {
        if self.all.len() > self.sorted_len {
            self.all.sort_unstable();
            self.all.dedup();
        }
        self.sorted_len = self.all.len();
    }

    /// All facts, including duplicates added since the last [`dedup`](Self::dedup).
    pub(super) fn as_slice(&self) -> &[[u32; N]] {
        &self.all
    }

    /// Number of facts, including duplicates.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_free_space_and_known_facts_are_not_omitted() {
        let mut facts = DistinctFacts::new(2);
        let check = |facts: &mut DistinctFacts<1>, fact, is_stored| assert_eq!(facts.push([fact]), is_stored, "{fact}");

        check(&mut facts, 7, true);
        check(&mut facts, 7, true);
        check(&mut facts, 3, true);
        check(&mut facts, 5, false);
        check(&mut facts, 3, true);
        check(&mut facts, 7, true);
        assert_eq!(facts.as_slice(), [[3], [7]]);
    }

    #[test]
    fn sorting_waits_for_enough_new_facts() {
        let mut facts = DistinctFacts::new(64);
        let mut sorted = 0;
        for number in 0..64 {
            facts.push([number]);
        }
        for number in 0..1_000 {
            let before = facts.sorted_len;
            facts.push([63 - number % 2]);
            facts.push([1_000 + number]);
            sorted += usize::from(facts.sorted_len != before);
        }
        assert_eq!((facts.len(), sorted), (64, 1));

        // Three entries are free: fewer than a sixteenth.
        let mut nearly: DistinctFacts<1> = DistinctFacts::new(64);
        (0..61).for_each(|number| assert!(nearly.push([number])));
        nearly.dedup();
        (0..3).for_each(|_| assert!(nearly.push([0])));
        assert!(!nearly.push([99]) && nearly.push([60]));
        assert_eq!((nearly.sorted_len, nearly.len()), (61, 64));
    }
}
