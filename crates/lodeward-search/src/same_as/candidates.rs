//! The targets that a source is compared with.

use std::cmp::Reverse;

use foldhash::{HashMap, HashMapExt};

use super::side::LinkSide;
use crate::numbers::real;

/// Maximum number of targets that share a name with a source.
const MAX_NAMESAKES: usize = 25;

/// Maximum number of targets that share words of the label only.
const MAX_ALIKE: usize = 8;

/// Minimum cosine of the words of two labels.
const MIN_COSINE: f64 = 0.6;

/// Maximum number of targets with a word that is used to find others.
const MAX_WORD_TARGETS: usize = 2_000;

/// Targets by name and by word of the label.
pub(super) struct TargetNames<'a> {
    targets: &'a LinkSide,
    forms: HashMap<u64, Vec<u32>>,
    words: HashMap<u64, Vec<u32>>,
}

impl<'a> TargetNames<'a> {
    pub(super) fn new(targets: &'a LinkSide) -> Self {
        let mut names = Self { targets, forms: HashMap::new(), words: HashMap::new() };
        for (place, entity) in (0_u32..).zip(&targets.entities) {
            entity.forms.iter().for_each(|form| names.forms.entry(*form).or_default().push(place));
            entity.label_words.iter().for_each(|word| names.words.entry(*word).or_default().push(place));
        }
        names
    }

    /// The targets with a name.
    pub(super) fn with_form(&self, form: u64) -> &[u32] {
        self.forms.get(&form).map_or(&[], Vec::as_slice)
    }

    /// Inverse document frequency of a word in the labels of the targets.
    pub(super) fn idf(&self, word: u64) -> f64 {
        let with = self.words.get(&word).map_or(0, Vec::len);
        (1.0 + real(self.targets.entities.len()) / (1.0 + real(with))).ln()
    }

    /// Cosine of the words of two labels, weighted by rarity.
    pub(super) fn label_cosine(&self, one: &[u64], other: &[u64]) -> f64 {
        let square = |words: &[u64]| words.iter().map(|word| self.idf(*word).powi(2)).sum::<f64>();
        let common = one.iter().filter(|word| other.binary_search(word).is_ok());
        let shared: f64 = common.map(|word| self.idf(*word).powi(2)).sum();
        let length = (square(one) * square(other)).sqrt();
        if length > 0.0 { shared / length } else { 0.0 }
    }

    /// Returns the targets that a source is compared with, sorted, of those that `is_comparable`.
    pub(super) fn candidates(&self, sources: &LinkSide, source: u32, is_comparable: impl Fn(u32) -> bool) -> Vec<u32> {
        let entity = sources.entity(source);
        let namesakes = entity.forms.iter().flat_map(|form| self.with_form(*form)).copied();
        let mut found: Vec<u32> = namesakes.filter(|target| is_comparable(*target)).collect();
        found.sort_unstable();
        found.dedup();
        found.sort_by_key(|target| Reverse(self.targets.entity(*target).degree));
        found.truncate(MAX_NAMESAKES);
        let alike = self.alike(&entity.label_words, &found, is_comparable);
        found.extend(alike);
        found.sort_unstable();
        found
    }

    /// Targets with similar labels, found by the two rarest words.
    fn alike(&self, label: &[u64], known: &[u32], is_comparable: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut rare: Vec<(usize, u64)> =
            label.iter().filter_map(|word| Some((self.words.get(word)?.len(), *word))).collect();
        rare.sort_unstable();
        let lists = rare.iter().take(2).filter(|(count, _)| *count <= MAX_WORD_TARGETS);
        let mut near: Vec<u32> = lists.flat_map(|(_, word)| &self.words[word]).copied().collect();
        near.sort_unstable();
        near.dedup();
        let cosine = |target: u32| self.label_cosine(label, &self.targets.entity(target).label_words);
        near.retain(|target| is_comparable(*target) && !known.contains(target));
        let scored = near.into_iter().map(|target| (cosine(target), target));
        let mut scored: Vec<(f64, u32)> = scored.filter(|(cosine, _)| *cosine >= MIN_COSINE).collect();
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        scored.into_iter().take(MAX_ALIKE).map(|(_, target)| target).collect()
    }
}
