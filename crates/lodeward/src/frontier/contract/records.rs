//! Records of settled URIs, and the rounds that queue these URIs again.

use super::fixtures::{FrontierCalls as _, START, done, drain, keep_priority, queue, seconds, single_lease, targets};
use crate::frontier::{Frontier, LeaseRequest, REVISIT_PRIORITY, RefreshSelection, Settlement, SettlementKind};
use crate::model::outcome::DocumentSummary;
use crate::model::{DropReason, Outcome, Pld, StoreReceipt, Uri};

pub(super) async fn the_record_of_a_uri_is_found(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 1).await);
    let outcome = Outcome::Redirected { status: 303, target: None };
    frontier.settle_one(lease, Settlement::new(SettlementKind::Settled(outcome.clone()), START)).await;
    frontier.commit(b"memo", StoreReceipt::issue()).await.unwrap();

    let settled = frontier.uri_record(&Uri::parse("http://a.example/1").unwrap()).await.unwrap().unwrap();
    let waiting = frontier.uri_record(&Uri::parse("http://a.example/2").unwrap()).await.unwrap().unwrap();

    assert_eq!(settled.outcome, Some(outcome));
    assert_eq!(settled.source, Some(Uri::parse("http://source.example/").unwrap()));
    assert_eq!((waiting.outcome, waiting.depth), (None, 1));
    assert_eq!(frontier.uri_record(&Uri::parse("http://a.example/9").unwrap()).await.unwrap(), None);
    assert_eq!(frontier.memo().await.unwrap().as_deref(), Some(&b"memo"[..]));
}

/// Queues all settled URIs again, as a refresh round does.
async fn requeue_all(frontier: &dyn Frontier) -> usize {
    frontier.begin_round(RefreshSelection::All, 7).await.unwrap();
    let mut count = 0;
    loop {
        let round = frontier.current_round().await.unwrap().unwrap();
        let mut records = frontier.settled_records(round.next, 3).await.unwrap();
        records.retain(|(age, _)| *age < round.end);
        let Some((last, _)) = records.last() else { return count };
        let next = last + 1;
        records.retain(|(_, record)| record.outcome != Some(Outcome::Dropped(DropReason::DomainLimit)));
        let revisits: Vec<_> =
            records.into_iter().map(|(age, record)| (age, record.into_revisit(REVISIT_PRIORITY))).collect();
        count += revisits.len();
        frontier.requeue(revisits, next).await.unwrap();
    }
}

pub(super) async fn a_snapshot_of_settled_records_does_not_change(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://b.example/2", "http://c.example/3", "http://d.example/4"];
    frontier.offer(queue(&uris)).await.unwrap();
    let leased = drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();

    let mut snapshot = frontier.settled_snapshot();
    let first = snapshot.next().unwrap().unwrap();
    assert_eq!(requeue_all(frontier).await, 4);
    drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let rest = snapshot.map(|record| record.unwrap());
    let found: Vec<String> = std::iter::once(first).chain(rest).map(|record| record.uri.to_string()).collect();

    assert_eq!(found, leased, "in the order of settlement, each once");
    assert_eq!(frontier.settled_snapshot().count(), 4);
}

pub(super) async fn a_refresh_round_queues_settled_uris_first(frontier: &dyn Frontier) {
    let known: Vec<String> = (0..7).map(|n| format!("http://h{}.example/{n}", n % 3)).collect();
    frontier.offer(queue(&known.iter().map(String::as_str).collect::<Vec<_>>())).await.unwrap();
    drain(frontier).await;
    frontier.offer(queue(&["http://h0.example/new", "http://new.example/"])).await.unwrap();
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();

    assert_eq!(requeue_all(frontier).await, 7);

    let census = frontier.census().await.unwrap();
    assert_eq!((census.uris_known, census.uris_waiting, census.revisits), (9, 9, 7));
    let lease = single_lease(frontier.grant(START, 1).await);
    let revisit = lease.entry.revisit.clone().unwrap();
    assert_eq!((revisit.last, revisit.history.fetches), (Outcome::Document(DocumentSummary::default()), 1));
    let kind = SettlementKind::Postponed(None);
    frontier.settle_one(lease, Settlement::new(kind, START)).await;
    let mut leased_uris = drain(frontier).await;
    assert_eq!(frontier.census().await.unwrap().revisits, 0);
    let mut new = leased_uris.split_off(7);
    leased_uris.sort_unstable();
    new.sort_unstable();
    assert_eq!(new, ["http://h0.example/new", "http://new.example/"]);
    let mut known = known;
    known.sort_unstable();
    assert_eq!(leased_uris, known);
    frontier.end_round().await.unwrap();
    assert_eq!(frontier.current_round().await.unwrap(), None);
}

pub(super) async fn first_visits_are_leased_while_all_revisits_wait(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    requeue_all(frontier).await;
    let others = ["http://a.example/2", "http://b.example/1", "http://b.example/2"];
    frontier.offer(queue(&others)).await.unwrap();
    let lease = single_lease(frontier.grant(START, 9).await);
    assert_eq!(lease.entry.target.as_str(), "http://a.example/1");
    assert!(
        frontier.grant(START, 9).await.leases.is_empty(),
        "no first visit is leased while the revisit is in flight"
    );
    let overloaded = Settlement::new(SettlementKind::Retry(seconds(3_600)), seconds(60));
    frontier.settle_one(lease, overloaded).await;

    let full = LeaseRequest { max_first_visits: 0, ..LeaseRequest::new(seconds(1), 9) };
    assert!(frontier.grant_scored(full, keep_priority).await.leases.is_empty());
    let lease = single_lease(frontier.grant(seconds(1), 9).await);
    assert_eq!(lease.entry.target.as_str(), "http://b.example/1");
    frontier.settle_one(lease, done(START)).await;
    let leased = frontier.grant(seconds(61), 9).await;
    assert_eq!(targets(&leased), ["http://b.example/2"], "a.example waits for its retry");
    frontier.settle_one(single_lease(leased), done(START)).await;
    assert_eq!(frontier.grant(seconds(62), 9).await.not_before, Some(seconds(3_600)));
    assert_eq!(targets(&frontier.grant(seconds(3_600), 9).await), ["http://a.example/1"]);
}

pub(super) async fn a_revisit_is_not_lost_when_its_domain_closes(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    requeue_all(frontier).await;
    frontier.offer(queue(&["http://a.example/3"])).await.unwrap();

    let dropped = frontier.close(&Pld::from_host("a.example"), DropReason::Unreachable).await.unwrap();

    assert_eq!(dropped, 1, "only the new URI is dropped");
    let census = frontier.census().await.unwrap();
    assert_eq!((census.uris_waiting, census.revisits), (0, 0));
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let outcome = async |uri| frontier.uri_record(&Uri::parse(uri).unwrap()).await.unwrap().unwrap().outcome;
    assert_eq!(outcome("http://a.example/1").await, Some(Outcome::Document(DocumentSummary::default())));
    assert_eq!(outcome("http://a.example/3").await, Some(Outcome::Dropped(DropReason::Unreachable)));
    requeue_all(frontier).await;
    assert_eq!(drain(frontier).await.len(), 3, "another round reopens the domain");
}

pub(super) async fn revisits_do_not_count_towards_the_domain_limit(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();

    requeue_all(frontier).await;

    let leased_uris = drain(frontier).await;
    assert!(leased_uris.iter().all(|uri| uri != "http://a.example/3"), "{leased_uris:?}");
    assert_eq!(leased_uris.len(), 2);
}

pub(super) async fn a_document_with_lost_statements_is_requeued(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    assert_eq!(drain(frontier).await.len(), 2);
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let lost = Uri::parse("http://a.example/1").unwrap();

    let found = frontier.find_records(&[7, lost.fingerprint()]).await.unwrap();
    let requeued = frontier.requeue_lost(&[lost.fingerprint(), 7]).await.unwrap();

    assert_eq!(found.iter().map(|record| record.as_ref().map(|it| &it.uri)).collect::<Vec<_>>(), [None, Some(&lost)]);
    assert_eq!(requeued.iter().map(|record| &record.uri).collect::<Vec<_>>(), [&lost]);
    assert_eq!(drain(frontier).await, ["http://a.example/1"]);
}
