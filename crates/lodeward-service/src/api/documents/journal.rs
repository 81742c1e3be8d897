//! What became of URIs, in the order in which that was settled.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::Life;
use serde::Serialize;
use utoipa::ToSchema;

use super::outcome::Outcome;
use super::settled::Wanted;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{Path, Query};
use crate::problem::Problem;
use crate::service::Service;

/// Some URIs, in the order in which their ends were settled.
#[derive(Serialize, ToSchema)]
struct Journal {
    /// What became of them.
    entries: Vec<Entry>,
    /// The number to go on `after`; none if there is nothing more for now.
    next: Option<u64>,
}

/// What became of a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = JournalEntry)]
struct Entry {
    /// Numbers grow in the order of settling, with gaps.
    number: u64,
    /// The URI.
    uri: String,
    /// The document in which it was found first; none for a seed.
    source: Option<String>,
    /// How it was found there, in words.
    found: String,
    /// Hops from the nearest seed.
    depth: u16,
    /// How it ended.
    outcome: Outcome,
}

/// Tells what became of URIs.
///
/// Of all that were settled, in that order, also while the crawl runs: go on after the
/// last number to follow it. One that is visited again has a new place behind all
/// others.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/journal", tag = "documents",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Wanted),
    responses(
        (
            status = 200, description = "Some of them", body = Journal,
            headers(("Link" = String, description = "The page behind this one (`next`)")),
        ),
        (status = 409, description = "Another process has the crawl"),
    ),
)]
pub(super) async fn read_journal(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let shelf = service.fleet.shelf(id).await?;
    let entry = |number: u64, life: Life| {
        let outcome = Outcome::from(life.outcome.as_ref()?);
        let source = life.source.map(|source| source.as_str().to_owned());
        let uri = life.uri.as_str().to_owned();
        Some(Entry { number, uri, source, found: life.how.to_string(), depth: life.depth, outcome })
    };
    let (entries, next) = wanted.page(shelf, entry).await?;
    let links = wanted.links(format!("/api/v1/crawls/{id}/journal"), next);
    Ok(links.around(axum::Json(Journal { entries, next })))
}
