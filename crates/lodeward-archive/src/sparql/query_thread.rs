//! Work of a query on a thread of its own, which a stopped query leaves behind.
//!
//! The parser, the optimiser and calls to other servers cannot be interrupted. They run on a
//! [`QueryThread`]. If the query is stopped meanwhile (by a limit, or because its client has
//! disconnected), the caller gets the error at once, and the thread completes its work for nothing.
//! That work is bounded (see [`planning_cost`](super::planning_cost),
//! [`nesting`](super::nesting), and the time limit of a service call), and so is the number of such
//! threads: if too many are left behind, a stopped query waits for its own.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use super::depth;
use super::error::{QueryError, QueryLimit};
use super::query_control::{QueryControl, StopCause};

/// How often a waiting caller checks whether the query is stopped.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// The maximum number of threads with work of their own that are left behind.
const MAX_ABANDONED_COMPUTATIONS: usize = 8;
/// The maximum number of threads left behind that wait for other servers.
const MAX_ABANDONED_CALLS: usize = 64;

/// What a thread spends its time with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ThreadWork {
    Computation,
    /// A call to another server.
    Call,
}

static ABANDONED_COMPUTATIONS: AtomicUsize = AtomicUsize::new(0);
static ABANDONED_CALLS: AtomicUsize = AtomicUsize::new(0);

impl ThreadWork {
    /// The number of threads left behind, and its maximum.
    fn abandoned(self) -> (&'static AtomicUsize, usize) {
        match self {
            Self::Computation => (&ABANDONED_COMPUTATIONS, MAX_ABANDONED_COMPUTATIONS),
            Self::Call => (&ABANDONED_CALLS, MAX_ABANDONED_CALLS),
        }
    }
}

/// The number of threads of stopped queries that complete their work, in this process.
#[must_use]
pub fn abandoned_threads() -> usize {
    [ThreadWork::Computation, ThreadWork::Call].map(|work| work.abandoned().0.load(Ordering::SeqCst)).into_iter().sum()
}

/// Counts a thread that was left behind, until it ends. Shared by the thread and its caller.
struct AbandonTicket {
    work: ThreadWork,
    is_abandoned: AtomicBool,
}

impl AbandonTicket {
    /// Leaves the thread behind, unless too many are. Returns whether it is left behind.
    fn abandon(&self) -> bool {
        let (count, max) = self.work.abandoned();
        let is_counted = self.is_abandoned.load(Ordering::SeqCst)
            || count
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |count| (count < max).then_some(count + 1))
                .is_ok();
        self.is_abandoned.store(is_counted, Ordering::SeqCst);
        is_counted
    }
}

impl Drop for AbandonTicket {
    fn drop(&mut self) {
        if *self.is_abandoned.get_mut() {
            self.work.abandoned().0.fetch_sub(1, Ordering::SeqCst);
        }
    }
}

/// A thread that works for a query.
pub(super) struct QueryThread {
    control: Arc<QueryControl>,
    /// `None` after the thread has ended.
    thread: Option<JoinHandle<()>>,
    ticket: Arc<AbandonTicket>,
}

impl QueryThread {
    /// Starts a thread with a stack for this depth.
    pub(super) fn spawn(
        control: &Arc<QueryControl>,
        kind: ThreadWork,
        depth: usize,
        work: impl FnOnce() + Send + 'static,
    ) -> Result<Self, io::Error> {
        let ticket = Arc::new(AbandonTicket { work: kind, is_abandoned: AtomicBool::new(false) });
        let own_ticket = Arc::clone(&ticket);
        let builder = std::thread::Builder::new().name("archive-query".to_owned());
        let thread = builder.stack_size(depth::stack_bytes(depth)).spawn(move || {
            work();
            drop(own_ticket);
        })?;
        Ok(Self { control: Arc::clone(control), thread: Some(thread), ticket })
    }

    /// The next message of the thread; `None` if the thread has ended. If the query is stopped, the
    /// thread is left behind.
    pub(super) fn receive<T>(&mut self, messages: &Receiver<T>) -> Result<Option<T>, QueryError> {
        loop {
            match messages.recv_timeout(CHECK_INTERVAL) {
                Ok(message) => return Ok(Some(message)),
                Err(RecvTimeoutError::Timeout) if self.control.is_stopped() && self.ticket.abandon() => {
                    self.control.check_stopped()?;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    // A panic means that messages are missing: the result must not look complete.
                    if let Some(Err(panic)) = self.thread.take().map(JoinHandle::join) {
                        std::panic::resume_unwind(panic);
                    }
                    return Ok(None);
                }
            }
        }
    }
}

/// Runs a computation on a thread with a stack for this depth, and waits for it until the query is
/// stopped.
pub(super) fn compute<T: Send + 'static>(
    control: &Arc<QueryControl>,
    depth: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, QueryError> {
    run(control, ThreadWork::Computation, depth, work)
}

/// Calls another server, and waits for the response until the query is stopped.
pub(super) fn call<T: Send + 'static>(
    control: &Arc<QueryControl>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, QueryError> {
    run(control, ThreadWork::Call, 0, work)
}

fn run<T: Send + 'static>(
    control: &Arc<QueryControl>,
    kind: ThreadWork,
    depth: usize,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, QueryError> {
    let (send, result) = sync_channel(1);
    // If sending fails, the query was stopped and the result is not needed.
    let thread = QueryThread::spawn(control, kind, depth, move || drop(send.send(work())));
    let received = thread.map_err(QueryError::Thread)?.receive(&result)?;
    received.ok_or(QueryError::Stopped(QueryLimit::Cancelled))
}

/// Rows from a thread, which stops when the iterator is dropped.
pub(super) struct ThreadRows<T> {
    pub(super) rows: Receiver<Result<T, QueryError>>,
    pub(super) thread: QueryThread,
}

impl<T> Iterator for ThreadRows<T> {
    type Item = Result<T, QueryError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.thread.receive(&self.rows).unwrap_or_else(|stopped| Some(Err(stopped)))
    }
}

impl<T> Drop for ThreadRows<T> {
    fn drop(&mut self) {
        self.thread.control.stop(StopCause::Stopped(QueryLimit::Cancelled));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    fn stopped() -> Arc<QueryControl> {
        let control = Arc::new(QueryControl::new(None));
        control.stop(StopCause::Stopped(QueryLimit::Cancelled));
        control
    }

    #[test]
    fn a_stopped_query_does_not_wait_for_its_thread() {
        let (end, ended) = channel::<()>();
        let outcome = call(&stopped(), move || ended.recv().is_ok());
        assert!(matches!(outcome, Err(QueryError::Stopped(QueryLimit::Cancelled))), "{outcome:?}");
        // The thread still runs: it waits for this.
        end.send(()).unwrap();
    }

    #[test]
    fn the_number_of_threads_left_behind_is_limited() {
        let ticket = || AbandonTicket { work: ThreadWork::Computation, is_abandoned: AtomicBool::new(false) };
        let mut abandoned: Vec<_> = (0..MAX_ABANDONED_COMPUTATIONS).map(|_| ticket()).collect();
        assert!(abandoned.iter().all(AbandonTicket::abandon));
        assert!(abandoned[0].abandon(), "a thread counts once");

        let next = ticket();
        assert!(!next.abandon());
        abandoned.pop();
        assert!(next.abandon(), "a thread has ended");
    }

    #[test]
    fn the_cause_is_the_same_for_all_who_check() {
        let control = Arc::new(QueryControl::new(None));
        control.stop(StopCause::Stopped(QueryLimit::Rows(7)));
        for _ in 0..2 {
            assert!(matches!(control.check_stopped(), Err(QueryError::Stopped(QueryLimit::Rows(7)))));
        }
    }
}
