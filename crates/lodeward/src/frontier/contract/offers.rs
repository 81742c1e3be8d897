//! What is offered becomes known, is queued at most once, and is never lost.

use std::collections::HashMap;

use super::fixtures::{FrontierCalls as _, START, done, drain, entry, queue, seconds, single_lease};
use crate::frontier::{Frontier, LeaseRequest, Offer, OfferSummary, QueueEntry, Settlement, SettlementKind};
use crate::model::{DropReason, Outcome, Pld, StoreReceipt, Uri};

pub(super) async fn a_uri_offered_twice_is_leased_once(frontier: &dyn Frontier) {
    let first = frontier.offer(queue(&["http://a.example/1", "http://a.example/1"])).await.unwrap();
    let second = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();

    assert_eq!((first.queued, second.queued), (1, 0));
    assert_eq!(drain(frontier).await, ["http://a.example/1"]);
    let third = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    assert_eq!(third.queued, 0, "a settled URI stays known");
}

pub(super) async fn known_targets_are_sifted_out(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    let uri = |uri| Uri::parse(uri).unwrap();

    let is_new = frontier.sift(vec![uri("http://a.example/1"), uri("http://a.example/2")]).await.unwrap();

    assert_eq!(is_new, [false, true]);
}

pub(super) async fn dropped_uris_are_known_and_never_leased(frontier: &dyn Frontier) {
    let drop = Offer::Drop(entry("http://a.example/x.png", 0.0), DropReason::Extension);

    let offered = frontier.offer(vec![drop.clone(), drop]).await.unwrap();

    assert_eq!(offered, OfferSummary { dropped: vec![(DropReason::Extension, 1)], ..OfferSummary::default() });
    assert_eq!(drain(frontier).await, Vec::<String>::new());
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let record = frontier.uri_record(&Uri::parse("http://a.example/x.png").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::Extension)));
}

pub(super) async fn a_dropped_uri_can_be_readmitted(frontier: &dyn Frontier) {
    let uri = |uri| Uri::parse(uri).unwrap();
    let (far, near, new) = ("http://a.example/far", "http://a.example/near", "http://a.example/new");
    let readmit = |uri| Offer::Readmit(entry(uri, 0.0));
    frontier.offer(vec![Offer::Drop(entry(far, 0.0), DropReason::Depth)]).await.unwrap();
    frontier.offer(queue(&[near])).await.unwrap();

    let reasons = frontier.drop_reasons(vec![uri(far), uri(near), uri(new)]).await.unwrap();
    let offered = frontier.offer(vec![readmit(far), readmit(far), readmit(near), readmit(new)]).await.unwrap();

    assert_eq!(reasons, [Some(DropReason::Depth), None, None]);
    assert_eq!((offered.queued, offered.readmitted), (2, vec![DropReason::Depth]));
    assert_eq!(drain(frontier).await, [near, far, new]);
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let settled = frontier.settled_records(0, 9).await.unwrap();
    assert_eq!(settled.len(), 3, "the record of the dropped URI is replaced");
    let offered = frontier.offer(vec![readmit(far)]).await.unwrap();
    assert_eq!(offered, OfferSummary::default(), "a fetched URI is not readmitted");
}

/// For any offers, in any order and with any scores, every URI is leased exactly once.
pub(in crate::frontier) async fn every_uri_is_leased_exactly_once(frontier: &dyn Frontier, script: &[(u8, u16, i8)]) {
    let mut lease_counts: HashMap<String, u32> = HashMap::new();
    let mut offered = 0;
    for (step, (host, page, priority)) in script.iter().enumerate() {
        let uri = format!("http://h{}.example/{page}", host % 3);
        let offer = Offer::Queue(entry(&uri, f32::from(*priority)));
        offered += frontier.offer(vec![offer]).await.unwrap().queued;
        if step % 3 == 2 {
            let by_length = |entry: &QueueEntry| f32::from(u8::from(entry.target.as_str().len() % 7 < 3));
            let score = |entry: &QueueEntry| if step % 11 < 5 { by_length(entry) } else { 0.5 };
            for lease in frontier.grant_scored(LeaseRequest::new(START, 2), score).await.leases {
                match page % 5 {
                    0 if lease.attempt == 0 => {
                        let settlement = Settlement::new(SettlementKind::Retry(START), START);
                        frontier.settle_one(lease, settlement).await;
                    }
                    _ => {
                        *lease_counts.entry(lease.entry.target.to_string()).or_default() += 1;
                        frontier.settle_one(lease, done(START)).await;
                    }
                }
            }
        }
    }
    for uri in drain(frontier).await {
        *lease_counts.entry(uri).or_default() += 1;
    }

    assert!(lease_counts.values().all(|count| *count == 1), "{lease_counts:?}");
    assert_eq!(lease_counts.len() as u64, offered);
}

/// Offers, leases and settles as a script says. The scripts are the same in every run.
pub(super) async fn uris_are_neither_lost_nor_duplicated(frontier: &dyn Frontier) {
    let script: Vec<(u8, u16, i8)> = (0..400_u64)
        .map(|step| {
            let bytes = xxhash_rust::xxh3::xxh3_64(&step.to_le_bytes()).to_le_bytes();
            (bytes[0], u16::from_le_bytes([bytes[1], bytes[2]]), bytes[3].cast_signed())
        })
        .collect();
    every_uri_is_leased_exactly_once(frontier, &script).await;
}

pub(super) async fn waiting_uris_can_be_dropped(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/1"];
    frontier.offer(queue(&uris)).await.unwrap();
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let leased = single_lease(frontier.grant(START, 1).await);
    assert_eq!(leased.entry.target.as_str(), uris[0]);
    let drops = [uris[0], uris[2], uris[3], "http://c.example/unknown"];
    let drops = drops.map(|uri| (Uri::parse(uri).unwrap(), DropReason::Pattern)).to_vec();

    let dropped = frontier.drop_waiting(drops.clone()).await.unwrap();

    assert_eq!(dropped, [(DropReason::Pattern, 2)], "neither leased nor unknown URIs are dropped");
    assert_eq!(frontier.drop_waiting(drops).await.unwrap(), []);
    frontier.settle_one(leased, done(START)).await;
    assert_eq!(drain(frontier).await, [uris[1]]);
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let record = frontier.uri_record(&Uri::parse(uris[3]).unwrap()).await.unwrap().unwrap();
    assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::Pattern)));
    assert_eq!(frontier.census().await.unwrap().uris_waiting, 0);
    assert_eq!(frontier.waiting_snapshot().count(), 0);
}

pub(super) async fn waiting_entries_are_listed_in_the_order_of_their_turns(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://c.example/1"];
    frontier.offer(queue(&uris)).await.unwrap();
    let leased = single_lease(frontier.grant(START, 1).await);
    frontier.settle_one(leased, done(seconds(60))).await;
    frontier.close(&Pld::from_host("c.example"), DropReason::Unreachable).await.unwrap();
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let next = async |pld: Option<&str>, max| {
        let pld = pld.map(Pld::from_host);
        let entries = frontier.next_entries(pld.as_ref(), max).await.unwrap();
        entries.into_iter().map(|(entry, due_ms)| (entry.target.to_string(), due_ms)).collect::<Vec<_>>()
    };

    let (second, other) = ((uris[1].to_owned(), 60_000), (uris[2].to_owned(), 0));
    assert_eq!(next(None, 10).await, [other.clone(), second.clone()]);
    assert_eq!(next(None, 1).await, [other]);
    assert_eq!(next(Some("a.example"), 10).await, [second]);
    assert_eq!((next(Some("c.example"), 10).await, next(Some("d.example"), 10).await), (Vec::new(), Vec::new()));
    let mut waiting: Vec<String> = frontier.waiting_snapshot().map(|entry| entry.unwrap().target.to_string()).collect();
    waiting.sort();
    assert_eq!(waiting, uris[1..3]);
    let queues = frontier.domain_queues().await.unwrap();
    let of = |host: &str| queues.iter().find(|queue| queue.pld == Pld::from_host(host)).unwrap();
    assert_eq!((of("a.example").queued, of("a.example").delayed_until_ms), (1, 60_000));
    assert_eq!((of("b.example").queued, of("c.example").closed), (1, Some(DropReason::Unreachable)));
}
