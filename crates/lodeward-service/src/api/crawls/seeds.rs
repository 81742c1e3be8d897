//! The seeds of a crawl, and where they come from.

use std::collections::HashMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::seed::Note;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{CRAWLS, CrawlPath};
use crate::api::extract::{Path, Query};
use crate::api::page::{Address, Limit, counted_links};
use crate::fleet::Refused;
use crate::problem::Problem;
use crate::service::Service;

/// Which seeds are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// So many are passed over.
    offset: u32,
    /// How many are listed.
    #[param(inline)]
    limit: Limit,
}

/// Some seeds of a crawl.
#[derive(Serialize, ToSchema)]
#[schema(as = Seeds)]
struct Page {
    /// How many there are.
    total: usize,
    /// So many of them are passed over.
    offset: u32,
    /// How many are listed at most.
    #[schema(value_type = u16)]
    limit: Limit,
    /// Those that follow.
    seeds: Vec<Seed>,
}

/// A seed.
#[derive(Serialize, ToSchema)]
pub(crate) struct Seed {
    /// The document that is visited.
    uri: String,
    /// The entities that are meant, and where they come from.
    entities: Vec<Named>,
}

/// An entity that is a seed.
#[derive(Serialize, ToSchema)]
#[schema(as = SeedEntity)]
pub(crate) struct Named {
    /// Its name.
    entity: String,
    /// Where it comes from, in words.
    origin: String,
    /// The text that it was found for.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// The label by which it was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
}

impl Named {
    pub(crate) fn of(note: &Note) -> Self {
        let (text, label) = note.found.clone().map(|found| (found.text, found.label)).unzip();
        Self { entity: note.entity().to_owned(), origin: note.to_string(), text, label }
    }
}

/// Lists the seeds of a crawl.
///
/// With where they come from, if they were not given as addresses.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/seeds", tag = "crawls",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Wanted),
    responses((
        status = 200, description = "Some of them", body = Page,
        headers(("Link" = String, description = "The pages before (`prev`) and behind (`next`) this one")),
    )),
)]
pub(super) async fn list_seeds(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let work = tokio::task::spawn_blocking(move || page(&service, id, &wanted));
    work.await.expect("listing does not panic")
}

fn page(service: &Service, id: u32, wanted: &Wanted) -> Result<Response, Problem> {
    let all = service.fleet.seeds(id)?;
    let notes = service.fleet.registry().seed_notes(id).map_err(Refused::from)?;
    let mut known: HashMap<&str, Vec<Named>> = HashMap::new();
    for note in &notes {
        known.entry(note.uri.as_str()).or_default().push(Named::of(note));
    }
    let total = all.len();
    let shown = all.iter().skip(wanted.offset as usize).take(usize::from(wanted.limit.get()));
    let seeds = shown
        .map(|uri| Seed { uri: uri.as_str().to_owned(), entities: known.remove(uri.as_str()).unwrap_or_default() });
    let seeds = seeds.collect();
    let address = Address::of(format!("{CRAWLS}/{id}/seeds"));
    let links = counted_links(&address, u64::from(wanted.offset), wanted.limit, total as u64);
    Ok(links.around(axum::Json(Page { total, offset: wanted.offset, limit: wanted.limit, seeds })))
}
