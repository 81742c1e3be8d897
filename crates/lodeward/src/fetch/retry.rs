//! Which refusals pass, and how long to wait for that: the one table.
//!
//! A refusal is about the document (it timed out, its server stumbled) or
//! about the whole server (it asks to be left alone). Chance is not ours: the
//! engine owns the crawl's seed and spreads these waits as it sees fit.

use std::time::Duration;

use super::Refusal;
use crate::model::FaultKind;

/// Attempts at one document, the first included, when it fails by itself.
pub const DOCUMENT_ATTEMPTS_MAX: u8 = 3;
/// Attempts at a document whose host name does not resolve.
pub const DNS_ATTEMPTS_MAX: u8 = 2;
/// The first wait for a document; it doubles with each attempt.
pub const DOCUMENT_WAIT: Duration = Duration::from_secs(10);
/// The wait before a host name is looked up again.
pub const DNS_WAIT: Duration = Duration::from_mins(1);
/// The first rest of a busy server that does not say how long it wants.
pub const SERVER_WAIT: Duration = Duration::from_secs(30);
/// The longest wait of our own choosing. What a server asks for is not cut.
pub const WAIT_MAX: Duration = Duration::from_hours(1);

/// What to do about a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retry {
    /// It will not pass.
    GiveUp,
    /// The document may be asked for again after this long.
    Document {
        /// How long.
        wait: Duration,
    },
    /// The whole server is left alone for this long, then the document may be
    /// asked for again.
    Server {
        /// How long.
        wait: Duration,
    },
}

/// Judges a refusal that came after `attempt` earlier failures.
///
/// A busy server has no last attempt here: how often one document may meet a
/// busy server is a matter of the crawl, not of the answer.
#[must_use]
pub fn verdict(refusal: &Refusal, attempt: u8) -> Retry {
    match refusal.fault.kind {
        FaultKind::Busy => Retry::Server { wait: rest(refusal.retry_after_s, attempt) },
        FaultKind::Timeout | FaultKind::Connect | FaultKind::Truncated | FaultKind::Protocol => again(attempt),
        FaultKind::Status if matches!(refusal.status, Some(500 | 502 | 504)) => again(attempt),
        FaultKind::Dns if attempt.saturating_add(1) < DNS_ATTEMPTS_MAX => Retry::Document { wait: DNS_WAIT },
        _ => Retry::GiveUp,
    }
}

fn again(attempt: u8) -> Retry {
    if attempt.saturating_add(1) >= DOCUMENT_ATTEMPTS_MAX {
        return Retry::GiveUp;
    }
    Retry::Document { wait: doubled(DOCUMENT_WAIT, attempt) }
}

fn rest(retry_after_s: Option<u64>, attempt: u8) -> Duration {
    match retry_after_s {
        Some(seconds) => Duration::from_secs(seconds),
        None => doubled(SERVER_WAIT, attempt),
    }
}

fn doubled(first: Duration, attempt: u8) -> Duration {
    2_u32.checked_pow(attempt.into()).and_then(|factor| first.checked_mul(factor)).unwrap_or(WAIT_MAX).min(WAIT_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Fault;

    fn check(kind: FaultKind, status: Option<u16>, retry_after_s: Option<u64>, attempt: u8, expected: Retry) {
        let refusal = Refusal { fault: Fault::new(kind, "a test"), status, retry_after_s, sent: true };

        assert_eq!(verdict(&refusal, attempt), expected, "{kind:?} {status:?} {retry_after_s:?} {attempt}");
    }

    fn document(seconds: u64) -> Retry {
        Retry::Document { wait: Duration::from_secs(seconds) }
    }

    fn server(seconds: u64) -> Retry {
        Retry::Server { wait: Duration::from_secs(seconds) }
    }

    #[test]
    fn a_busy_server_rests_as_long_as_it_asks_or_twice_as_long_each_time() {
        check(FaultKind::Busy, Some(429), Some(7), 0, server(7));
        check(FaultKind::Busy, Some(503), Some(0), 0, server(0));
        check(FaultKind::Busy, Some(503), Some(86_400), 0, server(86_400));
        check(FaultKind::Busy, Some(503), None, 0, server(30));
        check(FaultKind::Busy, Some(503), None, 2, server(120));
        check(FaultKind::Busy, Some(503), None, 200, server(3_600));
    }

    #[test]
    fn a_document_that_failed_by_itself_is_tried_three_times() {
        for kind in [FaultKind::Timeout, FaultKind::Connect, FaultKind::Truncated, FaultKind::Protocol] {
            check(kind, None, None, 0, document(10));
            check(kind, None, None, 1, document(20));
            check(kind, None, None, 2, Retry::GiveUp);
            check(kind, None, None, 255, Retry::GiveUp);
        }
        for status in [500, 502, 504] {
            check(FaultKind::Status, Some(status), None, 0, document(10));
        }
    }

    #[test]
    fn what_will_not_pass_is_given_up() {
        check(FaultKind::Dns, None, None, 0, document(60));
        check(FaultKind::Dns, None, None, 1, Retry::GiveUp);
        check(FaultKind::Tls, None, None, 0, Retry::GiveUp);
        check(FaultKind::Forbidden, None, None, 0, Retry::GiveUp);
        check(FaultKind::Status, Some(404), None, 0, Retry::GiveUp);
        check(FaultKind::Status, Some(501), None, 0, Retry::GiveUp);
    }
}
