//! Names to addresses: one address per name, remembered, and never a private
//! one by accident.
//!
//! Politeness is kept per address, so the address that [`Resolver::locate`]
//! tells must be the one that is then connected to. The resolver therefore
//! pins one address per name, hands the same to the HTTP client, and moves on
//! to the next only when a connection fails. It has no clock: a name is
//! looked up again after so many uses, or when all its addresses have failed.

use std::collections::{HashMap, HashSet};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{Options, guard};
use crate::model::{Fault, FaultKind};

/// Resolves names; cheap to clone.
#[derive(Clone)]
pub struct Resolver(Arc<Inner>);

struct Inner {
    /// Addresses the user gave, exempt from the guard.
    given: HashMap<String, SocketAddr>,
    given_to_all: Option<SocketAddr>,
    /// Names of the user's own proxies.
    trusted: HashSet<String>,
    allow_private: bool,
    lookup_time_max: Duration,
    uses_max: u32,
    memory: Mutex<Memory>,
}

/// Why a name has no address for us.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LookupError {
    /// It has none at all.
    #[error("no address for `{0}`")]
    Unknown(String),
    /// It has only private ones.
    #[error("`{host}` is at the private address {address}")]
    Private {
        /// The name.
        host: String,
        /// One of its addresses.
        address: IpAddr,
    },
}

impl From<LookupError> for Fault {
    fn from(error: LookupError) -> Self {
        let kind = match error {
            LookupError::Unknown(_) => FaultKind::Dns,
            LookupError::Private { .. } => FaultKind::Forbidden,
        };
        Self::new(kind, error)
    }
}

/// Whom an address is for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    /// A document's server: guarded.
    Server,
    /// Whatever the HTTP client connects to: perhaps the user's proxy.
    Connection,
}

impl Resolver {
    /// A resolver that trusts these proxies.
    #[must_use]
    pub fn new(options: &Options, proxies: impl IntoIterator<Item = String>) -> Self {
        let (to_all, given): (Vec<_>, Vec<_>) = options.resolve.iter().partition(|rule| rule.host == "*");
        Self(Arc::new(Inner {
            given: given.into_iter().map(|rule| (rule.host.clone(), rule.address)).collect(),
            given_to_all: to_all.last().map(|rule| rule.address),
            trusted: proxies.into_iter().collect(),
            allow_private: options.allow_private,
            lookup_time_max: Duration::from_millis(options.connect_ms_max),
            uses_max: options.resolved_uses_max,
            memory: Mutex::new(Memory::new(options.resolved_names_max)),
        }))
    }

    /// The address at which a host will be asked; the host is a name, or an
    /// address as URIs have them.
    pub async fn locate(&self, host: &str) -> Result<IpAddr, LookupError> {
        let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
        match literal.parse() {
            Ok(address) if self.0.allow_private || guard::is_public(address) => Ok(address),
            Ok(address) => Err(LookupError::Private { host: host.to_owned(), address }),
            Err(_) => self.find(host, Target::Server).await.map(|address| address.ip()),
        }
    }

    /// Says that no connection could be made to a host's address: the next
    /// one is tried next time.
    pub fn blame(&self, host: &str) {
        self.memory().advance(host);
    }

    async fn find(&self, host: &str, target: Target) -> Result<SocketAddr, LookupError> {
        if let Some(address) = self.0.given.get(host).copied().or(self.0.given_to_all) {
            // The user's proxy is where they say, whatever `*` stands for.
            let is_proxy = target == Target::Connection && self.0.trusted.contains(host);
            if !is_proxy || self.0.given.contains_key(host) {
                return Ok(address);
            }
        }
        let remembered = self.memory().recall(host, self.0.uses_max);
        let pin = if let Some(pin) = remembered {
            pin
        } else {
            let addresses = self.look_up(host).await?;
            self.memory().learn(host, addresses)
        };
        self.admit(host, pin, target)
    }

    fn admit(&self, host: &str, address: IpAddr, target: Target) -> Result<SocketAddr, LookupError> {
        let is_trusted = target == Target::Connection && self.0.trusted.contains(host);
        if self.0.allow_private || is_trusted || guard::is_public(address) {
            return Ok(SocketAddr::new(address, 0));
        }
        Err(LookupError::Private { host: host.to_owned(), address })
    }

    /// The addresses of a name; the private ones only if it has no others.
    async fn look_up(&self, host: &str) -> Result<Vec<IpAddr>, LookupError> {
        let unknown = || LookupError::Unknown(host.to_owned());
        let lookup = tokio::net::lookup_host((host, 0));
        let addresses = tokio::time::timeout(self.0.lookup_time_max, lookup).await;
        let addresses = addresses.map_err(|_| unknown())?.map_err(|_| unknown())?;
        let mut addresses: Vec<_> = addresses.map(|address| address.ip()).take(ADDRESSES_MAX).collect();
        addresses.dedup();
        if !self.0.allow_private && addresses.iter().any(|address| guard::is_public(*address)) {
            addresses.retain(|address| guard::is_public(*address));
        }
        if addresses.is_empty() { Err(unknown()) } else { Ok(addresses) }
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.0.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let address = resolver.find(name.as_str(), Target::Connection).await?;
            Ok(Box::new(std::iter::once(address)) as Addrs)
        })
    }
}

/// Addresses kept per name.
const ADDRESSES_MAX: usize = 16;

struct Entry {
    addresses: Vec<IpAddr>,
    pin: usize,
    uses: u32,
}

/// What was looked up, in two generations: when the young one is full it
/// becomes the old one, which is forgotten. Names in use move to the young, so
/// that the bound costs no bookkeeping.
struct Memory {
    young: HashMap<Box<str>, Entry, foldhash::fast::RandomState>,
    old: HashMap<Box<str>, Entry, foldhash::fast::RandomState>,
    generation_max: usize,
}

impl Memory {
    fn new(entries_max: usize) -> Self {
        Self { young: HashMap::default(), old: HashMap::default(), generation_max: (entries_max / 2).max(1) }
    }

    /// The pinned address, unless it is unknown or worn out.
    fn recall(&mut self, host: &str, uses_max: u32) -> Option<IpAddr> {
        if !self.young.contains_key(host) {
            let (host, entry) = self.old.remove_entry(host)?;
            self.keep(host, entry);
        }
        let entry = self.young.get_mut(host)?;
        entry.uses = entry.uses.saturating_add(1);
        let pin = entry.addresses.get(entry.pin).copied();
        pin.filter(|_| entry.uses <= uses_max)
    }

    /// Remembers addresses, and which of them is pinned: the one before, if it
    /// still is one of them.
    fn learn(&mut self, host: &str, addresses: Vec<IpAddr>) -> IpAddr {
        let before = self.young.get(host).and_then(|entry| entry.addresses.get(entry.pin).copied());
        let pin = before.and_then(|before| addresses.iter().position(|address| *address == before)).unwrap_or(0);
        let pinned = addresses[pin];
        self.keep(host.into(), Entry { addresses, pin, uses: 1 });
        pinned
    }

    /// Pins the next address; after the last, the name is looked up again.
    fn advance(&mut self, host: &str) {
        if let Some(entry) = self.young.get_mut(host) {
            entry.pin += 1;
        }
    }

    fn keep(&mut self, host: Box<str>, entry: Entry) {
        if self.young.len() >= self.generation_max {
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
    fn the_next_address_is_pinned_when_one_fails_and_a_lookup_follows_the_last() {
        let mut memory = Memory::new(10);
        assert_eq!(memory.recall("a.org", 9), None);
        assert_eq!(memory.learn("a.org", vec![address(1), address(2)]), address(1));

        assert_eq!(memory.recall("a.org", 9), Some(address(1)));
        memory.advance("a.org");
        assert_eq!(memory.recall("a.org", 9), Some(address(2)));
        memory.advance("a.org");
        assert_eq!(memory.recall("a.org", 9), None);
        assert_eq!(memory.learn("a.org", vec![address(3)]), address(3));
    }

    #[test]
    fn a_worn_out_name_keeps_its_address_if_it_still_has_it() {
        let mut memory = Memory::new(10);
        memory.learn("a.org", vec![address(1), address(2)]);
        memory.advance("a.org");

        assert_eq!(memory.recall("a.org", 2), Some(address(2)));
        assert_eq!(memory.recall("a.org", 2), None);
        assert_eq!(memory.learn("a.org", vec![address(1), address(2)]), address(2));
    }

    #[test]
    fn the_memory_is_bounded_and_keeps_what_is_in_use() {
        let mut memory = Memory::new(10);
        memory.learn("kept.org", vec![address(1)]);
        for number in 0..100 {
            memory.learn(&format!("h{number}.org"), vec![address(2)]);
            assert_eq!(memory.recall("kept.org", 1_000), Some(address(1)));
            assert!(memory.young.len() + memory.old.len() <= 10);
        }
    }

    #[tokio::test]
    async fn private_addresses_are_refused_unless_given_or_allowed() {
        let given = || vec!["a.org:127.0.0.1:80".parse().unwrap()];
        let careful = Resolver::new(&Options { resolve: given(), ..Options::default() }, ["localhost".to_owned()]);
        let trusting = Resolver::new(&Options { allow_private: true, ..Options::default() }, []);

        assert_eq!(careful.locate("a.org").await, Ok([127, 0, 0, 1].into()));
        for host in ["localhost", "127.0.0.1", "[::1]", "10.1.2.3"] {
            assert!(matches!(careful.locate(host).await, Err(LookupError::Private { .. })), "{host}");
            assert!(trusting.locate(host).await.is_ok(), "{host}");
        }
        assert_eq!(careful.locate("9.9.9.9").await, Ok([9, 9, 9, 9].into()));
        assert_eq!(careful.locate("no.such.invalid").await, Err(LookupError::Unknown("no.such.invalid".to_owned())));
        // The proxy itself may be connected to.
        assert!(careful.find("localhost", Target::Connection).await.is_ok());
    }
}
