//! How servers have been treating us, and how long domains are left alone.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::Settings;
use crate::model::{Pld, Uri};

/// Delays asked for by robots.txt, and failures in a row. Domains that ask for
/// nothing and answer leave no entry but that they have answered.
pub(super) struct Servers {
    delay: Duration,
    domains_max: usize,
    give_up_after: u32,
    crawl_delays: HashMap<Pld, Duration>,
    /// By origin: a host may have several servers, on several ports.
    failures: HashMap<String, u32>,
    /// The origin that answered last, by domain; only of those where another one
    /// has failed does it matter.
    answering: HashMap<Pld, String>,
    given_up: HashSet<String>,
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
        if !self.failures.is_empty() {
            self.failures.remove(uri.origin());
        }
        let pld = uri.pld();
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
        let failures = self.failures.entry(uri.origin().to_owned()).or_default();
        *failures += 1;
        *failures
    }

    /// Whether a server that failed so often in a row is to be given up.
    pub(super) fn is_hopeless(&self, failures: u32) -> bool {
        failures >= self.give_up_after
    }

    /// Gives up one server. Returns whether that is all: `false` if its whole
    /// domain is to be given up, because nobody there has answered.
    pub(super) fn give_up(&mut self, uri: &Uri) -> bool {
        let other_answers = self.answering.get(&uri.pld()).is_some_and(|origin| origin != uri.origin());
        if other_answers {
            if self.given_up.len() >= self.domains_max {
                self.given_up.clear();
            }
            self.given_up.insert(uri.origin().to_owned());
        }
        other_answers
    }

    /// Whether a server was given up, and others of its domain were not.
    pub(super) fn is_given_up(&self, uri: &Uri) -> bool {
        !self.given_up.is_empty() && self.given_up.contains(uri.origin())
    }
}
