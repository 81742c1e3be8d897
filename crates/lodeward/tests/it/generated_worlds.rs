//! Complete crawls of generated worlds, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, Scope, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::{Frontier, Journal as _, MemoryFrontier};
use lodeward::model::Uri;
use lodeward::select::learned::LearnedOptions;
use lodeward::select::{BreadthFirstStrategy, Strategy, StrategyOptions, ldcoc};
use lodeward::store::{MemoryStore, Store};
use tokio::sync::{mpsc, watch};
use toyweb::access_log::AccessLogEntry;
use toyweb::truth::{self, TruthMode};
use toyweb::world::{World, WorldParameters};

use crate::in_process::{InProcessFetcher, ScriptedWeb, three_addresses, web_response};

/// The output of a crawl.
struct Outcome {
    ending: StopReason,
    last: CrawlSnapshot,
    log: Vec<AccessLogEntry>,
    harvest: String,
}

fn settings() -> EngineOptions {
    EngineOptions { delay: Duration::ZERO, ..EngineOptions::default() }
}

async fn crawl(
    world: &Arc<World>,
    settings: EngineOptions,
    scope: Scope,
    addresses: Option<fn(&str) -> IpAddr>,
) -> Outcome {
    let mut fetcher = InProcessFetcher::new(Arc::clone(world) as Arc<dyn toyweb::Web>);
    if let Some(addresses) = addresses {
        fetcher = fetcher.with_addresses(addresses);
    }
    let seeds: Vec<String> = world.seeds();
    crawl_with(fetcher, &seeds.iter().map(String::as_str).collect::<Vec<_>>(), settings, scope).await
}

async fn crawl_web(web: Arc<dyn toyweb::Web>, seeds: &[&str], settings: EngineOptions) -> Outcome {
    crawl_with(InProcessFetcher::new(web), seeds, settings, Scope::default()).await
}

async fn crawl_with(fetcher: InProcessFetcher, seeds: &[&str], settings: EngineOptions, scope: Scope) -> Outcome {
    crawl_by(Box::new(BreadthFirstStrategy), fetcher, seeds, settings, scope).await
}

async fn crawl_by(
    strategy: Box<dyn Strategy>,
    fetcher: InProcessFetcher,
    seeds: &[&str],
    options: EngineOptions,
    scope: Scope,
) -> Outcome {
    let frontier = Arc::new(MemoryFrontier::new(None));
    let store = Arc::new(MemoryStore::default());
    let fetcher = Arc::new(fetcher);
    let crawl = CrawlBuilder {
        scope,
        discover: DiscoverPolicy::default(),
        options,
        ..CrawlBuilder::new(
            Arc::clone(&frontier) as Arc<dyn Frontier>,
            strategy,
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::clone(&store) as _,
        )
    }
    .build();
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());

    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();

    if ending == StopReason::Drained {
        let census = frontier.census().await.unwrap();
        assert_eq!((census.uris_waiting, census.uris_in_flight), (0, 0), "no URI is waiting or leased after the crawl");
    }
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    Outcome { ending, last, log, harvest: String::from_utf8(harvest).unwrap() }
}

fn world(preset: &str, change: impl FnOnce(&mut WorldParameters)) -> Arc<World> {
    let mut parameters = WorldParameters::preset(preset).unwrap();
    change(&mut parameters);
    Arc::new(World::new(parameters).unwrap())
}

/// The smallest gap between the end of a response and the next request, by group.
pub(crate) fn smallest_gaps<K: Ord>(
    log: &[AccessLogEntry],
    group: impl Fn(&AccessLogEntry) -> K,
) -> BTreeMap<K, Duration> {
    let mut ends: BTreeMap<K, u64> = BTreeMap::new();
    let mut gaps: BTreeMap<K, Duration> = BTreeMap::new();
    let mut log: Vec<_> = log.iter().collect();
    log.sort_by_key(|entry| entry.start_us);
    for entry in log {
        if let Some(end) = ends.insert(group(entry), entry.end_us) {
            let gap = Duration::from_micros(entry.start_us.saturating_sub(end));
            let smallest = gaps.entry(group(entry)).or_insert(gap);
            *smallest = gap.min(*smallest);
        }
    }
    gaps
}

pub(crate) fn pld_of(entry: &AccessLogEntry) -> String {
    Uri::parse(&entry.url).unwrap().pld().as_str().to_owned()
}

#[tokio::test(start_paused = true)]
async fn resuming_a_body_is_a_rate_limited_and_counted_request() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/robots.txt" => web_response(200, &[], "User-agent: *\nCrawl-delay: 7"),
        _ => {
            let turtle =
                web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], "<> <http://p.example/p> <#> .");
            toyweb::WebResponse { delivery: toyweb::DeliveryFault::TruncatedAfter(9), ..turtle }
        }
    });
    let seeds = ["http://a.example/1.ttl", "http://a.example/2.ttl"];

    let outcome = crawl_web(Arc::new(web), &seeds, settings()).await;

    let requests = outcome.log.iter().filter(|entry| pld_of(entry) == "a.example");
    let statuses: Vec<u16> = requests.map(|entry| entry.status).collect();
    assert_eq!(statuses, [200, 200, 206, 200, 206]);
    assert_eq!(outcome.last.tally.requests(), outcome.log.len() as u64);
    let gap = smallest_gaps(&outcome.log, pld_of)["a.example"];
    assert!(gap >= Duration::from_secs(7), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn every_rdf_document_of_a_mixed_world_is_fetched_once() {
    let world = world("mixed", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 30;
    });

    let outcome = crawl(&world, settings(), Scope::default(), None).await;

    assert_eq!(outcome.ending, StopReason::Drained);
    let graphs: BTreeSet<_> = outcome.harvest.lines().filter_map(graph_of).collect();
    truth::for_each_document(&world, TruthMode::All, &mut |document| {
        if document.is_expected() && document.kind.is_serialisation() {
            assert!(graphs.contains(document.url.as_str()), "{} is missing", document.url);
        }
    });
    let mut fetched = BTreeSet::new();
    for entry in outcome.log.iter().filter(|entry| entry.method == "GET") {
        assert!(fetched.insert(&entry.url), "{} was fetched twice", entry.url);
        let allowed = world.allows(&url::Url::parse(&entry.url).unwrap());
        assert!(allowed || entry.url.ends_with("/robots.txt"), "{} is disallowed", entry.url);
    }
    assert_eq!(outcome.last.tally.requests(), outcome.log.len() as u64, "every request is counted");
}

fn graph_of(line: &str) -> Option<&str> {
    line.strip_suffix("> .")?.rsplit_once('<').map(|(_, graph)| graph)
}

#[tokio::test(start_paused = true)]
async fn delay_applies_per_domain_and_per_ip_address() {
    for delay_ms in [100, 1_000] {
        let delay = Duration::from_millis(delay_ms);
        let world = world("polite", |parameters| {
            parameters.hosts = 12;
            parameters.documents_per_host = 6;
        });

        let settings = EngineOptions { delay, ..settings() };
        let outcome = crawl(&world, settings, Scope::default(), Some(three_addresses)).await;

        assert_eq!(outcome.ending, StopReason::Drained);
        for (pld, gap) in smallest_gaps(&outcome.log, pld_of) {
            let crawl_delay = world.crawl_delay_s(&pld).map_or(Duration::ZERO, Duration::from_secs_f64);
            let required = delay.max(crawl_delay);
            assert!(gap >= required, "{pld}: {gap:?} between two requests, {required:?} required");
        }
        let address = |entry: &AccessLogEntry| three_addresses(Uri::parse(&entry.url).unwrap().host());
        for (address, gap) in smallest_gaps(&outcome.log, address) {
            assert!(gap >= delay, "{address}: {gap:?} between two requests, {delay:?} required");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn limits_are_exact() {
    let world = world("demo", |_| {});

    let documents = EngineOptions { max_documents: Some(50), ..settings() };
    let by_documents = crawl(&world, documents, Scope::default(), None).await;
    let requests = EngineOptions { max_requests: Some(50), ..settings() };
    let by_requests = crawl(&world, requests, Scope::default(), None).await;

    assert_eq!((by_documents.ending, by_documents.last.tally.documents), (StopReason::MaxDocuments, 50));
    assert_eq!((by_requests.ending, by_requests.log.len()), (StopReason::MaxRequests, 50));
}

#[tokio::test(start_paused = true)]
async fn crawl_survives_every_fault() {
    let world = world("faults", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 12;
    });

    let outcome = crawl(&world, settings(), Scope::default(), None).await;

    assert_eq!(outcome.ending, StopReason::Drained);
    let faults = &outcome.last.tally.faults_by_kind;
    for kind in ["timeout", "connect", "overloaded", "truncated", "too-large", "status"] {
        assert!(faults.contains_key(kind), "{kind} is missing in {faults:?}");
    }
    assert!(outcome.last.tally.dropped_by_reason.contains_key("trap"), "{:?}", outcome.last.tally.dropped_by_reason);
}

#[tokio::test(start_paused = true)]
async fn server_that_repeats_an_endless_retry_after_is_abandoned() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/1" => web_response(503, &[(http::header::RETRY_AFTER, "18446744073709551615")], ""),
        _ => web_response(404, &[], ""),
    });

    let outcome = crawl_web(Arc::new(web), &["http://a.example/1", "http://a.example/2"], settings()).await;

    assert_eq!(outcome.ending, StopReason::Drained);
    assert_eq!(outcome.last.tally.faults_by_kind["overloaded"], 1);
    assert_eq!(outcome.last.tally.dropped_by_reason["unreachable"], 1);
    let requests: Vec<&str> = outcome.log.iter().map(|entry| entry.url.as_str()).collect();
    assert_eq!(requests, ["http://a.example/robots.txt", "http://a.example/1", "http://a.example/1"]);
    assert!(waited(&outcome, 1) >= settings().max_retry_after, "{:?}", outcome.log);
}

/// The time between the end of a request and the start of the next one in the log.
fn waited(outcome: &Outcome, request: usize) -> Duration {
    Duration::from_micros(outcome.log[request + 1].start_us - outcome.log[request].end_us)
}

#[tokio::test(start_paused = true)]
async fn a_longer_retry_after_than_allowed_is_reduced_to_the_maximum() {
    static REQUESTS: AtomicUsize = AtomicUsize::new(0);
    let web = ScriptedWeb(|url| match url {
        "http://a.example/1" if REQUESTS.fetch_add(1, Ordering::Relaxed) == 0 => {
            web_response(503, &[(http::header::RETRY_AFTER, "31536000")], "")
        }
        "http://a.example/1" => web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], "<p>"),
        _ => web_response(404, &[], ""),
    });

    let outcome = crawl_web(Arc::new(web), &["http://a.example/1"], settings()).await;

    assert_eq!(outcome.last.tally.documents, 1);
    let max = settings().max_retry_after;
    assert!(waited(&outcome, 1) >= max && waited(&outcome, 1) <= max * 2, "{:?}", outcome.log);
}

#[tokio::test(start_paused = true)]
async fn retry_after_of_a_redirect_delays_the_redirected_request_and_the_redirecting_domain() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/1" => web_response(
            302,
            &[(http::header::LOCATION, "http://b.example/target"), (http::header::RETRY_AFTER, "30")],
            "",
        ),
        "http://a.example/2" | "http://b.example/2" | "http://b.example/target" => {
            web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], "<p>")
        }
        _ => web_response(404, &[], ""),
    });
    let seeds = ["http://a.example/1", "http://a.example/2", "http://b.example/2"];

    let outcome = crawl_web(Arc::new(web), &seeds, settings()).await;

    let request = |url: &str| outcome.log.iter().find(|entry| entry.url == url).unwrap();
    let redirected_at = request("http://a.example/1").end_us;
    let after = |url: &str| Duration::from_micros(request(url).start_us.saturating_sub(redirected_at));
    assert!(after("http://b.example/target") >= Duration::from_secs(30), "{:?}", outcome.log);
    assert!(after("http://a.example/2") >= Duration::from_secs(30), "{:?}", outcome.log);
    assert!(after("http://b.example/2") < Duration::from_secs(1), "{:?}", outcome.log);
    assert_eq!(outcome.last.tally.documents, 3);
}

/// Twenty live domains whose pages link to each other and to dead hosts, whose links promise RDF.
fn web_with_dead_hosts(url: &str) -> toyweb::WebResponse {
    let uri = Uri::parse(url).unwrap();
    if uri.host().starts_with("dead") {
        return toyweb::WebResponse { delivery: toyweb::DeliveryFault::Dropped, ..web_response(502, &[], "") };
    }
    let Some(page) = uri.path().strip_prefix("/page/").and_then(|page| page.parse::<u32>().ok()) else {
        return web_response(404, &[], "");
    };
    let next = if page < 400 {
        format!("<a href=http://live{}.example/page/{1}>page</a>", (page + 1) % 20, page + 1)
    } else {
        String::new()
    };
    let dead = format!("<link rel=alternate type=text/turtle href=http://dead{}.example/data.ttl>", page % 50);
    web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], &format!("<html><head>{dead}</head><body>{next}"))
}

#[tokio::test(start_paused = true)]
async fn dead_hosts_do_not_hold_up_a_learned_crawl() {
    let crawl = async |strategy: Box<dyn Strategy>| {
        let fetcher = InProcessFetcher::new(Arc::new(ScriptedWeb(web_with_dead_hosts)));
        let options = EngineOptions { max_documents: Some(400), ..settings() };
        crawl_by(strategy, fetcher, &["http://live0.example/page/0"], options, Scope::default()).await
    };

    let learned = crawl(StrategyOptions::Learned(LearnedOptions::default()).build(None).unwrap()).await;
    let breadth_first = crawl(Box::new(BreadthFirstStrategy)).await;

    assert_eq!((learned.last.tally.documents, breadth_first.last.tally.documents), (400, 400));
    let (learned, breadth_first) = (learned.last.elapsed, breadth_first.last.elapsed);
    assert!(learned <= breadth_first.mul_f64(1.1), "learned {learned:?}, breadth first {breadth_first:?}");
}

#[tokio::test(start_paused = true)]
async fn disallowed_host_does_not_delay_the_crawl() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/robots.txt" => web_response(200, &[], "User-agent: *\nDisallow: /x"),
        "http://a.example/1" => {
            let links: Vec<String> = (0..2_000).map(|n| format!("<a href=/x/{n}>{n}</a>")).collect();
            web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], &format!("<html>{}", links.concat()))
        }
        _ => web_response(404, &[], ""),
    });

    let outcome = crawl_web(Arc::new(web), &["http://a.example/1"], settings()).await;

    assert_eq!(outcome.ending, StopReason::Drained);
    assert_eq!(outcome.last.tally.dropped_by_reason["robots"], 2_000);
    let tally = &outcome.last.tally;
    let settled = tally.documents + tally.redirects + tally.uris_failed + tally.dropped_by_reason.values().sum::<u64>();
    assert_eq!(settled, outcome.last.census.uris_known, "every URI has an outcome");
}

#[tokio::test(start_paused = true)]
async fn same_seed_produces_the_same_crawl() {
    let world = world("demo", |_| {});
    let settings = || EngineOptions { in_order: true, max_documents: Some(200), ..settings() };

    let first = crawl(&world, settings(), Scope::default(), None).await;
    let second = crawl(&world, settings(), Scope::default(), None).await;

    let urls = |outcome: &Outcome| outcome.log.iter().map(|entry| entry.url.clone()).collect::<BTreeSet<_>>();
    assert_eq!(urls(&first), urls(&second));
    assert_eq!(first.harvest, second.harvest);
}

#[tokio::test(start_paused = true)]
async fn depth_counts_hops_without_redirects() {
    let world = world("demo", |_| {});
    let scope = Scope { max_depth: Some(0), ..Scope::default() };

    let outcome = crawl(&world, settings(), scope, None).await;

    let seeds = world.seeds().len() as u64;
    assert_eq!(outcome.ending, StopReason::Drained);
    assert!(outcome.last.tally.documents <= seeds);
    assert!(outcome.last.tally.documents > 0);
    assert!(outcome.last.tally.dropped_by_reason["depth"] > 0);
}

/// A crawl of a world by LDCOC.
async fn crawl_by_ldcoc(world: &Arc<World>, settings: EngineOptions) -> Outcome {
    let options = ldcoc::LdcocOptions { bits: 16, ..ldcoc::LdcocOptions::default() };
    let strategy = StrategyOptions::Ldcoc(options).build(None).unwrap();
    let fetcher = InProcessFetcher::new(Arc::clone(world) as Arc<dyn toyweb::Web>);
    let seeds: Vec<String> = world.seeds();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    crawl_by(strategy, fetcher, &seeds, settings, Scope::default()).await
}

/// A world in which sites and sections differ in their share of RDF, and names indicate it.
fn uneven_world() -> Arc<World> {
    let parameters = include_str!("../../../../eval/worlds/small.toml");
    let parameters = WorldParameters::from_toml(parameters).unwrap();
    Arc::new(World::new(WorldParameters { hosts: 20, documents_per_host: 40, ..parameters }).unwrap())
}

#[tokio::test(start_paused = true)]
async fn ldcoc_fetches_more_rdf_than_breadth_first() {
    let world = uneven_world();

    let settings = || EngineOptions { in_order: true, ..settings() };
    let by_ldcoc = crawl_by_ldcoc(&world, settings()).await;
    let by_breadth = crawl(&world, settings(), Scope::default(), None).await;

    // The share of RDF among hard documents, compared without division.
    let (ldcoc, breadth) = (&by_ldcoc.last.tally.selection, &by_breadth.last.tally.selection);
    let (by_ldcoc_scaled, by_breadth_scaled) =
        (ldcoc.hard_rdf_documents * breadth.hard_documents, breadth.hard_rdf_documents * ldcoc.hard_documents);
    assert!(by_ldcoc_scaled > by_breadth_scaled, "{ldcoc:?}, {breadth:?}");
    let requests = |method: &str| {
        let log = by_ldcoc.log.iter().filter(|entry| entry.method == method && !entry.url.ends_with("/robots.txt"));
        let urls: Vec<&str> = log.map(|entry| entry.url.as_str()).collect();
        assert_eq!(urls.len(), urls.iter().collect::<BTreeSet<_>>().len(), "no {method} request is repeated");
        urls.len()
    };
    assert!(requests("HEAD") > 0 && requests("GET") > 0);
    assert!(by_ldcoc.last.tally.dropped_by_reason["strategy"] > 0);
}

#[tokio::test(start_paused = true)]
async fn same_seed_produces_the_same_ldcoc_crawl() {
    let world = uneven_world();
    let settings = |rng_seed| EngineOptions { in_order: true, max_documents: Some(80), rng_seed, ..settings() };

    let first = crawl_by_ldcoc(&world, settings(1)).await;
    let second = crawl_by_ldcoc(&world, settings(1)).await;
    let other = crawl_by_ldcoc(&world, settings(2)).await;

    let urls = |outcome: &Outcome| outcome.log.iter().map(|entry| entry.url.clone()).collect::<BTreeSet<_>>();
    assert_eq!(urls(&first), urls(&second));
    assert_eq!(first.harvest, second.harvest);
    assert_ne!(urls(&first), urls(&other));
}
