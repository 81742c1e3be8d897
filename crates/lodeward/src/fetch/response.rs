//! Classifies responses by status and header, before the body is read.

use http::header::{CONTENT_TYPE, DATE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use url::Url;

use super::{Representation, ResponseBody};
use crate::model::{Fault, FaultKind, FetchFacts, FetchFailure, ProbeResult, Uri, Validators};
use crate::time::parse_http_date;

/// The kinds of response.
pub(super) enum ResponseKind {
    /// The body is the document.
    Document,
    /// The document is unchanged.
    Unchanged,
    /// The server redirects.
    Redirect(Result<Uri, Fault>),
    /// The request failed.
    Failure(FetchFailure),
}

/// Classifies a response by its status. A 304 is accepted only if the request was conditional.
pub(super) fn response_kind(url: &Url, status: StatusCode, headers: &HeaderMap, is_conditional: bool) -> ResponseKind {
    match status.as_u16() {
        200 | 203 => ResponseKind::Document,
        300 if !headers.contains_key(LOCATION) => {
            ResponseKind::Failure(fetch_failure(FaultKind::Status, status, headers))
        }
        304 if is_conditional => ResponseKind::Unchanged,
        300..=303 | 307 | 308 => ResponseKind::Redirect(redirect_target(url, headers)),
        429 | 503 => ResponseKind::Failure(fetch_failure(FaultKind::Overloaded, status, headers)),
        _ => ResponseKind::Failure(fetch_failure(FaultKind::Status, status, headers)),
    }
}

/// The result of a HEAD request.
pub(super) fn probe_result(url: &Url, status: StatusCode, headers: &HeaderMap) -> Result<ProbeResult, FetchFailure> {
    if matches!(status.as_u16(), 429 | 503) {
        return Err(fetch_failure(FaultKind::Overloaded, status, headers));
    }
    Ok(ProbeResult {
        status: status.as_u16(),
        media_type: header_text(headers, &CONTENT_TYPE),
        location: redirect_target(url, headers).ok().filter(|_| status.is_redirection()),
    })
}

/// Builds a representation with the header fields that a crawl uses.
pub(super) fn representation(uri: &Uri, status: StatusCode, headers: &HeaderMap, body: ResponseBody) -> Representation {
    Representation {
        uri: uri.clone(),
        fetch: FetchFacts {
            status: status.as_u16(),
            declared_media_type: header_text(headers, &CONTENT_TYPE),
            validators: Validators {
                etag: header_text(headers, &ETAG),
                last_modified: header_text(headers, &LAST_MODIFIED),
            },
            ..FetchFacts::default()
        },
        links: headers.get_all(LINK).iter().map(|value| lossy_text(value.as_bytes())).collect(),
        body,
    }
}

/// A header field as text, decoded lossily.
pub(super) fn header_text(headers: &HeaderMap, name: &HeaderName) -> Option<String> {
    headers.get(name).map(|value| lossy_text(value.as_bytes()))
}

fn lossy_text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The target of a redirect.
pub(super) fn redirect_target(url: &Url, headers: &HeaderMap) -> Result<Uri, Fault> {
    let location = header_text(headers, &LOCATION).ok_or_else(|| Fault::new(FaultKind::Redirect, "no `Location`"))?;
    Uri::resolve(url, &location).map_err(|error| Fault::new(FaultKind::Redirect, format!("{error}: {location}")))
}

fn fetch_failure(kind: FaultKind, status: StatusCode, headers: &HeaderMap) -> FetchFailure {
    let fault = Fault::new(kind, status);
    FetchFailure { fault, status: Some(status.as_u16()), retry_after_s: retry_after_s(headers), sent: true }
}

/// Maximum `Retry-After`: ten years, longer than any useful wait and small enough not to overflow when added.
const MAX_RETRY_AFTER_S: u64 = 10 * 365 * 24 * 3_600;

/// `Retry-After` in seconds. A date is relative to the `Date` of the response: this module reads no clock, and the
/// clock of the server may differ.
pub(super) fn retry_after_s(headers: &HeaderMap) -> Option<u64> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if let Ok(seconds) = value.parse::<u64>() {
        return Some(seconds.min(MAX_RETRY_AFTER_S));
    }
    let then = parse_http_date(value)?;
    let now = parse_http_date(headers.get(DATE)?.to_str().ok()?.trim())?;
    Some(then.saturating_sub(now).min(MAX_RETRY_AFTER_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let check = |value: &str, date: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap()), (DATE, date.parse().unwrap())]);
            assert_eq!(retry_after_s(&headers), expected, "{value}");
        };
        let now = "Sun, 06 Nov 1994 08:49:37 GMT";

        check("120", "", Some(120));
        check(" 7 ", now, Some(7));
        check("Sun, 06 Nov 1994 08:50:37 GMT", now, Some(60));
        check("Sunday, 06-Nov-94 08:50:37 GMT", now, Some(60));
        check("Sun Nov  6 08:50:37 1994", now, Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", now, Some(0));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "", None);
        check("-3", now, None);
        check("soon", now, None);
    }
}
