//! The search of SPARQL queries: `lodeward:search`.

use std::sync::Arc;

use lodeward_archive::sparql::{TextSearch, TextSearchFailure};
use lodeward_search::retrieve::{Method, RetrievalOptions};
use oxrdf::NamedNode;

use super::check_words;
use crate::followers::search::SearchIndex;

/// Searches the index of a data directory for queries.
pub struct SparqlSearch(Arc<SearchIndex>);

impl SparqlSearch {
    /// The search of this index, if there is one.
    #[must_use]
    pub fn of(index: Option<Arc<SearchIndex>>) -> Option<Arc<dyn TextSearch>> {
        index.map(|index| Arc::new(Self(index)) as Arc<dyn TextSearch>)
    }
}

impl TextSearch for SparqlSearch {
    fn search(&self, words: &str, limit: usize) -> Result<Vec<(NamedNode, f64)>, TextSearchFailure> {
        check_words(words)?;
        let found = self.0.view()?.search(words, Method::default(), &RetrievalOptions::default(), limit)?;
        Ok(found.into_iter().map(|hit| (NamedNode::new_unchecked(hit.iri), hit.score)).collect())
    }
}
