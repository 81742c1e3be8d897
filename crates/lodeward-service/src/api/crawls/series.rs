//! Counters of a crawl over time.

use std::sync::Arc;

use axum::extract::State;
use lodeward::time::parse_iso8601;
use lodeward_app::series::{SeriesPoint, read_series};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// The maximum number of points in a response.
const MAX_POINTS: usize = 2_000;

/// Query parameters of a series.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct SeriesQuery {
    /// Only points since this time (RFC 3339); default: all.
    #[param(example = "2026-11-16T15:57:00Z")]
    since: Option<String>,
    /// Minimum number of seconds between two points; default 1. The response may have a larger step.
    #[param(minimum = 1, maximum = 86_400)]
    step: Option<u32>,
}

/// Counters of a crawl over time.
#[derive(Serialize, ToSchema)]
pub(super) struct CrawlSeries {
    /// Minimum number of seconds between two points.
    step_seconds: f64,
    /// At most 2,001 points, the oldest first: one per second for the last 15 minutes of a run, one per minute before.
    points: Vec<SeriesPointView>,
}

/// Counters of a crawl at one time, over all runs.
#[derive(Serialize, ToSchema)]
#[schema(as = SeriesPoint)]
struct SeriesPointView {
    /// Time of the counters.
    at: Timestamp,
    /// Number of requests of all kinds.
    requests: u64,
    /// Number of documents fetched.
    documents: u64,
    /// Number of documents with RDF.
    rdf_documents: u64,
    /// Number of quads stored.
    quads: u64,
    /// Total size of documents after decompression, in bytes.
    bytes: u64,
    /// Number of URIs whose requests failed permanently.
    uris_failed: u64,
    /// Number of URIs that wait in the queue.
    uris_waiting: u64,
}

impl From<SeriesPoint> for SeriesPointView {
    fn from(point: SeriesPoint) -> Self {
        let SeriesPoint { at_ms, requests, documents, rdf_documents, quads, bytes, uris_failed, uris_waiting } = point;
        let at = Timestamp::from_ms(at_ms);
        Self { at, requests, documents, rdf_documents, quads, bytes, uris_failed, uris_waiting }
    }
}

/// Get counters over time
///
/// For charts: the counters of all runs, stored with the crawl.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/series", tag = "crawls",
    params(CrawlPath, SeriesQuery), responses((status = 200, description = "The counters", body = CrawlSeries)),
)]
pub(super) async fn get_series(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(SeriesQuery { since, step }): QueryParams<SeriesQuery>,
) -> Result<axum::Json<CrawlSeries>, Problem> {
    let invalid = |name: &str, what: &str| {
        Problem::new(ProblemCode::BadRequest, format!("`{name}` must be {what}")).at(format!("?{name}"))
    };
    let parse = |text: &str| parse_iso8601(text).ok_or_else(|| invalid("since", "a time (RFC 3339)"));
    let since_ms = since.as_deref().map_or(Ok(0), parse)?;
    let step = step.unwrap_or(1);
    if !(1..=86_400).contains(&step) {
        return Err(invalid("step", "1 to 86400 seconds"));
    }
    let (directory, recent) = service.jobs.recent_series(id)?;
    run_blocking(move || {
        let (points, step_ms) = read_series(&directory, &recent, since_ms, u64::from(step) * 1_000, MAX_POINTS)?;
        #[expect(clippy::cast_precision_loss, reason = "steps are far below 2^53 ms")]
        let step_seconds = step_ms as f64 / 1_000.0;
        Ok(axum::Json(CrawlSeries { step_seconds, points: points.into_iter().map(SeriesPointView::from).collect() }))
    })
    .await
}
