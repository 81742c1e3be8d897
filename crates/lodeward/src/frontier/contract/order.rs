//! The order of leases: by domain, by priority and by score.

use super::fixtures::{
    FrontierCalls as _, START, done, drain, drain_scored, entry, keep_priority, queue, score_by_number, seconds,
    single_lease, targets, with_deferral,
};
use crate::frontier::{Frontier, Offer, Settlement, SettlementKind};

pub(super) async fn entries_are_leased_by_priority_then_age(frontier: &dyn Frontier) {
    let offers = [("1", -1.0), ("2", 2.5), ("3", -1.0), ("4", 0.0)];
    let offers = offers.map(|(name, priority)| Offer::Queue(entry(&format!("http://a.example/{name}"), priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    assert_eq!(drain(frontier).await, ["2", "4", "1", "3"].map(|name| format!("http://a.example/{name}")));
}

pub(super) async fn domains_take_turns_in_a_round_robin(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://b.example/2"];
    frontier.offer(queue(&uris)).await.unwrap();

    let turns = drain(frontier).await;

    let expected = ["a.example/1", "b.example/1", "a.example/2", "b.example/2"];
    assert_eq!(turns, expected.map(|uri| format!("http://{uri}")));
}

pub(super) async fn the_best_domain_is_leased_first(frontier: &dyn Frontier) {
    let offers = [("a.example/1", 1.0), ("b.example/1", 3.0), ("b.example/2", 2.0), ("a.example/2", 0.5)];
    let offers = offers.map(|(uri, priority)| Offer::Queue(entry(&format!("http://{uri}"), priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    let turns = drain(frontier).await;

    let expected = ["b.example/1", "b.example/2", "a.example/1", "a.example/2"];
    assert_eq!(turns, expected.map(|uri| format!("http://{uri}")));
}

pub(super) async fn entries_can_be_rescored(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

    let leased_uris =
        drain_scored(frontier, false, |_, entry| f32::from(u8::from(entry.target.as_str().ends_with('3')))).await;

    assert_eq!(leased_uris, ["3", "1", "2"].map(|name| format!("http://a.example/{name}")));
}

pub(super) async fn changed_scores_reorder_all_entries(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/0", "http://a.example/1", "http://a.example/2"])).await.unwrap();
    frontier.offer(queue(&["http://b.example/3"])).await.unwrap();

    // The order is reversed after each lease.
    let leased_uris = drain_scored(frontier, true, |leased, entry| score_by_number(entry, leased % 2 == 0)).await;

    assert_eq!(
        leased_uris,
        ["a.example/0", "b.example/3", "a.example/1", "a.example/2"].map(|uri| format!("http://{uri}"))
    );
}

pub(super) async fn low_scores_are_held_back(frontier: &dyn Frontier) {
    let offers = [("http://good.example/1", 0.9), ("http://good.example/2", 0.8), ("http://bad.example/1", 0.1)];
    frontier.offer(queue(&["http://good.example/0"])).await.unwrap();
    let known = single_lease(frontier.grant(START, 9).await);
    frontier.settle_one(known, done(START)).await;
    let offers = offers.map(|(uri, priority)| Offer::Queue(entry(uri, priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    let first = frontier.grant_scored(with_deferral(START, 9), keep_priority).await;
    assert_eq!(targets(&first), ["http://good.example/1"], "the low score waits while the best is leased");
    assert!(first.held_back);
    frontier.settle_one(single_lease(first), done(seconds(5))).await;
    let held = frontier.grant_scored(with_deferral(seconds(1), 9), keep_priority).await;
    assert!(held.leases.is_empty() && held.held_back);
    assert_eq!(held.not_before, Some(seconds(5)));
    let second = frontier.grant_scored(with_deferral(seconds(5), 9), keep_priority).await;
    assert_eq!(targets(&second), ["http://good.example/2", "http://bad.example/1"], "the low score is leased");
}

pub(super) async fn no_entry_waits_for_a_failing_domain(frontier: &dyn Frontier) {
    let offers = [("http://dead.example/1", 0.9), ("http://dead.example/2", 0.8), ("http://bad.example/1", 0.01)];
    frontier.offer(offers.map(|(uri, priority)| Offer::Queue(entry(uri, priority))).to_vec()).await.unwrap();
    let unproven = frontier.grant_scored(with_deferral(START, 1), keep_priority).await;
    assert_eq!(targets(&unproven), ["http://dead.example/1"]);

    let while_leased = frontier.grant_scored(with_deferral(START, 9), keep_priority).await;
    assert_eq!(targets(&while_leased), ["http://bad.example/1"], "a domain that has never responded defers nothing");
    frontier.settle_one(single_lease(while_leased), done(START)).await;
    let failed = Settlement { responds: false, ..Settlement::new(SettlementKind::Postponed(None), seconds(5)) };
    frontier.settle_one(single_lease(unproven), failed).await;
    frontier.offer(vec![Offer::Queue(entry("http://bad.example/2", 0.01))]).await.unwrap();

    let during_back_off = frontier.grant_scored(with_deferral(seconds(1), 9), keep_priority).await;

    assert_eq!(targets(&during_back_off), ["http://bad.example/2"]);
}
