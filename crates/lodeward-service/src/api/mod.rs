//! The resources below `/api/v1`.

pub(crate) mod extract;
mod accept;
mod answers;
mod page;
mod stream;
pub(crate) mod moment;
mod backups;
mod candidates;
mod crawls;
mod documents;
mod downloads;
mod events;
mod export;
mod health;
mod imports;
mod people;
mod reference;
mod rules;
mod templates;

use std::sync::Arc;

use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

pub(crate) use answers::with_common_answers;
pub(crate) use candidates::filter;
pub(crate) use crawls::changeable;
pub(crate) use health::Readiness;
pub(crate) use stream::Downloads;

use crate::problem;
use crate::service::Service;

/// What the document says besides its paths.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lodeward",
        description = "Crawls of linked data as a service: begun, watched, reviewed, exported, queried, deleted.\n\n\
            Whatever cannot be done is answered with a problem (RFC 9457) that has a stable `code` and often a `hint`. \
            Times are in UTC (RFC 3339). Lists come in pages; the `Link` field (RFC 8288) points to the next one.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "crawls", description = "Crawls: begun, listed, looked at, paused, resumed, stopped, deleted"),
        (name = "candidates", description = "The ranked candidates of a crawl, and what users think of them"),
        (name = "documents", description = "What was harvested, where it comes from, and what became of every URI"),
        (name = "events", description = "What happens, as it happens"),
        (name = "templates", description = "Seed lists with placeholders"),
        (name = "imports", description = "Instance data in the archive, and the rules by which they begin crawls"),
        (name = "CrawlAPI", description = "The methods that DURAARK has published"),
        (name = "export", description = "Crawls in the archive, each as a named graph"),
        (name = "downloads", description = "What crawls have gathered, as files"),
        (name = "sparql", description = "Queries and updates of the archive (SPARQL 1.1 Protocol)"),
        (name = "graphs", description = "The graphs of the archive (SPARQL 1.1 Graph Store HTTP Protocol)"),
        (name = "backups", description = "Copies of everything, made while the service runs"),
        (name = "reference", description = "What this API is"),
        (name = "people", description = "Users, tokens and sessions"),
        (name = "operations", description = "Whether the service lives, and how it is doing"),
    ),
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
        let cookie = ApiKey::Cookie(ApiKeyValue::new(crate::door::COOKIE_NAME));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
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
        .merge(imports::router())
        .merge(rules::router())
        .merge(backups::router())
        .merge(reference::router())
        .merge(crate::sparql::router())
        .merge(crate::facade::router())
}
