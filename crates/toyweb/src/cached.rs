//! A web that remembers its last answers.
//!
//! Writing a document costs more than sending it. Around a world that is
//! visited again and again, a cache makes the server cheap enough that a
//! measurement measures the crawler.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use http::Method;
use http::header::{ACCEPT, IF_MODIFIED_SINCE, IF_NONE_MATCH};
use xxhash_rust::xxh3::Xxh3;

use crate::message::{Body, Conduct, Request, Response, Web};

/// Many small locks instead of one, so that threads seldom meet.
const SHARDS: usize = 64;

/// What an answer takes besides its body; a guess on the safe side.
const OVERHEAD_BYTES: usize = 512;

/// A web with a cache of bounded size in front of it.
pub struct Cached<W> {
    web: W,
    shards: Vec<Mutex<Shard>>,
    shard_bytes_max: usize,
}

/// First in, first out: in a crawl nothing is asked for often enough for more
/// cleverness to pay.
#[derive(Default)]
struct Shard {
    answers: HashMap<u128, Arc<Response>, foldhash::fast::RandomState>,
    order: VecDeque<u128>,
    bytes: usize,
}

impl<W: Web> Cached<W> {
    /// Remembers answers of at most so many bytes in all.
    pub fn new(web: W, bytes_max: usize) -> Self {
        let shards = (0..SHARDS).map(|_| Mutex::default()).collect();
        Self { web, shards, shard_bytes_max: bytes_max / SHARDS }
    }

    /// The web behind the cache.
    pub fn web(&self) -> &W {
        &self.web
    }

    fn shard(&self, key: u128) -> &Mutex<Shard> {
        let index = key % SHARDS as u128;
        &self.shards[usize::try_from(index).expect("below the number of shards")]
    }
}

impl<W: Web> Web for Cached<W> {
    fn respond(&self, request: &Request) -> Response {
        if request.method != Method::GET && request.method != Method::HEAD {
            return self.web.respond(request);
        }
        let key = key(request);
        let shard = self.shard(key);
        let known = shard.lock().unwrap_or_else(PoisonError::into_inner).answers.get(&key).cloned();
        if let Some(answer) = known {
            return Response::clone(&answer);
        }
        // Answered outside of the lock: two threads may both do the work.
        let answer = self.web.respond(request);
        if let Some(bytes) = cacheable_bytes(&answer) {
            let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.keep(key, &answer, bytes, self.shard_bytes_max);
        }
        answer
    }

    fn is_laborious(&self, request: &Request) -> bool {
        self.web.is_laborious(request)
    }
}

impl Shard {
    fn keep(&mut self, key: u128, answer: &Response, bytes: usize, bytes_max: usize) {
        if bytes > bytes_max || self.answers.contains_key(&key) {
            return;
        }
        self.bytes += bytes;
        while self.bytes > bytes_max {
            let oldest = self.order.pop_front().expect("bytes are only counted for what is kept");
            let dropped = self.answers.remove(&oldest).expect("what is in order is kept");
            self.bytes -= cacheable_bytes(&dropped).expect("only these are kept");
        }
        self.answers.insert(key, Arc::new(answer.clone()));
        self.order.push_back(key);
    }
}

/// What an answer takes, if it may be kept. Answers that misbehave are made
/// anew each time, since a passing fault must be asked to pass.
fn cacheable_bytes(answer: &Response) -> Option<usize> {
    let settled = answer.status.is_success() || answer.status.is_redirection() || answer.status == 404;
    match &answer.body {
        Body::Whole(bytes) if settled && answer.conduct == Conduct::Plain => Some(bytes.len() + OVERHEAD_BYTES),
        _ => None,
    }
}

fn key(request: &Request) -> u128 {
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
    use crate::world::{Parameters, World};

    /// Counts how often it is asked, and answers with a kilobyte.
    #[derive(Default)]
    struct Counting(AtomicUsize);

    impl Web for Counting {
        fn respond(&self, request: &Request) -> Response {
            self.0.fetch_add(1, Ordering::Relaxed);
            let status = if request.url.path() == "/later" { 503 } else { 200 };
            Response {
                status: http::StatusCode::from_u16(status).expect("a status"),
                headers: http::HeaderMap::new(),
                body: Body::Whole(vec![b'x'; 1024].into()),
                conduct: Conduct::Plain,
            }
        }
    }

    #[test]
    fn an_answer_is_made_once_per_url_and_accept() {
        let web = Cached::new(Counting::default(), 1 << 20);
        for accept in ["text/html", "text/turtle", "text/html"] {
            web.respond(&Request::get("http://h1.example/1").with(ACCEPT, accept));
        }

        assert_eq!(web.web().0.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn a_refusal_is_not_remembered() {
        let web = Cached::new(Counting::default(), 1 << 20);
        (0..3).for_each(|_| drop(web.respond(&Request::get("http://h1.example/later"))));

        assert_eq!(web.web().0.load(Ordering::Relaxed), 3);
    }

    #[test]
    fn the_bound_holds() {
        let web = Cached::new(Counting::default(), 200_000);
        (0..1_000).for_each(|number| drop(web.respond(&Request::get(&format!("http://h1.example/{number}")))));

        let kept = |shard: &Mutex<Shard>| shard.lock().expect("no panic").bytes;
        assert!(web.shards.iter().map(kept).sum::<usize>() <= 200_000);
        assert!(web.shards.iter().map(kept).sum::<usize>() > 50_000);
    }

    #[test]
    fn a_cached_world_answers_as_the_world_does() {
        let world = || World::new(Parameters::preset("demo").expect("a preset")).expect("sound");
        let (plain, cached) = (world(), Cached::new(world(), 1 << 20));
        for seed in plain.seeds().iter().chain(&plain.seeds()) {
            let request = Request::get(seed);

            assert_eq!(format!("{:?}", plain.respond(&request)), format!("{:?}", cached.respond(&request)));
        }
    }
}
