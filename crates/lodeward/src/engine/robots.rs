//! Handles responses to requests for robots.txt.

use std::time::Duration;

use super::CrawlError;
use super::conductor::Conductor;
use super::hosts::robots_txt_uri;
use crate::fetch::retry;
use crate::fetch::robots::RobotsResponse;
use crate::frontier::{Lease, RobotsCopy, SettlementKind};
use crate::model::{CrawlTime, FaultKind, FetchFailure, Uri};

/// The first delay before an unreachable robots.txt is requested again.
const ROBOTS_RETRY_DELAY: Duration = Duration::from_secs(10);

impl Conductor {
    /// Handles the response to a request for robots.txt. The URI that needs it waits again, or fails.
    pub(super) async fn handle_robots(
        &mut self,
        mut lease: Lease,
        response: RobotsResponse,
        now: CrawlTime,
        sent: bool,
    ) -> Result<(), CrawlError> {
        let uri = lease.entry.target.clone();
        let mut requested_end = CrawlTime::ZERO;
        match response {
            RobotsResponse::Rules(rules, text) => {
                let copy = RobotsCopy { uri: robots_txt_uri(&uri), fetched_at_ms: self.epoch_ms(), text };
                self.frontier().await?.store_robots(copy).await?;
                self.offer_sitemaps(&uri, &rules).await?;
                if let Some(crawl_delay) = self.hosts.record_robots(&uri, rules, now) {
                    self.frontier().await?.set_crawl_delay(&uri.pld(), crawl_delay).await?;
                }
            }
            RobotsResponse::Redirect { target, retry_after_s } => {
                requested_end = self.delay_redirect(None, retry_after_s, now, CrawlTime::ZERO);
                self.hosts.record_robots_redirect(&uri, target, now);
            }
            RobotsResponse::Unreachable(failure) => {
                self.hosts.forget_address(&uri);
                if self.record_robots_failure(&uri, &failure, now) {
                    let delayed_until = if sent { now + self.hosts.delay(&uri) } else { CrawlTime::ZERO };
                    // The status code is that of robots.txt and must not mark the document as
                    // deleted.
                    let failure = FetchFailure { status: None, ..failure };
                    let outcome = self.failure_outcome(&mut lease, &failure).await?;
                    self.settle(lease, SettlementKind::Settled(outcome), delayed_until);
                    return Ok(());
                }
            }
        }
        // A crawl delay in this robots.txt applies from this response on.
        let delayed_until = if sent { now + self.hosts.delay(&uri) } else { CrawlTime::ZERO };
        self.settle(lease, SettlementKind::Postponed(None), delayed_until.max(requested_end));
        Ok(())
    }

    /// Records that a robots.txt cannot be fetched. Returns whether this was the last attempt: then
    /// the leased URI fails, and other URIs of the host will be dropped.
    fn record_robots_failure(&mut self, uri: &Uri, failure: &FetchFailure, now: CrawlTime) -> bool {
        let requested = Duration::from_secs(failure.retry_after_s.unwrap_or(0));
        let max_wait = self.crawl.options.max_retry_after;
        let is_excessive = requested > max_wait && self.hosts.record_excessive_wait(uri);
        let is_final = self.crawl.options.in_order || is_excessive || retry::is_permanent(failure.fault.kind);
        let wait = self.jitter(requested.max(ROBOTS_RETRY_DELAY).min(max_wait));
        let was_last = self.hosts.record_robots_failure(uri, now, wait, is_final);
        if was_last {
            tracing::warn!(host = uri.host(), fault = %failure.fault, "robots.txt unreachable, host closed");
            self.tally.count_fault(if is_final { failure.fault.kind } else { FaultKind::RobotsUnreachable });
        }
        was_last
    }
}
