//! Stopping a query from outside.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::control::{Control, Reason};
use super::error::Stopped;

/// Stops the queries and updates that were given it. Clones are the same token.
#[derive(Clone, Default)]
pub struct CancellationToken(Arc<State>);

#[derive(Default)]
struct State {
    cancelled: AtomicBool,
    running: Mutex<Vec<Weak<Control>>>,
}

impl CancellationToken {
    /// A token that has not been cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Stops whatever runs with this token, and whatever will.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        for control in self.0.running.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if let Some(control) = control.upgrade() {
                control.stop(Reason::Stopped(Stopped::Cancelled));
            }
        }
    }

    /// Whether it has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    pub(super) fn attach(&self, control: &Arc<Control>) {
        let mut running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|control| control.strong_count() > 0);
        running.push(Arc::downgrade(control));
        drop(running);
        if self.is_cancelled() {
            control.stop(Reason::Stopped(Stopped::Cancelled));
        }
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancellationToken").field(&self.is_cancelled()).finish()
    }
}
