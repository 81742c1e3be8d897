//! Queries to one service, with a pause between them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodeward_archive::sparql::{Fetched, ServiceError, Services};

/// Asks a service as politely as a crawl asks for documents: after an answer it
/// waits before it asks again. For the many queries that we make by ourselves at an
/// endpoint that the user has named.
pub(crate) struct Paced<S, P> {
    services: S,
    /// Waits.
    pause: P,
    was_asked: AtomicBool,
}

impl<S: Services, P: Fn() + Send + Sync> Paced<S, P> {
    pub(crate) fn new(services: S, pause: P) -> Self {
        Self { services, pause, was_asked: AtomicBool::new(false) }
    }

    fn wait(&self) {
        if self.was_asked.swap(true, Ordering::Relaxed) {
            (self.pause)();
        }
    }
}

impl<S: Services, P: Fn() + Send + Sync> Services for Paced<S, P> {
    fn query(&self, endpoint: &str, query: &str) -> Result<Fetched, ServiceError> {
        self.wait();
        self.services.query(endpoint, query)
    }

    fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
        self.wait();
        self.services.load(url)
    }
}

/// Waits this long, on a thread that may.
pub(crate) fn pause(time: Duration) -> impl Fn() + Send + Sync {
    // Not a visit of the crawl, which the engine would time: a call blocks its
    // thread anyway.
    move || std::thread::sleep(time)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn there_is_a_pause_between_queries_and_none_before_the_first() {
        struct Told<'l>(&'l Mutex<Vec<String>>);
        impl Services for Told<'_> {
            fn query(&self, _: &str, query: &str) -> Result<Fetched, ServiceError> {
                self.0.lock().unwrap().push(query.to_owned());
                Ok(Fetched { media_type: None, body: Box::new(std::io::empty()) })
            }

            fn load(&self, url: &str) -> Result<Fetched, ServiceError> {
                self.query("", url)
            }
        }
        let log: Mutex<Vec<String>> = Mutex::default();
        let paced = Paced::new(Told(&log), || log.lock().unwrap().push("pause".to_owned()));

        paced.query("e", "one").unwrap();
        paced.query("e", "two").unwrap();
        paced.load("three").unwrap();

        assert_eq!(*log.lock().unwrap(), ["one", "pause", "two", "pause", "three"]);
    }
}
