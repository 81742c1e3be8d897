//! Queries that users save by name.

use std::sync::{Arc, PoisonError};

use axum::Json;
use axum::extract::State;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::{JsonBody, PathParams};
use super::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::json_store::ItemName;
use crate::problem::{Problem, ProblemCode};
use crate::role::{Caller, Role};
use crate::route_rules::RouteRules;
use crate::saved_query::SavedQueryRecord;
use crate::state::Service;

/// The maximum length of a title, and of the text of a query.
const MAX_TITLE_CHARS: usize = 200;
const MAX_TEXT_CHARS: usize = 100_000;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(RouteRules::reads(Role::Reader).on(routes!(list_queries)))
        .routes(RouteRules::reads(Role::Reader).on(routes!(get_query)))
        // Readers may query the archive, so they may save their own queries.
        .routes(RouteRules::changes(Role::Reader).on(routes!(put_query, delete_query)))
}

/// Path parameter that selects a query.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
struct SavedQueryPath {
    /// Name of a query.
    #[param(value_type = String, pattern = "^[A-Za-z0-9_-]{1,40}$", example = "architects")]
    name: ItemName,
}

/// A query to save.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct NewSavedQuery {
    /// Text of the query or update.
    #[schema(max_length = 100_000, example = "SELECT * { ?s ?p ?o } LIMIT 10")]
    text: String,
    /// What it is for.
    #[serde(default)]
    #[schema(max_length = 200)]
    title: String,
    /// Whether string functions accept IRIs.
    #[serde(default)]
    lenient: bool,
}

/// A saved query.
#[derive(Serialize, ToSchema)]
#[schema(as = SavedQuery)]
struct SavedQueryView {
    /// Name of the query.
    name: ItemName,
    /// Text of the query or update.
    text: String,
    /// What it is for.
    title: String,
    /// Whether string functions accept IRIs.
    lenient: bool,
    /// The user that saved it.
    owner: String,
    /// When it was saved.
    saved_at: Timestamp,
}

impl SavedQueryView {
    fn from_record(name: ItemName, record: SavedQueryRecord) -> Self {
        let SavedQueryRecord { text, title, lenient, owner, saved_at_ms } = record;
        Self { name, text, title, lenient, owner, saved_at: Timestamp::from_ms(saved_at_ms) }
    }
}

/// All saved queries.
#[derive(Serialize, ToSchema)]
struct SavedQueryList {
    /// The queries of all users, by name.
    queries: Vec<SavedQueryView>,
}

/// List saved queries
#[utoipa::path(
    get, path = "/api/v1/queries", tag = "sparql",
    responses((status = 200, description = "All saved queries", body = SavedQueryList)),
)]
async fn list_queries(State(service): State<Arc<Service>>) -> Result<Json<SavedQueryList>, Problem> {
    run_blocking(move || {
        let store = &service.saved_queries;
        let queries = store.read_valid(store.names()?).into_iter();
        let queries = queries.map(|(name, record)| SavedQueryView::from_record(name, record)).collect();
        Ok(Json(SavedQueryList { queries }))
    })
    .await
}

/// Get a saved query
#[utoipa::path(
    get, path = "/api/v1/queries/{name}", tag = "sparql",
    params(SavedQueryPath), responses((status = 200, description = "The query", body = SavedQueryView)),
)]
async fn get_query(
    State(service): State<Arc<Service>>,
    PathParams(SavedQueryPath { name }): PathParams<SavedQueryPath>,
) -> Result<Json<SavedQueryView>, Problem> {
    run_blocking(move || {
        let record = service.saved_queries.get(&name)?.ok_or_else(|| unknown_query(&name))?;
        Ok(Json(SavedQueryView::from_record(name, record)))
    })
    .await
}

/// Save a query
///
/// Creates or replaces a query. Only its owner or an admin may replace it. The text is not checked:
/// `POST /api/v1/sparql/check` does that.
#[utoipa::path(
    put, path = "/api/v1/queries/{name}", tag = "sparql",
    params(SavedQueryPath), request_body = NewSavedQuery,
    responses(
        (status = 200, description = "Replaced", body = SavedQueryView),
        (status = 201, description = "Created", body = SavedQueryView),
        (status = 409, description = "There are too many queries"),
    ),
)]
async fn put_query(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(SavedQueryPath { name }): PathParams<SavedQueryPath>,
    JsonBody(NewSavedQuery { text, title, lenient }): JsonBody<NewSavedQuery>,
) -> Result<(StatusCode, Json<SavedQueryView>), Problem> {
    for (field, value, max) in [("/title", &title, MAX_TITLE_CHARS), ("/text", &text, MAX_TEXT_CHARS)] {
        if value.chars().nth(max).is_some() {
            return Err(Problem::new(ProblemCode::Unprocessable, format!("longer than {max} characters")).at(field));
        }
    }
    run_blocking(move || {
        // The lock keeps the owner unchanged between the check and the write.
        let _writing = service.templates.lock().unwrap_or_else(PoisonError::into_inner);
        let store = &service.saved_queries;
        let before = store.get(&name)?;
        let owner = before.as_ref().map_or(&caller.name, |before| &before.owner).clone();
        require_query_owner(&caller, &name, &owner)?;
        let record = SavedQueryRecord { text, title, lenient, owner, saved_at_ms: (service.now)() };
        store.put(&name, &record)?;
        let status = if before.is_some() { StatusCode::OK } else { StatusCode::CREATED };
        Ok((status, Json(SavedQueryView::from_record(name, record))))
    })
    .await
}

/// Delete a saved query
#[utoipa::path(
    delete, path = "/api/v1/queries/{name}", tag = "sparql",
    params(SavedQueryPath), responses((status = 204, description = "Deleted")),
)]
async fn delete_query(
    State(service): State<Arc<Service>>,
    caller: Caller,
    PathParams(SavedQueryPath { name }): PathParams<SavedQueryPath>,
) -> Result<StatusCode, Problem> {
    run_blocking(move || {
        let _writing = service.templates.lock().unwrap_or_else(PoisonError::into_inner);
        let store = &service.saved_queries;
        let record = store.get(&name)?.ok_or_else(|| unknown_query(&name))?;
        require_query_owner(&caller, &name, &record.owner)?;
        store.remove(&name)?;
        Ok(StatusCode::NO_CONTENT)
    })
    .await
}

/// Fails unless the caller has saved the query, or is an admin. Unlike other resources, queries also belong to readers.
fn require_query_owner(caller: &Caller, name: &ItemName, owner: &str) -> Result<(), Problem> {
    if caller.role == Role::Admin || caller.name == owner {
        return Ok(());
    }
    let detail = format!("the query `{}` belongs to another user", name.as_str());
    Err(Problem::new(ProblemCode::Forbidden, detail).hint("choose another name; an admin may change all queries"))
}

fn unknown_query(name: &ItemName) -> Problem {
    Problem::new(ProblemCode::NotFound, format!("no such query: `{}`", name.as_str()))
}
