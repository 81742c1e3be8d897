//! Domains are leased once at a time and after their delay; leases end once; closed domains stay closed.

use super::fixtures::{FrontierCalls as _, START, done, drain, queue, seconds, single_lease, targets};
use crate::frontier::{Census, Frontier, Settlement, SettlementKind};
use crate::model::{DropReason, Outcome, Pld, ProbeResult, StoreReceipt, Uri};

pub(super) async fn a_domain_is_visited_once_at_a_time(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://x.a.example/1", "http://y.a.example/2", "http://b.example/"])).await.unwrap();

    let leased = frontier.grant(START, 9).await;

    assert_eq!(targets(&leased), ["http://x.a.example/1", "http://b.example/"]);
    assert!(frontier.grant(seconds(9), 9).await.leases.is_empty());
    assert_eq!(
        frontier.census().await.unwrap(),
        Census { uris_known: 3, uris_waiting: 1, uris_in_flight: 2, domains: 2, revisits: 0 }
    );
}

pub(super) async fn a_domain_is_not_leased_before_its_delay_ends(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 9).await);
    frontier.settle_one(lease, done(seconds(5))).await;

    let early = frontier.grant(seconds(4), 9).await;

    assert!(early.leases.is_empty());
    assert_eq!(early.not_before, Some(seconds(5)));
    assert_eq!(targets(&frontier.grant(seconds(5), 9).await), ["http://a.example/2"]);
}

pub(super) async fn a_postponed_lease_is_due_at_once(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 9).await);
    let probe =
        ProbeResult { status: 200, media_type: Some("text/turtle".to_owned()), location: None, retry_after_s: None };
    let postponed = Settlement::new(SettlementKind::Postponed(Some(probe.clone())), seconds(1));
    frontier.settle_one(lease, postponed).await;

    let lease = single_lease(frontier.grant(seconds(1), 9).await);

    assert_eq!(lease.entry.target.as_str(), "http://a.example/1");
    assert_eq!((lease.attempt, lease.probe), (0, Some(probe)));
}

pub(super) async fn a_lease_is_settled_only_once(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 1).await);
    let stale = lease.clone();

    let first = frontier.settle(vec![(lease, done(START))]).await.unwrap();
    let census = frontier.census().await.unwrap();
    let again = Settlement::new(SettlementKind::Retry(START), seconds(60));
    let second = frontier.settle(vec![(stale, again)]).await.unwrap();

    assert_eq!((first.unknown, second.unknown), (0, 1));
    assert_eq!(frontier.census().await.unwrap(), census, "a lease that is not known changes nothing");
    assert_eq!(drain(frontier).await, ["http://a.example/2"]);
}

pub(super) async fn a_retry_waits_while_other_entries_are_leased(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 9).await);
    let retry = Settlement::new(SettlementKind::Retry(seconds(30)), seconds(1));
    frontier.settle_one(lease, retry).await;

    let other = single_lease(frontier.grant(seconds(1), 9).await);
    assert_eq!(other.entry.target.as_str(), "http://a.example/2");
    frontier.settle_one(other, done(seconds(2))).await;
    assert_eq!(frontier.grant(seconds(3), 9).await.not_before, Some(seconds(30)));
    let lease = single_lease(frontier.grant(seconds(30), 9).await);
    assert_eq!((lease.entry.target.as_str(), lease.attempt), ("http://a.example/1", 1));
}

pub(super) async fn a_closed_domain_is_never_visited_again(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://a.example/3", "http://b.example/"];
    frontier.offer(queue(&uris)).await.unwrap();
    let leased = frontier.grant(START, 9).await;

    let dropped = frontier.close(&Pld::from_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(dropped, 2, "the leased URI is not dropped");
    for lease in leased.leases {
        frontier.settle_one(lease, done(START)).await;
    }
    let late = frontier.offer(queue(&["http://a.example/4"])).await.unwrap();
    assert_eq!(late.dropped, [(DropReason::Unreachable, 1)]);
    assert_eq!(drain(frontier).await, Vec::<String>::new());
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    for uri in ["http://a.example/3", "http://a.example/4"] {
        let record = frontier.uri_record(&Uri::parse(uri).unwrap()).await.unwrap().unwrap();
        assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::Unreachable)), "{uri}");
    }
}

pub(super) async fn a_domain_at_its_limit_is_closed(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

    assert_eq!(drain(frontier).await.len(), 2);
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let record = frontier.uri_record(&Uri::parse("http://a.example/3").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::DomainLimit)));
}
