//! A small direct-mapped cache.

/// Caches values by number. Numbers that map to the same slot replace each other.
pub(crate) struct DirectCache<T> {
    slots: Vec<Option<(u64, T)>>,
    capacity: usize,
}

impl<T> DirectCache<T> {
    /// Creates an empty cache. Memory is allocated when the first value is stored.
    pub(crate) fn new(capacity: usize) -> Self {
        Self { slots: Vec::new(), capacity }
    }

    pub(crate) fn capacity(&self) -> usize {
        self.capacity
    }

    fn slot(&self, number: u64) -> usize {
        usize::try_from(number % self.capacity as u64).unwrap_or(0)
    }

    pub(crate) fn get(&self, number: u64) -> Option<&T> {
        match self.slots.get(self.slot(number))? {
            Some((cached, value)) if *cached == number => Some(value),
            _ => None,
        }
    }

    pub(crate) fn put(&mut self, number: u64, value: T) {
        if self.slots.is_empty() {
            self.slots.resize_with(self.capacity, || None);
        }
        let slot = self.slot(number);
        self.slots[slot] = Some((number, value));
    }
}

#[cfg(test)]
mod tests {
    use super::DirectCache;

    #[test]
    fn the_last_value_of_a_slot_replaces_the_one_before() {
        let mut cache = DirectCache::new(4);
        assert_eq!(cache.get(1), None);
        cache.put(1, "one");
        cache.put(2, "two");
        cache.put(5, "five");
        assert_eq!((cache.get(1), cache.get(2), cache.get(5)), (None, Some(&"two"), Some(&"five")));
    }
}
