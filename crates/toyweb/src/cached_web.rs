//! A web with a cache of its last responses.
//!
//! Generating a document costs more than sending it. For a world that is crawled repeatedly, a cache makes the server
//! cheap enough that a measurement measures the crawler.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use http::header::{ACCEPT, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use xxhash_rust::xxh3::Xxh3;

use crate::message::{DeliveryFault, Web, WebBody, WebRequest, WebResponse};

/// Number of shards, each with its own lock, to avoid contention.
const SHARDS: usize = 64;

/// Conservative estimate of the memory of a response without its body.
const OVERHEAD_BYTES: usize = 512;

/// A web with a cache of bounded size in front of it.
pub struct CachedWeb<W> {
    web: W,
    shards: Vec<Mutex<CacheShard>>,
    max_shard_bytes: usize,
}

/// A part of the cache. The oldest response is evicted first: a crawl rarely repeats a request, so another policy would
/// not help.
#[derive(Default)]
struct CacheShard {
    responses: HashMap<u128, Arc<WebResponse>, foldhash::fast::RandomState>,
    order: VecDeque<u128>,
    bytes: usize,
}

impl<W: Web> CachedWeb<W> {
    /// Caches at most `max_bytes` bytes of responses.
    pub fn new(web: W, max_bytes: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { web, shards, max_shard_bytes: max_bytes / SHARDS }
    }

    /// The web behind the cache.
    pub fn web(&self) -> &W {
        &self.web
    }

    fn shard(&self, key: u128) -> &Mutex<CacheShard> {
        let index = key % SHARDS as u128;
        &self.shards[usize::try_from(index).expect("the index is below SHARDS")]
    }
}

impl<W: Web> Web for CachedWeb<W> {
    fn respond(&self, request: &WebRequest) -> WebResponse {
        if request.method != Method::GET && request.method != Method::HEAD {
            return self.web.respond(request);
        }
        let key = key(request);
        let shard = self.shard(key);
        let cached = shard.lock().unwrap_or_else(PoisonError::into_inner).responses.get(&key).cloned();
        if let Some(response) = cached {
            return WebResponse::clone(&response);
        }
        // The response is computed without holding the lock, so two threads may both compute it.
        let response = self.web.respond(request);
        if let Some(bytes) = cacheable_bytes(&response) {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.insert(key, &response, bytes, self.max_shard_bytes);
        }
        response
    }

    fn is_expensive(&self, request: &WebRequest) -> bool {
        self.web.is_expensive(request)
    }
}

impl CacheShard {
    fn insert(&mut self, key: u128, response: &WebResponse, bytes: usize, max_bytes: usize) {
        if bytes > max_bytes || self.responses.contains_key(&key) {
            return;
        }
        self.bytes += bytes;
        while self.bytes > max_bytes {
            let oldest = self.order.pop_front().expect("bytes are counted for cached responses only");
            let dropped = self.responses.remove(&oldest).expect("every queued key is cached");
            self.bytes -= cacheable_bytes(&dropped).expect("only cacheable responses are stored");
        }
        self.responses.insert(key, Arc::new(response.clone()));
        self.order.push_back(key);
    }
}

/// The memory of a response, or `None` if it must not be cached. Faulty responses are recomputed for each request,
/// because a transient fault counts its requests.
fn cacheable_bytes(response: &WebResponse) -> Option<usize> {
    let settled = response.status.is_success() || response.status.is_redirection() || response.status == 404;
    match &response.body {
        WebBody::Whole(bytes) if settled && response.delivery == DeliveryFault::Plain => {
            Some(bytes.len() + OVERHEAD_BYTES)
        }
        _ => None,
    }
}

fn key(request: &WebRequest) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(request.method.as_str().as_bytes());
    hash.update(request.url.as_str().as_bytes());
    for name in [ACCEPT, IF_NONE_MATCH, IF_MODIFIED_SINCE] {
        for value in request.headers.get_all(&name) {
            hash.update(b"\n");
            hash.update(name.as_str().as_bytes());
            hash.update(value.as_bytes());
        }
    }
    hash.digest128()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::world::{World, WorldParameters};

    /// Counts its requests, and responds with a kilobyte.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Web for Counting {
        fn respond(&self, request: &WebRequest) -> WebResponse {
            self.0.fetch_add(1, Ordering::Relaxed);
            let status = if request.url.path() == "/later" { 503 } else { 200 };
            WebResponse {
                status: http::StatusCode::from_u16(status).expect("a status"),
                headers: http::HeaderMap::new(),
                body: WebBody::Whole(vec![b'x'; 1024].into()),
                delivery: DeliveryFault::Plain,
            }
        }
    }

    #[test]
    fn a_response_is_computed_once_per_url_and_accept() {
        let web = CachedWeb::new(Counting::default(), 1 << 20);
        for accept in ["text/html", "text/turtle", "text/html"] {
            web.respond(&WebRequest::get("http://h1.example/1").with_header(ACCEPT, accept));
        }

        assert_eq!(web.web().0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_503_is_not_cached() {
        let web = CachedWeb::new(Counting::default(), 1 << 20);
        (0..3).for_each(|_| drop(web.respond(&WebRequest::get("http://h1.example/later"))));

        assert_eq!(web.web().0.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn the_cache_stays_within_its_size() {
        let web = CachedWeb::new(Counting::default(), 200_000);
        (0..1_000).for_each(|number| drop(web.respond(&WebRequest::get(&format!("http://h1.example/{number}")))));

        let cached_bytes = |shard: &Mutex<CacheShard>| shard.lock().expect("no panic").bytes;
        assert!(web.shards.iter().map(cached_bytes).sum::<usize>() <= 200_000);
        assert!(web.shards.iter().map(cached_bytes).sum::<usize>() > 50_000);
    }

    #[test]
    fn a_cached_world_responds_like_the_world() {
        let world = || World::new(WorldParameters::preset("demo").expect("a preset")).expect("sound");
        let (plain, cached) = (world(), CachedWeb::new(world(), 1 << 20));
        for seed in plain.seeds().iter().chain(&plain.seeds()) {
            let request = WebRequest::get(seed);

            assert_eq!(format!("{:?}", plain.respond(&request)), format!("{:?}", cached.respond(&request)));
        }
    }
}
