//! Where contexts come from that documents refer to by address.

use std::collections::VecDeque;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::{HashMap, HashMapExt};

use super::bundled;

/// Brings the contexts that JSON-LD documents refer to by address.
///
/// The reader asks in the middle of a document and waits for the answer, on
/// the thread that reads. A context that cannot be had is a fault of the
/// document: guessing at it would make wrong statements.
pub trait Contexts: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The text of the context at this address, or why there is none.
    fn load(&self, address: &str) -> Result<Vec<u8>, String>;
}

impl<C: Contexts + ?Sized> Contexts for Arc<C> {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        (**self).load(address)
    }
}

/// The contexts that most of the web uses, written into the program. What is
/// not among them is not at hand.
///
/// | context | address, by `http` or `https` | terms |
/// |---|---|---|
/// | schema.org 30.0 | `schema.org`, also of its extensions, and `…/docs/jsonldcontext.json` | 158, and `@vocab` for the rest |
/// | Activity Streams 2.0 | `www.w3.org/ns/activitystreams` | 148 |
/// | Verifiable Credentials | `www.w3.org/2018/credentials/v1`, `www.w3.org/ns/credentials/v2` | 75, 94 |
/// | Decentralized Identifiers | `www.w3.org/ns/did/v1` | 14 |
/// | Security Vocabulary | `w3id.org/security/v1`, `…/v2` | 43, 52 |
/// | Data Integrity | `w3id.org/security/data-integrity/v1`, `…/v2` | 23, 23 |
/// | Multikey | `w3id.org/security/multikey/v1` | 10 |
/// | Ed25519 keys | `w3id.org/security/suites/ed25519-2018/v1`, `…/ed25519-2020/v1` | 27, 27 |
/// | X25519 and JWS keys | `w3id.org/security/suites/x25519-2020/v1`, `…/jws-2020/v1` | 8, 23 |
/// | Status List 2021 | `w3id.org/vc/status-list/2021/v1` | 16 |
/// | Identity Credentials | `w3id.org/identity/v1` | 76 |
/// | Open Badges 2.0 | `w3id.org/openbadges/v2` | 81 |
/// | Web Annotation | `www.w3.org/ns/anno.jsonld` | 114 |
/// | ODRL 2.2 | `www.w3.org/ns/odrl.jsonld` | 174 |
/// | IIIF Presentation and Image 2 | `iiif.io/api/presentation/2/context.json`, `…/image/2/…` | 80, 46 |
/// | `CodeMeta` 2.0 and 3.0 | `doi.org/10.5063/schema/codemeta-2.0`, `w3id.org/codemeta/3.0` | 74, 83 |
/// | `GeoJSON` | `geojson.org/geojson-ld/geojson-context.jsonld` | 17 |
/// | `RDFa` 1.1 prefixes | `www.w3.org/2013/json-ld-context/rdfa11` | 54 |
/// | the person of the examples | `json-ld.org/contexts/person.jsonld` | 32 |
#[derive(Clone, Copy, Debug, Default)]
pub struct Bundled;

impl Contexts for Bundled {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        bundled::context(address).map(<[u8]>::to_vec).ok_or_else(|| "not at hand".to_owned())
    }
}

/// Asks one after the other, until one has the context.
///
/// ```
/// use std::sync::Arc;
///
/// use lodeward_markup::json_ld::{Bundled, Cache, Chain, Contexts};
///
/// struct Web;
///
/// impl Contexts for Web {
///     fn load(&self, address: &str) -> Result<Vec<u8>, String> {
///         Err(format!("no way to {address}"))
///     }
/// }
///
/// let contexts = Chain(vec![Arc::new(Bundled), Arc::new(Cache::new(Web, 64, 8 << 20))]);
/// assert!(contexts.load("https://schema.org/").is_ok());
/// assert_eq!(contexts.load("http://a.org/"), Err("no way to http://a.org/".to_owned()));
/// ```
pub struct Chain(pub Vec<Arc<dyn Contexts>>);

impl Contexts for Chain {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        let mut result = Err("not at hand".to_owned());
        for contexts in &self.0 {
            result = contexts.load(address);
            if result.is_ok() {
                break;
            }
        }
        result
    }
}

/// Remembers what was loaded, and what could not be, as long as the process
/// lives or until there is no more room. What came first goes first.
pub struct Cache<C> {
    inner: C,
    entries_max: usize,
    bytes_max: usize,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    results: HashMap<String, Result<Arc<[u8]>, String>>,
    order: VecDeque<String>,
    bytes: usize,
}

impl<C: Contexts> Cache<C> {
    /// Keeps so many contexts, and so many bytes of them, of what another has.
    pub fn new(inner: C, entries_max: usize, bytes_max: usize) -> Self {
        let kept = Kept { results: HashMap::new(), ..Kept::default() };
        Self { inner, entries_max, bytes_max, kept: Mutex::new(kept) }
    }

    /// Between two changes nothing can panic: what a thread left is whole.
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: Contexts> Contexts for Cache<C> {
    fn load(&self, address: &str) -> Result<Vec<u8>, String> {
        if let Some(result) = self.kept().results.get(address) {
            return result.as_ref().map(|bytes| bytes.to_vec()).map_err(Clone::clone);
        }
        // Not while others wait: two may load the same, and the first is kept.
        let result = self.inner.load(address);
        let kept = result.as_ref().map(|bytes| bytes.as_slice().into()).map_err(Clone::clone);
        self.kept().keep(address, kept, self.entries_max, self.bytes_max);
        result
    }
}

impl Kept {
    fn keep(&mut self, address: &str, result: Result<Arc<[u8]>, String>, entries_max: usize, bytes_max: usize) {
        let bytes = weight(address, &result);
        if bytes > bytes_max || self.results.contains_key(address) {
            return;
        }
        while self.results.len() >= entries_max || self.bytes + bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some(result) = self.results.remove(&oldest) {
                self.bytes -= weight(&oldest, &result);
            }
        }
        self.bytes += bytes;
        self.order.push_back(address.to_owned());
        self.results.insert(address.to_owned(), result);
    }
}

fn weight(address: &str, result: &Result<Arc<[u8]>, String>) -> usize {
    address.len() + result.as_ref().map_or_else(String::len, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Has what does not begin with `no`, and counts how often it is asked.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Contexts for Counting {
        fn load(&self, address: &str) -> Result<Vec<u8>, String> {
            self.0.fetch_add(1, Ordering::Relaxed);
            if address.starts_with("no") { Err("none".to_owned()) } else { Ok(address.as_bytes().repeat(10)) }
        }
    }

    fn asked(addresses: &[&str], entries_max: usize, bytes_max: usize) -> usize {
        let cache = Cache::new(Counting::default(), entries_max, bytes_max);
        for address in addresses {
            assert_eq!(cache.load(address), Counting::default().load(address));
            let kept = cache.kept();
            assert!(kept.results.len() <= entries_max && kept.bytes <= bytes_max);
            assert_eq!(kept.order.len(), kept.results.len());
        }
        cache.inner.0.load(Ordering::Relaxed)
    }

    #[test]
    fn contexts_and_failures_are_remembered() {
        assert_eq!(asked(&["a", "no", "a", "no", "a", "no"], 9, 999), 2);
    }

    #[test]
    fn what_is_remembered_is_bounded() {
        assert_eq!(asked(&["a", "b", "c", "c", "b", "a"], 2, 999), 4);
        assert_eq!(asked(&["a", "b", "c", "c", "b", "a"], 9, 25), 4);
        assert_eq!(asked(&["a", "a"], 9, 5), 2);
        assert_eq!(asked(&["a", "a"], 0, 999), 2);
    }
}
