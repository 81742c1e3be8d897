//! A map that keeps recently used values, in bounded memory.

use std::borrow::Borrow;
use std::hash::Hash;

use foldhash::HashMap;

/// Values by key. There are two generations: when the younger one is full, it becomes the older one,
/// whose values are forgotten unless they were used since.
#[derive(Clone, Debug)]
pub struct RecentMap<K, V> {
    capacity: usize,
    young: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K: Eq + Hash, V> RecentMap<K, V> {
    /// A map of at most twice this number of values.
    #[must_use]
    pub fn new(capacity: usize) -> Self {
        Self { capacity, young: HashMap::default(), old: HashMap::default() }
    }

    /// The value of a key.
    pub fn get<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        if !self.young.contains_key(key) {
            let (key, value) = self.old.remove_entry(key)?;
            self.insert(key, value);
        }
        self.young.get(key)
    }

    /// Stores a value.
    pub fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.capacity {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(key, value);
    }

    /// Removes the value of a key.
    pub fn remove<Q: Eq + Hash + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let old = self.old.remove(key);
        self.young.remove(key).or(old)
    }
}

#[cfg(test)]
mod tests {
    use super::RecentMap;

    #[test]
    fn recently_used_values_are_kept_and_others_forgotten() {
        let mut map = RecentMap::new(10);
        map.insert(0, "used");
        for key in 1..200 {
            map.insert(key, "new");
            assert_eq!(map.get(&0), Some(&"used"));
            assert!(map.young.len() + map.old.len() <= 20);
        }
        assert_eq!(map.get(&1), None);
        assert_eq!((map.remove(&199), map.get(&199)), (Some("new"), None));
    }
}
