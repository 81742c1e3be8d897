//! Retrieval: from the words of a query to a ranking of entities.
//!
//! [`bm25f`](Bm25fParameters) matches words; `ranked` adds what the graph says: mentions of
//! entities in the query, and relations between a mentioned entity and a result. See
//! `docs/algorithms.md` for the formulas.

mod bm25f;
mod lexicon;
mod matches;
mod mention;
mod query;
mod ranked;
mod relations;
mod soft_mention;

pub use bm25f::Bm25fParameters;
pub use lexicon::RelationLexicon;
pub use query::AnalysedQuery;
pub use ranked::{FEATURE_COUNT, FEATURE_NAMES, RankedWeights};

pub(crate) use matches::Matches;

use crate::index::{IndexView, SearchError};

/// Retrieval method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Weighted words of all fields.
    Bm25f,
    /// Words, mentions and relations.
    #[default]
    Ranked,
}

/// Parameters of retrieval.
#[derive(Clone, Debug, Default)]
pub struct RetrievalOptions {
    /// Parameters of BM25F.
    pub bm25f: Bm25fParameters,
    /// Weights of the features of [`Method::Ranked`].
    pub weights: RankedWeights,
    /// Words that express the same relation.
    pub lexicon: RelationLexicon,
}

/// An entity found by a query.
#[derive(Clone, Debug)]
pub struct Hit {
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
    /// Score; comparable within one query only.
    pub score: f64,
    /// Values of the features, in the order of [`FEATURE_NAMES`], if the method has features.
    pub features: Option<[f64; FEATURE_COUNT]>,
}

impl IndexView {
    /// Returns the best entities for a query.
    pub fn search(
        &self,
        query: &str,
        method: Method,
        options: &RetrievalOptions,
        limit: usize,
    ) -> Result<Vec<Hit>, SearchError> {
        let query = AnalysedQuery::new(query, &self.stemmed);
        let matches = Matches::find(self, &query, options)?;
        let scored: Vec<_> = match method {
            Method::Bm25f => {
                matches.best_by_words(limit).into_iter().map(|(number, score)| (number, score, None)).collect()
            }
            Method::Ranked => {
                let pool = ranked::Pool::collect(self, &query, &matches)?;
                pool.rank(&options.weights, limit)
            }
        };
        let hit = |(number, score, features)| {
            let record = self.record(number)?;
            Ok(Hit { iri: record.iri, label: record.label, score, features })
        };
        scored.into_iter().map(hit).collect()
    }

    /// Returns the pool of a query with its features: to train weights.
    pub fn feature_pool(
        &self,
        query: &str,
        options: &RetrievalOptions,
    ) -> Result<Vec<(String, [f64; FEATURE_COUNT])>, SearchError> {
        let query = AnalysedQuery::new(query, &self.stemmed);
        let matches = Matches::find(self, &query, options)?;
        let pool = ranked::Pool::collect(self, &query, &matches)?;
        pool.entries.iter().map(|(number, features)| Ok((self.record(*number)?.iri, *features))).collect()
    }
}
