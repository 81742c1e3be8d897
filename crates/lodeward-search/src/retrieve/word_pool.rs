//! Everything that BM25F needs to know of one query, so that many parameters can be tried quickly.

use foldhash::{HashMap, HashMapExt};

use super::matches::best;
use super::query::MAX_QUERY_TERMS;
use super::{Bm25fParameters, RetrievalOptions};
use crate::entity::EntityKey;
use crate::index::{FIELD_COUNT, FieldName, IndexView, SearchError};

/// The entities that have words of a query, with frequencies and lengths of their fields.
#[derive(Clone, Debug)]
pub struct WordPool {
    /// Keys of the entities, in the order in which equal scores are ranked.
    keys: Vec<EntityKey>,
    terms: Vec<PooledTerm>,
    mean_lengths: [f64; FIELD_COUNT],
}

#[derive(Clone, Debug)]
struct PooledTerm {
    /// Frequency in the query times inverse document frequency.
    weight: f64,
    occurrences: Vec<TermOccurrence>,
}

/// A term in a field of an entity.
#[derive(Clone, Copy, Debug)]
struct TermOccurrence {
    entity: u32,
    field: FieldName,
    frequency: u32,
    length: u32,
}

impl IndexView {
    /// Collects the entities that have words of a query.
    pub fn word_pool(&self, query: &str, options: &RetrievalOptions) -> Result<WordPool, SearchError> {
        let (query, _) = self.analyse(query, false, options)?;
        let mut terms = Vec::new();
        let mut numbers: Vec<u32> = Vec::new();
        for term in query.terms.iter().take(MAX_QUERY_TERMS) {
            let mut occurrences = Vec::new();
            for field in FieldName::ALL {
                for variant in &term.variants {
                    self.for_each_posting(field, variant, |entity, frequency, length| {
                        let length = u32::try_from(length).unwrap_or(u32::MAX);
                        occurrences.push(TermOccurrence { entity, field, frequency, length });
                    })?;
                }
            }
            let mut own: Vec<u32> = occurrences.iter().map(|occurrence| occurrence.entity).collect();
            own.sort_unstable();
            own.dedup();
            let weight = f64::from(term.frequency) * self.idf(own.len() as u64);
            numbers.extend(own);
            terms.push(PooledTerm { weight, occurrences });
        }
        numbers.sort_unstable();
        numbers.dedup();
        let mut places: HashMap<u32, u32> = HashMap::with_capacity(numbers.len());
        places.extend(numbers.iter().copied().zip(0..));
        for occurrence in terms.iter_mut().flat_map(|term| &mut term.occurrences) {
            occurrence.entity = places[&occurrence.entity];
        }
        let keys = numbers.into_iter().map(|number| self.key(number)).collect();
        Ok(WordPool { keys, terms, mean_lengths: self.mean_lengths })
    }
}

impl WordPool {
    /// Returns the best entities by BM25F.
    #[must_use]
    pub fn rank(&self, parameters: &Bm25fParameters, limit: usize) -> Vec<EntityKey> {
        let mut scores = vec![0.0; self.keys.len()];
        let mut frequencies = vec![0.0; self.keys.len()];
        for term in &self.terms {
            for occurrence in &term.occurrences {
                let mean = self.mean_lengths[occurrence.field as usize];
                let length = u64::from(occurrence.length);
                frequencies[occurrence.entity as usize] +=
                    parameters.field_frequency(occurrence.field, occurrence.frequency, length, mean);
            }
            for occurrence in &term.occurrences {
                let x = std::mem::take(&mut frequencies[occurrence.entity as usize]);
                if x > 0.0 {
                    scores[occurrence.entity as usize] += term.weight * parameters.saturate(x);
                }
            }
        }
        let ranked = best((0..).zip(scores), limit);
        ranked.into_iter().map(|(place, _)| self.keys[place as usize]).collect()
    }
}
