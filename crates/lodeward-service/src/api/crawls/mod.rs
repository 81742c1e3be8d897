//! Crawls: create, list, get, pause, resume, stop, delete.

mod change;
mod domains;
mod frontier;
mod error_places;
mod limits;
mod list;
mod order;
mod reviewers;
mod seed_check;
mod seeds;
mod series;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderName, StatusCode};
use lodeward::frontier::RefreshSelection;
use lodeward_app::graph_export;
use lodeward_app::review::ReviewSummary;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::error_places::ErrorPlaces;
use self::order::{NewCrawl, complete_order};
pub(crate) use self::reviewers::require_reviewer;
pub(crate) use self::seeds::SeedEntityView;
use self::view::{CrawlView, ReviewState};
use super::extract::{JsonBody, PathParams, QueryParams};
use crate::blocking::run_blocking;
use crate::jobs::{self, JobError, JobView};
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;

/// The path of all crawls.
const CRAWLS_PATH: &str = "/api/v1/crawls";

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let (reads, changes) = (RouteRules::reads(Role::Reader), RouteRules::changes(Role::Operator));
    OpenApiRouter::new()
        .routes(reads.on(routes!(list::list_crawls)))
        // An order may contain instance data.
        .routes(changes.clone().body(BodyClass::Data).on(routes!(create_crawl)))
        .routes(reads.on(routes!(get_crawl)))
        .routes(changes.on(routes!(delete_crawl)))
        .routes(reads.on(routes!(seeds::list_seeds)))
        .routes(changes.on(routes!(pause_crawl)))
        .routes(changes.on(routes!(resume_crawl)))
        .routes(changes.on(routes!(stop_crawl)))
        .routes(changes.on(routes!(reviewers::set_reviewers)))
        .routes(changes.on(routes!(refresh_crawl)))
        .routes(reads.on(routes!(series::get_series)))
        .routes(reads.on(routes!(domains::list_domains)))
        .routes(reads.on(routes!(frontier::list_next)))
        .routes(changes.on(routes!(change::change_crawl)))
        .routes(changes.clone().audits("uri").on(routes!(frontier::fetch_uri)))
        .routes(reads.on(routes!(domains::get_domain)))
        // A check has the body of a request for a crawl, and starts nothing.
        .routes(RouteRules::reads(Role::Operator).body(BodyClass::Data).on(routes!(seed_check::check)))
        .routes(reads.on(routes!(seed_check::find_labels)))
}

/// Path parameter that selects a crawl.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CrawlPath {
    /// ID of a crawl.
    #[param(minimum = 1)]
    pub(crate) id: u32,
}

/// A created crawl.
#[derive(Serialize, ToSchema)]
struct CrawlStarted {
    /// The crawl.
    crawl: CrawlView,
    /// Remarks about the seeds (which entity a label was resolved to, what was omitted) and
    /// about limits of the service.
    remarks: Vec<String>,
}

/// Start a crawl
///
/// Seeds are URIs, labels that are looked up in the archive, the seeds of a template, or values in
/// instance data. All errors in the seeds are reported in one response. The crawl is queued until a
/// slot is free, and then runs until it ends. When the response is sent, the crawl is durable: it
/// survives a restart of the service.
#[utoipa::path(
    post, path = "/api/v1/crawls", tag = "crawls",
    request_body = NewCrawl,
    responses(
        (status = 201, description = "Created", body = CrawlStarted, headers(("Location" = String, description = "URL of the crawl"))),
        (status = 409, description = "A crawl with this name already exists"),
    ),
)]
async fn create_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    JsonBody(request): JsonBody<NewCrawl>,
) -> Result<(StatusCode, [(HeaderName, String); 1], axum::Json<CrawlStarted>), Problem> {
    let places = ErrorPlaces::new(&request);
    let order = complete_order(&service, &caller, request).await?;
    let created = service.jobs.create(order).await;
    let (view, remarks) = created.map_err(|error| places.locate(error))?;
    let location = format!("{CRAWLS_PATH}/{}", view.id);
    let crawl = crawl_view(&service, view).await?;
    Ok((StatusCode::CREATED, [(LOCATION, location)], axum::Json(CrawlStarted { crawl, remarks })))
}

/// Get a crawl
///
/// While it runs, the counters are updated every second.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}", tag = "crawls",
    params(CrawlPath), responses((status = 200, description = "The crawl", body = CrawlView)),
)]
async fn get_crawl(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<CrawlView>, Problem> {
    let view = service.jobs.get(id)?;
    Ok(axum::Json(crawl_view(&service, view).await?))
}

/// Delete a crawl
///
/// It is stopped and deleted with all its data, including its graphs in the archive. Its ID
/// is not used again.
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}", tag = "crawls",
    params(CrawlPath), responses((status = 204, description = "Deleted")),
)]
async fn delete_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<StatusCode, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    service.jobs.delete(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pause a crawl
///
/// Requests in flight are completed first. The crawl stays paused until it is resumed, even
/// if the service restarts. Pausing a paused crawl has no effect.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/pause", tag = "crawls",
    params(CrawlPath),
    responses(
        (status = 200, description = "The crawl is pausing or paused", body = CrawlView),
        (status = 409, description = "The crawl has ended"),
    ),
)]
async fn pause_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let paused = service.jobs.pause(id).await;
    let is_done = |state| matches!(state, jobs::JobState::Pausing | jobs::JobState::Paused);
    state_response(&service, paused, is_done, "only a queued or running crawl can be paused").await
}

/// Resume a crawl
///
/// Resumes a paused, stopped or failed crawl, or a finished one whose limits or scope were changed. Resuming a running
/// crawl has no effect.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/resume", tag = "crawls",
    params(CrawlPath),
    responses(
        (status = 200, description = "The crawl is queued or running", body = CrawlView),
        (status = 409, description = "The crawl is finished, has reached the document limit of the service, or its files are damaged"),
    ),
)]
async fn resume_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let resumed = service.jobs.resume(id).await;
    let is_done = |state| matches!(state, jobs::JobState::Queued | jobs::JobState::Running);
    state_response(&service, resumed, is_done, "start a new crawl").await
}

/// Stop a crawl
///
/// Its data stays, and it can be resumed. Stopping a stopped crawl has no effect.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/stop", tag = "crawls",
    params(CrawlPath),
    responses(
        (status = 200, description = "The crawl is stopping or stopped", body = CrawlView),
        (status = 409, description = "The crawl has ended"),
    ),
)]
async fn stop_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let stopped = service.jobs.stop(id).await;
    let is_done = |state| matches!(state, jobs::JobState::Stopping | jobs::JobState::Stopped);
    state_response(&service, stopped, is_done, "the crawl has ended; DELETE removes it").await
}

/// Options of a refresh.
#[derive(Clone, Copy, Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct RefreshQuery {
    /// Whether all documents are revalidated, not only those that are due.
    all: bool,
}

/// Refresh a crawl
///
/// Revalidates the documents of a crawl that does not run: changed ones are fetched again, deleted ones are removed.
/// By default only documents that are due.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/refresh", tag = "crawls",
    params(CrawlPath, RefreshQuery),
    responses(
        (status = 200, description = "The crawl is queued or running", body = CrawlView),
        (status = 409, description = "The crawl runs, or cannot be resumed"),
    ),
)]
async fn refresh_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(RefreshQuery { all }): QueryParams<RefreshQuery>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let selection = if all { RefreshSelection::All } else { RefreshSelection::Due };
    let view = service.jobs.refresh(id, selection).await?;
    Ok(axum::Json(crawl_view(&service, view).await?))
}

/// The response to a request that changes the state of a crawl. If the crawl is already in the
/// requested state, the request succeeds.
async fn state_response(
    service: &Arc<Service>,
    outcome: Result<JobView, JobError>,
    is_done: impl Fn(jobs::JobState) -> bool,
    hint: &str,
) -> Result<axum::Json<CrawlView>, Problem> {
    let view = match outcome {
        Err(JobError::State { id, state, .. }) if is_done(state) => service.jobs.get(id)?,
        Err(error @ JobError::State { .. }) => return Err(Problem::from(error).hint(hint)),
        outcome => outcome?,
    };
    Ok(axum::Json(crawl_view(service, view).await?))
}

/// Returns a crawl if the caller may change it.
pub(crate) fn require_owned_crawl(service: &Service, caller: &Caller, id: u32) -> Result<JobView, Problem> {
    let view = service.jobs.get(id)?;
    caller.require_owner(&format!("crawl {id}"), view.user.as_deref())?;
    Ok(view)
}

/// The representation of a crawl in responses.
pub(crate) async fn crawl_view(service: &Arc<Service>, view: JobView) -> Result<CrawlView, Problem> {
    let (service, id) = (Arc::clone(service), view.id);
    run_blocking(move || {
        let seeds = service.jobs.seed_count(id)?;
        Ok(CrawlView::from_view(view, seeds, review_state(&service, id)?, &service.public_path()))
    })
    .await
}

/// The review and the last export of a crawl. A crawl whose files cannot be read is still listed. Blocks.
fn review_state(service: &Service, id: u32) -> Result<ReviewState, JobError> {
    let directory = service.jobs.crawl_dir(id)?;
    let summary = service.reviews.get(&directory).unwrap_or_else(|error| {
        tracing::warn!(crawl = id, error = &error as &dyn std::error::Error, "reading the review of a crawl failed");
        ReviewSummary::default()
    });
    let exported = graph_export::last_export(service.jobs.data_dir(), id).ok().flatten();
    Ok(ReviewState { summary, exported_at_ms: exported.map(|export| export.exported_at_ms) })
}
