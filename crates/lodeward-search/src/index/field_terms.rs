//! The terms of the text fields of an entity.

use std::sync::Arc;

use foldhash::{HashSet, HashSetExt};

use super::document::{Bounds, MainName, cut};
use super::schema::{FIELD_COUNT, FieldName};
use crate::entity::{Direction, EntityDescription, EntityKey, TaggedText};
use crate::recent::RecentMap;
use crate::text::StemmedLanguages;
use crate::text::names::name_words;

/// Number of names, and of words of IRIs, whose terms are kept in memory.
const KNOWN_NAMES: usize = 20_000;
const KNOWN_IRIS: usize = 5_000;

/// Terms, joined by spaces.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldTermList {
    pub(super) joined: String,
    pub(super) count: usize,
}

impl FieldTermList {
    fn push(&mut self, term: &str) {
        if self.count > 0 {
            self.joined.push(' ');
        }
        self.joined.push_str(term);
        self.count += 1;
    }

    fn extend(&mut self, other: &Self) {
        if other.count > 0 {
            self.push(&other.joined);
            self.count += other.count - 1;
        }
    }

    /// The first terms.
    pub(super) fn first(&self, count: usize) -> &str {
        let end = self.joined.match_indices(' ').nth(count.saturating_sub(1));
        if count == 0 { "" } else { end.map_or(&self.joined, |(at, _)| &self.joined[..at]) }
    }
}

/// Terms of short texts that many entities have: names of neighbours, words of predicates and types.
pub(super) struct SharedTerms {
    names: RecentMap<Arc<TaggedText>, Arc<FieldTermList>>,
    iris: RecentMap<Arc<str>, Arc<FieldTermList>>,
}

impl Default for SharedTerms {
    fn default() -> Self {
        Self { names: RecentMap::new(KNOWN_NAMES), iris: RecentMap::new(KNOWN_IRIS) }
    }
}

impl SharedTerms {
    fn of_name(
        &mut self,
        name: &Arc<TaggedText>,
        languages: &StemmedLanguages,
        max_bytes: usize,
    ) -> Arc<FieldTermList> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let mut terms = FieldTermList::default();
        languages.for_each_term(cut(&name.text, max_bytes), name.language.as_deref(), |term| terms.push(term));
        let terms = Arc::new(terms);
        self.names.insert(Arc::clone(name), Arc::clone(&terms));
        terms
    }

    fn of_iri(&mut self, iri: &str, languages: &StemmedLanguages) -> Arc<FieldTermList> {
        if let Some(known) = self.iris.get(iri) {
            return Arc::clone(known);
        }
        let mut terms = FieldTermList::default();
        for word in name_words(iri) {
            terms.push(&languages.term(word, None));
        }
        let terms = Arc::new(terms);
        self.iris.insert(Arc::from(iri), Arc::clone(&terms));
        terms
    }
}

/// Terms of all text fields.
pub(super) struct FieldTerms<'a> {
    languages: &'a StemmedLanguages,
    bounds: &'a Bounds,
    shared: &'a mut SharedTerms,
    /// In the order of [`FieldName`].
    pub(super) fields: [FieldTermList; FIELD_COUNT],
}

impl<'a> FieldTerms<'a> {
    pub(super) fn collect(
        entity: &EntityDescription,
        name: &MainName,
        languages: &'a StemmedLanguages,
        bounds: &'a Bounds,
        shared: &'a mut SharedTerms,
    ) -> Self {
        let mut terms = Self { languages, bounds, shared, fields: std::array::from_fn(|_| FieldTermList::default()) };
        terms.add(FieldName::Label, &name.label.text, name.label.language.as_deref());
        // Labels in other languages are further names: in the field `label` they would make it long.
        terms.add_all(FieldName::Alias, entity.labels.iter().skip(1).chain(&entity.aliases));
        terms.add_all(FieldName::Description, &entity.descriptions);
        terms.add_all(FieldName::Literal, &entity.literals);
        for iri in entity.types.iter().take(bounds.max_texts) {
            terms.add_name_words(FieldName::Type, iri);
        }
        terms.add_neighbours(entity);
        terms
    }

    fn add(&mut self, field: FieldName, text: &str, language: Option<&str>) {
        let list = &mut self.fields[field as usize];
        self.languages.for_each_term(text, language, |term| list.push(term));
    }

    fn add_all<'t>(&mut self, field: FieldName, texts: impl IntoIterator<Item = &'t TaggedText>) {
        let mut left = self.bounds.max_text_bytes;
        for text in texts.into_iter().take(self.bounds.max_texts) {
            let part = cut(&text.text, left);
            left -= part.len();
            self.add(field, part, text.language.as_deref());
        }
    }

    fn add_name_words(&mut self, field: FieldName, iri: &str) {
        let terms = self.shared.of_iri(iri, self.languages);
        self.fields[field as usize].extend(&terms);
    }

    /// Adds the labels of neighbours and the words of predicates, each once per direction.
    fn add_neighbours(&mut self, entity: &EntityDescription) {
        let mut known: HashSet<(Direction, EntityKey)> = HashSet::new();
        let mut predicates: HashSet<(Direction, EntityKey)> = HashSet::new();
        for neighbour in entity.neighbours.iter().take(self.bounds.max_neighbours) {
            let (labels, names) = match neighbour.direction {
                Direction::Out => (FieldName::Out, FieldName::PredicateOut),
                Direction::In => (FieldName::In, FieldName::PredicateIn),
            };
            if known.insert((neighbour.direction, neighbour.key)) {
                let terms = self.shared.of_name(&neighbour.label, self.languages, self.bounds.max_name_bytes);
                self.fields[labels as usize].extend(&terms);
            }
            if predicates.insert((neighbour.direction, neighbour.predicate)) {
                self.add_name_words(names, &neighbour.predicate_iri);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::FieldTermList;

    #[test]
    fn lists_of_terms_are_joined_and_cut() {
        let list = |terms: &[&str]| {
            let mut list = FieldTermList::default();
            for term in terms {
                list.push(term);
            }
            list
        };
        let mut all = list(&["a", "b"]);
        all.extend(&list(&[]));
        all.extend(&list(&["c", "d"]));
        assert_eq!((all.joined.as_str(), all.count), ("a b c d", 4));
        assert_eq!([0, 1, 3, 4, 9].map(|count| all.first(count)), ["", "a", "a b c", "a b c d", "a b c d"]);
    }
}
