//! Crawls of the data web of the ORCA benchmark, in virtual time.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::discover::{DiscoverPolicy, EndpointPolicy};
use lodeward::engine::{CrawlCommand, CrawlSnapshot, DomainPolicy, EngineOptions, Scope, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::{Pld, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::{MemoryStore, Store as _};
use tokio::sync::{mpsc, watch};
use toyweb::orca::{OrcaParameters, OrcaScore, OrcaScorer, OrcaWeb};

use crate::in_process::{InProcessFetcher, ScriptedWeb, web_response};

/// Crawls a world from its seeds without limits, and scores the result.
async fn crawl(preset: &str, delay: Duration, change: impl FnOnce(&mut OrcaParameters)) -> (CrawlSnapshot, OrcaScore) {
    let mut parameters = OrcaParameters::preset(preset).unwrap();
    change(&mut parameters);
    let web = Arc::new(OrcaWeb::new(parameters).unwrap());
    let fetcher = Arc::new(InProcessFetcher::new(Arc::clone(&web) as _));
    let settings = EngineOptions { delay, ..EngineOptions::default() };

    let (last, harvest) = run(&fetcher, &web.seeds(), Scope::default(), settings).await;

    let mut scorer = OrcaScorer::new(&web);
    scorer.read_quads(&*harvest);
    fetcher.log.lock().unwrap().iter().for_each(|entry| scorer.add_request(entry));
    (last, scorer.finish())
}

/// Crawls until no URIs are left. Returns the harvest, too.
async fn run(
    fetcher: &Arc<InProcessFetcher>,
    seeds: &[String],
    scope: Scope,
    options: EngineOptions,
) -> (CrawlSnapshot, Vec<u8>) {
    let store = Arc::new(MemoryStore::default());
    let crawl = CrawlBuilder {
        scope,
        discover: DiscoverPolicy {
            sparql_endpoints: EndpointPolicy::Harvest,
            follow_harvested: true,
            ..DiscoverPolicy::default()
        },
        options,
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            Box::new(BreadthFirstStrategy),
            Arc::clone(fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::clone(&store) as _,
        )
    }
    .build();
    let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());

    let (stop_reason, last) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(stop_reason, StopReason::Drained);
    let mut harvest = Vec::new();
    store.export(&mut harvest).unwrap();
    (last, harvest)
}

/// The nodes with missing quads.
fn missed(score: &OrcaScore) -> Vec<String> {
    let short = score.nodes.iter().filter(|node| node.found < node.expected);
    short.map(|node| format!("{} ({:?}): {} of {}", node.host, node.kind, node.found, node.expected)).collect()
}

#[tokio::test(start_paused = true)]
async fn everything_in_a_data_web_is_found() {
    let (last, score) = crawl("data-web-small", Duration::ZERO, |_| {}).await;

    assert_eq!(missed(&score), Vec::<String>::new(), "{:?} {:?}", last.tally.faults_by_kind, last.tally.services);
    assert!(score.kinds.len() == 5, "all kinds of nodes are present: {:?}", score.kinds);
}

#[tokio::test(start_paused = true)]
async fn everything_in_a_data_web_is_found_with_failing_and_limited_endpoints() {
    let (last, score) = crawl("data-web-small", Duration::from_millis(100), |parameters| {
        parameters.seed += 1;
        parameters.sparql.max_rows = 70;
        parameters.sparql.error_share = 0.1;
        parameters.sparql.max_sorted_rows = 100;
    })
    .await;

    assert_eq!(missed(&score), Vec::<String>::new(), "{:?} {:?}", last.tally.faults_by_kind, last.tally.services);
}

#[tokio::test(start_paused = true)]
async fn crawl_delays_and_disallowed_paths_are_respected() {
    let preset = if std::env::var_os("LODEWARD_TEST_TORTURE").is_some() { "robots" } else { "robots-small" };
    let (_, score) = crawl(preset, Duration::from_secs(1), |_| {}).await;

    println!("{preset}: {:?} {:?} {:?}", score.delays, score.disallowed, score.recall);
    let delays = score.delays.as_ref().expect("nodes request a delay");
    assert!(delays.min >= 1.0 && delays.min_gap >= 1.0, "{delays:?}");
    assert!(score.disallowed.all > 0);
    assert_eq!(score.disallowed.requested, 0);
    assert_eq!(missed(&score), Vec::<String>::new());
}

#[tokio::test(start_paused = true)]
async fn every_dereferenceable_resource_is_fetched() {
    let (_, score) = crawl("efficiency-small", Duration::ZERO, |_| {}).await;

    assert_eq!(missed(&score), Vec::<String>::new());
}

/// An endpoint that answers the probe query and fails on every other.
fn broken_endpoint(url: &str) -> toyweb::WebResponse {
    const RESULTS: &str = r#"{"head": {"vars": ["s"]}, "results": {"bindings": [{"s": {"type": "uri", "value": "http://a.example/x"}}]}}"#;
    match url {
        "http://a.example/sparql" => web_response(400, &[], "no query"),
        _ if !url.contains("/sparql?") => web_response(404, &[], ""),
        _ if url.contains("LIMIT+1") && !url.contains("LIMIT+10") => {
            web_response(200, &[(http::header::CONTENT_TYPE, "application/sparql-results+json")], RESULTS)
        }
        _ => web_response(500, &[], "out of order"),
    }
}

#[tokio::test(start_paused = true)]
async fn a_failing_endpoint_gets_simpler_queries_and_is_not_abandoned() {
    let fetcher = Arc::new(InProcessFetcher::new(Arc::new(ScriptedWeb(broken_endpoint))));
    let settings = EngineOptions { max_consecutive_failures: 2, ..EngineOptions::default() };

    let (last, _) = run(&fetcher, &["http://a.example/sparql".to_owned()], Scope::default(), settings).await;

    let service = last.tally.services["http://a.example/sparql"];
    assert!(service.failed >= 3, "{service:?}");
    assert!(!last.tally.dropped_by_reason.contains_key("unreachable"), "{:?}", last.tally.dropped_by_reason);
}

/// An endpoint that redirects to another host.
fn moved_endpoint(url: &str) -> toyweb::WebResponse {
    let target = url.replacen("http://a.example/", "http://b.example/", 1);
    if url.starts_with("http://a.example/sparql") {
        return web_response(301, &[(http::header::LOCATION, &target)], "");
    }
    broken_endpoint(&url.replacen("http://b.example/", "http://a.example/", 1))
}

#[tokio::test(start_paused = true)]
async fn a_moved_seed_endpoint_is_followed_unless_its_domain_is_denied() {
    let follows = async |scope: Scope| {
        let fetcher = Arc::new(InProcessFetcher::new(Arc::new(ScriptedWeb(moved_endpoint))));
        run(&fetcher, &["http://a.example/sparql".to_owned()], scope, EngineOptions::default()).await;
        let log = fetcher.log.lock().unwrap();
        log.iter().any(|entry| entry.url.starts_with("http://b.example/sparql"))
    };

    assert!(follows(Scope::default()).await);
    let domains = Some(HashSet::from([Pld::from_host("a.example")]));
    assert!(follows(Scope { domains, ..Scope::default() }).await);
    let domain_policy = DomainPolicy { denied: HashSet::from(["b.example".to_owned()]), ..DomainPolicy::default() };
    assert!(!follows(Scope { domain_policy, ..Scope::default() }).await);
}
