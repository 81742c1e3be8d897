//! Cancelling queries and updates.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::error::QueryLimit;
use super::query_control::{QueryControl, StopCause};

/// Cancels the queries and updates that were started with this token. Clones share one state.
#[derive(Clone, Default)]
pub struct CancellationToken(Arc<CancelState>);

#[derive(Default)]
struct CancelState {
    cancelled: AtomicBool,
    running: Mutex<Vec<Weak<QueryControl>>>,
}

impl CancellationToken {
    /// Creates a token that has not been cancelled.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Cancels all running queries and updates with this token, and all that are started with it
    /// later.
    pub fn cancel(&self) {
        self.0.cancelled.store(true, Ordering::SeqCst);
        for control in self.0.running.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            if let Some(control) = control.upgrade() {
                control.stop(StopCause::Stopped(QueryLimit::Cancelled));
            }
        }
    }

    /// Whether the token has been cancelled.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::SeqCst)
    }

    pub(super) fn attach(&self, control: &Arc<QueryControl>) {
        let mut running = self.0.running.lock().unwrap_or_else(PoisonError::into_inner);
        running.retain(|control| control.strong_count() > 0);
        running.push(Arc::downgrade(control));
        drop(running);
        if self.is_cancelled() {
            control.stop(StopCause::Stopped(QueryLimit::Cancelled));
        }
    }
}

impl fmt::Debug for CancellationToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CancellationToken").field(&self.is_cancelled()).finish()
    }
}
