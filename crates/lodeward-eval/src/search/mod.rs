//! Evaluation of entity search: retrieval, similar entities, clusters, proposed links
//! (`SEARCH-STUDY.md`).
//!
//! Each part reads the [`EntityCollection`]s that it needs and returns a [`SearchSection`].

mod ascent;
pub mod clusters;
pub mod collection;
mod cost;
mod generated;
pub mod gold;
mod heatmap;
pub mod lsh;
pub mod measures;
pub mod page;
mod published;
pub mod retrieval;
pub mod same_as;
pub mod similar;
mod similarity_links;
pub mod topics;
pub mod training;
mod types;
pub mod typos;

use std::path::{Path, PathBuf};

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
#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchPart {
    /// Retrieval with the shipped parameters
    Retrieval,
    /// Cross-validation of parameters and weights
    Train,
    /// Queries with a typing error
    Typos,
    /// Readings of the published equations
    Published,
    /// Types of queries and of relevant entities
    Types,
    /// Explicit similarity links among all links
    Links,
    /// Similar entities
    Similar,
    /// Clusters, compared with gold classes
    Clusters,
    /// Candidates for nearest neighbours
    Lsh,
    /// Proposed links
    SameAs,
    /// Time and memory of clusters and queries, on generated entities; only if it is named
    Cost,
}

impl SearchPart {
    /// Whether the part reads the collections.
    #[must_use]
    pub fn needs_data(self) -> bool {
        self != Self::Cost
    }
}

/// Measures the cost of clusters and queries for several numbers of entities.
pub fn cost(sizes: &[u64]) -> Result<SearchSection, SearchEvalError> {
    let directory = tempfile::tempdir().map_err(lodeward_search::SearchError::from)?;
    Ok(cost::evaluate(sizes, directory.path())?)
}

/// Files with queries and judgments that replace those of the data directory.
#[derive(Clone, Debug, Default)]
pub struct TopicFiles {
    /// Judgments and queries on `dbp`.
    pub dbp: Option<[PathBuf; 2]>,
    /// Judgments and queries on `fbw`.
    pub fbw: Option<[PathBuf; 2]>,
}

/// The collections with their topics.
pub struct SearchData {
    directory: PathBuf,
    dbp: EntityCollection,
    dbp_topics: Vec<SearchTopic>,
    fbw: EntityCollection,
    fbw_topics: Vec<SearchTopic>,
}

impl SearchData {
    /// Reads both collections.
    pub fn load(directory: &Path, files: &TopicFiles) -> Result<Self, WebError> {
        let topics = |given: &Option<[PathBuf; 2]>, names: [&str; 2]| {
            let of_data = || names.map(|name| directory.join(format!("tasks/dbpedia-entity-v2.{name}")));
            let [judgments, queries] = given.clone().unwrap_or_else(of_data);
            SearchTopic::load(&judgments, &queries)
        };
        Ok(Self {
            dbp: EntityCollection::dbp(directory)?,
            dbp_topics: topics(&files.dbp, ["in-graph.qrels", "queries.tsv"])?,
            fbw: EntityCollection::fbw(directory)?,
            fbw_topics: topics(&files.fbw, ["in-fbw.qrels", "in-fbw.queries.tsv"])?,
            directory: directory.to_owned(),
        })
    }

    /// Evaluates one part. `harvest` is an N-Quads file whose links are counted, too.
    pub fn evaluate(
        &self,
        part: SearchPart,
        harvest: Option<&Path>,
        seed: u64,
    ) -> Result<SearchSection, SearchEvalError> {
        let directory = &self.directory;
        let judged = [(&self.dbp, &self.dbp_topics[..]), (&self.fbw, &self.fbw_topics[..])];
        match part {
            SearchPart::Retrieval => self.retrieval(seed),
            SearchPart::Train => self.train(seed),
            SearchPart::Typos => self.typos(seed),
            SearchPart::Published => published::evaluate(directory, &judged, seed),
            SearchPart::Types => Ok(types::evaluate(directory, &judged)?),
            SearchPart::Links => {
                let nomisma = EntityCollection::nomisma(directory, &[])?;
                Ok(similarity_links::evaluate(&[&self.dbp, &self.fbw, &nomisma], harvest)?)
            }
            SearchPart::Similar => Ok(similar::evaluate(&judged)),
            SearchPart::Clusters => Ok(clusters::evaluate(&gold::load(directory, &self.dbp, &self.fbw)?)),
            SearchPart::Lsh => Ok(lsh::evaluate(&[&self.typed_dbp()?, &self.fbw])),
            SearchPart::Cost => cost(&[10_000]),
            SearchPart::SameAs => Ok(same_as::evaluate(directory, &self.typed_dbp()?, &self.fbw)?),
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
        let mut measured = Vec::new();
        for (collection, topics) in [(&self.dbp, &self.dbp_topics), (&self.fbw, &self.fbw_topics)] {
            let view = retrieval::index(collection)?;
            measured.push(retrieval::evaluate(&mut section, &collection.name, &view, topics, seed)?);
        }
        section.end_table();
        retrieval::write_pooled(&mut section, &measured, seed);
        let plotted = [("dbp", &self.dbp_topics[..], &measured[0]), ("fbw", &self.fbw_topics[..], &measured[1])];
        section.file("retrieval.svg", retrieval::plot(&plotted));
        Ok(section)
    }

    fn train(&self, seed: u64) -> Result<SearchSection, SearchEvalError> {
        let (dbp, fbw) = (retrieval::index(&self.dbp)?, retrieval::index(&self.fbw)?);
        let of = |collection, view, topics| training::TrainedCollection::new(collection, view, topics);
        let collections = [of(&self.dbp, &dbp, &self.dbp_topics[..]), of(&self.fbw, &fbw, &self.fbw_topics[..])];
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

    fn typed_dbp(&self) -> Result<EntityCollection, WebError> {
        let mut dbp = self.dbp.clone();
        dbp.add_inferred_types(&self.directory)?;
        Ok(dbp)
    }
}
