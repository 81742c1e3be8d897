//! Refresh rounds over generated worlds that change, in virtual time.

mod changes;
mod rounds;
mod selection;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Journal as _, RefreshSelection, Rounds as _, UriRecord};
use lodeward::model::Uri;
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::Store as _;
use lodeward::store::follow::{FeedOptions, Followers};
use lodeward::store::segments::{self, SegmentStore};
use lodeward_app::followers::ArchiveFollower;
use lodeward_app::provenance::GraphNames;
use lodeward_archive::Archive;
use tokio::sync::{mpsc, watch};
use toyweb::access_log::AccessLogEntry;
use toyweb::world::{World, WorldParameters};
use toyweb::{Web, WebRequest, WebResponse};

use crate::in_process::{InProcessFetcher, web_response};

/// The opened directory of a crawl.
struct CrawlDir {
    frontier: Arc<EmbeddedFrontier>,
    store: Arc<SegmentStore>,
    archive: Archive,
}

fn open_dir(directory: &Path) -> CrawlDir {
    open_dir_with(directory, embedded::EmbeddedFrontierOptions::default())
}

fn open_dir_with(directory: &Path, options: embedded::EmbeddedFrontierOptions) -> CrawlDir {
    let database = embedded::open_database(&directory.join("state"), 8).unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let segments = segments::SegmentOptions::default();
    let store = SegmentStore::open(directory.join("segments"), documents, database.clone(), segments).unwrap();
    let frontier = EmbeddedFrontier::open(&database, options).unwrap();
    let archive = Archive::open(directory.join("archive"), &lodeward_app::followers::archive_options()).unwrap();
    CrawlDir { frontier: Arc::new(frontier), store: Arc::new(store), archive }
}

fn names() -> GraphNames {
    GraphNames::new("urn:lodeward:", 1)
}

/// The time `DAYS` days after the first run.
fn day<const DAYS: u64>() -> u64 {
    1_700_000_000_000 + DAYS * 24 * 3_600_000
}

fn settings(now_ms: fn() -> u64, refresh: Option<RefreshSelection>) -> EngineOptions {
    let provenance_agent = Some("lodeward/test".to_owned());
    EngineOptions { delay: Duration::ZERO, provenance_agent, now_ms, refresh, ..EngineOptions::default() }
}

/// A finished run: why it stopped, its counters, and its requests.
struct Run {
    stop_reason: StopReason,
    last: CrawlSnapshot,
    log: Vec<AccessLogEntry>,
}

impl Run {
    /// The number of responses by status, without robots.txt.
    fn statuses(&self) -> BTreeMap<u16, usize> {
        let mut statuses = BTreeMap::new();
        for entry in self.log.iter().filter(|entry| !entry.url.ends_with("/robots.txt")) {
            *statuses.entry(entry.status).or_default() += 1;
        }
        statuses
    }
}

fn assemble(crawl_dir: &CrawlDir, fetcher: &Arc<InProcessFetcher>, options: EngineOptions) -> CrawlBuilder {
    let mut followers = Followers::new(crawl_dir.store.log());
    let follower = ArchiveFollower::new(crawl_dir.archive.clone(), 1, Some(names()));
    followers.add(Box::new(follower), FeedOptions::default(), None);
    CrawlBuilder {
        options,
        followers,
        ..CrawlBuilder::new(
            Arc::clone(&crawl_dir.frontier) as _,
            Box::new(BreadthFirstStrategy),
            Arc::clone(fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::clone(&crawl_dir.store) as _,
        )
    }
}

async fn run(crawl_dir: &CrawlDir, web: &Arc<dyn Web>, seeds: &[String], settings: EngineOptions) -> Run {
    run_with_discovery(DiscoverPolicy::documents_only(), crawl_dir, web, seeds, settings).await
}

async fn run_with_discovery(
    discover: DiscoverPolicy,
    crawl_dir: &CrawlDir,
    web: &Arc<dyn Web>,
    seeds: &[String],
    settings: EngineOptions,
) -> Run {
    let fetcher = Arc::new(InProcessFetcher::new(Arc::clone(web)));
    let crawl = CrawlBuilder { discover, ..assemble(crawl_dir, &fetcher, settings) }.build();
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
    let (stop_reason, last) = crawl.run(seeds, commands, progress).await.unwrap();
    if stop_reason == StopReason::Drained {
        assert_eq!(
            (last.census.uris_waiting, last.census.uris_in_flight, last.census.revisits),
            (0, 0, 0),
            "nothing waits and nothing is leased"
        );
        assert_eq!(crawl_dir.frontier.current_round().await.unwrap(), None, "no round is running");
        let tally = &last.tally;
        let settled = tally.documents
            + tally.redirects
            + tally.uris_failed
            + tally.deleted
            + tally.dropped_by_reason.values().sum::<u64>();
        assert_eq!(settled, last.census.uris_known, "every URI is accounted for: {tally:?}");
        assert_eq!(harvest(&crawl_dir.store), archived(&crawl_dir.archive), "the archive has the harvest");
    }
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    Run { stop_reason, last, log }
}

fn harvest(store: &SegmentStore) -> BTreeSet<String> {
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    String::from_utf8(harvest).unwrap().lines().map(str::to_owned).collect()
}

fn archived(archive: &Archive) -> BTreeSet<String> {
    let mut lines = Vec::new();
    for quad in archive.snapshot().quads(None, None, None, None) {
        let quad = quad.unwrap();
        if !quad.graph_name.to_string().starts_with("<urn:lodeward:") {
            lodeward_rdf::write::n_quads::write_quad(&mut lines, quad.as_ref());
        }
    }
    String::from_utf8(lines).unwrap().lines().map(str::to_owned).collect()
}

/// The lines a patch adds and deletes.
fn patched(path: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = |sign: &str| text.lines().filter_map(|line| line.strip_prefix(sign)).map(str::to_owned).collect();
    (lines("A "), lines("D "))
}

fn world(revision: u32, change: impl FnOnce(&mut WorldParameters)) -> (Arc<dyn Web>, Vec<String>) {
    let mut parameters = WorldParameters::preset("mixed").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (5, 20);
    parameters.changes.revision = revision;
    parameters.changes.etag_share = 1.0;
    change(&mut parameters);
    let world = World::new(parameters).unwrap();
    let seeds = world.seeds();
    (Arc::new(world), seeds)
}

async fn uri_record(crawl_dir: &CrawlDir, uri: &str) -> UriRecord {
    crawl_dir.frontier.uri_record(&Uri::parse(uri).unwrap()).await.unwrap().unwrap()
}

/// The documents with `prov:invalidatedAtTime` in an archive.
fn invalidations(archive: &Archive) -> BTreeSet<String> {
    let predicate = oxrdf::NamedNode::new("http://www.w3.org/ns/prov#invalidatedAtTime").unwrap();
    let quads = archive.snapshot().provenance_graphs(None).flat_map(Result::unwrap);
    quads.filter(|quad| quad.predicate == predicate).map(|quad| quad.subject.to_string()).collect()
}

/// A web whose pages a test can change.
#[derive(Clone, Default)]
struct Pages(Arc<Mutex<BTreeMap<String, WebResponse>>>);

impl Pages {
    fn set(&self, url: &str, response: WebResponse) {
        self.0.lock().unwrap().insert(url.to_owned(), response);
    }

    fn turtle(&self, url: &str, body: &str) {
        self.set(url, web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], body));
    }

    fn web(&self) -> Arc<dyn Web> {
        Arc::new(self.clone())
    }
}

impl Web for Pages {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        self.0.lock().unwrap().get(request.url.as_str()).cloned().unwrap_or_else(|| web_response(404, &[], ""))
    }
}

const BOB: &str = "http://a.example/bob";

fn seeds(urls: &[&str]) -> Vec<String> {
    urls.iter().map(|url| (*url).to_owned()).collect()
}

/// The clock, the number of the day, and the URLs requested on it.
type Day<'a> = (fn() -> u64, u64, &'a [&'a str]);
