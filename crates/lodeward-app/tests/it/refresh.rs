//! Refresh rounds over generated worlds that change, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, HopLimits, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{Journal as _, REVISIT_PRIORITY, RefreshSelection, Rounds as _, UriRecord};
use lodeward::model::{ChangeKind, DropReason, Outcome, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::Store as _;
use lodeward::store::follow::{FeedOptions, Followers};
use lodeward::store::segments::{self, RdfPatchFile, SegmentStore};
use lodeward_app::followers::ArchiveFollower;
use lodeward_app::provenance::GraphNames;
use lodeward_archive::Archive;
use tokio::sync::{mpsc, watch};
use toyweb::access_log::AccessLogEntry;
use toyweb::world::{World, WorldParameters};
use toyweb::{DeliveryFault, Web, WebRequest, WebResponse};

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

#[tokio::test(start_paused = true)]
async fn a_refresh_of_an_unchanged_world_costs_conditional_requests_and_nothing_else() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (web, seeds)) = (open_dir(directory.path()), world(0, |_| {}));
    let first = run(&crawl_dir, &web, &seeds, settings(day::<0>, None)).await;
    let (before, end) = (harvest(&crawl_dir.store), crawl_dir.store.log().read(None).unwrap().distance().unwrap());

    let again = run(&crawl_dir, &web, &seeds, settings(day::<8>, Some(RefreshSelection::All))).await;

    let (tally, refresh) = (&again.last.tally, &again.last.tally.refresh);
    let statuses = again.statuses();
    assert_eq!(statuses[&304] as u64, refresh.not_modified);
    // A few pages of this world have no validators.
    assert_eq!(statuses.get(&200).map_or(0, |count| *count as u64), refresh.same_bytes);
    assert_eq!(refresh.not_modified + refresh.same_bytes, first.last.tally.documents);
    assert!(refresh.not_modified > 10 * refresh.same_bytes, "{refresh:?}");
    assert_eq!((refresh.changed, refresh.deleted, refresh.added), (0, 0, 0));
    assert_eq!((tally.documents, tally.quads, tally.bytes), {
        let tally = &first.last.tally;
        (tally.documents, tally.quads, tally.bytes)
    });
    assert_eq!(harvest(&crawl_dir.store), before);
    assert_eq!(crawl_dir.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn a_refresh_of_a_changed_world_yields_exactly_the_changed_quads() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.2, 0.1);
        // Some pages can only be compared by content.
        (parameters.changes.etag_share, parameters.changes.last_modified_share) = (0.4, 0.4);
    };
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (web, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &web, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);
    let patch = directory.path().join("changes.rdfp");
    crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());

    let (web, _) = world(1, change);
    let again = run(&crawl_dir, &web, &seeds, settings(day::<8>, Some(RefreshSelection::All))).await;
    let after = harvest(&crawl_dir.store);

    let (added, deleted) = patched(&patch);
    assert!(added == after.difference(&before).cloned().collect());
    assert!(deleted == before.difference(&after).cloned().collect());
    let patch_summary = crawl_dir.store.finish_patch().unwrap();
    assert_eq!(
        (patch_summary.added, patch_summary.deleted),
        (added.len() as u64, deleted.len() as u64),
        "each change once"
    );
    let refresh = &again.last.tally.refresh;
    assert!(refresh.changed > 5 && refresh.deleted > 3, "{refresh:?}");
    assert!(refresh.not_modified > 20 && refresh.same_bytes > 5, "{refresh:?}");
    // A new crawl finds the same.
    let other_directory = tempfile::tempdir().unwrap();
    let fresh = open_dir(other_directory.path());
    run(&fresh, &web, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn a_deleted_document_leaves_the_harvest_and_may_be_restored() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.0, 0.2);
    };
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (old, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    let (new, _) = world(1, change);
    let after_deletion = run(&crawl_dir, &new, &seeds, settings(day::<8>, Some(RefreshSelection::Due))).await;
    let remaining = harvest(&crawl_dir.store);
    let invalidated = invalidations(&crawl_dir.archive);
    let deleted = after_deletion.last.tally.deleted;
    let after_restoration = run(&crawl_dir, &old, &seeds, settings(day::<99>, Some(RefreshSelection::Due))).await;

    assert!(deleted > 10, "{:?}", after_deletion.last.tally.refresh);
    assert_eq!(after_deletion.last.tally.refresh.deleted, deleted);
    assert!(remaining.is_subset(&before) && remaining.len() < before.len());
    let graph = |line: &String| line.rsplit(' ').nth(1).unwrap().to_owned();
    let lost: BTreeSet<String> = before
        .iter()
        .map(graph)
        .collect::<BTreeSet<_>>()
        .difference(&remaining.iter().map(graph).collect())
        .cloned()
        .collect();
    assert_eq!(invalidated, lost, "the provenance of each document records its deletion");
    assert_eq!(after_restoration.last.tally.refresh.restored, deleted);
    assert_eq!(after_restoration.last.tally.deleted, 0);
    assert!(harvest(&crawl_dir.store) == before);
    assert_eq!(invalidations(&crawl_dir.archive), BTreeSet::new());
    let uri = lost.first().unwrap().trim_matches(['<', '>']).to_owned();
    let history = uri_record(&crawl_dir, &uri).await.history();
    let changes: Vec<ChangeKind> = history.events.iter().map(|event| event.change).collect();
    assert_eq!(changes, [ChangeKind::Added, ChangeKind::Deleted, ChangeKind::Restored]);
}

/// The documents with `prov:invalidatedAtTime` in an archive.
fn invalidations(archive: &Archive) -> BTreeSet<String> {
    let predicate = oxrdf::NamedNode::new("http://www.w3.org/ns/prov#invalidatedAtTime").unwrap();
    let quads = archive.snapshot().provenance_graphs(None).flat_map(Result::unwrap);
    quads.filter(|quad| quad.predicate == predicate).map(|quad| quad.subject.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn statements_of_deleted_documents_stay_with_keep_deleted() {
    let change = |parameters: &mut WorldParameters| parameters.changes.deleted_share = 0.2;
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, (old, seeds)) = (open_dir(directory.path()), world(0, change));
    run(&crawl_dir, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    let (new, _) = world(1, |parameters| {
        change(parameters);
        parameters.changes.changed_share = 0.0;
    });
    let keeping = EngineOptions { keep_deleted: true, ..settings(day::<8>, Some(RefreshSelection::All)) };
    let after_deletion = run(&crawl_dir, &new, &seeds, keeping).await;

    assert!(after_deletion.last.tally.deleted > 10);
    assert!(harvest(&crawl_dir.store) == before);
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

#[tokio::test(start_paused = true)]
async fn an_unreachable_document_stays_and_is_reported_as_stale() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let before = harvest(&crawl_dir.store);

    pages.set(BOB, web_response(500, &[], ""));
    let first = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;
    pages.set("http://a.example/robots.txt", web_response(200, &[], "User-agent: *\nDisallow: /"));
    let second = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::Due))).await;

    assert_eq!((first.last.tally.refresh.failed, second.last.tally.refresh.failed), (1, 1));
    assert_eq!(second.last.tally.documents, 1);
    assert!(!before.is_empty() && harvest(&crawl_dir.store) == before);
    let record = uri_record(&crawl_dir, BOB).await;
    assert!(matches!(record.outcome, Some(Outcome::Document(_))));
    let failing = record.history().failing.unwrap();
    assert_eq!((failing.failures, failing.fault.kind.name()), (2, "disallowed"));
    assert!((day::<8>()..day::<9>()).contains(&failing.since_ms));
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    pages.set("http://a.example/robots.txt", web_response(404, &[], ""));
    let third = run(&crawl_dir, &pages.web(), &[], settings(day::<30>, Some(RefreshSelection::Due))).await;
    assert_eq!(third.last.tally.refresh.unchanged, 1);
    assert_eq!(uri_record(&crawl_dir, BOB).await.history().failing, None);
}

#[tokio::test(start_paused = true)]
async fn a_truncated_response_never_replaces_a_complete_one() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |revision: u32, delivery: DeliveryFault| {
        let lines = (0..8).map(|line| format!("<#{line}> <#revision> {revision} .\n"));
        let etag = format!("\"{revision}\"");
        let fields = [(http::header::CONTENT_TYPE, "text/turtle"), (http::header::ETAG, &*etag)];
        WebResponse { delivery, ..web_response(200, &fields, &lines.collect::<String>()) }
    };
    let etag = async || match uri_record(&crawl_dir, BOB).await.outcome {
        Some(Outcome::Document(document)) => document.fetch.validators.etag,
        other => panic!("not a document: {other:?}"),
    };

    // The first response is truncated, so its validators are not stored.
    pages.set(BOB, page(1, DeliveryFault::Truncated));
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    assert_eq!((harvest(&crawl_dir.store).len(), etag().await), (4, None));

    // A truncated response of the same length replaces it; so does a complete one.
    pages.set(BOB, page(2, DeliveryFault::Truncated));
    let second = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::All))).await;
    assert_eq!((second.last.tally.refresh.changed, etag().await), (1, None));
    pages.set(BOB, page(3, DeliveryFault::Plain));
    let third = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All))).await;
    assert_eq!((third.last.tally.refresh.changed, etag().await.as_deref()), (1, Some("\"3\"")));
    let whole = harvest(&crawl_dir.store);
    assert_eq!(whole.len(), 8);

    // A truncated response does not replace the complete one.
    pages.set(BOB, page(4, DeliveryFault::Truncated));
    let fourth = run(&crawl_dir, &pages.web(), &[], settings(day::<30>, Some(RefreshSelection::All))).await;
    let refresh = &fourth.last.tally.refresh;
    assert_eq!((refresh.failed, refresh.changed, refresh.unchanged), (1, 0, 0));
    assert_eq!((fourth.last.tally.documents, fourth.last.tally.quads), (1, 8));
    assert!(harvest(&crawl_dir.store) == whole);
    assert_eq!(etag().await.as_deref(), Some("\"3\""));
    assert_eq!(uri_record(&crawl_dir, BOB).await.history().failing.unwrap().fault.kind.name(), "truncated");
}

#[tokio::test(start_paused = true)]
async fn a_moved_document_moves_to_the_graph_of_its_new_url() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<#me> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;

    pages.set(BOB, web_response(301, &[(http::header::LOCATION, "/robert")], ""));
    pages.turtle("http://a.example/robert", "<#me> <http://p.example/age> 42 .");
    let moved = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;

    let graph = "<http://a.example/robert>";
    let age = "\"42\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let expected = format!("<http://a.example/robert#me> <http://p.example/age> {age} {graph} .");
    assert_eq!(harvest(&crawl_dir.store), BTreeSet::from([expected]));
    assert_eq!((moved.last.tally.documents, moved.last.tally.redirects), (1, 1));
    let still = run(&crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All))).await;
    assert_eq!((still.last.tally.refresh.unchanged, still.last.tally.refresh.changed), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_page_with_the_same_statements_is_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 . # Monday");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let end = crawl_dir.store.log().read(None).unwrap().distance().unwrap();

    pages.turtle(BOB, "# Tuesday\n<> <http://p.example/age> 41 .");
    let again = run(&crawl_dir, &pages.web(), &[], settings(day::<8>, Some(RefreshSelection::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.unchanged, refresh.same_bytes, refresh.changed), (1, 0, 0));
    assert_eq!(crawl_dir.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}

/// The clock, the number of the day, and the URLs requested on it.
type Day<'a> = (fn() -> u64, u64, &'a [&'a str]);

#[tokio::test(start_paused = true)]
async fn only_due_documents_are_requested() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let (news, rest) = ("http://news.example/", "http://old.example/");
    pages.turtle(news, "<> <http://p.example/day> 0 .");
    pages.turtle(rest, "<> <http://p.example/day> 0 .");
    let days: [Day<'_>; 7] = [
        (day::<3>, 3, &[]),
        (day::<8>, 8, &[news, rest]),
        // `news` changed within 8 days: its estimated interval is 7.3 days, so it is due after
        // 3.6 days; the other page after 12.
        (day::<11>, 11, &[]),
        (day::<12>, 12, &[news]),
        (day::<19>, 19, &[news]),
        // By now, the estimated interval of `news` is 3 days.
        (day::<20>, 20, &[]),
        (day::<21>, 21, &[news, rest]),
    ];
    run(&crawl_dir, &pages.web(), &seeds(&[news, rest]), settings(day::<0>, None)).await;

    for (now_ms, number, expected) in days {
        pages.turtle(news, &format!("<> <http://p.example/day> {number} ."));
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::Due))).await;
        let requested = again.log.iter().map(|entry| entry.url.as_str()).filter(|url| !url.ends_with("/robots.txt"));
        assert_eq!(requested.collect::<BTreeSet<_>>(), expected.iter().copied().collect(), "day {number}");
    }
}

#[tokio::test(start_paused = true)]
async fn revisits_come_first_and_limits_apply_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let (crawl_dir, pages) = (open_dir_with(directory.path(), options), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    for n in 0..6 {
        pages.turtle(&page(n), &format!("<> <http://p.example/next> </{}> .", n + 1));
    }
    let limited = |now_ms, refresh| EngineOptions { max_documents: Some(3), ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &seeds(&[&page(0)]), limited(day::<0>, None)).await;
    assert_eq!((first.last.tally.documents, first.last.tally.dropped_by_reason["domain-limit"]), (3, 1));

    pages.turtle(&page(1), "<> <http://p.example/see> <http://b.example/> .");
    pages.set(&page(2), web_response(410, &[], ""));
    pages.turtle("http://b.example/", "<> <http://p.example/is> 1 .");
    let again = run(&crawl_dir, &pages.web(), &[], limited(day::<8>, Some(RefreshSelection::Due))).await;

    let requested: Vec<&str> = again.log.iter().map(|entry| entry.url.as_str()).collect();
    let requested: Vec<&str> = requested.into_iter().filter(|url| !url.ends_with("/robots.txt")).collect();
    let mut known = requested[..3].to_vec();
    known.sort_unstable();
    assert_eq!(known, ["http://a.example/0", "http://a.example/1", "http://a.example/2"]);
    // One document is deleted, so one new document is allowed.
    assert_eq!((again.stop_reason, again.last.tally.documents), (StopReason::MaxDocuments, 3));
}

#[tokio::test(start_paused = true)]
async fn the_rdf_document_limit_applies_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    let limited = |now_ms, refresh| EngineOptions { max_rdf_documents: Some(1), ..settings(now_ms, refresh) };
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), limited(day::<0>, None)).await;

    pages.turtle(BOB, "<> <http://p.example/age> 42 .");
    let again = run(&crawl_dir, &pages.web(), &[], limited(day::<8>, Some(RefreshSelection::Due))).await;

    assert_eq!((again.stop_reason, again.last.tally.refresh.changed), (StopReason::MaxRdfDocuments, 1));
    assert_eq!(crawl_dir.frontier.current_round().await.unwrap(), None, "the round has ended");
}

#[tokio::test(start_paused = true)]
async fn hop_limits_apply_to_new_documents() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |host: &str, n: u32| format!("http://{host}.example/{n}");
    let listing = |targets: &[String]| {
        targets.iter().map(|target| format!("<> <http://p.example/see> <{target}> .")).collect::<Vec<_>>().join("\n")
    };
    let (root, next) = (page("root", 0), [page("a", 1), page("a", 2), page("b", 1), page("b", 2), page("c", 1)]);
    pages.turtle(&root, &listing(&next));
    for target in &next {
        let further = format!("{target}/further");
        pages.turtle(target, &listing(std::slice::from_ref(&further)));
        pages.turtle(&further, "<> <http://p.example/is> 1 .");
    }
    let hops = HopLimits {
        max_documents: Some(3),
        max_documents_per_domain: Some(2),
        max_domains: Some(2),
        min_domains: Some(1),
    };
    let strict = |now_ms, refresh| EngineOptions { strict_hops: true, hops, ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &seeds(&[&root]), strict(day::<0>, None)).await;
    assert_eq!(first.last.tally.documents_by_hop, [1, 3, 3], "{:?}", first.last.tally);

    let new = page("root", 9);
    pages.turtle(&root, &listing(std::slice::from_ref(&new)));
    let again = run(&crawl_dir, &pages.web(), &[], strict(day::<8>, Some(RefreshSelection::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.queued, refresh.unchanged, refresh.changed, refresh.failed), (7, 6, 1, 0));
    assert_eq!(again.last.tally.documents_by_hop, [1, 3, 3], "that hop is at its limit");
    assert!(matches!(uri_record(&crawl_dir, &new).await.outcome, Some(Outcome::Dropped(DropReason::HopLimit))));
}

#[tokio::test(start_paused = true)]
async fn an_abandoned_server_is_requested_again() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    let urls: Vec<String> = (0..6).map(page).collect();
    for url in &urls {
        pages.set(url, web_response(500, &[], ""));
    }
    let impatient = |now_ms, refresh| EngineOptions { max_consecutive_failures: 2, ..settings(now_ms, refresh) };
    let first = run(&crawl_dir, &pages.web(), &urls, impatient(day::<0>, None)).await;
    assert!(first.last.tally.dropped_by_reason["unreachable"] > 0);

    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let again = run(&crawl_dir, &pages.web(), &[], impatient(day::<8>, Some(RefreshSelection::Due))).await;

    assert_eq!(again.last.tally.documents, 6);
    assert_eq!(again.last.tally.dropped_by_reason["unreachable"], 0);
    assert_eq!(harvest(&crawl_dir.store).len(), 6);
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_refresh_resumes_with_the_next_run() {
    let change = |parameters: &mut WorldParameters| {
        (parameters.changes.changed_share, parameters.changes.deleted_share) = (0.3, 0.1);
    };
    let directory = tempfile::tempdir().unwrap();
    let (old, seeds) = world(0, change);
    let patch = directory.path().join("changes.rdfp");
    run(&open_dir(directory.path()), &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&open_dir(directory.path()).store);
    let (new, _) = world(1, change);
    let known_before = open_dir(directory.path()).frontier.census().await.unwrap().uris_known;

    for requests in [1, 9, 40, 41, 90] {
        let crawl_dir = open_dir(directory.path());
        crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());
        let refresh = (requests == 1).then_some(RefreshSelection::All);
        let settings = EngineOptions { max_requests: Some(requests), ..settings(day::<8>, refresh) };
        assert_eq!(run(&crawl_dir, &new, &[], settings).await.stop_reason, StopReason::MaxRequests);
    }
    let crawl_dir = open_dir(directory.path());
    assert!(crawl_dir.frontier.current_round().await.unwrap().is_some(), "the round was interrupted");
    crawl_dir.store.start_patch(RdfPatchFile::append_to(&patch, &[]).unwrap());
    let last = run(&crawl_dir, &new, &[], settings(day::<9>, None)).await;

    assert_eq!(last.last.census.uris_known, known_before);
    let after = harvest(&crawl_dir.store);
    let (added, deleted) = patched(&patch);
    assert!(
        added == after.difference(&before).cloned().collect(),
        "a patch may repeat a change, but contains all of them"
    );
    assert!(deleted == before.difference(&after).cloned().collect());
    let other_directory = tempfile::tempdir().unwrap();
    let fresh = open_dir(other_directory.path());
    run(&fresh, &new, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn a_uri_beyond_the_domain_limit_is_dropped_once() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let (crawl_dir, pages) = (open_dir_with(directory.path(), options), Pages::default());
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    run(&crawl_dir, &pages.web(), &urls, settings(day::<0>, None)).await;

    for now_ms in [day::<8>, day::<40>, day::<99>] {
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::All))).await;
        let tally = &again.last.tally;
        assert_eq!((tally.refresh.unchanged, tally.dropped_by_reason["domain-limit"]), (3, 2), "{tally:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_counts_what_a_killed_process_did() {
    let directory = tempfile::tempdir().unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: Some(3),
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let pages = Pages::default();
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let killed = open_dir_with(directory.path(), options.clone());
    run(&killed, &pages.web(), &urls, settings(day::<0>, None)).await;
    killed.frontier.begin_round(RefreshSelection::All, day::<8>()).await.unwrap();
    let (age, first) = killed.frontier.settled_records(0, 1).await.unwrap().pop().unwrap();
    killed.frontier.requeue(vec![(age, first.into_revisit(REVISIT_PRIORITY))], age + 1).await.unwrap();
    drop(killed);

    let crawl_dir = open_dir_with(directory.path(), options);
    let again = run(&crawl_dir, &pages.web(), &[], settings(day::<9>, None)).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!(
        (refresh.started_at_ms, refresh.queued, refresh.unchanged),
        (day::<8>(), 4, 3),
        "including the missing page of p.example"
    );
    assert_eq!(again.last.tally.dropped_by_reason["domain-limit"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_fault_is_counted_while_it_lasts() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let [broken, gone, down, lost] =
        ["http://a.example/broken", "http://b.example/gone", "http://c.example/down", "http://d.example/lost"];
    let fine = "<> <http://p.example/is> 1 .";
    pages.turtle("http://p.example/is", "");
    pages.turtle(broken, "<> <http://p.example/is> 1 , .");
    pages.turtle(lost, fine);
    pages.set(down, web_response(500, &[], ""));
    let first = run(&crawl_dir, &pages.web(), &seeds(&[broken, gone, down, lost]), settings(day::<0>, None)).await;
    assert_eq!(first.last.tally.faults_by_kind.values().sum::<u64>(), 3, "{:?}", first.last.tally.faults_by_kind);

    pages.set(lost, web_response(404, &[], ""));
    for now_ms in [day::<8>, day::<40>] {
        let again = run(&crawl_dir, &pages.web(), &[], settings(now_ms, Some(RefreshSelection::All))).await;
        assert_eq!(again.last.tally.faults_by_kind.values().sum::<u64>(), 4, "{:?}", again.last.tally.faults_by_kind);
    }
    for url in [broken, gone, down, lost] {
        pages.turtle(url, fine);
    }
    let repaired = run(&crawl_dir, &pages.web(), &[], settings(day::<99>, Some(RefreshSelection::All))).await;
    assert_eq!(repaired.last.tally.faults_by_kind.values().sum::<u64>(), 0, "{:?}", repaired.last.tally.faults_by_kind);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_stopped_at_its_start_resumes_with_the_next_run() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&crawl_dir, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let fetcher = Arc::new(InProcessFetcher::new(pages.web()));
    let crawl = assemble(&crawl_dir, &fetcher, settings(day::<8>, Some(RefreshSelection::Due))).build();
    let (operator, commands) = mpsc::channel::<CrawlCommand>(1);
    operator.send(CrawlCommand::Stop).await.unwrap();

    let (stop_reason, last) =
        crawl.run(Vec::new(), commands, watch::channel(CrawlSnapshot::default()).0).await.unwrap();

    assert_eq!((stop_reason, last.tally.refresh.queued), (StopReason::Stopped, 0));
    assert!(crawl_dir.frontier.current_round().await.unwrap().is_some());
    let next = run(&crawl_dir, &pages.web(), &[], settings(day::<9>, None)).await;
    assert_eq!((next.last.tally.refresh.queued, next.last.tally.refresh.unchanged), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn service_lists_are_refreshed_and_endpoints_are_reported_as_skipped() {
    let directory = tempfile::tempdir().unwrap();
    let (crawl_dir, pages) = (open_dir(directory.path()), Pages::default());
    let json = |url: &str, body: &str| {
        pages.set(url, web_response(200, &[(http::header::CONTENT_TYPE, "application/json")], body));
    };
    let sitemap = |names: &[&str]| {
        let urls = names.iter().map(|name| format!("<url><loc>http://a.example/{name}</loc></url>"));
        let text = format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>",
            urls.collect::<String>()
        );
        pages.set(
            "http://a.example/map.xml",
            web_response(200, &[(http::header::CONTENT_TYPE, "application/xml")], &text),
        );
    };
    let api = |action: &str| format!("http://c.example/api/3/action/{action}");
    let dataset = |name: &str| {
        let text = format!(r#"{{"success": true, "result": {{"id": "{name}", "title": "{name}"}}}}"#);
        json(&api(&format!("package_show?id={name}")), &text);
    };
    let list = api("package_list?limit=1000&offset=0");
    pages.set("http://a.example/robots.txt", web_response(200, &[], "Sitemap: http://a.example/map.xml"));
    for name in ["one", "two"] {
        pages.turtle(&format!("http://a.example/{name}"), "<> <http://p.example/is> 1 .");
    }
    let front =
        "<html><head><meta name=generator content='ckan 2.10.4'></head><body data-site-root='http://c.example/'>";
    pages.set("http://c.example/", web_response(200, &[(http::header::CONTENT_TYPE, "text/html")], front));
    sitemap(&["one"]);
    for name in ["bees", "wasps", "ants"] {
        dataset(name);
    }
    json(&list, r#"{"success": true, "result": ["bees", "wasps"]}"#);
    pages.turtle(
        "http://a.example/",
        "<#set> <http://rdfs.org/ns/void#sparqlEndpoint> <http://e.example/sparql> . <#a> <#b> <http://c.example/> .",
    );
    let policy = DiscoverPolicy { sitemaps: true, ..DiscoverPolicy::default() };
    let first = run_with_discovery(
        policy.clone(),
        &crawl_dir,
        &pages.web(),
        &seeds(&["http://a.example/"]),
        settings(day::<0>, None),
    )
    .await;
    let services = first.last.tally.services.clone();
    assert!(services.contains_key("http://c.example/") && services.contains_key("http://e.example/sparql"));
    let before = harvest(&crawl_dir.store);

    let still = run_with_discovery(
        policy.clone(),
        &crawl_dir,
        &pages.web(),
        &[],
        settings(day::<8>, Some(RefreshSelection::All)),
    )
    .await;
    assert_eq!(still.last.tally.services, services, "nothing is counted twice");
    assert_eq!((still.last.tally.refresh.changed, still.last.tally.refresh.deleted), (0, 0));
    assert_eq!(still.last.tally.refresh.services_skipped, BTreeSet::from(["http://e.example/sparql".to_owned()]));
    assert!(harvest(&crawl_dir.store) == before);

    sitemap(&["one", "two"]);
    json(&list, r#"{"success": true, "result": ["bees", "ants"]}"#);
    pages.set(&api("package_show?id=wasps"), web_response(404, &[], ""));
    let changed =
        run_with_discovery(policy, &crawl_dir, &pages.web(), &[], settings(day::<20>, Some(RefreshSelection::All)))
            .await;

    let refresh = &changed.last.tally.refresh;
    assert_eq!(
        (refresh.changed, refresh.deleted),
        (2, 1),
        "the lists changed, and one dataset is no longer listed: {refresh:?}"
    );
    let after = harvest(&crawl_dir.store).into_iter().collect::<String>();
    assert!(after.contains("<http://a.example/two>") && after.contains("\"ants\"") && !after.contains("\"wasps\""));
}
