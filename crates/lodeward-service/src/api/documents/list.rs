//! The list of documents with statements.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::UriRecord;
use lodeward::model::Outcome;
use lodeward_app::crawl_log::LogFilter;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::settled::{SettledOrder, SettledPage};
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, encode_query_value};
use crate::api::timestamp::Timestamp;
use crate::problem::Problem;
use crate::state::Service;

/// Selection of documents, and the page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct DocumentListQuery {
    /// Only documents after this number; for `order=oldest`.
    after: Option<u64>,
    /// Only documents before this number; for `order=newest`.
    before: Option<u64>,
    /// Order of the documents.
    #[param(inline)]
    order: SettledOrder,
    /// Only documents of this domain, or of this host.
    domain: Option<String>,
    /// Only documents with this number of links from the nearest seed.
    depth: Option<u16>,
    /// Only documents whose URI contains this text.
    text: Option<String>,
    /// Maximum number of documents. A page with fewer documents is not necessarily the last page.
    #[param(inline)]
    limit: PageLimit,
}

/// A page of documents with statements, in the order in which they were fetched.
#[derive(Serialize, ToSchema)]
struct DocumentListPage {
    /// The documents.
    documents: Vec<DocumentListEntry>,
    /// The value of `after`, or of `before`, for the next page; null if there are no further documents yet.
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
/// Lists documents with statements, in the order in which they were fetched, or the newest first. The crawl may be
/// running.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/documents", tag = "documents",
    params(CrawlPath, DocumentListQuery),
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
    QueryParams(query): QueryParams<DocumentListQuery>,
) -> Result<Response, Problem> {
    let open_crawl = service.jobs.open_crawl(id).await?;
    let DocumentListQuery { after, before, order, domain, depth, text, limit } = query;
    let url = PageUrl::new(format!("/api/v1/crawls/{id}/documents"))
        .with_param("domain", domain.as_ref())
        .with_param("depth", depth)
        .with_param("text", text.as_ref());
    let filter = LogFilter { domain, depth, text, has_quads: true, ..LogFilter::default() };
    let page = SettledPage { order, after, before, limit, filter };
    let part = page.read(open_crawl).await?;
    let entries = part.entries.into_iter();
    let path = format!("{}/api/v1/crawls/{id}/document", service.public_path());
    let documents = entries.filter_map(|(number, record)| list_entry(&path, number, record)).collect();
    let links = page.links(url, part.last);
    Ok(links.attach_to(axum::Json(DocumentListPage { documents, next: part.last })))
}

fn list_entry(path: &str, number: u64, record: UriRecord) -> Option<DocumentListEntry> {
    let Some(Outcome::Document(document)) = record.outcome else { return None };
    let uri = record.uri.as_str().to_owned();
    let link = format!("{path}?uri={}", encode_query_value(&uri));
    Some(DocumentListEntry {
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
