//! How the service is doing, in numbers that Prometheus reads.
//!
//! What happens to requests is counted as it happens; everything else is looked up
//! when somebody asks.

use std::sync::Arc;

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::Response;
use http::Method;
use lodeward::engine::Tally;
use prometheus_client::encoding::{EncodeLabelSet, text};
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::{Registry, Unit};

use crate::fleet::State as CrawlState;
use crate::service::Service;

/// Seconds up to which answers are counted together.
const SECONDS: [f64; 10] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0, 120.0];

/// What is counted as it happens.
pub(crate) struct Metrics {
    requests: Family<Asked, Counter>,
    seconds: Family<Route, Histogram, fn() -> Histogram>,
}

/// A sort of requests. Every label has few values, whatever is asked.
#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Asked {
    route: String,
    method: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Route {
    route: String,
    method: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct InState {
    state: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        Self { requests: Family::default(), seconds: Family::new_with_constructor(|| Histogram::new(SECONDS)) }
    }
}

/// Counts all requests, also those that the door refuses.
pub(crate) fn measured(router: Router, service: &Arc<Service>) -> Router {
    router.layer(from_fn_with_state(Arc::clone(service), measure))
}

async fn measure(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = method(request.method());
    let began_at_ms = (service.now)();
    let response = next.run(request).await;
    let took_ms = (service.now)().saturating_sub(began_at_ms);
    let status = response.status().as_u16();
    let Metrics { requests, seconds } = &service.metrics;
    requests.get_or_create(&Asked { route: route.clone(), method, status }).inc();
    seconds.get_or_create(&Route { route, method }).observe(seconds_of(took_ms));
    response
}

#[expect(clippy::cast_precision_loss, reason = "an answer takes less than 2^52 milliseconds")]
fn seconds_of(ms: u64) -> f64 {
    ms as f64 / 1_000.0
}

/// Methods have names of anybody's choice; only those that are known are labels.
fn method(method: &Method) -> &'static str {
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

/// Everything there is to tell, in the format of OpenMetrics. Looks at files of the
/// system.
pub(crate) fn told(service: &Service) -> String {
    let mut registry = Registry::with_prefix("lodeward");
    let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
    registry.register("build", "The program", version);
    let Metrics { requests, seconds } = &service.metrics;
    registry.register("http_requests", "Requests that were answered", requests.clone());
    registry.register_with_unit("http_answer", "Time until an answer began", Unit::Seconds, seconds.clone());
    crawls(&mut registry, service);
    let desk = service.counter.desk();
    gauge(&mut registry, "queries_under_way", "Queries that are evaluated now", desk.under_way() as u64);
    let cut_short: Counter = Counter::default();
    let _: u64 = cut_short.inc_by(desk.cut_short());
    let help = "Queries that a bound stopped, or whose reader went away";
    registry.register("queries_cut_short", help, cut_short);
    gauge(&mut registry, "listeners", "Those who listen to events", service.fleet.hub().listeners() as u64);
    if let Some(bytes) = memory_bytes() {
        let memory: Gauge = gauge_of(bytes);
        registry.register_with_unit("process_resident_memory", "Memory of this process", Unit::Bytes, memory);
    }
    let mut text = String::new();
    // A string takes everything.
    let _ = text::encode(&mut text, &registry);
    text
}

/// What crawls do, and have done. Gauges, because what is deleted counts no more.
fn crawls(registry: &mut Registry, service: &Service) {
    let views = service.fleet.list();
    let states: Family<InState, Gauge> = Family::default();
    for state in CrawlState::ALL {
        let count = views.iter().filter(|view| view.state == *state).count();
        states.get_or_create(&InState { state: state.name() }).set(number(count as u64));
    }
    registry.register("crawls", "Crawls by state", states);
    let tallies = || views.iter().filter_map(|view| Some(&view.snapshot.as_ref()?.tally));
    gauge(registry, "crawl_requests", "Requests of all crawls", tallies().map(Tally::requests).sum());
    gauge(registry, "crawl_documents", "Documents of all crawls", tallies().map(|tally| tally.documents).sum());
    gauge(registry, "crawl_quads", "Statements of all crawls", tallies().map(|tally| tally.quads).sum());
    let faults = tallies().flat_map(|tally| tally.faults.values()).sum();
    gauge(registry, "crawl_faults", "What went wrong in all crawls", faults);
    let waiting = views.iter().filter_map(|view| Some(view.snapshot.as_ref()?.census.waiting)).sum();
    gauge(registry, "crawl_waiting", "URIs that wait to be visited in all crawls", waiting);
}

fn gauge(registry: &mut Registry, name: &str, help: &str, value: u64) {
    let gauge: Gauge = gauge_of(value);
    registry.register(name, help, gauge);
}

fn gauge_of(value: u64) -> Gauge {
    let gauge = Gauge::default();
    gauge.set(number(value));
    gauge
}

fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// The memory of this process, if the system tells.
fn memory_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes << 10)
}
