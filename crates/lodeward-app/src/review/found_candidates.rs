//! Entities of the archive that a search has found for the words of a focused crawl. They are
//! candidates of the crawl, whatever their distance from its seeds.

use serde::{Deserialize, Serialize};

use crate::data_dir::{CrawlDir, DataDirError};

/// The file in the directory of a crawl.
const FILE_NAME: &str = "found.json";

/// What was searched and found. Stored, so that a resumed crawl and `lodeward rank` have the same
/// candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FoundCandidates {
    /// The words of each search.
    pub(crate) words: Vec<String>,
    /// IRIs of the entities, in the order of the searches.
    pub(crate) entities: Vec<String>,
}

impl FoundCandidates {
    /// The stored results; none if nothing was searched.
    pub(crate) fn read(crawl: &CrawlDir) -> Result<Self, DataDirError> {
        Ok(crawl.read_json(FILE_NAME)?.unwrap_or_default())
    }

    /// Stores the results.
    pub(crate) fn write(&self, crawl: &CrawlDir) -> Result<(), DataDirError> {
        crawl.write_json(FILE_NAME, self)
    }
}
