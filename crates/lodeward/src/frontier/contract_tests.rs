//! The contract of frontiers, tested on both implementations; tests of the embedded one.

use futures_util::FutureExt as _;
use proptest::prelude::*;

use super::contract::fixtures::{
    FrontierCalls as _, START, done, drain, entry, keep_priority, queue, score_by_number, seconds, single_lease,
    targets, with_deferral,
};
use super::contract::offers::every_uri_is_leased_exactly_once;
use super::embedded::{self, EmbeddedFrontier};
use super::{
    Census, DomainOrder, Frontier, Journal, LeaseRequest, MemoryFrontier, Offer, Queue, QueueStart, REVISIT_PRIORITY,
    RefreshSelection, Rounds, Settlement, SettlementKind,
};
use crate::model::{Pld, StoreReceipt, Uri};

crate::frontier_contract!(memory, super::in_memory);
crate::frontier_contract!(embedded_on_disk, super::on_disk);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn uris_are_neither_lost_nor_duplicated(
        script in proptest::collection::vec(any::<(u8, u16, i8)>(), 1..200),
        best_first in any::<bool>(),
    ) {
        let order = if best_first { DomainOrder::BestFirst } else { DomainOrder::RoundRobin };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(every_uri_is_leased_exactly_once(&in_memory(order, None).0, &script));
        let (frontier, _directory) = on_disk(order, None);
        runtime.block_on(every_uri_is_leased_exactly_once(&frontier, &script));
    }
}

pub(super) fn in_memory(order: DomainOrder, limit: Option<u32>) -> (MemoryFrontier, ()) {
    let frontier = MemoryFrontier::new(limit);
    set_order(&frontier, order);
    (frontier, ())
}

fn set_order(frontier: &dyn Frontier, order: DomainOrder) {
    frontier.start(QueueStart { started_at_ms: 0, order }).now_or_never().unwrap().unwrap();
}

/// Opens a frontier that holds only a few entries in memory, so that the others are read from disk.
pub(super) fn on_disk(order: DomainOrder, limit: Option<u32>) -> (EmbeddedFrontier, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (reopen(directory.path(), order, limit), directory)
}

#[tokio::test]
async fn a_domain_allowed_all_heads_keeps_them_among_many_domains() {
    let directory = tempfile::tempdir().unwrap();
    let database = embedded::open_database(directory.path(), 4).unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_heads_per_domain: 64,
        max_heads: 64,
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let frontier = EmbeddedFrontier::open(&database, options).unwrap();
    set_order(&frontier, DomainOrder::BestFirst);
    let others: Vec<String> = (0..16).map(|number| format!("http://h{number}.example/0")).collect();
    frontier.offer(queue(&others.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    let uris: Vec<String> = (1..=12).map(|number| format!("http://a.example/{number}")).collect();
    frontier.offer(queue(&uris.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();

    let changed = LeaseRequest { scores_changed: true, ..LeaseRequest::new(START, 1) };
    let leased = frontier.grant_scored(changed, |entry| score_by_number(entry, false)).await;

    assert_eq!(targets(&leased), ["http://a.example/12"]);
}

pub(super) fn reopen(directory: &std::path::Path, order: DomainOrder, limit: Option<u32>) -> EmbeddedFrontier {
    reopen_in(&embedded::open_database(directory, 1).unwrap(), order, limit)
}

fn reopen_in(database: &fjall::Database, order: DomainOrder, limit: Option<u32>) -> EmbeddedFrontier {
    let options = embedded::EmbeddedFrontierOptions {
        max_documents_per_domain: limit,
        max_heads_per_domain: 4,
        max_heads: 8,
        expected_uris: 1_000,
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let frontier = EmbeddedFrontier::open(database, options).unwrap();
    set_order(&frontier, order);
    frontier
}

#[tokio::test]
async fn a_frontier_that_failed_refuses_to_commit() {
    let directory = tempfile::tempdir().unwrap();
    let database = embedded::open_database(directory.path(), 1).unwrap();
    let options = embedded::EmbeddedFrontierOptions {
        max_heads_per_domain: 4,
        max_heads: 4,
        ..embedded::EmbeddedFrontierOptions::default()
    };
    let frontier = EmbeddedFrontier::open(&database, options).unwrap();
    set_order(&frontier, DomainOrder::RoundRobin);
    let uris: Vec<_> = (0..40).map(|n| format!("http://a.example/{n}")).collect();
    frontier.offer(queue(&uris.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    frontier.commit(b"first", StoreReceipt::issue()).await.unwrap();
    let lease = single_lease(frontier.grant(START, 1).await);
    let stored = database.keyspace("queue", fjall::KeyspaceCreateOptions::default).unwrap();
    for key in stored.iter().map(|entry| entry.key().unwrap()) {
        stored.insert(key, "not a record").unwrap();
    }

    frontier.settle_one(lease, done(START)).await;
    let mut failed = None;
    while failed.is_none() {
        match frontier.lease(LeaseRequest::new(START, 1)).await {
            Ok(super::LeaseReply::Granted(batch)) => {
                frontier.settle_one(single_lease(batch), done(START)).await;
            }
            Ok(super::LeaseReply::Score(_)) => unreachable!("entries are not scored in this order"),
            Err(error) => failed = Some(error),
        }
    }

    let refused = frontier.commit(b"second", StoreReceipt::issue()).await.unwrap_err();
    assert_eq!(refused.to_string(), "cannot write to the frontier: an earlier write failed");
    assert!(frontier.offer(queue(&["http://b.example/"])).await.is_err());
    drop(frontier);
    let frontier = reopen_in(&database, DomainOrder::RoundRobin, None);
    assert_eq!(frontier.memo().await.unwrap().as_deref(), Some(&b"first"[..]));
    assert_eq!(frontier.census().await.unwrap().uris_waiting, 40, "nothing was settled");
}

#[tokio::test]
async fn an_interrupted_refresh_round_resumes() {
    let directory = tempfile::tempdir().unwrap();
    let uris: Vec<_> = (0..20).map(|n| format!("http://h{}.example/{n}", n % 4)).collect();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
    frontier.offer(queue(&uris.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    drain(&frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    frontier.begin_round(RefreshSelection::Due, 7).await.unwrap();
    let records = frontier.settled_records(0, 5).await.unwrap();
    let next = records.last().unwrap().0 + 1;
    let revisits = records.into_iter().map(|(age, record)| (age, record.into_revisit(REVISIT_PRIORITY))).collect();
    frontier.requeue(revisits, next).await.unwrap();
    let lease = single_lease(frontier.grant(START, 1).await);
    frontier.settle_one(lease, done(START)).await;
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);

    let round = frontier.current_round().await.unwrap().unwrap();
    assert_eq!((round.selection, round.started_at_ms, round.next), (RefreshSelection::Due, 7, next));
    let census = frontier.census().await.unwrap();
    assert_eq!(
        (census.uris_known, census.uris_waiting, census.revisits),
        (20, 5, 5),
        "URIs whose settlement was not committed are queued again"
    );
    assert_eq!(frontier.settled_records(round.next, 99).await.unwrap().len(), 15);
    drain(&frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    assert_eq!(frontier.settled_records(0, 99).await.unwrap().len(), 20, "no URI is lost or duplicated");
}

#[tokio::test]
async fn committed_entries_survive_and_leases_are_requeued() {
    let directory = tempfile::tempdir().unwrap();
    let uris: Vec<_> = (0..40).map(|n| format!("http://h{}.example/{n}", n % 4)).collect();
    let uris: Vec<_> = uris.iter().map(String::as_str).collect();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
    frontier.offer(queue(&uris)).await.unwrap();
    let mut leases = frontier.grant(START, 4).await.leases;
    frontier.settle_one(leases.pop().unwrap(), done(START)).await;
    frontier.settle_one(leases.pop().unwrap(), done(START)).await;
    frontier.commit(b"halfway", StoreReceipt::issue()).await.unwrap();
    frontier.settle_one(leases.pop().unwrap(), done(START)).await;
    frontier.offer(queue(&["http://late.example/"])).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);

    assert_eq!(frontier.memo().await.unwrap().as_deref(), Some(&b"halfway"[..]));
    assert_eq!(
        frontier.census().await.unwrap(),
        Census { uris_known: 40, uris_waiting: 38, uris_in_flight: 0, domains: 4, revisits: 0 }
    );
    assert_eq!(frontier.offer(queue(&uris)).await.unwrap().queued, 0, "known URIs stay known");
    assert_eq!(drain(&frontier).await.len(), 38);
}

#[tokio::test]
async fn a_lost_document_reopens_its_full_domain() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, Some(1));
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = frontier.grant(START, 1).await.leases.pop().unwrap();
    assert_eq!(frontier.settle_one(lease, done(START)).await, 1, "the other URI is dropped");
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();

    frontier.requeue_lost(&[Uri::parse("http://a.example/1").unwrap().fingerprint()]).await.unwrap();

    assert_eq!(frontier.census().await.unwrap().uris_waiting, 2);
    let lease = frontier.grant(START, 1).await.leases.pop().unwrap();
    let postponed = Settlement::new(SettlementKind::Postponed(None), START);
    assert_eq!(frontier.settle_one(lease, postponed).await, 0);
    assert_eq!(drain(&frontier).await.len(), 1, "the domain is at its limit again");
}

#[tokio::test]
async fn a_crawl_delay_holds_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
    frontier.offer(queue(&["http://a.example/1", "http://b.example/1"])).await.unwrap();
    frontier.set_crawl_delay(&Pld::from_host("a.example"), seconds(5)).await.unwrap();
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);

    assert_eq!(targets(&frontier.grant(seconds(4), 9).await), ["http://b.example/1"]);
    assert_eq!(targets(&frontier.grant(seconds(5), 9).await), ["http://a.example/1"]);
}

#[tokio::test]
async fn a_delay_stored_with_a_wrong_clock_is_bounded() {
    const YEAR_MS: u64 = 365 * 24 * 3_600_000;
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
    // The clock of this process is a year ahead.
    let start = QueueStart { started_at_ms: YEAR_MS, order: DomainOrder::RoundRobin };
    frontier.start(start).await.unwrap();
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 1).await);
    frontier.settle_one(lease, done(seconds(60))).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);

    let longest = embedded::EmbeddedFrontierOptions::default().max_delay;
    assert_eq!(targets(&frontier.grant(longest, 9).await), ["http://a.example/2"]);
}

#[tokio::test]
async fn a_drained_frontier_continues_with_new_ages() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
        let uri = format!("http://a.example/{round}");
        frontier.offer(queue(&[&uri])).await.unwrap();
        assert_eq!(drain(&frontier).await, [uri]);
        frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    }

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, None);
    assert_eq!(
        frontier.census().await.unwrap(),
        Census { uris_known: 3, uris_waiting: 0, uris_in_flight: 0, domains: 1, revisits: 0 }
    );
}

#[tokio::test]
async fn a_closed_domain_stays_closed_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, Some(1));
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://b.example/1"])).await.unwrap();
    let lease = frontier.grant(START, 1).await.leases.pop().unwrap();
    frontier.settle_one(lease, done(START)).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::RoundRobin, Some(1));

    assert_eq!(frontier.census().await.unwrap().uris_waiting, 1);
    assert_eq!(drain(&frontier).await, ["http://b.example/1"]);
}

#[tokio::test]
async fn no_entry_waits_for_a_domain_with_a_long_delay_or_only_failures() {
    let (frontier, ()) = in_memory(DomainOrder::BestFirst, None);
    let offers = [("http://good.example/1", 0.9), ("http://good.example/2", 0.8), ("http://bad.example/1", 0.1)];
    let offers = offers.map(|(uri, priority)| Offer::Queue(entry(uri, priority)));
    frontier.offer(offers.to_vec()).await.unwrap();
    let lease = single_lease(frontier.grant_scored(with_deferral(START, 1), keep_priority).await);
    frontier.settle_one(lease, Settlement::new(SettlementKind::Retry(seconds(900)), seconds(3_600))).await;

    let leased = frontier.grant_scored(with_deferral(seconds(1), 9), keep_priority).await;

    assert_eq!(targets(&leased), ["http://bad.example/1"]);
}

#[tokio::test]
async fn a_resumed_crawl_continues_with_the_best_entries() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::BestFirst, None);
    for number in 0..9_u8 {
        let uri = format!("http://h{number}.example/");
        let offer = Offer::Queue(entry(&uri, f32::from(number % 5)));
        frontier.offer(vec![offer]).await.unwrap();
    }
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::BestFirst, None);

    let leased_uris = drain(&frontier).await;
    assert_eq!(leased_uris[..3], ["http://h4.example/", "http://h3.example/", "http://h8.example/"]);
}

#[test]
fn a_frontier_of_another_format_version_is_rejected() {
    for version in [5_u32, 99] {
        let directory = tempfile::tempdir().unwrap();
        let database = embedded::open_database(directory.path(), 1).unwrap();
        let meta = database.keyspace("meta", fjall::KeyspaceCreateOptions::default).unwrap();
        meta.insert("version", version.to_be_bytes()).unwrap();

        let error = EmbeddedFrontier::open(&database, embedded::EmbeddedFrontierOptions::default()).err().unwrap();

        let expected = format!("cannot open frontier: it has format version {version}, this program reads version 9");
        assert_eq!(error.to_string(), expected);
        assert!(error.hint().is_some_and(|hint| hint.contains("--name")), "{error:?}");
        assert!(!database.keyspace_exists("uris"), "the database is not changed");
    }
}
