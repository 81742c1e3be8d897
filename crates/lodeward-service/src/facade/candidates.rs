//! `loadCrawl` and `filterCrawlCandidates`: what a crawl has found.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use lodeward::open::{Candidate, CandidatesError, Shown, Wish, candidates_with};
use lodeward::rank::filter::Filter;
use lodeward::rank::marks::By;
use lodeward::rank::{ListingError, Marks, Opinion};
use serde::Serialize;
use utoipa::ToSchema;

use super::given::{GivenCandidates, GivenFilter};
use crate::api::{self, changeable};
use crate::beside::in_turn;
use crate::fleet::View;
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

/// A candidate of a crawl.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiCandidate)]
struct Placed {
    /// Its place, from 1.
    #[schema(minimum = 1)]
    rank: u64,
    /// Its IRI.
    entity: String,
    /// How much it matters to the seeds.
    score: f64,
    /// Links from the nearest seed.
    depth: u64,
    /// What it is called; missing if nobody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    label: Option<String>,
    /// Its classes.
    types: Vec<String>,
}

/// Candidates, the best first.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiCandidates)]
pub(super) struct Ranked(Vec<Placed>);

/// A page of candidates, and how many there are on all pages.
pub(super) struct Page {
    ranked: Ranked,
    total: u64,
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        ([("x-total-count", self.total.to_string())], Json(self.ranked)).into_response()
    }
}

/// That candidates were filtered out.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiFiltered)]
pub(super) struct FilteredOut {
    /// The number of the crawl.
    crawl_id: u32,
    /// Candidates that were filtered out, by this call.
    filtered: u64,
    /// Candidates that are left.
    left: u64,
    /// The same, in words.
    message: String,
}

impl IntoResponse for FilteredOut {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn load(service: &Arc<Service>, _: &Caller, given: GivenCandidates) -> Result<Page, Problem> {
    let view = service.fleet.get(given.crawl_id)?;
    let (offset, limit) = (given.offset.unwrap_or(0), given.limit.unwrap_or(u32::MAX));
    if limit == 0 {
        return Err(Problem::new(Code::Invalid, "`limit` is 1 or more"));
    }
    let directory = service.fleet.directory(view.id)?;
    let found = in_turn(move || {
        let filter = Filter::default();
        let wish = Wish { filter: &filter, shown: Shown::Undropped, offset: offset.into(), limit: limit.into() };
        let found = candidates_with(&directory, &wish, || unreachable!("no filter, no statements"));
        found.map_err(|error| problem(&view, error))
    });
    let found = found.await?;
    Ok(Page { total: found.wanted, ranked: Ranked(found.found.into_iter().map(told).collect()) })
}

pub(super) async fn filter(
    service: &Arc<Service>,
    caller: &Caller,
    given: GivenFilter,
) -> Result<FilteredOut, Problem> {
    let view = changeable(service, caller, given.crawl_id)?;
    let filter = read(&given.crawl_filter)?;
    // Opened only for those who need it: it may take a while.
    let shelf = if filter.needs_statements() { Some(service.fleet.shelf(view.id).await?) } else { None };
    let by = By { who: Some(caller.name.clone()), at_ms: Some((service.now)()) };
    let crawl_id = view.id;
    let (directory, files) = service.fleet.files(view.id).await?;
    let (filtered, left) = in_turn(move || {
        let _files = files;
        let told = |error| problem(&view, error);
        let wish = Wish { filter: &filter, shown: Shown::All, offset: 0, limit: u64::MAX };
        let harvest = || Ok(Arc::clone(&shelf.expect("who needs statements has a shelf").segments));
        let found = candidates_with(&directory, &wish, harvest).map_err(told)?;
        let entities = found.found.iter().map(|candidate| candidate.row.entity.as_str());
        let mut marks = Marks::of_crawl(&directory).map_err(|error| told(error.into()))?;
        let filtered = marks.set(entities, Some(Opinion::Drop), &by).map_err(|error| told(error.into()))?;
        let everybody = Filter::default();
        let wish = Wish { filter: &everybody, shown: Shown::Undropped, offset: 0, limit: 0 };
        let left = candidates_with(&directory, &wish, || unreachable!("no filter, no statements")).map_err(told)?;
        Ok((filtered as u64, left.wanted))
    })
    .await?;
    let message = format!("{filtered} candidates are filtered out, {left} are left");
    Ok(FilteredOut { crawl_id, filtered, left, message })
}

/// A filter that says something: one that says nothing is true of everybody.
fn read(text: &str) -> Result<Filter, Problem> {
    if text.trim().is_empty() {
        return Err(Problem::new(Code::Invalid, "`crawl_filter` says nothing, and would filter out everybody")
            .hint("`rank >= 1` is true of everybody, if that is what you want"));
    }
    api::filter(Some(text))
}

fn told(Candidate { row, .. }: Candidate) -> Placed {
    let (rank, entity, score, label, types) = (row.rank, row.entity, row.score, row.label, row.types);
    Placed { rank, entity, score, depth: row.hop.into(), label, types }
}

fn problem(view: &View, error: CandidatesError) -> Problem {
    match error {
        CandidatesError::Listing(ListingError::Missing) => {
            let detail = format!("the crawl {} is {}, and its candidates are not ranked", view.id, view.state.name());
            Problem::new(Code::Conflict, detail)
                .hint("candidates are ranked when a crawl ends: wait for it, or stop it")
        }
        other => other.into(),
    }
}
