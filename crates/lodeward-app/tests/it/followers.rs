//! Complete crawls with followers, in virtual time.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::{Crawl, CrawlBuilder};
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::model::{Provenance, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::Store;
use lodeward::store::follow::{
    DocumentChange, FeedOptions, Follower, FollowerError, FollowerState, Followers, Position,
};
use lodeward::store::segments::{self, ReadBounds, SegmentStore};
use lodeward_app::followers::ArchiveFollower;
use lodeward_app::provenance::GraphNames;
use lodeward_archive::Archive;
use lodeward_archive::sparql::{QueryOptions, ResultFormat};
use tokio::sync::{mpsc, watch};
use toyweb::world::{World, WorldParameters};

use crate::in_process::{InProcessFetcher, ScriptedWeb, web_response};

fn names() -> GraphNames {
    GraphNames::new("urn:lodeward:", 1)
}

/// The files of a crawl.
struct CrawlFiles {
    frontier: Arc<EmbeddedFrontier>,
    store: Arc<SegmentStore>,
}

fn open_files(dir: &Path) -> CrawlFiles {
    let database = embedded::open_database(&dir.join("state"), 8).unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = segments::SegmentOptions::default();
    let store = SegmentStore::open(dir.join("segments"), documents, database.clone(), options).unwrap();
    let frontier = EmbeddedFrontier::open(&database, embedded::EmbeddedFrontierOptions::default()).unwrap();
    CrawlFiles { frontier: Arc::new(frontier), store: Arc::new(store) }
}

fn archive(dir: &Path) -> Archive {
    Archive::open(dir.join("archive"), &lodeward_app::followers::archive_options()).unwrap()
}

fn build_crawl(files: &CrawlFiles, web: Arc<dyn toyweb::Web>, followers: Followers, options: EngineOptions) -> Crawl {
    CrawlBuilder {
        discover: DiscoverPolicy::default(),
        options,
        followers,
        ..CrawlBuilder::new(
            Arc::clone(&files.frontier) as _,
            Box::new(BreadthFirstStrategy),
            Arc::new(InProcessFetcher::new(web)),
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::clone(&files.store) as _,
        )
    }
    .build()
}

fn settings() -> EngineOptions {
    EngineOptions {
        delay: Duration::ZERO,
        provenance_agent: Some("lodeward/test".to_owned()),
        ..EngineOptions::default()
    }
}

async fn run(crawl: Crawl, seeds: &[&str]) -> (StopReason, CrawlSnapshot) {
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
    crawl.run(seeds, commands, progress).await.unwrap()
}

fn world() -> Arc<World> {
    let mut parameters = WorldParameters::preset("mixed").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (4, 20);
    Arc::new(World::new(parameters).unwrap())
}

fn exported(store: &SegmentStore) -> BTreeSet<String> {
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    String::from_utf8(harvest).unwrap().lines().map(str::to_owned).collect()
}

/// The harvested statements in an archive, and the number of generated graphs.
fn archived(archive: &Archive) -> (BTreeSet<String>, usize) {
    let mut harvested = BTreeSet::new();
    for quad in archive.snapshot().quads(None, None, None, None) {
        let mut line = Vec::new();
        lodeward_rdf::write::n_quads::write_quad(&mut line, quad.unwrap().as_ref());
        harvested.insert(String::from_utf8(line).unwrap().trim_end().to_owned());
    }
    let generated = archive.snapshot().provenance_graphs(None).filter(|quads| !quads.as_ref().unwrap().is_empty());
    let generated = generated.count();
    (harvested, generated)
}

#[tokio::test(start_paused = true)]
async fn harvest_is_in_the_archive_at_the_end_of_the_crawl() {
    let dir = tempfile::tempdir().unwrap();
    let (files, archive, world) = (open_files(dir.path()), archive(dir.path()), world());
    let seeds = world.seeds();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();

    // In several runs, some without the archive.
    for (documents_max, is_followed) in [(20, true), (40, false), (60, true), (1_000_000, true)] {
        let mut followers = Followers::new(files.store.log());
        if is_followed {
            let follower = ArchiveFollower::new(archive.clone(), 1, Some(names()));
            followers.add(Box::new(follower), FeedOptions::default(), None);
        }
        let settings = EngineOptions { max_documents: Some(documents_max), ..settings() };
        let (_, last) = run(build_crawl(&files, world.clone(), followers, settings), &seeds).await;
        if is_followed {
            assert_eq!(last.followers[0].state, FollowerState::Done, "{:?}", last.followers);
            let harvest = exported(&files.store);
            let (harvested, generated) = archived(&archive);
            let documents: BTreeSet<&str> = harvest.iter().map(|line| line.rsplit(' ').nth(1).unwrap()).collect();
            assert_eq!(generated, documents.len(), "each document has its provenance");
            assert!(!harvest.is_empty() && harvested == harvest);
        }
    }
}

fn site(url: &str) -> toyweb::WebResponse {
    use http::header::{CONTENT_TYPE, ETAG, LOCATION};
    match url {
        "http://a.example/id/bob" => web_response(303, &[(LOCATION, "/resource/bob")], ""),
        "http://a.example/resource/bob" => web_response(301, &[(LOCATION, "/bob")], ""),
        "http://a.example/bob" => {
            let headers = [(CONTENT_TYPE, "text/plain"), (ETAG, "\"7\"")];
            web_response(
                200,
                &headers,
                "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n<#me> foaf:knows <alice> .\noops",
            )
        }
        "http://a.example/alice" => web_response(200, &[(CONTENT_TYPE, "text/html")], "<p>Nothing here"),
        _ => web_response(404, &[], ""),
    }
}

fn records(store: &SegmentStore) -> Vec<(Uri, Option<Provenance>)> {
    let mut reader = store.log().read(None).unwrap();
    let mut records = Vec::new();
    while let Some(group) = reader.next_group(ReadBounds::default()).unwrap() {
        records.extend(group.changes.into_iter().map(|change| (change.document, change.provenance)));
    }
    records
}

#[tokio::test(start_paused = true)]
async fn document_has_a_provenance_record() {
    let dir = tempfile::tempdir().unwrap();
    let files = open_files(dir.path());

    let settings = EngineOptions { now_ms: || 1_700_000_000_000, ..settings() };
    let crawl = build_crawl(&files, Arc::new(ScriptedWeb(site)), Followers::default(), settings);
    run(crawl, &["http://a.example/id/bob"]).await;

    let records = records(&files.store);
    assert_eq!(records.len(), 1, "a page without statements has no record: {records:?}");
    let (document, provenance) = &records[0];
    let provenance = provenance.as_ref().unwrap();
    assert_eq!(document.as_str(), "http://a.example/bob");
    let redirects: Vec<_> =
        provenance.redirects.iter().map(|redirect| (redirect.from.as_str(), redirect.status)).collect();
    assert_eq!(redirects, [("http://a.example/id/bob", 303), ("http://a.example/resource/bob", 301)]);
    assert_eq!((provenance.fetch.status, provenance.fetch.format.as_str()), (200, "turtle"));
    assert_eq!(provenance.fetch.declared_media_type.as_deref(), Some("text/plain"));
    assert_eq!(provenance.fetch.validators.etag.as_deref(), Some("\"7\""));
    assert_eq!(provenance.fetch.faults[0].kind.name(), "syntax");
    assert_eq!(provenance.user_agent, "lodeward/test");
    assert!(provenance.requested_at_ms > 1_700_000_000_000);
    assert_eq!(provenance.fetch.fetched_at_ms, provenance.requested_at_ms + 20);
    assert_ne!(provenance.fetch.digest, 0);
}

#[tokio::test(start_paused = true)]
async fn query_in_the_docs_returns_the_documented_result() {
    const DOCS: &str = include_str!("../../../../docs/provenance.md");
    let query = DOCS.split("```sparql\n").nth(1).unwrap().split("```").next().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let (files, archive) = (open_files(dir.path()), archive(dir.path()));
    let mut followers = Followers::new(files.store.log());
    followers.add(Box::new(ArchiveFollower::new(archive.clone(), 1, Some(names()))), FeedOptions::default(), None);

    let settings = EngineOptions { now_ms: || 1_700_000_000_000, ..settings() };
    run(build_crawl(&files, Arc::new(ScriptedWeb(site)), followers, settings), &["http://a.example/id/bob"]).await;
    let options = QueryOptions { with_provenance: true, ..QueryOptions::default() };
    let result = archive.snapshot().query(query, &options).unwrap();
    let mut rows = Vec::new();
    result.write(ResultFormat::Csv, &mut rows).unwrap();

    let mut rows: Vec<&str> = str::from_utf8(&rows).unwrap().lines().skip(1).collect();
    rows.sort_unstable();
    let row = |from: &str| format!("http://a.example/bob,2023-11-14T22:13:20.080Z,200,{from}");
    assert_eq!(rows, [row("http://a.example/id/bob"), row("http://a.example/resource/bob")]);
}

#[tokio::test(start_paused = true)]
async fn provenance_is_not_stored_if_disabled() {
    let dir = tempfile::tempdir().unwrap();
    let files = open_files(dir.path());

    let settings = EngineOptions { provenance_agent: None, ..settings() };
    let crawl = build_crawl(&files, Arc::new(ScriptedWeb(site)), Followers::default(), settings);
    run(crawl, &["http://a.example/bob"]).await;

    assert_eq!(records(&files.store), [(Uri::parse("http://a.example/bob").unwrap(), None)]);
}

/// Never returns.
struct Hanging;

impl Follower for Hanging {
    fn name(&self) -> &'static str {
        "http://a.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        Ok(None)
    }

    fn apply(&mut self, _: &[DocumentChange], _: Position) -> Result<(), FollowerError> {
        loop {
            std::thread::park();
        }
    }
}

/// Cannot be reached.
struct Unreachable;

impl Follower for Unreachable {
    fn name(&self) -> &'static str {
        "http://b.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowerError> {
        Err(FollowerError::Retry { after: None, why: "connection refused".to_owned() })
    }

    fn apply(&mut self, _: &[DocumentChange], _: Position) -> Result<(), FollowerError> {
        unreachable!("its position is unknown")
    }
}

#[tokio::test(start_paused = true)]
async fn hanging_follower_does_not_stop_the_crawl_or_its_interruption() {
    let dir = tempfile::tempdir().unwrap();
    let (files, world) = (open_files(dir.path()), world());
    let mut followers = Followers::new(files.store.log());
    followers.add(Box::new(Hanging), FeedOptions { group_documents: 1, ..FeedOptions::default() }, None);
    let crawl = build_crawl(&files, world.clone(), followers, settings());
    let seeds = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, mut watcher) = watch::channel(CrawlSnapshot::default());

    let crawling = tokio::spawn(crawl.run(seeds, commands, progress));
    let drained = |snapshot: &CrawlSnapshot| {
        snapshot.tally.documents > 0 && snapshot.census.uris_waiting + snapshot.census.uris_in_flight == 0
    };
    watcher.wait_for(drained).await.unwrap();
    operator.send(CrawlCommand::Stop).await.unwrap();
    let (_, last) = crawling.await.unwrap().unwrap();

    assert_eq!(last.census.uris_waiting, 0);
    assert!(last.followers[0].documents > 0, "{:?}", last.followers);
}

#[tokio::test(start_paused = true)]
async fn unreachable_follower_is_reported_at_the_end() {
    let dir = tempfile::tempdir().unwrap();
    let files = open_files(dir.path());
    let mut followers = Followers::new(files.store.log());
    followers.add(Box::new(Unreachable), FeedOptions::default(), None);

    let settings = EngineOptions { follower_timeout: Duration::ZERO, ..settings() };
    let crawl = build_crawl(&files, Arc::new(ScriptedWeb(site)), followers, settings);
    let (ending, last) = run(crawl, &["http://a.example/bob"]).await;

    assert_eq!(ending, StopReason::Drained);
    assert_eq!(
        last.followers[0].warning().unwrap(),
        "1 document was not delivered to http://b.example/sparql (connection refused); \
         hint: they are sent by the next run"
    );
}
