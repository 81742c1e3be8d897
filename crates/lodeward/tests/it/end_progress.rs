//! The end of a crawl shows what it waits for.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EndTask, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::fetch::{FetchRequest, FetchResponse, Fetcher};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::{FetchFailure, ProbeResult, Uri};
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use toyweb::world::{World, WorldParameters};

use crate::in_process::InProcessFetcher;

/// A fetcher whose responses never arrive at the same time.
struct StaggeredFetcher {
    fetcher: InProcessFetcher,
    fetches: AtomicU64,
}

#[async_trait]
impl Fetcher for StaggeredFetcher {
    async fn locate(&self, uri: &Uri) -> Result<Option<IpAddr>, FetchFailure> {
        self.fetcher.locate(uri).await
    }

    async fn probe(&self, request: FetchRequest<'_>) -> FetchResponse<ProbeResult> {
        self.fetcher.probe(request).await
    }

    #[expect(clippy::disallowed_methods, reason = "virtual time: responses arrive one after the other")]
    async fn fetch(&self, request: FetchRequest<'_>) -> FetchResponse {
        sleep(Duration::from_millis(self.fetches.fetch_add(1, Ordering::Relaxed))).await;
        self.fetcher.fetch(request).await
    }
}

/// Stops a crawl while requests are in flight; returns what its end waited for.
async fn tasks_after_stop() -> Vec<(EndTask, u64)> {
    let mut parameters = WorldParameters::preset("tiny").unwrap();
    parameters.robots.crawl_delay_share = 0.0;
    let world = Arc::new(World::new(parameters).unwrap());
    let seeds: Vec<Uri> = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let crawl = CrawlBuilder {
        options: EngineOptions { delay: Duration::ZERO, commit_documents: 1, ..EngineOptions::default() },
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            Box::new(BreadthFirstStrategy),
            Arc::new(StaggeredFetcher { fetcher: InProcessFetcher::new(world), fetches: AtomicU64::new(0) }),
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::new(MemoryStore::default()),
        )
    }
    .build();
    let (operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, mut snapshots) = watch::channel(CrawlSnapshot::default());

    let running = tokio::spawn(crawl.run(seeds, commands, progress));
    let going_on = snapshots.wait_for(|snapshot| snapshot.tally.documents >= 5).await.unwrap().ending;
    assert_eq!(going_on, None);
    operator.send(CrawlCommand::Stop).await.unwrap();
    let mut tasks = Vec::new();
    while snapshots.changed().await.is_ok() {
        tasks.extend(snapshots.borrow_and_update().ending.map(|ending| (ending.task, ending.remaining)));
    }
    let (stop_reason, last) = running.await.unwrap().unwrap();
    assert_eq!((stop_reason, last.ending), (StopReason::Stopped, None));
    tasks.dedup();
    tasks
}

#[tokio::test(start_paused = true)]
async fn the_number_of_requests_in_flight_falls_at_the_end() {
    let tasks = tasks_after_stop().await;

    let requests: Vec<u64> =
        tasks.iter().filter(|(task, _)| *task == EndTask::Requests).map(|(_, remaining)| *remaining).collect();
    assert!(requests.len() > 2, "{tasks:?}");
    assert!(requests.is_sorted_by(|before, after| before > after), "{tasks:?}");
    assert!(tasks.iter().skip(requests.len()).all(|(task, _)| *task != EndTask::Requests), "{tasks:?}");
}
