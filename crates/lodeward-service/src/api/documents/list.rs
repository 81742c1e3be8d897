//! What was harvested.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::Life;
use lodeward::model::Outcome;
use serde::Serialize;
use utoipa::ToSchema;

use super::settled::Wanted;
use crate::api::crawls::CrawlPath;
use crate::api::extract::{Path, Query};
use crate::api::moment::Moment;
use crate::api::page::encoded;
use crate::problem::Problem;
use crate::service::Service;

/// Some documents with statements, in the order in which they were had.
#[derive(Serialize, ToSchema)]
struct Documents {
    /// The documents.
    documents: Vec<Listed>,
    /// The number to go on `after`; none if there is nothing more for now.
    next: Option<u64>,
}

/// A document with statements.
#[derive(Serialize, ToSchema)]
#[schema(as = ListedDocument)]
struct Listed {
    /// Numbers grow in the order in which documents were had, with gaps.
    number: u64,
    /// Its address.
    uri: String,
    /// How many quads it has.
    #[schema(minimum = 1)]
    quads: u64,
    /// The syntax it turned out to be in.
    syntax: String,
    /// Bytes, after decompression.
    bytes: u64,
    /// When it was had.
    fetched_at: Moment,
    /// Hops from the nearest seed.
    depth: u16,
    /// Where more is told of it.
    link: String,
}

/// Lists harvested documents.
///
/// Those with statements, in the order in which they were had, also while the crawl
/// runs.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/documents", tag = "documents",
    security(("token" = ["reader"]), ("password" = ["reader"]), ("session" = ["reader"])),
    params(CrawlPath, Wanted),
    responses(
        (
            status = 200, description = "Some of them", body = Documents,
            headers(("Link" = String, description = "The page behind this one (`next`)")),
        ),
        (status = 409, description = "Another process has the crawl"),
    ),
)]
pub(super) async fn list_documents(
    State(service): State<Arc<Service>>,
    Path(CrawlPath { id }): Path<CrawlPath>,
    Query(wanted): Query<Wanted>,
) -> Result<Response, Problem> {
    let shelf = service.fleet.shelf(id).await?;
    let (documents, next) = wanted.page(shelf, move |number, life| listed(id, number, life)).await?;
    let links = wanted.links(format!("/api/v1/crawls/{id}/documents"), next);
    Ok(links.around(axum::Json(Documents { documents, next })))
}

fn listed(crawl: u32, number: u64, life: Life) -> Option<Listed> {
    let Some(Outcome::Document(document)) = life.outcome else { return None };
    let uri = life.uri.as_str().to_owned();
    let link = format!("/api/v1/crawls/{crawl}/document?uri={}", encoded(&uri));
    (document.quads > 0).then(|| Listed {
        number,
        uri,
        quads: document.quads,
        syntax: document.syntax,
        bytes: document.bytes,
        fetched_at: Moment::of_ms(document.fetched_at_ms),
        depth: life.depth,
        link,
    })
}
