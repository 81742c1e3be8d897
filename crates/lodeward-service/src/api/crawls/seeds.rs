//! The seeds of a crawl, with their origin.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward_app::seed_note::SeedNote;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{CRAWLS_PATH, CrawlPath};
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::jobs::JobError;
use crate::problem::Problem;
use crate::state::Service;

/// Query parameters for a page of seeds.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct SeedListQuery {
    /// Number of seeds to skip.
    offset: u32,
    /// Maximum number of seeds.
    #[param(inline)]
    limit: PageLimit,
}

/// A page of seeds.
#[derive(Serialize, ToSchema)]
struct SeedListPage {
    /// Total number of seeds.
    total: usize,
    /// Number of skipped seeds.
    offset: u32,
    /// Maximum number of seeds in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The seeds.
    seeds: Vec<SeedView>,
}

/// A seed.
#[derive(Serialize, ToSchema)]
#[schema(as = Seed)]
pub(crate) struct SeedView {
    /// URI of the document that is fetched.
    uri: String,
    /// The entities that the document describes, with their origin.
    entities: Vec<SeedEntityView>,
}

/// An entity that is a seed.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedEntity)]
pub(crate) struct SeedEntityView {
    /// IRI of the entity.
    entity: String,
    /// How the seed was found, as text.
    origin: String,
    /// The label in the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    requested_label: Option<String>,
    /// The label of the entity that matched the requested label.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl SeedEntityView {
    pub(crate) fn from_note(note: &SeedNote) -> Self {
        let (requested_label, label) = note.found.clone().map(|found| (found.text, found.label)).unzip();
        Self { entity: note.entity().to_owned(), origin: note.to_string(), requested_label, label }
    }
}

/// List the seeds of a crawl
///
/// The origin is included for seeds that were not given as URIs.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/seeds", tag = "crawls",
    params(CrawlPath, SeedListQuery),
    responses((
        status = 200, description = "A page of seeds", body = SeedListPage,
        headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
    )),
)]
pub(super) async fn list_seeds(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<SeedListQuery>,
) -> Result<Response, Problem> {
    let work = tokio::task::spawn_blocking(move || seed_page(&service, id, &query));
    work.await.expect("listing seeds does not panic")
}

fn seed_page(service: &Service, id: u32, query: &SeedListQuery) -> Result<Response, Problem> {
    let all = service.jobs.seeds(id)?;
    let notes = service.jobs.data_dir().crawl(id).seed_notes().map_err(JobError::from)?;
    let mut entities: HashMap<&str, Vec<SeedEntityView>> = HashMap::new();
    for note in &notes {
        entities.entry(note.uri.as_str()).or_default().push(SeedEntityView::from_note(note));
    }
    let total = all.len();
    let page = all.iter().skip(query.offset as usize).take(usize::from(query.limit.get()));
    let seeds = page.map(|uri| SeedView {
        uri: uri.as_str().to_owned(),
        entities: entities.remove(uri.as_str()).unwrap_or_default(),
    });
    let seeds = seeds.collect();
    let url = PageUrl::new(format!("{CRAWLS_PATH}/{id}/seeds"));
    let links = offset_links(&url, u64::from(query.offset), query.limit, total as u64);
    Ok(links.attach_to(axum::Json(SeedListPage { total, offset: query.offset, limit: query.limit, seeds })))
}
