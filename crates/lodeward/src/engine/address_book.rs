//! Which address serves which host.

use std::collections::HashMap;
use std::net::IpAddr;

/// What is known about where a host is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whereabouts {
    /// Nobody has asked yet.
    Unknown,
    /// It cannot be known: behind a proxy, or in a replay.
    Hidden,
    /// Here.
    At(IpAddr),
}

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

    /// Where a host is.
    pub(super) fn find(&self, host: &str) -> Whereabouts {
        match self.addresses.get(host) {
            None => Whereabouts::Unknown,
            Some(None) => Whereabouts::Hidden,
            Some(Some(address)) => Whereabouts::At(*address),
        }
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
