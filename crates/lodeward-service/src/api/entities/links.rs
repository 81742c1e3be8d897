//! Proposed links between entities, and their marks.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use http::header::CONTENT_TYPE;
use lodeward_app::review::marks::MarkAuthor;
use lodeward_app::review::{MarkFilter, MarkKind};
use lodeward_app::search::links::{
    self, LinkChoice, LinkJob, LinkMarks, LinkProposalRecord, LinkQuery, ProposedPredicate, ReviewedLink,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{EntityFilter, EntityJobView, require_index, search_problem, start_job};
use crate::api::candidates::{MarkHistoryPage, MarkHistoryQuery, MarkView, NewMarkKind, history_page};
use crate::api::extract::{JsonBody, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::search::ScoreShareView;
use crate::api::timestamp::Timestamp;
use crate::blocking::{run_blocking, run_bulk_read};
use crate::entity_jobs::EntityJobKind;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// The maximum number of links in a request.
const MAX_LINKS: usize = 10_000;

/// Predicate of a link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
enum LinkPredicate {
    /// Both are the same entity.
    #[default]
    #[serde(rename = "owl:sameAs")]
    SameAs,
    /// Both are similar.
    #[serde(rename = "skos:related")]
    Related,
}

impl From<LinkPredicate> for ProposedPredicate {
    fn from(predicate: LinkPredicate) -> Self {
        match predicate {
            LinkPredicate::SameAs => Self::SameAs,
            LinkPredicate::Related => Self::Related,
        }
    }
}

impl From<ProposedPredicate> for LinkPredicate {
    fn from(kind: ProposedPredicate) -> Self {
        match kind {
            ProposedPredicate::SameAs => Self::SameAs,
            ProposedPredicate::Related => Self::Related,
        }
    }
}

/// State of the review of a link.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum LinkState {
    /// Not dropped.
    #[default]
    Undropped,
    /// Without a mark.
    Open,
    /// Kept.
    Kept,
    /// Dropped.
    Dropped,
    /// All.
    All,
}

impl LinkState {
    fn name(self) -> &'static str {
        match self {
            Self::Undropped => "undropped",
            Self::Open => "open",
            Self::Kept => "kept",
            Self::Dropped => "dropped",
            Self::All => "all",
        }
    }
}

impl From<LinkState> for MarkFilter {
    fn from(state: LinkState) -> Self {
        match state {
            LinkState::Undropped => Self::Undropped,
            LinkState::Open => Self::Only(None),
            LinkState::Kept => Self::Only(Some(MarkKind::Keep)),
            LinkState::Dropped => Self::Only(Some(MarkKind::Drop)),
            LinkState::All => Self::All,
        }
    }
}

/// Query parameters of a list of links.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct LinkListQuery {
    /// State of the review.
    #[param(inline)]
    state: LinkState,
    /// Only links with this predicate.
    #[param(inline)]
    predicate: Option<LinkPredicate>,
    /// Only links with at least this score.
    min_score: Option<f64>,
    /// Only links of this entity.
    entity: Option<String>,
    /// Number of links to skip.
    offset: u32,
    /// Maximum number of links.
    #[param(inline)]
    limit: PageLimit,
}

/// A proposed link.
#[derive(Serialize, ToSchema)]
#[schema(as = ProposedLink)]
struct LinkView {
    /// IRI of the subject.
    source: String,
    /// Label of the subject; empty for a marked link that is no longer proposed.
    source_label: String,
    /// The predicate.
    predicate: LinkPredicate,
    /// IRI of the object.
    target: String,
    /// Label of the object; empty for a marked link that is no longer proposed.
    target_label: String,
    /// Logarithm of the odds that both are the same; of `skos:related`, the cosine. `null` for a
    /// marked link that is no longer proposed.
    score: Option<f64>,
    /// The evidence.
    why: Vec<ScoreShareView>,
    /// The mark.
    mark: Option<MarkView>,
}

impl From<ReviewedLink> for LinkView {
    fn from(ReviewedLink { number, link, mark }: ReviewedLink) -> Self {
        let LinkProposalRecord { source, source_label, predicate, target, target_label, score, why } = link;
        let score = number.map(|_| score);
        let why = why.into_iter().map(ScoreShareView::from).collect();
        let (predicate, mark) = (predicate.into(), mark.map(MarkView::from));
        Self { source, source_label, predicate, target, target_label, score, why, mark }
    }
}

/// A page of links, the best first.
#[derive(Serialize, ToSchema)]
pub(super) struct LinkListPage {
    /// When links were found; `null` if they were not searched yet.
    found_at: Option<Timestamp>,
    /// The state of the last job.
    job: EntityJobView,
    /// Total number of links that match.
    total: u64,
    /// Number of skipped links.
    offset: u32,
    /// Maximum number of links in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The links.
    links: Vec<LinkView>,
}

/// List proposed links
///
/// The best first, then marked ones that are no longer proposed.
#[utoipa::path(
    get, path = "/api/v1/links", tag = "search",
    params(LinkListQuery),
    responses((
        status = 200, description = "A page of links", body = LinkListPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn list_links(
    State(service): State<Arc<Service>>,
    QueryParams(query): QueryParams<LinkListQuery>,
) -> Result<Response, Problem> {
    let job = service.entity_jobs.state(EntityJobKind::Links).into();
    let data = service.data_dir().to_owned();
    let LinkListQuery { state, predicate, min_score, entity, offset, limit } = query;
    let url = PageUrl::new("/api/v1/links")
        .with_param("state", Some(state.name()))
        .with_param("predicate", predicate.map(|predicate| ProposedPredicate::from(predicate).name()))
        .with_param("min_score", min_score)
        .with_param("entity", entity.clone());
    let request = LinkQuery {
        mark: state.into(),
        kind: predicate.map(Into::into),
        min_score,
        entity,
        offset: offset as usize,
        limit: limit.get().into(),
    };
    let found = run_bulk_read(move || links::list(&data, &request).map_err(|error| search_problem(&error))).await?;
    let total = found.total as u64;
    let found_at = found.run.map(|run| Timestamp::from_ms(run.found_at));
    let links = found.links.into_iter().map(LinkView::from).collect();
    let page = LinkListPage { found_at, job, total, offset, limit, links };
    Ok(offset_links(&url, offset.into(), limit, total).attach_to(Json(page)))
}

/// A search for links to start.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLinks {
    /// Predicate of the links.
    #[serde(default)]
    predicate: LinkPredicate,
    /// The entities that are compared.
    #[serde(default)]
    entities: EntityFilter,
    /// Minimum score; by default 0 for `owl:sameAs`, 0.5 for `skos:related`.
    #[serde(default)]
    min_score: Option<f64>,
}

/// Start a search for links
///
/// Compares entities of different domains. The proposals replace those with the same predicate when
/// the job is complete; marks stay. Poll `GET /api/v1/links` until `job.running` is false.
#[utoipa::path(
    post, path = "/api/v1/links", tag = "search",
    request_body = NewLinks,
    responses(
        (status = 202, description = "Started", body = EntityJobView),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "The search index is disabled, or another job runs"),
        (status = 422, description = "Too many types or domains"),
    ),
)]
pub(super) async fn start_links(
    State(service): State<Arc<Service>>,
    JsonBody(NewLinks { predicate, entities, min_score }): JsonBody<NewLinks>,
) -> Result<(StatusCode, Json<EntityJobView>), Problem> {
    let index = require_index(&service)?;
    let job = LinkJob { kind: predicate.into(), selection: entities.selection(&service)?, min_score };
    let (data, now_ms) = (service.data_dir().to_owned(), (service.now)());
    let started = start_job(&service, EntityJobKind::Links, move |is_stopped| {
        links::find(&index, &data, &job, now_ms, is_stopped).map(drop)
    })?;
    Ok((StatusCode::ACCEPTED, Json(started)))
}

/// A mark for some links.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewLinkMarks {
    /// Links to mark. Each must be proposed, or have a mark.
    #[serde(default)]
    #[schema(max_items = 10_000)]
    links: Vec<LinkName>,
    /// Marks all proposed links with at least this score.
    #[serde(default)]
    min_score: Option<f64>,
    /// Mark to set on all selected links.
    mark: NewMarkKind,
}

/// A link.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = LinkKey)]
struct LinkName {
    /// IRI of the subject.
    source: String,
    /// The predicate.
    #[serde(default)]
    predicate: LinkPredicate,
    /// IRI of the object.
    target: String,
}

/// The number of changed marks, and the total number of marks after the change.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct LinkMarkResult {
    /// Number of changed marks.
    changed: usize,
    /// Total number of kept links.
    kept: usize,
    /// Total number of dropped links.
    dropped: usize,
    /// Number of marks of an undone change that stay, because another user has changed them since.
    superseded: usize,
}

impl From<LinkMarks> for LinkMarkResult {
    fn from(LinkMarks { changed, kept, dropped, superseded }: LinkMarks) -> Self {
        Self { changed, kept, dropped, superseded }
    }
}

/// Mark links
///
/// Marks are durable when the response is sent. They belong to links, not to proposals, so they
/// survive a new search for links.
#[utoipa::path(
    post, path = "/api/v1/links/marks", tag = "search",
    request_body = NewLinkMarks,
    responses(
        (status = 200, description = "Marked", body = LinkMarkResult),
        (status = 422, description = "A link is not proposed, or none is selected"),
    ),
)]
pub(super) async fn mark_links(
    State(service): State<Arc<Service>>,
    caller: Caller,
    JsonBody(request): JsonBody<NewLinkMarks>,
) -> Result<Json<LinkMarkResult>, Problem> {
    let NewLinkMarks { links: names, min_score, mark } = request;
    if names.len() > MAX_LINKS {
        let problem = Problem::new(ProblemCode::Unprocessable, format!("too many links: {}", names.len()));
        return Err(problem.hint(format!("send at most {MAX_LINKS} at a time")));
    }
    if names.is_empty() && min_score.is_none() {
        let problem = Problem::new(ProblemCode::Unprocessable, "no links are selected");
        return Err(problem.hint("give `links` or `min_score`"));
    }
    let named = names.into_iter().map(|name| (name.source, name.predicate.into(), name.target));
    let choice = LinkChoice { links: named.collect(), min_score, ..LinkChoice::default() };
    let author = MarkAuthor { user: Some(caller.name), at_ms: Some((service.now)()) };
    let data = service.data_dir().to_owned();
    run_bulk_read(move || {
        links::mark(&data, &choice, mark.mark_kind(), &author)
            .map(Into::into)
            .map(Json)
            .map_err(|error| search_problem(&error))
    })
    .await
}

/// Undo your last change of marks of links
///
/// Marks that another user has changed since stay. If there is no change to undo, the request has no
/// effect.
#[utoipa::path(
    delete, path = "/api/v1/links/marks", tag = "search",
    responses((status = 200, description = "Undone", body = LinkMarkResult)),
)]
pub(super) async fn undo_link_marks(
    State(service): State<Arc<Service>>,
    caller: Caller,
) -> Result<Json<LinkMarkResult>, Problem> {
    let author = MarkAuthor { user: Some(caller.name), at_ms: Some((service.now)()) };
    let data = service.data_dir().to_owned();
    run_blocking(move || links::undo(&data, &author).map(Into::into).map(Json).map_err(|error| search_problem(&error)))
        .await
}

/// List the changes of marks of links
///
/// Who marked what, and when, the last change first. `entity` is the link as a statement.
#[utoipa::path(
    get, path = "/api/v1/links/marks", tag = "search",
    params(MarkHistoryQuery),
    responses((
        status = 200, description = "A page of changes", body = MarkHistoryPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn link_mark_history(
    State(service): State<Arc<Service>>,
    QueryParams(query): QueryParams<MarkHistoryQuery>,
) -> Result<Response, Problem> {
    let data = service.data_dir().to_owned();
    let marks = run_blocking(move || links::open_marks(&data).map_err(|error| search_problem(&error.into()))).await?;
    Ok(history_page(&marks, &query, &PageUrl::new("/api/v1/links/marks")))
}

/// Download the kept links
#[utoipa::path(
    get, path = "/api/v1/links/export", tag = "search",
    responses((status = 200, description = "The links as N-Triples", body = String, content_type = "application/n-triples")),
)]
pub(super) async fn download_links(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let data = service.data_dir().to_owned();
    let links = run_bulk_read(move || links::kept_links(&data).map_err(|error| search_problem(&error))).await?;
    let mut text = String::new();
    for link in links {
        let _ = writeln!(text, "{link} .");
    }
    Ok(([(CONTENT_TYPE, "application/n-triples")], text).into_response())
}

/// The graph of kept links in the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = LinkExport)]
pub(super) struct LinkExportView {
    /// Name of the graph.
    #[schema(examples("urn:lodeward:links"))]
    graph: String,
    /// Number of links.
    links: u64,
}

/// Export the kept links to the archive
///
/// Replaces the named graph of links in one transaction.
#[utoipa::path(
    post, path = "/api/v1/links/export", tag = "search",
    responses((status = 200, description = "Exported", body = LinkExportView)),
)]
pub(super) async fn export_links(State(service): State<Arc<Service>>) -> Result<Json<LinkExportView>, Problem> {
    run_blocking(move || {
        let config = service.settings.current();
        let exported = links::export_to_archive(&config.config, service.data_dir(), &service.archive);
        let exported = exported.map_err(|error| search_problem(&error))?;
        Ok(Json(LinkExportView { graph: exported.graph, links: exported.links }))
    })
    .await
}
