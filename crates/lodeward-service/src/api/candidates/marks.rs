//! Marks of candidates.

use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward_app::review::marks::{MarkAuthor, MarkChange, MarkRecord};
use lodeward_app::review::{CandidateError, MarkFile, MarkKind, MarksError, require_candidates};
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::list::matching_entities;
use super::{lazy_harvest, parse_filter_at};
use crate::api::crawls::{CrawlPath, require_owned_crawl};
use crate::api::extract::{JsonBody, PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::timestamp::Timestamp;
use crate::blocking::{run_blocking, run_bulk_read};
use crate::problem::{Problem, ProblemCode, truncate_echo};
use crate::role::Caller;
use crate::state::Service;

/// The maximum number of entities in a request; a filter may select more.
const MAX_ENTITIES: usize = 10_000;

/// A mark for some candidates.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewMarks {
    /// Entities to mark, by IRI. Each must be in the list of candidates, or have a mark.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    entities: Option<Vec<String>>,
    /// Marks the candidates of the ranking that match this filter; an empty filter matches all.
    #[serde(default)]
    #[schema(max_length = 4_000)]
    filter: Option<String>,
    /// Mark to set on all selected entities.
    mark: NewMarkKind,
}

/// Mark to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum NewMarkKind {
    /// The candidate is relevant.
    Keep,
    /// The candidate is not relevant: it is no longer listed, and later runs do not fetch it.
    Drop,
    /// The mark is removed.
    None,
}

/// The mark of a candidate.
#[derive(Serialize, ToSchema)]
#[schema(as = Mark)]
pub(super) struct MarkView {
    /// Kind of the mark.
    mark: MarkKindView,
    /// User that set the mark.
    by: Option<String>,
    /// When the mark was set.
    at: Option<Timestamp>,
}

/// The kind of a mark.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = MarkKind)]
enum MarkKindView {
    /// The candidate is relevant.
    Keep,
    /// The candidate is not relevant.
    Drop,
}

impl From<MarkRecord> for MarkView {
    fn from(MarkRecord { mark, author }: MarkRecord) -> Self {
        Self { mark: mark.into(), by: author.user, at: author.at_ms.map(Timestamp::from_ms) }
    }
}

/// The number of changed marks, and the total number of marks after the change.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct MarkingResult {
    /// Number of changed marks.
    changed: usize,
    /// Total number of kept candidates.
    kept: usize,
    /// Total number of dropped candidates.
    dropped: usize,
}

/// The result of an undo.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UndoResult {
    #[serde(flatten)]
    result: MarkingResult,
    /// Number of marks of the undone change that stay, because another user has changed them since.
    superseded: usize,
}

/// A change of a mark.
#[derive(Serialize, ToSchema)]
#[schema(as = MarkChange)]
struct MarkChangeView {
    /// IRI of the entity.
    entity: String,
    /// Mark that was set; `null` if the mark was removed.
    mark: Option<MarkKindView>,
    /// Mark before the change.
    previous: Option<MarkKindView>,
    /// Whether the change undid an earlier change.
    undo: bool,
    /// User that made the change.
    by: Option<String>,
    /// When the change was made.
    at: Option<Timestamp>,
}

/// A page of changes of marks, the last change first.
#[derive(Serialize, ToSchema)]
pub(super) struct MarkHistoryPage {
    /// Total number of changes.
    total: u64,
    /// Number of skipped changes.
    offset: u32,
    /// Maximum number of changes in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The changes.
    changes: Vec<MarkChangeView>,
}

/// Query parameters for a page of the history of marks.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct MarkHistoryQuery {
    /// Number of changes to skip.
    offset: u32,
    /// Maximum number of changes.
    #[param(inline)]
    limit: PageLimit,
}

impl From<MarkKind> for MarkKindView {
    fn from(kind: MarkKind) -> Self {
        match kind {
            MarkKind::Keep => Self::Keep,
            MarkKind::Drop => Self::Drop,
        }
    }
}

impl From<MarkChange> for MarkChangeView {
    fn from(MarkChange { entity, mark, previous, is_undo, author }: MarkChange) -> Self {
        let at = author.at_ms.map(Timestamp::from_ms);
        let (mark, previous) = (mark.map(MarkKindView::from), previous.map(MarkKindView::from));
        Self { entity, mark, previous, undo: is_undo, by: author.user, at }
    }
}

/// List the changes of marks
///
/// Who marked what, and when, the last change first. Very long histories are compacted: then only
/// the last change of each marked entity is left.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    params(CrawlPath, MarkHistoryQuery),
    responses((
        status = 200, description = "A page of changes", body = MarkHistoryPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn mark_history(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(MarkHistoryQuery { offset, limit }): QueryParams<MarkHistoryQuery>,
) -> Result<Response, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let page = run_blocking(move || {
        let marks = MarkFile::open(&directory).map_err(CandidateError::from)?;
        let history = marks.history();
        let total = history.len() as u64;
        let changes = history.skip(offset as usize).take(limit.get().into()).map(MarkChangeView::from).collect();
        Ok(MarkHistoryPage { total, offset, limit, changes })
    })
    .await?;
    let url = PageUrl::new(format!("/api/v1/crawls/{id}/candidates/marks"));
    Ok(offset_links(&url, offset.into(), limit, page.total).attach_to(axum::Json(page)))
}

/// Mark candidates
///
/// Candidates are selected by IRI, by a filter, or both. Marks are durable when the response is
/// sent. They belong to entities, not to ranks, so they survive a new ranking.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    params(CrawlPath), request_body = NewMarks,
    responses(
        (status = 200, description = "Marked", body = MarkingResult),
        (status = 409, description = "There is no ranking"),
        (status = 422, description = "An entity is not a candidate; `hint` has similar ones"),
    ),
)]
pub(super) async fn mark_candidates(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    JsonBody(request): JsonBody<NewMarks>,
) -> Result<axum::Json<MarkingResult>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let NewMarks { entities, filter: text, mark } = request;
    let mut names = entities.unwrap_or_default();
    if names.is_empty() && text.is_none() {
        let problem = Problem::new(ProblemCode::Unprocessable, "no candidates are selected");
        return Err(problem.hint("give `entities` or a `filter`; an empty filter matches all candidates"));
    }
    check_entities(&names)?;
    let by = MarkAuthor { user: Some(caller.name), at_ms: Some((service.now)()) };
    let selection = match text {
        Some(text) => {
            let filter = parse_filter_at(Some(&text), "/filter")?;
            let harvest = lazy_harvest(&service, id, &filter).await?;
            Some((filter, harvest))
        }
        None => None,
    };
    let (directory, files) = service.jobs.lock_files(id).await?;
    run_bulk_read(move || {
        let _files = files;
        require_candidates(&directory, &names)?;
        if let Some((filter, harvest)) = selection {
            names.extend(matching_entities(&directory, &filter, harvest)?);
        }
        change_marks(&directory, |marks| marks.set(names.iter().map(String::as_str), mark.mark_kind(), &by))
    })
    .await
    .map(axum::Json)
}

/// Undo your last change of marks
///
/// Each further request undoes your change before that. Marks that another user has changed since
/// stay. If there is no change to undo, the request has no effect.
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    params(CrawlPath), responses((status = 200, description = "Undone", body = UndoResult)),
)]
pub(super) async fn undo_marks(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<UndoResult>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let by = MarkAuthor { user: Some(caller.name), at_ms: Some((service.now)()) };
    let (directory, files) = service.jobs.lock_files(id).await?;
    run_blocking(move || {
        let _files = files;
        let mut superseded = 0;
        let result = change_marks(&directory, |marks| {
            let undone = marks.undo(&by)?;
            superseded = undone.superseded;
            Ok::<_, MarksError>(undone.changed)
        })?;
        Ok(UndoResult { result, superseded })
    })
    .await
    .map(axum::Json)
}

impl NewMarkKind {
    fn mark_kind(self) -> Option<MarkKind> {
        match self {
            Self::Keep => Some(MarkKind::Keep),
            Self::Drop => Some(MarkKind::Drop),
            Self::None => None,
        }
    }
}

fn check_entities(entities: &[String]) -> Result<(), Problem> {
    if entities.len() > MAX_ENTITIES {
        let problem = Problem::new(ProblemCode::Unprocessable, format!("too many entities: {}", entities.len()));
        return Err(problem.hint(format!("send at most {MAX_ENTITIES} at a time, or use a filter")));
    }
    match entities.iter().position(|entity| NamedNode::new(entity.as_str()).is_err()) {
        Some(index) => {
            let detail = format!("`{}` is not an IRI", truncate_echo(&entities[index]));
            Err(Problem::new(ProblemCode::Unprocessable, detail).at(format!("/entities/{index}")))
        }
        None => Ok(()),
    }
}

/// Applies a change to the marks of a crawl, durably.
fn change_marks<E: Into<CandidateError>>(
    directory: &FilePath,
    change: impl FnOnce(&mut MarkFile) -> Result<usize, E>,
) -> Result<MarkingResult, Problem> {
    let mut marks = MarkFile::open(directory).map_err(CandidateError::from)?;
    let changed = change(&mut marks).map_err(Into::into)?;
    let count = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count();
    Ok(MarkingResult { changed, kept: count(MarkKind::Keep), dropped: count(MarkKind::Drop) })
}
