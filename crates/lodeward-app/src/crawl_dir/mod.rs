//! The directory of a crawl: its frontier and its harvest.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, FrontierError, UriRecord};
use lodeward::store::segments::{self, SegmentStore};
use lodeward::store::{Store, StoreError};

use crate::data_dir::CrawlDir;
use crate::followers::FollowerTargets;
use crate::settings::{Config, frontier_options};

/// The directory of a crawl cannot be opened.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrawlOpenError {
    /// Another process uses the crawl.
    #[error("{0} is in use by another process")]
    InUse(PathBuf),
    /// The database of the crawl cannot be opened.
    #[error("cannot open {path}")]
    Database {
        /// The path of the directory.
        path: PathBuf,
        /// Why the operation on the directory failed.
        #[source]
        source: fjall::Error,
    },
    /// The frontier cannot be opened.
    #[error(transparent)]
    Frontier(#[from] FrontierError),
    /// The store cannot be opened.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The data of a crawl on disk, opened.
pub struct OpenCrawl {
    /// The frontier of the crawl.
    pub frontier: Arc<dyn Frontier>,
    /// The store of the harvest.
    pub store: Arc<dyn Store>,
    /// The harvest as a log for followers.
    pub segments: Arc<SegmentStore>,
    /// The directory of the crawl.
    pub dir: CrawlDir,
    /// The targets of its followers. If the caller has opened them for several crawls, it sets them
    /// here; otherwise the crawl opens its own.
    pub targets: FollowerTargets,
    embedded: Arc<EmbeddedFrontier>,
}

impl OpenCrawl {
    /// Queues documents again that were lost in a power cut. Called before a crawl runs; a crawl
    /// that is only read is not changed. Returns the records of the documents.
    pub fn requeue_lost(&self) -> Result<Vec<UriRecord>, CrawlOpenError> {
        let requeued = self.embedded.requeue_lost(self.segments.lost_documents())?;
        // The lost documents are acknowledged after they are queued: if the process is killed
        // before this line, the next process finds them again.
        self.segments.acknowledge_lost()?;
        if !requeued.is_empty() {
            tracing::warn!(documents = requeued.len(), "documents lost in a power cut are fetched again");
        }
        Ok(requeued)
    }

    /// The frontier, with the operations of a repair.
    pub(crate) fn embedded_frontier(&self) -> &EmbeddedFrontier {
        &self.embedded
    }
}

/// The clock, in milliseconds since the Unix epoch. A parameter, because only the engine and
/// the binaries read a clock.
pub type NowMs = fn() -> u64;

/// Opens the crawl in this directory, or creates it.
pub fn open_crawl(config: &Config, dir: &CrawlDir, now: NowMs) -> Result<OpenCrawl, CrawlOpenError> {
    let (store, database) = open_segments(config, dir.path())?;
    let embedded = Arc::new(EmbeddedFrontier::open(&database, frontier_options(config, now))?);
    let segments = Arc::new(store);
    let store = Arc::clone(&segments) as Arc<dyn Store>;
    let frontier = Arc::clone(&embedded) as Arc<dyn Frontier>;
    let targets = FollowerTargets::default();
    Ok(OpenCrawl { frontier, store, segments, dir: dir.clone(), targets, embedded })
}

/// Opens the harvest of a crawl, and the database with its index.
pub(crate) fn open_segments(
    config: &Config,
    directory: &Path,
) -> Result<(SegmentStore, fjall::Database), CrawlOpenError> {
    let path = directory.join("state");
    let database = embedded::open_database(&path, config.store.frontier_cache.0.div_ceil(1 << 20)).map_err(
        |source| match source {
            fjall::Error::Locked => CrawlOpenError::InUse(directory.to_owned()),
            source => CrawlOpenError::Database { path: path.clone(), source },
        },
    )?;
    embedded::require_version(&database)?;
    let documents = documents_table(&database).map_err(|source| CrawlOpenError::Database { path, source })?;
    let options = segments::SegmentOptions::default();
    let store = SegmentStore::open(directory.join("segments"), documents, database.clone(), options)?;
    Ok((store, database))
}

/// Opens or creates the database table that holds the index of a harvest.
pub(crate) fn documents_table(database: &fjall::Database) -> Result<fjall::Keyspace, fjall::Error> {
    database.keyspace("documents", || fjall::KeyspaceCreateOptions::default().max_memtable_size(2 << 20))
}
