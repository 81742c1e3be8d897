//! Changes of the state of crawls: start, pause, resume, stop, delete.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use lodeward::engine::CrawlCommand;
use lodeward_app::catch_up::{CatchUpError, FeedProgress, catch_up_crawl};
use lodeward_app::deletion::delete_crawl;

use super::events::JobEventKind;
use super::job::Job;
use super::session::run_job;
use super::state::{DesiredState, JobState, JobView};
use super::{JobError, JobTable};

impl JobTable {
    /// Stores the desired state of a crawl, and applies it.
    pub(super) async fn change_state(
        self: &Arc<Self>,
        id: u32,
        desired_state: DesiredState,
        is_allowed: impl Fn(JobState) -> bool,
    ) -> Result<JobView, JobError> {
        let job = self.job(id)?;
        let changing = job.lock_changes().await;
        // The crawl may have been deleted while this task waited for the lock.
        let job = self.job(id)?;
        let state = job.state();
        if !is_allowed(state) {
            return Err(JobError::State { operation: desired_state.operation(), id, state });
        }
        // A resumed crawl counts towards the quota, so resuming is serialized with creating.
        let creating = if desired_state == DesiredState::Run { Some(self.creating.lock().await) } else { None };
        if creating.is_some() {
            self.check_resumable(&job, state)?;
        }
        self.set_desired_state(&job, desired_state).await?;
        drop(creating);
        if desired_state != DesiredState::Run {
            job.send_command(CrawlCommand::Stop);
        }
        drop(changing);
        self.hub.publish(id, JobEventKind::State(job.state()));
        self.start_queued();
        Ok(job.view())
    }

    /// Fails if a crawl cannot be resumed.
    fn check_resumable(&self, job: &Job, state: JobState) -> Result<(), JobError> {
        let id = job.id();
        if let Some(damage) = job.damage() {
            return Err(JobError::Damaged { id, damage: damage.to_owned() });
        }
        // A crawl that has reached the document limit of the service would stop at once. Other
        // problems with the settings are reported when the crawl runs.
        let cap = self.crawl_config(job).ok().and_then(|bounded| bounded.cap);
        if let Some(cap) = cap.filter(|cap| job.document_count() >= *cap) {
            return Err(JobError::DocumentLimit { id, cap });
        }
        let order = job.order_record();
        if order.has_quota && !state.is_unfinished() {
            self.check_quota(order.user.as_deref())?;
        }
        Ok(())
    }

    /// Starts queued crawls, the oldest first, up to `service.max_running_crawls`.
    pub(crate) fn start_queued(self: &Arc<Self>) {
        if self.closing.load(Ordering::SeqCst) {
            return;
        }
        let jobs = self.jobs();
        let max_running = self.settings.current().config.service.max_running_crawls.max(1);
        let mut running = jobs.values().filter(|job| job.is_running()).count();
        for job in jobs.values() {
            if running >= max_running {
                break;
            }
            if let Some(commands) = job.begin_run() {
                running += 1;
                self.runtime.spawn(run_job(Arc::clone(self), Arc::clone(job), commands));
            }
        }
    }

    /// Deletes a crawl, and its graphs in the archive. The deletion completes even if the client
    /// disconnects.
    pub(crate) async fn delete(self: &Arc<Self>, id: u32) -> Result<(), JobError> {
        let table = Arc::clone(self);
        tokio::spawn(async move { table.delete_now(id).await }).await.unwrap_or(Err(JobError::Closing))
    }

    async fn delete_now(self: &Arc<Self>, id: u32) -> Result<(), JobError> {
        let job = self.job(id)?;
        let _changing = job.lock_changes().await;
        if job.desired_state() == DesiredState::Delete {
            return Err(JobError::Unknown(id));
        }
        self.set_desired_state(&job, DesiredState::Delete).await?;
        job.send_command(CrawlCommand::StopNow);
        job.wait_until_idle().await;
        // A running export completes first, so that its graph can be removed.
        let _exporting = job.exporting.lock().await;
        let _files = job.files.write().await;
        job.close_crawl_and_wait().await;
        let (table, deleted) = (Arc::clone(self), Arc::clone(&job));
        let erasing = tokio::task::spawn_blocking(move || table.erase(&deleted));
        if let Err(error) = erasing.await.expect("deleting a crawl does not panic") {
            tracing::error!(crawl = id, error = &error as &dyn std::error::Error, "deleting a crawl failed");
            return Err(error);
        }
        self.jobs().remove(&id);
        self.hub.publish(id, JobEventKind::Deleted);
        self.start_queued();
        Ok(())
    }

    /// Adds a crawl when the service starts. If its deletion was interrupted, completes the
    /// deletion instead. A problem with one crawl does not affect others.
    pub(super) fn register(&self, job: Job) {
        let id = job.id();
        let log_error =
            |error: &dyn std::error::Error, what: &str| tracing::error!(crawl = id, error = %error, "{what}");
        if job.desired_state() == DesiredState::Delete {
            match self.erase(&job) {
                Ok(()) => return,
                Err(error) => log_error(&error, "completing the deletion of a crawl failed"),
            }
        } else if job.has_record() {
            match self.catch_up(&job) {
                Ok(fed) => {
                    if fed.documents > 0 {
                        tracing::info!(crawl = id, documents = fed.documents, "archive updated");
                    }
                    for damage in &fed.damage {
                        tracing::error!(
                            crawl = id,
                            ?damage,
                            "crawl is damaged; stop the service, run `lodeward repair`"
                        );
                    }
                }
                Err(error) => log_error(&error, "updating the archive from a crawl failed"),
            }
        }
        self.jobs().insert(id, Arc::new(job));
    }

    /// Adds the documents of a crawl that the archive does not contain yet. This may take long, and
    /// the service accepts no requests meanwhile, so the start is logged.
    pub(super) fn catch_up(&self, job: &Job) -> Result<FeedProgress, CatchUpError> {
        let config = &self.settings.current().config;
        let mut progress = |feeding: &FeedProgress| {
            if feeding.documents == 0 && feeding.documents_total > 0 {
                let documents = feeding.documents_total;
                tracing::info!(crawl = feeding.crawl, documents, "updating the archive from a crawl");
            }
        };
        catch_up_crawl(config, &self.data_dir, &job.record(), &self.targets, &mut progress)
    }

    /// Stores the desired state of a crawl on a blocking thread.
    async fn set_desired_state(self: &Arc<Self>, job: &Arc<Job>, desired_state: DesiredState) -> Result<(), JobError> {
        let (table, job) = (Arc::clone(self), Arc::clone(job));
        let storing = tokio::task::spawn_blocking(move || job.set_desired_state(&table.data_dir, desired_state));
        Ok(storing.await.expect("storing the state does not panic")?)
    }

    /// Deletes a crawl. An interrupted deletion is repeated when the service is opened.
    fn erase(&self, job: &Job) -> Result<(), JobError> {
        let config = &self.settings.current().config;
        Ok(delete_crawl(config, &self.data_dir, Some((&self.targets, &self.archive)), job.id())?)
    }
}
