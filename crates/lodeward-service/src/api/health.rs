//! Whether the service lives, whether it can work, and how it is doing.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(live))
}

/// That somebody is there.
#[derive(Serialize, Deserialize, ToSchema)]
struct Health {
    /// `ok`.
    status: String,
    /// The program and its version.
    program: String,
}

/// Whether the process lives.
#[utoipa::path(get, path = "/health", tag = "operations", security(()), responses((status = 200, body = Health)))]
async fn live(State(_service): State<Arc<Service>>) -> Json<Health> {
    let program = concat!("lodeward ", env!("CARGO_PKG_VERSION")).to_owned();
    Json(Health { status: "ok".to_owned(), program })
}
