//! A bounded cache that evicts entries not used recently.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Values by fingerprint, up to a maximum number.
///
/// There are two generations. New and recently used entries are in the young one. When the young
/// generation reaches half of the maximum size, it becomes the old one, and the previous old one is
/// dropped. So recently used entries stay, and eviction needs no search.
#[derive(Clone, Debug)]
pub(crate) struct GenerationalCache<V> {
    max_young: usize,
    young: HashMap<u64, V, FixedState>,
    old: HashMap<u64, V, FixedState>,
}

impl<V> GenerationalCache<V> {
    /// Creates a cache of at most `max` values.
    #[must_use]
    pub(crate) fn new(max: usize) -> Self {
        Self { max_young: (max / 2).max(1), young: HashMap::default(), old: HashMap::default() }
    }

    /// Number of values.
    #[must_use]
    pub(crate) fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Returns a value without marking it as used.
    #[must_use]
    pub(crate) fn peek(&self, key: u64) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    /// Returns a value and moves it to the young generation.
    pub(crate) fn get(&mut self, key: u64) -> Option<&V> {
        if let Some(value) = self.old.remove(&key) {
            self.put(key, value);
        }
        self.young.get(&key)
    }

    /// Returns a value for modification; inserts the default if there is none.
    pub(crate) fn entry(&mut self, key: u64) -> &mut V
    where
        V: Default,
    {
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            self.put(key, value);
        }
        self.young.entry(key).or_default()
    }

    /// Inserts a value.
    pub(crate) fn put(&mut self, key: u64, value: V) {
        if self.young.len() >= self.max_young && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    /// Removes and returns a value.
    pub(crate) fn remove(&mut self, key: u64) -> Option<V> {
        self.young.remove(&key).or_else(|| self.old.remove(&key))
    }

    /// All entries in the order of their keys, so that equal content gives equal bytes.
    #[must_use]
    pub(crate) fn sorted(&self) -> Vec<(u64, &V)> {
        let mut all: Vec<_> = self.old.iter().chain(&self.young).map(|(key, value)| (*key, value)).collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }
}

impl<V: Serialize + DeserializeOwned> GenerationalCache<V> {
    /// Encodes all entries.
    #[must_use]
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.sorted()).expect("serialisation to memory does not fail")
    }

    /// Decodes the result of [`GenerationalCache::to_bytes`]; drops entries above `max`.
    pub(crate) fn from_bytes(max: usize, bytes: &[u8]) -> Result<Self, postcard::Error> {
        let all: Vec<(u64, V)> = postcard::from_bytes(bytes)?;
        let mut cache = Self::new(max);
        for (key, value) in all {
            cache.put(key, value);
        }
        Ok(cache)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_entries_stay_and_others_are_evicted() {
        let mut cache = GenerationalCache::new(8);

        for key in 0..100 {
            *cache.entry(key) += 1_u32;
            assert!(cache.get(0).is_some(), "after {key}");
            assert!(cache.len() <= 8, "after {key}");
        }

        assert_eq!(cache.peek(1), None);
        assert_eq!(cache.peek(99), Some(&1));
    }

    #[test]
    fn an_entry_keeps_its_value_between_generations() {
        let mut cache = GenerationalCache::new(4);
        *cache.entry(1) = 7_u32;
        cache.put(2, 0);

        cache.put(3, 0);
        *cache.entry(1) += 1;

        assert_eq!(cache.peek(1), Some(&8));
        assert_eq!(cache.sorted().iter().filter(|(key, _)| *key == 1).count(), 1);
    }

    #[test]
    fn encoded_entries_are_decoded() {
        let mut cache = GenerationalCache::new(16);
        for key in [9, 3, 5] {
            *cache.entry(key) = u32::try_from(key).unwrap();
        }

        let again = GenerationalCache::<u32>::from_bytes(16, &cache.to_bytes()).unwrap();

        assert_eq!(again.sorted(), cache.sorted());
        assert_eq!(GenerationalCache::<u32>::from_bytes(2, &cache.to_bytes()).unwrap().len(), 2);
    }
}
