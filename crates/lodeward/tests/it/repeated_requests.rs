//! No document is requested twice without a cause, whatever the order of requests.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::embedded::{self, EmbeddedFrontier, EmbeddedFrontierOptions};
use lodeward::model::Uri;
use lodeward::select::StrategyOptions;
use lodeward::select::learned::LearnedOptions;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use toyweb::access_log::AccessLogEntry;
use toyweb::world::{World, WorldParameters};

use crate::in_process::InProcessFetcher;

/// The requests of a crawl by `learned` with a frontier on disk that holds few entries in memory.
async fn requests_of_learned(
    parameters: WorldParameters,
    options: EngineOptions,
    max_heads: usize,
) -> Vec<AccessLogEntry> {
    let world = Arc::new(World::new(parameters).unwrap());
    let seeds: Vec<Uri> = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let directory = tempfile::tempdir().unwrap();
    let database = embedded::open_database(directory.path(), 8).unwrap();
    let frontier_options = EmbeddedFrontierOptions {
        max_heads,
        max_heads_per_domain: 4,
        expected_uris: 1_000,
        ..EmbeddedFrontierOptions::default()
    };
    let fetcher = Arc::new(InProcessFetcher::new(world));
    let crawl = CrawlBuilder {
        options,
        ..CrawlBuilder::new(
            Arc::new(EmbeddedFrontier::open(&database, frontier_options).unwrap()),
            StrategyOptions::Learned(LearnedOptions { prior: true, ..LearnedOptions::default() }).build(None).unwrap(),
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::new(MemoryStore::default()),
        )
    }
    .build();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
    crawl.run(seeds, commands, progress).await.unwrap();
    std::mem::take(&mut *fetcher.log.lock().unwrap())
}

/// Whether a GET may be sent again: its response was incomplete, or an error that may pass.
fn has_cause(before: &AccessLogEntry) -> bool {
    matches!(before.status, 0 | 206 | 408 | 429 | 500..)
}

/// GET requests that repeat one without a cause.
fn repeated(log: &[AccessLogEntry]) -> Vec<(&str, u16, u16)> {
    let mut last: BTreeMap<&str, &AccessLogEntry> = BTreeMap::new();
    let mut repeated = Vec::new();
    for entry in log.iter().filter(|entry| entry.method == "GET") {
        if let Some(before) = last.insert(&entry.url, entry)
            && !has_cause(before)
            && entry.status != 206
        {
            repeated.push((entry.url.as_str(), before.status, entry.status));
        }
    }
    repeated
}

#[tokio::test(start_paused = true)]
async fn learned_requests_no_document_twice() {
    for (seed, preset) in (1..=2).flat_map(|seed| ["mixed", "surrounded", "demo"].map(|preset| (seed, preset))) {
        let mut parameters = WorldParameters::preset(preset).unwrap();
        (parameters.seed, parameters.hosts, parameters.documents_per_host) = (seed, 8, 40);
        let options = EngineOptions { delay: Duration::ZERO, rng_seed: seed, ..EngineOptions::default() };

        let log = requests_of_learned(parameters, options, 64).await;

        assert!(log.len() > 100, "{preset} {seed}: {} requests", log.len());
        assert_eq!(repeated(&log), [], "{preset} {seed}");
    }
}
