//! A memory that is bounded, and forgets what nobody asks about.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Values by fingerprint, of which at most a given number is kept.
///
/// There are two generations. What is new or asked for is among the young; when
/// those are half of what may be kept, they become the old, and the old before
/// them are forgotten. So whatever was used lately stays, and nothing has to be
/// searched for the oldest.
#[derive(Clone, Debug)]
pub struct Generations<V> {
    young_max: usize,
    young: HashMap<u64, V, FixedState>,
    old: HashMap<u64, V, FixedState>,
}

impl<V> Generations<V> {
    /// A memory of at most this many values.
    #[must_use]
    pub fn new(max: usize) -> Self {
        Self { young_max: (max / 2).max(1), young: HashMap::default(), old: HashMap::default() }
    }

    /// How many values there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.young.len() + self.old.len()
    }

    /// Whether there is no value at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.young.is_empty() && self.old.is_empty()
    }

    /// A value, without noting that it was asked for.
    #[must_use]
    pub fn peek(&self, key: u64) -> Option<&V> {
        self.young.get(&key).or_else(|| self.old.get(&key))
    }

    /// A value, which is young again.
    pub fn get(&mut self, key: u64) -> Option<&V> {
        if let Some(value) = self.old.remove(&key) {
            self.put(key, value);
        }
        self.young.get(&key)
    }

    /// A value, to be changed; a new one if there is none.
    pub fn entry(&mut self, key: u64) -> &mut V
    where
        V: Default,
    {
        if !self.young.contains_key(&key) {
            let value = self.old.remove(&key).unwrap_or_default();
            self.put(key, value);
        }
        self.young.entry(key).or_default()
    }

    /// Keeps a value.
    pub fn put(&mut self, key: u64, value: V) {
        if self.young.len() >= self.young_max && !self.young.contains_key(&key) {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    /// Forgets a value, and tells what it was.
    pub fn remove(&mut self, key: u64) -> Option<V> {
        self.young.remove(&key).or_else(|| self.old.remove(&key))
    }

    /// Everything, in the order of the keys: the same content gives the same
    /// bytes.
    #[must_use]
    pub fn sorted(&self) -> Vec<(u64, &V)> {
        let mut all: Vec<_> = self.old.iter().chain(&self.young).map(|(key, value)| (*key, value)).collect();
        all.sort_unstable_by_key(|(key, _)| *key);
        all
    }
}

impl<V: Serialize + DeserializeOwned> Generations<V> {
    /// Everything, as bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        postcard::to_stdvec(&self.sorted()).expect("numbers can be written")
    }

    /// What [`Generations::to_bytes`] wrote; the rest is dropped if there is
    /// more than may be kept.
    pub fn from_bytes(max: usize, bytes: &[u8]) -> Result<Self, postcard::Error> {
        let all: Vec<(u64, V)> = postcard::from_bytes(bytes)?;
        let mut memory = Self::new(max);
        for (key, value) in all {
            memory.put(key, value);
        }
        Ok(memory)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_what_is_not_is_forgotten() {
        let mut memory = Generations::new(8);

        for key in 0..100 {
            *memory.entry(key) += 1_u32;
            assert!(memory.get(0).is_some(), "after {key}");
            assert!(memory.len() <= 8, "after {key}");
        }

        assert_eq!(memory.peek(1), None);
        assert_eq!(memory.peek(99), Some(&1));
    }

    #[test]
    fn a_value_that_grows_old_keeps_what_it_was() {
        let mut memory = Generations::new(4);
        *memory.entry(1) = 7_u32;
        memory.put(2, 0);

        memory.put(3, 0);
        *memory.entry(1) += 1;

        assert_eq!(memory.peek(1), Some(&8));
        assert_eq!(memory.sorted().iter().filter(|(key, _)| *key == 1).count(), 1);
    }

    #[test]
    fn bytes_bring_back_what_they_were_made_of() {
        let mut memory = Generations::new(16);
        for key in [9, 3, 5] {
            *memory.entry(key) = u32::try_from(key).unwrap();
        }

        let again = Generations::<u32>::from_bytes(16, &memory.to_bytes()).unwrap();

        assert_eq!(again.sorted(), memory.sorted());
        assert_eq!(Generations::<u32>::from_bytes(2, &memory.to_bytes()).unwrap().len(), 2);
    }
}
