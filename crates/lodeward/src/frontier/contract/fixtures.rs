//! Entries, settlements and short calls for the guarantees.

use std::time::Duration;

use crate::frontier::{
    Census, FeatureVector, Frontier, Lease, LeaseBatch, LeaseRequest, Offer, QueueEntry, ScoreBatch, Settlement,
    SettlementKind, lease_scored,
};
use crate::model::outcome::DocumentSummary;
use crate::model::{CrawlTime, FoundBy, Outcome, StoreReceipt, Uri};

pub(in crate::frontier) const START: CrawlTime = CrawlTime::ZERO;

pub(in crate::frontier) fn entry(uri: &str, priority: f32) -> QueueEntry {
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

pub(in crate::frontier) fn queue(uris: &[&str]) -> Vec<Offer> {
    uris.iter().map(|uri| Offer::Queue(entry(uri, 0.0))).collect()
}

pub(in crate::frontier) fn seconds(seconds: u64) -> CrawlTime {
    Duration::from_secs(seconds)
}

pub(in crate::frontier) fn done(delayed_until: CrawlTime) -> Settlement {
    Settlement::new(SettlementKind::Settled(Outcome::Document(DocumentSummary::default())), delayed_until)
}

pub(in crate::frontier) fn targets(leased: &LeaseBatch) -> Vec<&str> {
    leased.leases.iter().map(|lease| lease.entry.target.as_str()).collect()
}

pub(in crate::frontier) fn single_lease(leased: LeaseBatch) -> Lease {
    assert_eq!(leased.leases.len(), 1, "one URI is leased");
    leased.leases.into_iter().next().unwrap()
}

/// Calls with one lease, and with the priorities of the queue.
pub(in crate::frontier) trait FrontierCalls: Frontier {
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

pub(in crate::frontier) fn keep_priority(entry: &QueueEntry) -> f32 {
    entry.priority
}

/// Settles all URIs, and returns them in the order of their leases.
pub(in crate::frontier) async fn drain(frontier: &dyn Frontier) -> Vec<String> {
    drain_scored(frontier, false, |_, entry| entry.priority).await
}

/// Settles all URIs. The score depends on the number of URIs leased before.
pub(in crate::frontier) async fn drain_scored(
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

/// The number at the end of a URI, negated if `is_reversed`.
pub(in crate::frontier) fn score_by_number(entry: &QueueEntry, is_reversed: bool) -> f32 {
    let number: f32 = entry.target.as_str().rsplit('/').next().unwrap().parse().unwrap();
    if is_reversed { -number } else { number }
}

/// A request that holds back entries with less than half of the best score.
pub(in crate::frontier) fn with_deferral(now: CrawlTime, max: usize) -> LeaseRequest {
    LeaseRequest { deferral_share: Some(0.5), ..LeaseRequest::new(now, max) }
}
