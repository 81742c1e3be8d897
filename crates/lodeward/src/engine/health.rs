//! Tracks crawl delays and consecutive failures of servers.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::EngineOptions;
use crate::model::{Pld, Uri};

/// Crawl delays of domains, and their consecutive failures. A domain without either only has an
/// entry for the origin that responded last.
pub(super) struct ServerHealth {
    delay: Duration,
    max_domains: usize,
    max_consecutive_failures: u32,
    crawl_delays: HashMap<Pld, Duration>,
    failures: HashMap<Pld, FailureRun>,
    /// For each domain, the origin that responded last.
    responding: HashMap<Pld, String>,
    /// Abandoned origins whose domains have other origins that respond.
    abandoned: HashSet<String>,
}

/// Consecutive failures of a domain.
#[derive(Default)]
struct FailureRun {
    failures: u32,
    /// The origin of all failures; `None` if they have several origins.
    origin: Option<String>,
}

impl ServerHealth {
    pub(super) fn new(settings: &EngineOptions) -> Self {
        Self {
            delay: settings.delay,
            max_domains: settings.max_cached_hosts,
            max_consecutive_failures: settings.max_consecutive_failures,
            crawl_delays: HashMap::new(),
            failures: HashMap::new(),
            responding: HashMap::new(),
            abandoned: HashSet::new(),
        }
    }

    /// The time between two requests to a domain: `max(configured delay, Crawl-delay)`.
    pub(super) fn delay(&self, pld: &Pld) -> Duration {
        self.crawl_delays.get(pld).map_or(self.delay, |requested| self.delay.max(*requested))
    }

    /// Records a `Crawl-delay`. The longest delay of a domain applies.
    pub(super) fn record_crawl_delay(&mut self, pld: &Pld, requested: Duration) {
        if requested > self.delay {
            if self.crawl_delays.len() >= self.max_domains {
                self.crawl_delays.clear();
            }
            let known = self.crawl_delays.entry(pld.clone()).or_default();
            *known = requested.max(*known);
        }
    }

    /// Records a response.
    pub(super) fn record_response(&mut self, uri: &Uri) {
        let pld = uri.pld();
        if !self.failures.is_empty() {
            self.failures.remove(&pld);
        }
        if self.responding.get(&pld).is_none_or(|origin| origin != uri.origin()) {
            if self.responding.len() >= self.max_domains {
                self.responding.clear();
            }
            self.responding.insert(pld, uri.origin().to_owned());
        }
    }

    /// Records a failure. Returns the number of consecutive failures.
    pub(super) fn record_failure(&mut self, uri: &Uri) -> u32 {
        if self.failures.len() >= self.max_domains {
            self.failures.clear();
        }
        let run = self.failures.entry(uri.pld()).or_default();
        run.origin = match run.origin.take() {
            None if run.failures == 0 => Some(uri.origin().to_owned()),
            same => same.filter(|origin| origin == uri.origin()),
        };
        run.failures += 1;
        run.failures
    }

    /// Whether a domain with this many consecutive failures is abandoned.
    pub(super) fn is_failure_limit_reached(&self, failures: u32) -> bool {
        failures >= self.max_consecutive_failures
    }

    /// Abandons the failed server if it caused all failures and another server of its domain has
    /// responded: an endpoint may share a domain with a dead web server. Otherwise returns `false`,
    /// and the caller must abandon the domain.
    pub(super) fn abandon(&mut self, uri: &Uri) -> bool {
        let pld = uri.pld();
        let is_alone = self.failures.get(&pld).is_some_and(|run| run.origin.as_deref() == Some(uri.origin()));
        let other_responds = self.responding.get(&pld).is_some_and(|origin| origin != uri.origin());
        if is_alone && other_responds {
            if self.abandoned.len() >= self.max_domains {
                self.abandoned.clear();
            }
            self.abandoned.insert(uri.origin().to_owned());
            self.failures.remove(&pld);
        }
        is_alone && other_responds
    }

    /// Whether a server, but not its domain, is abandoned.
    pub(super) fn is_abandoned(&self, uri: &Uri) -> bool {
        !self.abandoned.is_empty() && self.abandoned.contains(uri.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn servers() -> ServerHealth {
        ServerHealth::new(&EngineOptions { max_consecutive_failures: 3, ..EngineOptions::default() })
    }

    fn fail(servers: &mut ServerHealth, uris: &[&str]) -> u32 {
        uris.iter().map(|text| servers.record_failure(&uri(text))).last().unwrap()
    }

    #[test]
    fn a_dead_server_does_not_close_a_domain_with_a_live_one() {
        let mut servers = servers();
        servers.record_response(&uri("http://a.example:8890/sparql"));

        let failures = fail(&mut servers, &["http://a.example/1", "http://a.example/2", "http://a.example/3"]);

        assert!(servers.is_failure_limit_reached(failures));
        assert!(servers.abandon(&uri("http://a.example/3")));
        assert!(servers.is_abandoned(&uri("http://a.example/4")));
        assert!(!servers.is_abandoned(&uri("http://a.example:8890/sparql")));
        assert_eq!(servers.record_failure(&uri("http://a.example:8890/sparql")), 1, "a new run");
    }

    #[test]
    fn a_domain_without_a_live_server_is_abandoned() {
        let check = |responded: Option<&str>, failed: [&str; 3]| {
            let mut servers = servers();
            if let Some(responded) = responded {
                servers.record_response(&uri(responded));
            }
            fail(&mut servers, &failed);
            assert!(!servers.abandon(&uri(failed[2])), "{responded:?} {failed:?}");
        };
        let one = ["http://a.example/1", "http://a.example/2", "http://a.example/3"];

        check(None, one);
        check(Some("http://a.example/0"), one);
        check(Some("http://c.a.example/0"), ["http://a.example/1", "http://b.a.example/", "http://a.example/3"]);
    }

    #[test]
    fn a_response_resets_the_failure_count() {
        let mut servers = servers();

        fail(&mut servers, &["http://a.example/1", "http://a.example/2"]);
        servers.record_response(&uri("http://b.a.example/"));

        assert_eq!(servers.record_failure(&uri("http://a.example/3")), 1);
    }
}
