//! What the answer to a robots.txt request means (RFC 9309 §2.3.1).

use super::Robots;
use crate::fetch::{Body, Fetched, Refusal};
use crate::model::{Fault, FaultKind, Uri};

/// What became of a request for a robots.txt.
#[derive(Clone, Debug, PartialEq)]
pub enum RobotsAnswer {
    /// The site's rules; no restriction if it has none.
    Rules(Robots),
    /// They are elsewhere. At most five such answers in a row are followed;
    /// after that the site has no rules.
    Elsewhere(Uri),
    /// They cannot be had for now: the site counts as closed until they can.
    Unreachable(Refusal),
}

/// Reads the answer to a robots.txt request.
///
/// A file that is too large is read as far as it goes. One that broke off
/// otherwise is unreachable: the line that forbids might be the next.
#[must_use]
pub fn read_answer(answer: Result<Fetched, Refusal>, product_token: &str) -> RobotsAnswer {
    match answer {
        Ok(Fetched::Representation(representation)) => match representation.body {
            Body::Whole { bytes, cut: None } => RobotsAnswer::Rules(Robots::parse(&bytes, product_token)),
            Body::Whole { bytes, cut: Some(fault) } if fault.kind == FaultKind::TooLarge => {
                RobotsAnswer::Rules(Robots::parse(&bytes, product_token))
            }
            Body::Whole { cut: Some(fault), .. } => unreachable(fault),
            Body::Stream(_) => unreachable(Fault::new(FaultKind::TooLarge, "robots.txt came as a stream")),
        },
        Ok(Fetched::Redirect { target: Ok(target), .. }) => RobotsAnswer::Elsewhere(target),
        // Nobody said how we know it: it is as if it were not there.
        Ok(Fetched::Unchanged | Fetched::Redirect { target: Err(_), .. }) => RobotsAnswer::Rules(Robots::allow_all()),
        Err(refusal) if is_absence(refusal.status) => RobotsAnswer::Rules(Robots::allow_all()),
        Err(refusal) => RobotsAnswer::Unreachable(refusal),
    }
}

/// Whether a status says that there are no rules, rather than that they cannot
/// be had. An empty success (204) is a file without rules.
fn is_absence(status: Option<u16>) -> bool {
    matches!(status, Some(204 | 300..=428 | 430..=499))
}

fn unreachable(fault: Fault) -> RobotsAnswer {
    RobotsAnswer::Unreachable(Refusal { fault, status: Some(200), retry_after_s: None, sent: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::Representation;

    fn refused(kind: FaultKind, status: Option<u16>) -> Result<Fetched, Refusal> {
        Err(Refusal { fault: Fault::new(kind, "a test"), status, retry_after_s: None, sent: true })
    }

    fn file(cut: Option<FaultKind>) -> Fetched {
        Fetched::Representation(Box::new(Representation {
            uri: Uri::parse("http://a.org/robots.txt").unwrap(),
            status: 200,
            content_type: None,
            etag: None,
            last_modified: None,
            links: Vec::new(),
            body: Body::Whole {
                bytes: "User-agent: *\nDisallow: /x".into(),
                cut: cut.map(|kind| Fault::new(kind, "")),
            },
        }))
    }

    #[test]
    fn a_missing_file_allows_and_an_unreachable_one_closes() {
        let check = |answer, expected: Option<bool>| {
            let allowed = match read_answer(answer, "lodeward") {
                RobotsAnswer::Rules(robots) => Some(robots.allows("/x")),
                RobotsAnswer::Elsewhere(_) | RobotsAnswer::Unreachable(_) => None,
            };
            assert_eq!(allowed, expected);
        };

        check(Ok(file(None)), Some(false));
        check(Ok(file(Some(FaultKind::TooLarge))), Some(false));
        check(Ok(file(Some(FaultKind::Truncated))), None);
        check(refused(FaultKind::Status, Some(404)), Some(true));
        check(refused(FaultKind::Status, Some(403)), Some(true));
        check(refused(FaultKind::Status, Some(204)), Some(true));
        check(refused(FaultKind::Busy, Some(429)), None);
        check(refused(FaultKind::Busy, Some(503)), None);
        check(refused(FaultKind::Status, Some(500)), None);
        check(refused(FaultKind::Timeout, None), None);
        check(refused(FaultKind::Dns, None), None);
        let target = Uri::parse("http://b.org/robots.txt").unwrap();
        let elsewhere = Ok(Fetched::Redirect { status: 301, target: Ok(target.clone()) });
        assert_eq!(read_answer(elsewhere, "lodeward"), RobotsAnswer::Elsewhere(target));
    }
}
