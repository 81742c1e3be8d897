//! One document: its provenance, or its statements.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse as _, Response};
use lodeward::model::{Provenance, RedirectRecord, Uri};
use lodeward::store::StoreError;
use lodeward::store::segments::StoredDocument;
use serde::Serialize;
use utoipa::ToSchema;

use super::UriQuery;
use super::outcome::FaultView;
use crate::api::accept;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::streaming::{download_slot, stream_body};
use crate::api::timestamp::Timestamp;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

const JSON: &str = "application/json";
const N_QUADS: &str = "application/n-quads";

/// A document of the harvest.
#[derive(Serialize, ToSchema)]
#[schema(as = Document)]
struct DocumentView {
    /// URI of the document, which is also the name of its graph.
    uri: String,
    /// Number of quads.
    quads: u64,
    /// Provenance of the document, if it is stored.
    provenance: Option<ProvenanceView>,
}

/// The provenance of a document.
#[derive(Serialize, ToSchema)]
#[schema(as = Provenance)]
struct ProvenanceView {
    /// When the document was requested.
    requested_at: Timestamp,
    /// When the document was read completely.
    fetched_at: Timestamp,
    /// Redirects that led to the document, in order.
    redirects: Vec<RedirectView>,
    /// Status code of the response.
    status: u16,
    /// Media type that the server declared.
    declared_media_type: Option<String>,
    /// Format that was detected.
    format: String,
    /// Number of quads by format.
    quads_by_format: BTreeMap<String, u64>,
    /// Size after decompression, in bytes.
    bytes: u64,
    /// The `ETag` field of the response.
    etag: Option<String>,
    /// The `Last-Modified` field of the response.
    last_modified: Option<String>,
    /// Faults found in the document.
    faults: Vec<FaultView>,
    /// User agent that the crawler sent.
    user_agent: String,
}

/// A redirect.
#[derive(Serialize, ToSchema)]
#[schema(as = Redirect)]
struct RedirectView {
    /// URI that redirected.
    from: String,
    /// Status code of the redirect.
    status: u16,
}

impl From<Provenance> for ProvenanceView {
    fn from(provenance: Provenance) -> Self {
        let Provenance { requested_at_ms, redirects, fetch, user_agent } = provenance;
        let redirect = |RedirectRecord { from, status }| RedirectView { from: Uri::as_str(&from).to_owned(), status };
        Self {
            requested_at: Timestamp::from_ms(requested_at_ms),
            fetched_at: Timestamp::from_ms(fetch.fetched_at_ms),
            redirects: redirects.into_iter().map(redirect).collect(),
            status: fetch.status,
            declared_media_type: fetch.declared_media_type,
            format: fetch.format,
            quads_by_format: fetch.quads_by_format.into_iter().collect(),
            bytes: fetch.bytes,
            etag: fetch.validators.etag,
            last_modified: fetch.validators.last_modified,
            faults: fetch.faults.iter().map(FaultView::from).collect(),
            user_agent,
        }
    }
}

/// Get a document
///
/// Its provenance as JSON, or its statements as N-Quads.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/document", tag = "documents",
    params(CrawlPath, UriQuery),
    responses(
        (
            status = 200, description = "The document",
            content((DocumentView = "application/json"), (String = "application/n-quads")),
        ),
        (status = 406, description = "Neither JSON nor N-Quads is acceptable"),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn get_document(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<UriQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let media_type = accept::negotiate(&headers, &[JSON, N_QUADS])?;
    let uri = query.uri()?;
    let open_crawl = service.jobs.open_crawl(id).await?;
    let document = uri.clone();
    let found = tokio::task::spawn_blocking(move || -> Result<_, StoreError> {
        let Some(found) = open_crawl.segments.find(&document)? else { return Ok(None) };
        let provenance = found.provenance()?;
        Ok(Some((found, provenance)))
    });
    let found = found.await.expect("reading a document does not panic").map_err(|error| Problem::internal(&error))?;
    let Some((found, provenance)) = found else {
        let problem = Problem::new(ProblemCode::NotFound, format!("crawl {id} has no statements from {uri}"));
        return Err(problem.hint("…/explain?uri= returns the outcome of the URI"));
    };
    if media_type == N_QUADS {
        return n_quads_response(&service, found);
    }
    let uri = uri.as_str().to_owned();
    Ok(axum::Json(DocumentView { uri, quads: found.quads(), provenance: provenance.map(ProvenanceView::from) })
        .into_response())
}

fn n_quads_response(service: &Service, mut found: StoredDocument) -> Result<Response, Problem> {
    let body = stream_body(download_slot(&service.downloads)?, move |out| {
        found.write(out).map_err(|error| match error {
            StoreError::Export(error) => error,
            error => io::Error::other(error),
        })
    });
    Ok(([(CONTENT_TYPE, N_QUADS)], body).into_response())
}
