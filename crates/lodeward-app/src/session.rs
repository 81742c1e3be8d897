//! One run of a crawl, from assembling it to its report, for the command line and the service alike.
//!
//! While the crawl runs, its status file is written each second. At its end the recorder is closed,
//! the candidates of a focused crawl are ranked, and the report is written. A failed recording or
//! ranking prevents neither the other nor the report.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::{Crawl, CrawlBuilder};
use lodeward::engine::{
    CrawlCommand, CrawlError, CrawlSnapshot, DomainPolicy, EndProgress, EndTask, Observer, SharedPoliteness,
    StopReason, Tally, WaitReasons,
};
use lodeward::error_chain;
use lodeward::fetch::HttpFetcher;
use lodeward::fetch::warc::WarcRecorder;
use lodeward::frontier::RefreshSelection;
use lodeward::model::Uri;
use lodeward::store::follow::FollowerEnds;
use tokio::sync::{mpsc, watch};
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{MissedTickBehavior, interval};

use crate::assemble::{AssembleError, AssembledCrawl, assemble_crawl, find_candidates, limit_to_loopback};
use crate::crawl_dir::{NowMs, OpenCrawl};
use crate::data_dir::{CrawlRecord, CrawlStatus, DataDir, DataDirError};
use crate::failed_seeds::failed_seeds;
use crate::notification::{CrawlNotification, notify};
use crate::removal_list::deny_removed;
use crate::report::{CrawlReport, run_tally};
use crate::review::ranking_file::RankingHeader;
use crate::review::{CandidateError, RankingDepth, RankingProgress, RedirectMap, rank};
use crate::settings::Config;

/// The file with the report of the last run, in the directory of a crawl.
pub const REPORT_FILE: &str = "report.json";

/// Time between two calls of [`SessionMonitor::progress`].
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// Number of polls between two writes of the status file, which is written once per second.
const POLLS_PER_STATUS: u32 = 4;

/// What the caller adds to the settings of a crawl.
#[derive(Default)]
pub struct SessionOptions {
    /// Receive each request and its outcome.
    pub observers: Vec<Box<dyn Observer>>,
    /// Which documents are revalidated.
    pub refresh: Option<RefreshSelection>,
    /// Whether the scope differs from that of the previous run.
    pub scope_changed: bool,
    /// The domains that may be crawled.
    pub domain_policy: DomainPolicy,
    /// The delays that the crawl shares with other crawls of this process.
    pub politeness: Arc<SharedPoliteness>,
    /// The time between two writes of the state and of the model, instead of the default.
    pub save_interval: Option<Duration>,
}

/// Observes a session.
pub trait SessionMonitor: Send {
    /// Called a few times per second with the counts of the crawl.
    fn progress(&mut self, _snapshot: &CrawlSnapshot) {}

    /// Called each second and at the end of the crawl, with the content of the status file. If the candidates are
    /// ranked then, `ending` says so, and the last call follows after the ranking.
    fn status(&mut self, _status: &CrawlStatus) {}

    /// Whether the candidates of a focused crawl are ranked at its end. Called at the end.
    fn wants_ranking(&self) -> bool {
        true
    }

    /// Whether to end without the ranking that is running. Its thread goes on, because it cannot be interrupted, so
    /// only a caller that is about to exit may abandon it.
    fn abandons_ranking(&self) -> bool {
        false
    }
}

/// Why a session failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// The crawl failed.
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    /// The report cannot be written.
    #[error(transparent)]
    DataDir(#[from] DataDirError),
    /// A task of the session panicked.
    #[error("internal error (a bug): the run panicked")]
    Panicked,
}

/// The result of a session.
#[derive(Debug)]
pub struct SessionEnd {
    /// Why the crawl stopped.
    pub stop_reason: StopReason,
    /// The report, which is stored in [`REPORT_FILE`], too.
    pub report: CrawlReport,
    /// The counters of this run. Those of the report are of all runs.
    pub run: Tally,
    /// Whether all requests were recorded, if they were to be recorded.
    pub recording: io::Result<()>,
    /// Whether the candidates were ranked, if they were to be ranked.
    pub ranking: Result<(), CandidateError>,
}

/// A crawl that is ready to run.
pub struct Session {
    config: Config,
    data_dir: DataDir,
    record: CrawlRecord,
    open: Arc<OpenCrawl>,
    seeds: Vec<Uri>,
    /// Results of a search, which are fetched after the seeds.
    found: Vec<Uri>,
    crawl: CrawlBuilder,
    recorder: Option<Arc<WarcRecorder<HttpFetcher>>>,
    now: NowMs,
}

impl Session {
    /// Assembles a crawl from its settings and its stored seeds. Each run needs a crawl that was just
    /// opened ([`OpenCrawl::has_run`]). Blocks.
    pub fn new(
        config: Config,
        data_dir: DataDir,
        record: CrawlRecord,
        open: Arc<OpenCrawl>,
        options: SessionOptions,
        now: NowMs,
    ) -> Result<Self, AssembleError> {
        if !open.begin_run() {
            return Err(AssembleError::EarlierRun(open.dir.path().to_owned()));
        }
        let seeds = data_dir.crawl(record.id).seeds()?;
        let found = find_candidates(&config, &open, &seeds)?;
        let AssembledCrawl { mut crawl, recorder } = assemble_crawl(&config, &open, &seeds, now)?;
        let SessionOptions { observers, refresh, scope_changed, domain_policy, politeness, save_interval } = options;
        crawl.observers.extend(observers);
        let domain_policy = deny_removed(data_dir.crawl(record.id).data(), domain_policy)?;
        crawl.scope.domain_policy = limit_to_loopback(domain_policy, &config.fetch, &seeds);
        crawl.politeness = politeness;
        (crawl.options.refresh, crawl.options.scope_changed) = (refresh, scope_changed);
        if let Some(interval) = save_interval {
            (crawl.options.model_interval, crawl.options.commit_interval) = (interval, interval);
            crawl.options.sync_interval = interval;
        }
        Ok(Self { config, data_dir, record, open, seeds, found, crawl, recorder, now })
    }

    /// The ends of the followers of this run.
    #[must_use]
    pub fn followers(&self) -> FollowerEnds {
        self.crawl.followers.ends()
    }

    /// Why domains are delayed, while the crawl runs.
    #[must_use]
    pub fn wait_reasons(&self) -> Arc<WaitReasons> {
        Arc::clone(&self.crawl.wait_reasons)
    }

    /// Runs the crawl until it ends or a command stops it, and sends notifications.
    pub async fn run(
        self,
        commands: mpsc::Receiver<CrawlCommand>,
        monitor: &mut dyn SessionMonitor,
    ) -> Result<SessionEnd, SessionError> {
        let (config, name, now) = (self.config.clone(), self.record.name.clone(), self.now);
        // On the heap: the future of a crawl is large.
        let ended = Box::pin(self.run_to_end(commands, monitor)).await;
        if config.notify.is_enabled() {
            let notification = match &ended {
                Ok(SessionEnd { report, run, .. }) => CrawlNotification::ended(report, run, now()),
                Err(error) => CrawlNotification::failed(&name, error_chain::with_causes(error), now()),
            };
            // A failure is logged, and a panic changes nothing.
            let _ = spawn_blocking(move || notify(&config, &notification, now())).await;
        }
        ended
    }

    async fn run_to_end(
        self,
        commands: mpsc::Receiver<CrawlCommand>,
        monitor: &mut dyn SessionMonitor,
    ) -> Result<SessionEnd, SessionError> {
        let Self { config, data_dir, record, open, seeds, found, crawl, recorder, now } = self;
        let before = data_dir.crawl(record.id).status()?.map(|status| status.snapshot.tally).unwrap_or_default();
        let status = StatusWriter { data_dir: &data_dir, crawl: record.id, now };
        let (stop_reason, last) =
            run_crawl(crawl.build(), [&seeds[..], &found].concat(), commands, &status, monitor).await?;
        let is_ranked = config.crawl.strategy.traits().is_focused && monitor.wants_ranking();
        let progress = RankingProgress::default();
        let ending = is_ranked.then(|| ranking_progress(&progress));
        status.write(CrawlSnapshot { ending, ..last.clone() }, Some(stop_reason), monitor);
        let recording = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let mut report = CrawlReport::new(&record.name, &record.strategy, record.rng_seed, stop_reason, last.clone());
        report.peak_memory_bytes = peak_memory_bytes();
        report.failed_seeds =
            failed_seeds(&*open.frontier, &seeds, report.is_empty()).await.map_err(CrawlError::from)?;
        let mut ranking = Ok(());
        if is_ranked {
            let running = tokio::spawn(rank_candidates(config, open, seeds, now, progress.clone()));
            let ranked = wait_for_ranking(running, &progress, &last, &status, stop_reason, monitor).await?;
            ranking = ranked.transpose().map(|header| report.ranking = header);
            status.write(last, Some(stop_reason), monitor);
        }
        data_dir.crawl(record.id).write_json(REPORT_FILE, &report)?;
        let run = run_tally(&before, &report.tally);
        Ok(SessionEnd { stop_reason, report, run, recording, ranking })
    }
}

/// Runs a crawl to its end, and reports its progress.
async fn run_crawl(
    crawl: Crawl,
    seeds: Vec<Uri>,
    commands: mpsc::Receiver<CrawlCommand>,
    status: &StatusWriter<'_>,
    monitor: &mut dyn SessionMonitor,
) -> Result<(StopReason, CrawlSnapshot), SessionError> {
    let (sender, mut snapshots) = watch::channel(CrawlSnapshot::default());
    // The crawl runs in its own task, so that a panic does not skip the end of the session.
    let mut running = tokio::spawn(crawl.run(seeds, commands, sender));
    let mut polls = interval(POLL_INTERVAL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0;
    loop {
        tokio::select! {
            finished = &mut running => return Ok(finished.map_err(|_| SessionError::Panicked)??),
            _ = polls.tick() => {
                // The counts of the previous run are shown until the first snapshot of this one.
                if count == 0 && !snapshots.has_changed().unwrap_or(false) {
                    continue;
                }
                let snapshot = snapshots.borrow_and_update().clone();
                monitor.progress(&snapshot);
                if count % POLLS_PER_STATUS == 0 {
                    status.write(snapshot, None, monitor);
                }
                count += 1;
            }
        }
    }
}

/// Waits for a ranking, and reports its progress. `None` if the caller abandons it.
async fn wait_for_ranking(
    mut running: JoinHandle<Result<Result<RankingHeader, CandidateError>, SessionError>>,
    progress: &RankingProgress,
    last: &CrawlSnapshot,
    status: &StatusWriter<'_>,
    stop_reason: StopReason,
    monitor: &mut dyn SessionMonitor,
) -> Result<Option<Result<RankingHeader, CandidateError>>, SessionError> {
    let mut polls = interval(POLL_INTERVAL);
    polls.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count: u32 = 0;
    loop {
        tokio::select! {
            ranked = &mut running => return ranked.map_err(|_| SessionError::Panicked)?.map(Some),
            _ = polls.tick() => {
                if monitor.abandons_ranking() {
                    return Ok(None);
                }
                let snapshot = CrawlSnapshot { ending: Some(ranking_progress(progress)), ..last.clone() };
                monitor.progress(&snapshot);
                count += 1;
                if count.is_multiple_of(POLLS_PER_STATUS) {
                    status.write(snapshot, Some(stop_reason), monitor);
                }
            }
        }
    }
}

fn ranking_progress(progress: &RankingProgress) -> EndProgress {
    EndProgress { task: EndTask::Ranking, remaining: progress.documents_left() }
}

/// Ranks the candidates, based on the whole harvest.
async fn rank_candidates(
    config: Config,
    open: Arc<OpenCrawl>,
    seeds: Vec<Uri>,
    now: NowMs,
    progress: RankingProgress,
) -> Result<Result<RankingHeader, CandidateError>, SessionError> {
    let max_entities = config.ranking.limits.max_entities;
    let redirects = match RedirectMap::from_frontier(&*open.frontier, max_entities).await {
        Ok(redirects) => redirects,
        Err(error) => return Ok(Err(CandidateError::Open(error.into()))),
    };
    let ranking = spawn_blocking(move || {
        rank(&config, &open, redirects, &seeds, RankingDepth::Crawl, now(), &progress).map(|(header, _)| header)
    });
    ranking.await.map_err(|_| SessionError::Panicked)
}

/// Writes the status file of a crawl.
struct StatusWriter<'a> {
    data_dir: &'a DataDir,
    crawl: u32,
    now: NowMs,
}

impl StatusWriter<'_> {
    /// Writes the status file and passes its content on. A failure is logged and does not stop the
    /// crawl.
    fn write(&self, snapshot: CrawlSnapshot, stop_reason: Option<StopReason>, monitor: &mut dyn SessionMonitor) {
        let status = CrawlStatus { process: std::process::id(), updated_at_ms: (self.now)(), stop_reason, snapshot };
        if let Err(error) = self.data_dir.crawl(self.crawl).set_status(&status) {
            tracing::warn!(crawl = self.crawl, %error, "cannot write the status file");
        }
        monitor.status(&status);
    }
}

/// Peak memory of this process, if the operating system reports it.
fn peak_memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kibibytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kibibytes * 1_024)
}
