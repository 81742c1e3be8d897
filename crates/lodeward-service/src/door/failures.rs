//! How often passwords were wrong, and how long to wait for that.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::address::network;
use crate::people::Name;

/// Wrong passwords that cost nothing: people mistype.
const FREE: u32 = 5;

/// The longest wait.
const WAIT_MAX_MS: u64 = 300_000;

/// After this long without another one, they are forgotten.
const FORGET_MS: u64 = 3_600_000;

/// The most names and addresses that are remembered.
const KEYS_MAX: usize = 10_000;

/// Where a user was let in by password is known this long.
const KNOWN_MS: u64 = 30 * 24 * 3_600_000;

/// The most that is known of that.
const KNOWN_MAX: usize = 10_000;

/// Who has failed. Both count: one address may try many names, and many addresses one
/// name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// `None` for all that cannot be names.
    Name(Option<Name>),
    Address(IpAddr),
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    count: u32,
    last_ms: u64,
}

impl Entry {
    /// The first wait is a second, and every further one twice as long.
    fn until_ms(self) -> u64 {
        let Some(doublings) = self.count.checked_sub(FREE) else { return 0 };
        let wait_ms = 1_000_u64.checked_shl(doublings.min(32)).unwrap_or(WAIT_MAX_MS).min(WAIT_MAX_MS);
        self.last_ms.saturating_add(wait_ms)
    }

    fn is_old(self, now_ms: u64) -> bool {
        now_ms.saturating_sub(self.last_ms) >= FORGET_MS
    }
}

/// How often passwords were wrong.
#[derive(Default)]
pub(super) struct Failures {
    entries: Mutex<HashMap<Key, Entry>>,
    /// From where somebody has come whose password was right, and when. What others
    /// try elsewhere does not keep them out there: old clients have nothing but a
    /// password.
    known: Mutex<HashMap<(Name, IpAddr), u64>>,
}

impl Failures {
    fn entries(&self) -> MutexGuard<'_, HashMap<Key, Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> MutexGuard<'_, HashMap<(Name, IpAddr), u64>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn knows(&self, name: Option<&Name>, address: IpAddr, now_ms: u64) -> bool {
        let Some(name) = name else { return false };
        let since = self.known().get(&(name.clone(), network(address))).copied();
        since.is_some_and(|since| now_ms.saturating_sub(since) < KNOWN_MS)
    }

    /// How long this one has to wait, if at all. What is tried meanwhile is not
    /// looked at, and so tells nothing.
    pub(super) fn wait(&self, name: Option<&Name>, address: IpAddr, now_ms: u64) -> Option<Duration> {
        let is_known = self.knows(name, address, now_ms);
        let entries = self.entries();
        let until = |key: &Key| entries.get(key).map_or(0, |entry| entry.until_ms());
        let [by_name, by_address] = keys(name, address);
        let until_ms = if is_known { until(&by_address) } else { until(&by_address).max(until(&by_name)) };
        // A clock that was set back keeps nobody out for long.
        let left_ms = until_ms.saturating_sub(now_ms).min(WAIT_MAX_MS);
        (left_ms > 0).then(|| Duration::from_millis(left_ms))
    }

    /// A password was wrong.
    pub(super) fn add(&self, name: Option<&Name>, address: IpAddr, now_ms: u64) {
        let mut entries = self.entries();
        for key in keys(name, address) {
            if entries.len() >= KEYS_MAX && !entries.contains_key(&key) {
                make_room(&mut entries, now_ms);
            }
            let entry = entries.entry(key).or_insert(Entry { count: 0, last_ms: now_ms });
            let count = if entry.is_old(now_ms) { 0 } else { entry.count };
            *entry = Entry { count: count.saturating_add(1), last_ms: now_ms };
        }
    }

    /// It was right. This says nothing about the others that were tried from there:
    /// who has a password of their own could begin anew again and again.
    pub(super) fn forgive(&self, name: &Name, address: IpAddr, now_ms: u64) {
        // Who was not held up by what others try does not clear it for them either.
        if !self.knows(Some(name), address, now_ms) {
            self.entries().remove(&Key::Name(Some(name.clone())));
        }
        let mut known = self.known();
        let key = (name.clone(), network(address));
        if known.len() >= KNOWN_MAX && !known.contains_key(&key) {
            let oldest = known.iter().min_by_key(|(_, since)| **since).map(|(key, _)| key.clone());
            oldest.map(|oldest| known.remove(&oldest));
        }
        known.insert(key, now_ms);
    }
}

fn keys(name: Option<&Name>, address: IpAddr) -> [Key; 2] {
    [Key::Name(name.cloned()), Key::Address(network(address))]
}

/// Forgets what is old, and if that is not enough the least of the rest.
fn make_room(entries: &mut HashMap<Key, Entry>, now_ms: u64) {
    entries.retain(|_, entry| !entry.is_old(now_ms));
    if entries.len() < KEYS_MAX {
        return;
    }
    let least = entries.iter().min_by_key(|(_, entry)| (entry.count, entry.last_ms)).map(|(key, _)| key.clone());
    if let Some(least) = least {
        entries.remove(&least);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 1));
    const THERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(192, 0, 2, 2));

    fn name(text: &str) -> Name {
        text.parse().unwrap()
    }

    fn seconds(wait: Option<Duration>) -> u64 {
        wait.map_or(0, |wait| wait.as_secs())
    }

    #[test]
    fn waits_grow_up_to_a_bound_and_are_forgotten() {
        let failures = Failures::default();
        let alice = name("alice");
        let mut waits = Vec::new();
        for _ in 0..16 {
            failures.add(Some(&alice), HERE, 1_000);
            waits.push(seconds(failures.wait(Some(&alice), HERE, 1_000)));
        }

        assert_eq!(waits, [0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
        assert_eq!(failures.wait(Some(&alice), HERE, 301_000), None);
        failures.add(Some(&alice), HERE, 1_000 + FORGET_MS);
        assert_eq!(failures.wait(Some(&alice), HERE, 1_000 + FORGET_MS), None);
    }

    #[test]
    fn a_name_is_guarded_against_many_addresses_and_an_address_tries_no_further_names() {
        let failures = Failures::default();
        for _ in 0..5 {
            failures.add(Some(&name("alice")), HERE, 1_000);
        }

        assert!(failures.wait(Some(&name("alice")), THERE, 1_000).is_some());
        assert!(failures.wait(Some(&name("bob")), HERE, 1_000).is_some());
        assert!(failures.wait(None, HERE, 1_000).is_some());
        assert!(failures.wait(Some(&name("bob")), THERE, 1_000).is_none());
    }

    #[test]
    fn a_right_password_clears_a_name_but_not_where_it_came_from() {
        let failures = Failures::default();
        for _ in 0..5 {
            failures.add(Some(&name("alice")), HERE, 1_000);
        }

        failures.forgive(&name("alice"), HERE, 1_000);

        assert!(failures.wait(Some(&name("alice")), THERE, 1_000).is_none());
        assert!(failures.wait(Some(&name("alice")), HERE, 1_000).is_some());
    }

    #[test]
    fn what_others_try_keeps_nobody_out_where_they_were_right_before() {
        let failures = Failures::default();
        let alice = name("alice");
        let wait = |address| failures.wait(Some(&alice), address, 1_000);
        failures.forgive(&alice, HERE, 1_000);
        for _ in 0..9 {
            failures.add(Some(&alice), THERE, 1_000);
        }

        assert!(wait(HERE).is_none() && wait(THERE).is_some() && wait(IpAddr::from([10, 0, 0, 1])).is_some());
        failures.forgive(&alice, HERE, 1_000);
        assert!(wait(IpAddr::from([10, 0, 0, 1])).is_some());
        for _ in 0..5 {
            failures.add(Some(&alice), HERE, 1_000);
        }
        assert!(wait(HERE).is_some());
        let later_ms = 1_000 + KNOWN_MS;
        failures.add(Some(&alice), THERE, later_ms);
        assert!(!failures.knows(Some(&alice), HERE, later_ms));
    }

    #[test]
    fn where_somebody_was_right_is_known_within_bounds() {
        let failures = Failures::default();
        for number in 0..=KNOWN_MAX {
            failures.forgive(&name(&format!("u{number}")), HERE, number as u64);
        }

        assert_eq!(failures.known().len(), KNOWN_MAX);
        assert!(!failures.knows(Some(&name("u0")), HERE, 1) && failures.knows(Some(&name("u1")), HERE, 1));
    }

    #[test]
    fn what_is_remembered_is_bounded_and_the_worst_stay() {
        let failures = Failures::default();
        for _ in 0..9 {
            failures.add(Some(&name("alice")), HERE, 1_000);
        }
        for number in 0..KEYS_MAX + 50 {
            failures.add(Some(&name(&format!("u{number}"))), THERE, 1_000);
        }

        assert!(failures.entries().len() <= KEYS_MAX);
        assert!(failures.wait(Some(&name("alice")), IpAddr::from([10, 0, 0, 1]), 1_000).is_some());
    }
}
