//! The delay between two requests to a server within one errand.
//!
//! The engine spaces out errands and knows the `Crawl-delay` of robots.txt. But an interrupted body is resumed within
//! an errand, and that is a request too. The engine therefore sets the delay as a task-local value, like the captured
//! response head ([`super::response_head`]): most fetchers never read it.

use std::time::Duration;

tokio::task_local! {
    static DELAY: Duration;
}

/// Runs a future with this delay between two requests to a server.
pub async fn with_delay<W: Future>(delay: Duration, work: W) -> W::Output {
    DELAY.scope(delay, work).await
}

/// The delay between two requests to a server in the current task; zero if none is set.
#[must_use]
pub fn delay() -> Duration {
    DELAY.try_with(|delay| *delay).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_task_has_its_own_delay() {
        let second = Duration::from_secs(1);

        let (slow, fast) =
            tokio::join!(with_delay(second * 9, async { delay() }), with_delay(second, async { delay() }));

        assert_eq!((slow, fast, delay()), (second * 9, second, Duration::ZERO));
    }
}
