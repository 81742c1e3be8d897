//! Ends leases. Settlements are collected, and sent to the frontier in one batch before its next call.

use super::CrawlError;
use super::conductor::Conductor;
use super::hosts::WaitReason;
use crate::frontier::{Frontier, Lease, Settlement, SettlementKind};
use crate::model::{CrawlTime, DropReason};

impl Conductor {
    /// Ends a lease. Its domain is delayed until this time; if no request was sent, the time is zero.
    pub(super) fn settle(&mut self, mut lease: Lease, kind: SettlementKind, delayed_until: CrawlTime) {
        let uri = &lease.entry.target;
        self.hosts.leave_domain(uri, delayed_until);
        match &kind {
            SettlementKind::Settled(outcome) => {
                self.hops.count(&lease, outcome);
                self.record_first_visit(&mut lease, outcome);
            }
            SettlementKind::Retry(due) => self.hosts.record_retry(uri, *due),
            SettlementKind::Postponed(_) => {}
        }
        let responds = self.hosts.responds(&lease.entry.target);
        self.commits.record_settlement(lease, Settlement { kind, delayed_until, responds });
    }

    /// The frontier, after it has received all settlements so far. Other calls may depend on them, so a running crawl
    /// reaches the frontier only through this function.
    pub(super) async fn frontier(&mut self) -> Result<&dyn Frontier, CrawlError> {
        let settled = self.commits.take_settlements();
        if !settled.is_empty() {
            let dropped = self.crawl.frontier.settle(settled).await?.dropped;
            self.tally.count_drops(DropReason::DomainLimit, dropped);
        }
        Ok(&*self.crawl.frontier)
    }

    /// Settles a URI that is not requested.
    pub(super) fn drop_lease(&mut self, mut lease: Lease, reason: DropReason) {
        let outcome = self.skipped_outcome(&mut lease, reason);
        self.settle(lease, SettlementKind::Settled(outcome), CrawlTime::ZERO);
    }

    /// Returns a lease whose URI waits until this time.
    pub(super) fn postpone(&mut self, lease: Lease, time: CrawlTime, reason: WaitReason) {
        let uri = lease.entry.target.clone();
        self.settle(lease, SettlementKind::Postponed(None), time);
        self.hosts.record_wait(&uri, time, reason);
    }
}
