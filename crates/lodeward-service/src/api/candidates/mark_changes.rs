//! The history of marks, by request.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward_app::review::marks::MarkBatch;
use serde::Serialize;
use utoipa::ToSchema;

use super::marks::{MarkHistoryQuery, MarkKindView};
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::problem::Problem;
use crate::state::Service;

/// A page of changes, the last one first.
#[derive(Serialize, ToSchema)]
struct MarkBatchPage {
    /// Total number of changes.
    total: u64,
    /// Number of skipped changes.
    offset: u32,
    /// Maximum number of changes in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The changes.
    changes: Vec<MarkBatchView>,
}

/// A change of marks by one request.
#[derive(Serialize, ToSchema)]
#[schema(as = MarkBatch)]
struct MarkBatchView {
    /// Number of the change: `DELETE …/candidates/marks?change=` undoes it.
    #[schema(minimum = 1)]
    change: u64,
    /// Mark that was set; `null` if marks were removed. For an undo, the mark of the first entity.
    mark: Option<MarkKindView>,
    /// Number of changed marks.
    count: u64,
    /// The first changed entity, by IRI.
    first: String,
    /// Filter that selected the entities.
    filter: Option<String>,
    /// Number of the change that this one undid.
    undoes: Option<u64>,
    /// Whether the change was undone.
    undone: bool,
    /// User that made the change.
    by: Option<String>,
    /// When the change was made.
    at: Option<Timestamp>,
}

impl From<MarkBatch> for MarkBatchView {
    fn from(batch: MarkBatch) -> Self {
        let MarkBatch { number, mark, count, first, filter, undoes, is_undone, author } = batch;
        let (mark, at) = (mark.map(MarkKindView::from), author.at_ms.map(Timestamp::from_ms));
        Self { change: number, mark, count, first, filter, undoes, undone: is_undone, by: author.user, at }
    }
}

/// List the changes of marks by request
///
/// One entry for each request that changed marks, the last one first: who, when, how many, and with
/// which filter.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates/marks/changes", tag = "candidates",
    params(CrawlPath, MarkHistoryQuery),
    responses((
        status = 200, description = "A page of changes", body = MarkBatchPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn list_mark_changes(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(MarkHistoryQuery { offset, limit }): QueryParams<MarkHistoryQuery>,
) -> Result<Response, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let page = run_blocking(move || {
        let batches = service.candidates.marks(&directory)?.batches();
        let total = batches.len() as u64;
        let changes = batches.into_iter().skip(offset as usize).take(limit.get().into());
        Ok(MarkBatchPage { total, offset, limit, changes: changes.map(MarkBatchView::from).collect() })
    })
    .await?;
    let url = PageUrl::new(format!("/api/v1/crawls/{id}/candidates/marks/changes"));
    Ok(offset_links(&url, offset.into(), limit, page.total).attach_to(axum::Json(page)))
}
