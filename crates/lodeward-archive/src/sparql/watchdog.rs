//! The watchdog: one thread per process that stops queries which exceed their time or memory limit.
//! It sleeps while no query has a limit. Between its checks, a query itself measures the memory
//! after every few megabytes of text ([`QueryControl::charge`]).

use std::sync::{Arc, Condvar, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::error::QueryLimit;
use super::memory::resident_bytes;
use super::query_control::{QueryControl, StopCause};

/// How often memory is measured, while a query has a memory limit.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

struct WatchedQuery {
    control: Weak<QueryControl>,
    deadline: Option<(Instant, Duration)>,
    has_memory_limit: bool,
}

static WATCHED: Mutex<Vec<WatchedQuery>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();
static STARTED: Once = Once::new();

/// Watches a query until its control is dropped.
pub(super) fn watch(control: &Arc<QueryControl>, timeout: Option<Duration>) {
    // If the deadline is beyond the range of `Instant`, there is no time limit.
    let deadline = timeout.and_then(|timeout| Some((now().checked_add(timeout)?, timeout)));
    let has_memory_limit = control.has_memory_limit();
    if deadline.is_none() && !has_memory_limit {
        return;
    }
    STARTED.call_once(|| {
        std::thread::Builder::new()
            .name("archive-watchdog".to_owned())
            .spawn(run)
            .expect("cannot start the watchdog thread, which enforces query limits");
    });
    let watched = WatchedQuery { control: Arc::downgrade(control), deadline, has_memory_limit };
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
    CHANGED.notify_one();
}

fn run() {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let pause = check_all(&mut watched);
        watched = match pause {
            Some(pause) => CHANGED.wait_timeout(watched, pause).unwrap_or_else(PoisonError::into_inner).0,
            None => CHANGED.wait(watched).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

/// Checks all queries once. Returns how long to sleep.
fn check_all(watched: &mut Vec<WatchedQuery>) -> Option<Duration> {
    watched.retain(|one| one.control.strong_count() > 0);
    let now = now();
    let resident = if watched.iter().any(|one| one.has_memory_limit) { resident_bytes() } else { None };
    watched.retain(|one| !one.stop_if_exceeded(now, resident));
    let to_deadline = watched.iter().filter_map(|one| one.deadline).map(|(deadline, _)| deadline - now).min();
    let next_check = watched.iter().any(|one| one.has_memory_limit).then_some(CHECK_INTERVAL);
    to_deadline.into_iter().chain(next_check).min()
}

impl WatchedQuery {
    /// Stops the query if it exceeds a limit. Returns whether it ended.
    fn stop_if_exceeded(&self, now: Instant, resident: Option<u64>) -> bool {
        let Some(control) = self.control.upgrade() else { return true };
        if let Some((deadline, timeout)) = self.deadline
            && deadline <= now
        {
            control.stop(StopCause::Stopped(QueryLimit::Time(timeout)));
            return true;
        }
        resident.is_some_and(|resident| control.stop_if_memory_exceeded(resident))
    }
}

#[expect(clippy::disallowed_methods, reason = "query timeouts use real time, not the clock of a crawl")]
fn now() -> Instant {
    Instant::now()
}
