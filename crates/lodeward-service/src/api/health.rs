//! Health, readiness and metrics.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use lodeward_app::disk_space::DiskUsage;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::metrics::DiskMetrics;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::{RouteAccess, RouteRules};
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let monitoring = RouteRules::reads(RouteAccess::Public).without_rate_limit().lenient();
    OpenApiRouter::new()
        .routes(monitoring.on(routes!(get_health)))
        .routes(monitoring.on(routes!(get_readiness)))
        .routes(RouteRules::reads(Role::Reader).lenient().on(routes!(get_metrics)))
}

/// Health of the process.
#[derive(Serialize, Deserialize, ToSchema)]
#[schema(as = Health)]
struct HealthView {
    /// Always `ok`.
    status: String,
    /// Name and version of the program.
    program: String,
}

impl HealthView {
    fn ok() -> Json<Self> {
        let program = concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned();
        Json(Self { status: "ok".to_owned(), program })
    }
}

/// Check that the process is alive
#[utoipa::path(
    get, path = "/health", tag = "operations",
    responses((status = 200, description = "Alive", body = HealthView)),
)]
async fn get_health() -> Json<HealthView> {
    HealthView::ok()
}

/// Check that the service is ready
///
/// Succeeds if the archive is readable and writable, the disk is not full, and the service is not
/// shutting down.
#[utoipa::path(
    get, path = "/ready", tag = "operations",
    responses(
        (status = 200, description = "Ready", body = HealthView),
        (status = 503, description = "The service is not ready; `detail` gives the reason"),
    ),
)]
async fn get_readiness(State(service): State<Arc<Service>>) -> Result<Json<HealthView>, Problem> {
    let not_ready = |reason: String| {
        Problem::new(ProblemCode::Unavailable, reason).with_header(RETRY_AFTER, HeaderValue::from_static("5"))
    };
    if service.jobs.is_closing() || *service.closing.borrow() {
        return Err(not_ready("the service is shutting down".to_owned()));
    }
    service.readiness.check().await.map(|()| HealthView::ok()).map_err(not_ready)
}

/// Get metrics
///
/// Metrics for Prometheus, in the OpenMetrics format.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    responses((
        status = 200, description = "Metrics", body = String,
        content_type = "application/openmetrics-text",
    )),
)]
async fn get_metrics(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let text = tokio::task::spawn_blocking(move || {
        let disk = DiskMetrics {
            usage: DiskUsage::read(&service.data).ok(),
            min_free_bytes: service.settings.current().config.store.min_free_space.0,
            is_archive_writable: service.archive.check_writable().is_ok(),
        };
        service.metrics.render(&service.jobs, service.archive_access.query_runner(), &disk)
    })
    .await;
    let mut response = text.map_err(|error| Problem::internal(&error))?.into_response();
    let media_type = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}
