//! Removal on request, from all crawls of the service.

use std::sync::Arc;

use lodeward_app::removal::{CrawlRemoval, RemovalError, remove_from_crawl};
use lodeward_app::removal_list::{RemovalRecord, record_removal};

use super::job::Job;
use super::{JobError, JobTable};

impl JobTable {
    /// Removes documents from all crawls, of which none may run: a running crawl owns its harvest. Once the removal is
    /// recorded, no crawl fetches the documents again. It completes even if the client disconnects. Returns the crawls
    /// that had documents.
    pub(crate) async fn remove_documents(
        self: &Arc<Self>,
        removal: RemovalRecord,
    ) -> Result<Vec<(u32, CrawlRemoval)>, JobError> {
        let table = Arc::clone(self);
        tokio::spawn(async move { table.remove_now(removal).await }).await.unwrap_or(Err(JobError::Closing))
    }

    async fn remove_now(self: &Arc<Self>, removal: RemovalRecord) -> Result<Vec<(u32, CrawlRemoval)>, JobError> {
        let jobs: Vec<Arc<Job>> = self.jobs().values().filter(|job| job.has_record()).cloned().collect();
        jobs.iter().try_for_each(|job| require_idle(job))?;
        let (table, recorded) = (Arc::clone(self), removal.clone());
        let recording = tokio::task::spawn_blocking(move || record_removal(&table.data, &recorded));
        recording.await.expect("recording a removal does not panic")?;
        let mut removed = Vec::new();
        for job in jobs {
            let _changing = job.lock_changes().await;
            require_idle(&job)?;
            let of_crawl = self.remove_from_job(&job, &removal).await?;
            if of_crawl.documents > 0 {
                removed.push((job.id(), of_crawl));
            }
        }
        Ok(removed)
    }

    async fn remove_from_job(
        self: &Arc<Self>,
        job: &Arc<Job>,
        removal: &RemovalRecord,
    ) -> Result<CrawlRemoval, JobError> {
        let open_crawl = self.open_job(job).await?;
        let (table, target) = (Arc::clone(self), removal.target.clone());
        let removing = tokio::task::spawn_blocking(move || -> Result<CrawlRemoval, RemovalError> {
            let config = &table.settings.current().config;
            let archive = Some(&table.archive);
            table.runtime.block_on(remove_from_crawl(config, &table.data_dir, &open_crawl, archive, &target))
        });
        let removed = removing.await.expect("removing documents does not panic")?;
        if removed.documents > 0 {
            // The archive reads the files of a crawl that is closed.
            job.close_crawl_and_wait().await;
            let (table, job) = (Arc::clone(self), Arc::clone(job));
            let feeding = tokio::task::spawn_blocking(move || table.catch_up(&job).map(drop));
            feeding.await.expect("updating the archive does not panic").map_err(Box::new)?;
        }
        Ok(removed)
    }
}

/// A crawl that runs owns its harvest.
fn require_idle(job: &Job) -> Result<(), JobError> {
    let state = job.state();
    if state.is_active() {
        Err(JobError::State { operation: "remove documents of", id: job.id(), state })
    } else {
        Ok(())
    }
}
