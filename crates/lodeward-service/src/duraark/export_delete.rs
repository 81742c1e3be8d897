//! The DURAARK methods `exportToSDA` and `deleteCrawl`.

use std::sync::Arc;

use axum::Json;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use super::params::OneCrawlParams;
use crate::api::require_owned_crawl;
use crate::jobs::{ExportChoice, GraphExport as Export};
use crate::problem::Problem;
use crate::role::Caller;
use crate::state::Service;

/// A deleted crawl.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkDeleted {
    /// ID of the crawl, which is not used again.
    crawl_id: u32,
    /// The result as text.
    message: String,
}

impl IntoResponse for DuraarkDeleted {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

/// An exported crawl.
#[derive(Serialize, ToSchema)]
pub(super) struct DuraarkExported {
    /// ID of the crawl.
    crawl_id: u32,
    /// Named graph of the export.
    graph: String,
    /// Number of statements.
    statements: u64,
    /// The result as text.
    message: String,
}

impl IntoResponse for DuraarkExported {
    fn into_response(self) -> Response {
        Json(self).into_response()
    }
}

pub(super) async fn delete(
    service: &Arc<Service>,
    caller: &Caller,
    params: OneCrawlParams,
) -> Result<DuraarkDeleted, Problem> {
    let view = require_owned_crawl(service, caller, params.crawl_id)?;
    service.jobs.delete(view.id).await?;
    let message = format!("crawl {} deleted, with all its data", view.id);
    Ok(DuraarkDeleted { crawl_id: view.id, message })
}

pub(super) async fn export(
    service: &Arc<Service>,
    caller: &Caller,
    params: OneCrawlParams,
) -> Result<DuraarkExported, Problem> {
    let view = require_owned_crawl(service, caller, params.crawl_id)?;
    let Export { graph, statements, .. } = service.jobs.export(view.id, ExportChoice::default()).await?;
    let message = format!("crawl {} exported to the graph {graph}", view.id);
    Ok(DuraarkExported { crawl_id: view.id, graph, statements, message })
}
