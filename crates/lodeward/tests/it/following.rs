//! Whole crawls, in virtual time, with somebody who follows.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Command, Crawl, Ending, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::model::Uri;
use lodeward::provenance::{Names, Provenance};
use lodeward::select::BreadthFirst;
use lodeward::store::follow::{Change, FollowError, Follower, Followers, Pace, Position, Standing};
use lodeward::store::segments::{self, Bounds, SegmentStore};
use lodeward::store::{ArchiveFollower, Store};
use lodeward_archive::Archive;
use lodeward_archive::sparql::{AnswerFormat, QueryOptions};
use tokio::sync::{mpsc, watch};
use toyweb::world::{Parameters, World};

use crate::in_process::{InProcess, Scripted, answer};

fn names() -> Names {
    Names::new("urn:lodeward:", 1)
}

/// What is on disk of a crawl.
struct Place {
    frontier: Arc<EmbeddedFrontier>,
    store: Arc<SegmentStore>,
}

fn place(folder: &Path) -> Place {
    let database = embedded::open_database(&folder.join("state"), 8).unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let options = segments::Options::default();
    let store = SegmentStore::open(folder.join("segments"), documents, database.clone(), options).unwrap();
    let frontier = EmbeddedFrontier::open(&database, embedded::Options::default()).unwrap();
    Place { frontier: Arc::new(frontier), store: Arc::new(store) }
}

fn archive(folder: &Path) -> Archive {
    Archive::open(folder.join("archive"), &lodeward_archive::Options::default()).unwrap()
}

fn furnish(place: &Place, web: Arc<dyn toyweb::Web>, followers: Followers, settings: Settings) -> Crawl {
    Crawl {
        frontier: Arc::clone(&place.frontier) as _,
        strategy: Box::new(BreadthFirst),
        notebook: None,
        fetcher: Arc::new(InProcess::new(web)),
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&place.store) as _,
        followers,
        scope: Scope::default(),
        discover: Policy::default(),
        settings,
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    }
}

fn settings() -> Settings {
    Settings { delay: Duration::ZERO, provenance: Some("lodeward/test".to_owned()), ..Settings::default() }
}

async fn run(crawl: Crawl, seeds: &[&str]) -> (Ending, Snapshot) {
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());
    crawl.run(seeds, commands, progress).await.unwrap()
}

fn world() -> Arc<World> {
    let mut parameters = Parameters::preset("mixed").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (4, 20);
    Arc::new(World::new(parameters).unwrap())
}

fn exported(store: &SegmentStore) -> BTreeSet<String> {
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    String::from_utf8(harvest).unwrap().lines().map(str::to_owned).collect()
}

/// What an archive holds of what was harvested, and how many graphs of what was
/// made.
fn archived(archive: &Archive) -> (BTreeSet<String>, usize) {
    let mut made = BTreeSet::new();
    let mut harvested = BTreeSet::new();
    for quad in archive.snapshot().quads(None, None, None, None) {
        let quad = quad.unwrap();
        let graph = quad.graph_name.to_string();
        if graph.starts_with("<urn:lodeward:") {
            made.insert(graph);
        } else {
            let mut line = Vec::new();
            lodeward::store::nquads::write_quad(&mut line, quad.as_ref());
            harvested.insert(String::from_utf8(line).unwrap().trim_end().to_owned());
        }
    }
    (harvested, made.len())
}

#[tokio::test(start_paused = true)]
async fn what_a_crawl_harvests_is_in_the_archive_when_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let (place, archive, world) = (place(folder.path()), archive(folder.path()), world());
    let seeds = world.seeds();
    let seeds: Vec<&str> = seeds.iter().map(String::as_str).collect();

    // In two runs, and the archive is not there for a part of it.
    for (documents_max, is_followed) in [(20, true), (40, false), (60, true), (1_000_000, true)] {
        let mut followers = Followers::of(place.store.log());
        if is_followed {
            let follower = ArchiveFollower::new(archive.clone(), 1, Some(names()));
            followers.add(Box::new(follower), Pace::default(), None);
        }
        let settings = Settings { documents_max: Some(documents_max), ..settings() };
        let (_, last) = run(furnish(&place, world.clone(), followers, settings), &seeds).await;
        if is_followed {
            assert_eq!(last.followers[0].standing, Standing::Done, "{:?}", last.followers);
            let harvest = exported(&place.store);
            let (harvested, made) = archived(&archive);
            let documents: BTreeSet<&str> = harvest.iter().map(|line| line.rsplit(' ').nth(1).unwrap()).collect();
            assert_eq!(made, documents.len(), "each document has its provenance");
            assert!(!harvest.is_empty() && harvested == harvest);
        }
    }
}

fn site(url: &str) -> toyweb::Response {
    use http::header::{CONTENT_TYPE, ETAG, LOCATION};
    match url {
        "http://a.example/id/bob" => answer(303, &[(LOCATION, "/resource/bob")], ""),
        "http://a.example/resource/bob" => answer(301, &[(LOCATION, "/bob")], ""),
        "http://a.example/bob" => {
            let headers = [(CONTENT_TYPE, "text/plain"), (ETAG, "\"7\"")];
            answer(200, &headers, "@prefix foaf: <http://xmlns.com/foaf/0.1/> .\n<#me> foaf:knows <alice> .\noops")
        }
        "http://a.example/alice" => answer(200, &[(CONTENT_TYPE, "text/html")], "<p>Nothing here"),
        _ => answer(404, &[], ""),
    }
}

fn records(store: &SegmentStore) -> Vec<(Uri, Option<Provenance>)> {
    let mut reader = store.log().read(None).unwrap();
    let mut records = Vec::new();
    while let Some(group) = reader.next_group(Bounds::default()).unwrap() {
        records.extend(group.changes.into_iter().map(|change| (change.document, change.provenance)));
    }
    records
}

#[tokio::test(start_paused = true)]
async fn a_document_remembers_how_it_was_had() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());

    let settings = Settings { now_ms: || 1_700_000_000_000, ..settings() };
    let crawl = furnish(&place, Arc::new(Scripted(site)), Followers::default(), settings);
    run(crawl, &["http://a.example/id/bob"]).await;

    let records = records(&place.store);
    assert_eq!(records.len(), 1, "a page without statements has no record: {records:?}");
    let (document, provenance) = &records[0];
    let provenance = provenance.as_ref().unwrap();
    assert_eq!(document.as_str(), "http://a.example/bob");
    let redirects: Vec<_> =
        provenance.redirects.iter().map(|redirect| (redirect.from.as_str(), redirect.status)).collect();
    assert_eq!(redirects, [("http://a.example/id/bob", 303), ("http://a.example/resource/bob", 301)]);
    assert_eq!((provenance.status, provenance.syntax.as_str()), (200, "turtle"));
    assert_eq!(provenance.declared.as_deref(), Some("text/plain"));
    assert_eq!(provenance.etag.as_deref(), Some("\"7\""));
    assert_eq!(provenance.faults[0].kind, "syntax");
    assert_eq!(provenance.user_agent, "lodeward/test");
    assert!(provenance.requested_at_ms > 1_700_000_000_000);
    assert_eq!(provenance.fetched_at_ms, provenance.requested_at_ms + 20);
    assert_ne!(provenance.digest, 0);
}

#[tokio::test(start_paused = true)]
async fn the_question_in_the_docs_is_answered() {
    const DOCS: &str = include_str!("../../../../docs/provenance.md");
    let query = DOCS.split("```sparql\n").nth(1).unwrap().split("```").next().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (place, archive) = (place(folder.path()), archive(folder.path()));
    let mut followers = Followers::of(place.store.log());
    followers.add(Box::new(ArchiveFollower::new(archive.clone(), 1, Some(names()))), Pace::default(), None);

    let settings = Settings { now_ms: || 1_700_000_000_000, ..settings() };
    run(furnish(&place, Arc::new(Scripted(site)), followers, settings), &["http://a.example/id/bob"]).await;
    let answer = archive.snapshot().query(query, &QueryOptions::default()).unwrap();
    let mut rows = Vec::new();
    answer.write(AnswerFormat::Csv, &mut rows).unwrap();

    let mut rows: Vec<&str> = str::from_utf8(&rows).unwrap().lines().skip(1).collect();
    rows.sort_unstable();
    let row = |from: &str| format!("http://a.example/bob,2023-11-14T22:13:20.080Z,200,{from}");
    assert_eq!(rows, [row("http://a.example/id/bob"), row("http://a.example/resource/bob")]);
}

#[tokio::test(start_paused = true)]
async fn provenance_that_is_not_wanted_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());

    let settings = Settings { provenance: None, ..settings() };
    let crawl = furnish(&place, Arc::new(Scripted(site)), Followers::default(), settings);
    run(crawl, &["http://a.example/bob"]).await;

    assert_eq!(records(&place.store), [(Uri::parse("http://a.example/bob").unwrap(), None)]);
}

/// Never comes back.
struct Hanging;

impl Follower for Hanging {
    fn name(&self) -> &'static str {
        "http://a.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowError> {
        Ok(None)
    }

    fn apply(&mut self, _: &[Change], _: Position) -> Result<(), FollowError> {
        loop {
            std::thread::park();
        }
    }
}

/// Cannot be reached.
struct Away;

impl Follower for Away {
    fn name(&self) -> &'static str {
        "http://b.example/sparql"
    }

    fn position(&mut self) -> Result<Option<Position>, FollowError> {
        Err(FollowError::Retry { after: None, why: "connection refused".to_owned() })
    }

    fn apply(&mut self, _: &[Change], _: Position) -> Result<(), FollowError> {
        unreachable!("its position is not known")
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_goes_to_its_end_whoever_hangs_and_an_operator_need_not_wait() {
    let folder = tempfile::tempdir().unwrap();
    let (place, world) = (place(folder.path()), world());
    let mut followers = Followers::of(place.store.log());
    followers.add(Box::new(Hanging), Pace { group_documents: 1, ..Pace::default() }, None);
    let crawl = furnish(&place, world.clone(), followers, settings());
    let seeds = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (operator, commands) = mpsc::channel::<Command>(1);
    let (progress, mut watcher) = watch::channel(Snapshot::default());

    let crawling = tokio::spawn(crawl.run(seeds, commands, progress));
    let drained =
        |snapshot: &Snapshot| snapshot.tally.documents > 0 && snapshot.census.waiting + snapshot.census.leased == 0;
    watcher.wait_for(drained).await.unwrap();
    operator.send(Command::Stop).await.unwrap();
    let (_, last) = crawling.await.unwrap().unwrap();

    assert_eq!(last.census.waiting, 0);
    assert!(last.followers[0].documents > 0, "{:?}", last.followers);
}

#[tokio::test(start_paused = true)]
async fn a_crawl_ends_though_somebody_cannot_be_reached_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let place = place(folder.path());
    let mut followers = Followers::of(place.store.log());
    followers.add(Box::new(Away), Pace::default(), None);

    let settings = Settings { patience: Duration::ZERO, ..settings() };
    let crawl = furnish(&place, Arc::new(Scripted(site)), followers, settings);
    let (ending, last) = run(crawl, &["http://a.example/bob"]).await;

    assert_eq!(ending, Ending::Drained);
    assert_eq!(
        last.followers[0].warning().unwrap(),
        "1 document waits for http://b.example/sparql (connection refused); they are taken by the next run"
    );
}
