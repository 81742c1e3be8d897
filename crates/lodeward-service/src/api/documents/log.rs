//! The log of a crawl: the outcomes of its URIs, in the order in which they were settled.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::UriRecord;
use lodeward::model::{DropReason, FaultKind};
use lodeward_app::crawl_log::{LogFilter, OutcomeKind};
use lodeward_app::domains::{DomainCounts, totals};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::outcome::OutcomeView;
use super::settled::{SettledOrder, SettledPage};
use crate::api::crawls::CrawlPath;
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl};
use crate::problem::Problem;
use crate::state::Service;

/// Selection of entries, and the page.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct LogQuery {
    /// Only entries after this number; for `order=oldest`.
    after: Option<u64>,
    /// Only entries before this number; for `order=newest`.
    before: Option<u64>,
    /// Order of the entries.
    #[param(inline)]
    order: SettledOrder,
    /// Only outcomes of this kind: `document`, `redirected`, `failed`, `dropped` or `deleted`.
    #[param(value_type = Option<String>, example = "failed")]
    kind: Option<OutcomeKind>,
    /// Only URIs of this domain, or of this host.
    domain: Option<String>,
    /// Only URIs whose last response had this status code.
    status: Option<u16>,
    /// Only URIs with a fault of this kind: `dns`, `timeout`, `status`, …
    #[param(value_type = Option<String>, example = "timeout")]
    fault: Option<FaultKind>,
    /// Only URIs that were not requested for this reason: `robots`, `depth`, `pattern`, …
    #[param(value_type = Option<String>, example = "robots")]
    reason: Option<DropReason>,
    /// Only URIs with this number of links from the nearest seed.
    depth: Option<u16>,
    /// Only URIs that contain this text.
    text: Option<String>,
    /// Whether the response has `totals`. They are read from the records of all URIs, at most every few seconds.
    totals: bool,
    /// Maximum number of entries. A page with fewer entries is not necessarily the last page.
    #[param(inline)]
    limit: PageLimit,
}

impl LogQuery {
    /// The URL of the list with all parameters except the position and `limit`.
    fn page_url(&self, id: u32) -> PageUrl {
        PageUrl::new(format!("/api/v1/crawls/{id}/log"))
            .with_param("kind", self.kind.map(OutcomeKind::name))
            .with_param("domain", self.domain.as_ref())
            .with_param("status", self.status)
            .with_param("fault", self.fault.map(FaultKind::name))
            .with_param("reason", self.reason.map(DropReason::name))
            .with_param("depth", self.depth)
            .with_param("text", self.text.as_ref())
            .with_param("totals", self.totals.then_some(true))
    }
}

/// Number of URIs by outcome, of the whole crawl, or of one domain if the request has `domain`.
#[derive(Serialize, ToSchema)]
struct LogTotals {
    /// Documents.
    document: u64,
    /// Redirects.
    redirected: u64,
    /// Failed requests.
    failed: u64,
    /// URIs that were not requested.
    dropped: u64,
    /// Documents that were deleted on their server.
    deleted: u64,
}

impl From<&DomainCounts> for LogTotals {
    fn from(counts: &DomainCounts) -> Self {
        let DomainCounts { documents: document, redirected, failed, deleted, .. } = *counts;
        Self { document, redirected, failed, dropped: counts.dropped(), deleted }
    }
}

/// A page of outcomes, in the order in which URIs were settled.
#[derive(Serialize, ToSchema)]
struct LogPage {
    /// Entries of the log.
    entries: Vec<LogEntryView>,
    /// The value of `after`, or of `before`, for the next page; null if there are no further entries yet.
    next: Option<u64>,
    /// Number of URIs by outcome; null unless requested.
    totals: Option<LogTotals>,
}

/// The outcome of a URI.
#[derive(Serialize, ToSchema)]
#[schema(as = LogEntry)]
struct LogEntryView {
    /// Number of the entry. Numbers increase in the order in which URIs are settled; some numbers
    /// are skipped.
    number: u64,
    /// The URI.
    uri: String,
    /// Document in which the URI was found first; null for a seed.
    source: Option<String>,
    /// How the URI was found in that document, as text.
    found_by: String,
    /// Number of links from the nearest seed.
    depth: u16,
    /// Outcome of the URI.
    outcome: OutcomeView,
}

/// Read the log of a crawl
///
/// The outcomes of all settled URIs, in the order in which they were settled, or the newest first. While the crawl runs,
/// poll for entries after the last number. A URI that is fetched again gets a new entry at the end.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/log", tag = "documents",
    params(CrawlPath, LogQuery),
    responses(
        (
            status = 200, description = "A page of outcomes", body = LogPage,
            headers(("Link" = String, description = "The next page (`next`)")),
        ),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn read_log(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<LogQuery>,
) -> Result<Response, Problem> {
    let (open_crawl, url) = (service.jobs.open_crawl(id).await?, query.page_url(id));
    let LogQuery { after, before, order, kind, domain, status, fault, reason, depth, text, totals, limit } = query;
    let totals = if totals { Some(log_totals(&service, id, domain.as_deref()).await?) } else { None };
    let filter = LogFilter { kind, domain, status, fault, reason, depth, text, has_quads: false };
    let page = SettledPage { order, after, before, limit, filter };
    let part = page.read(open_crawl).await?;
    let entries = part.entries.into_iter().filter_map(|(number, record)| log_entry(number, record)).collect();
    let links = page.links(url, part.last);
    Ok(links.attach_to(axum::Json(LogPage { entries, next: part.last, totals })))
}

fn log_entry(number: u64, record: UriRecord) -> Option<LogEntryView> {
    let outcome = OutcomeView::from(record.outcome.as_ref()?);
    let source = record.source.map(|source| source.as_str().to_owned());
    let uri = record.uri.as_str().to_owned();
    Some(LogEntryView { number, uri, source, found_by: record.found_by.to_string(), depth: record.depth, outcome })
}

async fn log_totals(service: &Service, id: u32, domain: Option<&str>) -> Result<LogTotals, Problem> {
    let table = service.jobs.domains(id).await?;
    let Some(name) = domain else { return Ok((&totals(&table.domains)).into()) };
    let found = table.domains.iter().find(|known| known.domain.eq_ignore_ascii_case(name));
    Ok(found.map_or_else(|| LogTotals::from(&DomainCounts::default()), |found| (&found.counts).into()))
}
