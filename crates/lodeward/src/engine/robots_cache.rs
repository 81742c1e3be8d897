//! What hosts allow, as far as we have asked.
//!
//! RFC 9309: a robots.txt that is missing (4xx) allows everything; one that
//! cannot be had (5xx, no connection) forbids everything for now, and is asked
//! for again a few times before the host counts as closed.

use std::collections::HashMap;
use std::time::Duration;

use crate::fetch::robots::Robots;
use crate::model::{Moment, Uri};

/// How often a robots.txt that cannot be had is asked for.
const ATTEMPTS_MAX: u8 = 3;

/// Redirects of a robots.txt that are followed (RFC 9309 §2.3.1.2).
const REDIRECTS_MAX: u8 = 5;

/// May this be visited?
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Permission {
    Granted,
    Denied,
    /// The host's robots.txt could not be had after several attempts.
    Unreachable,
    /// It could not be had so far; ask again at this time.
    NotBefore(Moment),
    /// This must be fetched first.
    Unknown(Uri),
}

/// The robots.txt files of hosts, bounded in number.
pub(super) struct RobotsCache {
    hosts: HashMap<String, Host>,
    ttl: Duration,
    hosts_max: usize,
}

enum Host {
    Known { robots: Robots, expires: Moment },
    Moved { to: Uri, redirects: u8 },
    Failing { attempts: u8, next_attempt: Moment },
}

impl RobotsCache {
    pub(super) fn new(ttl: Duration, hosts_max: usize) -> Self {
        Self { hosts: HashMap::new(), ttl, hosts_max }
    }

    pub(super) fn ask(&self, uri: &Uri, now: Moment) -> Permission {
        // Its own location is always allowed: how else could it be read?
        if uri.path_and_query() == "/robots.txt" {
            return Permission::Granted;
        }
        match self.hosts.get(uri.origin()) {
            Some(Host::Known { robots, expires }) if *expires > now => {
                if robots.allows(uri.path_and_query()) {
                    Permission::Granted
                } else {
                    Permission::Denied
                }
            }
            Some(Host::Moved { to, .. }) => Permission::Unknown(to.clone()),
            Some(Host::Failing { next_attempt, .. }) if *next_attempt > now => Permission::NotBefore(*next_attempt),
            Some(Host::Failing { attempts, .. }) if *attempts >= ATTEMPTS_MAX => Permission::Unreachable,
            _ => Permission::Unknown(location(uri)),
        }
    }

    /// The delay a host asks for.
    pub(super) fn crawl_delay(&self, uri: &Uri) -> Option<Duration> {
        match self.hosts.get(uri.origin()) {
            Some(Host::Known { robots, .. }) => robots.crawl_delay(),
            _ => None,
        }
    }

    /// Notes what a host's robots.txt says.
    pub(super) fn learn(&mut self, uri: &Uri, robots: Robots, now: Moment) {
        self.make_room(now);
        self.hosts.insert(uri.origin().to_owned(), Host::Known { robots, expires: now + self.ttl });
    }

    /// Notes that a robots.txt is elsewhere. Returns whether it will be looked
    /// for there.
    ///
    /// RFC 9309 would have us follow to any host. We stay within the domain,
    /// whose turn it is; one that points to a foreign domain counts as missing.
    pub(super) fn redirect(&mut self, uri: &Uri, to: Uri, now: Moment) -> bool {
        let redirects = match self.hosts.get(uri.origin()) {
            Some(Host::Moved { redirects, .. }) => redirects + 1,
            _ => 1,
        };
        let follow = redirects <= REDIRECTS_MAX && to.pld() == uri.pld();
        if follow {
            self.make_room(now);
            self.hosts.insert(uri.origin().to_owned(), Host::Moved { to, redirects });
        } else {
            self.learn(uri, Robots::allow_all(), now);
        }
        follow
    }

    /// Notes that a robots.txt could not be had, and will be asked for again,
    /// unless that is final, after a wait that doubles each time. Returns whether
    /// it was the last time.
    pub(super) fn fail(&mut self, uri: &Uri, now: Moment, wait: Duration, is_final: bool) -> bool {
        let attempts = match self.hosts.get(uri.origin()) {
            _ if is_final => ATTEMPTS_MAX,
            Some(Host::Failing { attempts, .. }) => attempts + 1,
            _ => 1,
        };
        self.make_room(now);
        let next_attempt = if attempts >= ATTEMPTS_MAX { now } else { now + wait * 2_u32.pow(u32::from(attempts) - 1) };
        self.hosts.insert(uri.origin().to_owned(), Host::Failing { attempts, next_attempt });
        attempts >= ATTEMPTS_MAX
    }

    fn make_room(&mut self, now: Moment) {
        if self.hosts.len() >= self.hosts_max {
            self.hosts.retain(|_, host| matches!(host, Host::Known { expires, .. } if *expires > now));
        }
        if self.hosts.len() >= self.hosts_max {
            // Whichever half comes first: fetching a robots.txt again is cheap
            // compared with remembering every host there is.
            let mut keep = false;
            self.hosts.retain(|_, _| {
                keep = !keep;
                keep
            });
        }
    }
}

fn location(uri: &Uri) -> Uri {
    Uri::parse(&format!("{}/robots.txt", uri.origin())).expect("an origin with a path is an address")
}
