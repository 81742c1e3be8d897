//! Crawls hop by hop, and who is told of every request, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Came, Command, Crawl, Ending, HopLimits, Observer, Scope, Settings, Snapshot, Visited};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, MemoryFrontier};
use lodeward::model::{DropReason, Uri};
use lodeward::select::{BreadthFirst, Order};
use lodeward::store::MemoryStore;
use lodeward::store::follow::Followers;
use tokio::sync::{mpsc, watch};
use toyweb::Web;
use toyweb::world::{Parameters, World};

use crate::in_process::{InProcess, Scripted, answer, three_addresses};

/// A request, as an observer saw it.
#[derive(Clone, Debug)]
struct Seen {
    uri: Uri,
    method: &'static str,
    depth: u16,
    departed_at_ms: u64,
    ended_at_ms: u64,
    status: Option<u16>,
    fields: Vec<(String, String)>,
    came: &'static str,
    target: Option<Uri>,
}

#[derive(Clone, Default)]
struct Witness(Arc<Mutex<Vec<Seen>>>);

impl Observer for Witness {
    fn wants_fields(&self) -> bool {
        true
    }

    fn visited(&mut self, visited: &Visited<'_>) {
        let elapsed_ms = u64::try_from(visited.elapsed.as_millis()).unwrap();
        let (came, target) = match visited.came {
            Came::Document { .. } => ("document", None),
            Came::Redirect(target) => ("redirect", target.cloned()),
            Came::Refusal(_) => ("refusal", None),
            Came::Answer => ("answer", None),
        };
        self.0.lock().unwrap().push(Seen {
            uri: visited.uri.clone(),
            method: visited.request.method(),
            depth: visited.depth,
            departed_at_ms: visited.departed_at_ms,
            ended_at_ms: visited.departed_at_ms + elapsed_ms,
            status: visited.status,
            fields: visited.fields.to_vec(),
            came,
            target,
        });
    }
}

/// What a crawl left behind.
struct Told {
    ending: Ending,
    last: Snapshot,
    seen: Vec<Seen>,
}

impl Told {
    fn documents(&self) -> impl Iterator<Item = &Seen> {
        self.seen.iter().filter(|seen| seen.came == "document" && seen.uri.path() != "/robots.txt")
    }

    /// Domains of which something was asked for, by hop.
    fn domains_by_hop(&self) -> BTreeMap<u16, BTreeSet<String>> {
        let mut domains: BTreeMap<u16, BTreeSet<String>> = BTreeMap::new();
        for seen in &self.seen {
            domains.entry(seen.depth).or_default().insert(seen.uri.pld().as_str().to_owned());
        }
        domains
    }

    fn drops(&self, reason: DropReason) -> u64 {
        self.last.tally.drops.get(reason.name()).copied().unwrap_or_default()
    }
}

struct Asked {
    settings: Settings,
    scope: Scope,
    frontier: Arc<dyn Frontier>,
    addresses: Option<fn(&str) -> IpAddr>,
}

impl Asked {
    fn new(settings: Settings) -> Self {
        let frontier = Arc::new(MemoryFrontier::new(Order::Hops, None));
        Self { settings, scope: Scope::default(), frontier, addresses: None }
    }

    async fn crawl(self, web: Arc<dyn Web>, seeds: &[String]) -> Told {
        let witness = Witness::default();
        let mut fetcher = InProcess::new(web);
        if let Some(addresses) = self.addresses {
            fetcher = fetcher.with_addresses(addresses);
        }
        let crawl = Crawl {
            frontier: self.frontier,
            strategy: Box::new(BreadthFirst),
            notebook: None,
            fetcher: Arc::new(fetcher),
            extractor: Arc::new(Reader::new(Options::default())),
            store: Arc::new(MemoryStore::default()),
            followers: Followers::default(),
            scope: self.scope,
            discover: Policy::documents_only(),
            settings: self.settings,
            revived: Vec::new(),
            observers: vec![Box::new(witness.clone())],
            manners: Arc::default(),
            rests: Arc::default(),
        };
        let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
        let (_operator, commands) = mpsc::channel::<Command>(1);
        let (progress, _watcher) = watch::channel(Snapshot::default());
        let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();
        let seen = std::mem::take(&mut *witness.0.lock().unwrap());
        Told { ending, last, seen }
    }
}

fn limited(hops: HopLimits) -> Settings {
    Settings { delay: Duration::ZERO, hops, ..Settings::default() }
}

fn world(preset: &str, hosts: u32, documents_per_host: u32) -> Arc<World> {
    let mut parameters = Parameters::preset(preset).unwrap();
    (parameters.hosts, parameters.documents_per_host) = (hosts, documents_per_host);
    Arc::new(World::new(parameters).unwrap())
}

/// Every request of a hop ended before the first of the next one was sent.
fn assert_strict(seen: &[Seen]) {
    let deepest = seen.iter().map(|seen| seen.depth).max().unwrap();
    assert!(deepest > 2, "there are several hops");
    for depth in 0..deepest {
        let last_end = seen.iter().filter(|seen| seen.depth <= depth).map(|seen| seen.ended_at_ms).max();
        let next_start = seen.iter().filter(|seen| seen.depth > depth).map(|seen| seen.departed_at_ms).min();
        assert!(last_end <= next_start, "hop {depth}: {last_end:?} ms, {next_start:?} ms");
    }
}

#[tokio::test(start_paused = true)]
async fn a_hop_is_done_before_the_next_one_is_asked_for() {
    for (preset, delay_ms, addresses) in [("mixed", 0, false), ("polite", 500, true), ("faults", 100, false)] {
        let world = world(preset, 9, 12);
        let settings = Settings { delay: Duration::from_millis(delay_ms), ..Settings::default() };
        let asked = Asked { addresses: addresses.then_some(three_addresses as _), ..Asked::new(settings) };

        let told = asked.crawl(Arc::clone(&world) as _, &world.seeds()).await;

        assert_eq!(told.ending, Ending::Drained, "{preset}");
        assert_strict(&told.seen);
        let attempts = told.seen.iter().filter(|seen| seen.came == "refusal").count();
        assert!(preset != "faults" || attempts as u64 > told.last.tally.failed, "some were tried again");
        let of_hops: u64 = told.last.tally.documents_by_hop.iter().sum();
        assert_eq!(of_hops, told.last.tally.documents);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hop_has_no_more_documents_than_it_may() {
    let world = world("demo", 12, 30);
    let limits = HopLimits { documents_max: Some(20), ..HopLimits::default() };

    let told = Asked::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    assert_eq!(told.ending, Ending::Drained);
    let by_hop = &told.last.tally.documents_by_hop;
    assert!(by_hop.iter().all(|documents| *documents <= 20), "{by_hop:?}");
    assert!(by_hop.contains(&20), "{by_hop:?}");
    assert!(told.drops(DropReason::HopLimit) > 0);
}

#[tokio::test(start_paused = true)]
async fn a_domain_has_no_more_of_a_hop_than_its_share() {
    let world = world("demo", 6, 30);
    let limits = HopLimits { documents_per_pld_max: Some(3), ..HopLimits::default() };

    let told = Asked::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let mut shares: BTreeMap<(u16, String), u32> = BTreeMap::new();
    for seen in told.documents() {
        *shares.entry((seen.depth, seen.uri.pld().as_str().to_owned())).or_default() += 1;
    }
    assert_eq!(shares.values().max(), Some(&3));
    assert!(told.drops(DropReason::HopPldLimit) > 0);
}

#[tokio::test(start_paused = true)]
async fn only_the_largest_domains_go_on_to_the_next_hop() {
    let world = world("demo", 12, 20);
    let limits = HopLimits { plds_max: Some(4), ..HopLimits::default() };

    let told = Asked::new(limited(limits)).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let domains = told.domains_by_hop();
    let seeds: BTreeSet<String> =
        world.seeds().iter().map(|seed| Uri::parse(seed).unwrap().pld().as_str().to_owned()).collect();
    assert!(domains[&0].is_superset(&seeds), "all seeds are visited");
    assert!(domains.len() > 2, "{domains:?}");
    for (depth, domains) in domains.range(1..) {
        assert!(domains.len() <= 4, "hop {depth}: {domains:?}");
    }
    assert!(told.drops(DropReason::HopPlds) > 0);
}

#[tokio::test(start_paused = true)]
async fn a_hop_ends_when_few_domains_are_left_in_it() {
    // One large domain, three small ones, in the first hop and in the second.
    let web = Scripted(|url| {
        let links = |links: Vec<String>| {
            let objects: Vec<String> = links.iter().map(|link| format!("<{link}>")).collect();
            let objects = if objects.is_empty() { "\"none\"".to_owned() } else { objects.join(", ") };
            let body = format!("<http://x.example/> <http://p.example/p> {objects} .");
            answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], &body)
        };
        match url {
            "http://seed.example/" => links(
                (0..50)
                    .map(|n| format!("http://large.example/{n}"))
                    .chain((0..3).map(|n| format!("http://s{n}.example/")))
                    .collect(),
            ),
            "http://s0.example/" => links((0..9).map(|n| format!("http://large.example/next/{n}")).collect()),
            _ if url.ends_with("/robots.txt") => answer(404, &[], ""),
            _ => links(Vec::new()),
        }
    });
    // What p.example holds is of no interest here.
    let scope = Scope { skips_vocabularies: true, ..Scope::default() };
    let limits = HopLimits { plds_min: Some(3), ..HopLimits::default() };

    let asked = Asked { scope, ..Asked::new(limited(limits)) };
    let told = asked.crawl(Arc::new(web), &["http://seed.example/".to_owned()]).await;

    assert_eq!(told.ending, Ending::Drained);
    let large =
        |depth| told.documents().filter(|seen| seen.depth == depth && seen.uri.host() == "large.example").count();
    assert!((1..10).contains(&large(1)), "{}", large(1));
    assert_eq!(large(2), 1, "each domain has a visit in each hop");
    let visited = told.documents().filter(|seen| seen.uri.host() == "large.example").count() as u64;
    assert_eq!(told.drops(DropReason::HopEnded), 59 - visited);
}

fn on_disk(folder: &Path) -> Arc<dyn Frontier> {
    let database = embedded::open_database(folder, 8).unwrap();
    let options = embedded::Options { order: Order::Hops, ..embedded::Options::default() };
    Arc::new(EmbeddedFrontier::open(&database, options).unwrap())
}

#[tokio::test(start_paused = true)]
async fn limits_of_hops_hold_over_all_runs_of_a_crawl() {
    let world = world("demo", 12, 30);
    let limits = HopLimits {
        documents_max: Some(40),
        documents_per_pld_max: Some(5),
        plds_max: Some(6),
        ..HopLimits::default()
    };
    let folder = tempfile::tempdir().unwrap();

    let mut seen = Vec::new();
    let mut runs = 0;
    let last = loop {
        runs += 1;
        let settings = Settings { documents_max: Some(13 * runs), ..limited(limits) };
        let asked = Asked { frontier: on_disk(folder.path()), ..Asked::new(settings) };
        let mut told = asked.crawl(Arc::clone(&world) as _, &world.seeds()).await;
        seen.append(&mut told.seen);
        if told.ending == Ending::Drained {
            break told;
        }
    };

    assert!(runs > 4, "{runs} runs");
    let all = Told { seen, ..last };
    let mut shares: BTreeMap<(u16, String), u32> = BTreeMap::new();
    for seen in all.documents() {
        *shares.entry((seen.depth, seen.uri.pld().as_str().to_owned())).or_default() += 1;
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
async fn which_domains_go_on_to_a_hop_is_decided_once() {
    // Three wait at a.example and two at b.example, which rests for long; so when the
    // crawl is gone on with, most wait at b.example.
    let web = || {
        Arc::new(Scripted(|url| match url {
            "http://seed.example/" => {
                let objects = ["a.example/1", "a.example/2", "a.example/3", "b.example/1", "b.example/2"];
                let objects = objects.map(|object| format!("<http://{object}>")).join(", ");
                let body = format!("<> <http://p.example/p> {objects} .");
                answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], &body)
            }
            "http://b.example/robots.txt" => answer(200, &[], "User-agent: *\nCrawl-delay: 100"),
            _ if url.ends_with("/robots.txt") => answer(404, &[], ""),
            _ => answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], ""),
        }))
    };
    let seeds = ["http://seed.example/", "http://b.example/"].map(str::to_owned);
    let limits = HopLimits { plds_max: Some(1), ..HopLimits::default() };
    let folder = tempfile::tempdir().unwrap();

    let mut visited = Vec::new();
    for documents_max in [Some(4), None] {
        let settings = Settings { documents_max, ..limited(limits) };
        let asked = Asked { frontier: on_disk(folder.path()), ..Asked::new(settings) };
        let told = asked.crawl(web(), &seeds).await;
        visited.extend(told.documents().map(|seen| seen.uri.to_string()));
    }

    let of_a = (1..4).map(|number| format!("http://a.example/{number}"));
    assert_eq!(visited, seeds.into_iter().chain(of_a).collect::<Vec<_>>());
}

#[tokio::test(start_paused = true)]
async fn a_crawl_stops_after_so_many_documents_with_rdf() {
    let world = world("mixed", 8, 30);
    let settings = Settings { relevant_max: Some(25), ..limited(HopLimits::default()) };

    let told = Asked::new(settings).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    assert_eq!((told.ending, told.last.tally.relevant), (Ending::MaxRelevant, 25));
}

#[tokio::test(start_paused = true)]
async fn seeds_alone_are_followed_through_redirects() {
    let web = Scripted(|url| match url {
        "http://a.example/me" => answer(303, &[(http::header::LOCATION, "http://data.b.example/me.ttl")], ""),
        "http://data.b.example/me.ttl" => {
            answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], "<> <http://p.example/p> <http://c.example/> .")
        }
        _ => answer(404, &[], ""),
    });
    let scope = Scope { depth_max: Some(0), ..Scope::default() };

    let asked = Asked { scope, ..Asked::new(limited(HopLimits::default())) };
    let told = asked.crawl(Arc::new(web), &["http://a.example/me".to_owned()]).await;

    let asked: Vec<&str> = told.seen.iter().map(|seen| seen.uri.as_str()).collect();
    let robots = ["http://a.example/robots.txt", "http://data.b.example/robots.txt"];
    assert_eq!(asked, [robots[0], "http://a.example/me", robots[1], "http://data.b.example/me.ttl"]);
    assert_eq!(told.drops(DropReason::Depth), 2, "the object and the predicate");
}

#[tokio::test(start_paused = true)]
async fn an_observer_is_told_of_every_request() {
    let world = world("mixed", 5, 15);

    let told = Asked::new(limited(HopLimits::default())).crawl(Arc::clone(&world) as _, &world.seeds()).await;

    let tally = &told.last.tally;
    let count = |is: &dyn Fn(&Seen) -> bool| told.seen.iter().filter(|seen| is(seen)).count() as u64;
    assert_eq!(told.seen.len() as u64, tally.requests());
    assert_eq!(count(&|seen| seen.uri.path() == "/robots.txt"), tally.requests_robots);
    assert_eq!(told.documents().count() as u64, tally.documents);
    let is_page = |seen: &Seen| seen.uri.path() != "/robots.txt";
    assert_eq!(count(&|seen| seen.came == "redirect" && is_page(seen)), tally.redirects);
    for seen in &told.seen {
        assert_eq!(seen.method, "GET");
        assert!(seen.status.is_some(), "{seen:?}");
        assert!(seen.came != "document" || seen.fields.iter().any(|(name, _)| name == "content-type"), "{seen:?}");
        let location = seen.fields.iter().find(|(name, _)| name == "location");
        assert_eq!(seen.target.is_some(), location.is_some(), "{seen:?}");
    }
}
