//! Records why domains are delayed, for status queries while a crawl runs.
//!
//! The frontier stores until when a domain is delayed, but not why. The reason is recorded here when a
//! lease is settled, where other threads can read it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::{Pld, Uri};

/// Maximum number of waits recorded.
const MAX_WAITS: usize = 20_000;

/// Minimum duration of a recorded wait, in milliseconds. Shorter waits are frequent and of no
/// interest.
const MIN_RECORDED_MS: u64 = 500;

/// Why a URI waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum WaitReason {
    /// The delay between two requests to the domain.
    Delay,
    /// The crawl delay that its robots.txt requests.
    CrawlDelay,
    /// Its IP address or domain is in use by another domain or crawl.
    Shared,
    /// Its server sent `Retry-After`.
    RetryAfter,
    /// Its server is overloaded or failing.
    Backoff,
    /// The last request failed and will be retried.
    Retry,
    /// Its robots.txt is unreachable and will be requested again.
    Robots,
}

impl WaitReason {
    /// A short name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Delay => "delay",
            Self::CrawlDelay => "crawl-delay",
            Self::Shared => "shared",
            Self::RetryAfter => "retry-after",
            Self::Backoff => "back-off",
            Self::Retry => "retry",
            Self::Robots => "robots",
        }
    }

    /// A description for users.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Delay => "delay between two requests to its domain (politeness.delay)",
            Self::CrawlDelay => "delay between two requests to its domain, set by its robots.txt (Crawl-delay)",
            Self::Shared => "its server is in use by another domain or crawl",
            Self::RetryAfter => "delay requested by its server (Retry-After)",
            Self::Backoff => "delay after its server was overloaded or failed",
            Self::Retry => "retry after a failed request",
            Self::Robots => "its robots.txt is unreachable and will be requested again",
        }
    }
}

/// A wait and its reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UriWait {
    /// End of the wait, in milliseconds since the Unix epoch.
    pub until_ms: u64,
    /// The reason.
    pub reason: WaitReason,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum WaitSubject {
    Domain(Pld),
    Document(u128),
}

/// The waits of a crawl.
#[derive(Debug, Default)]
pub struct WaitReasons(Mutex<HashMap<WaitSubject, UriWait>>);

impl WaitReasons {
    fn lock(&self) -> MutexGuard<'_, HashMap<WaitSubject, UriWait>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when a URI waits for its server, and why; `None` if it only waits for its turn.
    #[must_use]
    pub fn find(&self, uri: &Uri, now_ms: u64) -> Option<UriWait> {
        let waits = self.lock();
        let subjects = [WaitSubject::Document(uri.fingerprint()), WaitSubject::Domain(uri.pld())];
        let found = subjects.iter().filter_map(|subject| waits.get(subject).copied());
        found.filter(|wait| wait.until_ms > now_ms).max_by_key(|wait| wait.until_ms)
    }

    /// Until when a domain waits, and why; `None` if it does not wait.
    #[must_use]
    pub fn of_domain(&self, pld: &Pld, now_ms: u64) -> Option<UriWait> {
        let wait = self.lock().get(&WaitSubject::Domain(pld.clone())).copied();
        wait.filter(|wait| wait.until_ms > now_ms)
    }

    /// The number of domains that wait.
    #[must_use]
    pub fn delayed_domains(&self, now_ms: u64) -> usize {
        let waits = self.lock();
        let is_delayed = |(subject, wait): &(&WaitSubject, &UriWait)| {
            matches!(subject, WaitSubject::Domain(_)) && wait.until_ms > now_ms
        };
        waits.iter().filter(is_delayed).count()
    }

    /// Records that the domain of a URI is delayed.
    pub(super) fn record_domain(&self, uri: &Uri, wait: UriWait, now_ms: u64) {
        self.record(|| WaitSubject::Domain(uri.pld()), wait, now_ms);
    }

    /// Records that a URI waits for a retry.
    pub(super) fn record_document(&self, uri: &Uri, wait: UriWait, now_ms: u64) {
        self.record(|| WaitSubject::Document(uri.fingerprint()), wait, now_ms);
    }

    fn record(&self, subject: impl FnOnce() -> WaitSubject, wait: UriWait, now_ms: u64) {
        if wait.until_ms < now_ms.saturating_add(MIN_RECORDED_MS) {
            return;
        }
        let mut waits = self.lock();
        if waits.len() >= MAX_WAITS {
            waits.retain(|_, wait| wait.until_ms > now_ms);
        }
        if waits.len() >= MAX_WAITS {
            waits.clear();
        }
        waits.insert(subject(), wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_that_ends_last_is_reported() {
        let waits = WaitReasons::default();
        let uri = |text: &str| Uri::parse(text).unwrap();
        let (one, other) = (uri("http://a.example/1"), uri("http://www.a.example/2"));
        let delay = UriWait { until_ms: 2_000, reason: WaitReason::Delay };
        let failed = UriWait { until_ms: 9_000, reason: WaitReason::Retry };

        waits.record_domain(&one, delay, 1_000);
        waits.record_document(&one, failed, 1_000);
        waits.record_domain(&uri("http://b.example/"), UriWait { until_ms: 1_400, reason: WaitReason::Delay }, 1_000);

        assert_eq!((waits.find(&one, 1_000), waits.find(&other, 1_000)), (Some(failed), Some(delay)));
        assert_eq!((waits.find(&one, 9_000), waits.find(&other, 2_000)), (None, None));
        assert_eq!(waits.find(&uri("http://b.example/"), 1_000), None, "too short to be recorded");
    }

    #[test]
    fn the_number_of_waits_is_bounded() {
        let waits = WaitReasons::default();
        for number in 0..50_000_u64 {
            let uri = Uri::parse(&format!("http://a.example/{number}")).unwrap();
            waits.record_document(&uri, UriWait { until_ms: number + 1_000, reason: WaitReason::Retry }, number);
        }

        assert!(waits.lock().len() <= MAX_WAITS);
    }
}
