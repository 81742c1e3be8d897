//! Metrics of the service for Prometheus.
//!
//! Requests are counted as they happen; all other values are read when the metrics are
//! requested.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::Method;
use lodeward::engine::Tally;
use lodeward_app::crawl_dir::NowMs;
use lodeward_app::disk_space::DiskUsage;
use lodeward_archive::sparql::abandoned_threads;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::jobs::{JobState, JobTable};
use crate::sparql::QueryRunner;

/// Upper bounds of the latency histogram, in seconds.
const LATENCY_BUCKETS_S: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0];

/// Counters and latencies of HTTP requests.
pub(crate) struct Metrics {
    requests: Family<RequestLabels, Counter>,
    seconds: Family<RouteLabels, Histogram, fn() -> Histogram>,
    now: NowMs,
}

/// Labels of the request metrics. Each label has a bounded number of values, whatever clients send.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    route: String,
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct FaultLabel {
    kind: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StateLabel {
    state: &'static str,
}

/// Counts all requests, including those that the gateway rejects.
pub(crate) fn with_metrics(router: Router, metrics: &Arc<Metrics>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(metrics), measure))
}

async fn measure(State(metrics): State<Arc<Metrics>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = method_label(request.method());
    let started_at_ms = (metrics.now)();
    let response = next.run(request).await;
    let took_ms = (metrics.now)().saturating_sub(started_at_ms);
    let status = response.status().as_u16();
    metrics.requests.get_or_create(&RequestLabels { route: route.clone(), method, status }).inc();
    metrics.seconds.get_or_create(&RouteLabels { route, method }).observe(ms_to_seconds(took_ms));
    response
}

#[expect(clippy::cast_precision_loss, reason = "a response takes less than 2^52 milliseconds")]
fn ms_to_seconds(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// A client can send any method name; only known methods become labels.
fn method_label(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::PUT => "PUT",
        Method::DELETE => "DELETE",
        Method::PATCH => "PATCH",
        Method::OPTIONS => "OPTIONS",
        _ => "other",
    }
}

impl Metrics {
    pub(crate) fn new(now: NowMs) -> Self {
        let seconds = Family::new_with_constructor((|| Histogram::new(LATENCY_BUCKETS_S)) as fn() -> Histogram);
        Self { requests: Family::default(), seconds, now }
    }

    /// All metrics, in the OpenMetrics format. Reads system files.
    pub(crate) fn render(&self, jobs: &JobTable, queries: &QueryRunner, disk: &DiskMetrics) -> String {
        let mut registry = Registry::with_prefix("lodeward");
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "Version of the program", version);
        let Self { requests, seconds, .. } = self;
        registry.register(
            "http_requests",
            "Number of responses, including those to rejected requests",
            requests.clone(),
        );
        let help = "Time from the request to the beginning of the response";
        registry.register_with_unit("http_request_duration", help, Unit::Seconds, seconds.clone());
        register_crawls(&mut registry, jobs);
        disk.register(&mut registry);
        register_gauge(&mut registry, "queries_in_flight", "Number of running queries", queries.running_count() as u64);
        let aborted: Counter = Counter::default();
        let _: u64 = aborted.inc_by(queries.aborted_count());
        let help = "Number of queries stopped by a limit, or by a client that disconnected";
        registry.register("queries_aborted", help, aborted);
        let help =
            "Number of threads that complete work for stopped queries: parsing, planning, calls to other servers";
        register_gauge(&mut registry, "query_threads_abandoned", help, abandoned_threads() as u64);
        let subscribers = jobs.hub().subscriber_count() as u64;
        register_gauge(&mut registry, "event_subscribers", "Number of open event streams", subscribers);
        // This metric has no prefix, because it is a standard name of Prometheus clients.
        let mut process = Registry::default();
        if let Some(bytes) = memory_bytes() {
            let memory: Gauge = new_gauge(bytes);
            process.register_with_unit(
                "process_resident_memory",
                "Resident memory of the process",
                Unit::Bytes,
                memory,
            );
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = text::encode_registry(&mut text, &registry);
        let _ = text::encode(&mut text, &process);
        text
    }
}

/// The disk of the data directory, when the metrics are requested.
pub(crate) struct DiskMetrics {
    /// The space, if the operating system reports it.
    pub(crate) usage: Option<DiskUsage>,
    /// The free space below which crawls pause (`store.min_free_space`).
    pub(crate) min_free_bytes: u64,
    /// Whether the archive can be written.
    pub(crate) is_archive_writable: bool,
}

impl DiskMetrics {
    fn register(&self, registry: &mut Registry) {
        if let Some(usage) = self.usage {
            let mut register = |name: &str, help: &str, bytes: u64| {
                let gauge: Gauge = new_gauge(bytes);
                registry.register_with_unit(name, help, Unit::Bytes, gauge);
            };
            register("disk_free", "Free space on the disk of the data directory", usage.free_bytes);
            register("disk_size", "Size of the disk of the data directory", usage.total_bytes);
            register("disk_min_free", "Free space below which crawls pause", usage.floor_bytes(self.min_free_bytes));
        }
        let help = "Whether the archive can be written: 1, or 0 after a failed write until it is opened again";
        register_gauge(registry, "archive_writable", help, u64::from(self.is_archive_writable));
    }
}

/// Registers sums over all crawls. They are gauges, because they decrease when a crawl is deleted.
fn register_crawls(registry: &mut Registry, jobs: &JobTable) {
    let views = jobs.list();
    let states: Family<StateLabel, Gauge> = Family::default();
    for state in JobState::ALL {
        let count = views.iter().filter(|view| view.state == *state).count();
        states.get_or_create(&StateLabel { state: state.name() }).set(to_i64(count as u64));
    }
    registry.register("crawls", "Number of crawls by state", states);
    let tallies = || views.iter().filter_map(|view| Some(&view.snapshot.as_ref()?.tally));
    register_gauge(registry, "crawl_requests", "Requests sent by all crawls", tallies().map(Tally::requests).sum());
    register_gauge(
        registry,
        "crawl_documents",
        "Number of documents of all crawls",
        tallies().map(|tally| tally.documents).sum(),
    );
    register_gauge(registry, "crawl_quads", "Number of quads of all crawls", tallies().map(|tally| tally.quads).sum());
    let faults: Family<FaultLabel, Gauge> = Family::default();
    for (kind, count) in tallies().flat_map(|tally| &tally.faults_by_kind) {
        faults.get_or_create(&FaultLabel { kind: kind.clone() }).inc_by(to_i64(*count));
    }
    registry.register("crawl_faults", "Number of faults of all crawls by kind", faults);
    register_gauge(registry, "crawl_domains_delayed", "Domains that delay running crawls", jobs.delayed_domains());
    let help = "Time from a request of a crawl to the end of its response";
    registry.register_with_unit("crawl_request_duration", help, Unit::Seconds, jobs.request_seconds.clone());
    let lags = || views.iter().filter_map(|view| view.snapshot.as_ref()).flat_map(|snapshot| &snapshot.followers);
    let help = "Number of documents that the archive and remote stores have not received yet";
    register_gauge(registry, "archive_lag_documents", help, lags().map(|lag| lag.documents).sum());
    let help = "Bytes of segments that the archive and remote stores have not read yet";
    register_gauge(registry, "archive_lag_bytes", help, lags().map(|lag| lag.bytes).sum());
    let paused = views.iter().filter(|view| view.disk_shortage().is_some()).count() as u64;
    register_gauge(registry, "crawls_paused_by_disk", "Crawls that wait for free disk space", paused);
    let waiting = views.iter().filter_map(|view| Some(view.snapshot.as_ref()?.census.uris_waiting)).sum();
    register_gauge(registry, "crawl_uris_waiting", "Number of URIs waiting in all frontiers", waiting);
}

fn register_gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge: Gauge = new_gauge(value);
    registry.register(name, help, gauge);
}

fn new_gauge(value: u64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(to_i64(value));
    gauge
}

fn to_i64(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// Resident memory of this process, if the system reports it (Linux).
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
