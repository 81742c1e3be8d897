//! The DURAARK method `crawl`: starts a focused crawl.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use toml::{Table, Value};
use utoipa::ToSchema;

use super::params::{CrawlParams, parse_user_name};
use crate::jobs::{CrawlOrder, JobState};
use crate::problem::Problem;
use crate::role::{Caller, Role};
use crate::state::Service;

/// A created crawl.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkCrawlStarted {
    /// ID of the crawl.
    crawl_id: u32,
    /// State of the crawl.
    state: JobState,
    /// The result as text.
    message: String,
}

impl IntoResponse for DuraarkCrawlStarted {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn start_crawl(
    service: &Arc<Service>,
    caller: &Caller,
    params: CrawlParams,
) -> Result<DuraarkCrawlStarted, Problem> {
    let order = CrawlOrder {
        user: caller.name.clone(),
        on_behalf_of: params.user.as_deref().map(parse_user_name).transpose()?,
        has_quota: caller.role != Role::Admin,
        seeds: params.seeds(),
        settings: focus_settings(params.depth()?),
        ..CrawlOrder::default()
    };
    let (view, remarks) = service.jobs.create(order).await?;
    let mut message = format!("crawl {} created", view.id);
    for remark in remarks {
        message.push_str("; ");
        message.push_str(&remark);
    }
    Ok(DuraarkCrawlStarted { crawl_id: view.id, state: view.state, message })
}

/// The settings of a focused crawl. The depth limits both the links that are followed and the candidates.
fn focus_settings(depth: Option<u8>) -> Table {
    let mut crawl = Table::from_iter([("strategy".to_owned(), Value::from("focus"))]);
    let mut ranking = Table::new();
    if let Some(depth) = depth {
        crawl.insert("max_depth".to_owned(), Value::from(i64::from(depth)));
        ranking.insert("max_hops".to_owned(), Value::from(i64::from(depth)));
    }
    Table::from_iter([("crawl".to_owned(), Value::Table(crawl)), ("ranking".to_owned(), Value::Table(ranking))])
}
