//! Searches the archive for the words of a focused crawl.

use crate::crawl_dir::OpenCrawl;
use crate::data_dir::DataDirError;
use crate::review::FoundCandidates;
use crate::settings::{Config, StrategyKind};
use lodeward::model::Uri;

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
        known.write(&crawl.dir)?;
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
