//! Limits the connections of each IP address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::gateway::network;

/// Maximum number of open connections per IP address, so that no client can take all of them.
const MAX_PER_ADDRESS: usize = 512;

/// The number of open connections of each IP address.
#[derive(Clone, Default)]
pub(super) struct ConnectionLimit(Arc<Mutex<HashMap<IpAddr, usize>>>);

/// A permit for one connection, released when it is dropped.
pub(super) struct ConnectionPermit(Option<(ConnectionLimit, IpAddr)>);

impl ConnectionLimit {
    fn lock_counts(&self) -> MutexGuard<'_, HashMap<IpAddr, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A permit, unless the IP address has reached its limit. Loopback is not limited: a
    /// proxy on this machine forwards all clients, and has limits of its own.
    pub(super) fn try_acquire(&self, peer: IpAddr) -> Option<ConnectionPermit> {
        let peer = peer.to_canonical();
        if peer.is_loopback() {
            return Some(ConnectionPermit(None));
        }
        let peer = network(peer);
        let mut counts = self.lock_counts();
        let count = counts.entry(peer).or_default();
        if *count >= MAX_PER_ADDRESS {
            return None;
        }
        *count += 1;
        Some(ConnectionPermit(Some((self.clone(), peer))))
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        let Some((limit, peer)) = self.0.take() else { return };
        let mut counts = limit.lock_counts();
        if let Some(count) = counts.get_mut(&peer) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_connections_of_an_ip_address_are_limited_until_one_is_closed() {
        let limit = ConnectionLimit::default();
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let mut permits: Vec<_> = (0..MAX_PER_ADDRESS)
            .map(|number| limit.try_acquire(address(&format!("2001:db8::{number:x}"))).unwrap())
            .collect();

        assert!(limit.try_acquire(address("2001:db8::ffff")).is_none());
        assert!(
            limit.try_acquire(address("2001:db8:0:1::1")).is_some()
                && limit.try_acquire(address("192.0.2.1")).is_some()
        );
        permits.pop();
        assert!(limit.try_acquire(address("2001:db8::ffff")).is_some());
        drop(permits);
        assert!(limit.lock_counts().is_empty());
    }

    #[test]
    fn loopback_connections_are_not_limited() {
        let limit = ConnectionLimit::default();

        for peer in ["127.0.0.1", "::1", "::ffff:127.0.0.1"] {
            let all: Vec<_> = (0..=MAX_PER_ADDRESS).map(|_| limit.try_acquire(peer.parse().unwrap())).collect();
            assert!(all.iter().all(Option::is_some), "{peer}");
        }
    }
}
