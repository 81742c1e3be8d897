//! The data of a process that holds a data directory, and its answers to commands of other processes.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lodeward_app::catch_up::{self, FeedProgress};
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::damage_record;
use lodeward_app::data_dir::{CrawlDir, DataDir};
use lodeward_app::followers::FollowerTargets;
use lodeward_app::followers::search::SearchIndex;
use lodeward_app::live::{LiveEnd, LiveHandler, LiveLimits, LiveOutcome, LiveOutput, LiveServer, SocketKind};
use lodeward_app::settings::Config;
use lodeward_archive::Archive;
use lodeward_archive::sparql::CancellationToken;
use lodeward_service::Service;

use super::access::{CatchUpChoice, CrawlGuard, DataAccess, ReadArchive};
use super::{ReadContext, ReadOutput, ReadRequest, perform};
use crate::catch_up::{HarvestState, damage_text, explain_feed, harvest_state};
use crate::errors::{error_text, exit_code};
use crate::progress::ProgressMode;

/// The most memory of a query in a process that has other work to do, as in the service.
const MAX_MEMORY_BYTES: u64 = 1 << 30;

/// How long requests wait for others, as in the service.
const MAX_QUEUE_TIME: Duration = Duration::from_secs(10);

/// The process does not have the data that a request needs.
#[derive(Debug)]
struct NotHeldError;

impl fmt::Display for NotHeldError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("this process does not use the data")
    }
}

impl std::error::Error for NotHeldError {}

/// Answers the commands of other processes while this value exists. Without it, they are refused, so
/// a failure to listen is logged and does not stop the process.
pub(in crate::commands) struct LiveReads(Option<LiveServer>);

impl LiveReads {
    pub(in crate::commands) fn start(
        data: &Path,
        kind: SocketKind,
        config: &Config,
        access: impl DataAccess + Send + Sync + 'static,
    ) -> Self {
        let limits = LiveLimits { max_running: config.service.max_concurrent_queries, max_queue_time: MAX_QUEUE_TIME };
        let server = LiveServer::listen(data, kind, limits, Arc::new(ReadHandler { access }));
        Self(server.inspect_err(|error| tracing::warn!(%error, "other commands cannot read while this one runs")).ok())
    }

    /// Ends when the running commands have ended, at the latest after this time.
    pub(in crate::commands) fn close(self, grace: Duration) {
        if let Some(server) = self.0 {
            server.close(grace);
        }
    }
}

/// Runs the commands of other processes.
struct ReadHandler<A> {
    access: A,
}

impl<A: DataAccess + Send + Sync + 'static> LiveHandler for ReadHandler<A> {
    fn handle(&self, request: &[u8], output: &mut LiveOutput<'_>, cancel: &CancellationToken) -> LiveOutcome {
        let request = match serde_json::from_slice::<ReadRequest>(request) {
            Ok(request) if request.version == env!("CARGO_PKG_VERSION") => request,
            _ => {
                let version = env!("CARGO_PKG_VERSION");
                let _ = output.note(&format!(
                    "error: the process that uses the data directory is lodeward {version}, which does not know this \
                     request\nhint: run the command with the same version of lodeward\n"
                ));
                return LiveOutcome::Done(LiveEnd { code: 1, is_complete: false, summary: None });
            }
        };
        let mut context = ReadContext {
            access: &self.access,
            settings: &request.settings,
            quiet: request.quiet,
            cancel,
            output: &mut *output,
            progress: ProgressMode::None,
        };
        match perform(&request.command, &mut context) {
            Ok(end) => LiveOutcome::Done(LiveEnd { code: end.code, is_complete: true, summary: end.summary }),
            Err(error) if error.is::<NotHeldError>() => LiveOutcome::Declined,
            Err(error) => {
                let _ = output.note(&error_text(&error));
                LiveOutcome::Done(LiveEnd { code: exit_code(&error), is_complete: false, summary: None })
            }
        }
    }
}

impl ReadOutput for LiveOutput<'_> {
    fn note(&mut self, text: &str) {
        // If the client has gone, the next write of output fails.
        let _ = LiveOutput::note(self, text);
    }
}

/// A crawl of the command line.
pub(in crate::commands) struct CrawlHolder {
    pub(in crate::commands) data: PathBuf,
    pub(in crate::commands) open: Arc<OpenCrawl>,
}

impl DataAccess for CrawlHolder {
    fn data(&self) -> &Path {
        &self.data
    }

    /// The archive as of the last commit of the crawl. It catches up with the other crawls: one of them
    /// may have been killed.
    fn archive(
        &self,
        config: &Config,
        choice: CatchUpChoice,
        output: &mut dyn ReadOutput,
    ) -> anyhow::Result<ReadArchive> {
        let targets = &self.open.targets;
        let archive = targets.archive().cloned().ok_or(NotHeldError)?;
        let harvest = match choice {
            CatchUpChoice::Update => self.catch_up_others(config, targets, output)?,
            CatchUpChoice::Skip => HarvestState::Complete,
        };
        Ok(ReadArchive { archive, search: targets.search(), harvest })
    }

    fn crawl(&self, _: &Config, dir: &CrawlDir) -> anyhow::Result<CrawlGuard> {
        if dir.id() != self.open.dir.id() {
            return Err(NotHeldError.into());
        }
        Ok(Box::new(Arc::clone(&self.open)))
    }

    fn max_memory_bytes(&self) -> Option<u64> {
        Some(MAX_MEMORY_BYTES)
    }
}

impl CrawlHolder {
    fn catch_up_others(
        &self,
        config: &Config,
        targets: &FollowerTargets,
        output: &mut dyn ReadOutput,
    ) -> anyhow::Result<HarvestState> {
        let data_dir = DataDir::open(&self.data)?;
        let mut fed = Vec::new();
        for crawl in data_dir.list()? {
            if crawl.id == self.open.dir.id() {
                let damage = damage_record::read(&data_dir, crawl.id);
                fed.push(FeedProgress { crawl: crawl.id, name: crawl.name, damage, ..FeedProgress::default() });
                continue;
            }
            let feeding = catch_up::catch_up_crawl(config, &data_dir, &crawl, targets, &mut |_| {});
            fed.push(feeding.map_err(explain_feed)?);
        }
        for feeding in fed.iter().filter(|feeding| !feeding.damage.is_empty()) {
            output.note(&damage_text(&feeding.name, &feeding.damage));
        }
        Ok(harvest_state(&fed))
    }
}

/// A service.
pub(in crate::commands) struct ServiceHolder(pub(in crate::commands) Arc<Service>);

impl DataAccess for ServiceHolder {
    fn data(&self) -> &Path {
        self.0.data_dir()
    }

    /// The archive as of the last commit of each crawl.
    fn archive(&self, _: &Config, choice: CatchUpChoice, output: &mut dyn ReadOutput) -> anyhow::Result<ReadArchive> {
        let harvest = match choice {
            CatchUpChoice::Update => report_damage(self.data(), output)?,
            CatchUpChoice::Skip => HarvestState::Complete,
        };
        Ok(ReadArchive { archive: self.0.archive().clone(), search: self.0.search_index().cloned(), harvest })
    }

    fn crawl(&self, _: &Config, dir: &CrawlDir) -> anyhow::Result<CrawlGuard> {
        let crawl = self.0.read_crawl(dir.id()).map_err(anyhow::Error::from_boxed)?;
        Ok(Box::new(crawl))
    }

    fn max_memory_bytes(&self) -> Option<u64> {
        Some(MAX_MEMORY_BYTES)
    }
}

/// Reports the damage that the archive has skipped.
fn report_damage(data: &Path, output: &mut dyn ReadOutput) -> anyhow::Result<HarvestState> {
    let data_dir = DataDir::open(data)?;
    let mut harvest = HarvestState::Complete;
    for crawl in data_dir.list()? {
        let damage = damage_record::read(&data_dir, crawl.id);
        if !damage.is_empty() {
            output.note(&damage_text(&crawl.name, &damage));
            harvest = HarvestState::Damaged;
        }
    }
    Ok(harvest)
}

/// A server that has opened only the archive.
pub(in crate::commands) struct ServedArchive {
    pub(in crate::commands) data: PathBuf,
    pub(in crate::commands) archive: Archive,
    pub(in crate::commands) search: Option<Arc<SearchIndex>>,
}

impl DataAccess for ServedArchive {
    fn data(&self) -> &Path {
        &self.data
    }

    fn archive(&self, _: &Config, _: CatchUpChoice, _: &mut dyn ReadOutput) -> anyhow::Result<ReadArchive> {
        let (archive, search) = (self.archive.clone(), self.search.clone());
        Ok(ReadArchive { archive, search, harvest: HarvestState::Complete })
    }

    fn crawl(&self, _: &Config, _: &CrawlDir) -> anyhow::Result<CrawlGuard> {
        Err(NotHeldError.into())
    }

    fn max_memory_bytes(&self) -> Option<u64> {
        Some(MAX_MEMORY_BYTES)
    }
}
