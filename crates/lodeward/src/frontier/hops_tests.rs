//! Tests of strict hops, on every frontier.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use proptest::prelude::*;

use super::contract::fixtures::{FrontierCalls as _, entry};
use super::contract_tests::{in_memory, on_disk, reopen};
use super::{
    CurrentHop, DomainOrder, Frontier, HopShare, Journal as _, Lease, Offer, Queue as _, QueueEntry, Settlement,
    SettlementKind,
};
use crate::model::outcome::DocumentSummary;
use crate::model::{CrawlTime, DropReason, Outcome, Pld, StoreReceipt};

fn of_hop(uri: &str, depth: u16) -> QueueEntry {
    QueueEntry { depth, ..entry(uri, 0.0 - f32::from(depth)) }
}

fn queued(uris: &[(&str, u16)]) -> Vec<Offer> {
    uris.iter().map(|(uri, depth)| Offer::Queue(of_hop(uri, *depth))).collect()
}

fn settled(kind: SettlementKind, delayed_until: CrawlTime) -> Settlement {
    Settlement::new(kind, delayed_until)
}

fn document() -> SettlementKind {
    SettlementKind::Settled(Outcome::Document(DocumentSummary::default()))
}

/// A scripted crawl that records every unsettled URI with its hop. Every document links to up
/// to three others.
struct Walk<'a> {
    frontier: &'a dyn Frontier,
    now: CrawlTime,
    unfinished: BTreeMap<String, u16>,
    leased: Vec<Lease>,
    found: u32,
}

impl Walk<'_> {
    const MAX_DEPTH: u16 = 4;

    async fn find(&mut self, depth: u16, count: u8, domain: u16) {
        for n in 0..u16::from(count) {
            let uri = format!("http://d{}.example/{}", (domain % 7 + n) % 7, self.found);
            self.found += 1;
            self.frontier.offer(queued(&[(&uri, depth)])).await.unwrap();
            self.unfinished.insert(uri, depth);
        }
    }

    async fn lease(&mut self, max: usize) {
        let leased = self.frontier.grant(self.now, max).await;
        let earliest = self.unfinished.values().min().copied();
        for lease in leased.leases {
            assert_eq!(Some(lease.entry.depth), earliest, "{}", lease.entry.target);
            self.leased.push(lease);
        }
        if self.leased.is_empty() && !self.unfinished.is_empty() {
            self.now = leased.not_before.expect("a waiting entry is due at some time").max(self.now);
        }
    }

    async fn settle(&mut self, how: u8, domain: u16) {
        if self.leased.is_empty() {
            return;
        }
        let lease = self.leased.remove(domain as usize % self.leased.len());
        let depth = lease.entry.depth;
        let rest = self.now + Duration::from_millis(u64::from(how) * 10);
        let kind = match how % 5 {
            0 => SettlementKind::Postponed(None),
            1 if lease.attempt < 3 => SettlementKind::Retry(self.now + Duration::from_secs(u64::from(how))),
            _ => document(),
        };
        if kind == document() {
            if depth < Self::MAX_DEPTH {
                self.find(depth + 1, how % 4, domain).await;
            }
            self.unfinished.remove(lease.entry.target.as_str());
        }
        self.frontier.settle_one(lease, settled(kind, rest)).await;
    }
}

async fn check_strict_hops(frontier: &dyn Frontier, script: &[(u8, u16)]) {
    let mut walk = Walk { frontier, now: CrawlTime::ZERO, unfinished: BTreeMap::new(), leased: Vec::new(), found: 0 };
    walk.find(0, 9, 0).await;

    for (how, domain) in script {
        walk.lease(usize::from(how % 3) + 1).await;
        walk.settle(*how, *domain).await;
        if how % 11 == 0 {
            frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
        }
    }
    // Drains the frontier without adding links.
    while !walk.unfinished.is_empty() {
        walk.lease(3).await;
        if let Some(lease) = walk.leased.pop() {
            walk.unfinished.remove(lease.entry.target.as_str());
            frontier.settle_one(lease, settled(document(), walk.now)).await;
        }
    }
    // The end of a queue in storage is only known after reading it.
    let leased = frontier.grant(walk.now + Duration::from_hours(1), 9).await;
    assert_eq!(leased.leases, []);
    assert_eq!(frontier.current_hop().await.unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn hops_are_strict_in_memory(script in proptest::collection::vec(any::<(u8, u16)>(), 1..250)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(check_strict_hops(&in_memory(DomainOrder::Hops, None).0, &script));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn hops_are_strict_on_disk(script in proptest::collection::vec(any::<(u8, u16)>(), 1..250)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (frontier, _guard) = on_disk(DomainOrder::Hops, None);
        runtime.block_on(check_strict_hops(&frontier, &script));
    }
}

#[tokio::test]
async fn a_hop_reports_its_remaining_domains() {
    let (frontier, _guard) = on_disk(DomainOrder::Hops, None);
    let uris =
        [("http://a.example/", 0), ("http://b.example/", 0), ("http://b.example/1", 1), ("http://c.example/", 1)];
    frontier.offer(queued(&uris)).await.unwrap();
    let hop = async || frontier.current_hop().await.unwrap().map(|CurrentHop { depth, domains }| (depth, domains));
    assert_eq!(hop().await, Some((0, 2)));

    for left in [Some((0, 1)), Some((1, 2)), Some((1, 1)), None] {
        let lease = frontier.grant(CrawlTime::ZERO, 1).await.leases.remove(0);
        frontier.settle_one(lease, settled(document(), CrawlTime::ZERO)).await;
        assert_eq!(hop().await, left);
    }
}

#[tokio::test]
async fn a_closed_domain_does_not_delay_a_hop() {
    let (frontier, _guard) = in_memory(DomainOrder::Hops, None);
    frontier.offer(queued(&[("http://a.example/", 0), ("http://b.example/", 1)])).await.unwrap();

    frontier.close(&Pld::from_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(frontier.grant(CrawlTime::ZERO, 1).await.leases[0].entry.depth, 1);
}

async fn check_waiting_by_domain(frontier: &dyn Frontier) {
    let uris =
        [("http://a.example/1", 0), ("http://a.example/2", 0), ("http://b.example/", 0), ("http://c.example/", 0)];
    frontier.offer(queued(&uris)).await.unwrap();
    frontier.close(&Pld::from_host("c.example"), DropReason::Unreachable).await.unwrap();
    let mut leases = frontier.grant(CrawlTime::ZERO, 2).await.leases;
    let last = leases.pop().unwrap();
    assert_eq!(last.entry.target.host(), "b.example");
    frontier.settle_one(last, settled(document(), CrawlTime::ZERO)).await;

    assert_eq!(frontier.waiting_by_domain().await.unwrap(), [(Pld::from_host("a.example"), 1)]);
}

#[tokio::test]
async fn waiting_uris_are_counted_by_domain() {
    check_waiting_by_domain(&in_memory(DomainOrder::Hops, None).0).await;
    let (frontier, _guard) = on_disk(DomainOrder::Hops, None);
    check_waiting_by_domain(&frontier).await;
}

#[tokio::test]
async fn hop_shares_survive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), DomainOrder::Hops, None);
    let uris =
        [("http://a.example/1", 1), ("http://a.example/2", 1), ("http://b.example/", 1), ("http://c.example/", 2)];
    frontier.offer(queued(&uris)).await.unwrap();
    for kind in [document(), SettlementKind::Settled(Outcome::Dropped(DropReason::Robots)), document(), document()] {
        let lease = frontier.grant(CrawlTime::ZERO, 1).await.leases.remove(0);
        frontier.settle_one(lease, settled(kind, CrawlTime::ZERO)).await;
    }
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), DomainOrder::Hops, None);

    let shares = frontier.hop_shares(1).await.unwrap();
    let a = HopShare { visits: 2, documents: 2 };
    assert_eq!(
        shares,
        HashMap::from([(Pld::from_host("a.example"), a), (Pld::from_host("b.example"), HopShare::default())])
    );
}
