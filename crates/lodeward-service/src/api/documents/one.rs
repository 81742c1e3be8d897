//! One document: where it comes from, and what it says.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use lodeward::model::Uri;
use lodeward::provenance::{Provenance, Redirect};
use lodeward::store::StoreError;
use lodeward::store::segments::Harvested;
use serde::Serialize;
use utoipa::ToSchema;

use super::Meant;
use super::outcome::Fault;
use crate::api::accept;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{Path, Query};
use crate::api::moment::Moment;
use crate::api::stream::streamed;
use crate::problem::{Code, Problem};
use crate::service::Service;

const JSON: &str = "application/json";
const N_QUADS: &str = "application/n-quads";

/// A document of the harvest.
#[derive(Serialize, ToSchema)]
struct Document {
    /// Its address, and the name of its graph.
    uri: String,
    /// How many quads it has.
    quads: u64,
    /// Where it comes from, if that was kept.
    provenance: Option<Origin>,
}

/// Where a document comes from.
#[derive(Serialize, ToSchema)]
#[schema(as = Provenance)]
struct Origin {
    /// When it was asked for.
    requested_at: Moment,
    /// When all of it had been read.
    fetched_at: Moment,
    /// The redirects that led to it, the first one first.
    redirects: Vec<Hop>,
    /// The status code of the answer.
    status: u16,
    /// The media type that its server declared.
    declared: Option<String>,
    /// The syntax that it turned out to be in.
    syntax: String,
    /// Quads by the syntax that they were written in.
    quads_by_syntax: BTreeMap<String, u64>,
    /// Bytes, after decompression.
    bytes: u64,
    /// The `ETag` field.
    etag: Option<String>,
    /// The `Last-Modified` field.
    last_modified: Option<String>,
    /// What could not be read.
    faults: Vec<Fault>,
    /// What the crawler called itself.
    user_agent: String,
}

/// A redirect.
#[derive(Serialize, ToSchema)]
#[schema(as = RedirectHop)]
struct Hop {
    /// Who pointed elsewhere.
    from: String,
    /// With which status code.
    status: u16,
}

impl From<Provenance> for Origin {
    fn from(provenance: Provenance) -> Self {
        let Provenance { status, declared, syntax, bytes, etag, last_modified, user_agent, .. } = provenance;
        let hop = |Redirect { from, status }| Hop { from: Uri::as_str(&from).to_owned(), status };
        Self {
            requested_at: Moment::of_ms(provenance.requested_at_ms),
            fetched_at: Moment::of_ms(provenance.fetched_at_ms),
            redirects: provenance.redirects.into_iter().map(hop).collect(),
            status,
            declared,
            syntax,
            quads_by_syntax: provenance.quads_by_syntax.into_iter().collect(),
            bytes,
            etag,
            last_modified,
            faults: provenance.faults.into_iter().map(Fault::from).collect(),
            user_agent,
        }
    }
}

/// Looks at a document.
///
/// As JSON, where it comes from; as N-Quads, what it says.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/document", tag = "documents",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Meant),
    responses(
        (
            status = 200, description = "The document",
            content((Document = "application/json"), (String = "application/n-quads")),
        ),
        (status = 406, description = "Neither JSON nor N-Quads are wanted"),
        (status = 409, description = "Another process has the crawl"),
    ),
)]
pub(super) async fn get_document(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(meant): Query<Meant>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let form = accept::chosen(&headers, &[JSON, N_QUADS])?;
    let uri = meant.uri()?;
    let shelf = service.fleet.shelf(id).await?;
    let document = uri.clone();
    let found = tokio::task::spawn_blocking(move || -> Result<_, StoreError> {
        let Some(found) = shelf.segments.find(&document)? else { return Ok(None) };
        let provenance = found.provenance()?;
        Ok(Some((found, provenance)))
    });
    let found = found.await.expect("looking does not panic").map_err(|error| Problem::internal(&error))?;
    let Some((found, provenance)) = found else {
        let problem = Problem::new(Code::NotFound, format!("the crawl {id} has no statements from {uri}"));
        return Err(problem.hint("…/explain?uri= tells what became of it"));
    };
    if form == N_QUADS {
        return statements(&service, found);
    }
    let uri = uri.as_str().to_owned();
    Ok(axum::Json(Document { uri, quads: found.quads(), provenance: provenance.map(Origin::from) }).into_response())
}

fn statements(service: &Service, mut found: Harvested) -> Result<Response, Problem> {
    let body = streamed(service.downloads.seat()?, move |out| {
        found.write(out).map_err(|error| match error {
            StoreError::Export(error) => error,
            error => io::Error::other(error),
        })
    });
    Ok(([(CONTENT_TYPE, N_QUADS)], body).into_response())
}
