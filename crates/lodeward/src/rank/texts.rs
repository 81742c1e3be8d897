//! What documents say of entities in words.

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher as _;

use foldhash::fast::{FixedState, RandomState};

use super::facts::{Text, beginning};
use super::graph::{EntityId, TermId};
use super::terms::{Tokeniser, Vocabulary};

/// Of a longer label only the beginning is shown.
const LABEL_BYTES_MAX: usize = 1 << 10;

/// The words of entities, and what they are called.
///
/// The same text counts once. In which order texts come does not matter, as long
/// as there is room.
pub(super) struct Texts {
    max: usize,
    tokeniser: Tokeniser,
    /// Terms of texts that count for sure.
    vocabulary: Vocabulary,
    /// Terms of texts in other languages, forgotten ones among them.
    foreign_vocabulary: Vocabulary,
    /// Entity and term, one for each occurrence.
    terms: Vec<[u32; 2]>,
    /// The best label so far.
    labels: HashMap<EntityId, Label, RandomState>,
    /// Texts in languages that nobody asked for: what an entity has if it has
    /// nothing else.
    foreign: HashMap<EntityId, Foreign, RandomState>,
    /// How many terms those have.
    foreign_terms: usize,
    has_text: HashSet<EntityId, RandomState>,
    known: HashSet<u64, RandomState>,
}

/// A label, and how good it is: the lowest is the best.
struct Label {
    rank: (u8, u8),
    text: Box<str>,
}

/// A text in another language.
struct Foreign {
    /// How good it is, its language, and which text it is: the lowest is taken,
    /// whichever comes first.
    preference: (u8, Box<str>, u64),
    /// Of the vocabulary of those.
    terms: Box<[TermId]>,
}

impl Texts {
    /// None yet, and never many more than so many terms, forgotten ones, or texts.
    pub(super) fn new(max: usize, tokeniser: Tokeniser) -> Self {
        Self {
            max,
            tokeniser,
            vocabulary: Vocabulary::default(),
            foreign_vocabulary: Vocabulary::default(),
            terms: Vec::new(),
            labels: HashMap::default(),
            foreign: HashMap::default(),
            foreign_terms: 0,
            has_text: HashSet::default(),
            known: HashSet::default(),
        }
    }

    /// Takes a text. Tells whether it was heard: if not, there was no room.
    pub(super) fn add(&mut self, entity: EntityId, text: &Text) -> bool {
        self.note_label(entity, text);
        if text.language_rank.is_some() { self.add_asked_for(entity, text) } else { self.add_foreign(entity, text) }
    }

    fn note_label(&mut self, entity: EntityId, text: &Text) {
        let Some(label_rank) = text.label_rank else { return };
        let rank = (text.language_rank.unwrap_or(u8::MAX), label_rank);
        let text = beginning(&text.text, LABEL_BYTES_MAX);
        let known = self.labels.get(&entity);
        if known.is_none_or(|known| (rank, text) < (known.rank, &*known.text)) {
            self.labels.insert(entity, Label { rank, text: text.into() });
        }
    }

    fn add_asked_for(&mut self, entity: EntityId, text: &Text) -> bool {
        let digest = FixedState::default().hash_one((entity, &text.text));
        if self.known.contains(&digest) {
            return true;
        }
        if self.is_full() {
            return false;
        }
        self.known.insert(digest);
        self.has_text.insert(entity);
        let forgotten = self.foreign.remove(&entity);
        self.foreign_terms -= forgotten.map_or(0, |foreign| foreign.terms.len());
        let Self { tokeniser, vocabulary, terms, .. } = self;
        tokeniser.each_term(&text.text, &text.language, |term| terms.push([entity, vocabulary.number(term)]));
        true
    }

    fn add_foreign(&mut self, entity: EntityId, text: &Text) -> bool {
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
        tokeniser.each_term(&text.text, &text.language, |term| terms.push(vocabulary.number(term)));
        self.foreign_terms += terms.len();
        let forgotten = self.foreign.insert(entity, Foreign { preference, terms: terms.into() });
        self.foreign_terms -= forgotten.map_or(0, |foreign| foreign.terms.len());
        true
    }

    fn is_full(&self) -> bool {
        [self.len(), self.foreign_vocabulary.len(), self.known.len()].iter().any(|count| *count >= self.max)
    }

    /// How many terms entities have, one for each occurrence.
    pub(super) fn len(&self) -> usize {
        self.terms.len() + self.foreign_terms
    }

    /// Entities and their terms, one for each occurrence; without those who have
    /// texts in other languages only.
    pub(super) fn terms(&self) -> impl Iterator<Item = (EntityId, TermId)> {
        self.terms.iter().map(|&[entity, term]| (entity, term))
    }

    /// Those who have texts in other languages only, in order, and their terms: these
    /// need not be in the vocabulary.
    pub(super) fn foreign_terms(&self) -> impl Iterator<Item = (EntityId, &str)> {
        let mut all: Vec<(EntityId, &[TermId])> =
            self.foreign.iter().map(|(entity, text)| (*entity, &*text.terms)).collect();
        all.sort_unstable_by_key(|(entity, _)| *entity);
        let term = |term: &TermId| self.foreign_vocabulary.term(*term);
        all.into_iter().flat_map(move |(entity, terms)| terms.iter().map(move |number| (entity, term(number))))
    }

    /// The best label of an entity.
    pub(super) fn label(&self, entity: EntityId) -> Option<&str> {
        self.labels.get(&entity).map(|label| &*label.text)
    }

    /// The terms of all texts but those in other languages.
    pub(super) fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Who cuts further texts as these were cut.
    pub(super) fn tokeniser(&self) -> Tokeniser {
        self.tokeniser.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(language_rank: Option<u8>, language: &str, text: &str) -> Text {
        Text { entity: 0, label_rank: Some(0), language_rank, language: language.into(), text: text.into() }
    }

    /// What is known of an entity of which these things are said.
    fn said(max: usize, texts: &[Text]) -> (Texts, u64) {
        let mut gathered = Texts::new(max, Tokeniser::default());
        let left_out = texts.iter().filter(|text| !gathered.add(0, text)).count();
        (gathered, left_out as u64)
    }

    fn terms(texts: &Texts) -> Vec<&str> {
        let asked_for = texts.terms().map(|(_, term)| texts.vocabulary().term(term));
        let mut terms: Vec<&str> = asked_for.chain(texts.foreign_terms().map(|(_, term)| term)).collect();
        terms.sort_unstable();
        terms
    }

    #[test]
    fn which_of_several_languages_comes_first_does_not_matter() {
        let check = |texts: &[Text], expected: &[&str], called: &str| {
            let mut texts = texts.to_vec();
            for _ in 0..2 {
                let (gathered, left_out) = said(99, &texts);
                assert_eq!((&*terms(&gathered), gathered.label(0), left_out), (expected, Some(called), 0), "{texts:?}");
                assert_eq!(gathered.len(), expected.len());
                texts.reverse();
            }
        };
        let (en, de, fr) = (Some(0), Some(1), None);

        check(&[label(fr, "fr", "Dom"), label(en, "en", "Dom")], &["dom"], "Dom");
        check(&[label(fr, "it", "Duomo"), label(fr, "fr", "Dôme")], &["dôme"], "Duomo");
        let comment = Text { label_rank: None, ..label(fr, "ca", "edifici") };
        check(&[label(fr, "fr", "Dôme"), comment], &["dôme"], "Dôme");
        check(&[label(fr, "fr", "Dôme"), label(en, "en", "tall church")], &["church", "tall"], "tall church");
        check(&[label(de, "de", "Dom"), label(en, "en", "church")], &["church", "dom"], "church");
        // The same words as a better label, and as a worse one.
        check(&[label(de, "de", "Dom"), label(en, "en", "Dom"), label(de, "de", "Arm")], &["arm", "dom"], "Dom");

        let [one, other] = ["Cathédrale", "Dôme"].map(|text| label(fr, "fr", text));
        let (before, _) = said(99, &[one.clone(), other.clone()]);
        let (after, _) = said(99, &[other, one]);
        assert_eq!(terms(&before), terms(&after));
    }

    #[test]
    fn there_are_not_many_more_terms_texts_or_words_than_fit() {
        let check = |max, texts: &[Text], expected: &[&str], left_out| {
            let (gathered, told) = said(max, texts);
            assert_eq!((&*terms(&gathered), told), (expected, left_out), "{texts:?}");
        };
        let asked = |text: &str| label(Some(0), "en", text);

        check(2, &[asked("one two"), asked("three"), asked("one two")], &["one", "two"], 1);
        // Texts of which nothing is left take room, too.
        check(2, &[asked("the"), asked("of the"), asked("three")], &[], 1);
        // So do words that would be forgotten.
        check(2, &[label(None, "it", "torre campanile"), label(None, "fr", "beffroi")], &["campanile", "torre"], 1);
    }

    #[test]
    fn a_long_label_is_cut() {
        let (gathered, _) = said(99, &[label(Some(0), "en", &"x".repeat(LABEL_BYTES_MAX + 1))]);
        assert_eq!(gathered.label(0).map(str::len), Some(LABEL_BYTES_MAX));
    }
}
