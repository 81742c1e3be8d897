//! What a redirect inherits from the link that led to it, in virtual time.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, DomainPolicy, EngineOptions, HopLimits, Scope};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Frontier, MemoryFrontier};
use lodeward::model::{Pld, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use regex::RegexSet;
use tokio::sync::{mpsc, watch};
use toyweb::world::{World, WorldParameters};
use toyweb::{DeliveryFault, Web, WebResponse};

use crate::in_process::{InProcessFetcher, ScriptedWeb, web_response};

/// The URLs of the requests, without robots.txt, and the counts of dropped URIs.
#[derive(Debug)]
struct Crawled {
    urls: Vec<String>,
    dropped: BTreeMap<String, u64>,
}

impl Crawled {
    fn has(&self, url: &str) -> bool {
        self.urls.iter().any(|requested| requested == url)
    }
}

fn options() -> EngineOptions {
    EngineOptions { delay: Duration::ZERO, ..EngineOptions::default() }
}

async fn crawl(web: impl Web + 'static, seeds: &[&str], scope: Scope) -> Crawled {
    crawl_with(Arc::new(MemoryFrontier::new(None)), web, seeds, scope, options()).await
}

async fn crawl_with(
    frontier: Arc<dyn Frontier>,
    web: impl Web + 'static,
    seeds: &[&str],
    scope: Scope,
    options: EngineOptions,
) -> Crawled {
    let fetcher = Arc::new(InProcessFetcher::new(Arc::new(web)));
    let crawl = CrawlBuilder {
        scope,
        options,
        ..CrawlBuilder::new(
            Arc::clone(&frontier),
            Box::new(BreadthFirstStrategy),
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::new(MemoryStore::default()),
        )
    }
    .build();
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());

    let (_, last) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(frontier.census().await.unwrap().uris_in_flight, 0, "every lease is settled");
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    let urls = log.into_iter().map(|entry| entry.url).filter(|url| !url.ends_with("/robots.txt")).collect();
    let mut dropped = last.tally.dropped_by_reason;
    dropped.retain(|_, count| *count > 0);
    Crawled { urls, dropped }
}

fn moved(location: &str) -> WebResponse {
    web_response(303, &[(http::header::LOCATION, location)], "")
}

/// A Turtle document with links to these URIs.
fn document(links: &[&str]) -> WebResponse {
    let triples: String = links.iter().flat_map(|link| ["<> <http://p.example/p> <", link, "> .\n"]).collect();
    web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], &triples)
}

fn slow(response: WebResponse) -> WebResponse {
    WebResponse { delivery: DeliveryFault::Slow(Duration::from_secs(2)), ..response }
}

fn patterns(patterns: &[&str]) -> RegexSet {
    RegexSet::new(patterns).unwrap()
}

#[expect(clippy::unnecessary_wraps, reason = "the type of the field of a scope")]
fn domains(hosts: &[&str]) -> Option<HashSet<Pld>> {
    Some(hosts.iter().map(|host| Pld::from_host(host)).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "the type of the field of a scope")]
fn hosts(hosts: &[&str]) -> Option<HashSet<String>> {
    Some(hosts.iter().map(|&host| host.to_owned()).collect())
}

/// A permanent URI that leads over two redirects to a document of another domain.
fn permanent_uri() -> ScriptedWeb {
    ScriptedWeb(|url| match url {
        "http://w3id.example/thing" => moved("http://hub.example/thing"),
        "http://hub.example/thing" => moved("http://www.data.example/thing.ttl"),
        "http://www.data.example/thing.ttl" => document(&[
            "http://www.data.example/more",
            "http://api.data.example/more",
            "http://w3id.example/other",
            "http://else.example/",
        ]),
        _ => web_response(404, &[], ""),
    })
}

const CHAIN: [&str; 3] = ["http://w3id.example/thing", "http://hub.example/thing", "http://www.data.example/thing.ttl"];

#[tokio::test(start_paused = true)]
async fn the_redirects_of_a_seed_are_followed_within_any_scope() {
    let scopes = [
        ("include", Scope { include: Some(patterns(&["^http://w3id[.]example/"])), ..Scope::default() }),
        ("stay domain", Scope { domains: domains(&["w3id.example"]), ..Scope::default() }),
        (
            "stay host",
            Scope { hosts: hosts(&["w3id.example"]), domains: domains(&["w3id.example"]), ..Scope::default() },
        ),
        ("depth", Scope { max_depth: Some(0), ..Scope::default() }),
        (
            "predicates",
            Scope { follow_predicates: HashSet::from(["http://q.example/".to_owned()]), ..Scope::default() },
        ),
    ];
    for (name, scope) in scopes {
        let crawled = crawl(permanent_uri(), &[CHAIN[0]], scope).await;

        assert_eq!(crawled.urls[..3], CHAIN, "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_redirect_to_a_forbidden_address_is_dropped() {
    let denied = DomainPolicy { denied: HashSet::from(["data.example".to_owned()]), ..DomainPolicy::default() };
    let scopes = [
        ("pattern", Scope { exclude: patterns(&["[.]ttl$"]), ..Scope::default() }),
        ("extension", Scope { skipped_extensions: Some(HashSet::from(["ttl".to_owned()])), ..Scope::default() }),
        ("policy", Scope { domain_policy: denied, ..Scope::default() }),
    ];
    for (reason, scope) in scopes {
        let crawled = crawl(permanent_uri(), &[CHAIN[0]], Scope { domains: domains(&["w3id.example"]), ..scope }).await;

        assert_eq!((&crawled.urls[..], crawled.dropped.get(reason)), (&CHAIN.map(str::to_owned)[..2], Some(&1)));
    }
}

#[tokio::test(start_paused = true)]
async fn robots_txt_applies_to_the_target_of_a_redirect() {
    let web = ScriptedWeb(|url| match url {
        "http://www.data.example/robots.txt" => web_response(200, &[], "User-agent: *\nDisallow: /"),
        url => (permanent_uri().0)(url),
    });

    let crawled = crawl(web, &[CHAIN[0]], Scope { domains: domains(&["w3id.example"]), ..Scope::default() }).await;

    assert_eq!((&crawled.urls[..], crawled.dropped.get("robots")), (&CHAIN.map(str::to_owned)[..2], Some(&1)));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_of_a_link_is_followed_but_adds_no_domain() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/" => document(&["http://a.example/out"]),
        "http://a.example/out" => moved("http://b.example/"),
        "http://b.example/" => document(&["http://b.example/more", "http://a.example/back"]),
        _ => web_response(404, &[], ""),
    });
    let scope = Scope { domains: domains(&["a.example"]), ..Scope::default() };

    let crawled = crawl(web, &["http://a.example/"], scope).await;

    let expected = ["http://a.example/", "http://a.example/out", "http://b.example/", "http://a.example/back"];
    assert_eq!(crawled.urls, expected);
}

#[tokio::test(start_paused = true)]
async fn the_domain_of_a_seeds_redirect_is_a_seed_domain() {
    let check = async |scope: Scope, expected: &[&str]| {
        let crawled = crawl(permanent_uri(), &[CHAIN[0]], scope).await;
        assert_eq!(
            crawled.urls[3..].iter().map(String::as_str).collect::<HashSet<_>>(),
            expected.iter().copied().collect()
        );
    };
    let by_domain = Scope { domains: domains(&["w3id.example"]), ..Scope::default() };
    let by_host = Scope { hosts: hosts(&["w3id.example"]), ..by_domain.clone() };

    let (www, w3id) = ("http://www.data.example/more", "http://w3id.example/other");
    check(by_domain, &[www, "http://api.data.example/more", w3id]).await;
    check(by_host, &[www, w3id]).await;
}

/// The first seed links to a URI of a domain that the second, slow seed redirects to.
fn early_link() -> ScriptedWeb {
    ScriptedWeb(|url| match url {
        "http://a.example/" => document(&["http://data.example/early", "http://data.example/b"]),
        "http://slow.example/b" => slow(moved("http://data.example/b")),
        "http://data.example/b" | "http://data.example/early" => document(&[]),
        _ => web_response(404, &[], ""),
    })
}

const EARLY_SEEDS: [&str; 2] = ["http://a.example/", "http://slow.example/b"];

#[tokio::test(start_paused = true)]
async fn a_link_to_a_domain_that_becomes_a_seed_domain_later_is_followed() {
    let scope = Scope { domains: domains(&["a.example", "slow.example"]), ..Scope::default() };

    let crawled = crawl(early_link(), &EARLY_SEEDS, scope).await;

    assert!(crawled.has("http://data.example/early"), "{crawled:?}");
    assert_eq!(crawled.urls.len(), 4);
    assert_eq!(crawled.dropped.get("scope"), Some(&1), "only the predicate is out of scope");
}

#[tokio::test(start_paused = true)]
async fn a_redirect_of_a_seed_is_followed_although_a_link_to_its_target_was_dropped() {
    let scope = || Scope { max_depth: Some(0), ..Scope::default() };

    let crawled = crawl(early_link(), &EARLY_SEEDS, scope()).await;

    assert_eq!(crawled.urls, ["http://a.example/", "http://slow.example/b", "http://data.example/b"]);
    assert_eq!(crawled.dropped.get("depth"), Some(&2), "the other link and the predicate");
    let directory = tempfile::tempdir().unwrap();
    let on_disk = crawl_with(open(directory.path()), early_link(), &EARLY_SEEDS, scope(), options()).await;
    assert_eq!((on_disk.urls, on_disk.dropped), (crawled.urls, crawled.dropped));
}

#[tokio::test(start_paused = true)]
async fn a_seed_is_fetched_although_a_link_to_it_was_dropped() {
    let frontier = Arc::new(MemoryFrontier::new(None));
    let scope = || Scope { max_depth: Some(0), ..Scope::default() };
    crawl_with(frontier.clone(), early_link(), &EARLY_SEEDS[..1], scope(), options()).await;

    let seeds = ["http://a.example/", "http://data.example/early"];
    let crawled = crawl_with(frontier, early_link(), &seeds, scope(), options()).await;

    assert_eq!(crawled.urls, ["http://data.example/early"]);
}

#[tokio::test(start_paused = true)]
async fn a_redirect_loop_of_a_seed_ends() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/" => moved("http://b.example/"),
        "http://b.example/" => moved("http://a.example/"),
        _ => web_response(404, &[], ""),
    });
    let scope = Scope { domains: domains(&["a.example"]), ..Scope::default() };

    let crawled = crawl(web, &["http://a.example/"], scope).await;

    assert_eq!(crawled.urls, ["http://a.example/", "http://b.example/"]);
}

#[tokio::test(start_paused = true)]
async fn a_chain_of_redirects_ends_at_the_maximum() {
    let options = EngineOptions { max_redirects: 1, ..options() };
    let scope = Scope { domains: domains(&["w3id.example"]), ..Scope::default() };

    let crawled = crawl_with(Arc::new(MemoryFrontier::new(None)), permanent_uri(), &[CHAIN[0]], scope, options).await;

    assert_eq!((&crawled.urls[..], crawled.dropped.get("redirects")), (&CHAIN.map(str::to_owned)[..2], Some(&1)));
}

#[tokio::test(start_paused = true)]
async fn a_redirect_leaves_the_chosen_domains_of_a_hop() {
    let web = ScriptedWeb(|url| match url {
        "http://a.example/" => document(&["http://b.example/1", "http://b.example/2", "http://c.example/"]),
        "http://b.example/1" => moved("http://d.example/"),
        _ => document(&[]),
    });
    let hops = HopLimits { max_domains: Some(1), ..HopLimits::default() };
    let options = EngineOptions { strict_hops: true, hops, ..options() };
    let scope = Scope { skips_vocabularies: true, ..Scope::default() };

    let crawled = crawl_with(Arc::new(MemoryFrontier::new(None)), web, &["http://a.example/"], scope, options).await;

    assert!(crawled.has("http://d.example/") && !crawled.has("http://c.example/"), "{crawled:?}");
}

fn open(directory: &Path) -> Arc<EmbeddedFrontier> {
    let database = embedded::open_database(directory, 1).unwrap();
    let options = embedded::EmbeddedFrontierOptions { delay_on_open: Duration::ZERO, ..Default::default() };
    Arc::new(EmbeddedFrontier::open(&database, options).unwrap())
}

#[tokio::test(start_paused = true)]
async fn seed_domains_of_redirects_are_known_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let scope = || Scope { domains: domains(&["w3id.example"]), ..Scope::default() };
    // Three requests for robots.txt and two for the redirects.
    let first = EngineOptions { max_requests: Some(5), ..options() };
    let crawled = crawl_with(open(directory.path()), permanent_uri(), &[CHAIN[0]], scope(), first).await;
    assert_eq!(crawled.urls, CHAIN[..2]);

    let resumed = crawl_with(open(directory.path()), permanent_uri(), &[CHAIN[0]], scope(), options()).await;

    assert_eq!(resumed.urls[0], CHAIN[2]);
    assert!(resumed.has("http://www.data.example/more") && !resumed.has("http://else.example/"), "{resumed:?}");
}

#[tokio::test(start_paused = true)]
async fn every_redirecting_seed_of_a_generated_web_is_fetched_within_its_pattern() {
    let parameters = WorldParameters::preset("demo").unwrap();
    let world = Arc::new(World::new(parameters).unwrap());
    let base = world.seeds();
    let redirecting: BTreeSet<String> = (1..=5)
        .flat_map(|number| base.iter().map(move |seed| (seed, number)))
        .map(|(seed, number)| format!("{}/moved/303/2/{number}", Uri::parse(seed).unwrap().origin()))
        .collect();
    let seeds: Vec<&str> = redirecting.iter().map(String::as_str).collect();
    let web = || SharedWorld(Arc::clone(&world));
    let within = Scope { include: Some(patterns(&["/moved/303/2/"])), max_depth: Some(0), ..Scope::default() };

    let everywhere = crawl(web(), &seeds, Scope { max_depth: Some(0), ..Scope::default() }).await;
    let within = crawl(web(), &seeds, within).await;

    let sorted = |crawled: Crawled| {
        let mut urls = crawled.urls;
        urls.sort();
        urls
    };
    let (everywhere, within) = (sorted(everywhere), sorted(within));
    assert!(everywhere.len() >= seeds.len() * 3, "{} requests for {} seeds", everywhere.len(), seeds.len());
    assert_eq!(within, everywhere);
}

/// A generated web that several crawls share.
struct SharedWorld(Arc<World>);

impl Web for SharedWorld {
    fn respond(&self, request: &toyweb::WebRequest) -> WebResponse {
        self.0.respond(request)
    }
}
