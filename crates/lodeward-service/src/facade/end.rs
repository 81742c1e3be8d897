//! `exportToSDA` and `deleteCrawl`: where a crawl ends up.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::given::Wanted;
use crate::api::changeable;
use crate::fleet::{Choice, Exported as Export};
use crate::problem::Problem;
use crate::role::Caller;
use crate::service::Service;

/// That a crawl is gone.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiDeleted)]
pub(super) struct Deleted {
    /// Its number, which no other crawl will have.
    crawl_id: u32,
    /// The same, in words.
    message: String,
}

impl IntoResponse for Deleted {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// That a crawl is in the archive.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlApiExported)]
pub(super) struct Exported {
    /// Its number.
    crawl_id: u32,
    /// The named graph that has what it has found.
    graph: String,
    /// How many statements that are.
    statements: u64,
    /// The same, in words.
    message: String,
}

impl IntoResponse for Exported {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn delete(service: &Arc<Service>, caller: &Caller, given: Wanted) -> Result<Deleted, Problem> {
    let view = changeable(service, caller, given.crawl_id)?;
    service.fleet.delete(view.id).await?;
    let message = format!("the crawl {} is deleted, with all that it had found", view.id);
    Ok(Deleted { crawl_id: view.id, message })
}

pub(super) async fn export(service: &Arc<Service>, caller: &Caller, given: Wanted) -> Result<Exported, Problem> {
    let view = changeable(service, caller, given.crawl_id)?;
    let Export { graph, statements, .. } = service.fleet.export(view.id, Choice::default()).await?;
    let message = format!("the crawl {} is in the archive, as the graph {graph}", view.id);
    Ok(Exported { crawl_id: view.id, graph, statements, message })
}
