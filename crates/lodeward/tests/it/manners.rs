//! Several crawls of one web at a time: what they owe to servers together.

#![expect(clippy::disallowed_methods, reason = "time is virtual here")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lodeward::discover::Policy;
use lodeward::engine::{Command, Crawl, Ending, Manners, Scope, Settings, Snapshot};
use lodeward::extract::{Options, Reader};
use lodeward::frontier::MemoryFrontier;
use lodeward::model::Uri;
use lodeward::select::{BreadthFirst, Order};
use lodeward::store::MemoryStore;
use lodeward::store::follow::Followers;
use tokio::sync::{mpsc, watch};
use tokio::time::sleep;
use toyweb::access_log::Entry;
use toyweb::world::{Parameters, World};

use crate::circle::{pld_of, smallest_gaps};
use crate::in_process::{InProcess, Scripted, answer, three_addresses};

/// One of several crawls.
struct One {
    fetcher: Arc<InProcess>,
    crawl: Crawl,
    seeds: Vec<Uri>,
    /// When it begins.
    after: Duration,
}

impl One {
    fn new(manners: &Arc<Manners>, web: Arc<dyn toyweb::Web>, seeds: &[String], settings: Settings) -> Self {
        let fetcher = Arc::new(InProcess::new(web).with_addresses(three_addresses));
        let crawl = Crawl {
            frontier: Arc::new(MemoryFrontier::new(Order::RoundRobin, None)),
            strategy: Box::new(BreadthFirst),
            notebook: None,
            fetcher: Arc::clone(&fetcher) as _,
            extractor: Arc::new(Reader::new(Options::default())),
            store: Arc::new(MemoryStore::default()),
            followers: Followers::default(),
            scope: Scope::default(),
            discover: Policy::default(),
            settings,
            revived: Vec::new(),
            observers: Vec::new(),
            manners: Arc::clone(manners),
            rests: Arc::default(),
        };
        let seeds = seeds.iter().map(|seed| Uri::parse(seed).unwrap()).collect();
        Self { fetcher, crawl, seeds, after: Duration::ZERO }
    }

    fn after(self, after: Duration) -> Self {
        Self { after, ..self }
    }

    /// Runs it, and tells what was asked for.
    async fn run(self) -> (Ending, Vec<Entry>) {
        sleep(self.after).await;
        let (_operator, commands) = mpsc::channel::<Command>(1);
        let (progress, _watcher) = watch::channel(Snapshot::default());
        let (ending, _) = self.crawl.run(self.seeds, commands, progress).await.unwrap();
        let log = std::mem::take(&mut *self.fetcher.log.lock().unwrap());
        (ending, log)
    }
}

#[tokio::test(start_paused = true)]
async fn crawls_of_one_web_keep_its_delays_together() {
    let delay = Duration::from_millis(500);
    let mut parameters = Parameters::preset("polite").unwrap();
    (parameters.hosts, parameters.documents_per_host) = (9, 5);
    let world = Arc::new(World::new(parameters).unwrap());
    let manners: Arc<Manners> = Arc::default();
    let settings = Settings { delay, ..Settings::default() };
    let one = |after_ms| {
        One::new(&manners, Arc::clone(&world) as _, &world.seeds(), settings.clone())
            .after(Duration::from_millis(after_ms))
    };

    let (first, second, third) = tokio::join!(one(0).run(), one(130).run(), one(4_000).run());

    let mut log = Vec::new();
    for (ending, mut asked) in [first, second, third] {
        assert_eq!(ending, Ending::Drained);
        assert!(asked.len() > 40, "each has seen the whole world: {}", asked.len());
        log.append(&mut asked);
    }
    for (pld, gap) in smallest_gaps(&log, pld_of) {
        let required = delay.max(world.crawl_delay_s(&pld).map_or(Duration::ZERO, Duration::from_secs_f64));
        assert!(gap >= required, "{pld}: {gap:?} between two requests, {required:?} required");
    }
    let address = |entry: &Entry| three_addresses(Uri::parse(&entry.url).unwrap().host());
    for (address, gap) in smallest_gaps(&log, address) {
        assert!(gap >= delay, "{address}: {gap:?} between two requests, {delay:?} required");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_is_kept_from_a_server_by_others() {
    let web: Arc<dyn toyweb::Web> = Arc::new(Scripted(|url| match url {
        "http://a.example/robots.txt" => answer(404, &[], ""),
        _ => answer(200, &[(http::header::CONTENT_TYPE, "text/turtle")], ""),
    }));
    let seeds: Vec<String> = (0..60).map(|number| format!("http://a.example/{number}")).collect();
    let manners: Arc<Manners> = Arc::default();
    let one = || One::new(&manners, Arc::clone(&web), &seeds, Settings::default());

    let (first, second) = tokio::join!(one().run(), one().after(Duration::from_secs(5)).run());

    let mut turns: Vec<(u64, usize)> = Vec::new();
    for (party, (_, log)) in [first, second].into_iter().enumerate() {
        turns.extend(log.iter().map(|entry| (entry.start_us, party)));
    }
    turns.sort_unstable();
    let mut halfway: BTreeMap<usize, usize> = BTreeMap::new();
    for (_, party) in turns.iter().skip(10).take(60) {
        *halfway.entry(*party).or_default() += 1;
    }
    assert!(halfway.len() == 2 && halfway.values().all(|count| *count >= 20), "{halfway:?}");
}

#[tokio::test(start_paused = true)]
async fn a_crawl_that_is_ended_at_once_leaves_its_servers_to_others() {
    let web: Arc<dyn toyweb::Web> = Arc::new(Scripted(|_| toyweb::Response {
        conduct: toyweb::Conduct::Slow(Duration::from_secs(20)),
        ..answer(200, &[], "")
    }));
    let manners: Arc<Manners> = Arc::default();
    let seeds = ["http://a.example/1".to_owned()];
    let hanging = One::new(&manners, web, &seeds, Settings::default());
    let (operator, commands) = mpsc::channel::<Command>(1);
    let (progress, _watcher) = watch::channel(Snapshot::default());
    let running = tokio::spawn(hanging.crawl.run(hanging.seeds, commands, progress));
    sleep(Duration::from_secs(1)).await;
    operator.send(Command::StopNow).await.unwrap();
    running.await.unwrap().unwrap();

    let calm: Arc<dyn toyweb::Web> = Arc::new(Scripted(|_| answer(404, &[], "")));
    let (ending, log) = One::new(&manners, calm, &seeds, Settings::default()).run().await;

    assert_eq!((ending, log.len()), (Ending::Drained, 2), "robots.txt and the seed");
}
