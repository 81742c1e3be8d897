//! Whether the service lives, whether it can work, and how it is doing.

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
use crate::problem::{Code, Problem};
use crate::service::Service;

/// For how long what was found holds: anybody may ask, again and again.
const READINESS_MS: u64 = 1_000;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(live)).routes(routes!(ready)).routes(routes!(numbers))
}

/// That somebody is there.
#[derive(Serialize, Deserialize, ToSchema)]
struct Health {
    /// `ok`.
    status: String,
    /// The program and its version.
    program: String,
}

impl Health {
    fn ok() -> Json<Self> {
        let program = concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned();
        Json(Self { status: "ok".to_owned(), program })
    }
}

/// Whether the process lives
#[utoipa::path(
    get, path = "/health", tag = "operations", security(()),
    responses((status = 200, description = "It does", body = Health)),
)]
async fn live() -> Json<Health> {
    Health::ok()
}

/// What was found when it was last looked whether the service can work, and when.
#[derive(Default)]
pub(crate) struct Readiness(tokio::sync::Mutex<Option<(u64, Result<(), String>)>>);

/// Whether the service can work
///
/// Its archive can be read, its data directory written, and it is not about to end.
#[utoipa::path(
    get, path = "/ready", tag = "operations", security(()),
    responses(
        (status = 200, description = "It can", body = Health),
        (status = 503, description = "It cannot, and why"),
    ),
)]
async fn ready(State(service): State<Arc<Service>>) -> Result<Json<Health>, Problem> {
    let not_ready = |why: String| Problem::new(Code::Unavailable, why).with(RETRY_AFTER, HeaderValue::from_static("5"));
    if service.fleet.is_closing() || *service.closing.borrow() {
        return Err(not_ready("the service is shutting down".to_owned()));
    }
    let now_ms = (service.now)();
    let mut last = service.readiness.0.lock().await;
    let found = match &*last {
        Some((at_ms, found)) if now_ms.saturating_sub(*at_ms) < READINESS_MS => found.clone(),
        _ => {
            let looked = Arc::clone(&service);
            let looking = tokio::task::spawn_blocking(move || look(&looked));
            let found = looking.await.unwrap_or_else(|error| Err(error.to_string()));
            *last = Some((now_ms, found.clone()));
            found
        }
    };
    found.map(|()| Health::ok()).map_err(not_ready)
}

/// Says what is wrong, and tells the log why.
fn look(service: &Service) -> Result<(), String> {
    if let Err(error) = service.archive.snapshot().len() {
        tracing::error!(%error, "the archive cannot be read");
        return Err("the archive cannot be read".to_owned());
    }
    if let Err(error) = tempfile::tempfile_in(&service.data).and_then(|file| file.set_len(1)) {
        tracing::error!(%error, "the data directory cannot be written");
        return Err("the data directory cannot be written".to_owned());
    }
    Ok(())
}

/// How the service is doing
///
/// For Prometheus, in the OpenMetrics format.
#[utoipa::path(
    get, path = "/metrics", tag = "operations",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    responses((
        status = 200, description = "Its numbers", body = String,
        content_type = "application/openmetrics-text",
    )),
)]
async fn numbers(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let told = tokio::task::spawn_blocking(move || metrics::told(&service)).await;
    let mut response = told.map_err(|error| Problem::internal(&error))?.into_response();
    let media_type = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    response.headers_mut().insert(CONTENT_TYPE, media_type);
    Ok(response)
}
