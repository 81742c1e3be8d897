//! Entities that are similar to one.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lodeward_app::search::{self, SimilarResult};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{require_index, search_problem};
use crate::api::extract::QueryParams;
use crate::api::pagination::PageLimit;
use crate::api::search::ScoreShareView;
use crate::blocking::run_bulk_read;
use crate::problem::Problem;
use crate::state::Service;

/// Query parameters of similar entities.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SimilarQuery {
    /// The entity: its IRI, or a name with a usual prefix.
    #[param(min_length = 1, example = "http://dbpedia.org/resource/Cologne_Cathedral")]
    iri: String,
    /// Maximum number of results.
    #[serde(default)]
    #[param(inline)]
    limit: PageLimit,
}

/// Similar entities, the most similar first.
#[derive(Serialize, ToSchema)]
pub(super) struct SimilarPage {
    /// The entities.
    results: Vec<SimilarView>,
}

/// A similar entity.
#[derive(Serialize, ToSchema)]
#[schema(as = SimilarEntity)]
struct SimilarView {
    /// IRI of the entity.
    iri: String,
    /// Label, or the name in the IRI.
    label: String,
    /// Score; comparable within one list.
    score: f64,
    /// IRIs of its types.
    types: Vec<String>,
    /// What both have in common: statements, neighbours, predicates and words.
    why: Vec<ScoreShareView>,
}

impl From<SimilarResult> for SimilarView {
    fn from(SimilarResult { iri, label, score, types, why }: SimilarResult) -> Self {
        Self { iri, label, score, types, why: why.into_iter().map(Into::into).collect() }
    }
}

/// List similar entities
///
/// Compares the statements, neighbours, predicates and words of all entities with those of one.
#[utoipa::path(
    get, path = "/api/v1/similar", tag = "search",
    params(SimilarQuery),
    responses(
        (status = 200, description = "The most similar entities", body = SimilarPage),
        (status = 404, description = "The archive has no such entity"),
        (status = 409, description = "The search index is disabled"),
        (status = 422, description = "The prefix of the name is unknown"),
    ),
)]
pub(super) async fn similar_entities(
    State(service): State<Arc<Service>>,
    QueryParams(SimilarQuery { iri, limit }): QueryParams<SimilarQuery>,
) -> Result<Json<SimilarPage>, Problem> {
    let index = require_index(&service)?;
    run_bulk_read(move || {
        let found = search::similar(&index, &iri, limit.get().into()).map_err(|error| search_problem(&error))?;
        Ok(Json(SimilarPage { results: found.into_iter().map(Into::into).collect() }))
    })
    .await
}
