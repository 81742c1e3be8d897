//! The methods that list crawls.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use lodeward::model::Uri;
use serde::Serialize;
use utoipa::ToSchema;

use super::params::{MAX_LIMIT, PageParams, SeedParams, UserParams};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_bulk_read;
use crate::jobs::{JobState, JobView};
use crate::problem::{Problem, ProblemCode};
use crate::role::Caller;
use crate::state::Service;

/// The maximum number of seeds listed with a crawl.
const MAX_LISTED_SEEDS: usize = 100;

/// A crawl.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkCrawl {
    /// ID of the crawl.
    crawl_id: u32,
    /// Name of the crawl.
    name: String,
    /// User for whom the crawl was created; missing if it was created on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    user: Option<String>,
    /// Owner; missing if the crawl was created on the command line.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    owner: Option<String>,
    /// The first 100 seeds.
    #[schema(max_items = 100)]
    seeds: Vec<String>,
    /// Number of seeds.
    seed_count: u64,
    /// Maximum number of links from a seed; missing if it was not set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    depth: Option<u16>,
    /// Strategy of the crawl.
    strategy: String,
    /// State of the crawl.
    state: JobState,
    /// Why the crawl failed; missing unless it has failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    error: Option<String>,
    /// When the crawl was created.
    created_at: Timestamp,
    /// When the counters were last updated; missing if the crawl never ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    updated_at: Option<Timestamp>,
    /// Number of requests sent.
    requests: u64,
    /// Number of documents fetched.
    documents: u64,
    /// Number of statements stored.
    statements: u64,
    /// Number of URIs waiting in the frontier.
    uris_waiting: u64,
}

/// Crawls, the newest first.
#[derive(Serialize, ToSchema)]
#[schema(max_items = 1_000)]
pub(super) struct DuraarkCrawls(Vec<DuraarkCrawl>);

/// A page of crawls, and the total number.
pub(super) struct DuraarkCrawlPage {
    crawls: DuraarkCrawls,
    total: usize,
}

impl IntoResponse for DuraarkCrawlPage {
    fn into_response(self) -> Response {
        ([("x-total-count", self.total.to_string())], Json(self.crawls)).into_response()
    }
}

pub(super) async fn running(service: &Arc<Service>, _: &Caller, page: PageParams) -> Result<DuraarkCrawlPage, Problem> {
    list_matching(service, &page, |view, _| view.state.is_unfinished()).await
}

pub(super) async fn all(service: &Arc<Service>, _: &Caller, page: PageParams) -> Result<DuraarkCrawlPage, Problem> {
    list_matching(service, &page, |_, _| true).await
}

pub(super) async fn finished(
    service: &Arc<Service>,
    _: &Caller,
    page: PageParams,
) -> Result<DuraarkCrawlPage, Problem> {
    let has_ended =
        |view: &JobView, _: &Service| matches!(view.state, JobState::Finished | JobState::Stopped | JobState::Failed);
    list_matching(service, &page, has_ended).await
}

pub(super) async fn by_user(
    service: &Arc<Service>,
    _: &Caller,
    params: UserParams,
) -> Result<DuraarkCrawlPage, Problem> {
    let page = PageParams { offset: params.offset, limit: params.limit };
    let user = params.user.trim().to_owned();
    let is_of_user = move |view: &JobView, _: &Service| {
        view.user.as_deref() == Some(&*user) || view.on_behalf_of.as_deref() == Some(&*user)
    };
    list_matching(service, &page, is_of_user).await
}

pub(super) async fn by_seed(
    service: &Arc<Service>,
    _: &Caller,
    params: SeedParams,
) -> Result<DuraarkCrawlPage, Problem> {
    let page = PageParams { offset: params.offset, limit: params.limit };
    let seeds = params.seeds()?;
    let has_one = move |view: &JobView, service: &Service| {
        // A crawl that was deleted in the meantime has no seeds.
        seeds.iter().any(|seed| service.jobs.has_seed(view.id, seed).unwrap_or(false))
    };
    list_matching(service, &page, has_one).await
}

/// A page of the crawls that match. Seeds are read from disk, so this runs on a blocking
/// thread.
async fn list_matching(
    service: &Arc<Service>,
    page: &PageParams,
    matches: impl Fn(&JobView, &Service) -> bool + Send + 'static,
) -> Result<DuraarkCrawlPage, Problem> {
    let (offset, limit) = (page.offset.unwrap_or(0) as usize, page.limit.unwrap_or(MAX_LIMIT));
    if !(1..=MAX_LIMIT).contains(&limit) {
        return Err(Problem::new(ProblemCode::Unprocessable, format!("`limit` must be 1 to {MAX_LIMIT}, not {limit}")));
    }
    let service = Arc::clone(service);
    run_bulk_read(move || {
        let matching: Vec<JobView> =
            service.jobs.list().into_iter().rev().filter(|view| matches(view, &service)).collect();
        let total = matching.len();
        let page = matching.into_iter().skip(offset).take(limit as usize);
        Ok(DuraarkCrawlPage {
            crawls: DuraarkCrawls(page.map(|view| to_duraark_crawl(&service, view)).collect()),
            total,
        })
    })
    .await
}

fn to_duraark_crawl(service: &Service, view: JobView) -> DuraarkCrawl {
    // A crawl that was deleted in the meantime has no seeds.
    let seeds = service.jobs.seeds(view.id).unwrap_or_default();
    let snapshot = view.snapshot.unwrap_or_default();
    DuraarkCrawl {
        crawl_id: view.id,
        name: view.name,
        user: view.on_behalf_of.or_else(|| view.user.clone()),
        owner: view.user,
        seed_count: seeds.len() as u64,
        seeds: seeds.iter().take(MAX_LISTED_SEEDS).map(Uri::to_string).collect(),
        depth: depth(&view.settings),
        strategy: view.strategy,
        state: view.state,
        error: view.error,
        created_at: Timestamp::from_ms(view.created_at_ms),
        updated_at: view.updated_at_ms.map(Timestamp::from_ms),
        requests: snapshot.tally.requests(),
        documents: snapshot.tally.documents,
        statements: snapshot.tally.quads,
        uris_waiting: snapshot.census.uris_waiting,
    }
}

fn depth(settings: &toml::Table) -> Option<u16> {
    let depth = settings.get("crawl")?.get("max_depth")?.as_integer()?;
    u16::try_from(depth).ok()
}
