//! The archive behind HTTP: SPARQL queries and updates, and its graphs.

use std::sync::Arc;

use utoipa_axum::router::OpenApiRouter;

use crate::service::Service;

pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
}
