//! Harvests, recordings and reports as files.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
}
