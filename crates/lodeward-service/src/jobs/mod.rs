//! The crawls of the service, which run in this process.
//!
//! Every crawl is a job. The desired state of a job is stored with the crawl (`order.json`)
//! before a request is confirmed, so that a kill of the process loses nothing: crawls resume,
//! and deletions are completed.

mod domains;
mod job;
mod settings_bounds;
mod change;
mod create;
mod redact;
pub(crate) mod events;
mod export;
mod order;
mod domain_policy;
mod error;
mod session;
mod open_crawls;
mod state;
mod lifecycle;
mod removal;
mod runtime;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use lodeward::engine::{CrawlCommand, SharedPoliteness, UriWait};
use lodeward::frontier::RefreshSelection;
use lodeward::model::Uri;
use lodeward_app::crawl_dir::{self, NowMs, OpenCrawl};
use lodeward_app::data_dir::DataDir;
use lodeward_app::followers::FollowerTargets;
use lodeward_app::series::SeriesPoint;
use lodeward_app::settings::{self, Config, EffectiveSettings};
use lodeward_archive::Archive;
use prometheus_client::metrics::histogram::Histogram;
use tokio::runtime::Handle;
use tokio::sync::OwnedRwLockReadGuard;

pub(crate) use change::{CrawlChange, CrawlChangeResult};
pub(crate) use create::overlaid;
pub(crate) use error::JobError;
pub(crate) use export::{ExportCandidates, ExportChoice};
pub(crate) use lodeward_app::graph_export::GraphExport;
pub(crate) use order::{CrawlOrder, InstanceFile};
pub(crate) use runtime::JobRuntime;
pub(crate) use settings_bounds::MAX_UNPACKED_BYTES;
pub(crate) use state::{JobState, JobView};

use self::events::EventHub;
use self::job::Job;
use self::open_crawls::RecentCrawls;
use self::state::DesiredState;
use crate::error::ServiceError;
use crate::limits::{KeyedLimit, MAX_CONCURRENT_EXPORTS, MAX_CONCURRENT_PLANS, MAX_PER_CRAWL, Slots};
use crate::live_settings::LiveSettings;

/// How long crawls may take to complete their requests in flight before they are stopped at once.
const STOP_TIMEOUT: Duration = Duration::from_secs(15);

/// Upper bounds of the histogram of requests of crawls, in seconds.
const REQUEST_BUCKETS_S: [f64; 9] = [0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 30.0, 120.0];

/// All crawls of a data directory, and what they share.
pub(crate) struct JobTable {
    data: PathBuf,
    data_dir: DataDir,
    archive: Archive,
    targets: FollowerTargets,
    settings: Arc<LiveSettings>,
    now: NowMs,
    hub: Arc<EventHub>,
    shared_politeness: Arc<SharedPoliteness>,
    jobs: Mutex<BTreeMap<u32, Arc<Job>>>,
    recent: RecentCrawls,
    /// Serializes the creation of crawls, so that names stay unique and quotas are enforced.
    creating: tokio::sync::Mutex<()>,
    plan_slots: Slots,
    export_slots: Slots,
    /// Exports that run or wait, per crawl.
    exports: KeyedLimit<u32>,
    runtime: Handle,
    /// Durations of the requests of all crawls, in seconds.
    pub(crate) request_seconds: Histogram,
    closing: AtomicBool,
}

/// The opened files of a crawl. The files are not deleted while this value exists.
pub(crate) struct PinnedCrawl {
    open_crawl: Arc<OpenCrawl>,
    _files: OwnedRwLockReadGuard<()>,
}

impl AsRef<OpenCrawl> for PinnedCrawl {
    fn as_ref(&self) -> &OpenCrawl {
        &self.open_crawl
    }
}

impl JobTable {
    /// Opens all crawls, completes interrupted deletions, and resumes crawls that were running.
    pub(crate) fn open(
        data: &Path,
        archive: &Archive,
        targets: &FollowerTargets,
        settings: &Arc<LiveSettings>,
        now: NowMs,
    ) -> Result<(Arc<Self>, JobRuntime), ServiceError> {
        let data_dir = DataDir::open(data)?;
        let runtime = JobRuntime::new()?;
        let table = Arc::new(Self {
            data: data.to_owned(),
            data_dir,
            archive: archive.clone(),
            targets: targets.clone(),
            settings: Arc::clone(settings),
            now,
            hub: Arc::new(EventHub::new(now)),
            shared_politeness: Arc::default(),
            jobs: Mutex::default(),
            recent: RecentCrawls::default(),
            creating: tokio::sync::Mutex::default(),
            plan_slots: Slots::new(MAX_CONCURRENT_PLANS),
            export_slots: Slots::new(MAX_CONCURRENT_EXPORTS),
            exports: KeyedLimit::new(MAX_PER_CRAWL),
            runtime: runtime.handle(),
            request_seconds: Histogram::new(REQUEST_BUCKETS_S),
            closing: AtomicBool::new(false),
        });
        let found = table.data_dir.scan()?;
        for damaged in &found.damaged {
            table.register(Job::from_damaged(&table.data_dir, damaged));
        }
        for record in found.records {
            if let Err(error) = crawl_dir::read_or_rebuild_status(&table.data_dir.crawl(record.id), now) {
                tracing::warn!(crawl = record.id, %error, "reading the status of a crawl failed");
            }
            table.register(Job::from_record(&table.data_dir, record));
        }
        table.start_queued();
        Ok((table, runtime))
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<u32, Arc<Job>>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn job(&self, id: u32) -> Result<Arc<Job>, JobError> {
        let job = self.jobs().get(&id).cloned();
        job.filter(|job| job.desired_state() != DesiredState::Delete).ok_or(JobError::Unknown(id))
    }

    /// All crawls, by ID.
    pub(crate) fn list(&self) -> Vec<JobView> {
        let is_listed = |job: &&Arc<Job>| job.desired_state() != DesiredState::Delete;
        self.jobs().values().filter(is_listed).map(|job| job.view()).collect()
    }

    /// The current view of a crawl.
    pub(crate) fn get(&self, id: u32) -> Result<JobView, JobError> {
        Ok(self.job(id)?.view())
    }

    /// The seeds of a crawl.
    pub(crate) fn seeds(&self, id: u32) -> Result<Vec<Uri>, JobError> {
        self.job(id)?;
        Ok(self.data_dir.crawl(id).seeds()?)
    }

    /// The number of seeds of a crawl. Blocks at the first call.
    pub(crate) fn seed_count(&self, id: u32) -> Result<usize, JobError> {
        Ok(self.seed_fingerprints(id)?.len())
    }

    /// Whether a crawl has this seed. Blocks at the first call.
    pub(crate) fn has_seed(&self, id: u32, seed: &Uri) -> Result<bool, JobError> {
        Ok(self.seed_fingerprints(id)?.binary_search(&seed.fingerprint()).is_ok())
    }

    /// The sorted fingerprints of the seeds of a crawl; empty if the seeds cannot be read, so that
    /// the crawl is still listed. The error is reported when the crawl runs.
    fn seed_fingerprints(&self, id: u32) -> Result<Arc<[u128]>, JobError> {
        Ok(self.job(id)?.seed_fingerprints(&self.data_dir).unwrap_or_else(|error| {
            tracing::warn!(crawl = id, error = &error as &dyn std::error::Error, "reading the seeds of a crawl failed");
            Arc::default()
        }))
    }

    /// Until when the domain of a URI is delayed, and why; `None` if it is not delayed or the crawl is not running.
    pub(crate) fn uri_wait(&self, id: u32, uri: &Uri) -> Result<Option<UriWait>, JobError> {
        Ok(self.job(id)?.uri_wait(uri, (self.now)()))
    }

    /// The resolved settings of a crawl.
    pub(crate) fn config(&self, id: u32) -> Result<Config, JobError> {
        Ok(self.crawl_config(&*self.job(id)?)?.config)
    }

    /// The directory of a crawl.
    pub(crate) fn crawl_dir(&self, id: u32) -> Result<PathBuf, JobError> {
        self.job(id)?;
        Ok(self.data_dir.crawl(id).into_path())
    }

    /// The data directory.
    pub(crate) fn data_dir(&self) -> &DataDir {
        &self.data_dir
    }

    /// The opened files of a crawl, shared with its run if it runs. The files stay open until the
    /// result is dropped, so drop it soon.
    pub(crate) async fn open_crawl(&self, id: u32) -> Result<Arc<OpenCrawl>, JobError> {
        let job = self.job(id)?;
        self.open_job(&job).await
    }

    /// Like [`open_crawl`](Self::open_crawl), but the crawl cannot be deleted until the result is
    /// dropped.
    pub(crate) async fn pin(&self, id: u32) -> Result<PinnedCrawl, JobError> {
        let files = Arc::clone(&self.job(id)?.files).read_owned().await;
        let open_crawl = self.open_crawl(id).await?;
        Ok(PinnedCrawl { open_crawl, _files: files })
    }

    /// The directory of a crawl, for changing files in it. The directory cannot be deleted until
    /// the guard is dropped.
    pub(crate) async fn lock_files(&self, id: u32) -> Result<(PathBuf, OwnedRwLockReadGuard<()>), JobError> {
        let files = Arc::clone(&self.job(id)?.files).read_owned().await;
        // The crawl may have been deleted while this task waited for the lock.
        Ok((self.crawl_dir(id)?, files))
    }

    /// Sets the users besides the owner that may mark candidates of a crawl. Blocks.
    pub(crate) fn set_reviewers(&self, id: u32, reviewers: Vec<String>) -> Result<JobView, JobError> {
        let job = self.job(id)?;
        job.set_reviewers(&self.data_dir, reviewers)?;
        Ok(job.view())
    }

    /// The hub that publishes the events of all crawls.
    pub(crate) fn hub(&self) -> &EventHub {
        &self.hub
    }

    /// Pauses a crawl.
    pub(crate) async fn pause(self: &Arc<Self>, id: u32) -> Result<JobView, JobError> {
        self.change_state(id, DesiredState::Pause, |state| matches!(state, JobState::Queued | JobState::Running)).await
    }

    /// Resumes a paused, stopped or failed crawl, or a finished one whose limits were changed.
    pub(crate) async fn resume(self: &Arc<Self>, id: u32) -> Result<JobView, JobError> {
        // A finished crawl goes on if its limits or its scope were changed since.
        let is_changed = self.job(id)?.order_record().scope_changed_at_ms.is_some();
        let is_allowed = |state| match state {
            JobState::Queued | JobState::Running => false,
            JobState::Finished => is_changed,
            _ => true,
        };
        self.change_state(id, DesiredState::Run, is_allowed).await
    }

    /// Revalidates the documents of a crawl that does not run.
    pub(crate) async fn refresh(self: &Arc<Self>, id: u32, selection: RefreshSelection) -> Result<JobView, JobError> {
        let job = self.job(id)?;
        let state = job.state();
        if state.is_active() {
            return Err(JobError::State { operation: "refresh", id, state });
        }
        let (table, changed) = (Arc::clone(self), Arc::clone(&job));
        let storing = tokio::task::spawn_blocking(move || changed.set_refresh(&table.data_dir, selection));
        storing.await.expect("storing an order does not panic")?;
        self.change_state(id, DesiredState::Run, |state| !state.is_active()).await
    }

    /// The directory of a crawl, and the counters of the last minutes of its run.
    pub(crate) fn recent_series(&self, id: u32) -> Result<(PathBuf, Vec<SeriesPoint>), JobError> {
        Ok((self.crawl_dir(id)?, self.job(id)?.recent_series()))
    }

    /// The settings of a crawl with their sources.
    pub(crate) fn effective_settings(&self, id: u32) -> Result<EffectiveSettings, JobError> {
        let job = self.job(id)?;
        let mut sources = self.settings.current().sources.clone();
        sources.crawl = Some(("settings".to_owned(), job.settings()));
        settings::resolve(&sources).map_err(|problems| JobError::SettingsConflict { id, problems })
    }

    /// Stops a crawl before its end.
    pub(crate) async fn stop(self: &Arc<Self>, id: u32) -> Result<JobView, JobError> {
        let is_allowed =
            |state| matches!(state, JobState::Queued | JobState::Running | JobState::Pausing | JobState::Paused);
        self.change_state(id, DesiredState::Stop, is_allowed).await
    }

    /// Whether the service is shutting down.
    pub(crate) fn is_closing(&self) -> bool {
        self.closing.load(Ordering::SeqCst)
    }

    /// Stops all crawls. Their desired state does not change, so they resume when the service is opened again.
    pub(crate) async fn close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        let jobs: Vec<_> = self.jobs().values().cloned().collect();
        for job in &jobs {
            job.send_command(CrawlCommand::Stop);
        }
        let idle = async {
            for job in &jobs {
                job.wait_until_idle().await;
            }
        };
        if tokio::time::timeout(STOP_TIMEOUT, idle).await.is_err() {
            for job in &jobs {
                job.send_command(CrawlCommand::StopNow);
            }
            let idle = async {
                for job in &jobs {
                    job.wait_until_idle().await;
                }
            };
            // Shutdown does not wait for running rankings, because they can be repeated.
            let _ = tokio::time::timeout(STOP_TIMEOUT, idle).await;
        }
        for job in &jobs {
            job.close_crawl().await;
        }
    }
}
