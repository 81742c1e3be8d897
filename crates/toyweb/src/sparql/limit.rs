//! A time limit for the evaluation of queries.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use oxigraph::sparql::CancellationToken;

/// Runs `work` with a token that is cancelled after `limit`.
///
/// The evaluator has no clock, so a second thread sleeps until the work is done or the time is up.
pub(super) fn with_time_limit<T>(limit: Duration, work: impl FnOnce(CancellationToken) -> T) -> T {
    let token = CancellationToken::new();
    let (working, done) = channel::<()>();
    std::thread::scope(|scope| {
        let watched = token.clone();
        scope.spawn(move || {
            if done.recv_timeout(limit) == Err(RecvTimeoutError::Timeout) {
                watched.cancel();
            }
        });
        let result = work(token);
        drop(working);
        result
    })
}
