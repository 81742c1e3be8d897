//! The documents of a crawl, their provenance, and the outcomes of all URIs.

mod explain;
mod log;
mod list;
mod document;
mod outcome;
mod settled;

use std::sync::Arc;

use lodeward::model::Uri;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::{Problem, ProblemCode};
use crate::role::Role;
use crate::route_rules::RouteRules;
use crate::state::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    let reads = RouteRules::reads(Role::Reader);
    OpenApiRouter::new()
        .routes(reads.on(routes!(list::list_documents)))
        .routes(reads.on(routes!(document::get_document)))
        .routes(reads.on(routes!(log::read_log)))
        .routes(reads.on(routes!(explain::explain_uri)))
}

/// Query parameter that selects a URI.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct UriQuery {
    /// The URI, which is normalized as in a crawl.
    #[param(example = "http://dbpedia.org/resource/Cologne")]
    uri: String,
}

impl UriQuery {
    /// Parses the URI, and normalizes it as a crawl does.
    fn uri(&self) -> Result<Uri, Problem> {
        Uri::parse_stored(&self.uri).map_err(|error| Problem::new(ProblemCode::BadRequest, format!("uri: {error}")))
    }
}
