//! Rate limits that several crawls share.
//!
//! Within one crawl the schedule of the frontier delays domains. The gates here are shared by
//! crawls: one per domain, and one per IP address, because one machine may serve thousands of
//! domains. This module reads no clock: the time is a parameter.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::model::{CrawlTime, Pld};

/// One of the crawls that share the gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct GateUser(pub(super) u32);

/// The server a gate protects.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum GateKey {
    /// A pay-level domain.
    Domain(Pld),
    /// An IP address.
    IpAddress(IpAddr),
}

/// One gate per server. A gate is open if no request is in flight and the delay of the last one
/// is over.
#[derive(Debug, Default)]
pub(super) struct ServerGates {
    gates: HashMap<GateKey, ServerGate>,
    /// When there are more gates than this, idle ones are removed.
    sweep_at: usize,
    /// The longest delay requested so far.
    max_delay: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct ServerGate {
    in_flight: Option<GateUser>,
    /// When the last response ended.
    response_end: Option<CrawlTime>,
    /// Until when the crawl that received the last response delays the server.
    delayed_until: CrawlTime,
    last: Option<GateUser>,
    /// The latest slot assigned to a waiting crawl.
    last_slot: CrawlTime,
    /// The crawl that was rejected first, and until when other crawls yield to it.
    rejected: Option<(GateUser, CrawlTime)>,
}

/// The result of [`ServerGates::enter`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GateDecision {
    /// The request may be sent. Call [`ServerGates::leave`] when it ends.
    Enter,
    /// Try again at this time.
    Wait(CrawlTime),
}

/// Idle gates are not removed while there are fewer gates than this.
const MIN_SWEEP_GATES: usize = 1_024;

impl ServerGates {
    /// Tries to start a request to a server with `delay` between two requests. With a zero
    /// delay the gate is open, unless another crawl set a delay.
    ///
    /// Waiting crawls get slots one delay apart, so that a thousand domains on one IP address
    /// do not retry at the same time. The crawl that sent the last request yields to one that
    /// was rejected, so none starves.
    pub(super) fn enter(&mut self, server: &GateKey, crawl: GateUser, delay: Duration, now: CrawlTime) -> GateDecision {
        if delay.is_zero() && !self.gates.contains_key(server) {
            return GateDecision::Enter;
        }
        self.max_delay = self.max_delay.max(delay);
        let gate = self.gates.entry(server.clone()).or_default();
        let delayed_until = gate.delayed_until.max(gate.response_end.map_or(CrawlTime::ZERO, |end| end + delay));
        let is_free = gate.in_flight.is_none() && delayed_until <= now;
        if is_free && !gate.must_yield(crawl, now) {
            gate.in_flight = Some(crawl);
            gate.rejected = gate.rejected.filter(|(waiting, _)| *waiting != crawl);
            return GateDecision::Enter;
        }
        let earliest = match gate.rejected {
            Some((_, until)) if is_free => until,
            _ if gate.in_flight.is_some() => now + delay,
            _ => delayed_until,
        };
        let slot = earliest.max(gate.last_slot + delay).max(now + delay.min(Duration::from_millis(1)));
        gate.last_slot = slot;
        if gate.rejected.is_none_or(|(waiting, until)| waiting == crawl || until <= now) {
            gate.rejected = Some((crawl, slot + delay));
        }
        GateDecision::Wait(slot)
    }

    /// Ends a request. `response_end` is the time when its response ended, or `None` if no request
    /// was sent; the slot is then returned. After a response, no request is sent to the server
    /// before `delayed_until`. If the crawl has no request in flight, the call has no effect.
    pub(super) fn leave(
        &mut self,
        server: &GateKey,
        crawl: GateUser,
        response_end: Option<CrawlTime>,
        delayed_until: CrawlTime,
    ) {
        let Some(gate) = self.gates.get_mut(server).filter(|gate| gate.in_flight == Some(crawl)) else { return };
        gate.in_flight = None;
        if let Some(end) = response_end {
            gate.last = Some(crawl);
            gate.response_end = gate.response_end.max(Some(end));
            gate.delayed_until = gate.delayed_until.max(delayed_until);
            self.sweep(end);
        }
    }

    /// Removes a crawl: its requests in flight end now.
    pub(super) fn leave_all(&mut self, crawl: GateUser, now: CrawlTime) {
        for gate in self.gates.values_mut() {
            if gate.in_flight == Some(crawl) {
                gate.in_flight = None;
                gate.response_end = gate.response_end.max(Some(now));
            }
            gate.rejected = gate.rejected.filter(|(waiting, _)| *waiting != crawl);
        }
    }

    fn sweep(&mut self, now: CrawlTime) {
        if self.gates.len() > self.sweep_at.max(MIN_SWEEP_GATES) {
            let delay_max = self.max_delay;
            self.gates.retain(|_, gate| {
                let is_delayed = gate.response_end.is_some_and(|end| end + delay_max > now) || gate.delayed_until > now;
                gate.in_flight.is_some() || is_delayed || gate.last_slot > now
            });
            self.sweep_at = self.gates.len() * 2;
        }
    }
}

impl ServerGate {
    fn must_yield(&self, crawl: GateUser, now: CrawlTime) -> bool {
        let is_waiting = |(waiting, until): (GateUser, CrawlTime)| waiting != crawl && now < until;
        self.last == Some(crawl) && self.rejected.is_some_and(is_waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: GateKey = GateKey::IpAddress(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7)));
    const FIRST: GateUser = GateUser(1);
    const SECOND: GateUser = GateUser(2);
    const DELAY: Duration = Duration::from_secs(1);

    fn at(millis: u64) -> CrawlTime {
        CrawlTime::from_millis(millis)
    }

    fn leave(gates: &mut ServerGates, crawl: GateUser, end: u64) {
        gates.leave(&SERVER, crawl, Some(at(end)), at(end) + DELAY);
    }

    #[test]
    fn a_server_gets_one_request_at_a_time_and_then_a_delay() {
        let mut gates = ServerGates::default();

        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);
        assert_eq!(
            gates.enter(&SERVER, FIRST, DELAY, at(10)),
            GateDecision::Wait(at(1_010)),
            "another request is in flight"
        );
        leave(&mut gates, FIRST, 300);
        assert_eq!(
            gates.enter(&SERVER, FIRST, DELAY, at(1_299)),
            GateDecision::Wait(at(2_010)),
            "one delay after the slot"
        );
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(1_300)), GateDecision::Enter);
    }

    #[test]
    fn an_unsent_request_returns_its_slot() {
        let mut gates = ServerGates::default();

        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);
        gates.leave(&SERVER, FIRST, None, CrawlTime::ZERO);

        assert_eq!(gates.enter(&SERVER, SECOND, DELAY, at(1)), GateDecision::Enter);
    }

    #[test]
    fn a_longer_delay_of_one_crawl_holds_for_it() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);
        leave(&mut gates, FIRST, 100);

        assert_eq!(gates.enter(&SERVER, SECOND, 5 * DELAY, at(1_100)), GateDecision::Wait(at(5_100)));
        assert_eq!(
            gates.enter(&SERVER, SECOND, Duration::ZERO, at(1_099)),
            GateDecision::Wait(at(5_100)),
            "it is delayed"
        );
    }

    #[test]
    fn a_fast_crawl_does_not_starve_another() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);
        assert_eq!(gates.enter(&SERVER, SECOND, DELAY, at(10)), GateDecision::Wait(at(1_010)));
        leave(&mut gates, FIRST, 20);

        assert_ne!(gates.enter(&SERVER, FIRST, DELAY, at(1_020)), GateDecision::Enter, "the second crawl was rejected");
        assert_eq!(gates.enter(&SERVER, SECOND, DELAY, at(1_021)), GateDecision::Enter);
    }

    #[test]
    fn a_crawl_that_does_not_retry_blocks_no_other() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);
        assert_eq!(gates.enter(&SERVER, SECOND, DELAY, at(10)), GateDecision::Wait(at(1_010)));
        leave(&mut gates, FIRST, 20);

        let GateDecision::Wait(slot) = gates.enter(&SERVER, FIRST, DELAY, at(1_020)) else {
            panic!("the second crawl goes first")
        };
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, slot), GateDecision::Enter);
    }

    #[test]
    fn a_removed_crawl_has_no_request_in_flight() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, FIRST, DELAY, at(0)), GateDecision::Enter);

        gates.leave_all(FIRST, at(500));

        assert_eq!(
            gates.enter(&SERVER, SECOND, DELAY, at(501)),
            GateDecision::Wait(at(1_500)),
            "a request may have been sent"
        );
        assert_eq!(gates.enter(&SERVER, SECOND, DELAY, at(1_500)), GateDecision::Enter);
    }

    #[test]
    fn idle_gates_are_removed() {
        let mut gates = ServerGates::default();

        for number in 0..10_000_u32 {
            let server = GateKey::IpAddress(IpAddr::V4(number.into()));
            let now = at(u64::from(number) * 10);
            assert_eq!(gates.enter(&server, FIRST, at(1), now), GateDecision::Enter);
            gates.leave(&server, FIRST, Some(now), now + at(1));
        }

        assert!(gates.gates.len() <= 1_025);
    }
}
