//! How a query is stopped, wherever it is.
//!
//! spareval looks at its cancellation token when it reads a quad, and when it
//! makes a term of a constant. That does not reach everything: a cross product
//! of `VALUES` reads nothing; a sort, a hash join and an aggregate collect the
//! error of every further quad instead of ending at the first; `MINUS`,
//! `EXISTS` and expressions drop errors, those of the storage, too, and go on to
//! a wrong answer. So there is a second way out, which salsa and rust-analyzer
//! take as well: whatever the evaluator asks of us (a quad, a text, the copy of
//! a term) may *leave*, that is unwind to [`guarded`] without a panic's message,
//! with the reason kept in the [`Control`]. Where panics abort, there is no
//! unwinding: then errors go spareval's way, a cross product of `VALUES` runs to
//! its end, and a row is given out only if nothing was stopped before it.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use super::error::Stopped;
use super::services::ServiceError;
use crate::ArchiveError;

/// Why an evaluation ended early.
#[derive(Debug)]
pub(super) enum Reason {
    Stopped(Stopped),
    Archive(ArchiveError),
    Service { endpoint: String, source: ServiceError },
}

/// One running query or update, for those who may stop it.
#[derive(Default)]
pub(super) struct Control {
    stopped: AtomicBool,
    reason: Mutex<Option<Reason>>,
    evaluator: spareval::CancellationToken,
}

impl Control {
    pub(super) fn evaluator_token(&self) -> spareval::CancellationToken {
        self.evaluator.clone()
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Stops it. The first reason is the one that is told.
    pub(super) fn stop(&self, why: Reason) {
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.stopped.swap(true, Ordering::Relaxed) {
            *reason = Some(why);
        }
        drop(reason);
        self.evaluator.cancel();
    }

    /// Why it was stopped; `None` if it was not.
    pub(super) fn reason(&self) -> Option<Reason> {
        if !self.is_stopped() {
            return None;
        }
        let mut reason = self.reason.lock().unwrap_or_else(PoisonError::into_inner);
        Some(reason.take().unwrap_or(Reason::Stopped(Stopped::Cancelled)))
    }

    /// Does not return normally if it was stopped and panics unwind.
    pub(super) fn check(&self) -> Result<(), Left> {
        if self.is_stopped() { Err(leave()) } else { Ok(()) }
    }

    /// Stops it because of an error of our own.
    pub(super) fn fail(&self, why: Reason) -> Left {
        self.stop(why);
        leave()
    }
}

/// The evaluation was left; the reason is in its [`Control`].
#[derive(Debug, thiserror::Error)]
#[error("stopped")]
pub(super) struct Left;

fn leave() -> Left {
    // A second unwinding out of a destructor would abort the process.
    if cfg!(panic = "unwind") && !std::thread::panicking() && CURRENT.with_borrow(Option::is_some) {
        resume_unwind(Box::new(Left));
    }
    Left
}

/// How many copies of terms are made between two looks at the control. A look
/// costs a few nanoseconds, a copy less.
const COPIES_PER_LOOK: u32 = 1024;

thread_local! {
    static CURRENT: RefCell<Option<Arc<Control>>> = const { RefCell::new(None) };
    static COPIES_LEFT: Cell<u32> = const { Cell::new(COPIES_PER_LOOK) };
}

/// To be called for every copy of a term: all work on rows makes some.
#[inline]
pub(super) fn tick() {
    let left = COPIES_LEFT.get();
    if left > 0 {
        COPIES_LEFT.set(left - 1);
        return;
    }
    COPIES_LEFT.set(COPIES_PER_LOOK);
    if CURRENT.with_borrow(|current| current.as_ref().is_some_and(|control| control.is_stopped())) {
        leave();
    }
}

/// Makes a control the current one of this thread, for a while. They nest: a
/// service may be answered by another archive on the same thread.
struct Scope(Option<Arc<Control>>);

impl Scope {
    fn enter(control: &Arc<Control>) -> Self {
        Self(CURRENT.replace(Some(Arc::clone(control))))
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Runs a step of an evaluation. `Err` if it was stopped during the step or before.
pub(super) fn guarded<T>(control: &Arc<Control>, step: impl FnOnce() -> T) -> Result<T, Reason> {
    if let Some(reason) = control.reason() {
        return Err(reason);
    }
    let outcome = {
        let _scope = Scope::enter(control);
        // Whoever gets an `Err` from here drops what the step worked on.
        catch_unwind(AssertUnwindSafe(step))
    };
    match outcome {
        Err(panic) if !panic.is::<Left>() => resume_unwind(panic),
        Err(_) => Err(control.reason().unwrap_or(Reason::Stopped(Stopped::Cancelled))),
        Ok(value) => control.reason().map_or(Ok(value), Err),
    }
}
