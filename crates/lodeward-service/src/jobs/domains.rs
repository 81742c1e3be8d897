//! The domains of a crawl, read at most every few seconds.

use std::sync::Arc;

use lodeward::frontier::FrontierError;
use lodeward_app::crawl_dir::CrawlOpenError;
use lodeward_app::domains::{CrawlBottleneck, DomainState, read_domains};

use super::{JobError, JobTable};
use crate::timed_cache::TimedCache;

/// The domains of a crawl at one time.
pub(crate) struct DomainTable {
    /// The domains, by name.
    pub(crate) domains: Vec<DomainState>,
    /// What delays the crawl most.
    pub(crate) bottleneck: Option<CrawlBottleneck>,
    /// When they were read, in milliseconds since the Unix epoch.
    pub(crate) read_at_ms: u64,
}

/// The last read of the domains of a crawl.
pub(super) type DomainCache = TimedCache<DomainTable>;

impl JobTable {
    /// The domains of a crawl, at most a few seconds old.
    pub(crate) async fn domains(&self, id: u32) -> Result<Arc<DomainTable>, JobError> {
        let job = self.job(id)?;
        let (config, open_crawl, now) = (self.config(id)?, self.open_job(&job).await?, self.now);
        let table = job.domains.get_or_read(now, move || {
            let read_at_ms = now();
            let domains = read_domains(&config, &open_crawl, read_at_ms)?;
            let bottleneck = CrawlBottleneck::find(&domains, read_at_ms);
            Ok::<_, FrontierError>(DomainTable { domains, bottleneck, read_at_ms })
        });
        Ok(table.await.map_err(CrawlOpenError::from)?)
    }

    /// The number of domains that delay a running crawl.
    pub(crate) fn delayed_domains(&self) -> u64 {
        let jobs = self.jobs();
        jobs.values().map(|job| job.delayed_domains((self.now)()) as u64).sum()
    }
}
