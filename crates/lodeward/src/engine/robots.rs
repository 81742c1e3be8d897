//! Caches robots.txt files and decides what they allow.
//!
//! RFC 9309: a missing robots.txt (4xx) allows everything. An unreachable one (5xx, no
//! connection) forbids everything for now, and is requested again a few times before the host
//! is closed.

use std::collections::HashMap;
use std::time::Duration;

use crate::fetch::robots::RobotsRules;
use crate::model::{CrawlTime, Uri};

/// Maximum number of attempts to fetch a robots.txt.
const MAX_ATTEMPTS: u8 = 3;

/// Maximum number of redirects of a robots.txt (RFC 9309 §2.3.1.2).
const MAX_REDIRECTS: u8 = 5;

/// Whether a URI may be requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RobotsPermission {
    Granted,
    Denied,
    /// The robots.txt could not be fetched after several attempts.
    Unreachable,
    /// The robots.txt could not be fetched; retry at this time.
    NotBefore(CrawlTime),
    /// This robots.txt must be fetched first.
    Unknown(Uri),
}

/// The cache of robots.txt files, bounded in number.
pub(super) struct RobotsCache {
    hosts: HashMap<String, RobotsEntry>,
    ttl: Duration,
    max_hosts: usize,
}

enum RobotsEntry {
    Known { robots: RobotsRules, expires: CrawlTime },
    Moved { to: Uri, redirects: u8 },
    Failing { attempts: u8, next_attempt: CrawlTime },
}

impl RobotsCache {
    pub(super) fn new(ttl: Duration, max_hosts: usize) -> Self {
        Self { hosts: HashMap::new(), ttl, max_hosts }
    }

    pub(super) fn permission(&self, uri: &Uri, now: CrawlTime) -> RobotsPermission {
        // RFC 9309: robots.txt itself is always allowed.
        if uri.path_and_query() == "/robots.txt" {
            return RobotsPermission::Granted;
        }
        match self.hosts.get(uri.origin()) {
            Some(RobotsEntry::Known { robots, expires }) if *expires > now => {
                if robots.allows(uri.path_and_query()) {
                    RobotsPermission::Granted
                } else {
                    RobotsPermission::Denied
                }
            }
            Some(RobotsEntry::Moved { to, .. }) => RobotsPermission::Unknown(to.clone()),
            Some(RobotsEntry::Failing { next_attempt, .. }) if *next_attempt > now => {
                RobotsPermission::NotBefore(*next_attempt)
            }
            Some(RobotsEntry::Failing { attempts, .. }) if *attempts >= MAX_ATTEMPTS => RobotsPermission::Unreachable,
            _ => RobotsPermission::Unknown(robots_txt_uri(uri)),
        }
    }

    /// The crawl delay a host requests.
    pub(super) fn crawl_delay(&self, uri: &Uri) -> Option<Duration> {
        match self.hosts.get(uri.origin()) {
            Some(RobotsEntry::Known { robots, .. }) => robots.crawl_delay(),
            _ => None,
        }
    }

    /// Stores the rules of a host.
    pub(super) fn insert(&mut self, uri: &Uri, robots: RobotsRules, now: CrawlTime) {
        self.make_room(now);
        self.hosts.insert(uri.origin().to_owned(), RobotsEntry::Known { robots, expires: now + self.ttl });
    }

    /// Records a redirect of a robots.txt. Returns whether it is followed.
    ///
    /// RFC 9309 allows redirects to any host. This cache follows them only within the domain of the
    /// lease; a robots.txt that redirects to another domain is treated as missing.
    pub(super) fn record_redirect(&mut self, uri: &Uri, to: Uri, now: CrawlTime) -> bool {
        let redirects = match self.hosts.get(uri.origin()) {
            Some(RobotsEntry::Moved { redirects, .. }) => redirects + 1,
            _ => 1,
        };
        let follow = redirects <= MAX_REDIRECTS && to.pld() == uri.pld();
        if follow {
            self.make_room(now);
            self.hosts.insert(uri.origin().to_owned(), RobotsEntry::Moved { to, redirects });
        } else {
            self.insert(uri, RobotsRules::allow_all(), now);
        }
        follow
    }

    /// Records a failed attempt. Unless it is final, the next attempt follows after a wait that
    /// doubles each time. Returns whether it was the last attempt.
    pub(super) fn record_failure(&mut self, uri: &Uri, now: CrawlTime, wait: Duration, is_final: bool) -> bool {
        let attempts = match self.hosts.get(uri.origin()) {
            _ if is_final => MAX_ATTEMPTS,
            Some(RobotsEntry::Failing { attempts, .. }) => attempts + 1,
            _ => 1,
        };
        self.make_room(now);
        let next_attempt = if attempts >= MAX_ATTEMPTS { now } else { now + wait * 2_u32.pow(u32::from(attempts) - 1) };
        self.hosts.insert(uri.origin().to_owned(), RobotsEntry::Failing { attempts, next_attempt });
        attempts >= MAX_ATTEMPTS
    }

    fn make_room(&mut self, now: CrawlTime) {
        if self.hosts.len() >= self.max_hosts {
            self.hosts.retain(|_, host| matches!(host, RobotsEntry::Known { expires, .. } if *expires > now));
        }
        if self.hosts.len() >= self.max_hosts {
            // Removes an arbitrary half: fetching a robots.txt again costs less than storing every
            // host.
            let mut keep = false;
            self.hosts.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
    }
}

fn robots_txt_uri(uri: &Uri) -> Uri {
    Uri::parse(&format!("{}/robots.txt", uri.origin())).expect("an origin with a path is a URL")
}
