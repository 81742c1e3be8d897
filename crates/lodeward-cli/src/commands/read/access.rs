//! The data that a command reads: an archive and crawls, opened by this process.

use std::path::Path;
use std::sync::Arc;

use lodeward_app::crawl_dir::{self, OpenCrawl};
use lodeward_app::data_dir::CrawlDir;
use lodeward_app::followers::search::SearchIndex;
use lodeward_app::settings::Config;
use lodeward_archive::Archive;

use super::ReadOutput;
use crate::catch_up::{ArchiveOpener, HarvestState};
use crate::clock;
use crate::commands::find_crawl;
use crate::interrupt::Interrupt;
use crate::progress::ProgressMode;

/// Whether the archive is first updated from the crawls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands) enum CatchUpChoice {
    Update,
    Skip,
}

impl CatchUpChoice {
    /// As `--no-catch-up` says.
    pub(in crate::commands) fn new(no_catch_up: bool) -> Self {
        if no_catch_up { Self::Skip } else { Self::Update }
    }
}

/// An archive that is open in this process.
pub(in crate::commands) struct ReadArchive {
    pub(in crate::commands) archive: Archive,
    /// The search index, if it is enabled.
    pub(in crate::commands) search: Option<Arc<SearchIndex>>,
    /// Whether the harvests of all crawls could be read.
    pub(in crate::commands) harvest: HarvestState,
}

/// A crawl that is open while this value exists.
pub(in crate::commands) type CrawlGuard = Box<dyn AsRef<OpenCrawl>>;

/// Opens the data of a data directory.
pub(in crate::commands) trait DataAccess {
    /// The path of the data directory in this process.
    fn data(&self) -> &Path;

    /// The archive and its search index.
    fn archive(
        &self,
        config: &Config,
        choice: CatchUpChoice,
        output: &mut dyn ReadOutput,
    ) -> anyhow::Result<ReadArchive>;

    /// An open crawl.
    fn crawl(&self, config: &Config, dir: &CrawlDir) -> anyhow::Result<CrawlGuard>;

    /// The most memory that a query may take, unless there is no limit.
    fn max_memory_bytes(&self) -> Option<u64>;
}

/// A data directory that this command opens.
pub(in crate::commands) struct LocalAccess<'a> {
    pub(super) data: &'a Path,
    pub(super) interrupt: &'a Interrupt,
    pub(super) quiet: bool,
    pub(super) progress: ProgressMode,
}

impl DataAccess for LocalAccess<'_> {
    fn data(&self) -> &Path {
        self.data
    }

    fn archive(&self, config: &Config, choice: CatchUpChoice, _: &mut dyn ReadOutput) -> anyhow::Result<ReadArchive> {
        let opener = ArchiveOpener {
            config,
            data: self.data,
            interrupt: self.interrupt,
            quiet: self.quiet,
            progress: self.progress,
        };
        let (targets, archive) = opener.open()?;
        let harvest = match choice {
            CatchUpChoice::Update => opener.catch_up(&targets)?,
            CatchUpChoice::Skip => HarvestState::Complete,
        };
        Ok(ReadArchive { archive, search: targets.search(), harvest })
    }

    fn crawl(&self, config: &Config, dir: &CrawlDir) -> anyhow::Result<CrawlGuard> {
        let opened = crawl_dir::open_crawl(config, dir, clock::now_ms);
        Ok(Box::new(LocalCrawl(opened.map_err(find_crawl::explain_open)?)))
    }

    fn max_memory_bytes(&self) -> Option<u64> {
        None
    }
}

/// A crawl that this command has opened.
struct LocalCrawl(OpenCrawl);

impl AsRef<OpenCrawl> for LocalCrawl {
    fn as_ref(&self) -> &OpenCrawl {
        &self.0
    }
}
