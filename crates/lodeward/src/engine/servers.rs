//! How servers have been treating us, and how long domains are left alone.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::Settings;
use crate::model::{Pld, Uri};

/// Delays asked for by robots.txt, and failures in a row. Domains that ask for
/// nothing and answer leave no entry but who has answered there.
pub(super) struct Servers {
    delay: Duration,
    domains_max: usize,
    give_up_after: u32,
    crawl_delays: HashMap<Pld, Duration>,
    failures: HashMap<Pld, Row>,
    /// The origin that answered last, of each domain.
    answering: HashMap<Pld, String>,
    /// Origins that were given up, though others of their domains answer.
    given_up: HashSet<String>,
}

/// Failures of a domain, one after the other.
#[derive(Default)]
struct Row {
    failures: u32,
    /// The origin that all of them are of.
    origin: Option<String>,
}

impl Servers {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            delay: settings.delay,
            domains_max: settings.hosts_remembered_max,
            give_up_after: settings.give_up_after,
            crawl_delays: HashMap::new(),
            failures: HashMap::new(),
            answering: HashMap::new(),
            given_up: HashSet::new(),
        }
    }

    /// The time between two requests to a domain: `max(own floor, Crawl-delay)`.
    pub(super) fn delay(&self, pld: &Pld) -> Duration {
        self.crawl_delays.get(pld).map_or(self.delay, |asked| self.delay.max(*asked))
    }

    /// Notes a `Crawl-delay`. Of several hosts in a domain the slowest counts.
    pub(super) fn slow_down(&mut self, pld: &Pld, asked: Duration) {
        if asked > self.delay {
            if self.crawl_delays.len() >= self.domains_max {
                self.crawl_delays.clear();
            }
            let known = self.crawl_delays.entry(pld.clone()).or_default();
            *known = asked.max(*known);
        }
    }

    /// Notes an answer.
    pub(super) fn answered(&mut self, uri: &Uri) {
        let pld = uri.pld();
        if !self.failures.is_empty() {
            self.failures.remove(&pld);
        }
        if self.answering.get(&pld).is_none_or(|origin| origin != uri.origin()) {
            if self.answering.len() >= self.domains_max {
                self.answering.clear();
            }
            self.answering.insert(pld, uri.origin().to_owned());
        }
    }

    /// Notes a failure. Returns how many there were in a row.
    pub(super) fn failed(&mut self, uri: &Uri) -> u32 {
        if self.failures.len() >= self.domains_max {
            self.failures.clear();
        }
        let row = self.failures.entry(uri.pld()).or_default();
        row.origin = match row.origin.take() {
            None if row.failures == 0 => Some(uri.origin().to_owned()),
            same => same.filter(|origin| origin == uri.origin()),
        };
        row.failures += 1;
        row.failures
    }

    /// Whether a domain that failed so often in a row is to be given up.
    pub(super) fn is_hopeless(&self, failures: u32) -> bool {
        failures >= self.give_up_after
    }

    /// Gives up the server that failed, if it alone did and another one of its
    /// domain has answered: an endpoint may live next to a dead web server.
    /// Returns whether that is so; else the domain is to be given up.
    pub(super) fn give_up(&mut self, uri: &Uri) -> bool {
        let pld = uri.pld();
        let is_alone = self.failures.get(&pld).is_some_and(|row| row.origin.as_deref() == Some(uri.origin()));
        let other_answers = self.answering.get(&pld).is_some_and(|origin| origin != uri.origin());
        if is_alone && other_answers {
            if self.given_up.len() >= self.domains_max {
                self.given_up.clear();
            }
            self.given_up.insert(uri.origin().to_owned());
            self.failures.remove(&pld);
        }
        is_alone && other_answers
    }

    /// Whether a server was given up, and others of its domain were not.
    pub(super) fn is_given_up(&self, uri: &Uri) -> bool {
        !self.given_up.is_empty() && self.given_up.contains(uri.origin())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uri(text: &str) -> Uri {
        Uri::parse(text).unwrap()
    }

    fn servers() -> Servers {
        Servers::new(&Settings { give_up_after: 3, ..Settings::default() })
    }

    fn fail(servers: &mut Servers, uris: &[&str]) -> u32 {
        uris.iter().map(|text| servers.failed(&uri(text))).last().unwrap()
    }

    #[test]
    fn a_dead_server_does_not_take_along_the_one_next_to_it() {
        let mut servers = servers();
        servers.answered(&uri("http://a.example:8890/sparql"));

        let failures = fail(&mut servers, &["http://a.example/1", "http://a.example/2", "http://a.example/3"]);

        assert!(servers.is_hopeless(failures));
        assert!(servers.give_up(&uri("http://a.example/3")));
        assert!(servers.is_given_up(&uri("http://a.example/4")));
        assert!(!servers.is_given_up(&uri("http://a.example:8890/sparql")));
        assert_eq!(servers.failed(&uri("http://a.example:8890/sparql")), 1, "a new row");
    }

    #[test]
    fn a_domain_is_given_up_if_nobody_or_only_the_dead_one_has_answered_or_several_are_dead() {
        let check = |answered: Option<&str>, failed: [&str; 3]| {
            let mut servers = servers();
            if let Some(answered) = answered {
                servers.answered(&uri(answered));
            }
            fail(&mut servers, &failed);
            assert!(!servers.give_up(&uri(failed[2])), "{answered:?} {failed:?}");
        };
        let one = ["http://a.example/1", "http://a.example/2", "http://a.example/3"];

        check(None, one);
        check(Some("http://a.example/0"), one);
        check(Some("http://c.a.example/0"), ["http://a.example/1", "http://b.a.example/", "http://a.example/3"]);
    }

    #[test]
    fn an_answer_ends_the_row() {
        let mut servers = servers();

        fail(&mut servers, &["http://a.example/1", "http://a.example/2"]);
        servers.answered(&uri("http://b.a.example/"));

        assert_eq!(servers.failed(&uri("http://a.example/3")), 1);
    }
}
