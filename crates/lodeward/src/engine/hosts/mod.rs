//! What a crawl knows about servers, and when they may be requested.
//!
//! [`Hosts`] has one [`Host`] per domain: the robots.txt files and IP addresses of its servers, its
//! crawl delay, its failures. It owns the delay between two requests to a server, the margin added to
//! it, and the reasons why a domain waits. The frontier stores until when a domain is delayed, and
//! its crawl delay, so that both apply after a restart.

mod gates;
mod host;
mod robots;
mod shared;
mod waits;

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use super::EngineOptions;
use super::clock::CrawlClock;
use super::redirect_waits::RedirectWaits;
use crate::fetch::robots::RobotsRules;
use crate::model::{CrawlTime, Pld, Uri};
use gates::{GateDecision, GateKey};
use host::{Host, Origin};
use robots::RobotsState;
pub(super) use robots::robots_txt_uri;
use shared::CrawlGates;

pub(super) use robots::RobotsPermission;
pub use shared::SharedPoliteness;
pub use waits::WaitReason;
pub use waits::{UriWait, WaitReasons};

/// Adds a margin to a delay. A busy server may consider its response finished a little later
/// than we received it.
#[must_use]
pub fn with_margin(delay: Duration) -> Duration {
    const MARGIN: Duration = Duration::from_millis(10);
    if delay.is_zero() { delay } else { delay + MARGIN + delay / 100 }
}

/// Whether a request may be sent to a server now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// Yes. If the IP address is known, the caller ends the request at its gate, too.
    Granted(Option<IpAddr>),
    /// The IP address must be resolved first.
    Resolve,
    /// Not before this time: another domain or crawl uses the server.
    NotBefore(CrawlTime),
}

/// The servers of a crawl, bounded in number.
pub(super) struct Hosts {
    domains: HashMap<Pld, Host>,
    /// Number of entries: domains, origins, addresses.
    entries: usize,
    max_entries: usize,
    delay: Duration,
    robots_ttl: Duration,
    max_consecutive_failures: u32,
    /// A replay needs no delay, and its result must not depend on its speed.
    is_replay: bool,
    gates: CrawlGates,
    waits: Arc<WaitReasons>,
    /// Waits for the targets of redirects.
    pub(super) redirect_waits: RedirectWaits,
    clock: CrawlClock,
}

impl Hosts {
    pub(super) fn new(
        options: &EngineOptions,
        politeness: &Arc<SharedPoliteness>,
        waits: Arc<WaitReasons>,
        clock: CrawlClock,
    ) -> Self {
        Self {
            domains: HashMap::new(),
            entries: 0,
            // A server has three entries: its domain, its origin, its address.
            max_entries: options.max_cached_hosts.saturating_mul(3),
            delay: options.delay,
            robots_ttl: options.robots_ttl,
            max_consecutive_failures: options.max_consecutive_failures,
            is_replay: options.in_order,
            gates: politeness.register_crawl(clock.started_at()),
            waits,
            redirect_waits: RedirectWaits::default(),
            clock,
        }
    }

    /// The delay of a domain after a request: the maximum of the configured delay and the crawl delays of its servers.
    pub(super) fn delay(&self, uri: &Uri) -> Duration {
        if self.is_replay {
            return Duration::ZERO;
        }
        let crawl_delay = self.domains.get(&uri.pld()).map_or(Duration::ZERO, |host| host.crawl_delay);
        with_margin(self.delay.max(crawl_delay))
    }

    /// Whether robots.txt allows a URI.
    pub(super) fn permission(&self, uri: &Uri, now: CrawlTime) -> RobotsPermission {
        // RFC 9309: robots.txt itself is always allowed.
        if uri.path_and_query() == "/robots.txt" {
            return RobotsPermission::Granted;
        }
        let robots = self.origin(uri).and_then(|origin| origin.robots.as_ref());
        let permission = robots.and_then(|robots| robots.permission(uri, now));
        permission.unwrap_or_else(|| RobotsPermission::Unknown(robots_txt_uri(uri)))
    }

    /// Passes the gate of the IP address of `requested`, then that of the domain of `uri`. Other crawls share both. A
    /// robots.txt may be requested from another host of the domain.
    pub(super) fn enter(&self, uri: &Uri, requested: &Uri, now: CrawlTime) -> Admission {
        // Without a delay, IP addresses need no gate.
        let host = self.domains.get(&requested.pld());
        let address = match host.and_then(|host| host.addresses.get(requested.host())) {
            _ if self.delay.is_zero() => None,
            None => return Admission::Resolve,
            Some(address) => *address,
        };
        let delay = with_margin(self.delay);
        let gate = address.map(|address| self.gates.enter(&GateKey::IpAddress(address), delay, now));
        if let Some(GateDecision::Wait(time)) = gate {
            return Admission::NotBefore(time);
        }
        match self.gates.enter(&GateKey::Domain(uri.pld()), self.delay(uri), now) {
            GateDecision::Enter => Admission::Granted(address),
            GateDecision::Wait(time) => {
                if let Some(address) = address {
                    self.gates.leave(&GateKey::IpAddress(address), None, CrawlTime::ZERO);
                }
                Admission::NotBefore(time)
            }
        }
    }

    /// Ends a request at the gate of its IP address.
    pub(super) fn leave_address(&self, address: IpAddr, sent: bool, now: CrawlTime) {
        self.gates.leave(&GateKey::IpAddress(address), sent.then_some(now), now + with_margin(self.delay));
    }

    /// Ends a request at the gate of its domain, and records why the domain waits until this time. If the time is
    /// zero, no request was sent.
    pub(super) fn leave_domain(&self, uri: &Uri, delayed_until: CrawlTime) {
        let delay = self.delay(uri);
        let response_end = (delayed_until > CrawlTime::ZERO).then(|| delayed_until.saturating_sub(delay));
        self.gates.leave(&GateKey::Domain(uri.pld()), response_end, delayed_until);
        let is_crawl_delay = delay > with_margin(self.delay);
        self.record_wait(uri, delayed_until, if is_crawl_delay { WaitReason::CrawlDelay } else { WaitReason::Delay });
    }

    /// Records why the domain of a URI waits until this time.
    pub(super) fn record_wait(&self, uri: &Uri, until: CrawlTime, reason: WaitReason) {
        let wait = UriWait { until_ms: self.clock.to_epoch_ms(until), reason };
        self.waits.record_domain(uri, wait, self.clock.epoch_ms());
    }

    /// Records that a URI waits for a retry.
    pub(super) fn record_retry(&self, uri: &Uri, due: CrawlTime) {
        let wait = UriWait { until_ms: self.clock.to_epoch_ms(due), reason: WaitReason::Retry };
        self.waits.record_document(uri, wait, self.clock.epoch_ms());
    }

    /// Stores the rules of a server. Returns the crawl delay of its domain, with its margin, if the rules have one.
    pub(super) fn record_robots(&mut self, uri: &Uri, rules: RobotsRules, now: CrawlTime) -> Option<Duration> {
        self.make_room(now);
        let requested = rules.crawl_delay();
        let expires = now + self.robots_ttl;
        self.origin_mut(uri).robots = Some(RobotsState::Known { rules, expires });
        let host = self.host_mut(uri);
        host.crawl_delay = host.crawl_delay.max(requested.unwrap_or_default());
        requested.map(with_margin)
    }

    /// Records a redirect of a robots.txt. If it is not followed, the robots.txt is treated as missing.
    pub(super) fn record_robots_redirect(&mut self, uri: &Uri, target: Uri, now: CrawlTime) {
        self.make_room(now);
        let origin = self.origin_mut(uri);
        match RobotsState::after_redirect(origin.robots.as_ref(), uri, target) {
            Some(state) => origin.robots = Some(state),
            None => {
                self.record_robots(uri, RobotsRules::allow_all(), now);
            }
        }
    }

    /// Records a failed attempt to fetch a robots.txt. Unless it is final, the next attempt follows after a wait that
    /// doubles each time. Returns whether it was the last attempt.
    pub(super) fn record_robots_failure(&mut self, uri: &Uri, now: CrawlTime, wait: Duration, is_final: bool) -> bool {
        self.make_room(now);
        let origin = self.origin_mut(uri);
        let state = RobotsState::after_failure(origin.robots.as_ref(), now, wait, is_final);
        let was_last = state.is_closed();
        origin.robots = Some(state);
        was_last
    }

    /// Records the IP address of a host; `None` if it is not resolvable (behind a proxy, or in a replay).
    pub(super) fn record_address(&mut self, uri: &Uri, address: Option<IpAddr>, now: CrawlTime) {
        self.make_room(now);
        let is_new = self.host_mut(uri).addresses.insert(uri.host().to_owned(), address).is_none();
        self.entries += usize::from(is_new);
    }

    /// Removes the IP address of a host that could not be reached: it may have changed.
    pub(super) fn forget_address(&mut self, uri: &Uri) {
        let removed = self.domains.get_mut(&uri.pld()).and_then(|host| host.addresses.remove(uri.host()));
        self.entries -= usize::from(removed.is_some());
    }

    /// Records a response.
    pub(super) fn record_response(&mut self, uri: &Uri) {
        self.host_mut(uri).record_response(uri.origin());
    }

    /// Records a failure. Returns the number of consecutive failures of the domain.
    pub(super) fn record_failure(&mut self, uri: &Uri) -> u32 {
        self.host_mut(uri).record_failure(uri.origin())
    }

    /// Records that a server requests a longer wait than allowed. Returns whether it did so before, without a response
    /// since.
    pub(super) fn record_excessive_wait(&mut self, uri: &Uri) -> bool {
        std::mem::replace(&mut self.host_mut(uri).is_wait_excessive, true)
    }

    /// Whether the server of a URI responded to the last request to it.
    pub(super) fn responds(&self, uri: &Uri) -> bool {
        let Some(host) = self.domains.get(&uri.pld()) else { return false };
        let robots = host.origins.get(uri.origin()).and_then(|origin| origin.robots.as_ref());
        let is_known = host.has_responded() || robots.is_some();
        is_known && !host.is_failing() && !robots.is_some_and(RobotsState::is_failing)
    }

    /// Whether a domain with this many consecutive failures is abandoned.
    pub(super) fn is_failure_limit_reached(&self, failures: u32) -> bool {
        failures >= self.max_consecutive_failures
    }

    /// Abandons the failed server if it caused all failures and another server of its domain has
    /// responded: an endpoint may share a domain with a dead web server. Otherwise returns `false`,
    /// and the caller must abandon the domain.
    pub(super) fn abandon(&mut self, uri: &Uri) -> bool {
        let is_separate = self.host_mut(uri).end_run_of_one_server(uri.origin());
        if is_separate {
            self.origin_mut(uri).is_abandoned = true;
        }
        is_separate
    }

    /// Whether a server, but not its domain, is abandoned.
    pub(super) fn is_abandoned(&self, uri: &Uri) -> bool {
        self.origin(uri).is_some_and(|origin| origin.is_abandoned)
    }

    fn origin(&self, uri: &Uri) -> Option<&Origin> {
        self.domains.get(&uri.pld())?.origins.get(uri.origin())
    }

    fn host_mut(&mut self, uri: &Uri) -> &mut Host {
        let entries = &mut self.entries;
        self.domains.entry(uri.pld()).or_insert_with(|| {
            *entries += 1;
            Host::default()
        })
    }

    fn origin_mut(&mut self, uri: &Uri) -> &mut Origin {
        if self.origin(uri).is_none() {
            self.entries += 1;
        }
        self.host_mut(uri).origins.entry(uri.origin().to_owned()).or_default()
    }

    /// Removes entries if there are too many: first addresses and robots.txt files that are not valid, then an
    /// arbitrary half. Fetching a robots.txt again costs less than storing every server.
    fn make_room(&mut self, now: CrawlTime) {
        if self.entries >= self.max_entries {
            self.evict(|origin| origin.is_current(now));
        }
        if self.entries >= self.max_entries {
            let mut keep = false;
            self.evict(|_| {
                keep = !keep;
                keep
            });
        }
        if self.entries >= self.max_entries {
            self.domains.clear();
            self.entries = 0;
        }
    }

    fn evict(&mut self, mut keep: impl FnMut(&Origin) -> bool) {
        for host in self.domains.values_mut() {
            host.addresses.clear();
            host.origins.retain(|_, origin| keep(origin));
        }
        self.domains.retain(|_, host| !host.is_blank());
        self.entries = self.domains.values().map(Host::entries).sum();
    }
}

#[cfg(test)]
mod tests;
