//! Worlds that change between one visit and the next, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Command, Crawl, Ending, HopLimits, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::embedded::{self, EmbeddedFrontier};
use lodeward::frontier::{AGAIN_PRIORITY, Frontier, Life, Which};
use lodeward::model::{DropReason, Outcome, Uri, What};
use lodeward::provenance::Names;
use lodeward::select::{BreadthFirst, Order};
use lodeward::store::follow::{Followers, Pace};
use lodeward::store::segments::{self, Patch, SegmentStore};
use lodeward::store::{ArchiveFollower, Store};
use lodeward_archive::Archive;
use tokio::sync::{mpsc, watch};
use toyweb::access_log::Entry;
use toyweb::world::{Parameters, World};
use toyweb::{Conduct, Request, Response, Web};

use crate::in_process::{InProcess, answer};

/// What is on disk of a crawl.
struct Place {
    frontier: Arc<EmbeddedFrontier>,
    store: Arc<SegmentStore>,
    archive: Archive,
}

fn place(folder: &Path) -> Place {
    place_with(folder, embedded::Options::default())
}

fn place_with(folder: &Path, options: embedded::Options) -> Place {
    let database = embedded::open_database(&folder.join("state"), 8).unwrap();
    let documents = database.keyspace("documents", fjall::KeyspaceCreateOptions::default).unwrap();
    let segments = segments::Options::default();
    let store = SegmentStore::open(folder.join("segments"), documents, database.clone(), segments).unwrap();
    let frontier = EmbeddedFrontier::open(&database, options).unwrap();
    let archive = Archive::open(folder.join("archive"), &lodeward_archive::Options::default()).unwrap();
    Place { frontier: Arc::new(frontier), store: Arc::new(store), archive }
}

fn names() -> Names {
    Names::new("urn:lodeward:", 1)
}

/// So many days after the first one.
fn day<const DAYS: u64>() -> u64 {
    1_700_000_000_000 + DAYS * 24 * 3_600_000
}

fn settings(now_ms: fn() -> u64, refresh: Option<Which>) -> Settings {
    let provenance = Some("lodeward/test".to_owned());
    Settings { delay: Duration::ZERO, provenance, now_ms, refresh, ..Settings::default() }
}

/// A run of a crawl: how it ended, its counts, and what was asked.
struct Run {
    ending: Ending,
    last: Snapshot,
    log: Vec<Entry>,
}

impl Run {
    /// What was asked but for robots.txt: how often each status was the answer.
    fn statuses(&self) -> BTreeMap<u16, usize> {
        let mut statuses = BTreeMap::new();
        for entry in self.log.iter().filter(|entry| !entry.url.ends_with("/robots.txt")) {
            *statuses.entry(entry.status).or_default() += 1;
        }
        statuses
    }
}

fn furnish(place: &Place, fetcher: &Arc<InProcess>, settings: Settings) -> Crawl {
    let mut followers = Followers::of(place.store.log());
    let follower = ArchiveFollower::new(place.archive.clone(), 1, Some(names()));
    followers.add(Box::new(follower), Pace::default(), None);
    Crawl {
        frontier: Arc::clone(&place.frontier) as _,
        strategy: Box::new(BreadthFirst),
        notebook: None,
        fetcher: Arc::clone(fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&place.store) as _,
        followers,
        scope: Scope::default(),
        discover: Policy::documents_only(),
        settings,
        revived: Vec::new(),
        observers: Vec::new(),
        manners: Arc::default(),
        rests: Arc::default(),
    }
}

async fn run(place: &Place, web: &Arc<dyn Web>, seeds: &[String], settings: Settings) -> Run {
    run_asking(Policy::documents_only(), place, web, seeds, settings).await
}

async fn run_asking(discover: Policy, place: &Place, web: &Arc<dyn Web>, seeds: &[String], settings: Settings) -> Run {
    let fetcher = Arc::new(InProcess::new(Arc::clone(web)));
    let crawl = Crawl { discover, ..furnish(place, &fetcher, settings) };
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());
    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();
    if ending == Ending::Drained {
        assert_eq!((last.census.waiting, last.census.leased, last.census.again), (0, 0, 0), "no loose ends");
        assert_eq!(place.frontier.round().await.unwrap(), None, "no round is left open");
        let tally = &last.tally;
        let dealt_with =
            tally.documents + tally.redirects + tally.failed + tally.vanished + tally.drops.values().sum::<u64>();
        assert_eq!(dealt_with, last.census.known, "every URI is accounted for: {tally:?}");
        assert_eq!(harvest(&place.store), archived(&place.archive), "the archive has the harvest");
    }
    let log = std::mem::take(&mut *fetcher.log.lock().unwrap());
    Run { ending, last, log }
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
            lodeward::store::nquads::write_quad(&mut lines, quad.as_ref());
        }
    }
    String::from_utf8(lines).unwrap().lines().map(str::to_owned).collect()
}

/// What a patch adds and deletes.
fn patched(path: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = |sign: &str| text.lines().filter_map(|line| line.strip_prefix(sign)).map(str::to_owned).collect();
    (lines("A "), lines("D "))
}

fn world(revision: u32, change: impl FnOnce(&mut Parameters)) -> (Arc<dyn Web>, Vec<String>) {
    let mut parameters = Parameters::preset("mixed").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (5, 20);
    parameters.changes.revision = revision;
    parameters.changes.etag_share = 1.0;
    change(&mut parameters);
    let world = World::new(parameters).unwrap();
    let seeds = world.seeds();
    (Arc::new(world), seeds)
}

async fn life(place: &Place, uri: &str) -> Life {
    place.frontier.recall(&Uri::parse(uri).unwrap()).await.unwrap().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_refresh_of_an_unchanged_world_costs_conditional_requests_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let (place, (web, seeds)) = (place(folder.path()), world(0, |_| {}));
    let first = run(&place, &web, &seeds, settings(day::<0>, None)).await;
    let (before, end) = (harvest(&place.store), place.store.log().read(None).unwrap().distance().unwrap());

    let again = run(&place, &web, &seeds, settings(day::<8>, Some(Which::All))).await;

    let (tally, refresh) = (&again.last.tally, &again.last.tally.refresh);
    let statuses = again.statuses();
    assert_eq!(statuses[&304] as u64, refresh.not_modified);
    // A few pages of this world have no validators.
    assert_eq!(statuses.get(&200).map_or(0, |count| *count as u64), refresh.same);
    assert_eq!(refresh.not_modified + refresh.same, first.last.tally.documents);
    assert!(refresh.not_modified > 10 * refresh.same, "{refresh:?}");
    assert_eq!((refresh.changed, refresh.vanished, refresh.appeared), (0, 0, 0));
    assert_eq!((tally.documents, tally.quads, tally.bytes), {
        let tally = &first.last.tally;
        (tally.documents, tally.quads, tally.bytes)
    });
    assert_eq!(harvest(&place.store), before);
    assert_eq!(place.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}

#[tokio::test(start_paused = true)]
async fn a_refresh_of_a_changed_world_yields_exactly_the_changed_quads() {
    let change = |parameters: &mut Parameters| {
        (parameters.changes.changed_share, parameters.changes.vanished_share) = (0.2, 0.1);
        // Some can only be compared by what they are.
        (parameters.changes.etag_share, parameters.changes.last_modified_share) = (0.4, 0.4);
    };
    let folder = tempfile::tempdir().unwrap();
    let (place, (web, seeds)) = (place(folder.path()), world(0, change));
    run(&place, &web, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&place.store);
    let patch = folder.path().join("changes.rdfp");
    place.store.note_changes(Patch::append_to(&patch, &[]).unwrap());

    let (web, _) = world(1, change);
    let again = run(&place, &web, &seeds, settings(day::<8>, Some(Which::All))).await;
    let after = harvest(&place.store);

    let (added, deleted) = patched(&patch);
    assert!(added == after.difference(&before).cloned().collect());
    assert!(deleted == before.difference(&after).cloned().collect());
    let noted = place.store.changes_noted().unwrap();
    assert_eq!((noted.added, noted.deleted), (added.len() as u64, deleted.len() as u64), "each once");
    let refresh = &again.last.tally.refresh;
    assert!(refresh.changed > 5 && refresh.vanished > 3, "{refresh:?}");
    assert!(refresh.not_modified > 20 && refresh.same > 5, "{refresh:?}");
    // Whoever comes only now finds the same, but for what links to the gone lead to.
    let elsewhere = tempfile::tempdir().unwrap();
    let fresh = self::place(elsewhere.path());
    run(&fresh, &web, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn what_vanishes_leaves_the_harvest_and_is_told_and_may_come_back() {
    let change = |parameters: &mut Parameters| {
        (parameters.changes.changed_share, parameters.changes.vanished_share) = (0.0, 0.2);
    };
    let folder = tempfile::tempdir().unwrap();
    let (place, (old, seeds)) = (place(folder.path()), world(0, change));
    run(&place, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&place.store);

    let (new, _) = world(1, change);
    let gone = run(&place, &new, &seeds, settings(day::<8>, Some(Which::Due))).await;
    let kept = harvest(&place.store);
    let ends = invalidations(&place.archive);
    let vanished = gone.last.tally.vanished;
    let back = run(&place, &old, &seeds, settings(day::<99>, Some(Which::Due))).await;

    assert!(vanished > 10, "{:?}", gone.last.tally.refresh);
    assert_eq!(gone.last.tally.refresh.vanished, vanished);
    assert!(kept.is_subset(&before) && kept.len() < before.len());
    let graph = |line: &String| line.rsplit(' ').nth(1).unwrap().to_owned();
    let lost: BTreeSet<String> = before
        .iter()
        .map(graph)
        .collect::<BTreeSet<_>>()
        .difference(&kept.iter().map(graph).collect())
        .cloned()
        .collect();
    assert_eq!(ends, lost, "the provenance of each tells that it is gone");
    assert_eq!(back.last.tally.refresh.came_back, vanished);
    assert_eq!(back.last.tally.vanished, 0);
    assert!(harvest(&place.store) == before);
    assert_eq!(invalidations(&place.archive), BTreeSet::new());
    let uri = lost.first().unwrap().trim_matches(['<', '>']).to_owned();
    let history = life(&place, &uri).await.history();
    let told: Vec<What> = history.events.iter().map(|event| event.what).collect();
    assert_eq!(told, [What::Appeared, What::Vanished, What::CameBack]);
}

/// The documents of which an archive tells that they are gone.
fn invalidations(archive: &Archive) -> BTreeSet<String> {
    let predicate = oxrdf::NamedNode::new("http://www.w3.org/ns/prov#invalidatedAtTime").unwrap();
    let quads = archive.snapshot().quads(None, Some(predicate.as_ref()), None, None);
    quads.map(|quad| quad.unwrap().subject.to_string()).collect()
}

#[tokio::test(start_paused = true)]
async fn statements_of_the_vanished_stay_if_that_is_wanted() {
    let change = |parameters: &mut Parameters| parameters.changes.vanished_share = 0.2;
    let folder = tempfile::tempdir().unwrap();
    let (place, (old, seeds)) = (place(folder.path()), world(0, change));
    run(&place, &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&place.store);

    let (new, _) = world(1, |parameters| {
        change(parameters);
        parameters.changes.changed_share = 0.0;
    });
    let keeping = Settings { keep_vanished: true, ..settings(day::<8>, Some(Which::All)) };
    let gone = run(&place, &new, &seeds, keeping).await;

    assert!(gone.last.tally.vanished > 10);
    assert!(harvest(&place.store) == before);
}

/// A web whose pages a test may change.
#[derive(Clone, Default)]
struct Pages(Arc<Mutex<BTreeMap<String, Response>>>);

impl Pages {
    fn set(&self, url: &str, response: Response) {
        self.0.lock().unwrap().insert(url.to_owned(), response);
    }

    fn turtle(&self, url: &str, body: &str) {
        self.set(url, answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], body));
    }

    fn web(&self) -> Arc<dyn Web> {
        Arc::new(self.clone())
    }
}

impl Web for Pages {
    fn respond(&self, request: &Request) -> Response {
        self.0.lock().unwrap().get(request.url.as_str()).cloned().unwrap_or_else(|| answer(404, &[], ""))
    }
}

const BOB: &str = "http://a.example/bob";

fn seeds(urls: &[&str]) -> Vec<String> {
    urls.iter().map(|url| (*url).to_owned()).collect()
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_had_for_now_is_kept_and_told_to_be_stale() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&place, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let before = harvest(&place.store);

    pages.set(BOB, answer(500, &[], ""));
    let first = run(&place, &pages.web(), &[], settings(day::<8>, Some(Which::Due))).await;
    pages.set("http://a.example/robots.txt", answer(200, &[], "User-agent: *\nDisallow: /"));
    let second = run(&place, &pages.web(), &[], settings(day::<20>, Some(Which::Due))).await;

    assert_eq!((first.last.tally.refresh.failed, second.last.tally.refresh.failed), (1, 1));
    assert_eq!(second.last.tally.documents, 1);
    assert!(!before.is_empty() && harvest(&place.store) == before);
    let life = life(&place, BOB).await;
    assert!(matches!(life.outcome, Some(Outcome::Document(_))));
    let failing = life.history().failing.unwrap();
    assert_eq!((failing.visits, failing.fault.kind.name()), (2, "disallowed"));
    assert!((day::<8>()..day::<9>()).contains(&failing.since_ms));
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    pages.set("http://a.example/robots.txt", answer(404, &[], ""));
    let third = run(&place, &pages.web(), &[], settings(day::<30>, Some(Which::Due))).await;
    assert_eq!(third.last.tally.refresh.unchanged, 1);
    assert_eq!(self::life(&place, BOB).await.history().failing, None);
}

#[tokio::test(start_paused = true)]
async fn what_comes_in_part_replaces_nothing_that_was_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    let page = |revision: u32, conduct: Conduct| {
        let lines = (0..8).map(|line| format!("<#{line}> <#revision> {revision} .\n"));
        let etag = format!("\"{revision}\"");
        let fields = [(http::header::CONTENT_TYPE, "text/turtle"), (http::header::ETAG, &*etag)];
        Response { conduct, ..answer(200, &fields, &lines.collect::<String>()) }
    };
    let etag = async || match life(&place, BOB).await.outcome {
        Some(Outcome::Document(document)) => document.etag,
        other => panic!("not a document: {other:?}"),
    };

    // The first visit has but a part, and nothing to know it again by.
    pages.set(BOB, page(1, Conduct::Truncated));
    run(&place, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    assert_eq!((harvest(&place.store).len(), etag().await), (4, None));

    // Another part of the same length is as good; a whole is better.
    pages.set(BOB, page(2, Conduct::Truncated));
    let second = run(&place, &pages.web(), &[], settings(day::<8>, Some(Which::All))).await;
    assert_eq!((second.last.tally.refresh.changed, etag().await), (1, None));
    pages.set(BOB, page(3, Conduct::Plain));
    let third = run(&place, &pages.web(), &[], settings(day::<20>, Some(Which::All))).await;
    assert_eq!((third.last.tally.refresh.changed, etag().await.as_deref()), (1, Some("\"3\"")));
    let whole = harvest(&place.store);
    assert_eq!(whole.len(), 8);

    // A part is no news of it.
    pages.set(BOB, page(4, Conduct::Truncated));
    let fourth = run(&place, &pages.web(), &[], settings(day::<30>, Some(Which::All))).await;
    let refresh = &fourth.last.tally.refresh;
    assert_eq!((refresh.failed, refresh.changed, refresh.unchanged), (1, 0, 0));
    assert_eq!((fourth.last.tally.documents, fourth.last.tally.quads), (1, 8));
    assert!(harvest(&place.store) == whole);
    assert_eq!(etag().await.as_deref(), Some("\"3\""));
    assert_eq!(life(&place, BOB).await.history().failing.unwrap().fault.kind.name(), "truncated");
}

#[tokio::test(start_paused = true)]
async fn a_document_that_moves_leaves_its_graph_to_where_it_moved() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    pages.turtle(BOB, "<#me> <http://p.example/age> 41 .");
    run(&place, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;

    pages.set(BOB, answer(301, &[(http::header::LOCATION, "/robert")], ""));
    pages.turtle("http://a.example/robert", "<#me> <http://p.example/age> 42 .");
    let moved = run(&place, &pages.web(), &[], settings(day::<8>, Some(Which::Due))).await;

    let graph = "<http://a.example/robert>";
    let age = "\"42\"^^<http://www.w3.org/2001/XMLSchema#integer>";
    let expected = format!("<http://a.example/robert#me> <http://p.example/age> {age} {graph} .");
    assert_eq!(harvest(&place.store), BTreeSet::from([expected]));
    assert_eq!((moved.last.tally.documents, moved.last.tally.redirects), (1, 1));
    let still = run(&place, &pages.web(), &[], settings(day::<20>, Some(Which::All))).await;
    assert_eq!((still.last.tally.refresh.unchanged, still.last.tally.refresh.changed), (2, 0));
}

#[tokio::test(start_paused = true)]
async fn a_page_whose_statements_are_the_same_is_unchanged_whatever_else_it_says() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 . # Monday");
    run(&place, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let end = place.store.log().read(None).unwrap().distance().unwrap();

    pages.turtle(BOB, "# Tuesday\n<> <http://p.example/age> 41 .");
    let again = run(&place, &pages.web(), &[], settings(day::<8>, Some(Which::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.unchanged, refresh.same, refresh.changed), (1, 0, 0));
    assert_eq!(place.store.log().read(None).unwrap().distance().unwrap(), end, "nothing was written");
}

/// When, which day that is, and who is visited.
type Day<'a> = (fn() -> u64, u64, &'a [&'a str]);

#[tokio::test(start_paused = true)]
async fn only_those_are_visited_who_are_due() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    let (news, rest) = ("http://news.example/", "http://old.example/");
    pages.turtle(news, "<> <http://p.example/day> 0 .");
    pages.turtle(rest, "<> <http://p.example/day> 0 .");
    let days: [Day<'_>; 7] = [
        (day::<3>, 3, &[]),
        (day::<8>, 8, &[news, rest]),
        // The one that has changed in 8 days is taken to change every 7.3, and so
        // due after 3.6; the other one after 12.
        (day::<11>, 11, &[]),
        (day::<12>, 12, &[news]),
        (day::<19>, 19, &[news]),
        // By now, that one is taken to change every 3 days.
        (day::<20>, 20, &[]),
        (day::<21>, 21, &[news, rest]),
    ];
    run(&place, &pages.web(), &seeds(&[news, rest]), settings(day::<0>, None)).await;

    for (now_ms, number, expected) in days {
        pages.turtle(news, &format!("<> <http://p.example/day> {number} ."));
        let again = run(&place, &pages.web(), &[], settings(now_ms, Some(Which::Due))).await;
        let asked = again.log.iter().map(|entry| entry.url.as_str()).filter(|url| !url.ends_with("/robots.txt"));
        assert_eq!(asked.collect::<BTreeSet<_>>(), expected.iter().copied().collect(), "day {number}");
    }
}

#[tokio::test(start_paused = true)]
async fn known_documents_come_first_and_limits_are_for_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let options = embedded::Options { documents_per_pld_max: Some(3), ..embedded::Options::default() };
    let (place, pages) = (place_with(folder.path(), options), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    for n in 0..6 {
        pages.turtle(&page(n), &format!("<> <http://p.example/next> </{}> .", n + 1));
    }
    let limited = |now_ms, refresh| Settings { documents_max: Some(3), ..settings(now_ms, refresh) };
    let first = run(&place, &pages.web(), &seeds(&[&page(0)]), limited(day::<0>, None)).await;
    assert_eq!((first.last.tally.documents, first.last.tally.drops["pld-limit"]), (3, 1));

    pages.turtle(&page(1), "<> <http://p.example/see> <http://b.example/> .");
    pages.set(&page(2), answer(410, &[], ""));
    pages.turtle("http://b.example/", "<> <http://p.example/is> 1 .");
    let again = run(&place, &pages.web(), &[], limited(day::<8>, Some(Which::Due))).await;

    let asked: Vec<&str> = again.log.iter().map(|entry| entry.url.as_str()).collect();
    let asked: Vec<&str> = asked.into_iter().filter(|url| !url.ends_with("/robots.txt")).collect();
    let mut known = asked[..3].to_vec();
    known.sort_unstable();
    assert_eq!(known, ["http://a.example/0", "http://a.example/1", "http://a.example/2"]);
    // One is gone, so there is room for one.
    assert_eq!((again.ending, again.last.tally.documents), (Ending::MaxDocuments, 3));
}

#[tokio::test(start_paused = true)]
async fn limits_of_relevant_documents_are_for_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    let limited = |now_ms, refresh| Settings { relevant_max: Some(1), ..settings(now_ms, refresh) };
    run(&place, &pages.web(), &seeds(&[BOB]), limited(day::<0>, None)).await;

    pages.turtle(BOB, "<> <http://p.example/age> 42 .");
    let again = run(&place, &pages.web(), &[], limited(day::<8>, Some(Which::Due))).await;

    assert_eq!((again.ending, again.last.tally.refresh.changed), (Ending::MaxRelevant, 1));
    assert_eq!(place.frontier.round().await.unwrap(), None, "the round is over");
}

#[tokio::test(start_paused = true)]
async fn limits_of_hops_are_for_new_documents() {
    let folder = tempfile::tempdir().unwrap();
    let options = embedded::Options { order: Order::Hops, ..embedded::Options::default() };
    let (place, pages) = (place_with(folder.path(), options), Pages::default());
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
    let hops =
        HopLimits { documents_max: Some(3), documents_per_pld_max: Some(2), plds_max: Some(2), plds_min: Some(1) };
    let strict = |now_ms, refresh| Settings { hops, ..settings(now_ms, refresh) };
    let first = run(&place, &pages.web(), &seeds(&[&root]), strict(day::<0>, None)).await;
    assert_eq!(first.last.tally.documents_by_hop, [1, 3, 3], "{:?}", first.last.tally);

    let new = page("root", 9);
    pages.turtle(&root, &listing(std::slice::from_ref(&new)));
    let again = run(&place, &pages.web(), &[], strict(day::<8>, Some(Which::Due))).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!((refresh.queued, refresh.unchanged, refresh.changed, refresh.failed), (7, 6, 1, 0));
    assert_eq!(again.last.tally.documents_by_hop, [1, 3, 3], "that hop is full");
    assert!(matches!(life(&place, &new).await.outcome, Some(Outcome::Dropped(DropReason::HopLimit))));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_was_given_up_is_asked_again() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    let page = |n: u32| format!("http://a.example/{n}");
    let urls: Vec<String> = (0..6).map(page).collect();
    for url in &urls {
        pages.set(url, answer(500, &[], ""));
    }
    let hasty = |now_ms, refresh| Settings { give_up_after: 2, ..settings(now_ms, refresh) };
    let first = run(&place, &pages.web(), &urls, hasty(day::<0>, None)).await;
    assert!(first.last.tally.drops["unreachable"] > 0);

    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let again = run(&place, &pages.web(), &[], hasty(day::<8>, Some(Which::Due))).await;

    assert_eq!(again.last.tally.documents, 6);
    assert_eq!(again.last.tally.drops["unreachable"], 0);
    assert_eq!(harvest(&place.store).len(), 6);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_is_cut_short_goes_on_whoever_runs_next() {
    let change = |parameters: &mut Parameters| {
        (parameters.changes.changed_share, parameters.changes.vanished_share) = (0.3, 0.1);
    };
    let folder = tempfile::tempdir().unwrap();
    let (old, seeds) = world(0, change);
    let patch = folder.path().join("changes.rdfp");
    run(&place(folder.path()), &old, &seeds, settings(day::<0>, None)).await;
    let before = harvest(&place(folder.path()).store);
    let (new, _) = world(1, change);
    let began = place(folder.path()).frontier.census().await.unwrap().known;

    for requests in [1, 9, 40, 41, 90] {
        let place = place(folder.path());
        place.store.note_changes(Patch::append_to(&patch, &[]).unwrap());
        let refresh = (requests == 1).then_some(Which::All);
        let settings = Settings { requests_max: Some(requests), ..settings(day::<8>, refresh) };
        assert_eq!(run(&place, &new, &[], settings).await.ending, Ending::MaxRequests);
    }
    let place = place(folder.path());
    assert!(place.frontier.round().await.unwrap().is_some(), "it was cut short");
    place.store.note_changes(Patch::append_to(&patch, &[]).unwrap());
    let last = run(&place, &new, &[], settings(day::<9>, None)).await;

    assert_eq!(last.last.census.known, began);
    let after = harvest(&place.store);
    let (added, deleted) = patched(&patch);
    assert!(added == after.difference(&before).cloned().collect(), "a patch may say it twice, but says all of it");
    assert!(deleted == before.difference(&after).cloned().collect());
    let elsewhere = tempfile::tempdir().unwrap();
    let fresh = self::place(elsewhere.path());
    run(&fresh, &new, &seeds, settings(day::<8>, None)).await;
    assert!(harvest(&fresh.store) == after);
}

#[tokio::test(start_paused = true)]
async fn who_is_beyond_the_share_of_a_domain_is_dropped_once() {
    let folder = tempfile::tempdir().unwrap();
    let options = embedded::Options { documents_per_pld_max: Some(3), ..embedded::Options::default() };
    let (place, pages) = (place_with(folder.path(), options), Pages::default());
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    run(&place, &pages.web(), &urls, settings(day::<0>, None)).await;

    for now_ms in [day::<8>, day::<40>, day::<99>] {
        let again = run(&place, &pages.web(), &[], settings(now_ms, Some(Which::All))).await;
        let tally = &again.last.tally;
        assert_eq!((tally.refresh.unchanged, tally.drops["pld-limit"]), (3, 2), "{tally:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_round_counts_what_it_did_before_it_was_killed() {
    let folder = tempfile::tempdir().unwrap();
    let options = embedded::Options { documents_per_pld_max: Some(3), ..embedded::Options::default() };
    let pages = Pages::default();
    let urls: Vec<String> = (0..5).map(|n| format!("http://a.example/{n}")).collect();
    for url in &urls {
        pages.turtle(url, "<> <http://p.example/is> 1 .");
    }
    let killed = place_with(folder.path(), options.clone());
    run(&killed, &pages.web(), &urls, settings(day::<0>, None)).await;
    killed.frontier.begin_round(Which::All, day::<8>()).await.unwrap();
    let (age, first) = killed.frontier.settled(0, 1).await.unwrap().pop().unwrap();
    killed.frontier.requeue(vec![(age, first.again(AGAIN_PRIORITY))], age + 1).await.unwrap();
    drop(killed);

    let place = place_with(folder.path(), options);
    let again = run(&place, &pages.web(), &[], settings(day::<9>, None)).await;

    let refresh = &again.last.tally.refresh;
    assert_eq!(
        (refresh.began_at_ms, refresh.queued, refresh.unchanged),
        (day::<8>(), 4, 3),
        "also what p.example had not"
    );
    assert_eq!(again.last.tally.drops["pld-limit"], 2);
}

#[tokio::test(start_paused = true)]
async fn a_fault_is_counted_while_it_lasts() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    let [broken, gone, down, lost] =
        ["http://a.example/broken", "http://b.example/gone", "http://c.example/down", "http://d.example/lost"];
    let fine = "<> <http://p.example/is> 1 .";
    pages.turtle("http://p.example/is", "");
    pages.turtle(broken, "<> <http://p.example/is> 1 , .");
    pages.turtle(lost, fine);
    pages.set(down, answer(500, &[], ""));
    let first = run(&place, &pages.web(), &seeds(&[broken, gone, down, lost]), settings(day::<0>, None)).await;
    assert_eq!(first.last.tally.faults.values().sum::<u64>(), 3, "{:?}", first.last.tally.faults);

    pages.set(lost, answer(404, &[], ""));
    for now_ms in [day::<8>, day::<40>] {
        let again = run(&place, &pages.web(), &[], settings(now_ms, Some(Which::All))).await;
        assert_eq!(again.last.tally.faults.values().sum::<u64>(), 4, "{:?}", again.last.tally.faults);
    }
    for url in [broken, gone, down, lost] {
        pages.turtle(url, fine);
    }
    let repaired = run(&place, &pages.web(), &[], settings(day::<99>, Some(Which::All))).await;
    assert_eq!(repaired.last.tally.faults.values().sum::<u64>(), 0, "{:?}", repaired.last.tally.faults);
}

#[tokio::test(start_paused = true)]
async fn a_refresh_that_is_stopped_as_it_begins_goes_on_with_the_next_run() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    pages.turtle(BOB, "<> <http://p.example/age> 41 .");
    run(&place, &pages.web(), &seeds(&[BOB]), settings(day::<0>, None)).await;
    let fetcher = Arc::new(InProcess::new(pages.web()));
    let crawl = furnish(&place, &fetcher, settings(day::<8>, Some(Which::Due)));
    let (operator, commands) = mpsc::channel::<Command>(1);
    operator.send(Command::Stop).await.unwrap();

    let (ending, last) = crawl.run(Vec::new(), commands, watch::channel(Snapshot::default()).0).await.unwrap();

    assert_eq!((ending, last.tally.refresh.queued), (Ending::Stopped, 0));
    assert!(place.frontier.round().await.unwrap().is_some());
    let next = run(&place, &pages.web(), &[], settings(day::<9>, None)).await;
    assert_eq!((next.last.tally.refresh.queued, next.last.tally.refresh.unchanged), (1, 1));
}

#[tokio::test(start_paused = true)]
async fn lists_of_services_are_read_again_and_endpoints_are_told_to_be_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let (place, pages) = (place(folder.path()), Pages::default());
    let json = |url: &str, body: &str| {
        pages.set(url, answer(200, &[(http::header::CONTENT_TYPE, "application/json")], body));
    };
    let sitemap = |names: &[&str]| {
        let urls = names.iter().map(|name| format!("<url><loc>http://a.example/{name}</loc></url>"));
        let text = format!(
            "<urlset xmlns='http://www.sitemaps.org/schemas/sitemap/0.9'>{}</urlset>",
            urls.collect::<String>()
        );
        pages.set("http://a.example/map.xml", answer(200, &[(http::header::CONTENT_TYPE, "application/xml")], &text));
    };
    let api = |action: &str| format!("http://c.example/api/3/action/{action}");
    let dataset = |name: &str| {
        let text = format!(r#"{{"success": true, "result": {{"id": "{name}", "title": "{name}"}}}}"#);
        json(&api(&format!("package_show?id={name}")), &text);
    };
    let list = api("package_list?limit=1000&offset=0");
    pages.set("http://a.example/robots.txt", answer(200, &[], "Sitemap: http://a.example/map.xml"));
    for name in ["one", "two"] {
        pages.turtle(&format!("http://a.example/{name}"), "<> <http://p.example/is> 1 .");
    }
    let front =
        "<html><head><meta name=generator content='ckan 2.10.4'></head><body data-site-root='http://c.example/'>";
    pages.set("http://c.example/", answer(200, &[(http::header::CONTENT_TYPE, "text/html")], front));
    sitemap(&["one"]);
    for name in ["bees", "wasps", "ants"] {
        dataset(name);
    }
    json(&list, r#"{"success": true, "result": ["bees", "wasps"]}"#);
    pages.turtle(
        "http://a.example/",
        "<#set> <http://rdfs.org/ns/void#sparqlEndpoint> <http://e.example/sparql> . <#a> <#b> <http://c.example/> .",
    );
    let policy = Policy { sitemaps: true, ..Policy::default() };
    let first =
        run_asking(policy, &place, &pages.web(), &seeds(&["http://a.example/"]), settings(day::<0>, None)).await;
    let services = first.last.tally.services.clone();
    assert!(services.contains_key("http://c.example/") && services.contains_key("http://e.example/sparql"));
    let before = harvest(&place.store);

    let still = run_asking(policy, &place, &pages.web(), &[], settings(day::<8>, Some(Which::All))).await;
    assert_eq!(still.last.tally.services, services, "nothing is counted twice");
    assert_eq!((still.last.tally.refresh.changed, still.last.tally.refresh.vanished), (0, 0));
    assert_eq!(still.last.tally.refresh.services_skipped, BTreeSet::from(["http://e.example/sparql".to_owned()]));
    assert!(harvest(&place.store) == before);

    sitemap(&["one", "two"]);
    json(&list, r#"{"success": true, "result": ["bees", "ants"]}"#);
    pages.set(&api("package_show?id=wasps"), answer(404, &[], ""));
    let changed = run_asking(policy, &place, &pages.web(), &[], settings(day::<20>, Some(Which::All))).await;

    let refresh = &changed.last.tally.refresh;
    assert_eq!((refresh.changed, refresh.vanished), (2, 1), "the lists, and one that is no more listed: {refresh:?}");
    let after = harvest(&place.store).into_iter().collect::<String>();
    assert!(after.contains("<http://a.example/two>") && after.contains("\"ants\"") && !after.contains("\"wasps\""));
}
