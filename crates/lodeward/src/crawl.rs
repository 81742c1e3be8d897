//! A crawl, put together from its parts.

use tokio::sync::{mpsc, watch};

pub use crate::engine::builder::CrawlBuilder;
use crate::engine::{self, CrawlCommand, CrawlError, CrawlSnapshot, StopReason};
use crate::model::Uri;

/// A crawl that is ready to run.
pub struct Crawl(CrawlBuilder);

impl CrawlBuilder {
    /// The crawl.
    #[must_use]
    pub fn build(self) -> Crawl {
        Crawl(self)
    }
}

impl Crawl {
    /// Runs the crawl until no URIs are left, a limit is reached, or a command stops it.
    ///
    /// Seeds that are already known, as in a resumed crawl, are ignored. The crawl continues when
    /// `commands` is closed.
    pub async fn run(
        self,
        seeds: Vec<Uri>,
        commands: mpsc::Receiver<CrawlCommand>,
        progress: watch::Sender<CrawlSnapshot>,
    ) -> Result<(StopReason, CrawlSnapshot), CrawlError> {
        engine::run(self.0, seeds, commands, progress).await
    }
}
