//! The domains of a crawl, read at most every few seconds.

use std::sync::Arc;

use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::domains::{CrawlBottleneck, DomainState, read_domains};

use super::{JobError, JobTable};

/// The minimum time between two reads, in milliseconds, and the time between them as a multiple of the duration of a
/// read: a read takes the longer the more URIs a crawl has.
const MIN_AGE_MS: u64 = 1_000;
const AGE_FACTOR: u64 = 10;

/// The domains of a crawl at one time.
pub(crate) struct DomainTable {
    /// The domains, by name.
    pub(crate) domains: Vec<DomainState>,
    /// What delays the crawl most.
    pub(crate) bottleneck: Option<CrawlBottleneck>,
    /// When they were read, in milliseconds since the Unix epoch.
    pub(crate) read_at_ms: u64,
    /// Duration of the read, in milliseconds.
    took_ms: u64,
}

impl DomainTable {
    fn is_current(&self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.read_at_ms) < MIN_AGE_MS.max(AGE_FACTOR.saturating_mul(self.took_ms))
    }
}

/// The last read of the domains of a crawl. The lock is held during a read, so that one read serves all who wait.
#[derive(Default)]
pub(super) struct DomainCache(tokio::sync::Mutex<Option<Arc<DomainTable>>>);

impl DomainCache {
    /// Forgets the last read, after a change of the crawl.
    pub(super) async fn clear(&self) {
        *self.0.lock().await = None;
    }
}

impl JobTable {
    /// The domains of a crawl, at most a few seconds old.
    pub(crate) async fn domains(&self, id: u32) -> Result<Arc<DomainTable>, JobError> {
        let job = self.job(id)?;
        let mut cached = job.domains.0.lock().await;
        if let Some(table) = cached.as_ref().filter(|table| table.is_current((self.now)())) {
            return Ok(Arc::clone(table));
        }
        let (config, open_crawl, now) = (self.config(id)?, self.open_job(&job).await?, self.now);
        let reading = tokio::task::spawn_blocking(move || {
            let read_at_ms = now();
            let domains = read_domains(&config, &open_crawl, read_at_ms)?;
            let bottleneck = CrawlBottleneck::find(&domains, read_at_ms);
            Ok(DomainTable { domains, bottleneck, read_at_ms, took_ms: now().saturating_sub(read_at_ms) })
        });
        let table = reading.await.expect("reading the domains of a crawl does not panic");
        let table = Arc::new(table.map_err(|error: lodeward::frontier::FrontierError| CrawlOpenError::from(error))?);
        *cached = Some(Arc::clone(&table));
        Ok(table)
    }

    /// The number of domains that delay a running crawl.
    pub(crate) fn delayed_domains(&self) -> u64 {
        let jobs = self.jobs();
        jobs.values().map(|job| job.delayed_domains((self.now)()) as u64).sum()
    }
}
