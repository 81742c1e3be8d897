//! How long a server rests between two requests of one visit.
//!
//! The engine spaces visits out, and knows what a robots.txt asks for. But a body
//! that breaks off is gone on with inside of a visit, and that is a request, too.
//! So the engine says how long to wait to the task that makes the visit, as
//! answers are said to whoever listens there ([`super::heard`]): most fetchers
//! never ask.

use std::time::Duration;

tokio::task_local! {
    static DELAY: Duration;
}

/// Does some work in which so much time lies between two requests to a server.
pub async fn keep<W: Future>(delay: Duration, work: W) -> W::Output {
    DELAY.scope(delay, work).await
}

/// The time between two requests to a server, in the work that is being done; none
/// if nobody said.
#[must_use]
pub fn delay() -> Duration {
    DELAY.try_with(|delay| *delay).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_task_has_a_pace_of_its_own() {
        let second = Duration::from_secs(1);

        let (slow, fast) = tokio::join!(keep(second * 9, async { delay() }), keep(second, async { delay() }));

        assert_eq!((slow, fast, delay()), (second * 9, second, Duration::ZERO));
    }
}
