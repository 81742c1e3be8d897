//! Facts, of which there are not too many.

/// Facts as numbers, each once when [tidy](Self::tidy); of what comes in between
/// some may be there twice.
#[derive(Clone, Debug)]
pub(super) struct Distinct<const N: usize> {
    all: Vec<[u32; N]>,
    /// So many are sorted, and there once.
    tidied: usize,
    max: usize,
}

impl<const N: usize> Distinct<N> {
    /// None yet, and never more than so many.
    pub(super) fn new(max: usize) -> Self {
        Self { all: Vec::new(), tidied: 0, max }
    }

    /// Takes a fact. Tells whether it is here: if not, there was no room.
    pub(super) fn push(&mut self, fact: [u32; N]) -> bool {
        // Sorting costs time: it has to be worth it, whatever strangers repeat.
        let is_worth_it = self.all.len() - self.tidied >= (self.max / 16).max(1);
        if self.all.len() >= self.max && is_worth_it {
            self.tidy();
        }
        if self.all.len() >= self.max {
            return self.all[..self.tidied].binary_search(&fact).is_ok();
        }
        self.all.push(fact);
        true
    }

    /// Forgets doubles.
    pub(super) fn tidy(&mut self) {
        if self.all.len() > self.tidied {
            self.all.sort_unstable();
            self.all.dedup();
        }
        self.tidied = self.all.len();
    }

    /// All of them.
    pub(super) fn as_slice(&self) -> &[[u32; N]] {
        &self.all
    }

    /// How many there are, doubles among them.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_make_room_and_what_is_known_is_not_left_out() {
        let mut facts = Distinct::new(2);
        let check = |facts: &mut Distinct<1>, fact, is_here| assert_eq!(facts.push([fact]), is_here, "{fact}");

        check(&mut facts, 7, true);
        check(&mut facts, 7, true);
        check(&mut facts, 3, true);
        check(&mut facts, 5, false);
        check(&mut facts, 3, true);
        check(&mut facts, 7, true);
        assert_eq!(facts.as_slice(), [[3], [7]]);
    }

    #[test]
    fn sorting_waits_until_it_is_worth_it() {
        let mut facts = Distinct::new(64);
        let mut sorted = 0;
        for number in 0..64 {
            facts.push([number]);
        }
        for number in 0..1_000 {
            let before = facts.tidied;
            facts.push([63 - number % 2]);
            facts.push([1_000 + number]);
            sorted += usize::from(facts.tidied != before);
        }
        assert_eq!((facts.len(), sorted), (64, 1));

        // Three places are free, and three is less than a sixteenth.
        let mut nearly: Distinct<1> = Distinct::new(64);
        (0..61).for_each(|number| assert!(nearly.push([number])));
        nearly.tidy();
        (0..3).for_each(|_| assert!(nearly.push([0])));
        assert!(!nearly.push([99]) && nearly.push([60]));
        assert_eq!((nearly.tidied, nearly.len()), (61, 64));
    }
}
