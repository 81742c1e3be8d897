//! Decides which failures are retried, and after which delay.
//!
//! A failure concerns the document (a timeout, a server error) or the whole server (`Retry-After`, overload). The
//! delays here contain no randomness: the engine owns the random seed of the crawl and adds the jitter.

use std::time::Duration;

use crate::model::{FaultKind, FetchFailure};

/// Maximum number of attempts, including the first, if a failure concerns only the document.
pub(crate) const MAX_DOCUMENT_ATTEMPTS: u8 = 3;
/// Maximum number of attempts for a document whose host name does not resolve.
pub(crate) const MAX_DNS_ATTEMPTS: u8 = 2;
/// The delay before the first retry of a document. It doubles with each attempt.
pub(crate) const DOCUMENT_RETRY_DELAY: Duration = Duration::from_secs(10);
/// The delay before a host name is resolved again.
pub(crate) const DNS_RETRY_DELAY: Duration = Duration::from_mins(1);
/// The first delay of an overloaded server that sends no `Retry-After`.
pub(crate) const SERVER_RETRY_DELAY: Duration = Duration::from_secs(30);
/// Maximum computed delay. A `Retry-After` is not reduced.
pub(crate) const MAX_RETRY_DELAY: Duration = Duration::from_hours(1);

/// The decision about a failed request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RetryDecision {
    /// The failure is permanent.
    GiveUp,
    /// The document may be requested again after this delay.
    Document {
        /// The delay.
        wait: Duration,
    },
    /// The whole server is delayed; then the document may be requested again.
    Server {
        /// The delay.
        wait: Duration,
    },
}

/// Decides about a failure that follows `attempt` earlier failures.
///
/// The number of attempts on an overloaded server is not limited here; the engine limits it.
#[must_use]
pub(crate) fn decide(failure: &FetchFailure, attempt: u8) -> RetryDecision {
    match failure.fault.kind {
        FaultKind::Overloaded => RetryDecision::Server { wait: server_wait(failure.retry_after_s, attempt) },
        FaultKind::Timeout | FaultKind::Connect | FaultKind::Truncated | FaultKind::Protocol => retry_document(attempt),
        FaultKind::Status if matches!(failure.status, Some(500 | 502 | 504)) => retry_document(attempt),
        FaultKind::Dns if attempt.saturating_add(1) < MAX_DNS_ATTEMPTS => {
            RetryDecision::Document { wait: DNS_RETRY_DELAY }
        }
        _ => RetryDecision::GiveUp,
    }
}

/// Whether a request would fail in the same way again, whatever it requests from the server.
#[must_use]
pub(crate) fn is_permanent(kind: FaultKind) -> bool {
    matches!(kind, FaultKind::ForbiddenAddress | FaultKind::Tls)
}

fn retry_document(attempt: u8) -> RetryDecision {
    if attempt.saturating_add(1) >= MAX_DOCUMENT_ATTEMPTS {
        return RetryDecision::GiveUp;
    }
    RetryDecision::Document { wait: backoff(DOCUMENT_RETRY_DELAY, attempt) }
}

fn server_wait(retry_after_s: Option<u64>, attempt: u8) -> Duration {
    match retry_after_s {
        Some(seconds) => Duration::from_secs(seconds),
        None => backoff(SERVER_RETRY_DELAY, attempt),
    }
}

fn backoff(first: Duration, attempt: u8) -> Duration {
    2_u32
        .checked_pow(attempt.into())
        .and_then(|factor| first.checked_mul(factor))
        .unwrap_or(MAX_RETRY_DELAY)
        .min(MAX_RETRY_DELAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fault;

    fn check(kind: FaultKind, status: Option<u16>, retry_after_s: Option<u64>, attempt: u8, expected: RetryDecision) {
        let failure = FetchFailure { fault: Fault::new(kind, "a test"), status, retry_after_s, sent: true };

        assert_eq!(decide(&failure, attempt), expected, "{kind:?} {status:?} {retry_after_s:?} {attempt}");
    }

    fn document(seconds: u64) -> RetryDecision {
        RetryDecision::Document { wait: Duration::from_secs(seconds) }
    }

    fn server(seconds: u64) -> RetryDecision {
        RetryDecision::Server { wait: Duration::from_secs(seconds) }
    }

    #[test]
    fn overloaded_server_is_delayed_by_retry_after_or_with_doubling() {
        check(FaultKind::Overloaded, Some(429), Some(7), 0, server(7));
        check(FaultKind::Overloaded, Some(503), Some(0), 0, server(0));
        check(FaultKind::Overloaded, Some(503), Some(86_400), 0, server(86_400));
        check(FaultKind::Overloaded, Some(503), None, 0, server(30));
        check(FaultKind::Overloaded, Some(503), None, 2, server(120));
        check(FaultKind::Overloaded, Some(503), None, 200, server(3_600));
    }

    #[test]
    fn a_response_that_is_too_large_is_requested_once() {
        check(FaultKind::TooLarge, Some(200), None, 0, RetryDecision::GiveUp);
    }

    #[test]
    fn failed_document_is_attempted_three_times() {
        for kind in [FaultKind::Timeout, FaultKind::Connect, FaultKind::Truncated, FaultKind::Protocol] {
            check(kind, None, None, 0, document(10));
            check(kind, None, None, 1, document(20));
            check(kind, None, None, 2, RetryDecision::GiveUp);
            check(kind, None, None, 255, RetryDecision::GiveUp);
        }
        for status in [500, 502, 504] {
            check(FaultKind::Status, Some(status), None, 0, document(10));
        }
    }

    #[test]
    fn permanent_failure_is_not_retried() {
        check(FaultKind::Dns, None, None, 0, document(60));
        check(FaultKind::Dns, None, None, 1, RetryDecision::GiveUp);
        check(FaultKind::Tls, None, None, 0, RetryDecision::GiveUp);
        check(FaultKind::ForbiddenAddress, None, None, 0, RetryDecision::GiveUp);
        check(FaultKind::Status, Some(404), None, 0, RetryDecision::GiveUp);
        check(FaultKind::Status, Some(501), None, 0, RetryDecision::GiveUp);
    }
}
