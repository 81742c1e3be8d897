//! Health, readiness and metrics.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{CONTENT_TYPE, RETRY_AFTER};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::metrics;
use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::{RouteAccess, RouteRules};
use crate::state::Service;

/// How long the result of a readiness check is cached, because any client may request it.
const READINESS_CACHE_MS: u64 = 1_000;

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

/// The last result of the readiness check, and its time.
#[derive(Default)]
pub(crate) struct Readiness(tokio::sync::Mutex<Option<(u64, Result<(), String>)>>);

/// Check that the service is ready
///
/// Succeeds if the archive is readable, the data directory is writable, and the service is not
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
    let now_ms = (service.now)();
    let mut last = service.readiness.0.lock().await;
    let result = match &*last {
        Some((at_ms, result)) if now_ms.saturating_sub(*at_ms) < READINESS_CACHE_MS => result.clone(),
        _ => {
            let checked = Arc::clone(&service);
            let checking = tokio::task::spawn_blocking(move || check_readiness(&checked));
            let result = checking.await.unwrap_or_else(|error| Err(error.to_string()));
            *last = Some((now_ms, result.clone()));
            result
        }
    };
    result.map(|()| HealthView::ok()).map_err(not_ready)
}

/// Checks the archive and the data directory. Returns which of them failed, and logs the cause.
fn check_readiness(service: &Service) -> Result<(), String> {
    if let Err(error) = service.archive.snapshot().len() {
        tracing::error!(%error, "reading the archive failed");
        return Err("the archive cannot be read".to_owned());
    }
    if let Err(error) = tempfile::tempfile_in(&service.data).and_then(|file| file.set_len(1)) {
        tracing::error!(%error, "writing to the data directory failed");
        return Err("the data directory is not writable".to_owned());
    }
    Ok(())
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
    let text = tokio::task::spawn_blocking(move || metrics::render(&service)).await;
    let mut response = text.map_err(|error| Problem::internal(&error))?.into_response();
    let media_type = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}
