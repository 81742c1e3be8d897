//! What features are called: an optional way back from numbers to words.
//!
//! Hashing needs no dictionary, and so cannot tell what a weight is about. This
//! is a small sketch of one: the words of those features that are met most.
//! Most features of a crawl are paths that are met once, so a name is kept only
//! when its feature is met for the second time. When there are as many names as
//! may be, the bar is doubled, and the names below it are forgotten; they come
//! back if their features are met that often after all. Which names are kept
//! follows from the order of features alone, never from chance.
//!
//! Two features with the same number share a weight and a name: that of the one
//! which reached the bar. A name is therefore a hint at what a weight is about.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

use super::hash::FeatureHasher;

/// How often a feature is met before its name is kept, at first.
const BAR_MIN: u8 = 2;
/// The highest bar. When even that lets too many names in, no more are kept.
const BAR_MAX: u8 = 128;
/// The longest name; longer ones are cut.
const NAME_BYTES_MAX: usize = 160;

/// The words of features by their number, as many as may be.
#[derive(Clone, Debug)]
pub struct Names {
    len_max: usize,
    /// How often each number was met, up to 255. Empty if no names are kept.
    met: Vec<u8>,
    bar: u8,
    words: HashMap<u32, Box<str>, FixedState>,
}

/// Names as they are kept with a model, in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptNames(Vec<KeptName>);

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct KeptName {
    number: u32,
    met: u8,
    words: Box<str>,
}

impl Names {
    /// Remembers at most `names_max` names of features below 2 to the power of
    /// `bits`. With 0 it remembers nothing and costs nothing.
    #[must_use]
    pub fn new(bits: u8, names_max: usize) -> Self {
        let met = if names_max == 0 { Vec::new() } else { vec![0; 1 << bits] };
        Self { len_max: names_max, met, bar: BAR_MIN, words: HashMap::default() }
    }

    /// The number of a feature, whose name is remembered if it is due.
    pub fn number(&mut self, hasher: &mut FeatureHasher, field: &str, parts: &[&str]) -> u32 {
        let number = hasher.number(field, parts);
        if self.meets(number) {
            self.keep(number, hasher.last_words());
        }
        number
    }

    /// Notes that a feature was met. Returns whether its name is now due: then
    /// [`Self::keep`] is to be told.
    #[inline]
    #[must_use]
    pub fn meets(&mut self, number: u32) -> bool {
        match self.met.get_mut(number as usize) {
            Some(met) => {
                *met = met.saturating_add(1);
                *met == self.bar
            }
            None => false,
        }
    }

    /// Remembers a name.
    pub fn keep(&mut self, number: u32, words: &str) {
        if self.words.len() >= self.len_max && !self.make_room(number) {
            return;
        }
        self.words.entry(number).or_insert_with(|| cut(words).into());
    }

    /// What a feature is called, if that is remembered.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&str> {
        self.words.get(&number).map(AsRef::as_ref)
    }

    /// Raises the bar until there is room. Returns whether somebody with this
    /// number is still welcome.
    fn make_room(&mut self, number: u32) -> bool {
        while self.words.len() >= self.len_max && self.bar < BAR_MAX {
            self.bar *= 2;
            let (met, bar) = (&self.met, self.bar);
            self.words.retain(|number, _| met[*number as usize] >= bar);
        }
        let met = self.met.get(number as usize).copied().unwrap_or(0);
        self.words.len() < self.len_max && met >= self.bar
    }

    /// The names, to be kept.
    #[must_use]
    pub fn to_kept(&self) -> KeptNames {
        let met = |number: u32| self.met.get(number as usize).copied().unwrap_or(0);
        let named = self.words.iter();
        let named = named.map(|(&number, words)| KeptName { number, met: met(number), words: words.clone() });
        let mut names: Vec<KeptName> = named.collect();
        names.sort_unstable_by_key(|name| name.number);
        KeptNames(names)
    }

    /// Takes in names that were kept; those that are there already stay as they
    /// are. Names of numbers that the model does not have are passed over.
    pub fn recall(&mut self, kept: &KeptNames) {
        for name in &kept.0 {
            let Some(met) = self.met.get_mut(name.number as usize) else { continue };
            *met = met.saturating_add(name.met).max(self.bar);
            self.keep(name.number, &name.words);
        }
    }
}

impl KeptNames {
    /// Every number with its words, in the order of the numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str)> {
        self.0.iter().map(|name| (name.number, name.words.as_ref()))
    }

    /// Only the names of some numbers.
    #[must_use]
    pub fn retain(mut self, is_wanted: impl Fn(u32) -> bool) -> Self {
        self.0.retain(|name| is_wanted(name.number));
        self
    }

    /// What a feature is called, if that is remembered.
    #[must_use]
    pub fn get(&self, number: u32) -> Option<&str> {
        let index = self.0.binary_search_by_key(&number, |name| name.number).ok()?;
        Some(&self.0[index].words)
    }

    /// The names of both; where they differ, ours.
    #[must_use]
    pub fn joined(self, others: Self) -> Self {
        let mut all = self.0;
        all.extend(others.0);
        // Stable: of two with the same number, ours stays in front.
        all.sort_by_key(|name| name.number);
        all.dedup_by_key(|name| name.number);
        Self(all)
    }
}

fn cut(words: &str) -> &str {
    &words[..words.floor_char_boundary(NAME_BYTES_MAX)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meet(names: &mut Names, number: u32, times: usize) {
        for _ in 0..times {
            if names.meets(number) {
                names.keep(number, &format!("feature {number}"));
            }
        }
    }

    #[test]
    fn what_is_met_twice_has_a_name() {
        let mut names = Names::new(10, 100);

        meet(&mut names, 1, 1);
        meet(&mut names, 2, 2);

        assert_eq!(names.get(1), None);
        assert_eq!(names.get(2), Some("feature 2"));
    }

    #[test]
    fn when_it_is_full_those_stay_that_are_met_most() {
        let mut names = Names::new(10, 8);
        meet(&mut names, 1000, 50);
        meet(&mut names, 1001, 5);

        for number in 0..100 {
            meet(&mut names, number, 3);
        }

        assert_eq!(names.get(1000), Some("feature 1000"));
        assert_eq!(names.get(1001), Some("feature 1001"));
        assert_eq!(names.get(0), None);
        assert!(names.words.len() <= 8);
    }

    #[test]
    fn however_many_there_are_the_bound_holds() {
        let mut names = Names::new(10, 8);

        for number in 0..1_000 {
            meet(&mut names, number, 300);
        }

        assert_eq!(names.words.len(), 8);
    }

    #[test]
    fn without_room_nothing_is_remembered() {
        let mut names = Names::new(10, 0);
        let mut hasher = FeatureHasher::new(10);

        for _ in 0..10 {
            let number = names.number(&mut hasher, "t.host", &["a.example"]);
            assert_eq!(names.get(number), None);
        }
    }

    #[test]
    fn names_are_the_same_after_they_were_kept() {
        let mut names = Names::new(10, 100);
        let mut hasher = FeatureHasher::new(10);
        let number = names.number(&mut hasher, "t.host", &["a.example"]);
        names.number(&mut hasher, "t.host", &["a.example"]);
        let bytes = postcard::to_stdvec(&names.to_kept()).unwrap();

        let kept: KeptNames = postcard::from_bytes(&bytes).unwrap();
        let mut recalled = Names::new(10, 100);
        recalled.recall(&kept);

        assert_eq!(recalled.get(number), Some("t.host=a.example"));
        assert_eq!(kept.get(number), Some("t.host=a.example"));
        assert_eq!(recalled.to_kept(), kept);
    }

    #[test]
    fn a_long_name_is_cut_between_characters() {
        let mut names = Names::new(10, 100);

        names.keep(7, &"ü".repeat(200));

        assert_eq!(names.get(7).unwrap(), "ü".repeat(80));
    }
}
