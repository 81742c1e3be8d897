//! The watchdog: one thread of the process, asleep while nothing has a bound,
//! that stops queries whose time is over or that took too much memory.
//!
//! Memory is the resident set of the whole process, compared with what it was
//! when the query began: an allocator that counts per query would slow
//! everything down. So queries that run at the same time share the blame, and
//! memory that the process had freed before but kept may be taken unseen.

use std::sync::{Arc, Condvar, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use super::control::{Control, Reason};
use super::error::Stopped;

/// How often the memory is looked at, while a query has a bound for it.
const LOOK_EVERY: Duration = Duration::from_millis(10);

struct Watched {
    control: Weak<Control>,
    deadline: Option<(Instant, Duration)>,
    memory: Option<Memory>,
}

struct Memory {
    bytes_max: u64,
    bytes_stop: u64,
}

static WATCHED: Mutex<Vec<Watched>> = Mutex::new(Vec::new());
static CHANGED: Condvar = Condvar::new();
static STARTED: Once = Once::new();

/// Watches a query until its control is dropped.
pub(super) fn watch(control: &Arc<Control>, timeout: Option<Duration>, memory_bytes_max: Option<u64>) {
    // A deadline too far away to be counted is none.
    let deadline = timeout.and_then(|timeout| Some((now().checked_add(timeout)?, timeout)));
    let memory = memory_bytes_max.and_then(memory_bound);
    if deadline.is_none() && memory.is_none() {
        return;
    }
    STARTED.call_once(|| {
        std::thread::Builder::new()
            .name("archive-watchdog".to_owned())
            .spawn(run)
            .expect("a process that may not start one thread cannot keep its bounds");
    });
    let watched = Watched { control: Arc::downgrade(control), deadline, memory };
    WATCHED.lock().unwrap_or_else(PoisonError::into_inner).push(watched);
    CHANGED.notify_one();
}

fn memory_bound(bytes_max: u64) -> Option<Memory> {
    let Some(resident) = resident_bytes() else {
        tracing::warn!("this system does not tell the memory of a process: queries are not bounded by it");
        return None;
    };
    Some(Memory { bytes_max, bytes_stop: resident.saturating_add(bytes_max) })
}

fn run() {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let pause = round(&mut watched);
        watched = match pause {
            Some(pause) => CHANGED.wait_timeout(watched, pause).unwrap_or_else(PoisonError::into_inner).0,
            None => CHANGED.wait(watched).unwrap_or_else(PoisonError::into_inner),
        };
    }
}

/// Looks at all queries once, and tells how long to sleep.
fn round(watched: &mut Vec<Watched>) -> Option<Duration> {
    watched.retain(|one| one.control.strong_count() > 0);
    let now = now();
    let resident = if watched.iter().any(|one| one.memory.is_some()) { resident_bytes() } else { None };
    watched.retain(|one| !one.stop(now, resident));
    let to_deadline = watched.iter().filter_map(|one| one.deadline).map(|(deadline, _)| deadline - now).min();
    let look = watched.iter().any(|one| one.memory.is_some()).then_some(LOOK_EVERY);
    to_deadline.into_iter().chain(look).min()
}

impl Watched {
    /// Stops it if it is time; tells whether it did.
    fn stop(&self, now: Instant, resident: Option<u64>) -> bool {
        let Some(control) = self.control.upgrade() else { return true };
        if let Some((deadline, timeout)) = self.deadline
            && deadline <= now
        {
            control.stop(Reason::Stopped(Stopped::Time(timeout)));
            return true;
        }
        if let (Some(memory), Some(resident)) = (&self.memory, resident)
            && resident > memory.bytes_stop
        {
            control.stop(Reason::Stopped(Stopped::Memory(memory.bytes_max)));
            return true;
        }
        false
    }
}

#[expect(clippy::disallowed_methods, reason = "the time of a query is that of whoever waits for it, not a crawl's")]
fn now() -> Instant {
    Instant::now()
}

/// The resident memory of this process. Linux tells it; elsewhere it would
/// take code that is not ours and not safe.
fn resident_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}
