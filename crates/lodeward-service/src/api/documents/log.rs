//! The log of a crawl: the outcomes of its URIs, in the order in which they were settled.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::UriRecord;
use serde::Serialize;
use utoipa::ToSchema;

use super::outcome::OutcomeView;
use super::settled::SettledQuery;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::problem::Problem;
use crate::state::Service;

/// A page of outcomes, in the order in which URIs were settled.
#[derive(Serialize, ToSchema)]
struct LogPage {
    /// Entries of the log.
    entries: Vec<LogEntryView>,
    /// The value of `after` for the next page; null if there are no further entries yet.
    next: Option<u64>,
}

/// The outcome of a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = LogEntry)]
struct LogEntryView {
    /// Number of the entry. Numbers increase in the order in which URIs are settled; some numbers
    /// are skipped.
    number: u64,
    /// The URI.
    uri: String,
    /// Document in which the URI was found first; null for a seed.
    source: Option<String>,
    /// How the URI was found in that document, as text.
    found_by: String,
    /// Number of links from the nearest seed.
    depth: u16,
    /// Outcome of the URI.
    outcome: OutcomeView,
}

/// Read the log of a crawl
///
/// The outcomes of all settled URIs, in the order in which they were settled. While the crawl runs,
/// poll for entries after the last number. A URI that is fetched again gets a new entry at the end.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/log", tag = "documents",
    params(CrawlPath, SettledQuery),
    responses(
        (
            status = 200, description = "A page of outcomes", body = LogPage,
            headers(("Link" = String, description = "The next page (`next`)")),
        ),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn read_log(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<SettledQuery>,
) -> Result<Response, Problem> {
    let open_crawl = service.jobs.open_crawl(id).await?;
    let entry = |number: u64, record: UriRecord| {
        let outcome = OutcomeView::from(record.outcome.as_ref()?);
        let source = record.source.map(|source| source.as_str().to_owned());
        let uri = record.uri.as_str().to_owned();
        Some(LogEntryView { number, uri, source, found_by: record.found_by.to_string(), depth: record.depth, outcome })
    };
    let (entries, next) = query.page(open_crawl, entry).await?;
    let links = query.links(format!("/api/v1/crawls/{id}/log"), next);
    Ok(links.attach_to(axum::Json(LogPage { entries, next })))
}
