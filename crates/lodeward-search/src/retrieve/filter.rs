//! Which entities may be results.

use crate::index::{FieldName, IndexView, SearchError};
use crate::text::{StemmedLanguages, words};

/// Restricts the results. Of each list, an entity must have one value; an empty list restricts
/// nothing.
#[derive(Clone, Debug, Default)]
pub struct SearchFilter {
    /// Types.
    pub types: Vec<TypeFilter>,
    /// IRIs of graphs with statements about the entity.
    pub graphs: Vec<String>,
    /// Pay-level domains of the entity or of a document that describes it.
    pub domains: Vec<String>,
    /// Languages of its texts.
    pub languages: Vec<String>,
}

/// A type that an entity must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeFilter {
    /// The IRI of the type.
    Iri(String),
    /// Words that the names of its types contain: `art museum`.
    Words(String),
}

/// The entities that a filter accepts.
pub(crate) struct AllowedEntities(Option<Vec<bool>>);

impl AllowedEntities {
    pub(crate) fn new(view: &IndexView, filter: &SearchFilter) -> Result<Self, SearchError> {
        let mut allowed = Self(None);
        let exact = [
            (view.schema.graph, &filter.graphs, false),
            (view.schema.domain, &filter.domains, true),
            (view.schema.language, &filter.languages, true),
        ];
        for (field, values, is_lower_case) in exact.into_iter().filter(|(_, values, _)| !values.is_empty()) {
            let mut found = vec![false; view.number_end()];
            for value in values {
                let value = if is_lower_case { value.to_lowercase() } else { value.clone() };
                for number in view.entities_with(field, &value, usize::MAX)? {
                    found[number as usize] = true;
                }
            }
            allowed.restrict(found);
        }
        if !filter.types.is_empty() {
            let mut found = vec![false; view.number_end()];
            for kind in &filter.types {
                mark_type(view, kind, &mut found)?;
            }
            allowed.restrict(found);
        }
        Ok(allowed)
    }

    fn restrict(&mut self, found: Vec<bool>) {
        match &mut self.0 {
            Some(allowed) => allowed.iter_mut().zip(found).for_each(|(allowed, found)| *allowed &= found),
            none => *none = Some(found),
        }
    }

    pub(crate) fn contains(&self, number: u32) -> bool {
        self.0.as_ref().is_none_or(|allowed| allowed[number as usize])
    }
}

/// Marks the entities that have a type.
fn mark_type(view: &IndexView, kind: &TypeFilter, found: &mut [bool]) -> Result<(), SearchError> {
    match kind {
        TypeFilter::Iri(iri) => {
            for number in view.entities_with(view.schema.type_iri, iri, usize::MAX)? {
                found[number as usize] = true;
            }
        }
        TypeFilter::Words(text) => {
            let terms = type_terms(text, &view.stemmed);
            let mut counts = vec![0_usize; found.len()];
            for term in &terms {
                view.for_each_posting(FieldName::Type, term, |number, _, _| counts[number as usize] += 1)?;
            }
            if !terms.is_empty() {
                found.iter_mut().zip(counts).for_each(|(found, count)| *found |= count == terms.len());
            }
        }
    }
    Ok(())
}

/// The distinct terms of a type in the index.
fn type_terms(text: &str, stemmed: &StemmedLanguages) -> Vec<String> {
    let mut terms: Vec<String> = words(text).into_iter().map(|word| stemmed.term(word, None)).collect();
    terms.sort_unstable();
    terms.dedup();
    terms
}
