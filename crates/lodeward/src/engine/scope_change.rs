//! Changes of the scope and of the limits of a crawl, while it runs or between two runs.

use super::conductor::Conductor;
use super::{CrawlCommand, CrawlError, EngineOptions, Scope};
use crate::frontier::QueueEntry;
use crate::model::{DropReason, FoundBy, Uri};

/// Number of waiting URIs that are dropped at a time.
const BATCH_SIZE: usize = 1_024;

impl Conductor {
    /// Applies a command.
    pub(super) async fn apply_command(&mut self, command: CrawlCommand) -> Result<(), CrawlError> {
        match command {
            CrawlCommand::Stop => self.stop.begin(false, self.now()),
            CrawlCommand::StopNow => self.stop.begin(true, self.now()),
            CrawlCommand::AddSeeds(seeds) => self.offer_seeds(seeds).await?,
            CrawlCommand::Change(change) => {
                let (scope, options) = *change;
                self.change_limits(scope, &options);
                self.apply_scope_change().await?;
            }
        }
        Ok(())
    }

    fn change_limits(&mut self, scope: Scope, options: &EngineOptions) {
        let current = &mut self.crawl.scope;
        (current.include, current.exclude, current.max_depth) = (scope.include, scope.exclude, scope.max_depth);
        let current = &mut self.crawl.options;
        current.max_requests = options.max_requests;
        (current.max_documents, current.max_rdf_documents) = (options.max_documents, options.max_rdf_documents);
    }

    /// Drops waiting URIs that are out of scope now. Links that are in scope now are queued later.
    pub(super) async fn apply_scope_change(&mut self) -> Result<(), CrawlError> {
        self.commit().await?;
        let waiting = self.frontier().await?.waiting_snapshot();
        let mut batch: Vec<(Uri, DropReason)> = Vec::new();
        for entry in waiting {
            let entry = entry?;
            if let Some(reason) = self.crawl.scope.reason_to_drop_queued(&entry) {
                batch.push((entry.target, reason));
            }
            if batch.len() >= BATCH_SIZE {
                self.drop_waiting(std::mem::take(&mut batch)).await?;
            }
        }
        self.drop_waiting(batch).await?;
        self.scope_grew = true;
        Ok(())
    }

    async fn drop_waiting(&mut self, dropped: Vec<(Uri, DropReason)>) -> Result<(), CrawlError> {
        if dropped.is_empty() {
            return Ok(());
        }
        for (reason, count) in self.frontier().await?.drop_waiting(dropped).await? {
            self.tally.count_drops(reason, count);
        }
        self.commits.record_change();
        Ok(())
    }
}

impl Scope {
    /// Why a URI in the queue is not requested, if the patterns or the maximum depth have changed since it was queued.
    #[must_use]
    pub fn reason_to_drop_queued(&self, entry: &QueueEntry) -> Option<DropReason> {
        if entry.revisit.is_some() || entry.step.is_some() || is_seed(&entry.found_by) {
            return None;
        }
        let uri = entry.target.as_str();
        let is_excluded = self.exclude.is_match(uri);
        // A redirect inherits the permission of the link that led to it.
        let is_selected = entry.redirects > 0 || self.include.as_ref().is_none_or(|patterns| patterns.is_match(uri));
        if is_excluded || !is_selected {
            return Some(DropReason::Pattern);
        }
        let is_too_deep = entry.redirects == 0 && self.max_depth.is_some_and(|max| entry.depth > max);
        is_too_deep.then_some(DropReason::Depth)
    }
}

fn is_seed(found_by: &FoundBy) -> bool {
    match found_by {
        FoundBy::Seed => true,
        FoundBy::Promised(found_by, _) => is_seed(found_by),
        _ => false,
    }
}
