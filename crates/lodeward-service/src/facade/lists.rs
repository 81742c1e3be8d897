//! Lists of crawls, with what is known of each.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use lodeward::model::Uri;
use serde::Serialize;
use utoipa::ToSchema;

use super::given::{GivenPage, GivenSeeds, GivenUser, LIMIT_MAX};
use crate::api::moment::Moment;
use crate::beside::in_turn;
use crate::fleet::{State, View};
use crate::problem::{Code, Problem};
use crate::role::Caller;
use crate::service::Service;

/// Seeds of a crawl that are listed with it.
const SEEDS_MAX: usize = 100;

/// A crawl, and what is known of it.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiCrawl)]
pub(super) struct Metadata {
    /// Its number.
    crawl_id: u32,
    /// Its name.
    name: String,
    /// For whom it was begun; missing if it was begun on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<String>,
    /// To whom it belongs; missing if it was begun on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    owner: Option<String>,
    /// Its first 100 seeds.
    #[schema(max_items = 100)]
    seeds: Vec<String>,
    /// How many seeds it has.
    seed_count: u64,
    /// How many links from a seed it goes at most; missing if nobody said so.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    depth: Option<u16>,
    /// Its strategy.
    strategy: String,
    /// How it is doing.
    state: State,
    /// Why it could not go on; missing unless it has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    failure: Option<String>,
    /// When it was begun.
    created: Moment,
    /// As of when the counts are; missing if it never ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    updated: Option<Moment>,
    /// Requests that it has made.
    requests: u64,
    /// Documents that it was given.
    documents: u64,
    /// Statements that it has gathered.
    statements: u64,
    /// URIs that wait to be visited.
    waiting: u64,
}

/// Crawls, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiCrawls, max_items = 1_000)]
pub(super) struct Crawls(Vec<Metadata>);

/// A page of crawls, and how many there are on all pages.
pub(super) struct Page {
    crawls: Crawls,
    total: usize,
}

impl IntoResponse for Page {
    fn into_response(self) -> Response {
        ([("x-total-count", self.total.to_string())], Json(self.crawls)).into_response()
    }
}

pub(super) async fn running(service: &Arc<Service>, _: &Caller, page: GivenPage) -> Result<Page, Problem> {
    listed(service, &page, |view, _| view.state.is_open()).await
}

pub(super) async fn all(service: &Arc<Service>, _: &Caller, page: GivenPage) -> Result<Page, Problem> {
    listed(service, &page, |_, _| true).await
}

pub(super) async fn finished(service: &Arc<Service>, _: &Caller, page: GivenPage) -> Result<Page, Problem> {
    listed(service, &page, |view, _| matches!(view.state, State::Finished | State::Stopped | State::Failed)).await
}

pub(super) async fn by_user(service: &Arc<Service>, _: &Caller, given: GivenUser) -> Result<Page, Problem> {
    let page = GivenPage { offset: given.offset, limit: given.limit };
    let user = given.user.trim().to_owned();
    let is_theirs = move |view: &View, _: &Service| {
        view.user.as_deref() == Some(&*user) || view.on_behalf_of.as_deref() == Some(&*user)
    };
    listed(service, &page, is_theirs).await
}

pub(super) async fn by_seed(service: &Arc<Service>, _: &Caller, given: GivenSeeds) -> Result<Page, Problem> {
    let page = GivenPage { offset: given.offset, limit: given.limit };
    let wanted = given.seeds()?;
    let has_one = move |view: &View, service: &Service| {
        // One that has just gone has none.
        wanted.iter().any(|seed| service.fleet.has_seed(view.id, seed).unwrap_or(false))
    };
    listed(service, &page, has_one).await
}

/// A page of those crawls of which this is true. Their seeds are on disk, so it is
/// done where that may take its time.
async fn listed(
    service: &Arc<Service>,
    page: &GivenPage,
    is_wanted: impl Fn(&View, &Service) -> bool + Send + 'static,
) -> Result<Page, Problem> {
    let (offset, limit) = (page.offset.unwrap_or(0) as usize, page.limit.unwrap_or(LIMIT_MAX));
    if !(1..=LIMIT_MAX).contains(&limit) {
        return Err(Problem::new(Code::Invalid, format!("`limit` is 1 to {LIMIT_MAX}, not {limit}")));
    }
    let service = Arc::clone(service);
    in_turn(move || {
        let wanted: Vec<View> =
            service.fleet.list().into_iter().rev().filter(|view| is_wanted(view, &service)).collect();
        let total = wanted.len();
        let shown = wanted.into_iter().skip(offset).take(limit as usize);
        Ok(Page { crawls: Crawls(shown.map(|view| told(&service, view)).collect()), total })
    })
    .await
}

fn told(service: &Service, view: View) -> Metadata {
    // One that has just gone has none.
    let seeds = service.fleet.seeds(view.id).unwrap_or_default();
    let snapshot = view.snapshot.unwrap_or_default();
    Metadata {
        crawl_id: view.id,
        name: view.name,
        user: view.on_behalf_of.or_else(|| view.user.clone()),
        owner: view.user,
        seed_count: seeds.len() as u64,
        seeds: seeds.iter().take(SEEDS_MAX).map(Uri::to_string).collect(),
        depth: depth(&view.settings),
        strategy: view.strategy,
        state: view.state,
        failure: view.failure,
        created: Moment::of_ms(view.created_at_ms),
        updated: view.updated_at_ms.map(Moment::of_ms),
        requests: snapshot.tally.requests(),
        documents: snapshot.tally.documents,
        statements: snapshot.tally.quads,
        waiting: snapshot.census.waiting,
    }
}

fn depth(settings: &toml::Table) -> Option<u16> {
    let depth = settings.get("crawl")?.get("max_depth")?.as_integer()?;
    u16::try_from(depth).ok()
}
