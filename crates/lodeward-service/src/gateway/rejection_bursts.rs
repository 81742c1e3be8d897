//! Limits the audit lines for bursts of rejected requests: the first rejection of a burst is
//! written, then one line per minute with the number of further rejections. So guessing passwords
//! is visible and does not fill the log.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Mutex, PoisonError};

use crate::client_address::network;

/// The time between two lines for one network.
const LOG_INTERVAL_MS: u64 = 60_000;

/// The maximum number of networks that are counted separately; all others are counted as one.
const MAX_NETWORKS: usize = 1_000;

/// The key under which networks beyond `MAX_NETWORKS` are counted.
const OVERFLOW_NETWORK: IpAddr = IpAddr::V6(Ipv6Addr::UNSPECIFIED);

/// Recent rejections, by network.
#[derive(Default)]
pub(super) struct RejectionBursts(Mutex<HashMap<IpAddr, RejectionBurst>>);

/// Rejections of one network.
struct RejectionBurst {
    written_ms: u64,
    /// Number of rejections since `written_ms` that were not logged.
    unwritten: u64,
}

impl RejectionBursts {
    /// Counts a rejection. If a line should be written, returns the number of rejections since the
    /// last line that were not logged.
    pub(super) fn record(&self, address: IpAddr, now_ms: u64) -> Option<u64> {
        let mut bursts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut key = network(address);
        if !bursts.contains_key(&key) && bursts.len() >= MAX_NETWORKS {
            bursts.retain(|_, burst| !burst.is_over(now_ms));
            if bursts.len() >= MAX_NETWORKS {
                key = OVERFLOW_NETWORK;
            }
        }
        match bursts.get_mut(&key) {
            Some(burst) if !burst.is_over(now_ms) => {
                burst.unwritten += 1;
                None
            }
            before => {
                let unwritten = before.map_or(0, |burst| burst.unwritten);
                bursts.insert(key, RejectionBurst { written_ms: now_ms, unwritten: 0 });
                Some(unwritten)
            }
        }
    }
}

impl RejectionBurst {
    fn is_over(&self, now_ms: u64) -> bool {
        // `abs_diff` also ends a burst if the clock was set back.
        self.written_ms.abs_diff(now_ms) >= LOG_INTERVAL_MS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_rejection_is_written_and_the_next_line_counts_the_others() {
        let bursts = RejectionBursts::default();
        let (first, second) = (IpAddr::from([192, 0, 2, 1]), IpAddr::from([192, 0, 2, 2]));

        let lines = [0, 1, 59_999, 60_000, 60_001, 300_000].map(|now_ms| bursts.record(first, now_ms));

        assert_eq!(lines, [Some(0), None, None, Some(2), None, Some(1)]);
        assert_eq!(bursts.record(second, 300_001), Some(0));
    }

    #[test]
    fn the_number_of_lines_is_bounded_for_any_number_of_networks() {
        let bursts = RejectionBursts::default();
        let addresses = (0..10_000_u32).map(|number| IpAddr::from(number.to_be_bytes()));

        let lines = addresses.filter(|address| bursts.record(*address, 0).is_some()).count();

        assert_eq!(lines, MAX_NETWORKS + 1);
    }
}
