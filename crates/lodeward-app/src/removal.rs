//! Removal on request: documents leave the harvest, the archive and the search index, and are not
//! fetched again.
//!
//! A removal is recorded first (`removal_list`), so that no crawl fetches its documents again, also if
//! it is interrupted; repeating it completes it. Then each crawl records the removal of its documents,
//! as for a deleted document, and the archive follows.

use std::collections::HashSet;

use lodeward::frontier::FrontierError;
use lodeward::model::Uri;
use lodeward::store::StoreError;
use lodeward_archive::Archive;

use crate::crawl_dir::OpenCrawl;
use crate::data_dir::DataDir;
use crate::graph_export::{self, ExportError};
use crate::removal_list::RemovalTarget;
use crate::repair::remove_documents;
use crate::settings::Config;

/// Documents cannot be removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RemovalError {
    /// The frontier cannot be read.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The harvest cannot be changed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The export of a crawl cannot be removed.
    #[error(transparent)]
    Export(#[from] ExportError),
}

/// What was removed from a crawl.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CrawlRemoval {
    /// Number of documents.
    pub documents: u64,
    /// Whether the export of the crawl to the archive was deleted, because it may repeat their statements.
    pub has_deleted_export: bool,
}

/// Removes documents from a crawl that does not run. The archive follows when it catches up. `archive` is `None` if
/// there is none.
pub async fn remove_from_crawl(
    config: &Config,
    data_dir: &DataDir,
    crawl: &OpenCrawl,
    archive: Option<&Archive>,
    target: &RemovalTarget,
) -> Result<CrawlRemoval, RemovalError> {
    let mut stored = Vec::new();
    for uri in matching_uris(crawl, target).await? {
        if crawl.segments.find(&uri)?.is_some() {
            stored.push(uri);
        }
    }
    if stored.is_empty() {
        return Ok(CrawlRemoval::default());
    }
    remove_documents(crawl, &stored).await?;
    let has_deleted_export = match archive {
        Some(archive) => graph_export::remove_export(config, data_dir, archive, crawl.dir.id())?,
        None => false,
    };
    Ok(CrawlRemoval { documents: stored.len() as u64, has_deleted_export })
}

/// The settled URIs of a crawl that a target covers.
async fn matching_uris(crawl: &OpenCrawl, target: &RemovalTarget) -> Result<HashSet<Uri>, RemovalError> {
    if let RemovalTarget::Uri(uri) = target {
        let known = crawl.frontier.uri_record(uri).await?;
        return Ok(known.map(|record| record.uri).into_iter().collect());
    }
    let mut found = HashSet::new();
    for record in crawl.frontier.settled_snapshot() {
        let uri = record?.uri;
        if target.covers(&uri) {
            found.insert(uri);
        }
    }
    Ok(found)
}
