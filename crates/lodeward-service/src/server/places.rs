//! How many connections each address may have.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::door::network;

/// Connections of one address at a time: nobody takes all that there are.
const PER_ADDRESS_MAX: usize = 512;

/// How many connections each address has now.
#[derive(Clone, Default)]
pub(super) struct Places(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// The place of one connection. Dropping it makes it free.
pub(super) struct Place(Option<(Places, IpAddr)>);

impl Places {
    fn taken(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place for somebody, unless they have as many as one may have. On this
    /// machine a proxy may speak for everybody, and has bounds of its own.
    pub(super) fn take(&self, peer: IpAddr) -> Option<Place> {
        let peer = peer.to_canonical();
        if peer.is_loopback() {
            return Some(Place(None));
        }
        let peer = network(peer);
        let mut taken = self.taken();
        let count = taken.entry(peer).or_default();
        if *count >= PER_ADDRESS_MAX {
            return None;
        }
        *count += 1;
        Some(Place(Some((self.clone(), peer))))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some((places, peer)) = self.0.take() else { return };
        let mut taken = places.taken();
        if let Some(count) = taken.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_takes_all_places_and_what_is_left_is_free_again() {
        let places = Places::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut taken: Vec<_> = (0..PER_ADDRESS_MAX)
            .map(|number| places.take(address(&format!("2001:db8::{number:x}"))).unwrap())
            .collect();

        assert!(places.take(address("2001:db8::ffff")).is_none());
        assert!(places.take(address("2001:db8:0:1::1")).is_some() && places.take(address("192.0.2.1")).is_some());
        taken.pop();
        assert!(places.take(address("2001:db8::ffff")).is_some());
        drop(taken);
        assert!(places.taken().is_empty());
    }

    #[test]
    fn a_proxy_on_this_machine_may_speak_for_everybody() {
        let places = Places::default();

        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let all: Vec<_> = (0..=PER_ADDRESS_MAX).map(|_| places.take(peer.parse().unwrap())).collect();
            assert!(all.iter().all(Option::is_some), "{peer}");
        }
    }
}
