//! Decides about failed requests: retry, delay the domain, or abandon it.

use std::time::Duration;

use rand::Rng;

use super::CrawlError;
use super::conductor::Conductor;
use super::hosts::WaitReason;
use crate::fetch::retry::{self, RetryDecision};
use crate::frontier::{Lease, SettlementKind};
use crate::model::{CrawlTime, DropReason, FaultKind, FetchFailure, Uri};
use crate::select::{RequestEnd, RequestResult};

/// Maximum number of attempts for a document whose server reports overload. The document itself may
/// cause the overload.
const MAX_BUSY_ATTEMPTS: u8 = 3;

impl Conductor {
    pub(super) async fn handle_failure(
        &mut self,
        mut lease: Lease,
        weight: f32,
        failure: FetchFailure,
        now: CrawlTime,
        delayed_until: CrawlTime,
    ) -> Result<(), CrawlError> {
        let uri = lease.entry.target.clone();
        if failure.status.is_none() {
            // The IP address of the host may have changed.
            self.hosts.forget_address(&uri);
        }
        let failures = self.count_failure(&lease, &failure);
        tracing::debug!(uri = %lease.entry.target, attempt = lease.attempt, fault = %failure.fault, "request failed");
        let regular_delay_end = delayed_until;
        let (retry, delayed_until) = self.plan_retry(&lease, &failure, failures, now, delayed_until);
        let requested = requested_wait(&failure);
        let max_wait = self.crawl.options.max_retry_after;
        // A server may request a longer wait than `max_retry_after` once: it is delayed by the maximum.
        let is_excessive =
            requested.is_some_and(|requested| requested > max_wait) && self.hosts.record_excessive_wait(&uri);
        let kind = match retry.filter(|_| !is_excessive) {
            Some(due) => SettlementKind::Retry(due),
            None => {
                self.tally.count_fault(failure.fault.kind);
                match lease.entry.step.clone() {
                    Some(step) => self.handle_failed_step(&lease, &step, &failure).await?,
                    None if lease.entry.revisit.is_some() => {}
                    None => {
                        self.crawl.strategy.learn(&RequestResult { lease: &lease, weight, end: RequestEnd::Failure });
                    }
                }
                SettlementKind::Settled(self.failure_outcome(&mut lease, &failure).await?)
            }
        };
        self.settle(lease, kind, delayed_until);
        if delayed_until > regular_delay_end {
            let reason = if requested.is_some() { WaitReason::RetryAfter } else { WaitReason::Backoff };
            self.hosts.record_wait(&uri, delayed_until, reason);
        }
        if is_excessive || self.hosts.is_failure_limit_reached(failures) {
            self.abandon(&uri, failures).await?;
        }
        Ok(())
    }

    /// Counts consecutive failures of a server. Every response resets the count, except overload
    /// (429, 503) and server errors.
    fn count_failure(&mut self, lease: &Lease, failure: &FetchFailure) -> u32 {
        let uri = &lease.entry.target;
        // If a service fails on a query, a simpler query is sent, so the failure is not counted.
        if lease.entry.step.is_some() && !failure.fault.kind.is_server_fault() {
            return 0;
        }
        let is_rejection = failure.status.is_some_and(|status| status < 500);
        if is_rejection && failure.fault.kind != FaultKind::Overloaded {
            self.hosts.record_response(uri);
            return 0;
        }
        self.hosts.record_failure(uri)
    }

    /// When to retry, if at all, and until when the domain is delayed.
    fn plan_retry(
        &mut self,
        lease: &Lease,
        failure: &FetchFailure,
        failures: u32,
        now: CrawlTime,
        delayed_until: CrawlTime,
    ) -> (Option<CrawlTime>, CrawlTime) {
        let max_wait = self.crawl.options.max_retry_after;
        // The delay of an overloaded server grows with its consecutive failures, over all its
        // documents. For other failures the delay grows with the attempts of the document.
        let attempt = match failure.fault.kind {
            FaultKind::Overloaded => u8::try_from(failures.saturating_sub(1)).unwrap_or(u8::MAX),
            _ => lease.attempt,
        };
        // A replay would return the same response again.
        if self.crawl.options.in_order {
            return (None, delayed_until);
        }
        let requested_end = requested_wait(failure).map_or(CrawlTime::ZERO, |wait| now + wait.min(max_wait));
        let delayed_until = delayed_until.max(requested_end);
        match retry::decide(failure, attempt) {
            RetryDecision::GiveUp => (None, delayed_until),
            RetryDecision::Document { wait } => {
                (Some((now + self.jitter(wait.min(max_wait))).max(requested_end)), delayed_until)
            }
            RetryDecision::Server { wait } => {
                let due = now + self.jitter(wait.min(max_wait));
                ((lease.attempt < MAX_BUSY_ATTEMPTS).then_some(due), delayed_until.max(due))
            }
        }
    }

    /// Abandons a server, and its domain unless another server of the domain has responded: an
    /// endpoint may share a domain with a dead web server.
    async fn abandon(&mut self, uri: &Uri, failures: u32) -> Result<(), CrawlError> {
        let pld = uri.pld();
        if self.hosts.abandon(uri) {
            tracing::warn!(server = uri.origin(), failures, "server abandoned");
            return Ok(());
        }
        let dropped = self.frontier().await?.close(&pld, DropReason::Unreachable).await?;
        tracing::warn!(%pld, failures, dropped, "domain abandoned");
        self.tally.count_drops(DropReason::Unreachable, dropped);
        Ok(())
    }

    /// Adds jitter, so that failed requests are not retried at the same time. Never shortens
    /// the wait.
    pub(super) fn jitter(&mut self, wait: Duration) -> Duration {
        wait.mul_f64(self.rng.random_range(1.0..1.5))
    }
}

/// The `Retry-After` of a failure, if its status gives the field a meaning (RFC 9110 §10.2.3, RFC 6585 §4).
fn requested_wait(failure: &FetchFailure) -> Option<Duration> {
    let is_defined = failure.status.is_some_and(|status| matches!(status, 413 | 429 | 500..=599));
    failure.retry_after_s.filter(|_| is_defined).map(Duration::from_secs)
}
