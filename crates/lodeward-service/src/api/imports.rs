//! Imports: instance data in the archive, and the crawls that they begin.

use std::sync::Arc;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{Path, Query, Whatever};
use super::moment::Moment;
use super::page::{Address, Limit, counted_links};
use crate::beside::beside;
use crate::enrichment::{Did, Enrichment, Import, Imported, Name, Put, unknown};
use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(routes!(list_imports)).routes(routes!(get_import, put_import, delete_import))
}

/// Which import is meant.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ImportPath {
    /// The name of an import.
    #[param(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", example = "buildings")]
    name: Name,
}

/// Which imports are listed.
#[derive(Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct Wanted {
    /// So many are passed over.
    offset: u32,
    /// How many are listed.
    #[param(inline)]
    limit: Limit,
}

/// Instance data in the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = Import)]
struct ToldImport {
    /// What it is called by.
    name: Name,
    /// The named graph that its statements are in.
    graph: String,
    /// To whom it belongs.
    owner: String,
    /// When it was sent last.
    imported: Moment,
    /// How many statements it has.
    statements: u64,
    /// The same for the same statements.
    digest: String,
    /// Crawls that it has begun, by the name of the rule.
    crawls: std::collections::BTreeMap<String, u32>,
}

impl From<Import> for ToldImport {
    fn from(import: Import) -> Self {
        let Import { name, graph, owner, imported_at_ms, statements, digest, begun } = import;
        let crawls = begun.into_iter().map(|(rule, begun)| (rule, begun.crawl)).collect();
        Self { name, graph, owner, imported: Moment::of_ms(imported_at_ms), statements, digest, crawls }
    }
}

/// Some imports of a list.
#[derive(Serialize, ToSchema)]
struct ImportPage {
    /// How many there are.
    total: usize,
    /// So many of them are passed over.
    offset: u32,
    /// How many are listed at most.
    limit: u16,
    /// Those that follow, by name.
    imports: Vec<ToldImport>,
}

/// What became of something that was sent.
#[derive(Serialize, ToSchema)]
struct ToldImported {
    /// The import.
    import: ToldImport,
    /// What each rule did that is for it.
    enrichments: Vec<Did>,
}

/// Lists imports.
#[utoipa::path(
    get, path = "/api/v1/imports", tag = "imports",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(Wanted),
    responses((
        status = 200, description = "Some of them", body = ImportPage,
        headers(("Link" = String, description = "The pages before (`prev`) and behind (`next`) this one")),
    )),
)]
async fn list_imports(
    State(service): State<Arc<Service>>,
    Query(Wanted { offset, limit }): Query<Wanted>,
) -> Result<Response, Problem> {
    beside(move || {
        let drawer = &service.enrichment.imports;
        let names = drawer.names()?;
        let total = names.len();
        let shown = drawer.readable(names.into_iter().skip(offset as usize).take(limit.get().into()));
        let imports = shown.into_iter().map(|(_, import)| import.into()).collect();
        let links = counted_links(&Address::of("/api/v1/imports"), offset.into(), limit, total as u64);
        Ok(links.around(Answer(ImportPage { total, offset, limit: limit.get(), imports })))
    })
    .await
}

/// Looks at an import.
#[utoipa::path(
    get, path = "/api/v1/imports/{name}", tag = "imports",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(ImportPath), responses((status = 200, description = "The import", body = ToldImport)),
)]
async fn get_import(
    State(service): State<Arc<Service>>,
    Path(ImportPath { name }): Path<ImportPath>,
) -> Result<Answer<ToldImport>, Problem> {
    beside(move || {
        let import = service.enrichment.imports.get(&name)?;
        import.map(|import| Answer(import.into())).ok_or_else(|| unknown(&name))
    })
    .await
}

/// Imports instance data.
///
/// All statements go into one named graph, in place of what this import had before.
/// Then rules are looked at: each that is for it begins a crawl, unless it has done so
/// for the same data. What cannot be read as a whole is not imported.
#[utoipa::path(
    put, path = "/api/v1/imports/{name}", tag = "imports",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(ImportPath),
    request_body(description = "RDF in any syntax that crawls read, packed or not", content(
        (String = "text/turtle"),
        (String = "application/n-triples"),
        (String = "application/n-quads"),
        (String = "application/trig"),
        (String = "application/rdf+xml"),
        (String = "application/ld+json"),
        (String = "text/html"),
    )),
    responses(
        (status = 200, description = "It replaces what was there", body = ToldImported),
        (status = 201, description = "It is new", body = ToldImported),
        (status = 409, description = "There are too many already"),
    ),
)]
async fn put_import(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(ImportPath { name }): Path<ImportPath>,
    fields: HeaderMap,
    Whatever(body): Whatever,
) -> Result<(StatusCode, Answer<ToldImported>), Problem> {
    let content_type = fields.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let put = Put { name, content_type, body };
    let Imported { import, is_new, did } = Enrichment::import(service, caller, put).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Answer(ToldImported { import: import.into(), enrichments: did })))
}

/// Removes an import.
///
/// Its graph goes. Crawls that it has begun stay.
#[utoipa::path(
    delete, path = "/api/v1/imports/{name}", tag = "imports",
    security(("token" = ["operator"]), ("password" = ["operator"]), ("session" = ["operator"])),
    params(ImportPath), responses((status = 204, description = "It is gone")),
)]
async fn delete_import(
    State(service): State<Arc<Service>>,
    caller: Caller,
    Path(ImportPath { name }): Path<ImportPath>,
) -> Result<StatusCode, Problem> {
    service.enrichment.delete(&service, &caller, name).await?;
    Ok(StatusCode::NO_CONTENT)
}
