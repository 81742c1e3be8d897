//! One run of a crawl of the service.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lodeward::engine::{CrawlCommand, StopReason};
use lodeward::error_chain;
use lodeward_app::assemble::AssembleError;
use lodeward_app::data_dir::CrawlStatus;
use lodeward_app::report::CrawlReport;
use lodeward_app::review::CandidateError;
use lodeward_app::series::SeriesRecorder;
use lodeward_app::session::{Session, SessionEnd, SessionError, SessionMonitor, SessionOptions};
use lodeward_app::settings;
use tokio::sync::mpsc;

use super::events::{EventObserver, JobEventKind};
use super::job::Job;
use super::settings_bounds::{self, BoundedSettings};
use super::state::DesiredState;
use super::{JobError, JobTable};

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
enum JobRunError {
    #[error(transparent)]
    Job(#[from] JobError),
    #[error(transparent)]
    Assemble(#[from] AssembleError),
    #[error(transparent)]
    Session(#[from] SessionError),
    #[error("the WARC recording is incomplete")]
    Recording(#[source] std::io::Error),
    #[error("ranking the candidates failed")]
    Ranking(#[from] CandidateError),
}

/// The result of a run that did not fail.
struct JobRunEnd {
    stop_reason: StopReason,
    /// The document limit of the service, if it is below the crawl's own limits.
    cap: Option<u64>,
    /// Why the crawl has fetched no document, if it ended without one.
    empty: Option<String>,
}

/// Runs a crawl until it ends or is stopped.
pub(super) async fn run_job(context: Arc<JobTable>, job: Arc<Job>, commands: mpsc::Receiver<CrawlCommand>) {
    let id = job.id();
    context.hub.publish(id, JobEventKind::State(job.state()));
    tracing::info!(crawl = id, name = job.record().name, "crawl started");
    // The session runs in its own task, so that a panic does not skip the cleanup.
    let running = tokio::spawn(run_session(Arc::clone(&context), Arc::clone(&job), commands));
    let outcome = running.await.unwrap_or(Err(SessionError::Panicked.into()));
    let stored = match outcome {
        Ok(JobRunEnd { stop_reason: StopReason::Stopped, .. }) => Ok(()),
        Ok(JobRunEnd { stop_reason: StopReason::MaxDocuments, cap: Some(cap), .. }) => {
            tracing::info!(crawl = id, cap, "crawl stopped at service.max_documents_per_crawl");
            job.record_stopped(&context.data_dir, settings_bounds::cap_stop_reason(cap))
        }
        // The next run continues, as after a stop.
        Ok(JobRunEnd { stop_reason: reason @ (StopReason::MaxTime | StopReason::MaxBytes), .. }) => {
            tracing::info!(crawl = id, ?reason, "crawl stopped at a limit of a run");
            job.record_stopped(&context.data_dir, settings_bounds::run_limit_reason(reason))
        }
        Ok(JobRunEnd { stop_reason, empty, .. }) => {
            tracing::info!(crawl = id, ?stop_reason, empty, "crawl ended");
            job.record_finished(&context.data_dir, empty)
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
) -> Result<JobRunEnd, JobRunError> {
    let id = job.id();
    let BoundedSettings { config, cap } = context.crawl_config(&job)?;
    let open_crawl = context.open_for_run(&job).await?;
    let changed_at_ms = job.order_record().scope_changed_at_ms;
    let options = SessionOptions {
        observers: vec![Box::new(EventObserver {
            hub: Arc::clone(&context.hub),
            crawl: id,
            seconds: context.request_seconds.clone(),
        })],
        domain_policy: settings::domain_policy(&config),
        politeness: Arc::clone(&context.shared_politeness),
        refresh: job.order_record().refresh,
        scope_changed: changed_at_ms.is_some(),
        ..SessionOptions::default()
    };
    let (data_dir, record, now) = (context.data_dir.clone(), job.record(), context.now);
    let assembling =
        tokio::task::spawn_blocking(move || Session::new(config, data_dir, record, open_crawl, options, now));
    let session = assembling.await.map_err(|_| SessionError::Panicked)??;
    job.set_followers(session.followers());
    job.set_wait_reasons(session.wait_reasons());
    job.record_series(SeriesRecorder::new(context.data_dir.crawl(id).path()));
    let SessionEnd { stop_reason, report, recording, ranking, .. } =
        session.run(commands, &mut JobMonitor { context: &context, job: &job }).await?;
    if let Some(changed_at_ms) = changed_at_ms {
        // If it cannot be stored, the next run checks its queue again.
        let _ = job.record_scope_applied(&context.data_dir, changed_at_ms);
    }
    if report.ranking.is_some() {
        context.hub.publish(id, JobEventKind::Ranked);
    }
    recording.map_err(JobRunError::Recording)?;
    ranking?;
    let empty = report.is_empty().then(|| no_document_text(&report));
    Ok(JobRunEnd { stop_reason, cap, empty })
}

/// Why a crawl has fetched no document: the seeds and their problems.
fn no_document_text(report: &CrawlReport) -> String {
    let seeds: Vec<String> = report.failed_seeds.iter().map(ToString::to_string).collect();
    format!("no document was fetched: {}", seeds.join("; "))
}

/// Publishes the progress of a run.
struct JobMonitor<'a> {
    context: &'a JobTable,
    job: &'a Job,
}

impl SessionMonitor for JobMonitor<'_> {
    fn status(&mut self, status: &CrawlStatus) {
        let CrawlStatus { snapshot, stop_reason, updated_at_ms, .. } = status;
        self.job.record_progress(snapshot.clone(), *stop_reason, *updated_at_ms);
        self.context.hub.publish(self.job.id(), JobEventKind::Progress(Arc::new(snapshot.clone())));
    }

    fn wants_ranking(&self) -> bool {
        self.job.desired_state() != DesiredState::Delete && !self.context.closing.load(Ordering::SeqCst)
    }
}
