//! Why domains rest, for whoever asks while a crawl runs.
//!
//! The frontier knows until when a domain rests, and not why. The conductor knows when
//! it settles a visit, and notes it here, where others can look without asking it.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model::{Pld, Uri};

/// How many rests are remembered.
const RESTS_MAX: usize = 20_000;

/// Who rests for less is not asked about: most crawls rest often, and for less.
const NOTED_MIN_MS: u64 = 500;

/// Why somebody has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Why {
    /// The domain rests between two requests.
    Delay,
    /// The same, for as long as its robots.txt asks for.
    CrawlDelay,
    /// Its server is being visited, or rests, because of another domain at its address
    /// or of another crawl.
    Shared,
    /// Its server has asked to be left alone.
    RetryAfter,
    /// Its server is busy or broken, and is left alone for a while.
    BackOff,
    /// The last visit has failed, and is tried again after a while.
    Failed,
    /// The robots.txt of its host cannot be had, and is asked for again after a while.
    Robots,
}

impl Why {
    /// The same, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Delay => "its domain rests between two requests (politeness.delay_ms)",
            Self::CrawlDelay => {
                "its domain rests between two requests, as long as its robots.txt asks for (Crawl-delay)"
            }
            Self::Shared => "its server is shared with other domains or crawls, and is asked one thing at a time",
            Self::RetryAfter => "its server has asked to be left alone (Retry-After)",
            Self::BackOff => "its server is busy or broken, and is left alone for a while",
            Self::Failed => "the last visit to it has failed, and is tried again after a while",
            Self::Robots => "the robots.txt of its host cannot be had, and is asked for again after a while",
        }
    }
}

/// That somebody has to wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rest {
    /// Until when, in milliseconds since the Unix epoch.
    pub until_ms: u64,
    /// Why.
    pub why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Who {
    Domain(Pld),
    Document(u128),
}

/// The rests of a crawl.
#[derive(Debug, Default)]
pub struct Rests(Mutex<HashMap<Who, Rest>>);

impl Rests {
    fn inside(&self) -> MutexGuard<'_, HashMap<Who, Rest>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Until when a URI waits for its server, and why; `None` if it only waits for
    /// others who are before it.
    #[must_use]
    pub fn of(&self, uri: &Uri, now_ms: u64) -> Option<Rest> {
        let rests = self.inside();
        let whose = [Who::Document(uri.fingerprint()), Who::Domain(uri.pld())];
        let found = whose.iter().filter_map(|who| rests.get(who).copied());
        found.filter(|rest| rest.until_ms > now_ms).max_by_key(|rest| rest.until_ms)
    }

    /// Notes that the domain of a URI rests.
    pub(super) fn note_domain(&self, uri: &Uri, rest: Rest, now_ms: u64) {
        self.note(|| Who::Domain(uri.pld()), rest, now_ms);
    }

    /// Notes that a URI is tried again.
    pub(super) fn note_document(&self, uri: &Uri, rest: Rest, now_ms: u64) {
        self.note(|| Who::Document(uri.fingerprint()), rest, now_ms);
    }

    fn note(&self, who: impl FnOnce() -> Who, rest: Rest, now_ms: u64) {
        if rest.until_ms < now_ms.saturating_add(NOTED_MIN_MS) {
            return;
        }
        let mut rests = self.inside();
        if rests.len() >= RESTS_MAX {
            rests.retain(|_, rest| rest.until_ms > now_ms);
        }
        if rests.len() >= RESTS_MAX {
            rests.clear();
        }
        rests.insert(who(), rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uri_waits_for_whatever_ends_last_and_no_longer() {
        let rests = Rests::default();
        let uri = |text: &str| Uri::parse(text).unwrap();
        let (one, other) = (uri("http://a.example/1"), uri("http://www.a.example/2"));
        let delay = Rest { until_ms: 2_000, why: Why::Delay };
        let failed = Rest { until_ms: 9_000, why: Why::Failed };

        rests.note_domain(&one, delay, 1_000);
        rests.note_document(&one, failed, 1_000);
        rests.note_domain(&uri("http://b.example/"), Rest { until_ms: 1_400, why: Why::Delay }, 1_000);

        assert_eq!((rests.of(&one, 1_000), rests.of(&other, 1_000)), (Some(failed), Some(delay)));
        assert_eq!((rests.of(&one, 9_000), rests.of(&other, 2_000)), (None, None));
        assert_eq!(rests.of(&uri("http://b.example/"), 1_000), None, "too short to be noted");
    }

    #[test]
    fn rests_are_bounded_in_number() {
        let rests = Rests::default();
        for number in 0..50_000_u64 {
            let uri = Uri::parse(&format!("http://a.example/{number}")).unwrap();
            rests.note_document(&uri, Rest { until_ms: number + 1_000, why: Why::Failed }, number);
        }

        assert!(rests.inside().len() <= RESTS_MAX);
    }
}
