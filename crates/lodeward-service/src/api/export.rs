//! Exports of crawls to the archive, as named graphs.

use std::sync::Arc;

use axum::extract::State;
use http::StatusCode;
use lodeward::time::format_iso8601;
use lodeward_app::graph_export::GraphExport;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::candidates::parse_filter;
use super::extract::{PathParams, QueryParams};
use crate::api::require_owned_crawl;
use crate::jobs::{ExportCandidates, ExportChoice, JobError};
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Reader).on(routes!(get_export)))
        .routes(RouteRules::changes(Role::Operator).on(routes!(export_crawl, delete_export)))
}

/// What to export of a crawl. Default: for a focused crawl the candidates that are not dropped, for
/// any other crawl everything.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct ExportRequest {
    /// Candidates to export, by mark.
    #[param(inline)]
    only: Option<ExportCandidates>,
    /// Only candidates that match this filter expression are exported.
    #[param(max_length = 4_000)]
    filter: Option<String>,
}

/// An export of a crawl.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Export)]
struct ExportView {
    /// Named graph of the export.
    #[schema(examples("urn:lodeward:crawl/1"))]
    graph: String,
    /// When the crawl was exported.
    #[schema(format = DateTime)]
    exported_at: String,
    /// Number of exported candidates; missing if the whole crawl was exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<u64>,
    /// Number of exported seeds that are not among these candidates; missing if the whole crawl was
    /// exported.
    #[serde(skip_serializing_if = "Option::is_none")]
    seeds: Option<u64>,
    /// Number of documents with exported statements.
    documents: u64,
    /// Number of statements in the graph.
    statements: u64,
}

impl From<GraphExport> for ExportView {
    fn from(exported: GraphExport) -> Self {
        let GraphExport { graph, exported_at_ms, candidates, seeds, documents, statements } = exported;
        Self { graph, exported_at: format_iso8601(exported_at_ms), candidates, seeds, documents, statements }
    }
}

/// Export a crawl to the archive
///
/// The export is a named graph. It replaces the previous export atomically, and is durable when the
/// response is sent. For a focused crawl it contains the statements about its candidates, about its
/// seeds unless they are dropped, and about the blank nodes in them; for any other crawl, it
/// contains all statements.
#[utoipa::path(
    post, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "ID of the crawl"), ExportRequest),
    responses(
        (status = 200, description = "Exported", body = ExportView),
        (status = 404, description = "No such crawl"),
        (status = 409, description = "The candidates are not ranked yet, none is selected, an export is already waiting, or the crawl is in use by another process"),
        (status = 422, description = "The filter is invalid"),
    ),
)]
async fn export_crawl(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(id): PathParams<u32>,
    QueryParams(request): QueryParams<ExportRequest>,
) -> Result<axum::Json<ExportView>, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    let filter = request.filter.as_deref().map(|text| parse_filter(Some(text))).transpose()?;
    let exported = service.jobs.export(id, ExportChoice { only: request.only, filter }).await?;
    Ok(axum::Json(exported.into()))
}

/// Get the last export
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "ID of the crawl")),
    responses(
        (status = 200, description = "The last export", body = ExportView),
        (status = 404, description = "No such crawl, or it was not exported"),
    ),
)]
async fn get_export(
    State(service): State<Arc<Service>>,
    PathParams(id): PathParams<u32>,
) -> Result<axum::Json<ExportView>, Problem> {
    let exported = tokio::task::spawn_blocking(move || service.jobs.last_export(id));
    let exported = exported.await.unwrap_or(Err(JobError::Closing))?;
    exported.map(|exported| axum::Json(exported.into())).ok_or_else(|| not_exported(id))
}

/// Delete an export
#[utoipa::path(
    delete, path = "/api/v1/crawls/{id}/export", tag = "export",
    params(("id" = u32, Path, description = "ID of the crawl")),
    responses(
        (status = 204, description = "Deleted"),
        (status = 404, description = "No such crawl, or it was not exported"),
        (status = 409, description = "The crawl is being exported, and another export is waiting"),
    ),
)]
async fn delete_export(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(id): PathParams<u32>,
) -> Result<StatusCode, Problem> {
    require_owned_crawl(&service, &caller, id)?;
    if service.jobs.unexport(id).await? { Ok(StatusCode::NO_CONTENT) } else { Err(not_exported(id)) }
}

fn not_exported(id: u32) -> Problem {
    let problem = Problem::new(ProblemCode::NotFound, format!("crawl {id} was not exported"));
    problem.hint(format!("export it with POST /api/v1/crawls/{id}/export"))
}
