//! The queue of a crawl: what is requested next, and URIs that are requested at once.

use std::sync::Arc;

use axum::extract::State;
use lodeward::model::{Pld, Uri};
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use utoipa::{IntoParams, ToSchema};

use super::domains::QueuedUriView;
use super::view::CrawlView;
use super::{CrawlPath, crawl_view, require_owned_crawl};
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::PageLimit;
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// Selection of waiting URIs.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct FrontierQuery {
    /// Only URIs of this domain.
    domain: Option<String>,
    /// Maximum number of URIs.
    #[param(inline)]
    limit: PageLimit,
}

/// What a crawl requests next.
#[derive(Serialize, ToSchema)]
pub(super) struct FrontierView {
    /// Number of URIs that wait, over all domains.
    queued: u64,
    /// Number of requests in flight.
    in_flight: u64,
    /// The URIs that are requested next, one per domain and round. The order changes as the strategy learns.
    next: Vec<QueuedUriView>,
}

/// List the next requests of a crawl
///
/// The first waiting URIs of all domains or of one, with their priorities.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/frontier", tag = "crawls",
    params(CrawlPath, FrontierQuery),
    responses(
        (status = 200, description = "The next requests", body = FrontierView),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn list_next(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(FrontierQuery { domain, limit }): QueryParams<FrontierQuery>,
) -> Result<axum::Json<FrontierView>, Problem> {
    let (open_crawl, now_ms) = (service.jobs.open_crawl(id).await?, (service.now)());
    run_blocking(move || {
        let pld = domain.as_deref().map(Pld::from_host);
        let frontier = &open_crawl.frontier;
        let read = async {
            let next = frontier.next_entries(pld.as_ref(), usize::from(limit.get())).await?;
            Ok((frontier.census().await?, next))
        };
        let read = Handle::current().block_on(read);
        let (census, next) = read.map_err(|error: lodeward::frontier::FrontierError| Problem::internal(&error))?;
        let next = next.into_iter().map(|entry| QueuedUriView::new(entry, now_ms)).collect();
        Ok(axum::Json(FrontierView { queued: census.uris_waiting, in_flight: census.uris_in_flight, next }))
    })
    .await
}

/// Query parameter that selects a URI.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct FetchQuery {
    /// The URI.
    #[param(example = "http://dbpedia.org/resource/Cologne")]
    uri: String,
}

/// Request a URI
///
/// Adds a URI to the seeds of a crawl. It is queued even if a link to it was dropped. A URI that was requested before
/// is not requested again. A crawl that does not run requests it when it is resumed.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/fetch", tag = "crawls",
    params(CrawlPath, FetchQuery),
    responses((status = 200, description = "The URI is a seed of the crawl", body = CrawlView)),
)]
pub(super) async fn fetch_uri(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(FetchQuery { uri }): QueryParams<FetchQuery>,
) -> Result<axum::Json<CrawlView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let parsed = Uri::parse(&uri);
    let parsed = parsed.map_err(|error| Problem::new(ProblemCode::BadRequest, format!("uri: {error}")).at("?uri"))?;
    let view = service.jobs.add_seed(id, parsed).await?;
    Ok(axum::Json(crawl_view(&service, view).await?))
}
