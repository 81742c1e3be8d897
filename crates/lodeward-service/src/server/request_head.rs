//! Rejects request heads that two readers could understand differently.
//!
//! A proxy and the service must agree on the host, the page and the user of a request. If a field
//! that decides about them occurs twice, one of them may use the first line and the other one the
//! last.

use http::header::{AUTHORIZATION, CONTENT_TYPE, HOST, ORIGIN, REFERER, USER_AGENT};
use http::{HeaderName, Request, Version};

use crate::problem::{Problem, ProblemCode};

/// Fields that may occur at most once (RFC 9110 §5.3), and that decide how a request is handled.
const SINGLE_FIELDS: [HeaderName; 8] = [
    HOST,
    ORIGIN,
    AUTHORIZATION,
    CONTENT_TYPE,
    REFERER,
    USER_AGENT,
    HeaderName::from_static("sec-fetch-site"),
    HeaderName::from_static("sec-fetch-mode"),
];

/// Rejects a request without `Host` (RFC 9112 §3.2), or with two lines of a field that occurs once.
pub(super) fn check<B>(request: &Request<B>) -> Result<(), Problem> {
    let headers = request.headers();
    if let Some(name) = SINGLE_FIELDS.iter().find(|name| headers.get_all(*name).iter().nth(1).is_some()) {
        return Err(bad_head(format!("the header field `{name}` occurs more than once")));
    }
    if request.version() >= Version::HTTP_11 && !headers.contains_key(HOST) {
        return Err(bad_head("a request with HTTP/1.1 needs the header field `host`".to_owned()));
    }
    Ok(())
}

fn bad_head(detail: String) -> Problem {
    Problem::new(ProblemCode::BadRequest, detail).hint("send the header field exactly once")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_accepted(version: Version, fields: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().version(version);
        for (name, value) in fields {
            request = request.header(*name, *value);
        }
        check(&request.body(()).unwrap()).is_ok()
    }

    #[test]
    fn http_1_1_needs_a_host_and_http_1_0_does_not() {
        assert!(is_accepted(Version::HTTP_11, &[("host", "localhost")]));
        assert!(is_accepted(Version::HTTP_10, &[]));
        assert!(!is_accepted(Version::HTTP_11, &[]));
    }

    #[test]
    fn repeated_fields_are_rejected_even_if_they_are_equal() {
        for name in SINGLE_FIELDS {
            let repeated = [("host", "localhost"), (name.as_str(), "a"), (name.as_str(), "a")];
            assert!(!is_accepted(Version::HTTP_11, &repeated), "{name}");
            assert!(!is_accepted(Version::HTTP_10, &repeated), "{name}");
        }
        assert!(is_accepted(
            Version::HTTP_11,
            &[("host", "a"), ("accept", "a/b"), ("accept", "c/d"), ("cookie", "x=y")]
        ));
    }
}
