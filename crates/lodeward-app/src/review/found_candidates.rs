//! Entities of the archive that a search finds for the words of a focused crawl. They are candidates
//! of the crawl, whatever their distance from its seeds.

use serde::{Deserialize, Serialize};

use crate::crawl_dir::OpenCrawl;
use crate::data_dir::{CrawlDir, DataDirError};
use crate::settings::{Config, StrategyKind};
use lodeward::model::Uri;

/// The file in the directory of a crawl.
const FILE_NAME: &str = "found.json";

/// Number of results of one search that become candidates.
const MAX_FOUND: usize = 100;

/// The words of a focused crawl cannot be searched.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FoundCandidatesError {
    /// There is no search index.
    #[error("cannot search `ranking.candidate_words`: the search index is disabled")]
    NoIndex,
    /// The search index cannot be read.
    #[cfg(feature = "search")]
    #[error("cannot search `ranking.candidate_words`")]
    Search(#[from] crate::search::EntitySearchError),
    /// The file of the results cannot be read or written.
    #[error(transparent)]
    File(#[from] DataDirError),
}

/// What was searched and found. Stored, so that a resumed crawl and `lodeward rank` have the same
/// candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoundCandidates {
    /// The words of each search.
    words: Vec<String>,
    /// IRIs of the entities, in the order of the searches.
    pub(crate) entities: Vec<String>,
}

impl FoundCandidates {
    /// The stored results; none if nothing was searched.
    pub(crate) fn read(crawl: &CrawlDir) -> Result<Self, DataDirError> {
        Ok(crawl.read_json(FILE_NAME)?.unwrap_or_default())
    }
}

/// Searches the words of the settings, unless they were searched before. Returns the URLs of all results
/// that are no seeds of the crawl.
pub(crate) fn find_candidates(
    config: &Config,
    crawl: &OpenCrawl,
    seeds: &[Uri],
) -> Result<Vec<Uri>, FoundCandidatesError> {
    if config.crawl.strategy != StrategyKind::Focus {
        return Ok(Vec::new());
    }
    let mut known = FoundCandidates::read(&crawl.dir)?;
    let is_new = |words: &&String| !known.words.contains(words);
    let new: Vec<String> = config.ranking.candidate_words.iter().filter(is_new).cloned().collect();
    for words in new {
        let mut found = search(crawl, &words)?;
        found.retain(|entity| {
            Uri::parse(entity).is_ok_and(|uri| !seeds.contains(&uri)) && !known.entities.contains(entity)
        });
        tracing::info!(words, entities = found.len(), "candidates found by words");
        known.entities.append(&mut found);
        known.words.push(words);
        crawl.dir.write_json(FILE_NAME, &known)?;
    }
    Ok(known.entities.iter().filter_map(|entity| Uri::parse(entity).ok()).collect())
}

/// The IRIs of the entities that match words best.
#[cfg(feature = "search")]
fn search(crawl: &OpenCrawl, words: &str) -> Result<Vec<String>, FoundCandidatesError> {
    use crate::search::{EntitySearch, EntitySearchError};

    let index = crawl.targets.search().ok_or(FoundCandidatesError::NoIndex)?;
    index.update_now().map_err(EntitySearchError::from)?;
    let search = EntitySearch { words: words.to_owned(), limit: MAX_FOUND, ..EntitySearch::default() };
    let found = crate::search::search(&index, crawl.dir.path(), &search)?;
    Ok(found.results.into_iter().map(|result| result.iri).collect())
}

#[cfg(not(feature = "search"))]
fn search(_: &OpenCrawl, _: &str) -> Result<Vec<String>, FoundCandidatesError> {
    Err(FoundCandidatesError::NoIndex)
}
