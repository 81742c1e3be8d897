//! The data web of the ORCA benchmark, crawled in virtual time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::{Endpoints, Policy};
use lodeward::engine::{Command, Crawl, Ending, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::{Pld, Uri};
use lodeward::select::{BreadthFirst, Order};
use lodeward::store::follow::Followers;
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};
use toyweb::orca::{OrcaWeb, Parameters, Score, Scorer};

use crate::in_process::{InProcess, Scripted, answer};

/// Crawls a world from its seeds, everything allowed, and scores it.
async fn crawl(preset: &str, delay: Duration, change: impl FnOnce(&mut Parameters)) -> (Snapshot, Score) {
    let mut parameters = Parameters::preset(preset).unwrap();
    change(&mut parameters);
    let web = Arc::new(OrcaWeb::new(parameters).unwrap());
    let fetcher = Arc::new(InProcess::new(Arc::clone(&web) as _));
    let settings = Settings { delay, ..Settings::default() };

    let (last, harvest) = run(&fetcher, &web.seeds(), Scope::default(), settings).await;

    let mut scorer = Scorer::new(&web);
    scorer.quads(&*harvest);
    fetcher.log.lock().unwrap().iter().for_each(|entry| scorer.request(entry));
    (last, scorer.finish())
}

/// Crawls until nothing is left. Returns the harvest, too.
async fn run(fetcher: &Arc<InProcess>, seeds: &[String], scope: Scope, settings: Settings) -> (Snapshot, Vec<u8>) {
    let store = Arc::new(MemoryStore::default());
    let crawl = Crawl {
        frontier: Arc::new(MemoryFrontier::new(Order::RoundRobin, None)),
        strategy: Box::new(BreadthFirst),
        notebook: None,
        fetcher: Arc::clone(fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&store) as _,
        followers: Followers::default(),
        scope,
        discover: Policy { endpoints: Endpoints::Harvest, ..Policy::default() },
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

    assert_eq!(ending, Ending::Drained);
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    (last, harvest)
}

/// What was missed, node by node.
fn missed(score: &Score) -> Vec<String> {
    let short = score.nodes.iter().filter(|node| node.found < node.expected);
    short.map(|node| format!("{} ({:?}): {} of {}", node.host, node.kind, node.found, node.expected)).collect()
}

#[tokio::test(start_paused = true)]
async fn everything_in_a_data_web_is_found() {
    let (last, score) = crawl("data-web-small", Duration::ZERO, |_| {}).await;

    assert_eq!(missed(&score), Vec::<String>::new(), "{:?} {:?}", last.tally.faults, last.tally.services);
    assert!(score.kinds.len() == 5, "all kinds of node are there: {:?}", score.kinds);
}

#[tokio::test(start_paused = true)]
async fn everything_in_a_data_web_is_found_where_endpoints_stumble_and_give_little() {
    let (last, score) = crawl("data-web-small", Duration::from_millis(100), |parameters| {
        parameters.seed += 1;
        parameters.sparql.row_cap = 70;
        parameters.sparql.error_share = 0.1;
        parameters.sparql.sorted_rows_max = 100;
    })
    .await;

    assert_eq!(missed(&score), Vec::<String>::new(), "{:?} {:?}", last.tally.faults, last.tally.services);
}

#[tokio::test(start_paused = true)]
async fn whoever_asks_for_ten_seconds_gets_them_and_what_is_forbidden_is_left_alone() {
    let preset = if std::env::var_os("LODEWARD_TORTURE").is_some() { "robots" } else { "robots-small" };
    let (_, score) = crawl(preset, Duration::from_secs(1), |_| {}).await;

    println!("{preset}: {:?} {:?} {:?}", score.delays, score.disallowed, score.recall);
    let delays = score.delays.as_ref().expect("nodes ask for a delay");
    assert!(delays.min >= 1.0 && delays.gap_min >= 1.0, "{delays:?}");
    assert!(score.disallowed.all > 0);
    assert_eq!(score.disallowed.requested, 0);
    assert_eq!(missed(&score), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn every_resource_that_can_be_looked_up_is() {
    let (_, score) = crawl("efficiency-small", Duration::ZERO, |_| {}).await;

    assert_eq!(missed(&score), Vec::<String>::new());
}

/// An endpoint that answers whether it is one, and breaks at every other question.
fn broken_endpoint(url: &str) -> toyweb::Response {
    const RESULTS: &str = r#"{"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "uri", "value": "http://a.example/x"}}]}}"#;
    match url {
        "http://a.example/sparql" => answer(400, &[], "no query"),
        _ if !url.contains("/sparql?") => answer(404, &[], ""),
        _ if url.contains("LIMIT+1") && !url.contains("LIMIT+10") => {
            answer(200, &[(http::header::CONTENT_TYPE, "application/sparql-results+json")], RESULTS)
        }
        _ => answer(500, &[], "out of order"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_endpoint_that_cannot_answer_is_asked_in_other_words_and_not_given_up() {
    let fetcher = Arc::new(InProcess::new(Arc::new(Scripted(broken_endpoint))));
    let settings = Settings { give_up_after: 2, ..Settings::default() };

    let (last, _) = run(&fetcher, &["http://a.example/sparql".to_owned()], Scope::default(), settings).await;

    let service = last.tally.services["http://a.example/sparql"];
    assert!(service.failed >= 3, "{service:?}");
    assert!(!last.tally.drops.contains_key("unreachable"), "{:?}", last.tally.drops);
}

/// An endpoint that is elsewhere by now.
fn moved_endpoint(url: &str) -> toyweb::Response {
    let elsewhere = url.replacen("http://a.example/", "http://b.example/", 1);
    if url.starts_with("http://a.example/sparql") {
        return answer(301, &[(http::header::LOCATION, &elsewhere)], "");
    }
    broken_endpoint(&url.replacen("http://b.example/", "http://a.example/", 1))
}

#[tokio::test(start_paused = true)]
async fn a_crawl_that_stays_does_not_follow_an_endpoint_elsewhere() {
    let asked = async |plds: Option<HashSet<Pld>>| {
        let fetcher = Arc::new(InProcess::new(Arc::new(Scripted(moved_endpoint))));
        let scope = Scope { plds, ..Scope::default() };
        run(&fetcher, &["http://a.example/sparql".to_owned()], scope, Settings::default()).await;
        let log = fetcher.log.lock().unwrap();
        log.iter().any(|entry| entry.url.starts_with("http://b.example/sparql"))
    };

    assert!(asked(None).await);
    assert!(!asked(Some(HashSet::from([Pld::of_host("a.example")]))).await);
}
