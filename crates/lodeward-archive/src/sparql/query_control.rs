//! Stopping a query anywhere in its evaluation.
//!
//! spareval checks its cancellation token when it reads a quad and when it internalizes a constant.
//! This check does not stop all queries: a cross product of `VALUES` reads nothing. A sort, a hash
//! join and an aggregate collect the error of every further quad instead of ending at the first.
//! `MINUS`, `EXISTS` and expressions drop errors, including storage errors, and continue to a wrong
//! result.
//!
//! So there is a second way to stop, as in salsa and rust-analyzer: every callback of the evaluator
//! (for a quad, a term's text, the copy of a term) can unwind to [`run_guarded`] without a panic
//! message. The cause is stored in the [`QueryControl`]. If panics abort the process, there is no
//! unwinding: errors are then returned to spareval, a cross product of `VALUES` runs to its end,
//! and a row is returned only if the query was not stopped before it.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::QueryLimit;
use super::service_handler::ServiceCallError;
use crate::ArchiveError;

/// Why an evaluation was stopped.
#[derive(Debug)]
pub(super) enum StopCause {
    Stopped(QueryLimit),
    Archive(ArchiveError),
    Service { endpoint: String, source: ServiceCallError },
}

/// The control of one running query or update, through which it is stopped.
#[derive(Default)]
pub(super) struct QueryControl {
    stopped: AtomicBool,
    cause: Mutex<Option<StopCause>>,
    evaluator: spareval::CancellationToken,
}

impl QueryControl {
    pub(super) fn evaluator_token(&self) -> spareval::CancellationToken {
        self.evaluator.clone()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops the query. Only the first cause is stored.
    pub(super) fn stop(&self, cause: StopCause) {
        let mut stored = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped.swap(true, Ordering::Relaxed) {
            *stored = Some(cause);
        }
        drop(stored);
        self.evaluator.cancel();
    }

    /// Why the query was stopped; `None` if it was not.
    pub(super) fn stop_cause(&self) -> Option<StopCause> {
        if !self.is_stopped() {
            return None;
        }
        let mut cause = self.cause.lock().unwrap_or_else(PoisonError::into_inner);
        Some(cause.take().unwrap_or(StopCause::Stopped(QueryLimit::Cancelled)))
    }

    /// If the query is stopped, unwinds; or returns an error if panics abort the process.
    pub(super) fn check(&self) -> Result<(), EvaluationAborted> {
        if self.is_stopped() { Err(abort_evaluation()) } else { Ok(()) }
    }

    /// Stops the query because of an error in a callback.
    pub(super) fn fail(&self, cause: StopCause) -> EvaluationAborted {
        self.stop(cause);
        abort_evaluation()
    }
}

/// The evaluation was aborted; the cause is in its [`QueryControl`].
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct EvaluationAborted;

fn abort_evaluation() -> EvaluationAborted {
    // Unwinding out of a destructor during a panic would abort the process.
    if cfg!(panic = "unwind") && !std::thread::panicking() && CURRENT.with_borrow(Option::is_some) {
        resume_unwind(Box::new(EvaluationAborted));
    }
    EvaluationAborted
}

/// The number of copied terms between two checks. A check costs a few nanoseconds, a copy less.
const COPIES_PER_CHECK: u32 = 1024;

thread_local! {
    static CURRENT: RefCell<Option<Arc<QueryControl>>> = const { RefCell::new(None) };
    static COPIES_LEFT: Cell<u32> = const { Cell::new(COPIES_PER_CHECK) };
}

/// Must be called for every copy of a term: all work on rows copies terms.
#[inline]
pub(super) fn tick() {
    let left = COPIES_LEFT.get();
    if left > 0 {
        COPIES_LEFT.set(left - 1);
        return;
    }
    COPIES_LEFT.set(COPIES_PER_CHECK);
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(|control| control.is_stopped())) {
        abort_evaluation();
    }
}

/// Makes a control the current one of this thread until it is dropped. Scopes nest: a service can
/// be another archive on the same thread.
struct ControlScope(Option<Arc<QueryControl>>);

impl ControlScope {
    fn enter(control: &Arc<QueryControl>) -> Self {
        Self(CURRENT.replace(Some(Arc::clone(control))))
    }
}

impl Drop for ControlScope {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Runs a step of an evaluation. Returns `Err` if the query was stopped before or during the step.
pub(super) fn run_guarded<T>(control: &Arc<QueryControl>, step: impl FnOnce() -> T) -> Result<T, StopCause> {
    if let Some(cause) = control.stop_cause() {
        return Err(cause);
    }
    let outcome = {
        let _scope = ControlScope::enter(control);
        // After an `Err`, the caller drops everything that the step used.
        catch_unwind(AssertUnwindSafe(step))
    };
    match outcome {
        Err(panic) if !panic.is::<EvaluationAborted>() => resume_unwind(panic),
        Err(_) => Err(control.stop_cause().unwrap_or(StopCause::Stopped(QueryLimit::Cancelled))),
        Ok(value) => control.stop_cause().map_or(Ok(value), Err),
    }
}
