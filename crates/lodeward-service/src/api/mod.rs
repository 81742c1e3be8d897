//! The resources below `/api/v1`.

pub(crate) mod extract;
mod backups;
mod candidates;
mod crawls;
mod documents;
mod downloads;
mod events;
mod export;
mod health;
mod people;
mod reference;
mod templates;

use std::sync::Arc;

use utoipa::OpenApi;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

use crate::problem;
use crate::service::Service;

/// What the document says besides its paths.
#[derive(OpenApi)]
#[openapi(
    info(title = "Lodeward", description = "Crawls as a service", license(name = "MIT OR Apache-2.0")),
    components(schemas(problem::Document, problem::Code)),
    modifiers(&Schemes),
)]
struct About;

struct Schemes;

impl utoipa::Modify for Schemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        components.add_security_scheme("password", SecurityScheme::Http(Http::new(HttpAuthScheme::Basic)));
    }
}

/// All routes, and the document that describes them.
pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::with_openapi(About::openapi())
        .merge(health::router())
        .merge(people::router())
        .merge(crawls::router())
        .merge(candidates::router())
        .merge(documents::router())
        .merge(events::router())
        .merge(export::router())
        .merge(downloads::router())
        .merge(templates::router())
        .merge(backups::router())
        .merge(reference::router())
        .merge(crate::sparql::router())
        .merge(crate::facade::router())
}
