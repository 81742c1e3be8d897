//! The resources below `/api/v1`, and the OpenAPI document.

pub(crate) mod extract;
mod accept;
mod pagination;
mod streaming;
pub(crate) mod timestamp;
mod backups;
mod candidates;
mod compare;
mod crawls;
mod documents;
mod downloads;
mod entities;
mod entity;
mod events;
mod export;
mod health;
mod imports;
mod users;
mod reference;
mod removals;
mod rules;
mod saved_queries;
mod search;
mod settings;
mod sparql;
mod sparql_check;
mod templates;
mod terms;
mod workbench;

use std::sync::Arc;

use utoipa::OpenApi;
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa_axum::router::OpenApiRouter;

pub(crate) use candidates::parse_filter;
pub(crate) use crawls::require_owned_crawl;
pub(crate) use reference::ApiReference;

use crate::problem;
use crate::state::Service;

/// The general part of the OpenAPI document.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lodeward",
        description = "Linked-data crawls as a service.\n\n\
            Errors are problem documents (RFC 9457) with a stable `code` and often a `hint`. \
            Times are in UTC (RFC 3339). Lists are paged; the `Link` header field (RFC 8288) has the next page.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "crawls", description = "Crawls: start, list, pause, resume, stop, delete"),
        (name = "candidates", description = "Ranked candidates of a crawl, and the marks of users"),
        (name = "documents", description = "Documents with their provenance, outcomes of URIs, explanations"),
        (name = "events", description = "Events of crawls, as server-sent events"),
        (name = "templates", description = "Seed templates with placeholders"),
        (name = "imports", description = "Instance data in the archive, and rules that start crawls for it"),
        (name = "CrawlAPI", description = "The API published by DURAARK"),
        (name = "export", description = "Exports of crawls to the archive, as named graphs"),
        (name = "downloads", description = "Data of crawls as files"),
        (name = "search", description = "Entities of the archive: by plain words, similar ones, clusters, proposed links"),
        (name = "sparql", description = "Queries and updates of the archive (SPARQL 1.1 Protocol)"),
        (name = "graphs", description = "Graphs of the archive (SPARQL 1.1 Graph Store HTTP Protocol)"),
        (name = "backups", description = "Backups, made while the service runs"),
        (name = "reference", description = "Documentation of this API"),
        (name = "users", description = "Users, tokens and sessions"),
        (name = "operations", description = "Health, readiness, metrics and settings"),
        (name = "workbench", description = "The browser interface"),
    ),
    components(schemas(
        problem::ProblemDocument,
        problem::ProblemCode,
        events::SnapshotPayload,
        events::StateEventSchema,
        events::ProgressEventSchema,
        events::RequestEventSchema,
        events::MarkedEventSchema,
        events::CrawlEventSchema,
        events::ImportedPayload,
        events::BackupPayload,
        events::LaggedPayload,
    )),
    modifiers(&SecuritySchemes),
)]
struct ApiDoc;

struct SecuritySchemes;

impl utoipa::Modify for SecuritySchemes {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let components = document.components.get_or_insert_with(Default::default);
        components.add_security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
        components.add_security_scheme("password", SecurityScheme::Http(Http::new(HttpAuthScheme::Basic)));
        let cookie = ApiKey::Cookie(ApiKeyValue::new(crate::gateway::COOKIE_NAME));
        components.add_security_scheme("session", SecurityScheme::ApiKey(cookie));
    }
}

/// All routes of this module, and the document that describes them.
pub(crate) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::with_openapi(ApiDoc::openapi())
        .merge(health::router())
        .merge(users::router())
        .merge(crawls::router())
        .merge(candidates::router())
        .merge(documents::router())
        .merge(removals::router())
        .merge(events::router())
        .merge(export::router())
        .merge(downloads::router())
        .merge(templates::router())
        .merge(imports::router())
        .merge(rules::router())
        .merge(backups::router())
        .merge(reference::router())
        .merge(settings::router())
        .merge(search::router())
        .merge(entities::router())
        .merge(sparql::router())
        .merge(sparql_check::router())
        .merge(saved_queries::router())
        .merge(entity::router())
        .merge(terms::router())
        .merge(compare::router())
        .merge(workbench::router())
}
