//! Resolves host names: one cached IP address per name, private addresses only if allowed.
//!
//! Politeness applies per IP address, so the address returned by [`Resolver::locate`] must be the one that the HTTP
//! client then connects to. The resolver therefore pins one address per name, returns it to the HTTP client, and pins
//! the next one only when a connection fails. It reads no clock: a name is resolved again after a number of uses, or
//! when all its addresses have failed.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{FetchOptions, address_guard};
use crate::model::{Fault, FaultKind};

/// Resolves names; cheap to clone.
#[derive(Clone)]
pub(crate) struct Resolver(Arc<ResolverInner>);

struct ResolverInner {
    /// Addresses set by the user, exempt from the guard.
    overrides: HashMap<String, SocketAddr>,
    override_for_all: Option<SocketAddr>,
    /// Host names of the configured proxies, which may have private addresses.
    trusted: HashSet<String>,
    allow_private: bool,
    lookup_timeout: Duration,
    max_uses: u32,
    cache: Mutex<AddressCache>,
}

/// Why a name has no usable address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LookupError {
    /// The name does not resolve.
    #[error("no address for `{0}`")]
    Unknown(String),
    /// The name has private addresses only.
    #[error("`{host}` has the private address {address}")]
    Private {
        /// The name.
        host: String,
        /// One of the addresses of the name.
        address: IpAddr,
    },
}

impl From<LookupError> for Fault {
    fn from(error: LookupError) -> Self {
        let kind = match error {
            LookupError::Unknown(_) => FaultKind::Dns,
            LookupError::Private { .. } => FaultKind::ForbiddenAddress,
        };
        Self::new(kind, error)
    }
}

/// What an address is looked up for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LookupTarget {
    /// The server of a document, whose address must pass the guard.
    Server,
    /// A connection of the HTTP client, possibly to a configured proxy.
    Connection,
}

impl Resolver {
    /// A resolver that trusts these proxies.
    #[must_use]
    pub(crate) fn new(options: &FetchOptions, proxies: impl IntoIterator<Item = String>) -> Self {
        let (to_all, overrides): (Vec<_>, Vec<_>) = options.resolve.iter().partition(|rule| rule.host == "*");
        Self(Arc::new(ResolverInner {
            overrides: overrides.into_iter().map(|rule| (rule.host.clone(), rule.address)).collect(),
            override_for_all: to_all.last().map(|rule| rule.address),
            trusted: proxies.into_iter().collect(),
            allow_private: options.allow_private_addresses,
            lookup_timeout: Duration::from_millis(options.connect_timeout_ms),
            max_uses: options.max_resolved_uses,
            cache: Mutex::new(AddressCache::new(options.max_resolved_names)),
        }))
    }

    /// The address that requests to a host connect to. The host is a name, or an IP address as written in a URI.
    pub(crate) async fn locate(&self, host: &str) -> Result<IpAddr, LookupError> {
        let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        match literal.parse() {
            Ok(address) if self.0.allow_private || address_guard::is_public(address) => Ok(address),
            Ok(address) => Err(LookupError::Private { host: host.to_owned(), address }),
            Err(_) => self.resolve_host(host, LookupTarget::Server).await.map(|address| address.ip()),
        }
    }

    /// Reports a failed connection to the address of a host: the next address is pinned.
    pub(crate) fn report_unreachable(&self, host: &str) {
        self.cache().pin_next(host);
    }

    async fn resolve_host(&self, host: &str, target: LookupTarget) -> Result<SocketAddr, LookupError> {
        if let Some(address) = self.0.overrides.get(host).copied().or(self.0.override_for_all) {
            // The address of a proxy is not overridden by `*`.
            let is_proxy = target == LookupTarget::Connection && self.0.trusted.contains(host);
            if !is_proxy || self.0.overrides.contains_key(host) {
                return Ok(address);
            }
        }
        let remembered = self.cache().get(host, self.0.max_uses);
        let pin = if let Some(pin) = remembered {
            pin
        } else {
            let addresses = self.look_up(host).await?;
            self.cache().store(host, addresses)
        };
        self.check_address(host, pin, target)
    }

    fn check_address(&self, host: &str, address: IpAddr, target: LookupTarget) -> Result<SocketAddr, LookupError> {
        let is_trusted = target == LookupTarget::Connection && self.0.trusted.contains(host);
        if self.0.allow_private || is_trusted || address_guard::is_public(address) {
            return Ok(SocketAddr::new(address, 0));
        }
        Err(LookupError::Private { host: host.to_owned(), address })
    }

    /// The addresses of a name. Private addresses are returned only if the name has no others.
    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        let unknown = || LookupError::Unknown(host.to_owned());
        let lookup = tokio::net::lookup_host((host, 0));
        let addresses = tokio::time::timeout(self.0.lookup_timeout, lookup).await;
        let addresses = addresses.map_err(|_| unknown())?.map_err(|_| unknown())?;
        let mut addresses: Vec<_> = addresses.map(|address| address.ip()).take(MAX_ADDRESSES).collect();
        addresses.dedup();
        if !self.0.allow_private && addresses.iter().any(|address| address_guard::is_public(*address)) {
            addresses.retain(|address| address_guard::is_public(*address));
        }
        if addresses.is_empty() { Err(unknown()) } else { Ok(addresses) }
    }

    fn cache(&self) -> MutexGuard<'_, AddressCache> {
        self.0.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let address = resolver.resolve_host(name.as_str(), LookupTarget::Connection).await?;
            Ok(Box::new(std::iter::once(address)) as Addrs)
        })
    }
}

/// Maximum number of addresses per name.
const MAX_ADDRESSES: usize = 16;

struct AddressEntry {
    addresses: Vec<IpAddr>,
    pin: usize,
    uses: u32,
}

/// Resolved addresses, in two generations. When the young generation is full it becomes the old one, and the old one is
/// discarded. Names in use move to the young one. This bounds the memory without tracking the use of each name.
struct AddressCache {
    young: HashMap<Box<str>, AddressEntry, foldhash::fast::RandomState>,
    old: HashMap<Box<str>, AddressEntry, foldhash::fast::RandomState>,
    max_generation: usize,
}

impl AddressCache {
    fn new(max_entries: usize) -> Self {
        Self { young: HashMap::default(), old: HashMap::default(), max_generation: (max_entries / 2).max(1) }
    }

    /// The pinned address, unless it is unknown or has been used `max_uses` times.
    fn get(&mut self, host: &str, max_uses: u32) -> Option<IpAddr> {
        if !self.young.contains_key(host) {
            let (host, entry) = self.old.remove_entry(host)?;
            self.insert_entry(host, entry);
        }
        let entry = self.young.get_mut(host)?;
        entry.uses = entry.uses.saturating_add(1);
        let pin = entry.addresses.get(entry.pin).copied();
        pin.filter(|_| entry.uses <= max_uses)
    }

    /// Stores addresses and pins the previously pinned one, if it is among them.
    fn store(&mut self, host: &str, addresses: Vec<IpAddr>) -> IpAddr {
        let before = self.young.get(host).and_then(|entry| entry.addresses.get(entry.pin).copied());
        let pin = before.and_then(|before| addresses.iter().position(|address| *address == before)).unwrap_or(0);
        let pinned = addresses[pin];
        self.insert_entry(host.into(), AddressEntry { addresses, pin, uses: 1 });
        pinned
    }

    /// Pins the next address; after the last, the name is resolved again.
    fn pin_next(&mut self, host: &str) {
        if let Some(entry) = self.young.get_mut(host) {
            entry.pin += 1;
        }
    }

    fn insert_entry(&mut self, host: Box<str>, entry: AddressEntry) {
        if self.young.len() >= self.max_generation {
            self.old = std::mem::take(&mut self.young);
        }
        self.young.insert(host, entry);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        IpAddr::from([9, 9, 9, last])
    }

    #[test]
    fn next_address_is_pinned_after_a_failure_and_the_name_is_resolved_after_the_last() {
        let mut cache = AddressCache::new(10);
        assert_eq!(cache.get("a.org", 9), None);
        assert_eq!(cache.store("a.org", vec![address(1), address(2)]), address(1));

        assert_eq!(cache.get("a.org", 9), Some(address(1)));
        cache.pin_next("a.org");
        assert_eq!(cache.get("a.org", 9), Some(address(2)));
        cache.pin_next("a.org");
        assert_eq!(cache.get("a.org", 9), None);
        assert_eq!(cache.store("a.org", vec![address(3)]), address(3));
    }

    #[test]
    fn resolving_again_preserves_the_pinned_address() {
        let mut cache = AddressCache::new(10);
        cache.store("a.org", vec![address(1), address(2)]);
        cache.pin_next("a.org");

        assert_eq!(cache.get("a.org", 2), Some(address(2)));
        assert_eq!(cache.get("a.org", 2), None);
        assert_eq!(cache.store("a.org", vec![address(1), address(2)]), address(2));
    }

    #[test]
    fn cache_is_bounded_and_retains_names_in_use() {
        let mut cache = AddressCache::new(10);
        cache.store("kept.org", vec![address(1)]);
        for number in 0..100 {
            cache.store(&format!("h{number}.org"), vec![address(2)]);
            assert_eq!(cache.get("kept.org", 1_000), Some(address(1)));
            assert!(cache.young.len() + cache.old.len() <= 10);
        }
    }

    #[tokio::test]
    async fn private_addresses_are_rejected_unless_overridden_or_allowed() {
        let overrides = || vec!["a.org:127.0.0.1:80".parse().unwrap()];
        let guarded =
            Resolver::new(&FetchOptions { resolve: overrides(), ..FetchOptions::default() }, ["localhost".to_owned()]);
        let permissive = Resolver::new(&FetchOptions { allow_private_addresses: true, ..FetchOptions::default() }, []);

        assert_eq!(guarded.locate("a.org").await, Ok([127, 0, 0, 1].into()));
        for host in ["localhost", "127.0.0.1", "[::1]", "10.1.2.3"] {
            assert!(matches!(guarded.locate(host).await, Err(LookupError::Private { .. })), "{host}");
            assert!(permissive.locate(host).await.is_ok(), "{host}");
        }
        assert_eq!(guarded.locate("9.9.9.9").await, Ok([9, 9, 9, 9].into()));
        assert_eq!(guarded.locate("no.such.invalid").await, Err(LookupError::Unknown("no.such.invalid".to_owned())));
        // A connection to the proxy itself is allowed.
        assert!(guarded.resolve_host("localhost", LookupTarget::Connection).await.is_ok());
    }
}
