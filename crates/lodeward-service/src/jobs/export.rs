//! Exports of crawls into the archive, each as a named graph.

use std::sync::Arc;

use lodeward_app::crawl_dir;
use lodeward_app::deletion::DeletionError;
use lodeward_app::graph_export;
use lodeward_app::graph_export::{ExportError, ExportPart, ExportSource, GraphExport};
use lodeward_app::review::{CandidateError, CandidateQuery, MarkFilter};
use lodeward_app::review::{CandidateFilter, MarkKind, RankingFileError};
use lodeward_app::settings::StrategyKind;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::events::JobEventKind;
use super::{JobError, JobTable};

/// Which candidates to export.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExportCandidates {
    /// Candidates marked as kept.
    Kept,
    /// All candidates except those marked as dropped.
    Undropped,
    /// All candidates.
    All,
}

impl ExportCandidates {
    fn to_mark_filter(self) -> MarkFilter {
        match self {
            Self::Kept => MarkFilter::Only(Some(MarkKind::Keep)),
            Self::Undropped => MarkFilter::Undropped,
            Self::All => MarkFilter::All,
        }
    }
}

/// What to export of a crawl. Default: for a focused crawl the candidates that are not dropped, for
/// any other crawl everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExportChoice {
    /// Exports only candidates with these marks.
    pub(crate) only: Option<ExportCandidates>,
    /// Exports only candidates that match this filter.
    pub(crate) filter: Option<CandidateFilter>,
}

impl JobTable {
    /// Exports a crawl to the archive, replacing its previous export. The export is durable when
    /// this returns. It completes even if the client disconnects.
    pub(crate) async fn export(self: &Arc<Self>, id: u32, choice: ExportChoice) -> Result<GraphExport, JobError> {
        let permit = self.exports.try_acquire(id).ok_or(JobError::Exporting(id))?;
        let table = Arc::clone(self);
        let exporting = tokio::spawn(async move {
            let exported = table.export_now(id, choice).await;
            drop(permit);
            exported
        });
        exporting.await.unwrap_or(Err(JobError::Closing))
    }

    /// Removes the export of a crawl from the archive. Returns whether there was one.
    pub(crate) async fn unexport(self: &Arc<Self>, id: u32) -> Result<bool, JobError> {
        let permit = self.exports.try_acquire(id).ok_or(JobError::Exporting(id))?;
        let table = Arc::clone(self);
        let removing = tokio::spawn(async move {
            let removed = table.unexport_now(id).await;
            drop(permit);
            removed
        });
        removing.await.unwrap_or(Err(JobError::Closing))
    }

    /// The last export of a crawl. Reads a small file.
    pub(crate) fn last_export(&self, id: u32) -> Result<Option<GraphExport>, JobError> {
        self.job(id)?;
        Ok(graph_export::last_export(&self.data_dir, id)?)
    }

    async fn export_now(self: Arc<Self>, id: u32, choice: ExportChoice) -> Result<GraphExport, JobError> {
        let job = self.job(id)?;
        let _exporting = job.exporting.lock().await;
        // The crawl may have been deleted while this task waited for the lock.
        self.job(id)?;
        let _slot = self.export_slots.acquire().await;
        let open_crawl = self.open_job(&job).await?;
        let table = Arc::clone(&self);
        let work = tokio::task::spawn_blocking(move || table.export_blocking(&open_crawl, id, &choice));
        let exported = work.await.map_err(|_| JobError::Closing)??;
        self.hub.publish(id, JobEventKind::Exported);
        Ok(exported)
    }

    fn export_blocking(
        &self,
        open_crawl: &crawl_dir::OpenCrawl,
        id: u32,
        choice: &ExportChoice,
    ) -> Result<GraphExport, JobError> {
        let config = self.crawl_config(&*self.job(id)?)?.config;
        let all = CandidateFilter::default();
        let selects_candidates = choice.only.is_some() || choice.filter.is_some();
        let part = if selects_candidates || config.crawl.strategy == StrategyKind::Focus {
            let filter = choice.filter.as_ref().unwrap_or(&all);
            let marks = choice.only.unwrap_or(ExportCandidates::Undropped).to_mark_filter();
            ExportPart::Candidates(CandidateQuery { filter, marks, offset: 0, limit: u64::MAX })
        } else {
            ExportPart::Harvest
        };
        let source =
            ExportSource { config: &config, data_dir: &self.data_dir, crawl: id, segments: &open_crawl.segments };
        Ok(graph_export::export_crawl(&source, &self.archive, part, (self.now)())?)
    }

    async fn unexport_now(self: Arc<Self>, id: u32) -> Result<bool, JobError> {
        let job = self.job(id)?;
        let _exporting = job.exporting.lock().await;
        self.job(id)?;
        let table = Arc::clone(&self);
        let work = tokio::task::spawn_blocking(move || table.remove_export(id));
        work.await.map_err(|_| JobError::Closing)?
    }

    /// Removes the export of a crawl from the archive.
    fn remove_export(&self, id: u32) -> Result<bool, JobError> {
        Ok(graph_export::remove_export(&self.settings.current().config, &self.data_dir, &self.archive, id)?)
    }
}

impl From<DeletionError> for JobError {
    fn from(error: DeletionError) -> Self {
        match error {
            DeletionError::Export(error) => error.into(),
            DeletionError::Follower(error) => error.into(),
            DeletionError::DataDir(error) => error.into(),
        }
    }
}

impl From<ExportError> for JobError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Candidates(CandidateError::Ranking(
                RankingFileError::Missing | RankingFileError::Damaged { .. } | RankingFileError::Version { .. },
            )) => Self::Unranked,
            ExportError::NoCandidates => Self::EmptyExport,
            ExportError::Archive(error) => Self::Archive(error),
            ExportError::DataDir(error) => Self::DataDir(error),
            error => Self::Export(Box::new(error)),
        }
    }
}
