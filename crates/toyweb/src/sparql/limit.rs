//! Work that is not to take for ever.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use oxigraph::sparql::CancellationToken;

/// Does `work` with a token that is cancelled when time is up.
///
/// The evaluator has no clock of its own, so somebody has to watch: a thread
/// that sleeps until the work is done or the time is up.
pub(super) fn within<T>(limit: Duration, work: impl FnOnce(CancellationToken) -> T) -> T {
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
