//! Retrieval: from the words of a query to a ranking of entities.
//!
//! [`bm25f`](Bm25fParameters) matches words; `ranked` adds what the graph says: mentions of
//! entities in the query, and relations between a mentioned entity and a result. [`published`] has
//! the steps of DURAARK D3.6. See `docs/algorithms.md` for the formulas.

mod bm25f;
mod filter;
mod lexicon;
mod matches;
mod mention;
pub mod published;
mod query;
mod ranked;
mod relations;
mod request;
mod soft_mention;
mod spelling;
mod word_pool;

pub use bm25f::Bm25fParameters;
pub use filter::{SearchFilter, TypeFilter};
pub use lexicon::RelationLexicon;
pub use query::AnalysedQuery;
pub use ranked::{FEATURE_COUNT, FEATURE_NAMES, RankedWeights};
pub use request::{Facet, ScorePart, SearchOutcome, SearchRequest};
pub use spelling::Correction;
pub use word_pool::WordPool;

pub(crate) use matches::Matches;

use std::sync::Arc;

use self::filter::AllowedEntities;
use self::published::PublishedOptions;
use crate::entity::EntityKey;
use crate::index::{IndexView, SearchError};

/// Retrieval method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Weighted words of all fields.
    Bm25f,
    /// Words, mentions and relations.
    #[default]
    Ranked,
    /// Words, clusters, types and context, as in DURAARK D3.6.
    Published,
}

impl Method {
    /// All methods.
    pub const ALL: [Self; 3] = [Self::Ranked, Self::Bm25f, Self::Published];

    /// Name in settings, flags and responses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bm25f => "bm25f",
            Self::Ranked => "ranked",
            Self::Published => "published",
        }
    }
}

/// Parameters of retrieval.
#[derive(Clone, Debug)]
pub struct RetrievalOptions {
    /// Parameters of BM25F.
    pub bm25f: Bm25fParameters,
    /// Weights of the features of [`Method::Ranked`].
    pub weights: RankedWeights,
    /// Words that express the same relation.
    pub lexicon: Arc<RelationLexicon>,
    /// Options of [`Method::Published`].
    pub published: PublishedOptions,
    /// Whether words that are not in the index are replaced by similar ones.
    pub corrects_words: bool,
}

impl Default for RetrievalOptions {
    fn default() -> Self {
        Self {
            bm25f: Bm25fParameters::default(),
            weights: RankedWeights::default(),
            lexicon: RelationLexicon::english(),
            published: PublishedOptions::default(),
            corrects_words: true,
        }
    }
}

/// An entity found by a query.
#[derive(Clone, Debug)]
pub struct Hit {
    /// Number of the entity.
    pub key: EntityKey,
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
    /// Its first description, cut; may be empty.
    pub description: String,
    /// IRIs of its types.
    pub types: Vec<String>,
    /// Score; comparable within one query only.
    pub score: f64,
    /// What the score consists of.
    pub parts: Vec<ScorePart>,
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
        let request = SearchRequest {
            query,
            method,
            limit,
            filter: SearchFilter::default(),
            is_prefix: false,
            has_facets: false,
        };
        Ok(self.find(&request, options, |_| Ok::<_, SearchError>(true))?.hits)
    }

    /// Returns the pool of a query with its features: to train weights.
    pub fn feature_pool(
        &self,
        query: &str,
        options: &RetrievalOptions,
    ) -> Result<Vec<(String, [f64; FEATURE_COUNT])>, SearchError> {
        let (query, _) = self.analyse(query, false, options)?;
        let matches = Matches::find(self, &query, options)?;
        let everything = AllowedEntities::new(self, &SearchFilter::default())?;
        let pool = ranked::Pool::collect(self, &query, &matches, &everything)?;
        pool.entries.iter().map(|(number, features)| Ok((self.record(*number)?.iri, *features))).collect()
    }
}
