//! One run of a crawl: from opening its files to its report.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use lodeward::engine::{CrawlCommand, CrawlError, CrawlSnapshot, StopReason};
use lodeward::error_chain;
use lodeward::model::Uri;
use lodeward_app::assemble::{self, AssembleError};
use lodeward_app::crawl_dir;
use lodeward_app::crawl_dir::OpenCrawl;
use lodeward_app::data_dir::CrawlStatus;
use lodeward_app::report::CrawlReport;
use lodeward_app::review;
use lodeward_app::review::ranking_file::RankingHeader;
use lodeward_app::review::{CandidateError, RedirectMap};
use lodeward_app::settings::{self, Config};
use tokio::sync::{mpsc, watch};
use tokio::time::{MissedTickBehavior, interval};

use super::events::{EventObserver, JobEventKind};
use super::job::Job;
use super::settings_bounds::{self, BoundedSettings};
use super::state::DesiredState;
use super::{JobError, JobTable};

/// The time between two snapshots.
const STATUS_INTERVAL: Duration = Duration::from_secs(1);

/// The file with the report of a crawl.
pub(crate) const REPORT_FILE: &str = "report.json";

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum SessionError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Open(#[from] crawl_dir::CrawlOpenError),
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error(transparent)]
    Crawl(#[from] CrawlError),
    #[error("the WARC recording is incomplete")]
    Recording(#[source] std::io::Error),
    #[error("ranking the candidates failed")]
    Ranking(#[from] CandidateError),
    #[error("internal error (a bug): the run panicked")]
    Panicked,
}

/// The result of a run that did not fail.
struct SessionEnd {
    stop_reason: StopReason,
    /// The document limit of the service, if it is below the crawl's own limits.
    cap: Option<u64>,
}

/// Runs a crawl until it ends or is stopped.
pub(super) async fn run_job(context: Arc<JobTable>, job: Arc<Job>, commands: mpsc::Receiver<CrawlCommand>) {
    let id = job.id();
    context.hub.publish(id, JobEventKind::State(job.state()));
    tracing::info!(crawl = id, name = job.record().name, "crawl started");
    // The session runs in its own task, so that a panic does not skip the cleanup.
    let running = tokio::spawn(run_session(Arc::clone(&context), Arc::clone(&job), commands));
    let outcome = running.await.unwrap_or(Err(SessionError::Panicked));
    let stored = match outcome {
        Ok(SessionEnd { stop_reason: StopReason::Stopped, .. }) => Ok(()),
        Ok(SessionEnd { stop_reason: StopReason::MaxDocuments, cap: Some(cap) }) => {
            tracing::info!(crawl = id, cap, "crawl stopped at service.max_documents_per_crawl");
            job.record_stopped(&context.data_dir, settings_bounds::cap_stop_reason(cap))
        }
        Ok(SessionEnd { stop_reason, .. }) => {
            tracing::info!(crawl = id, ?stop_reason, "crawl ended");
            job.record_finished(&context.data_dir)
        }
        Err(error) => {
            tracing::error!(crawl = id, error = &error as &dyn std::error::Error, "crawl failed");
            job.record_failure(&context.data_dir, super::redact::redact_paths(&error_chain::with_causes(&error)))
        }
    };
    if let Err(error) = stored {
        tracing::error!(crawl = id, %error, "storing the state of a crawl failed");
    }
    // The followers of this run must end before the next run or the deletion starts.
    job.wait_for_followers().await;
    job.end_run();
    context.close_least_recent(id);
    context.hub.publish(id, JobEventKind::State(job.state()));
    context.start_queued();
}

async fn run_session(
    context: Arc<JobTable>,
    job: Arc<Job>,
    commands: mpsc::Receiver<CrawlCommand>,
) -> Result<SessionEnd, SessionError> {
    let id = job.id();
    let BoundedSettings { config, cap } = context.crawl_config(&job)?;
    let open_crawl = context.open_job(&job).await?;
    let seeds = context.data_dir.seeds(id).map_err(JobError::from)?;
    let assembled = {
        let (config, open_crawl, seeds, now) = (config.clone(), Arc::clone(&open_crawl), seeds.clone(), context.now);
        let assembling =
            tokio::task::spawn_blocking(move || assemble::assemble_crawl(&config, &open_crawl, &seeds, now));
        assembling.await.map_err(|_| SessionError::Panicked)??
    };
    let assemble::AssembledCrawl { crawl, recorder } = assembled;
    let observer = EventObserver { hub: Arc::clone(&context.hub), crawl: id };
    let crawl = crawl
        .domain_policy(settings::domain_policy(&config))
        .shared_politeness(Arc::clone(&context.shared_politeness))
        .observers(vec![Box::new(observer)])
        .build();
    job.set_followers(crawl.followers().ends());
    job.set_wait_reasons(crawl.wait_reasons());
    let (progress, snapshots) = watch::channel(CrawlSnapshot::default());
    let mut running = tokio::spawn(crawl.run(seeds.clone(), commands, progress));
    let mut ticks = interval(STATUS_INTERVAL);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let finished = loop {
        tokio::select! {
            finished = &mut running => break finished,
            // The previous snapshot is kept until the first snapshot of this run.
            _ = ticks.tick() => if snapshots.has_changed().unwrap_or(false) {
                let snapshot = snapshots.borrow().clone();
                record_progress(&context, &job, snapshot, None);
            },
        }
    };
    let (stop_reason, last) = finished.map_err(|_| SessionError::Panicked)??;
    record_progress(&context, &job, last.clone(), Some(stop_reason));
    if let Some(recorder) = recorder {
        recorder.finish().map_err(SessionError::Recording)?;
    }
    let skips_ranking = job.desired_state() == DesiredState::Delete || context.closing.load(Ordering::SeqCst);
    let ranking = if config.crawl.strategy == settings::StrategyKind::Focus && !skips_ranking {
        Some(rank_candidates(&context, &config, &open_crawl, &seeds).await?)
    } else {
        None
    };
    let record = job.record();
    let mut report = CrawlReport::new(&record.name, &record.strategy, record.rng_seed, stop_reason, last);
    report.ranking = ranking;
    context.data_dir.write_json(id, REPORT_FILE, &report).map_err(JobError::from)?;
    if report.ranking.is_some() {
        context.hub.publish(id, JobEventKind::Ranked);
    }
    Ok(SessionEnd { stop_reason, cap })
}

/// Ranks the candidates, based on the whole harvest.
async fn rank_candidates(
    context: &JobTable,
    config: &Config,
    open_crawl: &Arc<OpenCrawl>,
    seeds: &[Uri],
) -> Result<RankingHeader, SessionError> {
    let redirects = RedirectMap::from_frontier(&*open_crawl.frontier, config.ranking.limits.max_entities).await;
    let redirects = redirects.map_err(|error| SessionError::Open(error.into()))?;
    let (config, open_crawl, seeds, now) = (config.clone(), Arc::clone(open_crawl), seeds.to_vec(), context.now);
    let ranking = tokio::task::spawn_blocking(move || review::rank(&config, &open_crawl, redirects, &seeds, now()));
    let (header, _) = ranking.await.map_err(|_| SessionError::Panicked)??;
    Ok(header)
}

/// Publishes a snapshot and writes the status file. An error in writing it does not stop the crawl.
fn record_progress(context: &JobTable, job: &Job, snapshot: CrawlSnapshot, stop_reason: Option<StopReason>) {
    let now_ms = (context.now)();
    job.record_progress(snapshot.clone(), stop_reason, now_ms);
    context.hub.publish(job.id(), JobEventKind::Progress(Arc::new(snapshot.clone())));
    let status = CrawlStatus { process: std::process::id(), updated_at_ms: now_ms, stop_reason, snapshot };
    if let Err(error) = context.data_dir.set_status(job.id(), &status) {
        tracing::warn!(%error, "writing the status of a crawl failed");
    }
}
