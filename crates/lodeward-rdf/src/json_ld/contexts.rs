//! Loading of remote contexts.

use std::collections::VecDeque;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foldhash::{HashMap, HashMapExt};

use super::bundled;

/// Loads the contexts that JSON-LD documents refer to by URL.
///
/// The reader calls it while it reads a document, on the same thread, and waits for the result. A
/// context that is not available is a fault of the document: a guess would create wrong statements.
pub trait ContextLoader: Send + Sync + UnwindSafe + RefUnwindSafe {
    /// The text of the context at this URL, or why it is not available.
    fn load(&self, url: &str) -> Result<Vec<u8>, String>;
}

impl<C: ContextLoader + ?Sized> ContextLoader for Arc<C> {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        (**self).load(url)
    }
}

/// The most common contexts, compiled into the program. Other contexts are not available.
///
/// | context | URL, with `http` or `https` | terms |
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
/// | person, used in examples | `json-ld.org/contexts/person.jsonld` | 32 |
#[derive(Clone, Copy, Debug, Default)]
pub struct BundledContexts;

impl ContextLoader for BundledContexts {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        bundled::context(url).map(<[u8]>::to_vec).ok_or_else(|| "not available".to_owned())
    }
}

/// Tries several loaders in order, until one has the context.
///
/// ```
/// use std::sync::Arc;
///
/// use lodeward_rdf::json_ld::{BundledContexts, ContextCache, ContextChain, ContextLoader};
///
/// struct Unreachable;
///
/// impl ContextLoader for Unreachable {
///     fn load(&self, url: &str) -> Result<Vec<u8>, String> {
///         Err(format!("cannot fetch {url}"))
///     }
/// }
///
/// let contexts = ContextChain(vec![Arc::new(BundledContexts), Arc::new(ContextCache::new(Unreachable, 64, 8 << 20))]);
/// assert!(contexts.load("https://schema.org/").is_ok());
/// assert_eq!(contexts.load("http://a.org/"), Err("cannot fetch http://a.org/".to_owned()));
/// ```
pub struct ContextChain(pub Vec<Arc<dyn ContextLoader>>);

impl ContextLoader for ContextChain {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        let mut result = Err("not available".to_owned());
        for contexts in &self.0 {
            result = contexts.load(url);
            if result.is_ok() {
                break;
            }
        }
        result
    }
}

/// Caches loaded contexts and failures, for the lifetime of the process. If the cache is full, the
/// oldest entry is removed.
pub struct ContextCache<C> {
    inner: C,
    max_entries: usize,
    max_bytes: usize,
    cache: Mutex<CachedContexts>,
}

#[derive(Default)]
struct CachedContexts {
    results: HashMap<String, Result<Arc<[u8]>, String>>,
    order: VecDeque<String>,
    bytes: usize,
}

impl<C: ContextLoader> ContextCache<C> {
    /// Caches the results of `inner`: at most `max_entries` contexts, with at most `max_bytes`
    /// bytes in total.
    pub fn new(inner: C, max_entries: usize, max_bytes: usize) -> Self {
        let cache = CachedContexts { results: HashMap::new(), ..CachedContexts::default() };
        Self { inner, max_entries, max_bytes, cache: Mutex::new(cache) }
    }

    /// A panic cannot interrupt a change, so a poisoned lock still guards valid data.
    fn cached(&self) -> MutexGuard<'_, CachedContexts> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<C: ContextLoader> ContextLoader for ContextCache<C> {
    fn load(&self, url: &str) -> Result<Vec<u8>, String> {
        if let Some(result) = self.cached().results.get(url) {
            return result.as_ref().map(|bytes| bytes.to_vec()).map_err(Clone::clone);
        }
        // The lock is not held while loading: two threads can load the same context, and the first
        // result is cached.
        let result = self.inner.load(url);
        let entry = result.as_ref().map(|bytes| bytes.as_slice().into()).map_err(Clone::clone);
        self.cached().insert(url, entry, self.max_entries, self.max_bytes);
        result
    }
}

impl CachedContexts {
    fn insert(&mut self, url: &str, result: Result<Arc<[u8]>, String>, max_entries: usize, max_bytes: usize) {
        let bytes = entry_bytes(url, &result);
        if bytes > max_bytes || self.results.contains_key(url) {
            return;
        }
        while self.results.len() >= max_entries || self.bytes + bytes > max_bytes {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some(result) = self.results.remove(&oldest) {
                self.bytes -= entry_bytes(&oldest, &result);
            }
        }
        self.bytes += bytes;
        self.order.push_back(url.to_owned());
        self.results.insert(url.to_owned(), result);
    }
}

fn entry_bytes(url: &str, result: &Result<Arc<[u8]>, String>) -> usize {
    url.len() + result.as_ref().map_or_else(String::len, |bytes| bytes.len())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// Returns a context for every URL that does not start with `no`, and counts calls.
    #[derive(Default)]
    struct CountingLoader(AtomicUsize);

    impl ContextLoader for CountingLoader {
        fn load(&self, url: &str) -> Result<Vec<u8>, String> {
            self.0.fetch_add(1, Ordering::Relaxed);
            if url.starts_with("no") { Err("none".to_owned()) } else { Ok(url.as_bytes().repeat(10)) }
        }
    }

    fn count_loads(urls: &[&str], max_entries: usize, max_bytes: usize) -> usize {
        let cache = ContextCache::new(CountingLoader::default(), max_entries, max_bytes);
        for url in urls {
            assert_eq!(cache.load(url), CountingLoader::default().load(url));
            let cached = cache.cached();
            assert!(cached.results.len() <= max_entries && cached.bytes <= max_bytes);
            assert_eq!(cached.order.len(), cached.results.len());
        }
        cache.inner.0.load(Ordering::Relaxed)
    }

    #[test]
    fn contexts_and_failures_are_cached() {
        assert_eq!(count_loads(&["a", "no", "a", "no", "a", "no"], 9, 999), 2);
    }

    #[test]
    fn the_cache_is_bounded() {
        assert_eq!(count_loads(&["a", "b", "c", "c", "b", "a"], 2, 999), 4);
        assert_eq!(count_loads(&["a", "b", "c", "c", "b", "a"], 9, 25), 4);
        assert_eq!(count_loads(&["a", "a"], 9, 5), 2);
        assert_eq!(count_loads(&["a", "a"], 0, 999), 2);
    }
}
