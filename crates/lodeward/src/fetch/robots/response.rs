//! Interprets the response to a robots.txt request (RFC 9309 §2.3.1).

use super::RobotsRules;
use crate::fetch::{FetchOutcome, ResponseBody};
use crate::model::{Fault, FaultKind, FetchFailure, Uri};

/// The result of a robots.txt request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RobotsResponse {
    /// The rules of the site; no restriction if it has none. With the text of the file, truncated, if it has one.
    Rules(RobotsRules, Option<String>),
    /// A redirect. At most five in a row are followed; after that the site has no rules.
    Redirect {
        /// The target.
        target: Uri,
        /// How long to wait before the target is requested.
        retry_after_s: Option<u64>,
    },
    /// The rules cannot be fetched: the site is disallowed until they can.
    Unreachable(FetchFailure),
}

/// Interprets the response to a robots.txt request.
///
/// A file that is too large is read up to the limit. A file truncated for another reason is treated as unreachable,
/// because the missing part may contain a rule that disallows.
#[must_use]
pub(crate) fn read_response(response: Result<FetchOutcome, FetchFailure>, product_token: &str) -> RobotsResponse {
    match response {
        Ok(FetchOutcome::Representation(representation)) => match representation.body {
            ResponseBody::Buffered { bytes, truncation: None } => rules(&bytes, product_token),
            ResponseBody::Buffered { bytes, truncation: Some(fault) } if fault.kind == FaultKind::TooLarge => {
                rules(&bytes, product_token)
            }
            ResponseBody::Buffered { truncation: Some(fault), .. } => unreachable(fault),
            ResponseBody::Stream(_) => unreachable(Fault::new(FaultKind::TooLarge, "robots.txt is too large")),
        },
        Ok(FetchOutcome::Redirect { target: Ok(target), retry_after_s, .. }) => {
            RobotsResponse::Redirect { target, retry_after_s }
        }
        // A robots.txt request is unconditional, so a 304 is treated as a missing file.
        Ok(FetchOutcome::Unchanged | FetchOutcome::Redirect { target: Err(_), .. }) => {
            RobotsResponse::Rules(RobotsRules::allow_all(), None)
        }
        Err(refusal) if is_absent_status(refusal.status) => RobotsResponse::Rules(RobotsRules::allow_all(), None),
        Err(refusal) => RobotsResponse::Unreachable(refusal),
    }
}

/// The maximum length of the text that is stored, in bytes.
const MAX_TEXT_BYTES: usize = 32 << 10;

fn rules(bytes: &[u8], product_token: &str) -> RobotsResponse {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_TEXT_BYTES)]).into_owned();
    RobotsResponse::Rules(RobotsRules::parse(bytes, product_token), Some(text))
}

/// Whether a status means that there are no rules, rather than that they cannot be fetched. An empty success (204) is a
/// file without rules.
fn is_absent_status(status: Option<u16>) -> bool {
    matches!(status, Some(204 | 300..=428 | 430..=499))
}

fn unreachable(fault: Fault) -> RobotsResponse {
    RobotsResponse::Unreachable(FetchFailure { fault, status: Some(200), retry_after_s: None, sent: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Representation;

    fn failed(kind: FaultKind, status: Option<u16>) -> Result<FetchOutcome, FetchFailure> {
        Err(FetchFailure { fault: Fault::new(kind, "a test"), status, retry_after_s: None, sent: true })
    }

    fn file(cut: Option<FaultKind>) -> FetchOutcome {
        let body = ResponseBody::Buffered {
            bytes: "User-agent: *\nDisallow: /x".into(),
            truncation: cut.map(|kind| Fault::new(kind, "")),
        };
        let uri = Uri::parse("http://a.org/robots.txt").unwrap();
        FetchOutcome::Representation(Box::new(Representation::new(uri, None, body)))
    }

    #[test]
    fn missing_file_allows_and_unreachable_file_disallows() {
        let check = |response, expected: Option<bool>| {
            let allowed = match read_response(response, "lodeward") {
                RobotsResponse::Rules(robots, _) => Some(robots.allows("/x")),
                RobotsResponse::Redirect { .. } | RobotsResponse::Unreachable(_) => None,
            };
            assert_eq!(allowed, expected);
        };

        check(Ok(file(None)), Some(false));
        check(Ok(file(Some(FaultKind::TooLarge))), Some(false));
        check(Ok(file(Some(FaultKind::Truncated))), None);
        check(failed(FaultKind::Status, Some(404)), Some(true));
        check(failed(FaultKind::Status, Some(403)), Some(true));
        check(failed(FaultKind::Status, Some(204)), Some(true));
        check(failed(FaultKind::Overloaded, Some(429)), None);
        check(failed(FaultKind::Overloaded, Some(503)), None);
        check(failed(FaultKind::Status, Some(500)), None);
        check(failed(FaultKind::Timeout, None), None);
        check(failed(FaultKind::Dns, None), None);
        let target = Uri::parse("http://b.org/robots.txt").unwrap();
        let elsewhere = Ok(FetchOutcome::Redirect { status: 301, target: Ok(target.clone()), retry_after_s: Some(7) });
        assert_eq!(read_response(elsewhere, "lodeward"), RobotsResponse::Redirect { target, retry_after_s: Some(7) });
    }
}
