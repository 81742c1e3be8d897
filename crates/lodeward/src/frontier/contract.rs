//! What every frontier promises, as tests: `frontier_contract!(name, make)`.

use std::collections::HashMap;
use std::time::Duration;

use proptest::prelude::*;

use super::embedded::{self, EmbeddedFrontier};
use super::{
    AGAIN_PRIORITY, AsQueued, Census, Fate, Frontier, Guide, Leased, MemoryFrontier, Offer, Offered, Settlement, Which,
};
use crate::model::outcome::Document;
use crate::model::{Candidate, DropReason, Features, How, Link, Moment, Outcome, Pld, Probe, Uri, Via, Visit};
use crate::select::Order;

const START: Moment = Moment::ZERO;

pub(super) fn candidate(uri: &str, priority: f32) -> Candidate {
    Candidate {
        target: Uri::parse(uri).unwrap(),
        source: Some(Uri::parse("http://source.example/").unwrap()),
        how: How::Triple("http://p.example/knows".to_owned()),
        depth: 1,
        redirects: 0,
        priority,
        features: Features(vec![3, 5]),
        step: None,
        again: None,
    }
}

fn queue(uris: &[&str]) -> Vec<Offer> {
    uris.iter().map(|uri| Offer::Queue(candidate(uri, 0.0))).collect()
}

fn seconds(seconds: u64) -> Moment {
    Duration::from_secs(seconds)
}

fn done(rest_until: Moment) -> Settlement {
    Settlement { fate: Fate::Done(Outcome::Document(Document::default())), rest_until }
}

fn targets(leased: &Leased) -> Vec<&str> {
    leased.visits.iter().map(|visit| visit.candidate.target.as_str()).collect()
}

fn only(leased: Leased) -> Visit {
    assert_eq!(leased.visits.len(), 1, "one visit is leased");
    leased.visits.into_iter().next().unwrap()
}

/// Scores by address.
struct Scored(fn(&str) -> f32);

impl Guide for Scored {
    fn score(&mut self, candidate: &Candidate) -> f32 {
        self.0(candidate.target.as_str())
    }
}

/// Visits everybody, and says in which order.
async fn drain(frontier: &dyn Frontier) -> Vec<String> {
    drain_with(frontier, &mut AsQueued).await
}

async fn drain_with(frontier: &dyn Frontier, guide: &mut dyn Guide) -> Vec<String> {
    let mut visited = Vec::new();
    loop {
        let leased = frontier.lease(START, 1, guide).await.unwrap();
        let Some(visit) = leased.visits.into_iter().next() else { break };
        visited.push(visit.candidate.target.as_str().to_owned());
        frontier.settle(visit, done(START)).await.unwrap();
        if visited.len() % 7 == 0 {
            frontier.commit(b"").await.unwrap();
        }
    }
    let Census { waiting, leased, .. } = frontier.census().await.unwrap();
    assert_eq!((waiting, leased), (0, 0), "no loose ends");
    visited
}

pub(super) async fn a_uri_offered_twice_is_leased_once(frontier: &dyn Frontier) {
    let first = frontier.offer(queue(&["http://a.example/1", "http://a.example/1"])).await.unwrap();
    let second = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();

    assert_eq!((first.queued, second.queued), (1, 0));
    assert_eq!(drain(frontier).await, ["http://a.example/1"]);
    let third = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    assert_eq!(third.queued, 0, "what is settled is known for ever");
}

pub(super) async fn known_targets_are_sifted_out(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    let link = |uri| Link { target: Uri::parse(uri).unwrap(), via: Via::Seed };

    let left = frontier.sift(vec![link("http://a.example/1"), link("http://a.example/2")]).await.unwrap();

    assert_eq!(left, [link("http://a.example/2")]);
}

pub(super) async fn a_domain_is_visited_once_at_a_time(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://x.a.example/1", "http://y.a.example/2", "http://b.example/"])).await.unwrap();

    let leased = frontier.lease(START, 9, &mut AsQueued).await.unwrap();

    assert_eq!(targets(&leased), ["http://x.a.example/1", "http://b.example/"]);
    assert!(frontier.lease(seconds(9), 9, &mut AsQueued).await.unwrap().visits.is_empty());
    assert_eq!(frontier.census().await.unwrap(), Census { known: 3, waiting: 1, leased: 2, plds: 2, again: 0 });
}

pub(super) async fn a_domain_is_not_visited_before_it_has_rested(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let visit = only(frontier.lease(START, 9, &mut AsQueued).await.unwrap());
    frontier.settle(visit, done(seconds(5))).await.unwrap();

    let early = frontier.lease(seconds(4), 9, &mut AsQueued).await.unwrap();

    assert!(early.visits.is_empty());
    assert_eq!(early.not_before, Some(seconds(5)));
    assert_eq!(targets(&frontier.lease(seconds(5), 9, &mut AsQueued).await.unwrap()), ["http://a.example/2"]);
}

pub(super) async fn what_is_dropped_is_known_and_never_visited(frontier: &dyn Frontier) {
    let drop = Offer::Drop(candidate("http://a.example/x.png", 0.0), DropReason::Extension);

    let offered = frontier.offer(vec![drop.clone(), drop]).await.unwrap();

    assert_eq!(offered, Offered { queued: 0, dropped: vec![(DropReason::Extension, 1)] });
    assert_eq!(drain(frontier).await, Vec::<String>::new());
    frontier.commit(b"").await.unwrap();
    let life = frontier.recall(&Uri::parse("http://a.example/x.png").unwrap()).await.unwrap().unwrap();
    assert_eq!(life.outcome, Some(Outcome::Dropped(DropReason::Extension)));
}

pub(super) async fn the_more_urgent_comes_first_then_the_older(frontier: &dyn Frontier) {
    let offers = [("1", -1.0), ("2", 2.5), ("3", -1.0), ("4", 0.0)];
    let offers = offers.map(|(name, priority)| Offer::Queue(candidate(&format!("http://a.example/{name}"), priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    assert_eq!(drain(frontier).await, ["2", "4", "1", "3"].map(|name| format!("http://a.example/{name}")));
}

/// Queues everybody again who is settled, as a round does.
async fn requeue_all(frontier: &dyn Frontier) -> usize {
    frontier.begin_round(Which::All, 7).await.unwrap();
    let mut count = 0;
    loop {
        let round = frontier.round().await.unwrap().unwrap();
        let mut lives = frontier.settled(round.next, 3).await.unwrap();
        lives.retain(|(age, _)| *age < round.end);
        let Some((last, _)) = lives.last() else { return count };
        let next = last + 1;
        lives.retain(|(_, life)| life.outcome != Some(Outcome::Dropped(DropReason::PldLimit)));
        let again: Vec<_> = lives.into_iter().map(|(age, life)| (age, life.again(AGAIN_PRIORITY))).collect();
        count += again.len();
        frontier.requeue(again, next).await.unwrap();
    }
}

pub(super) async fn a_round_lets_the_settled_wait_again_before_all_others(frontier: &dyn Frontier) {
    let known: Vec<String> = (0..7).map(|n| format!("http://h{}.example/{n}", n % 3)).collect();
    frontier.offer(queue(&known.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    drain(frontier).await;
    frontier.offer(queue(&["http://h0.example/new", "http://new.example/"])).await.unwrap();
    frontier.commit(b"").await.unwrap();

    assert_eq!(requeue_all(frontier).await, 7);

    let census = frontier.census().await.unwrap();
    assert_eq!((census.known, census.waiting, census.again), (9, 9, 7));
    let visit = only(frontier.lease(START, 1, &mut AsQueued).await.unwrap());
    let again = visit.candidate.again.clone().unwrap();
    assert_eq!((again.last, again.history.visits), (Outcome::Document(Document::default()), 1));
    let fate = Fate::Again(None);
    frontier.settle(visit, Settlement { fate, rest_until: START }).await.unwrap();
    let mut visited = drain(frontier).await;
    assert_eq!(frontier.census().await.unwrap().again, 0);
    let mut new = visited.split_off(7);
    visited.sort_unstable();
    new.sort_unstable();
    assert_eq!(new, ["http://h0.example/new", "http://new.example/"]);
    let mut known = known;
    known.sort_unstable();
    assert_eq!(visited, known);
    frontier.end_round().await.unwrap();
    assert_eq!(frontier.round().await.unwrap(), None);
}

/// A guide that has no room for anybody who never was visited.
struct Full;

impl Guide for Full {
    fn others_max(&self) -> usize {
        0
    }
}

pub(super) async fn others_have_their_turn_while_all_who_are_visited_again_rest(frontier: &impl Frontier) {
    frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"").await.unwrap();
    requeue_all(frontier).await;
    let others = ["http://a.example/2", "http://b.example/1", "http://b.example/2"];
    frontier.offer(queue(&others)).await.unwrap();
    let visit = only(frontier.lease(START, 9, &mut AsQueued).await.unwrap());
    assert_eq!(visit.candidate.target.as_str(), "http://a.example/1");
    assert!(frontier.lease(START, 9, &mut AsQueued).await.unwrap().visits.is_empty(), "it may be back soon");
    let busy = Settlement { fate: Fate::Retry(seconds(3_600)), rest_until: seconds(60) };
    frontier.settle(visit, busy).await.unwrap();

    assert!(frontier.lease(seconds(1), 9, &mut Full).await.unwrap().visits.is_empty());
    let visit = only(frontier.lease(seconds(1), 9, &mut AsQueued).await.unwrap());
    assert_eq!(visit.candidate.target.as_str(), "http://b.example/1");
    frontier.settle(visit, done(START)).await.unwrap();
    let leased = frontier.lease(seconds(61), 9, &mut AsQueued).await.unwrap();
    assert_eq!(targets(&leased), ["http://b.example/2"], "its own domain waits for who failed");
    frontier.settle(only(leased), done(START)).await.unwrap();
    assert_eq!(frontier.lease(seconds(62), 9, &mut AsQueued).await.unwrap().not_before, Some(seconds(3_600)));
    assert_eq!(targets(&frontier.lease(seconds(3_600), 9, &mut AsQueued).await.unwrap()), ["http://a.example/1"]);
}

pub(super) async fn who_is_visited_again_is_not_lost_with_its_domain(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"").await.unwrap();
    requeue_all(frontier).await;
    frontier.offer(queue(&["http://a.example/3"])).await.unwrap();

    let dropped = frontier.close(&Pld::of_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(dropped, 1, "the new one");
    let census = frontier.census().await.unwrap();
    assert_eq!((census.waiting, census.again), (0, 0));
    frontier.commit(b"").await.unwrap();
    let outcome = async |uri| frontier.recall(&Uri::parse(uri).unwrap()).await.unwrap().unwrap().outcome;
    assert_eq!(outcome("http://a.example/1").await, Some(Outcome::Document(Document::default())));
    assert_eq!(outcome("http://a.example/3").await, Some(Outcome::Dropped(DropReason::Unreachable)));
    requeue_all(frontier).await;
    assert_eq!(drain(frontier).await.len(), 3, "another round opens the domain");
}

pub(super) async fn who_lost_its_slot_is_due_again_at_once(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let visit = only(frontier.lease(START, 9, &mut AsQueued).await.unwrap());
    let probe = Probe { status: 200, media_type: Some("text/turtle".to_owned()), location: None };
    let again = Settlement { fate: Fate::Again(Some(probe.clone())), rest_until: seconds(1) };
    frontier.settle(visit, again).await.unwrap();

    let visit = only(frontier.lease(seconds(1), 9, &mut AsQueued).await.unwrap());

    assert_eq!(visit.candidate.target.as_str(), "http://a.example/1");
    assert_eq!((visit.attempt, visit.probe), (0, Some(probe)));
}

pub(super) async fn who_failed_waits_while_others_go_on(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let visit = only(frontier.lease(START, 9, &mut AsQueued).await.unwrap());
    let retry = Settlement { fate: Fate::Retry(seconds(30)), rest_until: seconds(1) };
    frontier.settle(visit, retry).await.unwrap();

    let other = only(frontier.lease(seconds(1), 9, &mut AsQueued).await.unwrap());
    assert_eq!(other.candidate.target.as_str(), "http://a.example/2");
    frontier.settle(other, done(seconds(2))).await.unwrap();
    assert_eq!(frontier.lease(seconds(3), 9, &mut AsQueued).await.unwrap().not_before, Some(seconds(30)));
    let visit = only(frontier.lease(seconds(30), 9, &mut AsQueued).await.unwrap());
    assert_eq!((visit.candidate.target.as_str(), visit.attempt), ("http://a.example/1", 1));
}

pub(super) async fn a_closed_domain_is_never_visited_again(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/"];
    frontier.offer(queue(&uris)).await.unwrap();
    let leased = frontier.lease(START, 9, &mut AsQueued).await.unwrap();

    let dropped = frontier.close(&Pld::of_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(dropped, 2, "who is being visited is not dropped");
    for visit in leased.visits {
        frontier.settle(visit, done(START)).await.unwrap();
    }
    let late = frontier.offer(queue(&["http://a.example/4"])).await.unwrap();
    assert_eq!(late.dropped, [(DropReason::Unreachable, 1)]);
    assert_eq!(drain(frontier).await, Vec::<String>::new());
    frontier.commit(b"").await.unwrap();
    for uri in ["http://a.example/3", "http://a.example/4"] {
        let life = frontier.recall(&Uri::parse(uri).unwrap()).await.unwrap().unwrap();
        assert_eq!(life.outcome, Some(Outcome::Dropped(DropReason::Unreachable)), "{uri}");
    }
}

pub(super) async fn the_life_of_a_uri_is_recalled(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let visit = only(frontier.lease(START, 1, &mut AsQueued).await.unwrap());
    let outcome = Outcome::Redirected { status: 303, target: None };
    frontier.settle(visit, Settlement { fate: Fate::Done(outcome.clone()), rest_until: START }).await.unwrap();
    frontier.commit(b"memo").await.unwrap();

    let settled = frontier.recall(&Uri::parse("http://a.example/1").unwrap()).await.unwrap().unwrap();
    let waiting = frontier.recall(&Uri::parse("http://a.example/2").unwrap()).await.unwrap().unwrap();

    assert_eq!(settled.outcome, Some(outcome));
    assert_eq!(settled.source, Some(Uri::parse("http://source.example/").unwrap()));
    assert_eq!((waiting.outcome, waiting.depth), (None, 1));
    assert_eq!(frontier.recall(&Uri::parse("http://a.example/9").unwrap()).await.unwrap(), None);
    assert_eq!(frontier.memo().await.unwrap().as_deref(), Some(&b"memo"[..]));
}

pub(super) async fn scores_can_be_given_anew(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

    let visited = drain_with(frontier, &mut Scored(|uri| f32::from(u8::from(uri.ends_with('3'))))).await;

    assert_eq!(visited, ["3", "1", "2"].map(|name| format!("http://a.example/{name}")));
}

/// Makes the whole order anew after each visit: the last shall be the first.
#[derive(Default)]
struct Moody {
    turns: u32,
}

impl Guide for Moody {
    fn score(&mut self, candidate: &Candidate) -> f32 {
        let number: f32 = candidate.target.as_str().rsplit('/').next().unwrap().parse().unwrap();
        if self.turns.is_multiple_of(2) { number } else { -number }
    }

    fn has_new_order(&mut self) -> bool {
        self.turns += 1;
        true
    }
}

pub(super) async fn a_new_order_reaches_everybody(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/0", "http://a.example/1", "http://a.example/2"])).await.unwrap();
    frontier.offer(queue(&["http://b.example/3"])).await.unwrap();

    let visited = drain_with(frontier, &mut Moody::default()).await;

    assert_eq!(
        visited,
        ["a.example/0", "b.example/3", "a.example/1", "a.example/2"].map(|uri| format!("http://{uri}"))
    );
}

/// Takes nobody who is worth less than half of the best.
struct Choosy;

impl Guide for Choosy {
    fn floor(&self, best: f32) -> f32 {
        best / 2.0
    }
}

pub(super) async fn who_is_worth_little_waits(frontier: &dyn Frontier) {
    let offers = [("http://good.example/1", 0.9), ("http://good.example/2", 0.8), ("http://bad.example/1", 0.1)];
    let offers = offers.map(|(uri, priority)| Offer::Queue(candidate(uri, priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    let first = frontier.lease(START, 9, &mut Choosy).await.unwrap();
    assert_eq!(targets(&first), ["http://good.example/1"], "and the other waits while that one is visited");
    assert!(first.held);
    frontier.settle(only(first), done(seconds(5))).await.unwrap();
    let held = frontier.lease(seconds(1), 9, &mut Choosy).await.unwrap();
    assert!(held.visits.is_empty() && held.held);
    assert_eq!(held.not_before, Some(seconds(5)));
    let second = frontier.lease(seconds(5), 9, &mut Choosy).await.unwrap();
    assert_eq!(targets(&second), ["http://good.example/2", "http://bad.example/1"], "nobody better is left");
}

/// Whatever is offered, in whatever order, with whatever scores: everybody is
/// visited exactly once.
pub(super) async fn nobody_is_lost_or_doubled(frontier: &dyn Frontier, script: &[(u8, u16, i8)]) {
    let mut visits: HashMap<String, u32> = HashMap::new();
    let mut offered = 0;
    for (step, (host, page, priority)) in script.iter().enumerate() {
        let uri = format!("http://h{}.example/{page}", host % 3);
        let offer = Offer::Queue(candidate(&uri, f32::from(*priority)));
        offered += frontier.offer(vec![offer]).await.unwrap().queued;
        if step % 3 == 2 {
            let mut guide = Scored(if step % 11 < 5 { |uri| f32::from(u8::from(uri.len() % 7 < 3)) } else { |_| 0.5 });
            for visit in frontier.lease(START, 2, &mut guide).await.unwrap().visits {
                match page % 5 {
                    0 if visit.attempt == 0 => {
                        let settlement = Settlement { fate: Fate::Retry(START), rest_until: START };
                        frontier.settle(visit, settlement).await.unwrap();
                    }
                    _ => {
                        *visits.entry(visit.candidate.target.to_string()).or_default() += 1;
                        frontier.settle(visit, done(START)).await.unwrap();
                    }
                }
            }
        }
    }
    for uri in drain(frontier).await {
        *visits.entry(uri).or_default() += 1;
    }

    assert!(visits.values().all(|count| *count == 1), "{visits:?}");
    assert_eq!(visits.len() as u64, offered);
}

macro_rules! frontier_contract {
    ($name:ident, $make:ident) => {
        mod $name {
            use super::*;

            frontier_contract!(@claims $make;
                a_uri_offered_twice_is_leased_once
                known_targets_are_sifted_out
                a_domain_is_visited_once_at_a_time
                a_domain_is_not_visited_before_it_has_rested
                what_is_dropped_is_known_and_never_visited
                the_more_urgent_comes_first_then_the_older
                a_round_lets_the_settled_wait_again_before_all_others
                who_is_visited_again_is_not_lost_with_its_domain
                others_have_their_turn_while_all_who_are_visited_again_rest
                who_lost_its_slot_is_due_again_at_once
                who_failed_waits_while_others_go_on
                a_closed_domain_is_never_visited_again
                the_life_of_a_uri_is_recalled
            );

            #[tokio::test]
            async fn who_is_worth_little_waits_for_a_better_domain_that_will_soon_have_rested() {
                let (frontier, _guard) = $make(Order::BestFirst, None);
                super::who_is_worth_little_waits(&frontier).await;
            }

            #[tokio::test]
            async fn scores_can_be_given_anew() {
                let (frontier, _guard) = $make(Order::BestFirst, None);
                super::scores_can_be_given_anew(&frontier).await;
            }

            #[tokio::test]
            async fn a_new_order_reaches_everybody() {
                let (frontier, _guard) = $make(Order::BestFirst, None);
                super::a_new_order_reaches_everybody(&frontier).await;
            }

            #[tokio::test]
            async fn domains_take_turns_in_a_round_robin() {
                let (frontier, _guard) = $make(Order::RoundRobin, None);
                let uris = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://b.example/2"];
                frontier.offer(queue(&uris)).await.unwrap();

                let turns = drain(&frontier).await;

                assert_eq!(turns, ["a.example/1", "b.example/1", "a.example/2", "b.example/2"].map(|uri| format!("http://{uri}")));
            }

            #[tokio::test]
            async fn the_best_domain_goes_first_when_asked() {
                let (frontier, _guard) = $make(Order::BestFirst, None);
                let offers = [("a.example/1", 1.0), ("b.example/1", 3.0), ("b.example/2", 2.0), ("a.example/2", 0.5)];
                let offers = offers.map(|(uri, priority)| Offer::Queue(candidate(&format!("http://{uri}"), priority)));
                frontier.offer(offers.to_vec()).await.unwrap();

                let turns = drain(&frontier).await;

                assert_eq!(turns, ["b.example/1", "b.example/2", "a.example/1", "a.example/2"].map(|uri| format!("http://{uri}")));
            }

            #[tokio::test]
            async fn those_who_are_visited_again_have_had_their_share_before() {
                let (frontier, _guard) = $make(Order::BestFirst, Some(2));
                frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();
                drain(&frontier).await;
                frontier.commit(b"").await.unwrap();

                super::requeue_all(&frontier).await;

                let visited = drain(&frontier).await;
                assert!(visited.iter().all(|uri| uri != "http://a.example/3"), "{visited:?}");
                assert_eq!(visited.len(), 2);
            }

            #[tokio::test]
            async fn a_domain_that_had_its_share_is_closed() {
                let (frontier, _guard) = $make(Order::RoundRobin, Some(2));
                frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

                assert_eq!(drain(&frontier).await.len(), 2);
                frontier.commit(b"").await.unwrap();
                let life = frontier.recall(&Uri::parse("http://a.example/3").unwrap()).await.unwrap().unwrap();
                assert_eq!(life.outcome, Some(Outcome::Dropped(DropReason::PldLimit)));
            }

            proptest! {
                #![proptest_config(ProptestConfig::with_cases(12))]

                #[test]
                fn nobody_is_lost_or_doubled_whatever_happens(
                    script in proptest::collection::vec(any::<(u8, u16, i8)>(), 1..200),
                    best_first in any::<bool>(),
                ) {
                    let order = if best_first { Order::BestFirst } else { Order::RoundRobin };
                    let (frontier, _guard) = $make(order, None);
                    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
                    runtime.block_on(nobody_is_lost_or_doubled(&frontier, &script));
                }
            }
        }
    };
    (@claims $make:ident; $($claim:ident)+) => {
        $(
            #[tokio::test]
            async fn $claim() {
                let (frontier, _guard) = $make(Order::RoundRobin, None);
                super::$claim(&frontier).await;
            }
        )+
    };
}

frontier_contract!(memory, in_memory);
frontier_contract!(embedded_on_disk, on_disk);

pub(super) fn in_memory(order: Order, limit: Option<u32>) -> (MemoryFrontier, ()) {
    (MemoryFrontier::new(order, limit), ())
}

/// A frontier with tiny heads, so that everything passes through the disk.
pub(super) fn on_disk(order: Order, limit: Option<u32>) -> (EmbeddedFrontier, tempfile::TempDir) {
    let directory = tempfile::tempdir().unwrap();
    (reopen(directory.path(), order, limit), directory)
}

#[tokio::test]
async fn a_domain_that_may_have_all_heads_keeps_them_beside_many_others() {
    let directory = tempfile::tempdir().unwrap();
    let database = embedded::open_database(directory.path(), 4).unwrap();
    let options = embedded::Options {
        order: Order::BestFirst,
        heads_per_pld_max: 64,
        heads_total_max: 64,
        ..embedded::Options::default()
    };
    let frontier = EmbeddedFrontier::open(&database, options).unwrap();
    let others: Vec<String> = (0..16).map(|number| format!("http://h{number}.example/0")).collect();
    frontier.offer(queue(&others.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    let uris: Vec<String> = (1..=12).map(|number| format!("http://a.example/{number}")).collect();
    frontier.offer(queue(&uris.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();

    // The last shall be the first, though nobody had queued them so.
    let mut guide = Moody { turns: 1 };
    let leased = frontier.lease(START, 1, &mut guide).await.unwrap();

    assert_eq!(targets(&leased), ["http://a.example/12"]);
}

pub(super) fn reopen(directory: &std::path::Path, order: Order, limit: Option<u32>) -> EmbeddedFrontier {
    let database = embedded::open_database(directory, 1).unwrap();
    let options = embedded::Options {
        order,
        documents_per_pld_max: limit,
        heads_per_pld_max: 4,
        heads_total_max: 8,
        known_expected: 1_000,
        ..embedded::Options::default()
    };
    EmbeddedFrontier::open(&database, options).unwrap()
}

#[tokio::test]
async fn a_round_that_is_cut_short_goes_on_where_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let uris: Vec<_> = (0..20).map(|n| format!("http://h{}.example/{n}", n % 4)).collect();
    let frontier = reopen(directory.path(), Order::RoundRobin, None);
    frontier.offer(queue(&uris.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    drain(&frontier).await;
    frontier.commit(b"").await.unwrap();
    frontier.begin_round(Which::Due, 7).await.unwrap();
    let lives = frontier.settled(0, 5).await.unwrap();
    let next = lives.last().unwrap().0 + 1;
    let again = lives.into_iter().map(|(age, life)| (age, life.again(AGAIN_PRIORITY))).collect();
    frontier.requeue(again, next).await.unwrap();
    let visit = only(frontier.lease(START, 1, &mut AsQueued).await.unwrap());
    frontier.settle(visit, done(START)).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::RoundRobin, None);

    let round = frontier.round().await.unwrap().unwrap();
    assert_eq!((round.which, round.began_at_ms, round.next), (Which::Due, 7, next));
    let census = frontier.census().await.unwrap();
    assert_eq!((census.known, census.waiting, census.again), (20, 5, 5), "what was not committed waits again");
    assert_eq!(frontier.settled(round.next, 99).await.unwrap().len(), 15);
    drain(&frontier).await;
    frontier.commit(b"").await.unwrap();
    assert_eq!(frontier.settled(0, 99).await.unwrap().len(), 20, "nobody is lost or doubled");
}

#[tokio::test]
async fn what_was_committed_survives_and_who_was_leased_waits_again() {
    let directory = tempfile::tempdir().unwrap();
    let uris: Vec<_> = (0..40).map(|n| format!("http://h{}.example/{n}", n % 4)).collect();
    let uris: Vec<_> = uris.iter().map(String::as_str).collect();
    let frontier = reopen(directory.path(), Order::RoundRobin, None);
    frontier.offer(queue(&uris)).await.unwrap();
    let mut visits = frontier.lease(START, 4, &mut AsQueued).await.unwrap().visits;
    frontier.settle(visits.pop().unwrap(), done(START)).await.unwrap();
    frontier.settle(visits.pop().unwrap(), done(START)).await.unwrap();
    frontier.commit(b"halfway").await.unwrap();
    frontier.settle(visits.pop().unwrap(), done(START)).await.unwrap();
    frontier.offer(queue(&["http://late.example/"])).await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::RoundRobin, None);

    assert_eq!(frontier.memo().await.unwrap().as_deref(), Some(&b"halfway"[..]));
    assert_eq!(frontier.census().await.unwrap(), Census { known: 40, waiting: 38, leased: 0, plds: 4, again: 0 });
    assert_eq!(frontier.offer(queue(&uris)).await.unwrap().queued, 0, "known before, known after");
    assert_eq!(drain(&frontier).await.len(), 38);
}

#[tokio::test]
async fn a_document_whose_harvest_was_lost_is_visited_again() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::RoundRobin, None);
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    assert_eq!(drain(&frontier).await.len(), 2);
    frontier.commit(b"").await.unwrap();
    let lost = Uri::parse("http://a.example/1").unwrap();

    let revived = frontier.revive(&[lost.fingerprint(), 7]).unwrap();

    assert_eq!(revived.iter().map(|life| &life.uri).collect::<Vec<_>>(), [&lost]);
    assert_eq!(drain(&frontier).await, ["http://a.example/1"]);
}

#[tokio::test]
async fn a_lost_document_opens_the_domain_it_had_filled() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::RoundRobin, Some(1));
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let visit = frontier.lease(START, 1, &mut AsQueued).await.unwrap().visits.pop().unwrap();
    assert_eq!(frontier.settle(visit, done(START)).await.unwrap(), 1, "the other one is dropped");
    frontier.commit(b"").await.unwrap();

    frontier.revive(&[Uri::parse("http://a.example/1").unwrap().fingerprint()]).unwrap();

    assert_eq!(frontier.census().await.unwrap().waiting, 2);
    let visit = frontier.lease(START, 1, &mut AsQueued).await.unwrap().visits.pop().unwrap();
    let again = Settlement { fate: Fate::Again(None), rest_until: START };
    assert_eq!(frontier.settle(visit, again).await.unwrap(), 0);
    assert_eq!(drain(&frontier).await.len(), 1, "and the domain is full again");
}

#[tokio::test]
async fn a_delay_asked_for_holds_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::RoundRobin, None);
    frontier.offer(queue(&["http://a.example/1", "http://b.example/1"])).await.unwrap();
    frontier.slow_down(&Pld::of_host("a.example"), seconds(5)).await.unwrap();
    frontier.commit(b"").await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::RoundRobin, None);

    assert_eq!(targets(&frontier.lease(seconds(4), 9, &mut AsQueued).await.unwrap()), ["http://b.example/1"]);
    assert_eq!(targets(&frontier.lease(seconds(5), 9, &mut AsQueued).await.unwrap()), ["http://a.example/1"]);
}

#[tokio::test]
async fn a_drained_frontier_goes_on_with_fresh_ages() {
    let directory = tempfile::tempdir().unwrap();
    for round in 0..3 {
        let frontier = reopen(directory.path(), Order::RoundRobin, None);
        let uri = format!("http://a.example/{round}");
        frontier.offer(queue(&[&uri])).await.unwrap();
        assert_eq!(drain(&frontier).await, [uri]);
        frontier.commit(b"").await.unwrap();
    }

    let frontier = reopen(directory.path(), Order::RoundRobin, None);
    assert_eq!(frontier.census().await.unwrap(), Census { known: 3, waiting: 0, leased: 0, plds: 1, again: 0 });
}

#[tokio::test]
async fn a_closed_domain_stays_closed_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::RoundRobin, Some(1));
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://b.example/1"])).await.unwrap();
    let visit = frontier.lease(START, 1, &mut AsQueued).await.unwrap().visits.pop().unwrap();
    frontier.settle(visit, done(START)).await.unwrap();
    frontier.commit(b"").await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::RoundRobin, Some(1));

    assert_eq!(frontier.census().await.unwrap().waiting, 1);
    assert_eq!(drain(&frontier).await, ["http://b.example/1"]);
}

#[tokio::test]
async fn nobody_waits_for_a_domain_that_rests_for_long_or_has_only_failures() {
    let frontier = MemoryFrontier::new(Order::BestFirst, None);
    let offers = [("http://good.example/1", 0.9), ("http://good.example/2", 0.8), ("http://bad.example/1", 0.1)];
    let offers = offers.map(|(uri, priority)| Offer::Queue(candidate(uri, priority)));
    frontier.offer(offers.to_vec()).await.unwrap();
    let visit = only(frontier.lease(START, 1, &mut Choosy).await.unwrap());
    frontier.settle(visit, Settlement { fate: Fate::Retry(seconds(900)), rest_until: seconds(3_600) }).await.unwrap();

    let leased = frontier.lease(seconds(1), 9, &mut Choosy).await.unwrap();

    assert_eq!(targets(&leased), ["http://bad.example/1"]);
}

#[tokio::test]
async fn a_crawl_that_is_resumed_goes_on_with_the_best() {
    let directory = tempfile::tempdir().unwrap();
    let frontier = reopen(directory.path(), Order::BestFirst, None);
    for number in 0..9_u8 {
        let uri = format!("http://h{number}.example/");
        let offer = Offer::Queue(candidate(&uri, f32::from(number % 5)));
        frontier.offer(vec![offer]).await.unwrap();
    }
    frontier.commit(b"").await.unwrap();
    drop(frontier);

    let frontier = reopen(directory.path(), Order::BestFirst, None);

    let visited = drain(&frontier).await;
    assert_eq!(visited[..3], ["http://h4.example/", "http://h3.example/", "http://h8.example/"]);
}

#[tokio::test]
async fn a_frontier_of_another_version_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let database = embedded::open_database(directory.path(), 1).unwrap();
    let meta = database.keyspace("meta", fjall::KeyspaceCreateOptions::default).unwrap();
    meta.insert("version", 99_u32.to_be_bytes()).unwrap();

    let refused = EmbeddedFrontier::open(&database, embedded::Options::default()).err().unwrap();

    assert_eq!(refused.to_string(), "frontier has format version 99, and this program reads version 4");
}
