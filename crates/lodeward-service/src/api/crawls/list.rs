//! Many crawls.

use std::sync::Arc;

use axum::extract::State as Shared;
use axum::response::Response;
use lodeward::model::Uri;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::CRAWLS;
use super::view::Crawl;
use crate::api::extract::Query;
use crate::api::page::{Address, Limit, counted_links};
use crate::beside::in_turn;
use crate::fleet::{Refused, State, View};
use crate::problem::{Code, Problem};
use crate::service::Service;

/// Which crawls are listed.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct Wanted {
    /// Only those in one of these states, separated by commas.
    #[param(style = Form, explode = false)]
    #[serde(deserialize_with = "listed")]
    state: Vec<State>,
    /// Only those that belong to this user, or were begun on their behalf.
    user: Option<String>,
    /// Only those that have this URI as a seed.
    #[param(example = "http://dbpedia.org/resource/Cologne")]
    seed: Option<String>,
    /// Only the one of this name.
    name: Option<String>,
    /// Which come first.
    #[param(inline)]
    order: Order,
    /// So many are passed over.
    offset: u32,
    /// How many are listed.
    #[param(inline)]
    limit: Limit,
}

/// Which crawls come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Order {
    /// Those that were begun first.
    #[default]
    Oldest,
    /// Those that were begun last.
    Newest,
}

/// Some crawls of a list.
#[derive(Serialize, ToSchema)]
#[schema(as = Crawls)]
struct Page {
    /// How many there are that were asked for.
    total: usize,
    /// So many of them are passed over.
    offset: u32,
    /// How many are listed at most.
    #[schema(value_type = u16)]
    limit: Limit,
    /// Those that follow.
    crawls: Vec<Crawl>,
}

/// Lists crawls.
#[utoipa::path(
    get, path = "/api/v1/crawls", tag = "crawls",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(Wanted),
    responses((
        status = 200, description = "Some of them", body = Page,
        headers(("Link" = String, description = "The pages before (`prev`) and behind (`next`) this one")),
    )),
)]
pub(super) async fn list_crawls(
    Shared(service): Shared<Arc<Service>>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let seed = wanted.seed.as_deref().map(Uri::parse).transpose();
    let seed = seed.map_err(|error| Problem::new(Code::BadRequest, format!("seed: {error}")))?;
    in_turn(move || page(&service, &wanted, seed.as_ref())).await
}

/// Blocks: seeds may have to be read.
fn page(service: &Service, wanted: &Wanted, seed: Option<&Uri>) -> Result<Response, Problem> {
    let mut views: Vec<View> = service.fleet.list().into_iter().filter(|view| wanted.wants(view)).collect();
    if let Some(seed) = seed {
        let mut having = Vec::new();
        for view in views {
            match service.fleet.has_seed(view.id, seed) {
                Ok(true) => having.push(view),
                // It has just gone.
                Ok(false) | Err(Refused::Unknown(_)) => {}
                Err(error) => return Err(error.into()),
            }
        }
        views = having;
    }
    if wanted.order == Order::Newest {
        views.reverse();
    }
    let total = views.len();
    let shown = views.into_iter().skip(wanted.offset as usize).take(usize::from(wanted.limit.get()));
    let mut crawls = Vec::new();
    for view in shown {
        match service.fleet.seeds_count(view.id) {
            Ok(seeds) => crawls.push(Crawl::of(view, seeds)),
            Err(Refused::Unknown(_)) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let links = counted_links(&wanted.address(), u64::from(wanted.offset), wanted.limit, total as u64);
    Ok(links.around(axum::Json(Page { total, offset: wanted.offset, limit: wanted.limit, crawls })))
}

impl Wanted {
    fn wants(&self, view: &View) -> bool {
        let is_state = self.state.is_empty() || self.state.contains(&view.state);
        let is_users = self.user.is_none() || self.user == view.user || self.user == view.on_behalf_of;
        is_state && is_users && self.name.as_ref().is_none_or(|name| *name == view.name)
    }

    /// The address of the list, but for the page.
    fn address(&self) -> Address {
        let states: Vec<&str> = self.state.iter().map(|state| state.name()).collect();
        Address::of(CRAWLS)
            .with("state", (!states.is_empty()).then(|| states.join(",")))
            .with("user", self.user.as_ref())
            .with("seed", self.seed.as_ref())
            .with("name", self.name.as_ref())
            .with("order", (self.order == Order::Newest).then_some("newest"))
    }
}

/// States, separated by commas.
fn listed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<State>, D::Error> {
    use serde::de::value::StrDeserializer;

    let text = String::deserialize(deserializer)?;
    let names = text.split(',').map(str::trim);
    names.map(|name| State::deserialize(StrDeserializer::<D::Error>::new(name))).collect()
}
