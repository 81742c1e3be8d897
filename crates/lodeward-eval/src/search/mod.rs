//! Evaluation of entity search: retrieval, similar entities, clusters, proposed links
//! (`SEARCH-STUDY.md`).
//!
//! Each part reads the [`EntityCollection`]s that it needs and returns a [`SearchSection`].

mod ascent;
pub mod clusters;
pub mod collection;
pub mod gold;
pub mod lsh;
pub mod measures;
pub mod page;
pub mod retrieval;
pub mod same_as;
pub mod similar;
pub mod topics;
pub mod training;
pub mod typos;

use std::path::Path;

pub use collection::EntityCollection;
pub use page::SearchSection;
pub use topics::SearchTopic;

use crate::web::WebError;

/// Search could not be evaluated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SearchEvalError {
    /// A table is invalid.
    #[error(transparent)]
    Table(#[from] WebError),
    /// The index failed.
    #[error(transparent)]
    Index(#[from] lodeward_search::SearchError),
}

/// A part of the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPart {
    /// Retrieval with the shipped parameters.
    Retrieval,
    /// Cross-validation of parameters and weights.
    Train,
    /// Queries with an error.
    Typos,
    /// Similar entities.
    Similar,
    /// Clusters.
    Clusters,
    /// Candidates for nearest neighbours.
    Lsh,
    /// Proposed links.
    SameAs,
}

impl SearchPart {
    /// All parts.
    pub const ALL: [Self; 7] =
        [Self::Retrieval, Self::Train, Self::Typos, Self::Similar, Self::Clusters, Self::Lsh, Self::SameAs];
}

/// The collections with their topics.
pub struct SearchData {
    dbp: EntityCollection,
    dbp_topics: Vec<SearchTopic>,
    fbw: EntityCollection,
    fbw_topics: Vec<SearchTopic>,
}

impl SearchData {
    /// Reads both collections.
    pub fn load(directory: &Path) -> Result<Self, WebError> {
        let task = |name: &str| directory.join(format!("tasks/dbpedia-entity-v2.{name}"));
        Ok(Self {
            dbp: EntityCollection::dbp(directory)?,
            dbp_topics: SearchTopic::load(&task("in-graph.qrels"), &task("queries.tsv"))?,
            fbw: EntityCollection::fbw(directory)?,
            fbw_topics: SearchTopic::load(&task("in-fbw.qrels"), &task("in-fbw.queries.tsv"))?,
        })
    }

    /// Evaluates one part.
    pub fn evaluate(&self, part: SearchPart, directory: &Path, seed: u64) -> Result<SearchSection, SearchEvalError> {
        match part {
            SearchPart::Retrieval => self.retrieval(seed),
            SearchPart::Train => self.train(seed),
            SearchPart::Typos => self.typos(seed),
            SearchPart::Similar => {
                Ok(similar::evaluate(&[(&self.dbp, &self.dbp_topics[..]), (&self.fbw, &self.fbw_topics[..])]))
            }
            SearchPart::Clusters => Ok(clusters::evaluate(&gold::load(directory, &self.dbp, &self.fbw)?)),
            SearchPart::Lsh => Ok(lsh::evaluate(&[&self.typed_dbp(directory)?, &self.fbw])),
            SearchPart::SameAs => Ok(same_as::evaluate(directory, &self.typed_dbp(directory)?, &self.fbw)?),
        }
    }

    fn retrieval(&self, seed: u64) -> Result<SearchSection, SearchEvalError> {
        let mut section = SearchSection::new(
            "Retrieval",
            "Shipped parameters, which were fitted on these queries. *Gain*: over `bm25f`, with the 95 % interval of a \
             paired bootstrap over queries (10,000 samples). The columns of query sets are nDCG@10. p95: time of a \
             query, warm, one core.",
        );
        let mut heads = vec!["collection", "method"];
        heads.extend(measures::RankingFigures::NAMES);
        heads.extend(["gain @10", "gain @100"]);
        heads.extend(retrieval::QUERY_SETS);
        heads.push("p95");
        section.table(&heads);
        for (collection, topics) in [(&self.dbp, &self.dbp_topics), (&self.fbw, &self.fbw_topics)] {
            let view = retrieval::index(collection)?;
            retrieval::evaluate(&mut section, &collection.name, &view, topics, seed)?;
        }
        section.end_table();
        Ok(section)
    }

    fn train(&self, seed: u64) -> Result<SearchSection, SearchEvalError> {
        let (dbp, fbw) = (retrieval::index(&self.dbp)?, retrieval::index(&self.fbw)?);
        let of = |name, view, topics| training::TrainedCollection { name, view, topics };
        let collections = [of("dbp", &dbp, &self.dbp_topics[..]), of("fbw", &fbw, &self.fbw_topics[..])];
        Ok(training::evaluate(&collections, seed)?)
    }

    fn typos(&self, seed: u64) -> Result<SearchSection, SearchEvalError> {
        let mut section = SearchSection::new(
            "Typing errors",
            "One letter of the longest word is deleted, inserted, replaced or swapped with the next.",
        );
        section.table(&["collection", "method", "query", "nDCG@10", "nDCG@100"]);
        for (collection, topics) in [(&self.dbp, &self.dbp_topics), (&self.fbw, &self.fbw_topics)] {
            typos::evaluate(&mut section, &collection.name, &retrieval::index(collection)?, topics, seed)?;
        }
        section.end_table();
        Ok(section)
    }

    fn typed_dbp(&self, directory: &Path) -> Result<EntityCollection, WebError> {
        let mut dbp = self.dbp.clone();
        dbp.add_inferred_types(directory)?;
        Ok(dbp)
    }
}
