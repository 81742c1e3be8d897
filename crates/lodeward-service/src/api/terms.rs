//! Classes, properties and graphs of the archive, for completion.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::terms::{TermCount, TermKind, TermTable};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::extract::QueryParams;
use super::pagination::PageLimit;
use crate::problem::Problem;
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new().routes(RouteRules::reads(Role::Reader).on(routes!(find_terms)))
}

/// Selection of terms.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct TermQuery {
    /// Kind of the terms.
    #[param(inline)]
    kind: TermKindParam,
    /// Text in the IRI or in the name with a usual prefix, such as `dbo:Bui`; default: all.
    #[serde(default)]
    #[param(max_length = 500)]
    text: String,
    /// Maximum number of terms.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

/// Kind of a term.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum TermKindParam {
    /// A class: an object of `rdf:type`.
    Class,
    /// A property.
    Property,
    /// A named graph.
    Graph,
}

impl From<TermKindParam> for TermKind {
    fn from(kind: TermKindParam) -> Self {
        match kind {
            TermKindParam::Class => Self::Class,
            TermKindParam::Property => Self::Property,
            TermKindParam::Graph => Self::Graph,
        }
    }
}

/// Terms of the archive.
#[derive(Serialize, ToSchema)]
struct TermList {
    /// Number of matching terms.
    total: usize,
    /// The terms: those whose name begins with the text, then others, the most frequent first.
    terms: Vec<TermView>,
}

/// A term of the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = Term)]
struct TermView {
    /// The IRI.
    iri: String,
    /// Name with a usual prefix, if there is one: `dbo:Building`.
    name: Option<String>,
    /// Number of statements: with this class or property, or in this graph.
    count: u64,
}

impl From<&TermCount> for TermView {
    fn from(term: &TermCount) -> Self {
        let TermCount { iri, name, count } = term.clone();
        Self { iri, name, count }
    }
}

/// Find terms of the archive
///
/// Classes, properties and graphs with their numbers, for completion. They are read at most every few seconds. At most
/// 100,000 graphs are listed.
#[utoipa::path(
    get, path = "/api/v1/terms", tag = "sparql",
    params(TermQuery), responses((status = 200, description = "The terms", body = TermList)),
)]
async fn find_terms(
    State(service): State<Arc<Service>>,
    QueryParams(TermQuery { kind, text, limit }): QueryParams<TermQuery>,
) -> Result<Json<TermList>, Problem> {
    let archive = service.archive.clone();
    let table = service.terms.get_or_read(service.now, move || TermTable::read(&archive)).await;
    let table = table.map_err(|error| Problem::internal(&error))?;
    let (found, total) = table.find(kind.into(), &text, usize::from(limit.get()));
    Ok(Json(TermList { total, terms: found.into_iter().map(TermView::from).collect() }))
}
