//! The data web of the ORCA benchmark, crawled in virtual time.

use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::{Endpoints, Policy};
use lodeward::engine::{Command, Crawl, Ending, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::{BreadthFirst, Order};
use lodeward::store::follow::Followers;
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};
use toyweb::orca::{OrcaWeb, Parameters, Score, Scorer};

use crate::in_process::InProcess;

/// Crawls a world from its seeds, everything allowed, and scores it.
async fn crawl(preset: &str, delay: Duration, change: impl FnOnce(&mut Parameters)) -> (Snapshot, Score) {
    let mut parameters = Parameters::preset(preset).unwrap();
    change(&mut parameters);
    let web = Arc::new(OrcaWeb::new(parameters).unwrap());
    let store = Arc::new(MemoryStore::default());
    let fetcher = Arc::new(InProcess::new(Arc::clone(&web) as _));
    let crawl = Crawl {
        frontier: Arc::new(MemoryFrontier::new(Order::RoundRobin, None)),
        strategy: Box::new(BreadthFirst),
        notebook: None,
        fetcher: Arc::clone(&fetcher) as _,
        extractor: Arc::new(Reader::new(Options::default())),
        store: Arc::clone(&store) as _,
        followers: Followers::default(),
        scope: Scope::default(),
        discover: Policy { endpoints: Endpoints::Harvest, ..Policy::default() },
        settings: Settings { delay, ..Settings::default() },
        revived: Vec::new(),
        observers: Vec::new(),
    };
    let seeds = web.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());

    let (ending, last) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(ending, Ending::Drained);
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    let mut scorer = Scorer::new(&web);
    scorer.quads(&*harvest);
    fetcher.log.lock().unwrap().iter().for_each(|entry| scorer.request(entry));
    (last, scorer.finish())
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
