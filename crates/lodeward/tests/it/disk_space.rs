//! A crawl pauses while the disk is nearly full.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, DiskShortage, DiskSpace, EngineOptions, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use toyweb::world::{World, WorldParameters};

use crate::in_process::InProcessFetcher;

const SHORTAGE: DiskShortage = DiskShortage { free_bytes: 1, min_free_bytes: 2 };

/// A disk that is nearly full for a number of checks.
struct FullDisk {
    from: u64,
    until: u64,
    checks: AtomicU64,
}

impl DiskSpace for FullDisk {
    fn shortage(&self) -> Option<DiskShortage> {
        let check = self.checks.fetch_add(1, Ordering::Relaxed);
        (self.from..self.until).contains(&check).then_some(SHORTAGE)
    }
}

#[tokio::test(start_paused = true)]
async fn a_crawl_pauses_while_the_disk_is_nearly_full() {
    let mut parameters = WorldParameters::preset("tiny").unwrap();
    parameters.robots.crawl_delay_share = 0.0;
    let world = Arc::new(World::new(parameters).unwrap());
    let seeds: Vec<Uri> = world.seeds().iter().map(|seed| Uri::parse(seed).unwrap()).collect();
    let fetcher = Arc::new(InProcessFetcher::new(world));
    let disk = Arc::new(FullDisk { from: 0, until: 30, checks: AtomicU64::new(0) });
    let crawl = CrawlBuilder {
        options: EngineOptions { delay: Duration::ZERO, max_documents: Some(20), ..EngineOptions::default() },
        disk_space: Some(Arc::clone(&disk) as _),
        ..CrawlBuilder::new(
            Arc::new(MemoryFrontier::new(None)),
            Box::new(BreadthFirstStrategy),
            Arc::clone(&fetcher) as _,
            Arc::new(DocumentReader::new(ExtractOptions::default())),
            Arc::new(MemoryStore::default()),
        )
    }
    .build();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, mut snapshots) = watch::channel(CrawlSnapshot::default());

    let running = tokio::spawn(crawl.run(seeds, commands, progress));
    let paused = snapshots.wait_for(|snapshot| snapshot.disk_shortage.is_some()).await.unwrap().clone();
    let (stop_reason, last) = running.await.unwrap().unwrap();

    assert_eq!((paused.disk_shortage, paused.tally.requests()), (Some(SHORTAGE), 0));
    assert_eq!((stop_reason, last.disk_shortage), (StopReason::MaxDocuments, None));
    assert!(last.tally.documents > 0);
    let log = fetcher.log.lock().unwrap();
    assert!(log.iter().all(|request| request.start_us >= 29_000_000), "no request before there is room");
}
