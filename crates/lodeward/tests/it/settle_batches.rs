//! The conductor sends settlements to the frontier in batches.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use lodeward::crawl::CrawlBuilder;
use lodeward::engine::{CrawlCommand, CrawlSnapshot, StopReason};
use lodeward::extract::{DocumentReader, ExtractOptions};
use lodeward::frontier::{
    Census, CurrentHop, DomainQueueState, FrontierError, HopShare, Journal, Lease, LeaseReply, LeaseRequest,
    MemoryFrontier, Offer, OfferSummary, Queue, QueueEntry, QueueStart, RefreshRound, RefreshSelection, RobotsCopy,
    Rounds, ScoreBatch, SettleSummary, SettledRecords, Settlement, UriRecord,
};
use lodeward::model::{DropReason, Link, Pld, StoreReceipt, Uri};
use lodeward::select::{BreadthFirstStrategy, Decision, Judgement, LinkContext, RequestResult, Strategy};
use lodeward::store::MemoryStore;
use rand::rngs::SmallRng;
use tokio::sync::{mpsc, watch};

use crate::in_process::{InProcessFetcher, ScriptedWeb, web_response};

/// A frontier in memory that records the size of each batch of settlements.
struct BatchRecorder {
    inner: MemoryFrontier,
    batches: Mutex<Vec<usize>>,
}

macro_rules! delegate {
    ($part:ident: { $($own:tt)* } $($name:ident($($argument:ident: $kind:ty),*) -> $result:ty;)+) => {
        #[async_trait]
        impl $part for BatchRecorder {
            $($own)*

            $(async fn $name(&self, $($argument: $kind),*) -> Result<$result, FrontierError> {
                self.inner.$name($($argument),*).await
            })+
        }
    };
}

delegate!(Queue: {
        async fn settle(&self, settled: Vec<(Lease, Settlement)>) -> Result<SettleSummary, FrontierError> {
            self.batches.lock().unwrap().push(settled.len());
            self.inner.settle(settled).await
        }
    }
    start(start: QueueStart) -> ();
    sift(uris: Vec<Uri>) -> Vec<bool>;
    drop_reasons(uris: Vec<Uri>) -> Vec<Option<DropReason>>;
    offer(offers: Vec<Offer>) -> OfferSummary;
    lease(request: LeaseRequest) -> LeaseReply;
    rescored(scores: ScoreBatch) -> LeaseReply;
    set_crawl_delay(pld: &Pld, delay: Duration) -> ();
    store_robots(copy: RobotsCopy) -> ();
    drop_waiting(dropped: Vec<(Uri, DropReason)>) -> Vec<(DropReason, u64)>;
    close(pld: &Pld, reason: DropReason) -> u64;
    commit(memo: &[u8], stored: StoreReceipt) -> ();
    sync() -> ();
);

delegate!(Journal: {
        fn settled_snapshot(&self) -> SettledRecords {
            self.inner.settled_snapshot()
        }

        fn waiting_snapshot(&self) -> Box<dyn Iterator<Item = Result<QueueEntry, FrontierError>> + Send> {
            self.inner.waiting_snapshot()
        }
    }
    memo() -> Option<Vec<u8>>;
    uri_record(uri: &Uri) -> Option<UriRecord>;
    find_records(fingerprints: &[u128]) -> Vec<Option<UriRecord>>;
    settled_records(from: u64, max: usize) -> Vec<(u64, UriRecord)>;
    settled_records_before(before: u64, max: usize) -> Vec<(u64, UriRecord)>;
    domain_queues() -> Vec<DomainQueueState>;
    next_entries(pld: Option<&Pld>, max: usize) -> Vec<(QueueEntry, u64)>;
    robots_copies(pld: &Pld) -> Vec<RobotsCopy>;
    census() -> Census;
    current_hop() -> Option<CurrentHop>;
    waiting_by_domain() -> Vec<(Pld, u64)>;
    hop_shares(depth: u16) -> HashMap<Pld, HopShare>;
);

delegate!(Rounds: {}
    begin_round(selection: RefreshSelection, now_ms: u64) -> RefreshRound;
    current_round() -> Option<RefreshRound>;
    requeue(entries: Vec<(u64, QueueEntry)>, next: u64) -> Option<RefreshRound>;
    requeue_lost(fingerprints: &[u128]) -> Vec<UriRecord>;
    end_round() -> ();
);

/// Skips every URI.
struct SkipAll;

impl Strategy for SkipAll {
    fn offer_links(&mut self, found: &LinkContext<'_>, links: Vec<Link>, rng: &mut SmallRng) -> Vec<Offer> {
        BreadthFirstStrategy.offer_links(found, links, rng)
    }

    fn judge(&mut self, _: &Lease, _: &mut SmallRng) -> Judgement {
        Judgement::without_verdict(Decision::Skip)
    }

    fn learn(&mut self, _: &RequestResult<'_>) {}
}

#[tokio::test(start_paused = true)]
async fn uris_that_are_not_requested_are_settled_in_one_batch() {
    let frontier = Arc::new(BatchRecorder { inner: MemoryFrontier::new(None), batches: Mutex::default() });
    let web = Arc::new(ScriptedWeb(|_| web_response(404, &[], "")));
    let crawl = CrawlBuilder::new(
        Arc::clone(&frontier) as _,
        Box::new(SkipAll),
        Arc::new(InProcessFetcher::new(web)),
        Arc::new(DocumentReader::new(ExtractOptions::default())),
        Arc::new(MemoryStore::default()),
    )
    .build();
    let seeds = (0..20).map(|number| Uri::parse(&format!("http://h{number}.example/")).unwrap()).collect();
    let (_operator, commands) = mpsc::channel::<CrawlCommand>(1);
    let (progress, _watcher) = watch::channel(CrawlSnapshot::default());

    let (stop_reason, end) = crawl.run(seeds, commands, progress).await.unwrap();

    assert_eq!(stop_reason, StopReason::Drained);
    assert_eq!((end.census.uris_waiting, end.census.uris_in_flight), (0, 0));
    assert_eq!(*frontier.batches.lock().unwrap(), [20]);
}
