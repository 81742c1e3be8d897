//! Names of features: an optional mapping from hashed numbers back to text.
//!
//! Features are hashed without a dictionary, so the text of a feature cannot be recovered from its
//! number. This module stores the texts of the most frequent features. Most features of a crawl are
//! paths that occur once, so a name is stored only when its feature occurs for the second time.
//! When the maximum number of names is reached, the threshold is doubled and the names of features
//! below it are dropped. The stored names depend only on the order of features, not on randomness.
//!
//! Two features with the same number share a weight and a name, which is that of the first to reach
//! the threshold. So the name of a number is not certain.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::feature_hash::FeatureHasher;

/// Initial number of occurrences at which a name is stored.
const INITIAL_THRESHOLD: u8 = 2;
/// Maximum threshold. At this threshold, new names are not stored if there is no space for them.
const MAX_THRESHOLD: u8 = 128;
/// Maximum length of a name in bytes; longer names are truncated.
const MAX_NAME_BYTES: usize = 160;

/// The texts of features by number, up to a maximum number of texts.
#[derive(Clone, Debug)]
pub(crate) struct FeatureNames {
    len_max: usize,
    /// Number of occurrences of each feature, at most 255. Empty if no names are stored.
    occurrences: Vec<u8>,
    threshold: u8,
    text: HashMap<u32, Box<str>, FixedState>,
}

/// Names as stored with a model, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredFeatureNames(Vec<StoredFeatureName>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct StoredFeatureName {
    number: u32,
    occurrences: u8,
    text: Box<str>,
}

impl FeatureNames {
    /// Creates a collection of at most `names_max` names of features below 2 to the power of
    /// `bits`. If `names_max` is 0, it stores nothing and uses no memory.
    #[must_use]
    pub(crate) fn new(bits: u8, names_max: usize) -> Self {
        let occurrences = if names_max == 0 { Vec::new() } else { vec![0; 1 << bits] };
        Self { len_max: names_max, occurrences, threshold: INITIAL_THRESHOLD, text: HashMap::default() }
    }

    /// Returns the number of a feature. Stores its name when it reaches the threshold.
    pub(crate) fn feature_index(&mut self, hasher: &mut FeatureHasher, field: &str, parts: &[&str]) -> u32 {
        let feature_index = hasher.feature_index(field, parts);
        if self.record_occurrence(feature_index) {
            self.insert(feature_index, hasher.last_feature_text());
        }
        feature_index
    }

    /// Counts an occurrence of a feature. Returns whether it has reached the threshold, so that its
    /// name should be stored with [`Self::insert`].
    #[inline]
    #[must_use]
    pub(crate) fn record_occurrence(&mut self, number: u32) -> bool {
        match self.occurrences.get_mut(number as usize) {
            Some(occurrences) => {
                *occurrences = occurrences.saturating_add(1);
                *occurrences == self.threshold
            }
            None => false,
        }
    }

    /// Stores a name.
    pub(crate) fn insert(&mut self, number: u32, text: &str) {
        if self.text.len() >= self.len_max && !self.raise_threshold(number) {
            return;
        }
        self.text.entry(number).or_insert_with(|| truncate_name(text).into());
    }

    /// The name of a feature, if it is stored.
    #[must_use]
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        self.text.get(&number).map(AsRef::as_ref)
    }

    /// Raises the threshold until there is space. Returns whether the feature still reaches the
    /// threshold.
    fn raise_threshold(&mut self, number: u32) -> bool {
        while self.text.len() >= self.len_max && self.threshold < MAX_THRESHOLD {
            self.threshold *= 2;
            let (occurrences, threshold) = (&self.occurrences, self.threshold);
            self.text.retain(|number, _| occurrences[*number as usize] >= threshold);
        }
        let occurrences = self.occurrences.get(number as usize).copied().unwrap_or(0);
        self.text.len() < self.len_max && occurrences >= self.threshold
    }

    /// The names in their stored form.
    #[must_use]
    pub(crate) fn to_stored(&self) -> StoredFeatureNames {
        let occurrences = |number: u32| self.occurrences.get(number as usize).copied().unwrap_or(0);
        let named = self.text.iter();
        let named = named.map(|(&number, text)| StoredFeatureName {
            number,
            occurrences: occurrences(number),
            text: text.clone(),
        });
        let mut names: Vec<StoredFeatureName> = named.collect();
        names.sort_unstable_by_key(|name| name.number);
        StoredFeatureNames(names)
    }

    /// Adds stored names; existing names stay. Names of numbers outside the model are ignored.
    pub(crate) fn restore(&mut self, stored: &StoredFeatureNames) {
        for name in &stored.0 {
            let Some(occurrences) = self.occurrences.get_mut(name.number as usize) else { continue };
            *occurrences = occurrences.saturating_add(name.occurrences).max(self.threshold);
            self.insert(name.number, &name.text);
        }
    }
}

impl StoredFeatureNames {
    /// All numbers with their names, in the order of numbers.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.iter().map(|name| (name.number, name.text.as_ref()))
    }

    /// Keeps only the names of some numbers.
    #[must_use]
    pub(crate) fn retain(mut self, is_kept: impl Fn(u32) -> bool) -> Self {
        self.0.retain(|name| is_kept(name.number));
        self
    }

    /// The name of a feature, if it is stored.
    #[must_use]
    pub(crate) fn get(&self, number: u32) -> Option<&str> {
        let index = self.0.binary_search_by_key(&number, |name| name.number).ok()?;
        Some(&self.0[index].text)
    }

    /// Returns the union of the names. If both have a name for a number, the one in `self` is used.
    #[must_use]
    pub(crate) fn merge(self, others: Self) -> Self {
        let mut all = self.0;
        all.extend(others.0);
        // The sort is stable, so of two names with the same number, the one in `self` comes first.
        all.sort_by_key(|name| name.number);
        all.dedup_by_key(|name| name.number);
        Self(all)
    }
}

fn truncate_name(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_NAME_BYTES)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(names: &mut FeatureNames, number: u32, times: usize) {
        for _ in 0..times {
            if names.record_occurrence(number) {
                names.insert(number, &format!("feature {number}"));
            }
        }
    }

    #[test]
    fn a_feature_that_occurs_twice_has_a_name() {
        let mut names = FeatureNames::new(10, 100);

        record(&mut names, 1, 1);
        record(&mut names, 2, 2);

        assert_eq!(names.get(1), None);
        assert_eq!(names.get(2), Some("feature 2"));
    }

    #[test]
    fn the_most_frequent_features_keep_their_names() {
        let mut names = FeatureNames::new(10, 8);
        record(&mut names, 1000, 50);
        record(&mut names, 1001, 5);

        for number in 0..100 {
            record(&mut names, number, 3);
        }

        assert_eq!(names.get(1000), Some("feature 1000"));
        assert_eq!(names.get(1001), Some("feature 1001"));
        assert_eq!(names.get(0), None);
        assert!(names.text.len() <= 8);
    }

    #[test]
    fn the_number_of_names_is_bounded() {
        let mut names = FeatureNames::new(10, 8);

        for number in 0..1_000 {
            record(&mut names, number, 300);
        }

        assert_eq!(names.text.len(), 8);
    }

    #[test]
    fn with_a_limit_of_zero_no_name_is_stored() {
        let mut names = FeatureNames::new(10, 0);
        let mut hasher = FeatureHasher::new(10);

        for _ in 0..10 {
            let number = names.feature_index(&mut hasher, "t.host", &["a.example"]);
            assert_eq!(names.get(number), None);
        }
    }

    #[test]
    fn stored_names_are_restored() {
        let mut names = FeatureNames::new(10, 100);
        let mut hasher = FeatureHasher::new(10);
        let number = names.feature_index(&mut hasher, "t.host", &["a.example"]);
        names.feature_index(&mut hasher, "t.host", &["a.example"]);
        let bytes = postcard::to_stdvec(&names.to_stored()).unwrap();

        let stored: StoredFeatureNames = postcard::from_bytes(&bytes).unwrap();
        let mut restored = FeatureNames::new(10, 100);
        restored.restore(&stored);

        assert_eq!(restored.get(number), Some("t.host=a.example"));
        assert_eq!(stored.get(number), Some("t.host=a.example"));
        assert_eq!(restored.to_stored(), stored);
    }

    #[test]
    fn a_long_name_is_truncated_between_characters() {
        let mut names = FeatureNames::new(10, 100);

        names.insert(7, &"ü".repeat(200));

        assert_eq!(names.get(7).unwrap(), "ü".repeat(80));
    }
}
