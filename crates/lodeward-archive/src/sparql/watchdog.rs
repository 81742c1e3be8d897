//! The watchdog: one thread per process that stops queries which exceed their time or memory limit.
//! It sleeps while no query has a limit.
//!
//! The memory of a query is measured as the growth of the process's resident set since the query
//! began, because an allocator that counts per query would slow everything down. Concurrent queries
//! therefore share the limit, and memory that the allocator had freed but retained before is not
//! counted.

use std::sync::{Arc, Condvar, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::error::QueryLimit;
use super::query_control::{QueryControl, StopCause};

/// How often memory is measured, while a query has a memory limit.
const CHECK_INTERVAL: Duration = Duration::from_millis(10);

struct WatchedQuery {
    control: Weak<QueryControl>,
    deadline: Option<(Instant, Duration)>,
    memory: Option<MemoryBound>,
}

struct MemoryBound {
    max_bytes: u64,
    stop_bytes: u64,
}

static WATCHED: Mutex<Vec<WatchedQuery>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();
static STARTED: Once = Once::new();

/// Watches a query until its control is dropped.
pub(super) fn watch(control: &Arc<QueryControl>, timeout: Option<Duration>, max_memory_bytes: Option<u64>) {
    // If the deadline is beyond the range of `Instant`, there is no time limit.
    let deadline = timeout.and_then(|timeout| Some((now().checked_add(timeout)?, timeout)));
    let memory = max_memory_bytes.and_then(memory_bound);
    if deadline.is_none() && memory.is_none() {
        return;
    }
    STARTED.call_once(|| {
        std::thread::Builder::new()
            .name("archive-watchdog".to_owned())
            .spawn(run)
            .expect("cannot start the watchdog thread, which enforces query limits");
    });
    let watched = WatchedQuery { control: Arc::downgrade(control), deadline, memory };
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
    CHANGED.notify_one();
}

fn memory_bound(max_bytes: u64) -> Option<MemoryBound> {
    let Some(resident) = resident_bytes() else {
        tracing::warn!("cannot measure the memory of this process: memory limits of queries are not enforced");
        return None;
    };
    Some(MemoryBound { max_bytes, stop_bytes: resident.saturating_add(max_bytes) })
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
    let resident = if watched.iter().any(|one| one.memory.is_some()) { resident_bytes() } else { None };
    watched.retain(|one| !one.stop_if_exceeded(now, resident));
    let to_deadline = watched.iter().filter_map(|one| one.deadline).map(|(deadline, _)| deadline - now).min();
    let next_check = watched.iter().any(|one| one.memory.is_some()).then_some(CHECK_INTERVAL);
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
        if let (Some(memory), Some(resident)) = (&self.memory, resident)
            && resident > memory.stop_bytes
        {
            control.stop(StopCause::Stopped(QueryLimit::Memory(memory.max_bytes)));
            return true;
        }
        false
    }
}

#[expect(clippy::disallowed_methods, reason = "query timeouts use real time, not the clock of a crawl")]
fn now() -> Instant {
    Instant::now()
}

/// The resident memory of this process. Only Linux provides it without unsafe code.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
