//! The texts of entities: terms and labels.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};

use super::graph::{EntityId, WordId};
use super::terms::{TermVocabulary, Tokeniser};
use lodeward::select::facts::{EntityText, truncate_text};

/// Maximum number of bytes stored per label; the rest is ignored.
const MAX_LABEL_BYTES: usize = 1 << 10;

/// The terms and labels of entities.
///
/// Equal texts of an entity are counted once. Unless the limit is reached, the result does not
/// depend on the order of texts.
pub(super) struct EntityTexts {
    max: usize,
    tokeniser: Tokeniser,
    /// Terms of texts in preferred languages.
    vocabulary: TermVocabulary,
    /// Terms of texts in other languages, including terms of texts that were replaced.
    foreign_vocabulary: TermVocabulary,
    /// Entity and term, one for each occurrence.
    terms: Vec<[u32; 2]>,
    /// The best label of each entity so far.
    labels: HashMap<EntityId, EntityLabel, RandomState>,
    /// Texts in languages that are not preferred, of entities without other texts.
    foreign: HashMap<EntityId, ForeignText, RandomState>,
    /// Number of terms of the texts in `foreign`.
    foreign_terms: usize,
    has_text: HashSet<EntityId, RandomState>,
    known: HashSet<u64, RandomState>,
}

/// A label with its rank: the lowest is the best.
struct EntityLabel {
    rank: (u8, u8),
    text: Box<str>,
}

/// A text in another language.
struct ForeignText {
    /// Rank, language and digest of the text. The text with the lowest value is used, so the result
    /// does not depend on the order of texts.
    preference: (u8, Box<str>, u64),
    /// Terms of `foreign_vocabulary`.
    terms: Box<[WordId]>,
}

impl EntityTexts {
    /// Creates an empty collection with at most about `max` terms, replaced terms or texts.
    pub(super) fn new(max: usize, tokeniser: Tokeniser) -> Self {
        Self {
            max,
            tokeniser,
            vocabulary: TermVocabulary::default(),
            foreign_vocabulary: TermVocabulary::default(),
            terms: Vec::new(),
            labels: HashMap::default(),
            foreign: HashMap::default(),
            foreign_terms: 0,
            has_text: HashSet::default(),
            known: HashSet::default(),
        }
    }

    /// Adds a text. Returns `false` if it was omitted because the collection is full.
    pub(super) fn add(&mut self, entity: EntityId, text: &EntityText) -> bool {
        self.update_label(entity, text);
        if text.language_rank.is_some() { self.add_preferred(entity, text) } else { self.add_foreign(entity, text) }
    }

    fn update_label(&mut self, entity: EntityId, text: &EntityText) {
        let Some(label_rank) = text.label_rank else { return };
        let rank = (text.language_rank.unwrap_or(u8::MAX), label_rank);
        let text = truncate_text(&text.text, MAX_LABEL_BYTES);
        let known = self.labels.get(&entity);
        if known.is_none_or(|known| (rank, text) < (known.rank, &*known.text)) {
            self.labels.insert(entity, EntityLabel { rank, text: text.into() });
        }
    }

    fn add_preferred(&mut self, entity: EntityId, text: &EntityText) -> bool {
        let digest = FixedState::default().hash_one((entity, &text.text));
        if self.known.contains(&digest) {
            return true;
        }
        if self.is_full() {
            return false;
        }
        self.known.insert(digest);
        self.has_text.insert(entity);
        let replaced = self.foreign.remove(&entity);
        self.foreign_terms -= replaced.map_or(0, |foreign| foreign.terms.len());
        let Self { tokeniser, vocabulary, terms, .. } = self;
        tokeniser.for_each_term(&text.text, &text.language, |term| terms.push([entity, vocabulary.intern(term)]));
        true
    }

    fn add_foreign(&mut self, entity: EntityId, text: &EntityText) -> bool {
        let digest = FixedState::default().hash_one(&text.text);
        let preference = (text.label_rank.unwrap_or(u8::MAX), text.language.clone(), digest);
        let known = self.foreign.get(&entity);
        if self.has_text.contains(&entity) || known.is_some_and(|known| known.preference <= preference) {
            return true;
        }
        if self.is_full() {
            return false;
        }
        let Self { tokeniser, foreign_vocabulary: vocabulary, .. } = self;
        let mut terms = Vec::new();
        tokeniser.for_each_term(&text.text, &text.language, |term| terms.push(vocabulary.intern(term)));
        self.foreign_terms += terms.len();
        let replaced = self.foreign.insert(entity, ForeignText { preference, terms: terms.into() });
        self.foreign_terms -= replaced.map_or(0, |foreign| foreign.terms.len());
        true
    }

    fn is_full(&self) -> bool {
        [self.len(), self.foreign_vocabulary.len(), self.known.len()].iter().any(|count| *count >= self.max)
    }

    /// Number of terms of all entities, with repetitions.
    pub(super) fn len(&self) -> usize {
        self.terms.len() + self.foreign_terms
    }

    /// Entities and their terms, with repetitions; without entities that have texts in other
    /// languages only.
    pub(super) fn terms(&self) -> impl Iterator<Item = (EntityId, WordId)> {
        self.terms.iter().map(|&[entity, term]| (entity, term))
    }

    /// Entities that have texts in other languages only, in order, and their terms, which need not
    /// be in the vocabulary.
    pub(super) fn foreign_terms(&self) -> impl Iterator<Item = (EntityId, &str)> {
        let mut all: Vec<(EntityId, &[WordId])> =
            self.foreign.iter().map(|(entity, text)| (*entity, &*text.terms)).collect();
        all.sort_unstable_by_key(|(entity, _)| *entity);
        let term = |term: &WordId| self.foreign_vocabulary.term(*term);
        all.into_iter().flat_map(move |(entity, terms)| terms.iter().map(move |number| (entity, term(number))))
    }

    /// The best label of an entity.
    pub(super) fn label(&self, entity: EntityId) -> Option<&str> {
        self.labels.get(&entity).map(|label| &*label.text)
    }

    /// Terms of texts in preferred languages.
    pub(super) fn vocabulary(&self) -> &TermVocabulary {
        &self.vocabulary
    }

    /// A tokeniser with the same options.
    pub(super) fn tokeniser(&self) -> Tokeniser {
        self.tokeniser.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(language_rank: Option<u8>, language: &str, text: &str) -> EntityText {
        EntityText { entity: 0, label_rank: Some(0), language_rank, language: language.into(), text: text.into() }
    }

    /// The texts of an entity, and how many were omitted.
    fn collect_texts(max: usize, texts: &[EntityText]) -> (EntityTexts, u64) {
        let mut texts_of_entity = EntityTexts::new(max, Tokeniser::default());
        let omitted = texts.iter().filter(|text| !texts_of_entity.add(0, text)).count();
        (texts_of_entity, omitted as u64)
    }

    fn terms(texts: &EntityTexts) -> Vec<&str> {
        let preferred = texts.terms().map(|(_, term)| texts.vocabulary().term(term));
        let mut terms: Vec<&str> = preferred.chain(texts.foreign_terms().map(|(_, term)| term)).collect();
        terms.sort_unstable();
        terms
    }

    #[test]
    fn the_order_of_languages_does_not_matter() {
        let check = |texts: &[EntityText], expected: &[&str], label: &str| {
            let mut texts = texts.to_vec();
            for _ in 0..2 {
                let (texts_of_entity, omitted) = collect_texts(99, &texts);
                assert_eq!(
                    (&*terms(&texts_of_entity), texts_of_entity.label(0), omitted),
                    (expected, Some(label), 0),
                    "{texts:?}"
                );
                assert_eq!(texts_of_entity.len(), expected.len());
                texts.reverse();
            }
        };
        let (en, de, fr) = (Some(0), Some(1), None);

        check(&[label(fr, "fr", "Dom"), label(en, "en", "Dom")], &["dom"], "Dom");
        check(&[label(fr, "it", "Duomo"), label(fr, "fr", "Dôme")], &["dôme"], "Duomo");
        let comment = EntityText { label_rank: None, ..label(fr, "ca", "edifici") };
        check(&[label(fr, "fr", "Dôme"), comment], &["dôme"], "Dôme");
        check(&[label(fr, "fr", "Dôme"), label(en, "en", "tall church")], &["church", "tall"], "tall church");
        check(&[label(de, "de", "Dom"), label(en, "en", "church")], &["church", "dom"], "church");
        // The same text as a better and as a worse label.
        check(&[label(de, "de", "Dom"), label(en, "en", "Dom"), label(de, "de", "Arm")], &["arm", "dom"], "Dom");

        let [one, other] = ["Cathédrale", "Dôme"].map(|text| label(fr, "fr", text));
        let (before, _) = collect_texts(99, &[one.clone(), other.clone()]);
        let (after, _) = collect_texts(99, &[other, one]);
        assert_eq!(terms(&before), terms(&after));
    }

    #[test]
    fn terms_and_texts_are_bounded() {
        let check = |max, texts: &[EntityText], expected: &[&str], omitted| {
            let (texts_of_entity, found) = collect_texts(max, texts);
            assert_eq!((&*terms(&texts_of_entity), found), (expected, omitted), "{texts:?}");
        };
        let preferred = |text: &str| label(Some(0), "en", text);

        check(2, &[preferred("one two"), preferred("three"), preferred("one two")], &["one", "two"], 1);
        // Texts without any term are counted, too.
        check(2, &[preferred("the"), preferred("of the"), preferred("three")], &[], 1);
        // Terms that would be replaced are counted, too.
        check(2, &[label(None, "it", "torre campanile"), label(None, "fr", "beffroi")], &["campanile", "torre"], 1);
    }

    #[test]
    fn a_long_label_is_truncated() {
        let (texts_of_entity, _) = collect_texts(99, &[label(Some(0), "en", &"x".repeat(MAX_LABEL_BYTES + 1))]);
        assert_eq!(texts_of_entity.label(0).map(str::len), Some(MAX_LABEL_BYTES));
    }
}
