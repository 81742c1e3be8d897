//! Crawls hop by hop, and request observers, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{
    CrawlCommand, CrawlSnapshot, EngineOptions, HopLimits, Observer, RequestOutcome, RequestRecord, Scope, StopReason,
};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, MemoryFrontier};
use lodeward::model::{DropReason, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use toyweb::Web;
use toyweb::world::{World, WorldParameters};

use crate::in_process::{InProcessFetcher, ScriptedWeb, three_addresses, web_response};

/// A request recorded by an observer.
#[derive(Clone, Debug)]
struct ObservedRequest {
    uri: Uri,
    method: &'static str,
    depth: u16,
    departed_at_ms: u64,
    ended_at_ms: u64,
    status: Option<u16>,
    fields: Vec<(String, String)>,
    outcome: &'static str,
    target: Option<Uri>,
}

#[derive(Clone, Default)]
struct RecordingObserver(Arc<Mutex<Vec<ObservedRequest>>>);

impl Observer for RecordingObserver {
    fn needs_fields(&self) -> bool {
        true
    }

    fn request_finished(&mut self, record: &RequestRecord<'_>) {
        let elapsed_ms = u64::try_from(record.elapsed.as_millis()).unwrap();
        let (outcome, target) = match record.outcome {
            RequestOutcome::Document { .. } => ("document", None),
            RequestOutcome::Redirect(target) => ("redirect", target.cloned()),
            RequestOutcome::Failure(_) => ("failure", None),
            RequestOutcome::Response => ("response", None),
        };
        self.0.lock().unwrap().push(ObservedRequest {
            uri: record.uri.clone(),
            method: record.kind.method(),
            depth: record.depth,
            departed_at_ms: record.sent_at_ms,
            ended_at_ms: record.sent_at_ms + elapsed_ms,
            status: record.status,
            fields: record.fields.to_vec(),
            outcome,
            target,
        });
    }
}

/// The output of a crawl.
struct CrawlOutput {
    ending: StopReason,
    last: CrawlSnapshot,
    requests: Vec<ObservedRequest>,
}

impl CrawlOutput {
    fn documents(&self) -> impl Iterator<Item = &ObservedRequest> {
        self.requests.iter().filter(|request| request.outcome == "document" && request.uri.path() != "/robots.txt")
    }

    /// Requested domains by hop.
    fn domains_by_hop(&self) -> BTreeMap<u16, BTreeSet<String>> {
        let mut domains: BTreeMap<u16, BTreeSet<String>> = BTreeMap::new();
        for request in &self.requests {
            domains.entry(request.depth).or_default().insert(request.uri.pld().as_str().to_owned());
        }
        domains
    }

    fn drops(&self, reason: DropReason) -> u64 {
        self.last.tally.dropped_by_reason.get(reason.name()).copied().unwrap_or_default()
    }
}

struct TestCrawl {
    settings: EngineOptions,
    scope: Scope,
    frontier: Arc<dyn Frontier>,
    addresses: Option<fn(&str) -> IpAddr>,
}

impl TestCrawl {
    fn new(settings: EngineOptions) -> Self {
        let frontier = Arc::new(MemoryFrontier::new(None));
        Self { settings, scope: Scope::default(), frontier, addresses: None }
    }

    async fn crawl(self, web: Arc<dyn Web>, seeds: &[String]) -> CrawlOutput {
        let observer = RecordingObserver::default();
        let mut fetcher = InProcessFetcher::new(web);
        if let Some(addresses) = self.addresses {
            fetcher = fetcher.with_addresses(addresses);
        }
        let crawl = CrawlBuilder {
            scope: self.scope,
            options: EngineOptions { strict_hops: true, ..self.settings },
            observers: vec![Box::new(observer.clone())],
            ..CrawlBuilder::new(
                self.frontier,
                Box::new(BreadthFirstStrategy),
                Arc::new(fetcher),
                Arc::new(DocumentReader::new(ExtractOptions::default())),
                Arc::new(MemoryStore::default()),
            )
        }
        .build();
        let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
        let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
        let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
        let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();
        let requests = std::mem::take(&mut *observer.0.lock().unwrap());
        CrawlOutput { ending, last, requests }
    }
}

fn limited(hops: HopLimits) -> EngineOptions {
    EngineOptions { delay: Duration::ZERO, hops, ..EngineOptions::default() }
}

fn world(preset: &str, hosts: u32, documents_per_host: u32) -> Arc<World> {
    let mut parameters = WorldParameters::preset(preset).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (hosts, documents_per_host);
    Arc::new(World::new(parameters).unwrap())
}

/// Asserts that every request of a hop ended before the first of the next one was sent.
fn assert_strict(requests: &[ObservedRequest]) {
    let deepest = requests.iter().map(|request| request.depth).max().unwrap();
    assert!(deepest > 2, "too few hops");
    for depth in 0..deepest {
        let last_end =
            requests.iter().filter(|request| request.depth <= depth).map(|request| request.ended_at_ms).max();
        let next_start =
            requests.iter().filter(|request| request.depth > depth).map(|request| request.departed_at_ms).min();
        assert!(last_end <= next_start, "hop {depth}: {last_end:?} ms, {next_start:?} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn hop_is_complete_before_the_next_one_starts() {
    for (preset, delay_ms, addresses) in [("mixed", 0, false), ("polite", 500, true), ("faults", 100, false)] {
        let world = world(preset, 9, 12);
        let settings = EngineOptions { delay: Duration::from_millis(delay_ms), ..EngineOptions::default() };
        let crawl = TestCrawl { addresses: addresses.then_some(three_addresses as _), ..TestCrawl::new(settings) };

        let output = crawl.crawl(Arc::clone(&world) as _, &world.seeds()).await;

        assert_eq!(output.ending, StopReason::Drained, "{preset}");
        assert_strict(&output.requests);
        let attempts = output.requests.iter().filter(|request| request.outcome == "failure").count();
        assert!(preset != "faults" || attempts as u64 > output.last.tally.uris_failed, "some requests are retried");
        let of_hops: u64 = output.last.tally.documents_by_hop.iter().sum();
        assert_eq!(of_hops, output.last.tally.documents);
    }
}

#[tokio::test(start_paused = true)]
async fn documents_per_hop_are_limited() {
    let world = world("demo", 12, 30);
    let limits = HopLimits { max_documents: Some(20), ..HopLimits::default() };

    let output = TestCrawl::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    assert_eq!(output.ending, StopReason::Drained);
    let by_hop = &output.last.tally.documents_by_hop;
    assert!(by_hop.iter().all(|documents| *documents <= 20), "{by_hop:?}");
    assert!(by_hop.contains(&20), "{by_hop:?}");
    assert!(output.drops(DropReason::HopLimit) > 0);
}

#[tokio::test(start_paused = true)]
async fn documents_per_domain_and_hop_are_limited() {
    let world = world("demo", 6, 30);
    let limits = HopLimits { max_documents_per_domain: Some(3), ..HopLimits::default() };

    let output = TestCrawl::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let mut shares: BTreeMap<(u16, String), u32> = BTreeMap::new();
    for request in output.documents() {
        *shares.entry((request.depth, request.uri.pld().as_str().to_owned())).or_default() += 1;
    }
    assert_eq!(shares.values().max(), Some(&3));
    assert!(output.drops(DropReason::HopDomainLimit) > 0);
}

#[tokio::test(start_paused = true)]
async fn largest_domains_are_selected_for_the_next_hop() {
    let world = world("demo", 12, 20);
    let limits = HopLimits { max_domains: Some(4), ..HopLimits::default() };

    let output = TestCrawl::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let domains = output.domains_by_hop();
    let seeds: BTreeSet<String> =
        world.seeds().iter().map(|seed| Uri::parse(seed).unwrap().pld().as_str().to_owned()).collect();
    assert!(domains[&0].is_superset(&seeds), "all seeds are requested");
    assert!(domains.len() > 2, "{domains:?}");
    for (depth, domains) in domains.range(1..) {
        assert!(domains.len() <= 4, "hop {depth}: {domains:?}");
    }
    assert!(output.drops(DropReason::HopDomains) > 0);
}

#[tokio::test(start_paused = true)]
async fn hop_ends_when_too_few_domains_are_left() {
    // One large domain and three small ones, in the first hop and in the second.
    let web = ScriptedWeb(|url| {
        let links = |links: Vec<String>| {
            let objects: Vec<String> = links.iter().map(|link| format!("<{link}>")).collect();
            let objects = if objects.is_empty() { "\"none\"".to_owned() } else { objects.join(", ") };
            let body = format!("<http://x.example/> <http://p.example/p> {objects} .");
            web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], &body)
        };
        match url {
            "http://seed.example/" => links(
                (0..50)
                    .map(|n| format!("http://large.example/{n}"))
                    .chain((0..3).map(|n| format!("http://s{n}.example/")))
                    .collect(),
            ),
            "http://s0.example/" => links((0..9).map(|n| format!("http://large.example/next/{n}")).collect()),
            _ if url.ends_with("/robots.txt") => web_response(404, &[], ""),
            _ => links(Vec::new()),
        }
    });
    // The vocabulary is not part of the test.
    let scope = Scope { skips_vocabularies: true, ..Scope::default() };
    let limits = HopLimits { min_domains: Some(3), ..HopLimits::default() };

    let crawl = TestCrawl { scope, ..TestCrawl::new(limited(limits)) };
    let output = crawl.crawl(Arc::new(web), &["http://seed.example/".to_owned()]).await;

    assert_eq!(output.ending, StopReason::Drained);
    let large = |depth| {
        output.documents().filter(|request| request.depth == depth && request.uri.host() == "large.example").count()
    };
    assert!((1..10).contains(&large(1)), "{}", large(1));
    assert_eq!(large(2), 1, "each domain has one request in each hop");
    let fetched = output.documents().filter(|request| request.uri.host() == "large.example").count() as u64;
    assert_eq!(output.drops(DropReason::HopEnded), 59 - fetched);
}

fn on_disk(dir: &Path) -> Arc<dyn Frontier> {
    let database = embedded::open_database(dir, 8).unwrap();
    Arc::new(EmbeddedFrontier::open(&database, embedded::EmbeddedFrontierOptions::default()).unwrap())
}

#[tokio::test(start_paused = true)]
async fn hop_limits_apply_across_all_runs_of_a_crawl() {
    let world = world("demo", 12, 30);
    let limits = HopLimits {
        max_documents: Some(40),
        max_documents_per_domain: Some(5),
        max_domains: Some(6),
        ..HopLimits::default()
    };
    let dir = tempfile::tempdir().unwrap();

    let mut requests = Vec::new();
    let mut runs = 0;
    let last = loop {
        runs += 1;
        let settings = EngineOptions { max_documents: Some(13 * runs), ..limited(limits) };
        let crawl = TestCrawl { frontier: on_disk(dir.path()), ..TestCrawl::new(settings) };
        let mut output = crawl.crawl(Arc::clone(&world) as _, &world.seeds()).await;
        requests.append(&mut output.requests);
        if output.ending == StopReason::Drained {
            break output;
        }
    };

    assert!(runs > 4, "{runs} runs");
    let all = CrawlOutput { requests, ..last };
    let mut shares: BTreeMap<(u16, String), u32> = BTreeMap::new();
    for request in all.documents() {
        *shares.entry((request.depth, request.uri.pld().as_str().to_owned())).or_default() += 1;
    }
    assert_eq!(shares.values().max(), Some(&5));
    for (depth, domains) in all.domains_by_hop().range(1..) {
        assert!(domains.len() <= 6, "hop {depth}: {domains:?}");
    }
    let by_hop = &all.last.tally.documents_by_hop;
    assert!(by_hop.iter().all(|documents| *documents <= 40), "{by_hop:?}");
    assert_eq!(by_hop.iter().sum::<u64>(), all.documents().count() as u64);
}

#[tokio::test(start_paused = true)]
async fn domains_of_a_hop_are_selected_once() {
    // Three URIs wait at a.example and two at b.example, which has a long delay; so when the crawl is resumed, most
    // wait at b.example.
    let web = || {
        Arc::new(ScriptedWeb(|url| match url {
            "http://seed.example/" => {
                let objects = ["a.example/1", "a.example/2", "a.example/3", "b.example/1", "b.example/2"];
                let objects = objects.map(|object| format!("<http://{object}>")).join(", ");
                let body = format!("<> <http://p.example/p> {objects} .");
                web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], &body)
            }
            "http://b.example/robots.txt" => web_response(200, &[], "User-agent: *\nCrawl-delay: 100"),
            _ if url.ends_with("/robots.txt") => web_response(404, &[], ""),
            _ => web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], ""),
        }))
    };
    let seeds = ["http://seed.example/", "http://b.example/"].map(str::to_owned);
    let limits = HopLimits { max_domains: Some(1), ..HopLimits::default() };
    let dir = tempfile::tempdir().unwrap();

    let mut fetched = Vec::new();
    for max_documents in [Some(4), None] {
        let settings = EngineOptions { max_documents, ..limited(limits) };
        let crawl = TestCrawl { frontier: on_disk(dir.path()), ..TestCrawl::new(settings) };
        let output = crawl.crawl(web(), &seeds).await;
        fetched.extend(output.documents().map(|request| request.uri.to_string()));
    }

    let of_a = (1..4).map(|number| format!("http://a.example/{number}"));
    assert_eq!(fetched, seeds.into_iter().chain(of_a).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn crawl_stops_at_the_limit_of_rdf_documents() {
    let world = world("mixed", 8, 30);
    let settings = EngineOptions { max_rdf_documents: Some(25), ..limited(HopLimits::default()) };

    let output = TestCrawl::new(settings).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    assert_eq!((output.ending, output.last.tally.rdf_documents), (StopReason::MaxRdfDocuments, 25));
}

#[tokio::test(start_paused = true)]
async fn redirects_of_seeds_are_followed_at_depth_zero() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/me" => web_response(303, &[(http::header::LOCATION, "http://data.b.example/me.ttl")], ""),
        "http://data.b.example/me.ttl" => web_response(
            200,
            &[(http::header::CONTENT_TYPE, "text/turtle")],
            "<> <http://p.example/p> <http://c.example/> .",
        ),
        _ => web_response(404, &[], ""),
    });
    let scope = Scope { max_depth: Some(0), ..Scope::default() };

    let crawl = TestCrawl { scope, ..TestCrawl::new(limited(HopLimits::default())) };
    let output = crawl.crawl(Arc::new(web), &["http://a.example/me".to_owned()]).await;

    let urls: Vec<&str> = output.requests.iter().map(|request| request.uri.as_str()).collect();
    let robots = ["http://a.example/robots.txt", "http://data.b.example/robots.txt"];
    assert_eq!(urls, [robots[0], "http://a.example/me", robots[1], "http://data.b.example/me.ttl"]);
    assert_eq!(output.drops(DropReason::Depth), 2, "the object and the predicate");
}

#[tokio::test(start_paused = true)]
async fn observer_receives_every_request() {
    let world = world("mixed", 5, 15);

    let output = TestCrawl::new(limited(HopLimits::default())).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let tally = &output.last.tally;
    let count =
        |is: &dyn Fn(&ObservedRequest) -> bool| output.requests.iter().filter(|request| is(request)).count() as u64;
    assert_eq!(output.requests.len() as u64, tally.requests());
    assert_eq!(count(&|request| request.uri.path() == "/robots.txt"), tally.requests_robots);
    assert_eq!(output.documents().count() as u64, tally.documents);
    let is_page = |request: &ObservedRequest| request.uri.path() != "/robots.txt";
    assert_eq!(count(&|request| request.outcome == "redirect" && is_page(request)), tally.redirects);
    for request in &output.requests {
        assert_eq!(request.method, "GET");
        assert!(request.status.is_some(), "{request:?}");
        assert!(
            request.outcome != "document" || request.fields.iter().any(|(name, _)| name == "content-type"),
            "{request:?}"
        );
        let location = request.fields.iter().find(|(name, _)| name == "location");
        assert_eq!(request.target.is_some(), location.is_some(), "{request:?}");
    }
}
