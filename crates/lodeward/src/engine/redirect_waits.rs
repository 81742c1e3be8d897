//! Waits that servers request for the targets of their redirects.
//!
//! A `Retry-After` of a redirect is the minimum time before the redirected request (RFC 9110 §10.2.3). The redirecting
//! domain is delayed, too. If the target is on another domain, only the target waits: that domain has requested nothing.

use std::collections::HashMap;
use std::time::Duration;

use super::conductor::Conductor;
use crate::model::{CrawlTime, Uri};

/// The targets that wait, each with the end of its wait. Bounded.
#[derive(Default)]
pub(super) struct RedirectWaits(HashMap<Uri, CrawlTime>);

impl RedirectWaits {
    const CAPACITY: usize = 10_000;

    fn record(&mut self, target: Uri, until: CrawlTime, now: CrawlTime) {
        if self.0.len() >= Self::CAPACITY {
            self.0.retain(|_, until| *until > now);
        }
        if self.0.len() < Self::CAPACITY {
            self.0.insert(target, until);
        }
    }

    /// Ends the wait of a target. Returns its end if it is later than now.
    pub(super) fn take(&mut self, target: &Uri, now: CrawlTime) -> Option<CrawlTime> {
        if self.0.is_empty() {
            return None;
        }
        self.0.remove(target).filter(|until| *until > now)
    }
}

impl Conductor {
    /// Delays the target of a redirect by its `Retry-After`, at most by the longest wait. Returns until when the
    /// redirecting domain is delayed.
    pub(super) fn delay_redirect(
        &mut self,
        target: Option<&Uri>,
        retry_after_s: Option<u64>,
        now: CrawlTime,
        delayed_until: CrawlTime,
    ) -> CrawlTime {
        let options = &self.crawl.options;
        let Some(seconds) = retry_after_s.filter(|seconds| *seconds > 0 && !options.in_order) else {
            return delayed_until;
        };
        let until = now + Duration::from_secs(seconds).min(options.max_retry_after);
        if let Some(target) = target {
            self.hosts.redirect_waits.record(target.clone(), until, now);
        }
        delayed_until.max(until)
    }
}
