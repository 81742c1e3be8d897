//! A small memory of what was looked at lately.

/// Remembers values by number. Each number has one place, which it shares with
/// others; whoever comes last has it.
pub(crate) struct Shelf<T> {
    places: Vec<Option<(u64, T)>>,
    capacity: usize,
}

impl<T> Shelf<T> {
    /// Takes no memory before the first value.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { places: Vec::new(), capacity }
    }

    fn place(&self, number: u64) -> usize {
        usize::try_from(number % self.capacity as u64).unwrap_or(0)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        match self.places.get(self.place(number))? {
            Some((kept, value)) if *kept == number => Some(value),
            _ => None,
        }
    }

    pub(crate) fn put(&mut self, number: u64, value: T) {
        if self.places.is_empty() {
            self.places.resize_with(self.capacity, || None);
        }
        let place = self.place(number);
        self.places[place] = Some((number, value));
    }
}

#[cfg(test)]
mod tests {
    use super::Shelf;

    #[test]
    fn the_last_one_has_the_place() {
        let mut shelf = Shelf::new(4);
        assert_eq!(shelf.get(1), None);
        shelf.put(1, "one");
        shelf.put(2, "two");
        shelf.put(5, "five");
        assert_eq!((shelf.get(1), shelf.get(2), shelf.get(5)), (None, Some(&"two"), Some(&"five")));
    }
}
