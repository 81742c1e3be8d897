//! When may a server be asked again?
//!
//! Within a crawl domains rest in the [`schedule`](super::schedule). Here are the
//! gates that several crawls share, of domains, and of addresses, because one
//! machine may serve thousands of domains. Pure: time is handed in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::model::{Moment, Pld};

/// One crawl of those who share gates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Party(pub u32);

/// Whose gate it is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// A pay-level domain.
    Domain(Pld),
    /// A machine.
    Address(IpAddr),
}

/// One gate per server. Open when nobody is inside and the server has rested.
#[derive(Debug, Default)]
pub struct ServerGates {
    gates: HashMap<Server, Gate>,
    /// When there are more gates than this, those that have rested are let go.
    sweep_at: usize,
    /// The longest delay that anybody has asked for.
    delay_max: Duration,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    inside: Option<Party>,
    /// When the last answer ended, and until when whoever had it lets the server rest.
    rested_from: Option<Moment>,
    rest_until: Moment,
    last: Option<Party>,
    /// The last slot that was promised to somebody who had to wait.
    promised_until: Moment,
    /// Who was turned away, and until when others let them go first.
    turned_away: Option<(Party, Moment)>,
}

/// The answer at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Go in. Leave with [`ServerGates::leave`].
    Go,
    /// Come back at this time.
    Wait(Moment),
}

/// Below this many gates nobody sweeps.
const SWEEP_MIN: usize = 1_024;

impl ServerGates {
    /// Asks to visit a server that is to rest for `delay` between two visits.
    /// Without a delay nobody has to wait, unless others have asked for one.
    ///
    /// Those who must wait are given slots one delay apart, so that a thousand
    /// domains on one address do not all come back at once. Whoever was inside last
    /// lets somebody else go first who was turned away: nobody is kept out for ever.
    pub fn enter(&mut self, server: &Server, party: Party, delay: Duration, now: Moment) -> Entry {
        if delay.is_zero() && !self.gates.contains_key(server) {
            return Entry::Go;
        }
        self.delay_max = self.delay_max.max(delay);
        let gate = self.gates.entry(server.clone()).or_default();
        let rest_until = gate.rest_until.max(gate.rested_from.map_or(Moment::ZERO, |end| end + delay));
        let is_free = gate.inside.is_none() && rest_until <= now;
        if is_free && !gate.lets_others_go_first(party, now) {
            gate.inside = Some(party);
            gate.turned_away = gate.turned_away.filter(|(waiting, _)| *waiting != party);
            return Entry::Go;
        }
        let earliest = match gate.turned_away {
            Some((_, until)) if is_free => until,
            _ if gate.inside.is_some() => now + delay,
            _ => rest_until,
        };
        let slot = earliest.max(gate.promised_until + delay).max(now + delay.min(Duration::from_millis(1)));
        gate.promised_until = slot;
        if gate.turned_away.is_none_or(|(waiting, until)| waiting == party || until <= now) {
            gate.turned_away = Some((party, slot + delay));
        }
        Entry::Wait(slot)
    }

    /// Says that a visit is over. `rested_from` is when its answer ended, and
    /// `rest_until` until when the server is left alone; a visit that sent nothing
    /// gives its slot back with `None`. Whoever is not inside changes nothing.
    pub fn leave(&mut self, server: &Server, party: Party, rested_from: Option<Moment>, rest_until: Moment) {
        let Some(gate) = self.gates.get_mut(server).filter(|gate| gate.inside == Some(party)) else { return };
        gate.inside = None;
        if let Some(end) = rested_from {
            gate.last = Some(party);
            gate.rested_from = gate.rested_from.max(Some(end));
            gate.rest_until = gate.rest_until.max(rest_until);
            self.sweep(end);
        }
    }

    /// Says that somebody is gone: whatever they had under way ends now.
    pub fn leave_all(&mut self, party: Party, now: Moment) {
        for gate in self.gates.values_mut() {
            if gate.inside == Some(party) {
                gate.inside = None;
                gate.rested_from = gate.rested_from.max(Some(now));
            }
            gate.turned_away = gate.turned_away.filter(|(waiting, _)| *waiting != party);
        }
    }

    fn sweep(&mut self, now: Moment) {
        if self.gates.len() > self.sweep_at.max(SWEEP_MIN) {
            let delay_max = self.delay_max;
            self.gates.retain(|_, gate| {
                let rests = gate.rested_from.is_some_and(|end| end + delay_max > now) || gate.rest_until > now;
                gate.inside.is_some() || rests || gate.promised_until > now
            });
            self.sweep_at = self.gates.len() * 2;
        }
    }
}

impl Gate {
    fn lets_others_go_first(&self, party: Party, now: Moment) -> bool {
        let waits = |(waiting, until): (Party, Moment)| waiting != party && now < until;
        self.last == Some(party) && self.turned_away.is_some_and(waits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: Server = Server::Address(IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7)));
    const ONE: Party = Party(1);
    const OTHER: Party = Party(2);
    const DELAY: Duration = Duration::from_secs(1);

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    fn leave(gates: &mut ServerGates, party: Party, end: u64) {
        gates.leave(&SERVER, party, Some(at(end)), at(end) + DELAY);
    }

    #[test]
    fn a_server_is_asked_one_thing_at_a_time_and_then_rests() {
        let mut gates = ServerGates::default();

        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(10)), Entry::Wait(at(1_010)), "another visit is under way");
        leave(&mut gates, ONE, 300);
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(1_299)), Entry::Wait(at(2_010)), "one delay after the slot");
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(1_300)), Entry::Go);
    }

    #[test]
    fn a_visit_that_sent_nothing_gives_its_slot_back() {
        let mut gates = ServerGates::default();

        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);
        gates.leave(&SERVER, ONE, None, Moment::ZERO);

        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(1)), Entry::Go);
    }

    #[test]
    fn whoever_wants_a_longer_rest_waits_longer() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);
        leave(&mut gates, ONE, 100);

        assert_eq!(gates.enter(&SERVER, OTHER, 5 * DELAY, at(1_100)), Entry::Wait(at(5_100)));
        assert_eq!(gates.enter(&SERVER, OTHER, Duration::ZERO, at(1_099)), Entry::Wait(at(5_100)), "it rests");
    }

    #[test]
    fn nobody_is_kept_out_by_somebody_who_is_quicker() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);
        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(10)), Entry::Wait(at(1_010)));
        leave(&mut gates, ONE, 20);

        assert_ne!(gates.enter(&SERVER, ONE, DELAY, at(1_020)), Entry::Go, "the other one was turned away");
        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(1_021)), Entry::Go);
    }

    #[test]
    fn nobody_waits_for_ever_for_somebody_who_does_not_come_back() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);
        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(10)), Entry::Wait(at(1_010)));
        leave(&mut gates, ONE, 20);

        let Entry::Wait(slot) = gates.enter(&SERVER, ONE, DELAY, at(1_020)) else { panic!("the other one goes first") };
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, slot), Entry::Go);
    }

    #[test]
    fn whoever_is_gone_is_inside_no_more() {
        let mut gates = ServerGates::default();
        assert_eq!(gates.enter(&SERVER, ONE, DELAY, at(0)), Entry::Go);

        gates.leave_all(ONE, at(500));

        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(501)), Entry::Wait(at(1_500)), "it may have been asked");
        assert_eq!(gates.enter(&SERVER, OTHER, DELAY, at(1_500)), Entry::Go);
    }

    #[test]
    fn gates_that_have_rested_are_let_go() {
        let mut gates = ServerGates::default();

        for number in 0..10_000_u32 {
            let server = Server::Address(IpAddr::V4(number.into()));
            let now = at(u64::from(number) * 10);
            assert_eq!(gates.enter(&server, ONE, at(1), now), Entry::Go);
            gates.leave(&server, ONE, Some(now), now + at(1));
        }

        assert!(gates.gates.len() <= 1_025);
    }
}
