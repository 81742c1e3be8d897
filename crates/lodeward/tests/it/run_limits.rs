//! Limits of one run: time, bytes, hours of the day.

use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use toyweb::world::{World, WorldParameters};

use crate::in_process::InProcessFetcher;

/// A crawl of a small world that can be run several times.
struct LimitedCrawl {
    frontier: Arc<MemoryFrontier>,
    store: Arc<MemoryStore>,
    fetcher: Arc<InProcessFetcher>,
    seeds: Vec<Uri>,
}

impl LimitedCrawl {
    fn new() -> Self {
        let mut parameters = WorldParameters::preset("tiny").unwrap();
        (parameters.hosts, parameters.documents_per_host) = (2, 200);
        parameters.robots.crawl_delay_share = 0.0;
        let world = Arc::new(World::new(parameters).unwrap());
        let seeds = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
        Self {
            frontier: Arc::new(MemoryFrontier::new(None)),
            store: Arc::new(MemoryStore::default()),
            fetcher: Arc::new(InProcessFetcher::new(world)),
            seeds,
        }
    }

    async fn run(&self, options: EngineOptions) -> (StopReason, CrawlSnapshot) {
        let crawl = CrawlBuilder {
            options: EngineOptions { delay: Duration::from_millis(500), ..options },
            ..CrawlBuilder::new(
                Arc::clone(&self.frontier) as _,
                Box::new(BreadthFirstStrategy),
                Arc::clone(&self.fetcher) as _,
                Arc::new(DocumentReader::new(ExtractOptions::default())),
                Arc::clone(&self.store) as _,
            )
        }
        .build();
        let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
        let (progress, _snapshots) = watch::channel(CrawlSnapshot::default());
        let (stop_reason, last) = crawl.run(self.seeds.clone(), commands, progress).await.unwrap();
        assert_eq!(last.census.uris_in_flight, 0, "no lease is left open");
        (stop_reason, last)
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_stops_after_its_time_and_the_next_continues() {
    let crawl = LimitedCrawl::new();
    let limited = |seconds| EngineOptions { max_time: Some(Duration::from_secs(seconds)), ..EngineOptions::default() };

    let (reason, first) = crawl.run(limited(3)).await;
    // The delays of the first run are in its time, so the second run is longer.
    let (again, second) = crawl.run(limited(20)).await;
    let (last, end) = crawl.run(EngineOptions::default()).await;

    assert_eq!((reason, again, last), (StopReason::MaxTime, StopReason::MaxTime, StopReason::Drained));
    assert!(first.elapsed >= Duration::from_secs(3) && first.elapsed < Duration::from_secs(5), "{first:?}");
    assert!(0 < first.tally.documents && first.tally.documents < second.tally.documents);
    assert!(second.tally.documents < end.tally.documents && end.census.uris_waiting == 0);
}

#[tokio::test(start_paused = true)]
async fn a_run_stops_after_its_bytes_and_the_next_continues() {
    let crawl = LimitedCrawl::new();
    let limited = EngineOptions { max_bytes: Some(20_000), ..EngineOptions::default() };

    let (reason, first) = crawl.run(limited.clone()).await;
    let (again, second) = crawl.run(limited).await;

    assert_eq!((reason, again), (StopReason::MaxBytes, StopReason::MaxBytes));
    assert!(first.received_bytes >= 20_000 && second.received_bytes >= 20_000, "{first:?}");
    assert!(first.census.uris_waiting > 0 && second.tally.documents > first.tally.documents);
}

#[tokio::test(start_paused = true)]
async fn requests_are_sent_only_in_the_hours_of_a_crawl() {
    /// 21:59:50 on a day.
    fn before_ten() -> u64 {
        (20_000 * 24 * 3_600 + 21 * 3_600 + 59 * 60 + 50) * 1_000
    }
    let crawl = LimitedCrawl::new();
    let hours = Some("22:00-22:01".parse().unwrap());

    let options =
        EngineOptions { hours, now_ms: before_ten, max_time: Some(Duration::from_mins(3)), ..EngineOptions::default() };
    let (reason, last) = crawl.run(options).await;

    assert_eq!(reason, StopReason::MaxTime, "the world needs more than a minute, so the crawl pauses again");
    assert_eq!(last.paused_until_ms, Some(before_ten() + 10_000 + 24 * 3_600_000));
    let log = crawl.fetcher.log.lock().unwrap();
    let starts = log.iter().map(|request| request.start_us / 1_000_000);
    assert!(!log.is_empty() && starts.clone().all(|second| (10..71).contains(&second)), "{starts:?}");
}
