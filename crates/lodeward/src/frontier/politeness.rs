//! When may a server be asked again?
//!
//! Domains rest in the [`schedule`](super::schedule); this is the same rule for
//! addresses, because one machine may serve thousands of domains. Pure: time is
//! handed in.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use crate::model::Moment;

/// One gate per address. Open when nobody is inside and the address has rested.
#[derive(Debug)]
pub struct ServerGates {
    delay: Duration,
    gates: HashMap<IpAddr, Gate>,
    /// When there are more gates than this, those that have rested are let go.
    sweep_at: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Gate {
    busy: bool,
    rest_until: Moment,
    /// The last slot that was promised to somebody who had to wait.
    promised_until: Moment,
}

/// The answer at a gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Go in. Leave with [`ServerGates::leave`].
    Go,
    /// Come back at this time.
    Wait(Moment),
}

impl ServerGates {
    /// Gates that keep this delay. Without a delay they are always open: then
    /// only the rule of one visit per domain holds.
    #[must_use]
    pub fn new(delay: Duration) -> Self {
        Self { delay, gates: HashMap::new(), sweep_at: 1_024 }
    }

    /// Asks to visit an address.
    ///
    /// Those who must wait are given slots one delay apart, so that a thousand
    /// domains on one address do not all come back at once.
    pub fn enter(&mut self, address: IpAddr, now: Moment) -> Entry {
        if self.delay.is_zero() {
            return Entry::Go;
        }
        let gate = self.gates.entry(address).or_default();
        if !gate.busy && gate.rest_until <= now {
            gate.busy = true;
            return Entry::Go;
        }
        let earliest = if gate.busy { now + self.delay } else { gate.rest_until };
        let slot = earliest.max(gate.promised_until + self.delay);
        gate.promised_until = slot;
        Entry::Wait(slot)
    }

    /// Says that a visit is over. `rested_from` is when its answer ended; a
    /// visit that sent nothing gives its slot back with `None`.
    pub fn leave(&mut self, address: IpAddr, rested_from: Option<Moment>) {
        let Some(gate) = self.gates.get_mut(&address) else { return };
        gate.busy = false;
        if let Some(end) = rested_from {
            gate.rest_until = gate.rest_until.max(end + self.delay);
            self.sweep(end);
        }
    }

    fn sweep(&mut self, now: Moment) {
        if self.gates.len() > self.sweep_at {
            self.gates.retain(|_, gate| gate.busy || gate.rest_until > now || gate.promised_until > now);
            self.sweep_at = (self.gates.len() * 2).max(1_024);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVER: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 7));

    fn at(millis: u64) -> Moment {
        Moment::from_millis(millis)
    }

    #[test]
    fn a_server_is_asked_one_thing_at_a_time_and_then_rests() {
        let mut gates = ServerGates::new(at(1_000));

        assert_eq!(gates.enter(SERVER, at(0)), Entry::Go);
        assert_eq!(gates.enter(SERVER, at(10)), Entry::Wait(at(1_010)), "while another visit is under way");
        gates.leave(SERVER, Some(at(300)));
        assert_eq!(gates.enter(SERVER, at(1_299)), Entry::Wait(at(2_010)), "one delay after the promised slot");
        assert_eq!(gates.enter(SERVER, at(1_300)), Entry::Go);
    }

    #[test]
    fn a_visit_that_sent_nothing_gives_its_slot_back() {
        let mut gates = ServerGates::new(at(1_000));

        assert_eq!(gates.enter(SERVER, at(0)), Entry::Go);
        gates.leave(SERVER, None);

        assert_eq!(gates.enter(SERVER, at(1)), Entry::Go);
    }

    #[test]
    fn gates_that_have_rested_are_let_go() {
        let mut gates = ServerGates::new(at(1));

        for number in 0..10_000_u32 {
            let address = IpAddr::V4(number.into());
            let now = at(u64::from(number) * 10);
            assert_eq!(gates.enter(address, now), Entry::Go);
            gates.leave(address, Some(now));
        }

        assert!(gates.gates.len() <= 1_025);
    }
}
