//! Marks of candidates.

use std::collections::BTreeSet;
use std::path::Path as FilePath;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward_app::review::marks::{MarkAuthor, MarkChange, MarkRecord, UndoSummary};
use lodeward_app::review::{CandidateError, CandidateIndex, MarkFile, MarkKind, MarksError, require_candidates};
use oxrdf::NamedNode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::rankings::{open_index, parse_ranking_name};
use super::{lazy_harvest, parse_filter_at};
use crate::api::crawls::{CrawlPath, require_reviewer};
use crate::api::extract::{JsonBody, PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::timestamp::Timestamp;
use crate::blocking::{run_blocking, run_bulk_read};
use crate::jobs::events::{JobEventKind, MarkedEvent};
use crate::problem::{Problem, ProblemCode, truncate_echo};
use crate::role::Caller;
use crate::state::Service;

/// The maximum number of entities in an event.
const MAX_PUBLISHED_ENTITIES: usize = 100;

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
    /// Name of the further ranking whose candidates are marked; default: the ranking of the crawl.
    #[serde(default)]
    #[schema(max_length = 40)]
    ranking: Option<String>,
    /// Mark to set on all selected entities.
    mark: NewMarkKind,
}

/// Options of a request that changes marks.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct MarkingQuery {
    /// Whether nothing is changed: the response says what the request would change.
    dry_run: bool,
}

/// Options of an undo.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct UndoQuery {
    /// Number of the change to undo, from `…/candidates/marks/changes`; default: your last change.
    #[param(minimum = 1)]
    change: Option<u64>,
    /// Whether nothing is changed: the response says what the request would change.
    dry_run: bool,
}

/// Mark to set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::api) enum NewMarkKind {
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
pub(in crate::api) struct MarkView {
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
pub(super) enum MarkKindView {
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

impl MarkingResult {
    fn new(changed: usize, marks: &MarkFile) -> Self {
        let count = |kind: MarkKind| marks.iter().filter(|(_, marked)| marked.mark == kind).count();
        Self { changed, kept: count(MarkKind::Keep), dropped: count(MarkKind::Drop) }
    }
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
    /// Number of the request that made the change; `null` if the history was compacted.
    change: Option<u64>,
    /// Whether the change undid an earlier change.
    undo: bool,
    /// User that made the change.
    by: Option<String>,
    /// When the change was made.
    at: Option<Timestamp>,
}

/// A page of changes of marks, the last change first.
#[derive(Serialize, ToSchema)]
pub(in crate::api) struct MarkHistoryPage {
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
pub(in crate::api) struct MarkHistoryQuery {
    /// Number of changes to skip.
    pub(super) offset: u32,
    /// Maximum number of changes.
    #[param(inline)]
    pub(super) limit: PageLimit,
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
    fn from(MarkChange { entity, mark, previous, batch, is_undo, author }: MarkChange) -> Self {
        let at = author.at_ms.map(Timestamp::from_ms);
        let (mark, previous) = (mark.map(MarkKindView::from), previous.map(MarkKindView::from));
        Self { entity, mark, previous, change: batch, undo: is_undo, by: author.user, at }
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
    QueryParams(query): QueryParams<MarkHistoryQuery>,
) -> Result<Response, Problem> {
    let directory = service.jobs.crawl_dir(id)?;
    let marks = run_blocking(move || Ok(service.candidates.marks(&directory)?)).await?;
    Ok(history_page(&marks, &query, &PageUrl::new(format!("/api/v1/crawls/{id}/candidates/marks"))))
}

/// A page of the changes of marks.
pub(in crate::api) fn history_page(marks: &MarkFile, query: &MarkHistoryQuery, url: &PageUrl) -> Response {
    let MarkHistoryQuery { offset, limit } = *query;
    let history = marks.history();
    let total = history.len() as u64;
    let changes = history.skip(offset as usize).take(limit.get().into()).map(MarkChangeView::from).collect();
    let page = MarkHistoryPage { total, offset, limit, changes };
    offset_links(url, offset.into(), limit, total).attach_to(axum::Json(page))
}

/// Mark candidates
///
/// Candidates are selected by IRI, by a filter, or both. Marks are durable when the response is
/// sent. They belong to entities, not to ranks, so they survive a new ranking. The owner of the crawl,
/// its reviewers and admins may mark.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    params(CrawlPath, MarkingQuery), request_body = NewMarks,
    responses(
        (status = 200, description = "Marked", body = MarkingResult),
        (status = 404, description = "There is no such crawl or ranking"),
        (status = 409, description = "There is no ranking"),
        (status = 422, description = "An entity is not a candidate; `hint` has similar ones"),
    ),
)]
pub(super) async fn mark_candidates(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(MarkingQuery { dry_run }): QueryParams<MarkingQuery>,
    JsonBody(request): JsonBody<NewMarks>,
) -> Result<axum::Json<MarkingResult>, Problem> {
    require_reviewer(&service, &caller, id)?;
    let ranking = parse_ranking_name(request.ranking.as_deref())?;
    let mark = request.mark.mark_kind();
    let names = request.entities.unwrap_or_default();
    if names.is_empty() && request.filter.is_none() {
        let problem = Problem::new(ProblemCode::Unprocessable, "no candidates are selected");
        return Err(problem.hint("give `entities` or a `filter`; an empty filter matches all candidates"));
    }
    check_entities(&names)?;
    let filter = request.filter.as_deref().map(|text| parse_filter_at(Some(text), "/filter")).transpose()?;
    let selection = match filter {
        Some(filter) => {
            let harvest = lazy_harvest(&service, id, &filter).await?;
            Some((filter, harvest))
        }
        None => None,
    };
    let user = caller.name.clone();
    let author = MarkAuthor { user: Some(caller.name), at_ms: Some((service.now)()) };
    let (directory, files) = service.jobs.lock_files(id).await?;
    let shared = Arc::clone(&service);
    let (result, changed) = run_bulk_read(move || {
        let _files = files;
        let index = match ranking {
            None if selection.is_none() => None,
            ranking => Some(open_index(&shared, &directory, ranking.as_ref())?),
        };
        check_candidates(&shared, &directory, index.as_deref(), &names)?;
        let mut names = names;
        if let (Some((filter, harvest)), Some(index)) = (selection, &index) {
            let marks = shared.candidates.marks(&directory)?;
            names.extend(index.matching_entities(&marks, &filter, || Ok(harvest.into_store()))?);
        }
        let marks = shared.candidates.marks(&directory)?;
        let is_changed = |entity: &&String| marks.get(entity).map(|marked| marked.mark) != mark;
        let changed: BTreeSet<String> = names.iter().filter(is_changed).cloned().collect();
        if dry_run {
            return Ok((MarkingResult::new(changed.len(), &marks), BTreeSet::new()));
        }
        let entities = names.iter().map(String::as_str);
        let filter = request.filter.as_deref();
        let result = change_marks(&directory, |marks| marks.set_selected(entities, mark, &author, filter))?;
        Ok((result, changed))
    })
    .await?;
    if result.changed > 0 && !dry_run {
        publish_marks(&service, id, changed, mark, user);
    }
    Ok(axum::Json(result))
}

/// Undo a change of marks
///
/// Undoes your last change, or the given one. Each further request without `change` undoes your change
/// before that. Marks that were changed since stay. If there is nothing to undo, the request has no
/// effect. The change of another user can be undone by the owner of the crawl and by admins.
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/candidates/marks", tag = "candidates",
    params(CrawlPath, UndoQuery),
    responses(
        (status = 200, description = "Undone", body = UndoResult),
        (status = 404, description = "There is no such crawl or change"),
    ),
)]
pub(super) async fn undo_marks(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(UndoQuery { change, dry_run }): QueryParams<UndoQuery>,
) -> Result<axum::Json<UndoResult>, Problem> {
    let view = require_reviewer(&service, &caller, id)?;
    let is_owner = caller.may_change(view.user.as_deref());
    let by = MarkAuthor { user: Some(caller.name.clone()), at_ms: Some((service.now)()) };
    let (directory, files) = service.jobs.lock_files(id).await?;
    let shared = Arc::clone(&service);
    let result = run_blocking(move || {
        let _files = files;
        if let Some(number) = change {
            check_undo(&*shared.candidates.marks(&directory)?, number, &by, is_owner)?;
        }
        if dry_run {
            let marks = shared.candidates.marks(&directory)?;
            let UndoSummary { changed, superseded } = marks.undo_preview(change, &by);
            return Ok(UndoResult { result: MarkingResult::new(changed, &marks), superseded });
        }
        let mut superseded = 0;
        let result = change_marks(&directory, |marks| {
            let undone = match change {
                Some(number) => marks.undo_batch(number, &by),
                None => marks.undo(&by),
            }?;
            superseded = undone.superseded;
            Ok::<_, MarksError>(undone.changed)
        })?;
        Ok(UndoResult { result, superseded })
    })
    .await?;
    if result.result.changed > 0 && !dry_run {
        publish_undo(&service, id, result.result.changed, caller.name);
    }
    Ok(axum::Json(result))
}

/// Rejects an undo of a change that does not exist, or of another user without the permission.
fn check_undo(marks: &MarkFile, number: u64, by: &MarkAuthor, is_owner: bool) -> Result<(), Problem> {
    let Some(batch) = marks.batches().into_iter().find(|batch| batch.number == number) else {
        let problem = Problem::new(ProblemCode::NotFound, format!("no change of marks with the number {number}"));
        return Err(problem.hint("GET …/candidates/marks/changes lists the changes").at("?change"));
    };
    if is_owner || batch.author.user == by.user {
        return Ok(());
    }
    let problem = Problem::new(ProblemCode::Forbidden, "the change was made by another user");
    Err(problem.hint("the owner of the crawl or an admin can undo it"))
}

impl NewMarkKind {
    pub(in crate::api) fn mark_kind(self) -> Option<MarkKind> {
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
    Ok(MarkingResult::new(changed, &marks))
}

/// Rejects entities that are neither candidates nor marked.
fn check_candidates(
    service: &Service,
    directory: &FilePath,
    index: Option<&CandidateIndex>,
    names: &[String],
) -> Result<(), Problem> {
    let marks = service.candidates.marks(directory)?;
    let is_unknown = |name: &&String| marks.get(name).is_none() && index.is_none_or(|index| index.row(name).is_none());
    if names.iter().any(|name| is_unknown(&name)) {
        // The ranking of the crawl has similar names for the hint.
        require_candidates(directory, names)?;
    }
    Ok(())
}

/// Publishes that a user has marked entities.
fn publish_marks(service: &Service, id: u32, entities: BTreeSet<String>, mark: Option<MarkKind>, by: String) {
    let count = entities.len();
    let entities = entities.into_iter().take(MAX_PUBLISHED_ENTITIES).collect();
    let event = MarkedEvent { by, mark: mark.map(MarkKind::name), is_undo: false, count, entities };
    service.jobs.hub().publish(id, JobEventKind::Marked(Arc::new(event)));
}

/// Publishes that a user has undone a change.
fn publish_undo(service: &Service, id: u32, count: usize, by: String) {
    let event = MarkedEvent { by, mark: None, is_undo: true, count, entities: Vec::new() };
    service.jobs.hub().publish(id, JobEventKind::Marked(Arc::new(event)));
}
