//! The list of documents with statements.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::UriRecord;
use lodeward::model::Outcome;
use serde::Serialize;
use utoipa::ToSchema;

use super::settled::SettledQuery;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::encode_query_value;
use crate::api::timestamp::Timestamp;
use crate::problem::Problem;
use crate::state::Service;

/// A page of documents with statements, in the order in which they were fetched.
#[derive(Serialize, ToSchema)]
struct DocumentListPage {
    /// The documents.
    documents: Vec<DocumentListEntry>,
    /// The value of `after` for the next page; null if there are no further documents yet.
    next: Option<u64>,
}

/// A document with statements.
#[derive(Serialize, ToSchema)]
struct DocumentListEntry {
    /// Number of the document. Numbers increase in the order in which documents are fetched; some
    /// numbers are skipped.
    number: u64,
    /// URI of the document.
    uri: String,
    /// Number of quads.
    #[schema(minimum = 1)]
    quads: u64,
    /// Format that was detected.
    format: String,
    /// Size after decompression, in bytes.
    bytes: u64,
    /// When the document was fetched.
    fetched_at: Timestamp,
    /// Number of links from the nearest seed.
    depth: u16,
    /// URL of the details of the document.
    link: String,
}

/// List documents
///
/// Lists documents with statements, in the order in which they were fetched. The crawl may be
/// running.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/documents", tag = "documents",
    params(CrawlPath, SettledQuery),
    responses(
        (
            status = 200, description = "A page of documents", body = DocumentListPage,
            headers(("Link" = String, description = "The next page (`next`)")),
        ),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn list_documents(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<SettledQuery>,
) -> Result<Response, Problem> {
    let open_crawl = service.jobs.open_crawl(id).await?;
    let (documents, next) = query.page(open_crawl, move |number, record| list_entry(id, number, record)).await?;
    let links = query.links(format!("/api/v1/crawls/{id}/documents"), next);
    Ok(links.attach_to(axum::Json(DocumentListPage { documents, next })))
}

fn list_entry(crawl: u32, number: u64, record: UriRecord) -> Option<DocumentListEntry> {
    let Some(Outcome::Document(document)) = record.outcome else { return None };
    let uri = record.uri.as_str().to_owned();
    let link = format!("/api/v1/crawls/{crawl}/document?uri={}", encode_query_value(&uri));
    (document.quads > 0).then(|| DocumentListEntry {
        number,
        uri,
        quads: document.quads,
        format: document.fetch.format,
        bytes: document.fetch.bytes,
        fetched_at: Timestamp::from_ms(document.fetch.fetched_at_ms),
        depth: record.depth,
        link,
    })
}
