//! The guarantees of every frontier, as tests: `frontier_contract!(name, make)`.

use std::collections::HashMap;
use std::time::Duration;

use super::{
    Census, FeatureVector, Frontier, Lease, LeaseBatch, LeaseRequest, Offer, OfferSummary, QueueEntry,
    REVISIT_PRIORITY, RefreshSelection, ScoreBatch, Settlement, SettlementKind, lease_scored,
};
use crate::model::outcome::DocumentSummary;
use crate::model::{CrawlTime, DropReason, FoundBy, Outcome, Pld, ProbeResult, StoreReceipt, Uri};

pub(super) const START: CrawlTime = CrawlTime::ZERO;

pub(super) fn entry(uri: &str, priority: f32) -> QueueEntry {
    QueueEntry {
        target: Uri::parse(uri).unwrap(),
        source: Some(Uri::parse("http://source.example/").unwrap()),
        found_by: FoundBy::Triple("http://p.example/knows".to_owned()),
        depth: 1,
        redirects: 0,
        priority,
        features: FeatureVector(vec![3, 5]),
        step: None,
        revisit: None,
    }
}

pub(super) fn queue(uris: &[&str]) -> Vec<Offer> {
    uris.iter().map(|uri| Offer::Queue(entry(uri, 0.0))).collect()
}

pub(super) fn seconds(seconds: u64) -> CrawlTime {
    Duration::from_secs(seconds)
}

pub(super) fn done(delayed_until: CrawlTime) -> Settlement {
    Settlement::new(SettlementKind::Settled(Outcome::Document(DocumentSummary::default())), delayed_until)
}

pub(super) fn targets(leased: &LeaseBatch) -> Vec<&str> {
    leased.leases.iter().map(|lease| lease.entry.target.as_str()).collect()
}

pub(super) fn single_lease(leased: LeaseBatch) -> Lease {
    assert_eq!(leased.leases.len(), 1, "one URI is leased");
    leased.leases.into_iter().next().unwrap()
}

/// Calls with one lease, and with the priorities of the queue.
pub(super) trait FrontierCalls: Frontier {
    async fn grant(&self, now: CrawlTime, max: usize) -> LeaseBatch {
        self.grant_scored(LeaseRequest::new(now, max), keep_priority).await
    }

    async fn grant_scored(&self, request: LeaseRequest, score: impl Fn(&QueueEntry) -> f32) -> LeaseBatch {
        let score_all = |scores: &mut ScoreBatch| {
            scores.entries.iter_mut().for_each(|waiting| waiting.entry.priority = score(&waiting.entry));
        };
        lease_scored(self, request, score_all).await.unwrap()
    }

    async fn settle_one(&self, lease: Lease, settlement: Settlement) -> u64 {
        self.settle(vec![(lease, settlement)]).await.unwrap().dropped
    }
}

impl<T: Frontier + ?Sized> FrontierCalls for T {}

pub(super) fn keep_priority(entry: &QueueEntry) -> f32 {
    entry.priority
}

/// Settles all URIs, and returns them in the order of their leases.
pub(super) async fn drain(frontier: &dyn Frontier) -> Vec<String> {
    drain_scored(frontier, false, |_, entry| entry.priority).await
}

/// Settles all URIs. The score depends on the number of URIs leased before.
async fn drain_scored(
    frontier: &dyn Frontier,
    scores_changed: bool,
    score: impl Fn(usize, &QueueEntry) -> f32,
) -> Vec<String> {
    let mut leased_uris = Vec::new();
    loop {
        let request = LeaseRequest { scores_changed, ..LeaseRequest::new(START, 1) };
        let batch = frontier.grant_scored(request, |entry| score(leased_uris.len(), entry)).await;
        let Some(lease) = batch.leases.into_iter().next() else { break };
        leased_uris.push(lease.entry.target.as_str().to_owned());
        frontier.settle_one(lease, done(START)).await;
        if leased_uris.len() % 7 == 0 {
            frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
        }
    }
    let Census { uris_waiting, uris_in_flight, .. } = frontier.census().await.unwrap();
    assert_eq!((uris_waiting, uris_in_flight), (0, 0), "nothing waits and nothing is leased");
    leased_uris
}

async fn a_uri_offered_twice_is_leased_once(frontier: &dyn Frontier) {
    let first = frontier.offer(queue(&["http://a.example/1", "http://a.example/1"])).await.unwrap();
    let second = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();

    assert_eq!((first.queued, second.queued), (1, 0));
    assert_eq!(drain(frontier).await, ["http://a.example/1"]);
    let third = frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    assert_eq!(third.queued, 0, "a settled URI stays known");
}

async fn known_targets_are_sifted_out(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1"])).await.unwrap();
    let uri = |uri| Uri::parse(uri).unwrap();

    let is_new = frontier.sift(vec![uri("http://a.example/1"), uri("http://a.example/2")]).await.unwrap();

    assert_eq!(is_new, [false, true]);
}

async fn a_domain_is_visited_once_at_a_time(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://x.a.example/1", "http://y.a.example/2", "http://b.example/"])).await.unwrap();

    let leased = frontier.grant(START, 9).await;

    assert_eq!(targets(&leased), ["http://x.a.example/1", "http://b.example/"]);
    assert!(frontier.grant(seconds(9), 9).await.leases.is_empty());
    assert_eq!(
        frontier.census().await.unwrap(),
        Census { uris_known: 3, uris_waiting: 1, uris_in_flight: 2, domains: 2, revisits: 0 }
    );
}

async fn a_domain_is_not_leased_before_its_delay_ends(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2"])).await.unwrap();
    let lease = single_lease(frontier.grant(START, 9).await);
    frontier.settle_one(lease, done(seconds(5))).await;

    let early = frontier.grant(seconds(4), 9).await;

    assert!(early.leases.is_empty());
    assert_eq!(early.not_before, Some(seconds(5)));
    assert_eq!(targets(&frontier.grant(seconds(5), 9).await), ["http://a.example/2"]);
}

async fn dropped_uris_are_known_and_never_leased(frontier: &dyn Frontier) {
    let drop = Offer::Drop(entry("http://a.example/x.png", 0.0), DropReason::Extension);

    let offered = frontier.offer(vec![drop.clone(), drop]).await.unwrap();

    assert_eq!(offered, OfferSummary { dropped: vec![(DropReason::Extension, 1)], ..OfferSummary::default() });
    assert_eq!(drain(frontier).await, Vec::<String>::new());
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let record = frontier.uri_record(&Uri::parse("http://a.example/x.png").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::Extension)));
}

async fn a_dropped_uri_can_be_readmitted(frontier: &dyn Frontier) {
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

async fn entries_are_leased_by_priority_then_age(frontier: &dyn Frontier) {
    let offers = [("1", -1.0), ("2", 2.5), ("3", -1.0), ("4", 0.0)];
    let offers = offers.map(|(name, priority)| Offer::Queue(entry(&format!("http://a.example/{name}"), priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    assert_eq!(drain(frontier).await, ["2", "4", "1", "3"].map(|name| format!("http://a.example/{name}")));
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

async fn a_refresh_round_queues_settled_uris_first(frontier: &dyn Frontier) {
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

async fn first_visits_are_leased_while_all_revisits_wait(frontier: &dyn Frontier) {
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

async fn a_revisit_is_not_lost_when_its_domain_closes(frontier: &dyn Frontier) {
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

async fn a_postponed_lease_is_due_at_once(frontier: &dyn Frontier) {
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

async fn a_lease_is_settled_only_once(frontier: &dyn Frontier) {
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

async fn a_retry_waits_while_other_entries_are_leased(frontier: &dyn Frontier) {
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

async fn a_closed_domain_is_never_visited_again(frontier: &dyn Frontier) {
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

async fn the_record_of_a_uri_is_found(frontier: &dyn Frontier) {
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

async fn a_snapshot_of_settled_records_does_not_change(frontier: &dyn Frontier) {
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

async fn entries_can_be_rescored(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

    let leased_uris =
        drain_scored(frontier, false, |_, entry| f32::from(u8::from(entry.target.as_str().ends_with('3')))).await;

    assert_eq!(leased_uris, ["3", "1", "2"].map(|name| format!("http://a.example/{name}")));
}

/// The number at the end of a URI, negated if `is_reversed`.
pub(super) fn score_by_number(entry: &QueueEntry, is_reversed: bool) -> f32 {
    let number: f32 = entry.target.as_str().rsplit('/').next().unwrap().parse().unwrap();
    if is_reversed { -number } else { number }
}

async fn changed_scores_reorder_all_entries(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/0", "http://a.example/1", "http://a.example/2"])).await.unwrap();
    frontier.offer(queue(&["http://b.example/3"])).await.unwrap();

    // The order is reversed after each lease.
    let leased_uris = drain_scored(frontier, true, |leased, entry| score_by_number(entry, leased % 2 == 0)).await;

    assert_eq!(
        leased_uris,
        ["a.example/0", "b.example/3", "a.example/1", "a.example/2"].map(|uri| format!("http://{uri}"))
    );
}

/// A request that holds back entries with less than half of the best score.
pub(super) fn with_deferral(now: CrawlTime, max: usize) -> LeaseRequest {
    LeaseRequest { deferral_share: Some(0.5), ..LeaseRequest::new(now, max) }
}

async fn no_entry_waits_for_a_failing_domain(frontier: &dyn Frontier) {
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

async fn low_scores_are_held_back(frontier: &dyn Frontier) {
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

/// For any offers, in any order and with any scores, every URI is leased exactly once.
pub(super) async fn every_uri_is_leased_exactly_once(frontier: &dyn Frontier, script: &[(u8, u16, i8)]) {
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

async fn domains_take_turns_in_a_round_robin(frontier: &dyn Frontier) {
    let uris = ["http://a.example/1", "http://a.example/2", "http://b.example/1", "http://b.example/2"];
    frontier.offer(queue(&uris)).await.unwrap();

    let turns = drain(frontier).await;

    let expected = ["a.example/1", "b.example/1", "a.example/2", "b.example/2"];
    assert_eq!(turns, expected.map(|uri| format!("http://{uri}")));
}

async fn the_best_domain_is_leased_first(frontier: &dyn Frontier) {
    let offers = [("a.example/1", 1.0), ("b.example/1", 3.0), ("b.example/2", 2.0), ("a.example/2", 0.5)];
    let offers = offers.map(|(uri, priority)| Offer::Queue(entry(&format!("http://{uri}"), priority)));
    frontier.offer(offers.to_vec()).await.unwrap();

    let turns = drain(frontier).await;

    let expected = ["b.example/1", "b.example/2", "a.example/1", "a.example/2"];
    assert_eq!(turns, expected.map(|uri| format!("http://{uri}")));
}

async fn revisits_do_not_count_towards_the_domain_limit(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();
    drain(frontier).await;
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();

    requeue_all(frontier).await;

    let leased_uris = drain(frontier).await;
    assert!(leased_uris.iter().all(|uri| uri != "http://a.example/3"), "{leased_uris:?}");
    assert_eq!(leased_uris.len(), 2);
}

async fn a_domain_at_its_limit_is_closed(frontier: &dyn Frontier) {
    frontier.offer(queue(&["http://a.example/1", "http://a.example/2", "http://a.example/3"])).await.unwrap();

    assert_eq!(drain(frontier).await.len(), 2);
    frontier.commit(b"", StoreReceipt::issue()).await.unwrap();
    let record = frontier.uri_record(&Uri::parse("http://a.example/3").unwrap()).await.unwrap().unwrap();
    assert_eq!(record.outcome, Some(Outcome::Dropped(DropReason::DomainLimit)));
}

async fn a_document_with_lost_statements_is_requeued(frontier: &dyn Frontier) {
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

/// Offers, leases and settles as a script says. The scripts are the same in every run.
async fn uris_are_neither_lost_nor_duplicated(frontier: &dyn Frontier) {
    let script: Vec<(u8, u16, i8)> = (0..400_u64)
        .map(|step| {
            let bytes = xxhash_rust::xxh3::xxh3_64(&step.to_le_bytes()).to_le_bytes();
            (bytes[0], u16::from_le_bytes([bytes[1], bytes[2]]), bytes[3].cast_signed())
        })
        .collect();
    every_uri_is_leased_exactly_once(frontier, &script).await;
}

/// Checks one guarantee of a new, empty frontier. Called by [`frontier_contract!`](crate::frontier_contract).
///
/// # Panics
/// If the frontier does not have the guarantee.
pub async fn check(claim: &str, frontier: &dyn Frontier) {
    macro_rules! run {
        ($($name:ident)+) => {
            match claim {
                $(stringify!($name) => $name(frontier).await,)+
                unknown => panic!("no such claim: {unknown}"),
            }
        };
    }
    run!(
        a_uri_offered_twice_is_leased_once
        known_targets_are_sifted_out
        a_domain_is_visited_once_at_a_time
        a_domain_is_not_leased_before_its_delay_ends
        dropped_uris_are_known_and_never_leased
        a_dropped_uri_can_be_readmitted
        entries_are_leased_by_priority_then_age
        a_refresh_round_queues_settled_uris_first
        a_revisit_is_not_lost_when_its_domain_closes
        first_visits_are_leased_while_all_revisits_wait
        a_postponed_lease_is_due_at_once
        a_lease_is_settled_only_once
        a_retry_waits_while_other_entries_are_leased
        a_closed_domain_is_never_visited_again
        the_record_of_a_uri_is_found
        a_snapshot_of_settled_records_does_not_change
        a_document_with_lost_statements_is_requeued
        domains_take_turns_in_a_round_robin
        uris_are_neither_lost_nor_duplicated
        low_scores_are_held_back
        no_entry_waits_for_a_failing_domain
        entries_can_be_rescored
        changed_scores_reorder_all_entries
        the_best_domain_is_leased_first
        revisits_do_not_count_towards_the_domain_limit
        a_domain_at_its_limit_is_closed
    );
}

/// Tests that a frontier has the guarantees of all frontiers.
///
/// `$make` is a function from [`DomainOrder`](crate::frontier::DomainOrder) and the maximum number of documents per
/// domain (`Option<u32>`) to a new frontier, which is started with this order, and a guard that is dropped after it.
#[macro_export]
macro_rules! frontier_contract {
    ($name:ident, $make:path) => {
        mod $name {
            $crate::frontier_contract!(@claims $make, RoundRobin, None;
                a_uri_offered_twice_is_leased_once
                known_targets_are_sifted_out
                a_domain_is_visited_once_at_a_time
                a_domain_is_not_leased_before_its_delay_ends
                dropped_uris_are_known_and_never_leased
                a_dropped_uri_can_be_readmitted
                entries_are_leased_by_priority_then_age
                a_refresh_round_queues_settled_uris_first
                a_revisit_is_not_lost_when_its_domain_closes
                first_visits_are_leased_while_all_revisits_wait
                a_postponed_lease_is_due_at_once
                a_lease_is_settled_only_once
                a_retry_waits_while_other_entries_are_leased
                a_closed_domain_is_never_visited_again
                the_record_of_a_uri_is_found
                a_snapshot_of_settled_records_does_not_change
                a_document_with_lost_statements_is_requeued
                domains_take_turns_in_a_round_robin
                uris_are_neither_lost_nor_duplicated
            );
            $crate::frontier_contract!(@claims $make, BestFirst, None;
                low_scores_are_held_back
                no_entry_waits_for_a_failing_domain
                entries_can_be_rescored
                changed_scores_reorder_all_entries
                the_best_domain_is_leased_first
            );
            $crate::frontier_contract!(@claims $make, BestFirst, Some(2);
                revisits_do_not_count_towards_the_domain_limit
            );
            $crate::frontier_contract!(@claims $make, RoundRobin, Some(2); a_domain_at_its_limit_is_closed);
        }
    };
    (@claims $make:path, $order:ident, $limit:expr; $($claim:ident)+) => {
        $(
            #[tokio::test]
            async fn $claim() {
                let (frontier, _guard) = $make($crate::frontier::DomainOrder::$order, $limit);
                $crate::frontier::contract::check(stringify!($claim), &frontier).await;
            }
        )+
    };
}
