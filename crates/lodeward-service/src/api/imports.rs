//! Imports: instance data in the archive, and the crawls started for it.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::response::Response;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use lodeward_app::seeds::instance::{InstanceProperty, InstanceSummary, inspect_instances, roles};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{PathParams, QueryParams, RawBody};
use super::pagination::{PageLimit, PageUrl, offset_links};
use super::timestamp::Timestamp;
use crate::blocking::{run_blocking, run_bulk_read};
use crate::enrichment::{ImportRecord, ImportRequest, ImportResult, RuleRun, unknown_import};
use crate::jobs::MAX_UNPACKED_BYTES;
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::{BodyClass, RouteRules};
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Reader).on(routes!(list_imports)))
        .routes(RouteRules::reads(Role::Reader).on(routes!(get_import)))
        .routes(RouteRules::changes(Role::Operator).body(BodyClass::Data).on(routes!(put_import)))
        .routes(RouteRules::changes(Role::Operator).on(routes!(delete_import)))
        .routes(RouteRules::reads(Role::Operator).body(BodyClass::Data).on(routes!(inspect_data)))
}

/// Path parameter that selects an import.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct ImportPath {
    /// Name of an import.
    #[param(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", example = "buildings")]
    name: ItemName,
}

/// Query parameters for a page of imports.
#[derive(Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
struct ImportListQuery {
    /// Number of imports to skip.
    offset: u32,
    /// Maximum number of imports.
    #[param(inline)]
    limit: PageLimit,
}

/// Instance data in the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = Import)]
struct ImportView {
    /// Name of the import.
    name: ItemName,
    /// Named graph that contains the statements of the import.
    graph: String,
    /// User that owns the import.
    owner: String,
    /// When the data was last sent.
    imported_at: Timestamp,
    /// Number of statements.
    statements: u64,
    /// Digest of the statements, independent of their order.
    digest: String,
    /// IDs of the crawls started for the import, by rule.
    crawls: std::collections::BTreeMap<String, u32>,
}

impl From<ImportRecord> for ImportView {
    fn from(import: ImportRecord) -> Self {
        let ImportRecord { name, graph, owner, imported_at_ms, statements, digest, crawls: begun } = import;
        let crawls = begun.into_iter().map(|(rule, started)| (rule, started.crawl)).collect();
        Self { name, graph, owner, imported_at: Timestamp::from_ms(imported_at_ms), statements, digest, crawls }
    }
}

/// A page of imports.
#[derive(Serialize, ToSchema)]
struct ImportPage {
    /// Total number of imports.
    total: usize,
    /// Number of skipped imports.
    offset: u32,
    /// Maximum number of imports in this page.
    limit: u16,
    /// The imports, by name.
    imports: Vec<ImportView>,
}

/// The result of an import.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportResult)]
struct ImportResultView {
    /// The import.
    import: ImportView,
    /// Results of the rules that match the import.
    enrichments: Vec<RuleRun>,
}

/// List imports
#[utoipa::path(
    get, path = "/api/v1/imports", tag = "imports",
    params(ImportListQuery),
    responses((
        status = 200, description = "A page of imports", body = ImportPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
async fn list_imports(
    State(service): State<Arc<Service>>,
    QueryParams(ImportListQuery { offset, limit }): QueryParams<ImportListQuery>,
) -> Result<Response, Problem> {
    run_blocking(move || {
        let store = &service.enrichment.imports;
        let names = store.names()?;
        let total = names.len();
        let page = store.read_valid(names.into_iter().skip(offset as usize).take(limit.get().into()));
        let imports = page.into_iter().map(|(_, import)| import.into()).collect();
        let links = offset_links(&PageUrl::new("/api/v1/imports"), offset.into(), limit, total as u64);
        Ok(links.attach_to(Json(ImportPage { total, offset, limit: limit.get(), imports })))
    })
    .await
}

/// Get an import
#[utoipa::path(
    get, path = "/api/v1/imports/{name}", tag = "imports",
    params(ImportPath), responses((status = 200, description = "The import", body = ImportView)),
)]
async fn get_import(
    State(service): State<Arc<Service>>,
    PathParams(ImportPath { name }): PathParams<ImportPath>,
) -> Result<Json<ImportView>, Problem> {
    run_blocking(move || {
        let import = service.enrichment.imports.get(&name)?;
        import.map(|import| Json(import.into())).ok_or_else(|| unknown_import(&name))
    })
    .await
}

/// Import instance data
///
/// All statements are stored in one named graph, which replaces the previous one of this
/// import. Then rules are applied: each rule that matches starts a crawl, unless it has
/// started one for the same data. If any part cannot be parsed, nothing is imported.
#[utoipa::path(
    put, path = "/api/v1/imports/{name}", tag = "imports",
    params(ImportPath),
    request_body(description = "RDF in any format that crawls read, packed or not", content(
        (String = "text/turtle"),
        (String = "application/n-triples"),
        (String = "application/n-quads"),
        (String = "application/trig"),
        (String = "application/rdf+xml"),
        (String = "application/ld+json"),
        (String = "text/html"),
    )),
    responses(
        (status = 200, description = "Replaced", body = ImportResultView),
        (status = 201, description = "Created", body = ImportResultView),
        (status = 409, description = "There are too many imports"),
    ),
)]
async fn put_import(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(ImportPath { name }): PathParams<ImportPath>,
    fields: HeaderMap,
    RawBody(body): RawBody,
) -> Result<(StatusCode, Json<ImportResultView>), Problem> {
    let content_type = fields.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let request = ImportRequest { name, content_type, body };
    let ImportResult { import, is_new, rule_runs } = service.enrichment.import(caller, request).await?;
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    Ok((status, Json(ImportResultView { import: import.into(), enrichments: rule_runs })))
}

/// Inspect instance data
///
/// Lists the classes and properties of instance data, with the roles of the properties. Nothing is stored. Data without
/// a statement is rejected.
#[utoipa::path(
    post, path = "/api/v1/instances/inspect", tag = "imports",
    request_body(description = "RDF in any format that crawls read, packed or not", content(
        (String = "text/turtle"),
        (String = "application/n-triples"),
        (String = "application/n-quads"),
        (String = "application/trig"),
        (String = "application/rdf+xml"),
        (String = "application/ld+json"),
        (String = "text/html"),
    )),
    responses((status = 200, description = "The contents", body = InstanceSummaryView)),
)]
async fn inspect_data(
    State(service): State<Arc<Service>>,
    fields: HeaderMap,
    RawBody(body): RawBody,
) -> Result<Json<InstanceSummaryView>, Problem> {
    if body.is_empty() {
        return Err(Problem::new(ProblemCode::Unprocessable, "the body is empty").hint("send RDF, such as Turtle"));
    }
    let content_type = fields.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let known = roles(&service.settings.current().config.seeds.roles);
    let inspecting = move || {
        let body = Box::new(std::io::Cursor::new(body));
        Ok(inspect_instances("instances", content_type, body, &known, MAX_UNPACKED_BYTES))
    };
    let summary = run_bulk_read(inspecting).await?;
    if summary.statements == 0 {
        let reason = summary.faults.first().map_or("no statements", String::as_str);
        let problem = Problem::new(ProblemCode::Unprocessable, format!("no RDF found: {reason}"));
        return Err(problem.hint("send RDF with its media type in `Content-Type`, such as `text/turtle`"));
    }
    Ok(Json(summary.into()))
}

/// The contents of instance data.
#[derive(Serialize, ToSchema)]
#[schema(as = InstanceSummary)]
struct InstanceSummaryView {
    /// Number of statements.
    statements: u64,
    /// Number of described records.
    records: u64,
    /// At most 200 classes, the most frequent first.
    classes: Vec<InstanceClassView>,
    /// At most 200 properties, the most frequent first.
    properties: Vec<InstancePropertyView>,
    /// Faults of the data, at most 3. The data before a fault is included.
    faults: Vec<String>,
}

/// A class of instance data.
#[derive(Serialize, ToSchema)]
#[schema(as = InstanceClass)]
struct InstanceClassView {
    /// IRI of the class.
    class: String,
    /// Number of records.
    count: u64,
}

/// A property of instance data.
#[derive(Serialize, ToSchema)]
#[schema(as = InstanceProperty)]
struct InstancePropertyView {
    /// IRI of the property.
    property: String,
    /// Names of the roles that include the property.
    roles: Vec<String>,
    /// Number of values that are IRIs.
    iris: u64,
    /// Number of values that are literals. They are looked up only with `resolve_literals`.
    literals: u64,
    /// At most 3 values.
    examples: Vec<String>,
}

impl From<InstanceSummary> for InstanceSummaryView {
    fn from(InstanceSummary { statements, records, classes, properties, faults }: InstanceSummary) -> Self {
        let property = |InstanceProperty { property, roles, iris, literals, examples }| InstancePropertyView {
            property,
            roles,
            iris,
            literals,
            examples,
        };
        let classes = classes.into_iter().map(|(class, count)| InstanceClassView { class, count });
        let properties = properties.into_iter().map(property).collect();
        Self { statements, records, classes: classes.collect(), properties, faults }
    }
}

/// Delete an import
///
/// Its graph is deleted, too. Crawls that were started for it stay.
#[utoipa::path(
    delete, path = "/api/v1/imports/{name}", tag = "imports",
    params(ImportPath), responses((status = 204, description = "Deleted")),
)]
async fn delete_import(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(ImportPath { name }): PathParams<ImportPath>,
) -> Result<StatusCode, Problem> {
    service.enrichment.delete(&caller, name).await?;
    Ok(StatusCode::NO_CONTENT)
}
