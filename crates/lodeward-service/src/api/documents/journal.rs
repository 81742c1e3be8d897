//! What became of URIs, in the order in which that was settled.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::Life;
use lodeward::open::Shelf;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use utoipa::{IntoParams, ToSchema};

use super::outcome::Outcome;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{Path, Query};
use crate::api::page::{Address, Limit, following_link};
use crate::problem::Problem;
use crate::service::Service;

/// How many of the settled are read at a time: the crawl waits for it.
const READ_MAX: usize = 256;

/// How many are looked at for a page of those that are wanted.
const LOOKED_AT_MAX: usize = 10_000;

/// Which URIs are told of.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Those that were settled after the one of this number.
    after: Option<u64>,
    /// How many are told of.
    #[param(inline)]
    limit: Limit,
}

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
    get, path = "/api/v1/crawls/{id}/journal", tag = "documents", operation_id = "readJournal",
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
    let page = page(shelf, wanted.after, wanted.limit, entry).await?;
    let links = following_link(&Address::of(format!("/api/v1/crawls/{id}/journal")), page.next, wanted.limit);
    Ok(links.around(axum::Json(Journal { entries: page.found, next: page.next })))
}

/// Some of the settled, and after which number there are more.
pub(super) struct Page<T> {
    pub(super) found: Vec<T>,
    pub(super) next: Option<u64>,
}

/// Those of the settled after a number that are made something of: as many as a page
/// takes, or fewer if very many had to be looked at.
pub(super) async fn page<T: Send + 'static>(
    shelf: Arc<Shelf>,
    after: Option<u64>,
    limit: Limit,
    make: impl Fn(u64, Life) -> Option<T> + Send + 'static,
) -> Result<Page<T>, Problem> {
    let from = after.map_or(Some(0), |after| after.checked_add(1));
    let Some(mut from) = from else { return Ok(Page { found: Vec::new(), next: None }) };
    let limit = usize::from(limit.get());
    // A frontier on disk reads while it is asked.
    let reading = tokio::task::spawn_blocking(move || {
        let mut page = Page { found: Vec::new(), next: None };
        let mut looked_at = 0;
        while looked_at < LOOKED_AT_MAX {
            let lives = Handle::current().block_on(shelf.frontier.settled(from, READ_MAX))?;
            let is_last = lives.len() < READ_MAX;
            looked_at += lives.len();
            for (number, life) in lives {
                if page.found.len() == limit {
                    return Ok(page);
                }
                page.found.extend(make(number, life));
                page.next = Some(number);
                from = number.saturating_add(1);
            }
            if is_last {
                page.next = None;
                break;
            }
        }
        Ok(page)
    });
    let page = reading.await.expect("reading does not panic");
    page.map_err(|error: lodeward::frontier::FrontierError| Problem::internal(&error))
}
