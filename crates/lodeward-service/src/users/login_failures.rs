//! Counts failed logins, and delays further attempts.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::UserName;
use crate::client_address::network;

/// Number of failed attempts that cause no delay, to allow for typing errors.
const FREE_ATTEMPTS: u32 = 5;

/// The maximum delay.
const MAX_WAIT_MS: u64 = 300_000;

/// The time without failures after which the count of a name or address is reset.
const RESET_AFTER_MS: u64 = 3_600_000;

/// Maximum number of names and addresses whose failures are counted.
const MAX_KEYS: usize = 10_000;

/// How long a user's IP address is trusted after a successful login by password.
const TRUSTED_MS: u64 = 30 * 24 * 3_600_000;

/// The maximum number of trusted addresses.
const MAX_TRUSTED: usize = 10_000;

/// What failures are counted by: user name and network. Both are needed: one address may try many
/// names, and many addresses may try one name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum LoginKey {
    /// A user name; `None` for all invalid names together.
    Name(Option<UserName>),
    Address(IpAddr),
}

#[derive(Clone, Copy, Debug)]
struct LoginFailureCount {
    count: u32,
    last_ms: u64,
}

impl LoginFailureCount {
    /// When the next attempt is allowed. The first delay is one second; every further delay is twice as long.
    fn locked_until_ms(self) -> u64 {
        let Some(doublings) = self.count.checked_sub(FREE_ATTEMPTS) else { return 0 };
        let wait_ms = 1_000_u64.checked_shl(doublings.min(32)).unwrap_or(MAX_WAIT_MS).min(MAX_WAIT_MS);
        self.last_ms.saturating_add(wait_ms)
    }

    fn is_expired(self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.last_ms) >= RESET_AFTER_MS
    }
}

/// Failed logins.
#[derive(Default)]
pub(super) struct LoginFailures {
    entries: Mutex<HashMap<LoginKey, LoginFailureCount>>,
    /// Addresses from which a user has logged in by password, and when. Failures from other
    /// addresses do not delay a login from these addresses, because old clients can log in by
    /// password only.
    trusted: Mutex<HashMap<(UserName, IpAddr), u64>>,
}

impl LoginFailures {
    fn entries(&self) -> MutexGuard<'_, HashMap<LoginKey, LoginFailureCount>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn trusted(&self) -> MutexGuard<'_, HashMap<(UserName, IpAddr), u64>> {
        self.trusted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_trusted(&self, name: Option<&UserName>, address: IpAddr, now_ms: u64) -> bool {
        let Some(name) = name else { return false };
        let since = self.trusted().get(&(name.clone(), network(address))).copied();
        since.is_some_and(|since| now_ms.saturating_sub(since) < TRUSTED_MS)
    }

    /// How long the client has to wait, if at all. Passwords sent during the wait are not checked,
    /// so that the responses reveal nothing.
    pub(super) fn retry_after(&self, name: Option<&UserName>, address: IpAddr, now_ms: u64) -> Option<Duration> {
        let is_trusted = self.is_trusted(name, address, now_ms);
        let entries = self.entries();
        let until = |key: &LoginKey| entries.get(key).map_or(0, |entry| entry.locked_until_ms());
        let [by_name, by_address] = keys(name, address);
        let until_ms = if is_trusted { until(&by_address) } else { until(&by_address).max(until(&by_name)) };
        // If the clock was set back, the delay is still bounded.
        let left_ms = until_ms.saturating_sub(now_ms).min(MAX_WAIT_MS);
        (left_ms > 0).then(|| Duration::from_millis(left_ms))
    }

    /// Counts a failed login.
    pub(super) fn add(&self, name: Option<&UserName>, address: IpAddr, now_ms: u64) {
        let mut entries = self.entries();
        for key in keys(name, address) {
            if entries.len() >= MAX_KEYS && !entries.contains_key(&key) {
                evict(&mut entries, now_ms);
            }
            let entry = entries.entry(key).or_insert(LoginFailureCount { count: 0, last_ms: now_ms });
            let count = if entry.is_expired(now_ms) { 0 } else { entry.count };
            *entry = LoginFailureCount { count: count.saturating_add(1), last_ms: now_ms };
        }
    }

    /// Resets the failures of the name, not those of the address: a user could otherwise reset
    /// the count between guesses at passwords of others.
    pub(super) fn record_success(&self, name: &UserName, address: IpAddr, now_ms: u64) {
        // Failures from other addresses do not delay a login from a trusted address, so such a
        // login does not reset them.
        if !self.is_trusted(Some(name), address, now_ms) {
            self.entries().remove(&LoginKey::Name(Some(name.clone())));
        }
        let mut trusted = self.trusted();
        let key = (name.clone(), network(address));
        if trusted.len() >= MAX_TRUSTED && !trusted.contains_key(&key) {
            let oldest = trusted.iter().min_by_key(|(_, since)| **since).map(|(key, _)| key.clone());
            oldest.map(|oldest| trusted.remove(&oldest));
        }
        trusted.insert(key, now_ms);
    }
}

fn keys(name: Option<&UserName>, address: IpAddr) -> [LoginKey; 2] {
    [LoginKey::Name(name.cloned()), LoginKey::Address(network(address))]
}

/// Removes all expired counts. If there are still too many, removes the lowest count.
fn evict(entries: &mut HashMap<LoginKey, LoginFailureCount>, now_ms: u64) {
    entries.retain(|_, entry| !entry.is_expired(now_ms));
    if entries.len() < MAX_KEYS {
        return;
    }
    let lowest = entries.iter().min_by_key(|(_, entry)| (entry.count, entry.last_ms)).map(|(key, _)| key.clone());
    if let Some(lowest) = lowest {
        entries.remove(&lowest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const SECOND: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn name(text: &str) -> UserName {
        text.parse().unwrap()
    }

    fn seconds(wait: Option<Duration>) -> u64 {
        wait.map_or(0, |wait| wait.as_secs())
    }

    #[test]
    fn delays_grow_to_a_maximum_and_expire() {
        let failures = LoginFailures::default();
        let alice = name("alice");
        let mut waits = Vec::new();
        for _ in 0..16 {
            failures.add(Some(&alice), FIRST, 1_000);
            waits.push(seconds(failures.retry_after(Some(&alice), FIRST, 1_000)));
        }

        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
        assert_eq!(failures.retry_after(Some(&alice), FIRST, 301_000), None);
        failures.add(Some(&alice), FIRST, 1_000 + RESET_AFTER_MS);
        assert_eq!(failures.retry_after(Some(&alice), FIRST, 1_000 + RESET_AFTER_MS), None);
    }

    #[test]
    fn failures_count_by_name_and_by_address() {
        let failures = LoginFailures::default();
        for _ in 0..5 {
            failures.add(Some(&name("alice")), FIRST, 1_000);
        }

        assert!(failures.retry_after(Some(&name("alice")), SECOND, 1_000).is_some());
        assert!(failures.retry_after(Some(&name("bob")), FIRST, 1_000).is_some());
        assert!(failures.retry_after(None, FIRST, 1_000).is_some());
        assert!(failures.retry_after(Some(&name("bob")), SECOND, 1_000).is_none());
    }

    #[test]
    fn a_successful_login_resets_the_name_but_not_the_address() {
        let failures = LoginFailures::default();
        for _ in 0..5 {
            failures.add(Some(&name("alice")), FIRST, 1_000);
        }

        failures.record_success(&name("alice"), FIRST, 1_000);

        assert!(failures.retry_after(Some(&name("alice")), SECOND, 1_000).is_none());
        assert!(failures.retry_after(Some(&name("alice")), FIRST, 1_000).is_some());
    }

    #[test]
    fn failures_from_other_addresses_do_not_delay_a_trusted_address() {
        let failures = LoginFailures::default();
        let alice = name("alice");
        let wait = |address| failures.retry_after(Some(&alice), address, 1_000);
        failures.record_success(&alice, FIRST, 1_000);
        for _ in 0..9 {
            failures.add(Some(&alice), SECOND, 1_000);
        }

        assert!(wait(FIRST).is_none() && wait(SECOND).is_some() && wait(IpAddr::from([10, 0, 0, 1])).is_some());
        failures.record_success(&alice, FIRST, 1_000);
        assert!(wait(IpAddr::from([10, 0, 0, 1])).is_some());
        for _ in 0..5 {
            failures.add(Some(&alice), FIRST, 1_000);
        }
        assert!(wait(FIRST).is_some());
        let later_ms = 1_000 + TRUSTED_MS;
        failures.add(Some(&alice), SECOND, later_ms);
        assert!(!failures.is_trusted(Some(&alice), FIRST, later_ms));
    }

    #[test]
    fn the_number_of_trusted_addresses_is_bounded() {
        let failures = LoginFailures::default();
        for number in 0..=MAX_TRUSTED {
            failures.record_success(&name(&format!("u{number}")), FIRST, number as u64);
        }

        assert_eq!(failures.trusted().len(), MAX_TRUSTED);
        assert!(!failures.is_trusted(Some(&name("u0")), FIRST, 1) && failures.is_trusted(Some(&name("u1")), FIRST, 1));
    }

    #[test]
    fn the_number_of_counts_is_bounded_and_the_highest_stay() {
        let failures = LoginFailures::default();
        for _ in 0..9 {
            failures.add(Some(&name("alice")), FIRST, 1_000);
        }
        for number in 0..MAX_KEYS + 50 {
            failures.add(Some(&name(&format!("u{number}"))), SECOND, 1_000);
        }

        assert!(failures.entries().len() <= MAX_KEYS);
        assert!(failures.retry_after(Some(&name("alice")), IpAddr::from([10, 0, 0, 1]), 1_000).is_some());
    }
}
