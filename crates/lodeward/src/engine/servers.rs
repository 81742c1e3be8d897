//! How domains have been treating us, and how long they are left alone.

use std::collections::HashMap;
use std::time::Duration;

use super::Settings;
use crate::model::Pld;

/// Delays asked for by robots.txt, and failures in a row. Domains that ask for
/// nothing and answer leave no entry.
pub(super) struct Servers {
    delay: Duration,
    domains_max: usize,
    give_up_after: u32,
    crawl_delays: HashMap<Pld, Duration>,
    failures: HashMap<Pld, u32>,
}

impl Servers {
    pub(super) fn new(settings: &Settings) -> Self {
        Self {
            delay: settings.delay,
            domains_max: settings.hosts_remembered_max,
            give_up_after: settings.give_up_after,
            crawl_delays: HashMap::new(),
            failures: HashMap::new(),
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
    pub(super) fn answered(&mut self, pld: &Pld) {
        if !self.failures.is_empty() {
            self.failures.remove(pld);
        }
    }

    /// Notes a failure. Returns how many there were in a row.
    pub(super) fn failed(&mut self, pld: &Pld) -> u32 {
        if self.failures.len() >= self.domains_max {
            self.failures.clear();
        }
        let failures = self.failures.entry(pld.clone()).or_default();
        *failures += 1;
        *failures
    }

    /// Whether a domain that failed so often in a row is to be given up.
    pub(super) fn is_hopeless(&self, failures: u32) -> bool {
        failures >= self.give_up_after
    }
}
