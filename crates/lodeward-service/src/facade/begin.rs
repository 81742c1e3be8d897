//! `crawl`: a focused crawl begins.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::given::{GivenCrawl, name_of_user};
use crate::fleet::{Order, State};
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::service::Service;

/// A crawl that has begun.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiBegun)]
pub(super) struct Begun {
    /// Its number.
    crawl_id: u32,
    /// How it is doing.
    state: State,
    /// The same, in words.
    message: String,
}

impl IntoResponse for Begun {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn crawl(service: &Arc<Service>, caller: &Caller, given: GivenCrawl) -> Result<Begun, Problem> {
    let order = Order {
        user: caller.name.clone(),
        on_behalf_of: given.user.as_deref().map(name_of_user).transpose()?,
        has_quota: caller.role != Role::Admin,
        seeds: given.seeds(),
        settings: settings(given.depth()?),
        ..Order::default()
    };
    let (view, remarks) = service.fleet.create(order).await?;
    let mut message = format!("the crawl {} has begun", view.id);
    for remark in remarks {
        message.push_str("; ");
        message.push_str(&remark);
    }
    Ok(Begun { crawl_id: view.id, state: view.state, message })
}

/// A focused crawl that follows links and looks for candidates as far as this.
fn settings(depth: Option<u8>) -> Table {
    let mut crawl = Table::from_iter([("strategy".to_owned(), Value::from("focus"))]);
    let mut focus = Table::new();
    if let Some(depth) = depth {
        crawl.insert("max_depth".to_owned(), Value::from(i64::from(depth)));
        focus.insert("depth".to_owned(), Value::from(i64::from(depth)));
    }
    Table::from_iter([("crawl".to_owned(), Value::Table(crawl)), ("focus".to_owned(), Value::Table(focus))])
}
