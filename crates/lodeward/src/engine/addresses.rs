//! Caches the IP addresses of hosts.

use std::collections::HashMap;
use std::net::IpAddr;

/// The IP address of a host, as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostLocation {
    /// Not resolved yet.
    Unknown,
    /// Not resolvable: behind a proxy, or in a replay.
    Unresolvable,
    /// The IP address.
    Known(IpAddr),
}

/// A cache with a bounded number of hosts. When full it is cleared: resolving again costs a
/// lookup in the resolver's cache, no request.
#[derive(Debug)]
pub(super) struct HostAddresses {
    addresses: HashMap<String, Option<IpAddr>>,
    max_hosts: usize,
}

impl HostAddresses {
    pub(super) fn new(max_hosts: usize) -> Self {
        Self { addresses: HashMap::new(), max_hosts }
    }

    /// Looks up a host.
    pub(super) fn find(&self, host: &str) -> HostLocation {
        match self.addresses.get(host) {
            None => HostLocation::Unknown,
            Some(None) => HostLocation::Unresolvable,
            Some(Some(address)) => HostLocation::Known(*address),
        }
    }

    pub(super) fn insert(&mut self, host: &str, address: Option<IpAddr>) {
        if self.addresses.len() >= self.max_hosts {
            self.addresses.clear();
        }
        self.addresses.insert(host.to_owned(), address);
    }

    /// Removes a host that could not be reached: its address may have changed.
    pub(super) fn forget(&mut self, host: &str) {
        self.addresses.remove(host);
    }
}
