//! The state of one domain and its servers.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use super::robots::RobotsState;
use crate::model::CrawlTime;

/// A domain. Its servers share the delay and are abandoned together, unless only one of them fails.
#[derive(Default)]
pub(super) struct Host {
    /// The longest crawl delay that its servers request.
    pub(super) crawl_delay: Duration,
    /// Whether it has requested a longer wait than allowed since its last response.
    pub(super) is_wait_excessive: bool,
    /// Consecutive failures.
    failures: u32,
    /// The origin of all consecutive failures; `None` if they have several origins.
    failing: Option<String>,
    /// The origin that responded last.
    responding: Option<String>,
    /// Its servers, by origin.
    pub(super) origins: HashMap<String, Origin>,
    /// IP addresses by host name; `None` if the name cannot be resolved.
    pub(super) addresses: HashMap<String, Option<IpAddr>>,
}

/// A server: scheme, host name and port.
#[derive(Default)]
pub(super) struct Origin {
    pub(super) robots: Option<RobotsState>,
    /// Whether the server, but not its domain, is abandoned.
    pub(super) is_abandoned: bool,
}

impl Origin {
    /// Whether the state is still in effect.
    pub(super) fn is_current(&self, now: CrawlTime) -> bool {
        self.is_abandoned || self.robots.as_ref().is_some_and(|robots| robots.is_valid(now))
    }
}

impl Host {
    pub(super) fn record_response(&mut self, origin: &str) {
        (self.failures, self.failing, self.is_wait_excessive) = (0, None, false);
        if self.responding.as_deref() != Some(origin) {
            self.responding = Some(origin.to_owned());
        }
    }

    /// Records a failure. Returns the number of consecutive failures.
    pub(super) fn record_failure(&mut self, origin: &str) -> u32 {
        self.failing = match self.failing.take() {
            None if self.failures == 0 => Some(origin.to_owned()),
            same => same.filter(|failing| failing == origin),
        };
        self.failures += 1;
        self.failures
    }

    /// Ends the run of failures if this server caused all of them and another server has responded. Returns whether it
    /// did.
    pub(super) fn end_run_of_one_server(&mut self, origin: &str) -> bool {
        let is_alone = self.failing.as_deref() == Some(origin);
        let other_responds = self.responding.as_deref().is_some_and(|responding| responding != origin);
        if is_alone && other_responds {
            (self.failures, self.failing) = (0, None);
        }
        is_alone && other_responds
    }

    /// Whether a server of the domain has ever responded.
    pub(super) fn has_responded(&self) -> bool {
        self.responding.is_some()
    }

    /// Whether the last request failed.
    pub(super) fn is_failing(&self) -> bool {
        self.failures > 0
    }

    /// Whether nothing is lost if the host is forgotten.
    pub(super) fn is_blank(&self) -> bool {
        self.origins.is_empty() && self.failures == 0 && self.crawl_delay.is_zero()
    }

    /// Number of entries that count towards the maximum.
    pub(super) fn entries(&self) -> usize {
        1 + self.origins.len() + self.addresses.len()
    }
}
