//! The representation of a crawl in responses.

use std::collections::BTreeMap;

use lodeward::engine::{CrawlSnapshot, EndProgress, EndTask, StopReason};
use lodeward_app::review::ReviewSummary;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::CRAWLS_PATH;
use crate::api::timestamp::Timestamp;
use crate::jobs::{JobState, JobView};

/// A crawl.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Crawl)]
pub(crate) struct CrawlView {
    /// ID of the crawl.
    #[schema(minimum = 1)]
    id: u32,
    /// Name of the crawl.
    name: String,
    /// Owner; null if the crawl was created on the command line.
    user: Option<String>,
    /// User of the client for whom the crawl was created (DURAARK API).
    on_behalf_of: Option<String>,
    /// Strategy of the crawl.
    strategy: String,
    /// State of the crawl.
    state: JobState,
    /// When the crawl was created.
    created_at: Timestamp,
    /// Name of the template that the seeds were created from.
    template: Option<String>,
    /// Number of seeds.
    seeds: usize,
    /// The crawl's own settings, by section, including those of its template.
    settings: BTreeMap<String, BTreeMap<String, Value>>,
    /// Whether responses are recorded as WARC.
    record_warc: bool,
    /// Users besides the owner that may mark candidates.
    reviewers: Vec<String>,
    /// Review of the candidates.
    review: ReviewView,
    /// When the crawl was last exported to the archive.
    exported_at: Option<Timestamp>,
    /// Counters over all runs; null if the crawl never ran.
    counters: Option<CrawlCounters>,
    /// Requests per second while the crawl runs.
    #[schema(minimum = 0)]
    requests_per_second: Option<f64>,
    /// When the counters were last updated.
    updated_at: Option<Timestamp>,
    /// Why a running crawl sends no requests: there is not enough disk space.
    pause_reason: Option<String>,
    /// What the end of the run waits for; null while the crawl goes on, and after its end.
    ending: Option<EndProgressView>,
    /// Why the last run ended.
    stop_reason: Option<StopReasonView>,
    /// Why the crawl failed.
    error: Option<String>,
    /// Why the service stopped the crawl, and when it can be resumed; or why a finished crawl fetched no document.
    stop_detail: Option<String>,
    /// URLs of related resources.
    links: CrawlLinks,
}

/// How far candidates are reviewed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = Review)]
pub(crate) struct ReviewView {
    /// Number of listed candidates; null if the crawl is not ranked.
    candidates: Option<u64>,
    /// Number of kept candidates.
    kept: u64,
    /// Number of dropped candidates.
    dropped: u64,
    /// When the candidates were ranked.
    ranked_at: Option<Timestamp>,
}

/// The review and the last export of a crawl.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ReviewState {
    pub(crate) summary: ReviewSummary,
    /// In milliseconds since the Unix epoch.
    pub(crate) exported_at_ms: Option<u64>,
}

impl ReviewView {
    fn from_summary(summary: ReviewSummary) -> Self {
        let ReviewSummary { candidates, kept, dropped, ranked_at_ms } = summary;
        Self { candidates, kept, dropped, ranked_at: ranked_at_ms.map(Timestamp::from_ms) }
    }
}

/// What the end of a run waits for.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[schema(as = EndProgress)]
pub(crate) struct EndProgressView {
    /// The task that is running.
    task: EndTaskView,
    /// Number of requests or documents that the task has left.
    remaining: u64,
}

/// A task at the end of a run. The tasks run in this order.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = EndTask)]
pub(crate) enum EndTaskView {
    /// The requests in flight are completed.
    Requests,
    /// The last documents are written to disk.
    Flush,
    /// The archive and other followers receive the rest of the documents.
    Followers,
    /// The candidates are ranked. `remaining` is the number of documents to read.
    Ranking,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = StopReason)]
pub(crate) enum StopReasonView {
    /// All URIs were settled.
    Drained,
    /// The maximum number of requests was reached.
    MaxRequests,
    /// The maximum number of documents was reached.
    MaxDocuments,
    /// The maximum number of documents with RDF was reached.
    MaxRdfDocuments,
    /// The maximum time of a run has passed. Resuming the crawl continues it.
    MaxTime,
    /// The maximum number of bytes of a run was downloaded. Resuming the crawl continues it.
    MaxBytes,
    /// A user stopped or paused the crawl, or the service was shut down.
    Stopped,
}

/// URLs of the resources of a crawl.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CrawlLinks {
    /// URL of the crawl itself.
    #[serde(rename = "self")]
    own: String,
    /// URL of the seeds.
    seeds: String,
    /// URL of the candidates.
    candidates: String,
    /// URL of the documents.
    documents: String,
    /// URL of the log: the outcomes of all settled URIs.
    log: String,
    /// URL of the event stream.
    events: String,
}

/// Counters of a crawl, over all runs.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct CrawlCounters {
    /// Number of requests of all kinds.
    requests: u64,
    /// Number of GET requests for documents.
    requests_get: u64,
    /// Number of HEAD requests.
    requests_head: u64,
    /// Number of requests for robots.txt.
    requests_robots: u64,
    /// Number of documents fetched.
    documents: u64,
    /// Number of documents with RDF.
    rdf_documents: u64,
    /// Number of documents by number of links from the nearest seed, starting with 0.
    documents_by_hop: Vec<u64>,
    /// Number of documents by format.
    documents_by_format: BTreeMap<String, u64>,
    /// Number of quads stored.
    quads: u64,
    /// Total size of documents after decompression, in bytes.
    bytes: u64,
    /// Number of redirects.
    redirects: u64,
    /// Number of URIs whose requests failed permanently.
    uris_failed: u64,
    /// Number of documents that were deleted on their server.
    deleted: u64,
    /// Number of faults found in documents, by kind.
    faults_by_kind: BTreeMap<String, u64>,
    /// Number of URIs that were not fetched, by reason.
    dropped_by_reason: BTreeMap<String, u64>,
    /// Number of URIs found.
    uris_known: u64,
    /// Number of URIs waiting in the frontier.
    uris_waiting: u64,
    /// Number of URIs that are being fetched.
    uris_in_flight: u64,
    /// Number of pay-level domains found.
    domains: u64,
    /// Duration of the last run, in seconds.
    #[schema(minimum = 0)]
    elapsed_seconds: f64,
}

impl CrawlView {
    pub(crate) fn from_view(view: JobView, seeds: usize, review: ReviewState, prefix: &str) -> Self {
        let pause_reason = view.pause_reason();
        let ending = view.ending().map(EndProgressView::from_end_progress);
        let JobView {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            template,
            record_warc,
            error,
            stop_detail,
            requests_per_second,
            ..
        } = view;
        Self {
            id,
            name,
            user,
            on_behalf_of,
            strategy,
            state,
            created_at: Timestamp::from_ms(view.created_at_ms),
            template,
            seeds,
            settings: settings_by_section(&view.settings),
            record_warc,
            reviewers: view.reviewers,
            review: ReviewView::from_summary(review.summary),
            exported_at: review.exported_at_ms.map(Timestamp::from_ms),
            counters: view.snapshot.as_ref().map(CrawlCounters::from_snapshot),
            requests_per_second,
            updated_at: view.updated_at_ms.map(Timestamp::from_ms),
            pause_reason,
            ending,
            stop_reason: view.stop_reason.map(StopReasonView::from_stop_reason),
            error,
            stop_detail,
            links: CrawlLinks::for_crawl(id, prefix),
        }
    }
}

impl EndProgressView {
    fn from_end_progress(EndProgress { task, remaining }: EndProgress) -> Self {
        let task = match task {
            EndTask::Requests => EndTaskView::Requests,
            EndTask::Flush => EndTaskView::Flush,
            EndTask::Followers => EndTaskView::Followers,
            EndTask::Ranking => EndTaskView::Ranking,
        };
        Self { task, remaining }
    }
}

impl StopReasonView {
    fn from_stop_reason(reason: StopReason) -> Self {
        match reason {
            StopReason::Drained => Self::Drained,
            StopReason::MaxRequests => Self::MaxRequests,
            StopReason::MaxDocuments => Self::MaxDocuments,
            StopReason::MaxRdfDocuments => Self::MaxRdfDocuments,
            StopReason::MaxTime => Self::MaxTime,
            StopReason::MaxBytes => Self::MaxBytes,
            StopReason::Stopped => Self::Stopped,
        }
    }
}

impl CrawlLinks {
    /// The links of a crawl; `prefix` is the path of the service.
    fn for_crawl(id: u32, prefix: &str) -> Self {
        let part = |part: &str| format!("{prefix}{CRAWLS_PATH}/{id}/{part}");
        Self {
            own: format!("{prefix}{CRAWLS_PATH}/{id}"),
            seeds: part("seeds"),
            candidates: part("candidates"),
            documents: part("documents"),
            log: part("log"),
            events: part("events"),
        }
    }
}

impl CrawlCounters {
    pub(crate) fn from_snapshot(snapshot: &CrawlSnapshot) -> Self {
        let CrawlSnapshot { tally, census, elapsed, .. } = snapshot;
        Self {
            requests: tally.requests(),
            requests_get: tally.requests_get,
            requests_head: tally.requests_head,
            requests_robots: tally.requests_robots,
            documents: tally.documents,
            rdf_documents: tally.rdf_documents,
            documents_by_hop: tally.documents_by_hop.clone(),
            documents_by_format: tally.documents_by_format.clone(),
            quads: tally.quads,
            bytes: tally.bytes,
            redirects: tally.redirects,
            uris_failed: tally.uris_failed,
            deleted: tally.deleted,
            faults_by_kind: tally.faults_by_kind.clone(),
            dropped_by_reason: tally.dropped_by_reason.clone(),
            uris_known: census.uris_known,
            uris_waiting: census.uris_waiting,
            uris_in_flight: census.uris_in_flight,
            domains: census.domains,
            elapsed_seconds: elapsed.as_secs_f64(),
        }
    }
}

fn settings_by_section(table: &toml::Table) -> BTreeMap<String, BTreeMap<String, Value>> {
    let json = |value: &toml::Value| serde_json::to_value(value).unwrap_or_default();
    let section = |(name, keys): (&String, &toml::Value)| {
        let keys = keys.as_table()?.iter().map(|(key, value)| (key.clone(), json(value))).collect();
        Some((name.clone(), keys))
    };
    table.iter().filter_map(section).collect()
}
