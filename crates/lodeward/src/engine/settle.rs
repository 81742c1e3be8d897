//! Ends leases.

use super::CrawlError;
use super::conductor::Conductor;
use super::hosts::WaitReason;
use crate::frontier::{Lease, Settlement, SettlementKind};
use crate::model::{CrawlTime, DropReason};

impl Conductor {
    /// Ends a lease. Its domain is delayed until this time; if no request was sent, the time is zero.
    pub(super) async fn settle(
        &mut self,
        mut lease: Lease,
        kind: SettlementKind,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        self.commits.record_change();
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
        let settled = vec![(lease, Settlement { kind, delayed_until, responds })];
        let dropped = self.crawl.frontier.settle(settled).await?.dropped;
        self.tally.count_drops(DropReason::DomainLimit, dropped);
        Ok(())
    }

    /// Settles a URI that is not requested.
    pub(super) async fn drop_lease(&mut self, mut lease: Lease, reason: DropReason) -> Result<(), CrawlError> {
        let outcome = self.skipped_outcome(&mut lease, reason);
        self.settle(lease, SettlementKind::Settled(outcome), CrawlTime::ZERO).await
    }

    /// Returns a lease whose URI waits until this time.
    pub(super) async fn postpone(
        &mut self,
        lease: Lease,
        time: CrawlTime,
        reason: WaitReason,
    ) -> Result<(), CrawlError> {
        let uri = lease.entry.target.clone();
        self.settle(lease, SettlementKind::Postponed(None), time).await?;
        self.hosts.record_wait(&uri, time, reason);
        Ok(())
    }
}
