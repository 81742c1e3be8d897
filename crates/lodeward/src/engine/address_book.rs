//! Which address serves which host.

use std::collections::HashMap;
use std::net::IpAddr;

/// Remembers a bounded number of hosts. When it is full it begins anew: asking
/// again costs a look into the resolver's cache, no request.
#[derive(Debug)]
pub(super) struct AddressBook {
    addresses: HashMap<String, Option<IpAddr>>,
    hosts_max: usize,
}

impl AddressBook {
    pub(super) fn new(hosts_max: usize) -> Self {
        Self { addresses: HashMap::new(), hosts_max }
    }

    /// The address of a host; `Some(None)` when it is known that it cannot be
    /// known, as behind a proxy.
    pub(super) fn find(&self, host: &str) -> Option<Option<IpAddr>> {
        self.addresses.get(host).copied()
    }

    pub(super) fn note(&mut self, host: &str, address: Option<IpAddr>) {
        if self.addresses.len() >= self.hosts_max {
            self.addresses.clear();
        }
        self.addresses.insert(host.to_owned(), address);
    }

    /// Forgets a host that could not be reached: it may have moved.
    pub(super) fn forget(&mut self, host: &str) {
        self.addresses.remove(host);
    }
}
