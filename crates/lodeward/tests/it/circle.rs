//! Whole crawls of generated worlds, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Command, Crawl, Ending, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::{Frontier, MemoryFrontier};
use lodeward::model::Uri;
use lodeward::select::{BreadthFirst, Ldcoc, Order, Strategy, ldcoc};
use lodeward::store::follow::Followers;
use lodeward::store::{MemoryStore, Store};
use tokio::sync::{mpsc, watch};
use toyweb::access_log::Entry;
use toyweb::truth::{self, Mode};
use toyweb::world::{Parameters, World};

use crate::in_process::{InProcess, Scripted, answer, three_addresses};

/// What a crawl left behind.
struct Outcome {
    ending: Ending,
    last: Snapshot,
    log: Vec<Entry>,
    harvest: String,
}

fn settings() -> Settings {
    Settings { delay: Duration::ZERO, ..Settings::default() }
}

async fn crawl(world: &Arc<World>, settings: Settings, scope: Scope, addresses: Option<fn(&str) -> IpAddr>) -> Outcome {
    let mut fetcher = InProcess::new(Arc::clone(world) as Arc<dyn toyweb::Web>);
    if let Some(addresses) = addresses {
        fetcher = fetcher.with_addresses(addresses);
    }
    let seeds: Vec<String> = world.seeds();
    crawl_with(fetcher, &seeds.iter().map(String::as_str).collect::<Vec<_>>(), settings, scope).await
}

async fn crawl_web(web: Arc<dyn toyweb::Web>, seeds: &[&str], settings: Settings) -> Outcome {
    crawl_with(InProcess::new(web), seeds, settings, Scope::default()).await
}

async fn crawl_with(fetcher: InProcess, seeds: &[&str], settings: Settings, scope: Scope) -> Outcome {
    crawl_by(Box::new(BreadthFirst), fetcher, seeds, settings, scope).await
}

async fn crawl_by(
    strategy: Box<dyn Strategy>,
    fetcher: InProcess,
    seeds: &[&str],
    settings: Settings,
    scope: Scope,
) -> Outcome {
    let frontier = Arc::new(MemoryFrontier::new(Order::RoundRobin, None));
    let store = Arc::new(MemoryStore::default());
    let fetcher = Arc::new(fetcher);
    let crawl = Crawl {
        frontier: Arc::clone(&frontier) as Arc<dyn Frontier>,
        strategy,
        notebook: None,
        fetcher: Arc::clone(&fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&store) as _,
        followers: Followers::default(),
        scope,
        discover: Policy::default(),
        settings,
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    };
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());

    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();

    if ending == Ending::Drained {
        let census = frontier.census().await.unwrap();
        assert_eq!((census.waiting, census.leased), (0, 0), "a crawl leaves no loose ends");
    }
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    Outcome { ending, last, log, harvest: String::from_utf8(harvest).unwrap() }
}

fn world(preset: &str, change: impl FnOnce(&mut Parameters)) -> Arc<World> {
    let mut parameters = Parameters::preset(preset).unwrap();
    change(&mut parameters);
    Arc::new(World::new(parameters).unwrap())
}

/// The smallest gap between the end of an answer and the next request, by
/// whatever a request is grouped under.
pub(crate) fn smallest_gaps<K: Ord>(log: &[Entry], group: impl Fn(&Entry) -> K) -> BTreeMap<K, Duration> {
    let mut ends: BTreeMap<K, u64> = BTreeMap::new();
    let mut gaps: BTreeMap<K, Duration> = BTreeMap::new();
    let mut log: Vec<_> = log.iter().collect();
    log.sort_by_key(|entry| entry.start_us);
    for entry in log {
        if let Some(end) = ends.insert(group(entry), entry.end_us) {
            let gap = Duration::from_micros(entry.start_us.saturating_sub(end));
            let known = gaps.entry(group(entry)).or_insert(gap);
            *known = gap.min(*known);
        }
    }
    gaps
}

pub(crate) fn pld_of(entry: &Entry) -> String {
    Uri::parse(&entry.url).unwrap().pld().as_str().to_owned()
}

#[tokio::test(start_paused = true)]
async fn going_on_with_a_body_that_broke_off_is_a_request_like_any_other() {
    let web = Scripted(|url| match url {
        "http://a.example/robots.txt" => answer(200, &[], "User-agent: *\nCrawl-delay: 7"),
        _ => {
            let turtle = answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], "<> <http://p.example/p> <#> .");
            toyweb::Response { conduct: toyweb::Conduct::Cut(9), ..turtle }
        }
    });
    let seeds = ["http://a.example/1.ttl", "http://a.example/2.ttl"];

    let outcome = crawl_web(Arc::new(web), &seeds, settings()).await;

    let asked = outcome.log.iter().filter(|entry| pld_of(entry) == "a.example");
    let statuses: Vec<u16> = asked.map(|entry| entry.status).collect();
    assert_eq!(statuses, [200, 200, 206, 200, 206]);
    assert_eq!(outcome.last.tally.requests(), outcome.log.len() as u64);
    let gap = smallest_gaps(&outcome.log, pld_of)["a.example"];
    assert!(gap >= Duration::from_secs(7), "{gap:?}");
}

#[tokio::test(start_paused = true)]
async fn every_rdf_document_of_a_mixed_world_is_found_and_fetched_once() {
    let world = world("mixed", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 30;
    });

    let outcome = crawl(&world, settings(), Scope::default(), None).await;

    assert_eq!(outcome.ending, Ending::Drained);
    let graphs: BTreeSet<_> = outcome.harvest.lines().filter_map(graph_of).collect();
    truth::truth(&world, Mode::All, &mut |document| {
        if document.counts() && document.kind.is_serialisation() {
            assert!(graphs.contains(document.url.as_str()), "{} was missed", document.url);
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
async fn no_domain_and_no_address_is_asked_before_its_delay() {
    for delay_ms in [100, 1_000] {
        let delay = Duration::from_millis(delay_ms);
        let world = world("polite", |parameters| {
            parameters.hosts = 12;
            parameters.documents_per_host = 6;
        });

        let settings = Settings { delay, ..settings() };
        let outcome = crawl(&world, settings, Scope::default(), Some(three_addresses)).await;

        assert_eq!(outcome.ending, Ending::Drained);
        for (pld, gap) in smallest_gaps(&outcome.log, pld_of) {
            let asked = world.crawl_delay_s(&pld).map_or(Duration::ZERO, Duration::from_secs_f64);
            let required = delay.max(asked);
            assert!(gap >= required, "{pld}: {gap:?} between two requests, {required:?} required");
        }
        let address = |entry: &Entry| three_addresses(Uri::parse(&entry.url).unwrap().host());
        for (address, gap) in smallest_gaps(&outcome.log, address) {
            assert!(gap >= delay, "{address}: {gap:?} between two requests, {delay:?} required");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn limits_are_kept_exactly() {
    let world = world("demo", |_| {});

    let documents = Settings { documents_max: Some(50), ..settings() };
    let by_documents = crawl(&world, documents, Scope::default(), None).await;
    let requests = Settings { requests_max: Some(50), ..settings() };
    let by_requests = crawl(&world, requests, Scope::default(), None).await;

    assert_eq!((by_documents.ending, by_documents.last.tally.documents), (Ending::MaxDocuments, 50));
    assert_eq!((by_requests.ending, by_requests.log.len()), (Ending::MaxRequests, 50));
}

#[tokio::test(start_paused = true)]
async fn a_crawl_survives_everything_that_can_go_wrong() {
    let world = world("faults", |parameters| {
        parameters.hosts = 8;
        parameters.documents_per_host = 12;
    });

    let outcome = crawl(&world, settings(), Scope::default(), None).await;

    assert_eq!(outcome.ending, Ending::Drained);
    let faults = &outcome.last.tally.faults;
    for kind in ["timeout", "connect", "busy", "truncated", "too-large", "status"] {
        assert!(faults.contains_key(kind), "{kind} is missing in {faults:?}");
    }
    assert!(outcome.last.tally.drops.contains_key("trap"), "{:?}", outcome.last.tally.drops);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_to_be_left_alone_for_ever_is() {
    let web = Scripted(|url| match url {
        "http://a.example/1" => answer(503, &[(http::header::RETRY_AFTER, "18446744073709551615")], ""),
        _ => answer(404, &[], ""),
    });

    let outcome = crawl_web(Arc::new(web), &["http://a.example/1", "http://a.example/2"], settings()).await;

    assert_eq!(outcome.ending, Ending::Drained);
    assert_eq!(outcome.last.tally.faults["busy"], 1);
    assert_eq!(outcome.last.tally.drops["unreachable"], 1);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_forbids_everything_does_not_hold_up_the_crawl() {
    let web = Scripted(|url| match url {
        "http://a.example/robots.txt" => answer(200, &[], "User-agent: *\nDisallow: /x"),
        "http://a.example/1" => {
            let links: Vec<String> = (0..2_000).map(|n| format!("<a href=/x/{n}>{n}</a>")).collect();
            answer(200, &[(http::header::CONTENT_TYPE, "text/html")], &format!("<html>{}", links.concat()))
        }
        _ => answer(404, &[], ""),
    });

    let outcome = crawl_web(Arc::new(web), &["http://a.example/1"], settings()).await;

    assert_eq!(outcome.ending, Ending::Drained);
    assert_eq!(outcome.last.tally.drops["robots"], 2_000);
    let tally = &outcome.last.tally;
    let dealt_with = tally.documents + tally.redirects + tally.failed + tally.drops.values().sum::<u64>();
    assert_eq!(dealt_with, outcome.last.census.known, "every URI is accounted for");
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_crawl() {
    let world = world("demo", |_| {});
    let settings = || Settings { in_order: true, documents_max: Some(200), ..settings() };

    let first = crawl(&world, settings(), Scope::default(), None).await;
    let second = crawl(&world, settings(), Scope::default(), None).await;

    let urls = |outcome: &Outcome| outcome.log.iter().map(|entry| entry.url.clone()).collect::<BTreeSet<_>>();
    assert_eq!(urls(&first), urls(&second));
    assert_eq!(first.harvest, second.harvest);
}

#[tokio::test(start_paused = true)]
async fn depth_is_counted_in_hops_and_redirects_are_none() {
    let world = world("demo", |_| {});
    let scope = Scope { depth_max: Some(0), ..Scope::default() };

    let outcome = crawl(&world, settings(), scope, None).await;

    let seeds = world.seeds().len() as u64;
    assert_eq!(outcome.ending, Ending::Drained);
    assert!(outcome.last.tally.documents <= seeds);
    assert!(outcome.last.tally.documents > 0);
    assert!(outcome.last.tally.drops["depth"] > 0);
}

/// A crawl of a world by LDCOC.
async fn crawl_by_ldcoc(world: &Arc<World>, settings: Settings) -> Outcome {
    let strategy = Ldcoc::new(ldcoc::Options { bits: 16, ..ldcoc::Options::default() }, None).unwrap();
    let fetcher = InProcess::new(Arc::clone(world) as Arc<dyn toyweb::Web>);
    let seeds: Vec<String> = world.seeds();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();
    crawl_by(Box::new(strategy), fetcher, &seeds, settings, Scope::default()).await
}

/// A world where sites and sections differ in how much RDF their pages hold, and
/// names tell something of it.
fn uneven_world() -> Arc<World> {
    let parameters = include_str!("../../../../eval/worlds/small.toml");
    let parameters = Parameters::from_toml(parameters).unwrap();
    Arc::new(World::new(Parameters { hosts: 20, documents_per_host: 40, ..parameters }).unwrap())
}

#[tokio::test(start_paused = true)]
async fn ldcoc_spends_its_requests_where_rdf_is() {
    let world = uneven_world();

    let settings = || Settings { in_order: true, ..settings() };
    let by_ldcoc = crawl_by_ldcoc(&world, settings()).await;
    let by_breadth = crawl(&world, settings(), Scope::default(), None).await;

    // The share of RDF among hard documents, compared without dividing.
    let (ldcoc, breadth) = (&by_ldcoc.last.tally, &by_breadth.last.tally);
    let told = format!("{}/{}, {}/{}", ldcoc.hard_relevant, ldcoc.hard, breadth.hard_relevant, breadth.hard);
    assert!(ldcoc.hard_relevant * breadth.hard > breadth.hard_relevant * ldcoc.hard, "{told}");
    let asked = |method: &str| {
        let log = by_ldcoc.log.iter().filter(|entry| entry.method == method && !entry.url.ends_with("/robots.txt"));
        let urls: Vec<&str> = log.map(|entry| entry.url.as_str()).collect();
        assert_eq!(urls.len(), urls.iter().collect::<BTreeSet<_>>().len(), "no {method} is made twice");
        urls.len()
    };
    assert!(asked("HEAD") > 0 && asked("GET") > 0);
    assert!(by_ldcoc.last.tally.drops["selector"] > 0);
}

#[tokio::test(start_paused = true)]
async fn the_same_seed_gives_the_same_crawl_by_ldcoc() {
    let world = uneven_world();
    let settings = |seed| Settings { in_order: true, documents_max: Some(80), seed, ..settings() };

    let first = crawl_by_ldcoc(&world, settings(1)).await;
    let second = crawl_by_ldcoc(&world, settings(1)).await;
    let other = crawl_by_ldcoc(&world, settings(2)).await;

    let urls = |outcome: &Outcome| outcome.log.iter().map(|entry| entry.url.clone()).collect::<BTreeSet<_>>();
    assert_eq!(urls(&first), urls(&second));
    assert_eq!(first.harvest, second.harvest);
    assert_ne!(urls(&first), urls(&other));
}
