//! Removal on request: documents leave all crawls and the archive, and are not fetched again.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use lodeward::model::Uri;
use lodeward_app::removal::CrawlRemoval;
use lodeward_app::removal_list::{RemovalRecord, RemovalTarget, read_removals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::JsonBody;
use super::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Operator).on(routes!(list_removals)))
        .routes(RouteRules::changes(Role::Operator).on(routes!(remove_documents)))
}

/// Maximum length of the texts of a request, in bytes.
const MAX_TEXT_BYTES: usize = 2_000;

/// A request to remove documents: a `uri` or a `domain`.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewRemoval {
    /// URI of the document.
    #[schema(max_length = 2_000, example = "https://example.org/data/alice")]
    uri: Option<String>,
    /// Domain whose documents are removed, with its subdomains.
    #[schema(max_length = 2_000, example = "example.org")]
    domain: Option<String>,
    /// Who requested the removal; default: the user.
    #[schema(max_length = 2_000, example = "owner of example.org")]
    by: Option<String>,
    /// Why.
    #[schema(max_length = 2_000)]
    reason: Option<String>,
}

/// A removal.
#[derive(Serialize, ToSchema)]
#[schema(as = Removal)]
struct RemovalView {
    /// When it was requested.
    at: Timestamp,
    /// URI of the document.
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<String>,
    /// Domain whose documents were removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    domain: Option<String>,
    /// Who requested it.
    by: String,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// All removals, oldest first.
#[derive(Serialize, ToSchema)]
struct RemovalList {
    /// The removals.
    removals: Vec<RemovalView>,
}

/// The result of a removal.
#[derive(Serialize, ToSchema)]
struct RemovalResult {
    /// The removal.
    removal: RemovalView,
    /// Number of removed documents, over all crawls.
    documents: u64,
    /// The crawls that had such documents.
    crawls: Vec<u32>,
    /// Crawls whose export to the archive was deleted, because it may repeat the statements. Export them again.
    deleted_exports: Vec<u32>,
}

impl From<RemovalRecord> for RemovalView {
    fn from(RemovalRecord { at_ms, target, by, reason }: RemovalRecord) -> Self {
        let (uri, domain) = match target {
            RemovalTarget::Uri(uri) => (Some(uri.to_string()), None),
            RemovalTarget::Domain(domain) => (None, Some(domain)),
        };
        Self { at: Timestamp::from_ms(at_ms), uri, domain, by, reason }
    }
}

/// List removals
#[utoipa::path(
    get, path = "/api/v1/removals", tag = "documents",
    responses((status = 200, description = "All removals", body = RemovalList)),
)]
async fn list_removals(State(service): State<Arc<Service>>) -> Result<Json<RemovalList>, Problem> {
    let removals = run_blocking(move || read_removals(service.data_dir()).map_err(|error| Problem::internal(&error)));
    Ok(Json(RemovalList { removals: removals.await?.into_iter().map(RemovalView::from).collect() }))
}

/// Remove documents on request
///
/// The documents leave all crawls, the archive and the search index, and no crawl fetches them again. No crawl may
/// run meanwhile. The bytes stay in the files of the harvest and in backups, which nothing reads, until the crawl and
/// the backup are deleted.
#[utoipa::path(
    post, path = "/api/v1/removals", tag = "documents",
    request_body = NewRemoval,
    responses(
        (status = 201, description = "Removed", body = RemovalResult),
        (status = 409, description = "A crawl is running"),
    ),
)]
async fn remove_documents(
    State(service): State<Arc<Service>>,
    caller: Caller,
    JsonBody(requested): JsonBody<NewRemoval>,
) -> Result<(StatusCode, Json<RemovalResult>), Problem> {
    let record = to_record(requested, caller, (service.now)())?;
    let removed: Vec<(u32, CrawlRemoval)> = service.jobs.remove_documents(record.clone()).await?;
    let with_export = removed.iter().filter(|(_, removal)| removal.has_deleted_export);
    let result = RemovalResult {
        removal: record.into(),
        documents: removed.iter().map(|(_, removal)| removal.documents).sum(),
        deleted_exports: with_export.map(|(id, _)| *id).collect(),
        crawls: removed.iter().map(|(id, _)| *id).collect(),
    };
    Ok((StatusCode::CREATED, Json(result)))
}

fn to_record(requested: NewRemoval, caller: Caller, at_ms: u64) -> Result<RemovalRecord, Problem> {
    let invalid = |detail: String| Problem::new(ProblemCode::Unprocessable, detail);
    let NewRemoval { uri, domain, by, reason } = requested;
    let texts = [&uri, &domain, &by, &reason];
    if texts.into_iter().flatten().any(|text| text.len() > MAX_TEXT_BYTES || text.contains(char::is_control)) {
        return Err(invalid(format!("a text is longer than {MAX_TEXT_BYTES} bytes, or has control characters")));
    }
    let target = match (uri, domain) {
        (Some(uri), None) => {
            RemovalTarget::Uri(Uri::parse(&uri).map_err(|error| invalid(format!("`{uri}`: {error}")))?)
        }
        (None, Some(domain)) => RemovalTarget::domain(&domain).map_err(invalid)?,
        _ => return Err(invalid("a removal has a `uri` or a `domain`".to_owned()).hint("send one of them")),
    };
    Ok(RemovalRecord { at_ms, target, by: by.unwrap_or(caller.name), reason })
}
