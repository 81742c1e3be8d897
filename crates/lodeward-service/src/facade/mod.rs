//! The API that DURAARK D3.6 §4 has published: `/CrawlAPI/{method}`.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::service::Service;

pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
}
