//! Delays between attempts to reach the target of a follower.

use std::time::Duration;

/// The delay after the first failure, and the maximum delay.
const INITIAL_DELAY: Duration = Duration::from_secs(1);
const MAX_DELAY: Duration = Duration::from_mins(5);

/// Delays that double with every failure. There is no jitter, because few followers share a target.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    next: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { next: INITIAL_DELAY }
    }

    /// Returns the delay after a failure; at least `requested`, at most [`MAX_DELAY`].
    pub(super) fn next_delay(&mut self, requested: Option<Duration>) -> Duration {
        let delay = self.next.max(requested.unwrap_or_default()).min(MAX_DELAY);
        self.next = (self.next * 2).min(MAX_DELAY);
        delay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_bound_and_are_not_shorter_than_requested() {
        let mut backoff = Backoff::new();
        let mut delay = |requested: Option<u64>| backoff.next_delay(requested.map(Duration::from_secs)).as_secs();

        assert_eq!([delay(None), delay(None), delay(Some(1)), delay(Some(100)), delay(None)], [1, 2, 4, 100, 16]);
        assert_eq!([delay(None), delay(None), delay(None), delay(None), delay(None)], [32, 64, 128, 256, 300]);
        assert_eq!(delay(Some(86_400)), 300);
    }
}
