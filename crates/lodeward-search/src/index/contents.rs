//! The whole content of an index, to compare two of them.

use std::collections::BTreeMap;

use tantivy::schema::IndexRecordOption;
use tantivy::{DocSet as _, TERMINATED};

use super::view::EntityNumber;
use super::{FieldName, IndexView, SearchError};

/// An entity as it is indexed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexedEntity {
    /// IRI of the entity.
    pub iri: String,
    /// What is stored of it to print a result.
    pub record: String,
    /// Its neighbours and the predicates between them.
    pub neighbours: String,
    /// Field, term, frequency, sorted.
    pub terms: Vec<(String, String, u32)>,
}

impl IndexView {
    /// Returns all entities by their IRIs. Two indexes with equal contents give equal results.
    pub fn contents(&self) -> Result<BTreeMap<String, IndexedEntity>, SearchError> {
        let mut by_number: BTreeMap<EntityNumber, IndexedEntity> = BTreeMap::new();
        for number in self.live_numbers() {
            let record = self.record(number)?;
            let entity = by_number.entry(number).or_default();
            entity.neighbours = format!("{:?}", self.neighbours(number)?);
            entity.record = format!("{record:?}");
            entity.iri = record.iri;
        }
        let text = FieldName::ALL.map(|field| self.schema.text[field as usize]);
        let filters =
            [self.schema.form, self.schema.type_iri, self.schema.graph, self.schema.domain, self.schema.language];
        for field in text.into_iter().chain(filters) {
            let name = self.schema.schema.get_field_name(field);
            for (at, segment) in self.searcher().segment_readers().iter().enumerate() {
                let index = segment.inverted_index(field)?;
                let mut terms = index.terms().stream()?;
                while terms.advance() {
                    let term = String::from_utf8_lossy(terms.key()).into_owned();
                    let option = IndexRecordOption::WithFreqs;
                    let mut postings = index.read_postings_from_terminfo(terms.value(), option)?;
                    while postings.doc() != TERMINATED {
                        let frequency = tantivy::postings::Postings::term_freq(&postings);
                        if let Some(entity) = by_number.get_mut(&(self.base(at) + postings.doc())) {
                            entity.terms.push((name.to_owned(), term.clone(), frequency));
                        }
                        postings.advance();
                    }
                }
            }
        }
        let sorted = by_number.into_values().map(|mut entity| {
            entity.terms.sort_unstable();
            (entity.iri.clone(), entity)
        });
        Ok(sorted.collect())
    }
}
