//! Strict hops, on every frontier.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use proptest::prelude::*;

use super::contract::{candidate, in_memory, on_disk, reopen};
use super::{AsQueued, Fate, Frontier, Hop, Offer, Settlement, Share};
use crate::model::outcome::Document;
use crate::model::{Candidate, DropReason, Moment, Outcome, Pld, Visit};
use crate::select::Order;

fn of_hop(uri: &str, depth: u16) -> Candidate {
    Candidate { depth, ..candidate(uri, 0.0 - f32::from(depth)) }
}

fn queued(uris: &[(&str, u16)]) -> Vec<Offer> {
    uris.iter().map(|(uri, depth)| Offer::Queue(of_hop(uri, *depth))).collect()
}

fn settled(fate: Fate, rest_until: Moment) -> Settlement {
    Settlement { fate, rest_until }
}

fn document() -> Fate {
    Fate::Done(Outcome::Document(Document::default()))
}

/// A crawl by a script, beside which everybody is remembered who is not done
/// with, and of which hop. Every visit finds up to three others.
struct Walk<'a> {
    frontier: &'a dyn Frontier,
    now: Moment,
    unfinished: BTreeMap<String, u16>,
    leased: Vec<Visit>,
    found: u32,
}

impl Walk<'_> {
    const DEPTH_MAX: u16 = 4;

    async fn find(&mut self, depth: u16, count: u8, domain: u16) {
        for n in 0..u16::from(count) {
            let uri = format!("http://d{}.example/{}", (domain + n) % 7, self.found);
            self.found += 1;
            self.frontier.offer(queued(&[(&uri, depth)])).await.unwrap();
            self.unfinished.insert(uri, depth);
        }
    }

    async fn lease(&mut self, max: usize) {
        let leased = self.frontier.lease(self.now, max, &mut AsQueued).await.unwrap();
        let earliest = self.unfinished.values().min().copied();
        for visit in leased.visits {
            assert_eq!(Some(visit.candidate.depth), earliest, "{}", visit.candidate.target);
            self.leased.push(visit);
        }
        if self.leased.is_empty() && !self.unfinished.is_empty() {
            self.now = leased.not_before.expect("nobody waits for ever").max(self.now);
        }
    }

    async fn settle(&mut self, how: u8, domain: u16) {
        if self.leased.is_empty() {
            return;
        }
        let visit = self.leased.remove(domain as usize % self.leased.len());
        let depth = visit.candidate.depth;
        let rest = self.now + Duration::from_millis(u64::from(how) * 10);
        let fate = match how % 5 {
            0 => Fate::Again(None),
            1 if visit.attempt < 3 => Fate::Retry(self.now + Duration::from_secs(u64::from(how))),
            _ => document(),
        };
        if fate == document() {
            if depth < Self::DEPTH_MAX {
                self.find(depth + 1, how % 4, domain).await;
            }
            self.unfinished.remove(visit.candidate.target.as_str());
        }
        self.frontier.settle(visit, settled(fate, rest)).await.unwrap();
    }
}

async fn hops_are_strict_whatever_happens(frontier: &dyn Frontier, script: &[(u8, u16)]) {
    let mut walk = Walk { frontier, now: Moment::ZERO, unfinished: BTreeMap::new(), leased: Vec::new(), found: 0 };
    walk.find(0, 9, 0).await;

    for (how, domain) in script {
        walk.lease(usize::from(how % 3) + 1).await;
        walk.settle(*how, *domain).await;
        if how % 11 == 0 {
            frontier.commit(b"").await.unwrap();
        }
    }
    // To the end, without finding more.
    while !walk.unfinished.is_empty() {
        walk.lease(3).await;
        if let Some(visit) = walk.leased.pop() {
            walk.unfinished.remove(visit.candidate.target.as_str());
            frontier.settle(visit, settled(document(), walk.now)).await.unwrap();
        }
    }
    // Only who looks into storage knows that nobody is left there.
    let leased = frontier.lease(walk.now + Duration::from_hours(1), 9, &mut AsQueued).await.unwrap();
    assert_eq!(leased.visits, []);
    assert_eq!(frontier.hop().await.unwrap(), None);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn hops_are_strict_in_memory(script in proptest::collection::vec(any::<(u8, u16)>(), 1..250)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(hops_are_strict_whatever_happens(&in_memory(Order::Hops, None).0, &script));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn hops_are_strict_on_disk(script in proptest::collection::vec(any::<(u8, u16)>(), 1..250)) {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let (frontier, _guard) = on_disk(Order::Hops, None);
        runtime.block_on(hops_are_strict_whatever_happens(&frontier, &script));
    }
}

#[tokio::test]
async fn a_hop_tells_how_many_domains_it_still_has() {
    let (frontier, _guard) = on_disk(Order::Hops, None);
    let uris =
        [("http://a.example/", 0), ("http://b.example/", 0), ("http://b.example/1", 1), ("http://c.example/", 1)];
    frontier.offer(queued(&uris)).await.unwrap();
    let hop = async || frontier.hop().await.unwrap().map(|Hop { depth, domains }| (depth, domains));
    assert_eq!(hop().await, Some((0, 2)));

    for left in [Some((0, 1)), Some((1, 2)), Some((1, 1)), None] {
        let visit = frontier.lease(Moment::ZERO, 1, &mut AsQueued).await.unwrap().visits.remove(0);
        frontier.settle(visit, settled(document(), Moment::ZERO)).await.unwrap();
        assert_eq!(hop().await, left);
    }
}

#[tokio::test]
async fn a_domain_that_is_closed_holds_up_no_hop() {
    let (frontier, _guard) = in_memory(Order::Hops, None);
    frontier.offer(queued(&[("http://a.example/", 0), ("http://b.example/", 1)])).await.unwrap();

    frontier.close(&Pld::of_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(frontier.lease(Moment::ZERO, 1, &mut AsQueued).await.unwrap().visits[0].candidate.depth, 1);
}

async fn who_waits_is_counted(frontier: &dyn Frontier) {
    let uris =
        [("http://a.example/1", 0), ("http://a.example/2", 0), ("http://b.example/", 0), ("http://c.example/", 0)];
    frontier.offer(queued(&uris)).await.unwrap();
    frontier.close(&Pld::of_host("c.example"), DropReason::Unreachable).await.unwrap();
    let mut visits = frontier.lease(Moment::ZERO, 2, &mut AsQueued).await.unwrap().visits;
    let last = visits.pop().unwrap();
    assert_eq!(last.candidate.target.host(), "b.example");
    frontier.settle(last, settled(document(), Moment::ZERO)).await.unwrap();

    assert_eq!(frontier.waiting_by_pld().await.unwrap(), [(Pld::of_host("a.example"), 1)]);
}

#[tokio::test]
async fn who_waits_is_counted_by_domain() {
    who_waits_is_counted(&in_memory(Order::Hops, None).0).await;
    let (frontier, _guard) = on_disk(Order::Hops, None);
    who_waits_is_counted(&frontier).await;
}

#[tokio::test]
async fn what_domains_had_of_a_hop_is_known_to_the_next_process() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::Hops, None);
    let uris =
        [("http://a.example/1", 1), ("http://a.example/2", 1), ("http://b.example/", 1), ("http://c.example/", 2)];
    frontier.offer(queued(&uris)).await.unwrap();
    for fate in [document(), Fate::Done(Outcome::Dropped(DropReason::Robots)), document(), document()] {
        let visit = frontier.lease(Moment::ZERO, 1, &mut AsQueued).await.unwrap().visits.remove(0);
        frontier.settle(visit, settled(fate, Moment::ZERO)).await.unwrap();
    }
    frontier.commit(b"").await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::Hops, None);

    let shares = frontier.shares_of_hop(1).await.unwrap();
    let a = Share { visits: 2, documents: 2 };
    assert_eq!(shares, HashMap::from([(Pld::of_host("a.example"), a), (Pld::of_host("b.example"), Share::default())]));
}
