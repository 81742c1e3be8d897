//! Checks a query before it is run.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_archive::sparql::{QueryError, QuerySyntaxError, UpdateError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::JsonBody;
use crate::blocking::run_blocking;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(RouteRules::reads(Role::Reader).on(routes!(check_sparql)))
}

/// A text to check.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct SparqlCheckRequest {
    /// Text of a query or an update.
    #[schema(example = "SELECT * { ?s ?p ?o } LIMIT 10")]
    sparql: String,
    /// Whether string functions accept IRIs.
    #[serde(default)]
    lenient: bool,
    /// Whether the response has the plan of a query.
    #[serde(default)]
    plan: bool,
}

/// Kind of a SPARQL text.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CheckedKind {
    /// A query.
    Query,
    /// An update.
    Update,
}

/// The result of a check.
#[derive(Serialize, ToSchema)]
struct SparqlCheckResult {
    /// Whether the text is a valid query or update.
    valid: bool,
    /// Its kind; null if it is not valid.
    kind: Option<CheckedKind>,
    /// What is wrong.
    errors: Vec<SparqlErrorView>,
    /// The plan as an indented tree; null unless requested, and for updates.
    plan: Option<String>,
}

/// An error in a SPARQL text.
#[derive(Serialize, ToSchema)]
#[schema(as = SparqlError)]
struct SparqlErrorView {
    /// Line, from 1; null if it is not known.
    line: Option<usize>,
    /// Column in characters, from 1; null if it is not known.
    column: Option<usize>,
    /// What is wrong.
    detail: String,
    /// How to fix it.
    hint: Option<String>,
}

impl From<&QuerySyntaxError> for SparqlErrorView {
    fn from(error: &QuerySyntaxError) -> Self {
        Self { line: error.line, column: error.column, detail: error.reason(), hint: error.hint.clone() }
    }
}

impl SparqlErrorView {
    fn without_place(error: &dyn std::error::Error) -> Self {
        Self { line: None, column: None, detail: error.to_string(), hint: None }
    }
}

/// Check a query or an update
///
/// Parses and plans a text with the parser that runs it, and runs nothing. Errors have their place.
#[utoipa::path(
    post, path = "/api/v1/sparql/check", tag = "sparql",
    request_body = SparqlCheckRequest,
    responses((status = 200, description = "Whether the text is valid", body = SparqlCheckResult)),
)]
async fn check_sparql(
    State(service): State<Arc<Service>>,
    JsonBody(SparqlCheckRequest { sparql, lenient, plan }): JsonBody<SparqlCheckRequest>,
) -> Result<Json<SparqlCheckResult>, Problem> {
    run_blocking(move || {
        let (mut query, update) = service.archive_access.check_options(&service.settings.current().config);
        query.lenient = lenient;
        let as_query = service.archive.snapshot().explain(&sparql, &query);
        let as_update = match &as_query {
            Err(QueryError::Syntax(_)) => update.check(&sparql),
            _ => Ok(()),
        };
        let result = match (as_query, as_update) {
            (Ok(found), _) => valid(CheckedKind::Query, plan.then_some(found.text)),
            (Err(QueryError::Syntax(_)), Ok(())) => valid(CheckedKind::Update, None),
            (Err(QueryError::Syntax(of_query)), Err(UpdateError::Syntax(of_update))) => {
                // The error that is further in the text is that of the kind that was meant.
                let place = |error: &QuerySyntaxError| (error.line, error.column);
                let error = if place(&of_update) > place(&of_query) { of_update } else { of_query };
                invalid(SparqlErrorView::from(&error))
            }
            (Err(QueryError::Syntax(_)), Err(error)) => invalid(SparqlErrorView::without_place(&error)),
            (Err(error), _) => invalid(SparqlErrorView::without_place(&error)),
        };
        Ok(Json(result))
    })
    .await
}

fn valid(kind: CheckedKind, plan: Option<String>) -> SparqlCheckResult {
    SparqlCheckResult { valid: true, kind: Some(kind), errors: Vec::new(), plan }
}

fn invalid(error: SparqlErrorView) -> SparqlCheckResult {
    SparqlCheckResult { valid: false, kind: None, errors: vec![error], plan: None }
}
