//! Crawls: begun, listed, looked at, paused, resumed, stopped, deleted.

mod list;
mod order;
mod seeds;
pub(crate) mod view;

use std::sync::Arc;

use axum::extract::State;
use axum::http::header::LOCATION;
use axum::http::{HeaderName, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use self::order::NewCrawl;
pub(crate) use self::seeds::Named;
use self::view::Crawl;
use super::extract::{Json, Path};
use crate::fleet::{self, Refused, View};
use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

/// The path of all crawls.
const CRAWLS: &str = "/api/v1/crawls";

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(list::list_crawls, create_crawl))
        .routes(routes!(get_crawl, delete_crawl))
        .routes(routes!(seeds::list_seeds))
        .routes(routes!(pause_crawl))
        .routes(routes!(resume_crawl))
        .routes(routes!(stop_crawl))
}

/// Which crawl is meant.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct CrawlPath {
    /// The number of a crawl.
    #[param(minimum = 1)]
    pub(crate) id: u32,
}

/// A crawl that has begun.
#[derive(Serialize, ToSchema)]
struct Begun {
    /// The crawl.
    crawl: Crawl,
    /// What there is to say of its seeds: which entity was taken for a text, what was
    /// left out.
    remarks: Vec<String>,
}

/// Begins a crawl.
///
/// Its seeds are addresses, texts that are looked up among labels, those of a
/// template, or those that instance data name; everything that is wrong with them is
/// told at once. The crawl waits for its turn and then runs until its end. When this
/// is answered, it is kept: it survives whatever happens to the service.
#[utoipa::path(
    post, path = "/api/v1/crawls", tag = "crawls",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    request_body = NewCrawl,
    responses(
        (status = 201, description = "It has begun", body = Begun, headers(("Location" = String, description = "Where it is"))),
        (status = 409, description = "There is a crawl of this name already"),
    ),
)]
async fn create_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Json(wanted): Json<NewCrawl>,
) -> Result<(StatusCode, [(HeaderName, String); 1], axum::Json<Begun>), Problem> {
    let (view, remarks) = service.fleet.create(wanted.into_order(&caller)?).await?;
    let location = format!("{CRAWLS}/{}", view.id);
    let crawl = told(&service, view).await?;
    Ok((StatusCode::CREATED, [(LOCATION, location)], axum::Json(Begun { crawl, remarks })))
}

/// Looks at a crawl.
///
/// Its counters are as of a second ago while it runs.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}", tag = "crawls",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath), responses((status = 200, description = "The crawl", body = Crawl)),
)]
async fn get_crawl(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<Crawl>, Problem> {
    let view = service.fleet.get(id)?;
    Ok(axum::Json(told(&service, view).await?))
}

/// Deletes a crawl.
///
/// It is stopped, and all that it has gathered goes with it, also what the archive
/// has of it. Its number is never given again.
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}", tag = "crawls",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath), responses((status = 204, description = "It is gone")),
)]
async fn delete_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<StatusCode, Problem> {
    changeable(&service, &caller, id)?;
    service.fleet.delete(id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lets a crawl wait.
///
/// What is under way is brought to its end first; then it waits to be resumed, also
/// after a restart of the service. A crawl that waits already goes on waiting.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/pause", tag = "crawls",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath),
    responses(
        (status = 200, description = "It will wait", body = Crawl),
        (status = 409, description = "It has ended already"),
    ),
)]
async fn pause_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<Crawl>, Problem> {
    changeable(&service, &caller, id)?;
    let paused = service.fleet.pause(id).await;
    let is_so = |state| matches!(state, fleet::State::Pausing | fleet::State::Paused);
    changed(&service, paused, is_so, "only a crawl that is queued or running can be paused").await
}

/// Lets a crawl go on.
///
/// One that was paused or stopped, or could not go on. A crawl that runs already goes
/// on running.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/resume", tag = "crawls",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath),
    responses(
        (status = 200, description = "It will run", body = Crawl),
        (status = 409, description = "It has come to its end, it has as many documents as the service allows, or its files are damaged"),
    ),
)]
async fn resume_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<Crawl>, Problem> {
    changeable(&service, &caller, id)?;
    let resumed = service.fleet.resume(id).await;
    let is_so = |state| matches!(state, fleet::State::Queued | fleet::State::Running);
    changed(&service, resumed, is_so, "a crawl that has come to its end cannot be resumed; begin another one").await
}

/// Ends a crawl before its end.
///
/// What it has gathered stays, and it can be resumed. A crawl that was stopped already
/// stays stopped.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/stop", tag = "crawls",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(CrawlPath),
    responses(
        (status = 200, description = "It will stop", body = Crawl),
        (status = 409, description = "It has ended already"),
    ),
)]
async fn stop_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(CrawlPath { id }): Path<CrawlPath>,
) -> Result<axum::Json<Crawl>, Problem> {
    changeable(&service, &caller, id)?;
    let stopped = service.fleet.stop(id).await;
    let is_so = |state| matches!(state, fleet::State::Stopping | fleet::State::Stopped);
    changed(&service, stopped, is_so, "it has ended by itself; DELETE removes it").await
}

/// The answer to a change of state: one that has happened already is as good.
async fn changed(
    service: &Arc<Service>,
    outcome: Result<View, Refused>,
    is_so: impl Fn(fleet::State) -> bool,
    hint: &str,
) -> Result<axum::Json<Crawl>, Problem> {
    let view = match outcome {
        Err(Refused::State { id, state }) if is_so(state) => service.fleet.get(id)?,
        Err(refused @ Refused::State { .. }) => return Err(Problem::from(refused).hint(hint)),
        outcome => outcome?,
    };
    Ok(axum::Json(told(service, view).await?))
}

/// A crawl that this caller may change.
pub(crate) fn changeable(service: &Service, caller: &Caller, id: u32) -> Result<View, Problem> {
    let view = service.fleet.get(id)?;
    caller.must_own(&format!("crawl {id}"), view.user.as_deref())?;
    Ok(view)
}

/// A crawl as it is told.
pub(crate) async fn told(service: &Arc<Service>, view: View) -> Result<Crawl, Problem> {
    let (service, id) = (Arc::clone(service), view.id);
    let seeds = tokio::task::spawn_blocking(move || service.fleet.seeds_count(id));
    let seeds = seeds.await.expect("counting does not panic")?;
    Ok(Crawl::of(view, seeds))
}
