//! Queries to one service, with a delay between them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use lodeward_archive::sparql::{ServiceCallError, ServiceCallResponse, ServiceHandler};

/// A client that waits after each response before it sends the next query, as a crawl does. It is used for the many
/// queries that the program itself sends to a configured endpoint.
pub(crate) struct PacedClient<S, P> {
    services: S,
    /// A function that blocks for the delay between two queries.
    pause: P,
    was_queried: AtomicBool,
}

impl<S: ServiceHandler, P: Fn() + Send + Sync> PacedClient<S, P> {
    pub(crate) fn new(services: S, pause: P) -> Self {
        Self { services, pause, was_queried: AtomicBool::new(false) }
    }

    fn wait(&self) {
        if self.was_queried.swap(true, Ordering::Relaxed) {
            (self.pause)();
        }
    }
}

impl<S: ServiceHandler, P: Fn() + Send + Sync> ServiceHandler for PacedClient<S, P> {
    fn query(&self, endpoint: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.wait();
        self.services.query(endpoint, query)
    }

    fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
        self.wait();
        self.services.load(url)
    }
}

/// Returns a function that blocks its thread for this duration.
pub(crate) fn blocking_delay(time: Duration) -> impl Fn() + Send + Sync {
    // Sleeping is allowed here: the engine does not schedule these calls, and they block their thread anyway.
    move || std::thread::sleep(time)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn queries_are_separated_by_a_delay_and_the_first_is_not_delayed() {
        struct LoggingService<'l>(&'l Mutex<Vec<String>>);
        impl ServiceHandler for LoggingService<'_> {
            fn query(&self, _: &str, query: &str) -> Result<ServiceCallResponse, ServiceCallError> {
                self.0.lock().unwrap().push(query.to_owned());
                Ok(ServiceCallResponse { media_type: None, body: Box::new(std::io::empty()) })
            }

            fn load(&self, url: &str) -> Result<ServiceCallResponse, ServiceCallError> {
                self.query("", url)
            }
        }
        let log: Mutex<Vec<String>> = Mutex::default();
        let paced = PacedClient::new(LoggingService(&log), || log.lock().unwrap().push("pause".to_owned()));

        paced.query("e", "one").unwrap();
        paced.query("e", "two").unwrap();
        paced.load("three").unwrap();

        assert_eq!(*log.lock().unwrap(), ["one", "pause", "two", "pause", "three"]);
    }
}
