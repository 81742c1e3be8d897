//! What was found, put into the archive as the graph of its crawl.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
}
