//! The domains of a crawl: queues, outcomes, delays.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use lodeward::frontier::{QueueEntry, RobotsCopy};
use lodeward_app::domains::{CrawlBottleneck, DomainCounts, DomainDetails, DomainState, read_details, totals};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::{CRAWLS_PATH, CrawlPath};
use crate::api::extract::{PathParams, QueryParams};
use crate::api::pagination::{PageLimit, PageUrl, offset_links};
use crate::api::timestamp::Timestamp;
use crate::blocking::run_blocking;
use crate::problem::{Problem, ProblemCode};
use crate::state::Service;

/// Selection and order of domains.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields, default)]
#[into_params(parameter_in = Query)]
pub(super) struct DomainListQuery {
    /// Only domains whose name contains this text.
    filter: Option<String>,
    /// Order of the domains; the largest values first, names in alphabetical order.
    #[param(inline)]
    order: DomainSort,
    /// Number of domains to skip.
    offset: u32,
    /// Maximum number of domains.
    #[param(inline)]
    limit: PageLimit,
}

/// Order of domains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum DomainSort {
    /// By the number of waiting URIs.
    #[default]
    Queued,
    /// By the number of documents.
    Documents,
    /// By the number of documents with RDF.
    Rdf,
    /// By the number of faults.
    Faults,
    /// By the number of dropped URIs.
    Dropped,
    /// By the delay between two requests.
    Delay,
    /// By name.
    Name,
}

impl DomainSort {
    fn name(self) -> Option<&'static str> {
        match self {
            Self::Queued => None,
            Self::Documents => Some("documents"),
            Self::Rdf => Some("rdf"),
            Self::Faults => Some("faults"),
            Self::Dropped => Some("dropped"),
            Self::Delay => Some("delay"),
            Self::Name => Some("name"),
        }
    }

    /// Sorts domains, which are sorted by name.
    fn sort(self, domains: &mut [&DomainState]) {
        match self {
            Self::Queued => domains.sort_by_key(|domain| Reverse(domain.queued)),
            Self::Documents => domains.sort_by_key(|domain| Reverse(domain.counts.documents)),
            Self::Rdf => domains.sort_by_key(|domain| Reverse(domain.counts.rdf_documents)),
            Self::Faults => domains.sort_by_key(|domain| Reverse(domain.counts.faults())),
            Self::Dropped => domains.sort_by_key(|domain| Reverse(domain.counts.dropped())),
            Self::Delay => domains.sort_by(|one, other| other.delay_seconds.total_cmp(&one.delay_seconds)),
            Self::Name => {}
        }
    }
}

/// A page of the domains of a crawl.
#[derive(Serialize, ToSchema)]
struct DomainListPage {
    /// Total number of matching domains.
    total: usize,
    /// Number of skipped domains.
    offset: u32,
    /// Maximum number of domains in this page.
    #[schema(value_type = u16)]
    limit: PageLimit,
    /// The domains.
    domains: Vec<DomainView>,
    /// Number of URIs that wait, over all domains.
    queued: u64,
    /// Sums over all domains.
    sums: DomainCountsView,
    /// What delays the crawl most; null if no URI waits.
    bottleneck: Option<BottleneckView>,
    /// Time of these counts. They are at most a few seconds old.
    as_of: Timestamp,
}

/// What delays a crawl most.
#[derive(Serialize, ToSchema)]
#[schema(as = Bottleneck)]
struct BottleneckView {
    /// The bottleneck as a sentence.
    text: String,
    /// The domain that takes longest.
    domain: String,
    /// Number of URIs that wait in its queue.
    queued: u64,
    /// How long its queue takes at this delay, in seconds.
    estimate_seconds: f64,
    /// Number of domains of the crawl.
    domains: u64,
    /// Number of domains that are rate-limited.
    limited_domains: u64,
}

impl From<&CrawlBottleneck> for BottleneckView {
    fn from(bottleneck: &CrawlBottleneck) -> Self {
        let CrawlBottleneck { domains, limited_domains, domain, queued, estimate_seconds, text } = bottleneck.clone();
        Self { text, domain, queued, estimate_seconds, domains, limited_domains }
    }
}

/// Outcomes of URIs.
#[derive(Serialize, ToSchema)]
#[schema(as = DomainCounts)]
pub(super) struct DomainCountsView {
    /// Number of documents fetched.
    pub(super) documents: u64,
    /// Number of documents with RDF.
    pub(super) rdf_documents: u64,
    /// Share of documents with RDF, from 0 to 1; null if there are no documents.
    rdf_share: Option<f64>,
    /// Number of quads stored.
    pub(super) quads: u64,
    /// Size of the documents after decompression, in bytes.
    bytes: u64,
    /// Number of redirects.
    redirected: u64,
    /// Number of URIs whose requests failed permanently.
    failed: u64,
    /// Number of documents that were deleted on their server.
    deleted: u64,
    /// Number of last responses by class of the status code: `2xx`, `3xx`, `4xx`, `5xx`.
    statuses_by_class: BTreeMap<String, u64>,
    /// Number of last responses by status code.
    statuses: BTreeMap<String, u64>,
    /// Number of faults by kind, of requests and of documents.
    faults_by_kind: BTreeMap<String, u64>,
    /// Number of URIs that were not requested, by reason.
    dropped_by_reason: BTreeMap<String, u64>,
}

impl From<&DomainCounts> for DomainCountsView {
    fn from(counts: &DomainCounts) -> Self {
        Self {
            documents: counts.documents,
            rdf_documents: counts.rdf_documents,
            rdf_share: counts.rdf_share(),
            quads: counts.quads,
            bytes: counts.bytes,
            redirected: counts.redirected,
            failed: counts.failed,
            deleted: counts.deleted,
            statuses_by_class: counts.statuses_by_class(),
            statuses: counts.statuses.iter().map(|(status, count)| (status.to_string(), *count)).collect(),
            faults_by_kind: counts.faults_by_kind.clone(),
            dropped_by_reason: counts.dropped_by_reason.clone(),
        }
    }
}

/// A domain of a crawl.
#[derive(Serialize, ToSchema)]
#[schema(as = CrawlDomain)]
struct DomainView {
    /// Name of the domain.
    domain: String,
    /// Number of URIs that wait in its queue.
    queued: u64,
    /// Outcomes of its URIs.
    counts: DomainCountsView,
    /// Why its queue was closed, `domain-limit` or `unreachable`; null if it is open.
    closed: Option<String>,
    /// Minimum time between two requests, in seconds.
    delay_seconds: f64,
    /// Where the delay comes from: `setting` or `robots-txt`.
    delay_source: String,
    /// Why the domain is rate-limited; null if it is not, or the crawl does not run.
    limited: Option<RateLimitView>,
    /// Whether many URIs wait and no document had RDF, or URIs were dropped as parts of a trap.
    possible_trap: bool,
}

/// Why a domain is rate-limited.
#[derive(Serialize, ToSchema)]
#[schema(as = RateLimit)]
struct RateLimitView {
    /// End of the wait.
    until: Timestamp,
    /// Reason: `delay`, `crawl-delay`, `retry-after`, `back-off`, `retry`, `robots` or `shared`.
    reason: String,
    /// The reason as text.
    text: String,
}

impl From<&DomainState> for DomainView {
    fn from(domain: &DomainState) -> Self {
        let limited = domain.limited_until_ms.map(|until_ms| RateLimitView {
            until: Timestamp::from_ms(until_ms),
            reason: domain.limited_by.unwrap_or_default().to_owned(),
            text: domain.limited_because.unwrap_or_default().to_owned(),
        });
        Self {
            domain: domain.domain.clone(),
            queued: domain.queued,
            counts: (&domain.counts).into(),
            closed: domain.closed.map(str::to_owned),
            delay_seconds: domain.delay_seconds,
            delay_source: domain.delay_source.name().to_owned(),
            limited,
            possible_trap: domain.is_possible_trap,
        }
    }
}

/// A domain with its robots.txt files and the URIs that are requested next.
#[derive(Serialize, ToSchema)]
#[schema(as = DomainDetails)]
pub(super) struct DomainDetailsView {
    /// The domain.
    domain: DomainView,
    /// Its robots.txt files, as fetched; empty if none was requested yet.
    robots: Vec<RobotsView>,
    /// The URIs that are requested next, at most 20.
    next: Vec<QueuedUriView>,
}

/// A robots.txt file.
#[derive(Serialize, ToSchema)]
#[schema(as = RobotsFile)]
struct RobotsView {
    /// URI of the file.
    uri: String,
    /// When it was fetched.
    fetched_at: Timestamp,
    /// The first 32 kB of its text; null if the server has no such file.
    text: Option<String>,
}

impl From<RobotsCopy> for RobotsView {
    fn from(RobotsCopy { uri, fetched_at_ms, text }: RobotsCopy) -> Self {
        Self { uri: uri.as_str().to_owned(), fetched_at: Timestamp::from_ms(fetched_at_ms), text }
    }
}

/// A URI that waits in the queue.
#[derive(Serialize, ToSchema)]
#[schema(as = QueuedUri)]
pub(super) struct QueuedUriView {
    /// The URI.
    uri: String,
    /// Its domain.
    domain: String,
    /// Priority in the queue of its domain; null if it is fetched before all URIs with a priority.
    priority: Option<f32>,
    /// Number of links from the nearest seed.
    depth: u16,
    /// Document in which it was found; null for a seed.
    source: Option<String>,
    /// How it was found, as text.
    found_by: String,
    /// Whether it was requested before.
    is_revisit: bool,
    /// Time until which its domain is delayed; null if it is not.
    not_before: Option<Timestamp>,
}

impl QueuedUriView {
    pub(super) fn new((entry, due_ms): (QueueEntry, u64), now_ms: u64) -> Self {
        Self {
            uri: entry.target.as_str().to_owned(),
            domain: entry.target.pld().as_str().to_owned(),
            priority: Some(entry.priority).filter(|priority| priority.is_finite()),
            depth: entry.depth,
            source: entry.source.as_ref().map(|source| source.as_str().to_owned()),
            found_by: entry.found_by.to_string(),
            is_revisit: entry.revisit.is_some(),
            not_before: (due_ms > now_ms).then(|| Timestamp::from_ms(due_ms)),
        }
    }
}

/// List the domains of a crawl
///
/// Queues, outcomes, delays with their source, and what delays the crawl most. The counts are read from the records of
/// all URIs, at most every few seconds.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/domains", tag = "crawls",
    params(CrawlPath, DomainListQuery),
    responses(
        (
            status = 200, description = "A page of domains", body = DomainListPage,
            headers(("Link" = String, description = "The previous (`prev`) and next (`next`) page")),
        ),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn list_domains(
    State(service): State<Arc<Service>>,
    PathParams(CrawlPath { id }): PathParams<CrawlPath>,
    QueryParams(query): QueryParams<DomainListQuery>,
) -> Result<Response, Problem> {
    let table = service.jobs.domains(id).await?;
    let DomainListQuery { filter, order, offset, limit } = query;
    let text = filter.as_deref().unwrap_or_default().to_lowercase();
    let mut found: Vec<&DomainState> = table.domains.iter().filter(|domain| domain.domain.contains(&text)).collect();
    order.sort(&mut found);
    let page = found.iter().skip(offset as usize).take(usize::from(limit.get()));
    let body = DomainListPage {
        total: found.len(),
        offset,
        limit,
        domains: page.map(|domain| DomainView::from(*domain)).collect(),
        queued: table.domains.iter().map(|domain| domain.queued).sum(),
        sums: (&totals(&table.domains)).into(),
        bottleneck: table.bottleneck.as_ref().map(BottleneckView::from),
        as_of: Timestamp::from_ms(table.read_at_ms),
    };
    let url = PageUrl::new(format!("{CRAWLS_PATH}/{id}/domains"))
        .with_param("filter", filter.as_ref())
        .with_param("order", order.name());
    Ok(offset_links(&url, u64::from(offset), limit, found.len() as u64).attach_to(axum::Json(body)))
}

/// Path parameters that select a domain of a crawl.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(super) struct DomainPath {
    /// ID of a crawl.
    #[param(minimum = 1)]
    id: u32,
    /// Name of a domain, as in the list.
    #[param(example = "dbpedia.org")]
    domain: String,
}

/// Get a domain of a crawl
///
/// With its robots.txt files as fetched, and the URIs that are requested next.
#[utoipa::path(
    get, path = "/api/v1/crawls/{id}/domains/{domain}", tag = "crawls",
    params(DomainPath),
    responses(
        (status = 200, description = "The domain", body = DomainDetailsView),
        (status = 409, description = "The crawl is in use by another process"),
    ),
)]
pub(super) async fn get_domain(
    State(service): State<Arc<Service>>,
    PathParams(DomainPath { id, domain }): PathParams<DomainPath>,
) -> Result<axum::Json<DomainDetailsView>, Problem> {
    let table = service.jobs.domains(id).await?;
    let found = table.domains.iter().find(|known| known.domain == domain).cloned();
    let state = found.ok_or_else(|| {
        let problem = Problem::new(ProblemCode::NotFound, format!("crawl {id} has no URI of the domain `{domain}`"));
        problem.hint("…/domains lists the domains, which are registered names: `dbpedia.org` for `fr.dbpedia.org`")
    })?;
    let (open_crawl, now_ms) = (service.jobs.open_crawl(id).await?, (service.now)());
    run_blocking(move || {
        let details = read_details(&open_crawl, state).map_err(|error| Problem::internal(&error))?;
        let DomainDetails { state, robots, next } = details;
        Ok(axum::Json(DomainDetailsView {
            domain: (&state).into(),
            robots: robots.into_iter().map(RobotsView::from).collect(),
            next: next.into_iter().map(|entry| QueuedUriView::new(entry, now_ms)).collect(),
        }))
    })
    .await
}
