//! Refusals that come in bursts: the first of each is written down, and how many
//! followed it. Whoever guesses passwords must not go unseen, nor fill the log.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use super::address::network;

/// From one place, one line in this time.
const LINE_EVERY_MS: u64 = 60_000;

/// The most places that are told apart; all others are one.
const PLACES_MAX: usize = 1_000;

/// Where all others are.
const ELSEWHERE: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// Who was refused lately, by place.
#[derive(Default)]
pub(super) struct Bursts(Mutex<HashMap<IpAddr, Burst>>);

/// Refusals from one place.
struct Burst {
    written_ms: u64,
    /// Those that were not written since.
    unwritten: u64,
}

impl Bursts {
    /// Somebody was refused. `Some` if that is to be written down, with how many before
    /// it were not.
    pub(super) fn note(&self, address: IpAddr, now_ms: u64) -> Option<u64> {
        let mut bursts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut place = network(address);
        if !bursts.contains_key(&place) && bursts.len() >= PLACES_MAX {
            bursts.retain(|_, burst| !burst.is_over(now_ms));
            if bursts.len() >= PLACES_MAX {
                place = ELSEWHERE;
            }
        }
        match bursts.get_mut(&place) {
            Some(burst) if !burst.is_over(now_ms) => {
                burst.unwritten += 1;
                None
            }
            before => {
                let unwritten = before.map_or(0, |burst| burst.unwritten);
                bursts.insert(place, Burst { written_ms: now_ms, unwritten: 0 });
                Some(unwritten)
            }
        }
    }
}

impl Burst {
    fn is_over(&self, now_ms: u64) -> bool {
        // A clock that was set back hides nobody for long.
        self.written_ms.abs_diff(now_ms) >= LINE_EVERY_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_a_burst_is_written_and_the_next_line_says_how_many_followed() {
        let bursts = Bursts::default();
        let (here, there) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));

        let lines = [0, 1, 59_999, 60_000, 60_001, 300_000].map(|now_ms| bursts.note(here, now_ms));

        assert_eq!(lines, [Some(0), None, None, Some(2), None, Some(1)]);
        assert_eq!(bursts.note(there, 300_001), Some(0));
    }

    #[test]
    fn however_many_places_there_are_lines_are_few() {
        let bursts = Bursts::default();
        let places = (0..10_000_u32).map(|number| IpAddr::from(number.to_be_bytes()));

        let lines = places.filter(|place| bursts.note(*place, 0).is_some()).count();

        assert_eq!(lines, PLACES_MAX + 1);
    }
}
