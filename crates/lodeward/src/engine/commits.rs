//! Makes results durable: commits, syncs, the model of the strategy.
//!
//! The store is always committed before the frontier: a document that is settled in the frontier
//! must be in the store.

use std::sync::Arc;

use tokio::runtime::Handle;
use tokio::task::{JoinHandle, spawn_blocking};

use super::conductor::Conductor;
use super::{CrawlError, EngineOptions};
use crate::frontier::{Lease, Settlement};
use crate::model::CrawlTime;

/// What has changed since the last commit, and when the next one is due.
#[derive(Default)]
pub(super) struct CommitState {
    /// Whether there are changes since the last commit.
    is_dirty: bool,
    /// Number of documents since the last commit.
    documents: u64,
    /// Leases that have ended, and that the frontier does not know of yet.
    settlements: Vec<(Lease, Settlement)>,
    last_commit: CrawlTime,
    last_sync: CrawlTime,
    last_model_save: CrawlTime,
    syncing: Option<JoinHandle<Result<(), CrawlError>>>,
}

impl CommitState {
    pub(super) fn record_change(&mut self) {
        self.is_dirty = true;
    }

    pub(super) fn record_settlement(&mut self, lease: Lease, settlement: Settlement) {
        self.is_dirty = true;
        self.settlements.push((lease, settlement));
    }

    pub(super) fn take_settlements(&mut self) -> Vec<(Lease, Settlement)> {
        std::mem::take(&mut self.settlements)
    }

    pub(super) fn record_document(&mut self) {
        self.documents += 1;
    }

    /// The number of documents since the last commit.
    pub(super) fn documents(&self) -> u64 {
        self.documents
    }

    /// When the changes so far must be committed; `None` if there are none.
    pub(super) fn due(&self, options: &EngineOptions) -> Option<CrawlTime> {
        let is_full = self.documents >= options.commit_documents;
        self.is_dirty.then(|| if is_full { CrawlTime::ZERO } else { self.last_commit + options.commit_interval })
    }

    fn record_commit(&mut self, now: CrawlTime) {
        (self.is_dirty, self.documents, self.last_commit) = (false, 0, now);
    }

    /// Waits for the running sync.
    pub(super) async fn finish_sync(&mut self) -> Result<(), CrawlError> {
        match self.syncing.take() {
            Some(syncing) => syncing.await.expect("the sync task does not panic"),
            None => Ok(()),
        }
    }
}

impl Conductor {
    pub(super) async fn commit_if_due(&mut self) -> Result<(), CrawlError> {
        if self.commits.due(&self.crawl.options).is_some_and(|due| due <= self.now()) {
            self.commit().await?;
        }
        if self.now() >= self.commits.last_sync + self.crawl.options.sync_interval {
            self.sync().await?;
        }
        Ok(())
    }

    pub(super) async fn commit(&mut self) -> Result<(), CrawlError> {
        self.count_resumptions();
        for observer in &mut self.crawl.observers {
            observer.before_commit();
        }
        let stored = self.crawl.store.commit().await?;
        // Before the memo is made: it has the number of URIs that are dropped with these settlements.
        self.frontier().await?;
        let memo = self.hops.to_memo(&self.tally);
        self.crawl.frontier.commit(&memo, stored).await?;
        self.commits.record_commit(self.now());
        self.publish_progress().await
    }

    /// Counts the requests that resumed interrupted bodies. They are counted while the errands
    /// run, because a dump may take an hour.
    pub(super) fn count_resumptions(&mut self) {
        self.tally.requests_get += self.flights.new_resumptions(self.crawl.fetcher.resumptions());
    }

    /// Starts an fsync in the background, unless one is running.
    async fn sync(&mut self) -> Result<(), CrawlError> {
        self.commits.last_sync = self.now();
        if self.commits.syncing.as_ref().is_some_and(|running| !running.is_finished()) {
            return Ok(());
        }
        self.commits.finish_sync().await?;
        let (store, frontier) = (Arc::clone(&self.crawl.store), Arc::clone(&self.crawl.frontier));
        // An fsync blocks and may take long, so it runs on a blocking thread.
        let runtime = Handle::current();
        let save = self.save_model_if_due();
        self.commits.syncing = Some(spawn_blocking(move || {
            if let Some(save) = save {
                save();
            }
            runtime.block_on(async {
                store.sync().await?;
                Ok(frontier.sync().await?)
            })
        }));
        Ok(())
    }

    /// Commits and syncs everything, and stores the model.
    pub(super) async fn finish_commits(&mut self) -> Result<(), CrawlError> {
        self.commit().await?;
        self.crawl.store.sync().await?;
        self.crawl.frontier.sync().await?;
        // A running sync may be storing the model, so the conductor waits for the sync before it
        // stores the model again.
        self.commits.finish_sync().await?;
        if let Some(save) = self.save_model() {
            spawn_blocking(save).await.expect("storing the model does not panic");
        }
        Ok(())
    }

    fn save_model_if_due(&mut self) -> Option<impl FnOnce() + use<>> {
        let is_due = self.now() >= self.commits.last_model_save + self.crawl.options.model_interval;
        if is_due { self.save_model() } else { None }
    }

    /// Returns a function that stores the model of the strategy. If storing fails, the crawl
    /// continues, and the previously stored model is kept.
    fn save_model(&mut self) -> Option<impl FnOnce() + use<>> {
        let model_store = Arc::clone(self.crawl.model_store.as_ref()?);
        let model = self.crawl.strategy.save()?;
        self.commits.last_model_save = self.now();
        Some(move || {
            if let Err(error) = model_store.write(&model) {
                tracing::warn!(%error, "cannot store the model");
            }
        })
    }
}
