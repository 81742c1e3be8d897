//! What a response's head means, before its body is read.

use http::header::{CONTENT_TYPE, DATE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::{Body, Purpose, Refusal, Representation, date};
use crate::model::{Fault, FaultKind, Probe, Uri};

/// The sorts of answer.
pub(super) enum Answer {
    /// The body is the document.
    Document,
    /// The document is as it was.
    Unchanged,
    /// The document is elsewhere.
    Redirect(Result<Uri, Fault>),
    /// There is no document.
    Refusal(Refusal),
}

/// Sorts an answer by its status. That a document has not changed is an answer
/// only to who asked that.
pub(super) fn sort(url: &Url, status: StatusCode, headers: &HeaderMap, purpose: Purpose<'_>) -> Answer {
    match status.as_u16() {
        200 | 203 => Answer::Document,
        300 if !headers.contains_key(LOCATION) => Answer::Refusal(refusal(FaultKind::Status, status, headers)),
        304 if matches!(purpose, Purpose::Again(_)) => Answer::Unchanged,
        300..=303 | 307 | 308 => Answer::Redirect(target(url, headers)),
        429 | 503 => Answer::Refusal(refusal(FaultKind::Busy, status, headers)),
        _ => Answer::Refusal(refusal(FaultKind::Status, status, headers)),
    }
}

/// What a HEAD request told.
pub(super) fn probe(url: &Url, status: StatusCode, headers: &HeaderMap) -> Result<Probe, Refusal> {
    if matches!(status.as_u16(), 429 | 503) {
        return Err(refusal(FaultKind::Busy, status, headers));
    }
    Ok(Probe {
        status: status.as_u16(),
        media_type: text(headers, &CONTENT_TYPE),
        location: target(url, headers).ok().filter(|_| status.is_redirection()),
    })
}

/// A representation with the fields we keep.
pub(super) fn representation(uri: &Uri, status: StatusCode, headers: &HeaderMap, body: Body) -> Representation {
    Representation {
        uri: uri.clone(),
        status: status.as_u16(),
        content_type: text(headers, &CONTENT_TYPE),
        etag: text(headers, &ETAG),
        last_modified: text(headers, &LAST_MODIFIED),
        links: headers.get_all(LINK).iter().map(|value| lossy(value.as_bytes())).collect(),
        body,
    }
}

/// A field as text, whatever its bytes.
pub(super) fn text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| lossy(value.as_bytes()))
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Where a redirect leads.
pub(super) fn target(url: &Url, headers: &HeaderMap) -> Result<Uri, Fault> {
    let location = text(headers, &LOCATION).ok_or_else(|| Fault::new(FaultKind::Redirect, "no location"))?;
    Uri::resolve(url, &location).map_err(|error| Fault::new(FaultKind::Redirect, format!("{error}: {location}")))
}

fn refusal(kind: FaultKind, status: StatusCode, headers: &HeaderMap) -> Refusal {
    let fault = Fault::new(kind, status);
    Refusal { fault, status: Some(status.as_u16()), retry_after_s: retry_after_s(headers), sent: true }
}

/// Ten years: more than anybody waits, and small enough to be added to.
const RETRY_AFTER_S_MAX: u64 = 10 * 365 * 24 * 3_600;

/// `Retry-After` in seconds. A date counts from the answer's own `Date`: we
/// have no clock, and the server's might differ from ours anyway.
pub(super) fn retry_after_s(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(seconds.min(RETRY_AFTER_S_MAX));
    }
    let then = date::parse_http_date(value)?;
    let now = date::parse_http_date(headers.get(DATE)?.to_str().ok()?.trim())?;
    Some(u64::try_from(then - now).unwrap_or(0).min(RETRY_AFTER_S_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_for_rest_is_read_in_seconds_or_as_a_date() {
        let check = |value: &str, date: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap()), (DATE, date.parse().unwrap())]);
            assert_eq!(retry_after_s(&headers), expected, "{value}");
        };
        let now = "Sun, 06 Nov 1994 08:49:37 GMT";

        check("120", "", Some(120));
        check(" 7 ", now, Some(7));
        check("Sun, 06 Nov 1994 08:50:37 GMT", now, Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", now, Some(0));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "", None);
        check("-3", now, None);
        check("soon", now, None);
    }
}
