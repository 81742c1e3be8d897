//! Rate limits shared by several crawls of one generated web.

#![expect(clippy::disallowed_methods, reason = "time is virtual here")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lodeward::crawl::{Crawl, CrawlBuilder};
use lodeward::discover::DiscoverPolicy;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, EngineOptions, SharedPoliteness, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::BreadthFirstStrategy;
use lodeward::store::MemoryStore;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use toyweb::access_log::AccessLogEntry;
use toyweb::world::{World, WorldParameters};

use crate::generated_worlds::{pld_of, smallest_gaps};
use crate::in_process::{InProcessFetcher, ScriptedWeb, three_addresses, web_response};

/// One of several concurrent crawls.
struct ConcurrentCrawl {
    fetcher: Arc<InProcessFetcher>,
    crawl: Crawl,
    seeds: Vec<Uri>,
    /// The delay before it starts.
    start_delay: Duration,
}

impl ConcurrentCrawl {
    fn new(
        politeness: &Arc<SharedPoliteness>,
        web: Arc<dyn toyweb::Web>,
        seeds: &[String],
        options: EngineOptions,
    ) -> Self {
        let fetcher = Arc::new(InProcessFetcher::new(web).with_addresses(three_addresses));
        let crawl = CrawlBuilder {
            discover: DiscoverPolicy::default(),
            options,
            politeness: Arc::clone(politeness),
            ..CrawlBuilder::new(
                Arc::new(MemoryFrontier::new(None)),
                Box::new(BreadthFirstStrategy),
                Arc::clone(&fetcher) as _,
                Arc::new(DocumentReader::new(ExtractOptions::default())),
                Arc::new(MemoryStore::default()),
            )
        }
        .build();
        let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
        Self { fetcher, crawl, seeds, start_delay: Duration::ZERO }
    }

    fn start_delay(self, start_delay: Duration) -> Self {
        Self { start_delay, ..self }
    }

    /// Runs the crawl. Returns why it stopped and the requests it sent.
    async fn run(self) -> (StopReason, Vec<AccessLogEntry>) {
        sleep(self.start_delay).await;
        let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
        let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
        let (stop_reason, _) = self.crawl.run(self.seeds, commands, progress).await.unwrap();
        let log = std::mem::take(&mut *self.fetcher.log.lock().unwrap());
        (stop_reason, log)
    }
}

#[tokio::test(start_paused = true)]
async fn crawls_of_one_web_keep_its_delays_together() {
    let delay = Duration::from_millis(500);
    let mut parameters = WorldParameters::preset("polite").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (9, 5);
    let world = Arc::new(World::new(parameters).unwrap());
    let politeness: Arc<SharedPoliteness> = Arc::default();
    let settings = EngineOptions { delay, ..EngineOptions::default() };
    let new_crawl = |after_ms| {
        ConcurrentCrawl::new(&politeness, Arc::clone(&world) as _, &world.seeds(), settings.clone())
            .start_delay(Duration::from_millis(after_ms))
    };

    let (first, second, third) = tokio::join!(new_crawl(0).run(), new_crawl(130).run(), new_crawl(4_000).run());

    let mut log = Vec::new();
    for (stop_reason, mut requests) in [first, second, third] {
        assert_eq!(stop_reason, StopReason::Drained);
        assert!(requests.len() > 40, "each crawl has fetched the whole world: {}", requests.len());
        log.append(&mut requests);
    }
    for (pld, gap) in smallest_gaps(&log, pld_of) {
        let required = delay.max(world.crawl_delay_s(&pld).map_or(Duration::ZERO, Duration::from_secs_f64));
        assert!(gap >= required, "{pld}: {gap:?} between two requests, {required:?} required");
    }
    let address = |entry: &AccessLogEntry| three_addresses(Uri::parse(&entry.url).unwrap().host());
    for (address, gap) in smallest_gaps(&log, address) {
        assert!(gap >= delay, "{address}: {gap:?} between two requests, {delay:?} required");
    }
}

#[tokio::test(start_paused = true)]
async fn crawls_share_a_server_fairly() {
    let web: Arc<dyn toyweb::Web> = Arc::new(ScriptedWeb(|url| match url {
        "http://a.example/robots.txt" => web_response(404, &[], ""),
        _ => web_response(200, &[(http::header::CONTENT_TYPE, "text/turtle")], ""),
    }));
    let seeds: Vec<String> = (0..60).map(|number| format!("http://a.example/{number}")).collect();
    let politeness: Arc<SharedPoliteness> = Arc::default();
    let new_crawl = || ConcurrentCrawl::new(&politeness, Arc::clone(&web), &seeds, EngineOptions::default());

    let (first, second) = tokio::join!(new_crawl().run(), new_crawl().start_delay(Duration::from_secs(5)).run());

    let mut turns: Vec<(u64, usize)> = Vec::new();
    for (crawl, (_, log)) in [first, second].into_iter().enumerate() {
        turns.extend(log.iter().map(|entry| (entry.start_us, crawl)));
    }
    turns.sort_unstable();
    let mut halfway: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, crawl) in turns.iter().skip(10).take(60) {
        *halfway.entry(*crawl).or_default() += 1;
    }
    assert!(halfway.len() == 2 && halfway.values().all(|count| *count >= 20), "{halfway:?}");
}

#[tokio::test(start_paused = true)]
async fn a_crawl_stopped_at_once_releases_its_servers() {
    let web: Arc<dyn toyweb::Web> = Arc::new(ScriptedWeb(|_| toyweb::WebResponse {
        delivery: toyweb::DeliveryFault::Slow(Duration::from_secs(20)),
        ..web_response(200, &[], "")
    }));
    let politeness: Arc<SharedPoliteness> = Arc::default();
    let seeds = ["http://a.example/1".to_owned()];
    let hanging = ConcurrentCrawl::new(&politeness, web, &seeds, EngineOptions::default());
    let (operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());
    let running = tokio::spawn(hanging.crawl.run(hanging.seeds, commands, progress));
    sleep(Duration::from_secs(1)).await;
    operator.send(CrawlCommand::StopNow).await.unwrap();
    running.await.unwrap().unwrap();

    let responsive: Arc<dyn toyweb::Web> = Arc::new(ScriptedWeb(|_| web_response(404, &[], "")));
    let (stop_reason, log) =
        ConcurrentCrawl::new(&politeness, responsive, &seeds, EngineOptions::default()).run().await;

    assert_eq!((stop_reason, log.len()), (StopReason::Drained, 2), "robots.txt and the seed");
}
