//! Crawls in the archive as named graphs.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use lodeward::open::Exported;
use lodeward::provenance::moment;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::candidates::filter;
use super::extract::{Path, Query};
use crate::api::changeable;
use crate::fleet::{Choice, Only, Refused};
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(export, exported, unexport))
}

/// What of a crawl is exported. If nothing is said: of a focused crawl the candidates
/// that were not dropped, of another one everything.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Wanted {
    /// Which candidates.
    #[param(inline)]
    only: Option<Only>,
    /// What the candidates are like, in the language of filters.
    #[param(max_length = 4_000)]
    filter: Option<String>,
}

/// A crawl in the archive.
#[derive(Serialize, Deserialize, ToSchema)]
struct Export {
    /// The graph that has it.
    #[schema(examples("urn:lodeward:crawl/1"))]
    graph: String,
    /// When it was put there.
    #[schema(format = DateTime)]
    exported_at: String,
    /// How many candidates were chosen, if the crawl has such.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<u64>,
    /// How many documents had something to say.
    documents: u64,
    /// How many statements the graph has.
    statements: u64,
}

impl From<Exported> for Export {
    fn from(exported: Exported) -> Self {
        let Exported { graph, exported_at_ms, candidates, documents, statements } = exported;
        Self { graph, exported_at: moment(exported_at_ms), candidates, documents, statements }
    }
}

/// Put a crawl into the archive
///
/// As a named graph, which takes the place of what was exported before: as a whole, and
/// it is there to stay when this is answered. Of a focused crawl it holds what is said
/// about its candidates, and about the blank nodes that this names; of another one,
/// everything.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "The number of the crawl"), Wanted),
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    responses(
        (status = 200, description = "It is in the archive", body = Export),
        (status = 404, description = "There is no such crawl"),
        (status = 409, description = "Its candidates are not ranked yet, none of them is wanted, somebody waits to export it already, or another process has it"),
        (status = 422, description = "The filter is wrong"),
    ),
)]
async fn export(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(id): Path<u32>,
    Query(wanted): Query<Wanted>,
) -> Result<axum::Json<Export>, Problem> {
    changeable(&service, &caller, id)?;
    let filter = wanted.filter.as_deref().map(|text| filter(Some(text))).transpose()?;
    let exported = service.fleet.export(id, Choice { only: wanted.only, filter }).await?;
    Ok(axum::Json(exported.into()))
}

/// Look at what was exported
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "The number of the crawl")),
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses(
        (status = 200, description = "What was exported last", body = Export),
        (status = 404, description = "There is no such crawl, or it was not exported"),
    ),
)]
async fn exported(State(service): State<Arc<Service>>, Path(id): Path<u32>) -> Result<axum::Json<Export>, Problem> {
    let exported = tokio::task::spawn_blocking(move || service.fleet.exported(id));
    let exported = exported.await.unwrap_or(Err(Refused::Closing))?;
    exported.map(|exported| axum::Json(exported.into())).ok_or_else(|| not_exported(id))
}

/// Take an export out of the archive
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "The number of the crawl")),
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "There is no such crawl, or it was not exported"),
        (status = 409, description = "It is being exported, and somebody waits to export it again"),
    ),
)]
async fn unexport(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(id): Path<u32>,
) -> Result<StatusCode, Problem> {
    changeable(&service, &caller, id)?;
    if service.fleet.unexport(id).await? { Ok(StatusCode::NO_CONTENT) } else { Err(not_exported(id)) }
}

fn not_exported(id: u32) -> Problem {
    let problem = Problem::new(Code::NotFound, format!("the crawl {id} was not exported"));
    problem.hint(format!("POST /api/v1/crawls/{id}/export does that"))
}
