//! The documents of a crawl, where they come from, and what became of every URI.

mod explain;
mod journal;
mod list;
mod one;
mod outcome;
mod settled;

use std::sync::Arc;

use lodeward::model::Uri;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::problem::{Code, Problem};
use crate::service::Service;

pub(super) fn router() -> OpenApiRouter<Arc<Service>> {
    OpenApiRouter::new()
        .routes(routes!(list::list_documents))
        .routes(routes!(one::get_document))
        .routes(routes!(journal::read_journal))
        .routes(routes!(explain::explain_uri))
}

/// Which URI is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
struct Meant {
    /// A URI.
    #[param(example = "http://dbpedia.org/resource/Cologne")]
    uri: String,
}

impl Meant {
    /// The URI as crawls know it.
    fn uri(&self) -> Result<Uri, Problem> {
        Uri::recorded(&self.uri).map_err(|error| Problem::new(Code::BadRequest, format!("uri: {error}")))
    }
}
