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
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::{QueryError, QueryLimit};
use super::memory::{MemoryBound, resident_bytes};
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
    memory: Option<MemoryBound>,
    /// Bytes of text since the memory was last measured.
    charged: AtomicUsize,
}

/// The bytes of text after which a query measures the memory.
const BYTES_PER_MEASUREMENT: usize = 2 << 20;
/// The maximum size of one computed text, whatever the memory limit.
const MAX_TEXT_BYTES: u64 = 64 << 20;
/// The maximum size that is always permitted, unless the memory limit itself is smaller.
const MIN_TEXT_BYTES: u64 = 64 << 10;
/// The share of the memory limit that one text can have: a function holds its arguments and its
/// result, and the caller copies them.
const TEXTS_IN_MEMORY: u64 = 8;

/// The maximum size of one table of a hash join, whatever the memory limit.
const MAX_TABLE_BYTES: u64 = 256 << 20;
/// The share of the memory limit that one such table can have.
const TABLES_IN_MEMORY: u64 = 8;

impl QueryControl {
    /// Creates the control of a query that may use this much memory from now on.
    pub(super) fn new(max_memory_bytes: Option<u64>) -> Self {
        Self { memory: max_memory_bytes.and_then(MemoryBound::from_now), ..Self::default() }
    }

    pub(super) fn has_memory_limit(&self) -> bool {
        self.memory.is_some()
    }

    /// Stops the query if the process, with this resident memory, exceeds the limit. Returns
    /// whether it does.
    pub(super) fn stop_if_memory_exceeded(&self, resident: u64) -> bool {
        match &self.memory {
            Some(memory) if memory.is_exceeded_by(resident) => {
                self.stop(StopCause::Stopped(QueryLimit::Memory(memory.max_bytes)));
                true
            }
            _ => false,
        }
    }

    /// Must be called for every text that a query copies or computes, with its size. Measures the
    /// memory after every few megabytes: the [`watchdog`](super::watchdog) alone would be too late
    /// for a query that computes a gigabyte in a few milliseconds.
    pub(super) fn charge(&self, bytes: usize) -> Result<(), EvaluationAborted> {
        if self.memory.is_some()
            && self.charged.fetch_add(bytes, Ordering::Relaxed).saturating_add(bytes) >= BYTES_PER_MEASUREMENT
        {
            self.charged.store(0, Ordering::Relaxed);
            if let Some(resident) = resident_bytes() {
                self.stop_if_memory_exceeded(resident);
            }
        }
        self.check()
    }

    /// The maximum size of one computed text.
    pub(super) fn max_text_bytes(&self) -> usize {
        let max = self.memory.map_or(MAX_TEXT_BYTES, |memory| {
            let share = memory.max_bytes / TEXTS_IN_MEMORY;
            share.clamp(MIN_TEXT_BYTES.min(memory.max_bytes), MAX_TEXT_BYTES)
        });
        usize::try_from(max).unwrap_or(usize::MAX)
    }

    /// The maximum size of one table of a hash join.
    pub(super) fn max_table_bytes(&self) -> u64 {
        self.memory.map_or(MAX_TABLE_BYTES, |memory| (memory.max_bytes / TABLES_IN_MEMORY).min(MAX_TABLE_BYTES))
    }

    /// Charges a computed text of this size, and stops the query if it is too long.
    pub(super) fn charge_text(&self, bytes: usize) -> Result<(), EvaluationAborted> {
        self.charge_growth(bytes, bytes)
    }

    /// Charges the bytes by which a text has grown to `bytes`, and stops the query if it is too
    /// long.
    pub(super) fn charge_growth(&self, added: usize, bytes: usize) -> Result<(), EvaluationAborted> {
        let max = self.max_text_bytes();
        if bytes > max {
            return Err(self.fail(StopCause::Stopped(QueryLimit::TextSize(max as u64))));
        }
        self.charge(added)
    }

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
        // Several threads of a query can check it, and all must report the same limit.
        if let Some(StopCause::Stopped(limit)) = *cause {
            return Some(StopCause::Stopped(limit));
        }
        Some(cause.take().unwrap_or(StopCause::Stopped(QueryLimit::Cancelled)))
    }

    /// If the query is stopped, returns its cause. For steps outside of [`run_guarded`].
    pub(super) fn check_stopped(&self) -> Result<(), QueryError> {
        self.stop_cause().map_or(Ok(()), |cause| Err(cause.into()))
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
