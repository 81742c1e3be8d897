//! How long somebody who cannot be reached is left alone.

use std::time::Duration;

/// The first wait, and the longest.
const FIRST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_mins(5);

/// Waits that double from failure to failure. Without chance: there is one
/// follower of a name, and nobody for it to come back together with.
#[derive(Clone, Copy, Debug)]
pub(super) struct Backoff {
    next: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { next: FIRST }
    }

    /// How long to wait after a failure; no shorter than it was asked for.
    pub(super) fn failed(&mut self, asked: Option<Duration>) -> Duration {
        let wait = self.next.max(asked.unwrap_or_default()).min(LONGEST);
        self.next = (self.next * 2).min(LONGEST);
        wait
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_double_up_to_a_bound_and_are_no_shorter_than_asked() {
        let mut backoff = Backoff::new();
        let mut wait = |asked: Option<u64>| backoff.failed(asked.map(Duration::from_secs)).as_secs();

        assert_eq!([wait(None), wait(None), wait(Some(1)), wait(Some(100)), wait(None)], [1, 2, 4, 100, 16]);
        assert_eq!([wait(None), wait(None), wait(None), wait(None), wait(None)], [32, 64, 128, 256, 300]);
        assert_eq!(wait(Some(86_400)), 300);
    }
}
