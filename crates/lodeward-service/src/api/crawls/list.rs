//! The list of crawls.

use std::sync::Arc;

use axum::extract::State as Shared;
use axum::response::Response;
use lodeward::model::Uri;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::CRAWLS_PATH;
use super::review_state;
use super::view::CrawlView;
use crate::api::extract::QueryParams;
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::blocking::run_bulk_read;
use crate::jobs::{JobError, JobState, JobView};
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// Selection and order of crawls.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct CrawlListQuery {
    /// Only crawls in one of these states, separated by commas.
    #[param(style = Form, explode = false)]
    #[serde(deserialize_with = "deserialize_states")]
    state: Vec<JobState>,
    /// Only crawls that belong to this user, or were created on behalf of this user.
    user: Option<String>,
    /// Only crawls with this seed.
    #[param(example = "http://dbpedia.org/resource/Cologne")]
    seed: Option<String>,
    /// Only the crawl with this name.
    name: Option<String>,
    /// Only crawls whose name, template, strategy or user contains this text; case is ignored.
    text: Option<String>,
    /// Order of the crawls.
    #[param(inline)]
    order: CrawlSort,
    /// Number of crawls to skip.
    offset: u32,
    /// Maximum number of crawls.
    #[param(inline)]
    limit: PageLimit,
}

/// Order of crawls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum CrawlSort {
    /// The oldest first.
    #[default]
    Oldest,
    /// The newest first.
    Newest,
}

/// A page of crawls.
#[derive(Serialize, ToSchema)]
struct CrawlListPage {
    /// Total number of matching crawls.
    total: usize,
    /// Number of skipped crawls.
    offset: u32,
    /// Maximum number of crawls in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The crawls.
    crawls: Vec<CrawlView>,
}

/// List crawls
#[utoipa::path(
    get, path = "/api/v1/crawls", tag = "crawls",
    params(CrawlListQuery),
    responses((
        status = 200, description = "A page of crawls", body = CrawlListPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn list_crawls(
    Shared(service): Shared<Arc<Service>>,
    QueryParams(query): QueryParams<CrawlListQuery>,
) -> Result<Response, Problem> {
    let seed = query.seed.as_deref().map(Uri::parse).transpose();
    let seed = seed.map_err(|error| Problem::new(ProblemCode::BadRequest, format!("seed: {error}")))?;
    run_bulk_read(move || crawl_page(&service, &query, seed.as_ref())).await
}

/// A page of the crawls that match a query. Blocks, because seeds may have to be read.
fn crawl_page(service: &Service, query: &CrawlListQuery, seed: Option<&Uri>) -> Result<Response, Problem> {
    let mut views: Vec<JobView> = service.jobs.list().into_iter().filter(|view| query.matches(view)).collect();
    if let Some(seed) = seed {
        let mut matching = Vec::new();
        for view in views {
            match service.jobs.has_seed(view.id, seed) {
                Ok(true) => matching.push(view),
                // `Unknown`: the crawl was deleted meanwhile.
                Ok(false) | Err(JobError::Unknown(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        views = matching;
    }
    if query.order == CrawlSort::Newest {
        views.reverse();
    }
    let total = views.len();
    let page = views.into_iter().skip(query.offset as usize).take(usize::from(query.limit.get()));
    let mut crawls = Vec::new();
    for view in page {
        match service.jobs.seed_count(view.id) {
            Ok(seeds) => {
                let review = review_state(service, view.id)?;
                crawls.push(CrawlView::from_view(view, seeds, review, &service.public_path()));
            }
            Err(JobError::Unknown(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let links = offset_links(&query.page_url(), u64::from(query.offset), query.limit, total as u64);
    Ok(links.attach_to(axum::Json(CrawlListPage { total, offset: query.offset, limit: query.limit, crawls })))
}

impl CrawlListQuery {
    fn matches(&self, view: &JobView) -> bool {
        let is_state = self.state.is_empty() || self.state.contains(&view.state);
        let is_of_user = self.user.is_none() || self.user == view.user || self.user == view.on_behalf_of;
        let is_named = self.name.as_ref().is_none_or(|name| *name == view.name);
        is_state && is_of_user && is_named && self.text.as_ref().is_none_or(|text| contains_text(view, text))
    }

    /// The URL of the list with all parameters except `offset` and `limit`.
    fn page_url(&self) -> PageUrl {
        let states: Vec<&str> = self.state.iter().map(|state| state.name()).collect();
        PageUrl::new(CRAWLS_PATH)
            .with_param("state", (!states.is_empty()).then(|| states.join(",")))
            .with_param("user", self.user.as_ref())
            .with_param("seed", self.seed.as_ref())
            .with_param("name", self.name.as_ref())
            .with_param("text", self.text.as_ref())
            .with_param("order", (self.order == CrawlSort::Newest).then_some("newest"))
    }
}

/// Whether the name, the template, the strategy or a user of a crawl contains a text.
fn contains_text(view: &JobView, text: &str) -> bool {
    let text = text.to_lowercase();
    let others = [&view.template, &view.user, &view.on_behalf_of].into_iter().flatten();
    let mut fields = others.chain([&view.name, &view.strategy]);
    fields.any(|field| field.to_lowercase().contains(&text))
}

/// Parses states separated by commas.
fn deserialize_states<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<JobState>, D::Error> {
    use serde::de::value::StrDeserializer;

    let text = String::deserialize(deserializer)?;
    let names = text.split(',').map(str::trim);
    names.map(|name| JobState::deserialize(StrDeserializer::<D::Error>::new(name))).collect()
}
