//! Finds entities by plain words, with filters, snippets and reasons; similar entities, clusters of
//! entities, and proposed links between them.

pub mod clusters;
pub mod links;
mod result_file;
mod selection;
mod similar;
mod snippet;
mod sparql;

pub use self::selection::{EntitySelection, SelectedEntities};
pub use self::similar::{SimilarResult, similar};
pub use self::sparql::SparqlSearch;

use std::path::Path;
use std::sync::Arc;

use lodeward_archive::ArchiveError;
use lodeward_search::SearchError;
use lodeward_search::retrieve::published::QueryTypeChoice;
use lodeward_search::retrieve::{Facet, Hit, Method, ScorePart, SearchFilter, SearchRequest, TypeFilter};
use serde::Serialize;

use self::snippet::SnippetFinder;
use crate::data_dir::CrawlDir;
use crate::display_text::single_line;
use crate::followers::search::{SearchIndex, SearchIndexError, is_of_crawl};
use crate::json_file::FileError;
use crate::prefixes::expand_name;
use crate::review::{MarkFile, MarkFilter, MarkKind, MarksError};

/// Maximum length of the words of a query in bytes.
pub const MAX_QUERY_BYTES: usize = 1_000;

/// A search could not be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EntitySearchError {
    /// The index cannot be read.
    #[error(transparent)]
    Index(#[from] SearchIndexError),
    /// The marks of the crawl cannot be read.
    #[error(transparent)]
    Marks(#[from] MarksError),
    /// The query has no words.
    #[error("the query has no words")]
    Empty,
    /// The query is too long.
    #[error("the query is longer than {MAX_QUERY_BYTES} bytes")]
    TooLong,
    /// The prefix of a type is unknown.
    #[error("type `{0}`: unknown prefix; write the whole IRI")]
    UnknownPrefix(String),
    /// Marks belong to a crawl.
    #[error("marks can be selected only with a crawl")]
    MarkWithoutCrawl,
    /// The archive has no such entity.
    #[error("<{0}> is not an entity of the archive")]
    UnknownEntity(String),
    /// Entities were not clustered yet.
    #[error("there are no clusters")]
    NoClusters,
    /// There is no such cluster.
    #[error("there is no cluster {0}")]
    UnknownCluster(u32),
    /// Too many entities to compare.
    #[error("more than {max} entities are selected", max = links::MAX_LINK_ENTITIES)]
    TooMany,
    /// There is no such proposed link.
    #[error("there is no proposed link {0}")]
    UnknownLink(String),
    /// A result cannot be stored or read.
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<SearchError> for EntitySearchError {
    fn from(error: SearchError) -> Self {
        Self::Index(error.into())
    }
}

impl From<ArchiveError> for EntitySearchError {
    fn from(error: ArchiveError) -> Self {
        Self::Index(error.into())
    }
}

/// A search for entities.
#[derive(Clone, Debug, Default)]
pub struct EntitySearch {
    /// The words.
    pub words: String,
    /// Retrieval method.
    pub method: Method,
    /// The type of entities that the words ask for, such as `film`, in the method `published`; detected
    /// if there is none.
    pub query_type: Option<String>,
    /// Maximum number of results.
    pub limit: usize,
    /// IRIs of types, names with a usual prefix, or words of their names.
    pub types: Vec<String>,
    /// Graphs with statements about the entity.
    pub graphs: Vec<String>,
    /// Pay-level domains of the entity or of its documents.
    pub domains: Vec<String>,
    /// Languages of its texts.
    pub languages: Vec<String>,
    /// A crawl that has a document about the entity.
    pub crawl: Option<u32>,
    /// Marks of the crawl. Without a crawl, marks are ignored.
    pub mark: MarkFilter,
    /// Whether the last word is being typed.
    pub is_prefix: bool,
    /// Whether to count facets.
    pub has_facets: bool,
}

/// The results of a search.
#[derive(Clone, Debug, Serialize)]
pub struct EntityResults {
    /// Entities, best first.
    pub results: Vec<EntityResult>,
    /// Words that are not in the index, and what was searched instead.
    pub corrections: Vec<CorrectedWord>,
    /// How often types, domains and languages occur among the best 1,000 results, if requested.
    pub facets: Vec<FacetCounts>,
    /// Number of changes of the archive, of up to 128 statements each, that the index did not contain; 0
    /// if it was up to date.
    pub pending: u64,
}

/// An entity that was found.
#[derive(Clone, Debug, Serialize)]
pub struct EntityResult {
    /// IRI of the entity.
    pub iri: String,
    /// Its label, or the name in its IRI.
    pub label: String,
    /// Score; comparable within one search.
    pub score: f64,
    /// IRIs of its types.
    pub types: Vec<String>,
    /// The statement that matches best.
    pub snippet: Option<Snippet>,
    /// What the score consists of.
    pub why: Vec<FeatureShare>,
}

/// A statement that matches the words of a search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Snippet {
    /// `label`, `alias`, `description`, `literal`, `type`, or `neighbour`.
    pub field: &'static str,
    /// The text, cut.
    pub text: String,
    /// The graph of the statement, which is the URL of the document; none in the default graph.
    pub document: Option<String>,
}

/// A part of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FeatureShare {
    /// Name of the feature.
    pub feature: &'static str,
    /// Its value, from 0 to 1 among the candidates of the search; of `bm25f` alone, the score.
    pub value: f64,
    /// What it adds to the score.
    pub share: f64,
}

/// A word that was replaced.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CorrectedWord {
    /// The word as given.
    pub word: String,
    /// The word that was searched.
    pub replacement: String,
}

/// How often values occur.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetCounts {
    /// `type`, `domain` or `language`.
    pub name: &'static str,
    /// Values, most frequent first.
    pub values: Vec<FacetCount>,
}

/// How often a value occurs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetCount {
    /// The value.
    pub value: String,
    /// Number of results.
    pub count: u64,
}

/// Searches the index as of its last update. `data` is the data directory.
pub fn search(index: &SearchIndex, data: &Path, search: &EntitySearch) -> Result<EntityResults, EntitySearchError> {
    check_words(&search.words)?;
    let request = SearchRequest {
        query: &search.words,
        method: search.method,
        limit: search.limit,
        filter: filter(search)?,
        is_prefix: search.is_prefix,
        has_facets: search.has_facets,
    };
    let mut options = index.retrieval_options().clone();
    if search.method == Method::Published {
        options.published.expansion.clusters = clusters::neighbours(data).map(Arc::new);
    }
    if let Some(name) = &search.query_type {
        options.published.affinity.query_type = QueryTypeChoice::Given(name.clone());
    }
    let snapshot = index.archive().snapshot();
    let marks = match (search.mark, search.crawl) {
        (_, Some(crawl)) => Some(MarkFile::open(CrawlDir::new(data, crawl).path())?),
        (MarkFilter::Only(_), None) => return Err(EntitySearchError::MarkWithoutCrawl),
        (MarkFilter::All | MarkFilter::Undropped, None) => None,
    };
    let pending = index.pending()?;
    let outcome = index.view()?.find(&request, &options, |hit: &Hit| {
        if !marks.as_ref().is_none_or(|marks| is_selected(search.mark, marks, &hit.iri)) {
            return Ok(false);
        }
        Ok::<_, EntitySearchError>(match search.crawl {
            Some(crawl) => is_of_crawl(&snapshot, hit.key.0, crawl)?,
            None => true,
        })
    })?;
    let finder = SnippetFinder::new(&snapshot, &outcome.terms);
    let result = |hit: Hit| entity_result(hit, &finder);
    let corrections = outcome.corrections.into_iter();
    Ok(EntityResults {
        results: outcome.hits.into_iter().map(result).collect::<Result<_, _>>()?,
        corrections: corrections.map(|of| CorrectedWord { word: of.word, replacement: of.replacement }).collect(),
        facets: outcome.facets.into_iter().map(facet_counts).collect(),
        pending,
    })
}

fn check_words(words: &str) -> Result<(), EntitySearchError> {
    if words.len() > MAX_QUERY_BYTES {
        return Err(EntitySearchError::TooLong);
    }
    if lodeward_search::text::words(words).is_empty() { Err(EntitySearchError::Empty) } else { Ok(()) }
}

fn filter(search: &EntitySearch) -> Result<SearchFilter, EntitySearchError> {
    Ok(SearchFilter {
        types: search.types.iter().map(|text| type_filter(text)).collect::<Result<_, _>>()?,
        graphs: search.graphs.clone(),
        domains: search.domains.clone(),
        languages: search.languages.clone(),
    })
}

/// A type as users write it: an IRI, a name with a usual prefix, or words of its name.
fn type_filter(text: &str) -> Result<TypeFilter, EntitySearchError> {
    if !text.contains(':') {
        return Ok(TypeFilter::Words(text.to_owned()));
    }
    let iri = expand_name(text).ok_or_else(|| EntitySearchError::UnknownPrefix(text.to_owned()))?;
    Ok(TypeFilter::Iri(iri))
}

fn is_selected(filter: MarkFilter, marks: &MarkFile, iri: &str) -> bool {
    let mark = marks.get(iri).map(|record| record.mark);
    match filter {
        MarkFilter::Undropped => mark != Some(MarkKind::Drop),
        MarkFilter::All => true,
        MarkFilter::Only(expected) => mark == expected,
    }
}

fn entity_result(hit: Hit, finder: &SnippetFinder<'_>) -> Result<EntityResult, EntitySearchError> {
    let part = |part: ScorePart| FeatureShare { feature: part.name, value: part.value, share: part.share };
    let why = hit.parts.into_iter().map(part).collect();
    Ok(EntityResult {
        snippet: finder.find(hit.key.0)?,
        label: single_line(&hit.label).into_owned(),
        iri: hit.iri,
        score: hit.score,
        types: hit.types,
        why,
    })
}

fn facet_counts(Facet { name, values }: Facet) -> FacetCounts {
    FacetCounts { name, values: values.into_iter().map(|(value, count)| FacetCount { value, count }).collect() }
}
