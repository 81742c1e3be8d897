//! The directory of a crawl: its frontier and its harvest.

mod blocking;
mod state;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lodeward::engine::{CrawlSnapshot, Tally, WaitReasons};
use lodeward::frontier::{Frontier, FrontierError, UriRecord};
use lodeward::store::segments::SegmentStore;
use lodeward::store::{Store, StoreError};

use crate::data_dir::{CrawlDir, CrawlStatus, DataDirError};
use crate::followers::FollowerTargets;
use crate::settings::Config;

pub(crate) use blocking::wait;
pub use state::{StateRepair, StateRestoreError, delete_state, repair_state};
pub(crate) use state::{dump_state, open_segments, restore_state};

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
    /// A file of the database is damaged.
    #[error("the state of the crawl is damaged: {}: {what}", .path.display())]
    Damaged {
        /// The path of the file.
        path: PathBuf,
        /// The defect.
        what: String,
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
    /// Why domains are delayed, while a run uses the crawl.
    pub wait_reasons: Arc<WaitReasons>,
    /// Whether a run was started.
    has_run: AtomicBool,
}

impl OpenCrawl {
    /// Queues documents again that were lost in a power cut. Called before a crawl runs; a crawl
    /// that is only read is not changed. Returns the records of the documents. Blocks.
    pub fn requeue_lost(&self) -> Result<Vec<UriRecord>, CrawlOpenError> {
        let requeued = wait(self.frontier.requeue_lost(self.segments.lost_documents()))?;
        // The lost documents are acknowledged after they are queued: if the process is killed
        // before this line, the next process finds them again.
        self.segments.acknowledge_lost()?;
        if !requeued.is_empty() {
            tracing::warn!(documents = requeued.len(), "documents lost in a power cut are fetched again");
        }
        Ok(requeued)
    }

    /// Whether a run was started. The frontier and the store then have the state of that run in
    /// memory: leases that it did not settle, or changes that it could not write. The next run must
    /// start from what is on disk, so it opens the crawl again.
    #[must_use]
    pub fn has_run(&self) -> bool {
        self.has_run.load(Ordering::Acquire)
    }

    /// Records that a run is started. Returns false if one was started before.
    pub(crate) fn begin_run(&self) -> bool {
        !self.has_run.swap(true, Ordering::AcqRel)
    }
}

/// Writes the status of a crawl that has run, if the file is damaged or missing. The time of the run
/// and why it stopped are not known; the counts are those of the last commit.
fn rebuild_status(frontier: &dyn Frontier, dir: &CrawlDir, now: NowMs) -> Result<(), CrawlOpenError> {
    if !matches!(dir.status(), Ok(None)) {
        return Ok(());
    }
    let Some(memo) = wait(frontier.memo())? else { return Ok(()) };
    let tally: Tally = serde_json::from_slice(&memo).unwrap_or_default();
    let snapshot = CrawlSnapshot { tally, census: wait(frontier.census())?, ..CrawlSnapshot::default() };
    let status = CrawlStatus { process: 0, updated_at_ms: now(), stop_reason: None, snapshot };
    // The file is derived: a crawl runs without it.
    match dir.set_status(&status) {
        Ok(()) => tracing::warn!(crawl = dir.id(), "status of the crawl rebuilt"),
        Err(error) => tracing::warn!(crawl = dir.id(), %error, "cannot rebuild the status of the crawl"),
    }
    Ok(())
}

/// The state of a crawl; `None` if it never ran. If the file is damaged or missing, it is rebuilt,
/// unless a process has the crawl open: then that process writes it. Blocks.
pub fn read_or_rebuild_status(dir: &CrawlDir, now: NowMs) -> Result<Option<CrawlStatus>, DataDirError> {
    let status = dir.status()?;
    if status.is_some() || !dir.has_state() {
        return Ok(status);
    }
    if let Err(error) = open_crawl(&Config::default(), dir, now) {
        tracing::warn!(crawl = dir.id(), %error, "cannot rebuild the status of the crawl");
    }
    dir.status()
}

/// The clock, in milliseconds since the Unix epoch. A parameter, because only the engine and
/// the binaries read a clock.
pub type NowMs = fn() -> u64;

/// Opens the crawl in this directory, or creates it.
pub fn open_crawl(config: &Config, dir: &CrawlDir, now: NowMs) -> Result<OpenCrawl, CrawlOpenError> {
    let (segments, frontier) = state::open(config, dir.path(), now)?;
    rebuild_status(&*frontier, dir, now)?;
    let segments = Arc::new(segments);
    let store = Arc::clone(&segments) as Arc<dyn Store>;
    Ok(OpenCrawl {
        frontier,
        store,
        segments,
        dir: dir.clone(),
        targets: FollowerTargets::default(),
        wait_reasons: Arc::default(),
        has_run: AtomicBool::new(false),
    })
}
