//! Opens the files of each crawl once, shares them between all callers, and closes the least
//! recently used.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use lodeward_app::crawl_dir;
use lodeward_app::crawl_dir::{CrawlOpenError, OpenCrawl};

use super::job::Job;
use super::{JobError, JobTable};

/// Maximum number of crawls that are kept open although they do not run. Each needs memory.
const MAX_OPEN: usize = 4;

/// The opened files of a crawl, if they are open.
#[derive(Default)]
pub(super) struct OpenCrawlSlot {
    /// Keeps the files open until [`Job::close_crawl`] is called.
    pub(super) held: Option<Arc<OpenCrawl>>,
    /// The files while a caller still uses them. They are shared, because a crawl cannot be opened
    /// twice.
    pub(super) last: Weak<OpenCrawl>,
}

/// The IDs of the crawls that were opened last, in order of use.
#[derive(Default)]
pub(super) struct RecentCrawls(Mutex<VecDeque<u32>>);

impl RecentCrawls {
    /// Records that a crawl was used. Returns the crawls that should be closed.
    fn touch(&self, id: u32) -> Vec<u32> {
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        recent.retain(|other| *other != id);
        recent.push_back(id);
        let surplus = recent.len().saturating_sub(MAX_OPEN);
        recent.drain(..surplus).collect()
    }
}

/// Number of attempts to open a crawl that is in use, and the time between them. A database that
/// was just closed releases its files after a delay: a parser that was abandoned may still use it.
const MAX_OPEN_ATTEMPTS: u32 = 100;
const OPEN_RETRY_INTERVAL: Duration = Duration::from_millis(100);

/// Number of checks whether a closed crawl is still used by a caller, and the time between the checks.
const MAX_CLOSE_CHECKS: u32 = 100;
const CLOSE_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Number of these checks before a run fails because its crawl is still used.
const MAX_RUN_CHECKS: u32 = 1_200;

fn open_with_retry(open: impl Fn() -> Result<OpenCrawl, CrawlOpenError>) -> Result<OpenCrawl, CrawlOpenError> {
    for _ in 1..MAX_OPEN_ATTEMPTS {
        match open() {
            Err(CrawlOpenError::InUse(_)) => std::thread::sleep(OPEN_RETRY_INTERVAL),
            opened => return opened,
        }
    }
    open()
}

impl JobTable {
    /// Returns the opened files of a crawl, and opens them if necessary.
    pub(super) async fn open_job(&self, job: &Arc<Job>) -> Result<Arc<OpenCrawl>, JobError> {
        let mut slot = job.open_crawl.lock().await;
        if let Some(open_crawl) = slot.held.clone().or_else(|| slot.last.upgrade()) {
            slot.held = Some(Arc::clone(&open_crawl));
            return Ok(open_crawl);
        }
        let open_crawl = self.open_slot(job, &mut slot).await?;
        drop(slot);
        self.close_least_recent(job.id());
        Ok(open_crawl)
    }

    /// Returns the opened files of a crawl for a run. If an earlier run has used them, they are
    /// closed and opened again: what that run left in memory, such as changes that could not be
    /// written because the disk was full, must not become part of this run.
    pub(super) async fn open_for_run(&self, job: &Arc<Job>) -> Result<Arc<OpenCrawl>, JobError> {
        // Locked until the crawl is open, so that no reader uses the old files in between.
        let mut slot = job.open_crawl.lock().await;
        let current = slot.held.take().or_else(|| slot.last.upgrade());
        if let Some(open_crawl) = current.as_ref().filter(|open_crawl| !open_crawl.has_run()) {
            slot.held = Some(Arc::clone(open_crawl));
            return Ok(Arc::clone(open_crawl));
        }
        let _ = tokio::task::spawn_blocking(move || drop(current)).await;
        if !is_released(&slot, MAX_RUN_CHECKS).await {
            return Err(JobError::BeingRead(job.id()));
        }
        let open_crawl = self.open_slot(job, &mut slot).await?;
        drop(slot);
        self.close_least_recent(job.id());
        Ok(open_crawl)
    }

    /// Opens the files of a crawl.
    async fn open_slot(&self, job: &Arc<Job>, slot: &mut OpenCrawlSlot) -> Result<Arc<OpenCrawl>, JobError> {
        let config = self.crawl_config(job)?.config;
        let (directory, targets, now) = (self.data_dir.crawl(job.id()), self.targets.clone(), self.now);
        let opened = tokio::task::spawn_blocking(move || {
            let mut open_crawl = open_with_retry(|| crawl_dir::open_crawl(&config, &directory, now))?;
            open_crawl.targets = targets;
            Ok(Arc::new(open_crawl))
        });
        let open_crawl = match opened.await.expect("opening a crawl does not panic") {
            Ok(open_crawl) => open_crawl,
            Err(CrawlOpenError::InUse(_)) => return Err(JobError::InUse(job.id())),
            Err(error) => return Err(error.into()),
        };
        *slot = OpenCrawlSlot { held: Some(Arc::clone(&open_crawl)), last: Arc::downgrade(&open_crawl) };
        Ok(open_crawl)
    }

    /// Records that a crawl was used, and closes the crawls that were not used for the longest time.
    pub(super) fn close_least_recent(&self, id: u32) {
        for id in self.recent.touch(id) {
            let Some(job) = self.jobs().get(&id).cloned() else { continue };
            if job.is_running() {
                continue;
            }
            self.runtime.spawn(async move { job.close_crawl().await });
        }
    }
}

impl Job {
    /// Closes the files of the crawl as soon as no caller uses them.
    pub(super) async fn close_crawl(&self) {
        let open_crawl = self.open_crawl.lock().await.held.take();
        // Closing a database blocks.
        let _ = tokio::task::spawn_blocking(move || drop(open_crawl)).await;
    }

    /// Like [`close_crawl`](Self::close_crawl), and waits for a limited time until the files are
    /// closed.
    pub(super) async fn close_crawl_and_wait(&self) {
        self.close_crawl().await;
        is_released(&*self.open_crawl.lock().await, MAX_CLOSE_CHECKS).await;
    }
}

/// Waits until no caller uses the files of a crawl. Returns false if one still does after this
/// number of checks.
async fn is_released(slot: &OpenCrawlSlot, max_checks: u32) -> bool {
    let mut checks = tokio::time::interval(CLOSE_CHECK_INTERVAL);
    for _ in 0..max_checks {
        checks.tick().await;
        if slot.last.strong_count() == 0 {
            return true;
        }
    }
    false
}
