//! Classifies responses by status and header, before the body is read.

use http::header::{CONTENT_TYPE, DATE, ETAG, HeaderName, LAST_MODIFIED, LINK, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use lodeward_markup::UsageDirectives;
use url::Url;

use super::{Representation, ResponseBody};
use crate::model::{Fault, FaultKind, FetchFacts, FetchFailure, ProbeResult, Uri, UsageTerms, Validators};
use crate::time::parse_http_date;

/// The kinds of response.
pub(super) enum ResponseKind {
    /// The body is the document.
    Document,
    /// The document is unchanged.
    Unchanged,
    /// The server redirects.
    Redirect {
        /// The `Location`, resolved; or why it cannot be followed.
        target: Result<Uri, Fault>,
        /// The `Retry-After`: how long to wait before the target is requested.
        retry_after_s: Option<u64>,
    },
    /// The request failed.
    Failure(FetchFailure),
}

/// Classifies a response by its status. A 304 is accepted only if the request was conditional.
/// `now_ms` returns the time if the response does not state it.
pub(super) fn response_kind(
    url: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    is_conditional: bool,
    now_ms: fn() -> u64,
) -> ResponseKind {
    let failure = |kind| ResponseKind::Failure(fetch_failure(kind, status, headers, now_ms));
    match status.as_u16() {
        200 | 203 => ResponseKind::Document,
        300 if !headers.contains_key(LOCATION) => failure(FaultKind::Status),
        304 if is_conditional => ResponseKind::Unchanged,
        300..=303 | 307 | 308 => ResponseKind::Redirect {
            target: redirect_target(url, headers),
            retry_after_s: retry_after_s(headers, now_ms),
        },
        429 | 503 => failure(FaultKind::Overloaded),
        _ => failure(FaultKind::Status),
    }
}

/// The result of a HEAD request.
pub(super) fn probe_result(
    url: &Url,
    status: StatusCode,
    headers: &HeaderMap,
    now_ms: fn() -> u64,
) -> Result<ProbeResult, FetchFailure> {
    if matches!(status.as_u16(), 429 | 503) {
        return Err(fetch_failure(FaultKind::Overloaded, status, headers, now_ms));
    }
    Ok(ProbeResult {
        status: status.as_u16(),
        media_type: header_text(headers, &CONTENT_TYPE),
        location: redirect_target(url, headers).ok().filter(|_| status.is_redirection()),
        retry_after_s: retry_after_s(headers, now_ms).filter(|_| status.is_redirection()),
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
            terms: Box::new(usage_terms(headers)),
            ..FetchFacts::default()
        },
        links: header_texts(headers, &LINK),
        robots_tags: header_texts(headers, &HeaderName::from_static("x-robots-tag")),
        body,
    }
}

/// The TDM reservation in a header.
fn usage_terms(headers: &HeaderMap) -> UsageTerms {
    let field = |name| header_text(headers, &HeaderName::from_static(name));
    let mut directives = UsageDirectives::default();
    directives.add_tdm_reservation(&field("tdm-reservation").unwrap_or_default());
    UsageTerms { tdm_reservation: directives.tdm_reservation, tdm_policy: field("tdm-policy"), ..UsageTerms::default() }
}

/// All values of a header field.
fn header_texts(headers: &HeaderMap, name: &HeaderName) -> Vec<String> {
    headers.get_all(name).iter().map(|value| lossy_text(value.as_bytes())).collect()
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

fn fetch_failure(kind: FaultKind, status: StatusCode, headers: &HeaderMap, now_ms: fn() -> u64) -> FetchFailure {
    let fault = Fault::new(kind, status);
    FetchFailure { fault, status: Some(status.as_u16()), retry_after_s: retry_after_s(headers, now_ms), sent: true }
}

/// Maximum `Retry-After`: ten years, longer than any useful wait and small enough not to overflow when added.
const MAX_RETRY_AFTER_S: u64 = 10 * 365 * 24 * 3_600;

/// `Retry-After` in seconds, at most ten years; `None` if it is missing or invalid. A date is relative to the `Date` of
/// the response, because the clock of the server may differ from that of this machine, which counts if there is no
/// valid `Date`. A date in the past is 0.
pub(super) fn retry_after_s(headers: &HeaderMap, now_ms: fn() -> u64) -> Option<u64> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // A number that does not fit is longer than the maximum.
        return Some(value.parse().unwrap_or(MAX_RETRY_AFTER_S).min(MAX_RETRY_AFTER_S));
    }
    let then = parse_http_date(value)?;
    let sent_at = headers.get(DATE).and_then(|date| parse_http_date(date.to_str().ok()?.trim()));
    Some(then.saturating_sub(sent_at.unwrap_or_else(|| now_ms() / 1_000)).min(MAX_RETRY_AFTER_S))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_read_as_seconds_or_as_a_date() {
        let check = |value: &str, date: &str, expected: Option<u64>| {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap()), (DATE, date.parse().unwrap())]);
            // One minute before the date below.
            assert_eq!(retry_after_s(&headers, || 784_111_777_000), expected, "{value}");
        };
        let now = "Sun, 06 Nov 1994 08:49:37 GMT";

        check("120", "", Some(120));
        check(" 7 ", now, Some(7));
        check("Sun, 06 Nov 1994 08:50:37 GMT", now, Some(60));
        check("Sunday, 06-Nov-94 08:50:37 GMT", now, Some(60));
        check("Sun Nov  6 08:50:37 1994", now, Some(60));
        check("Sun, 06 Nov 1994 08:00:00 GMT", now, Some(0));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "", Some(60));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "yesterday", Some(60));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 09:50:37 GMT", Some(0));
        check("Sun, 06 Nov 1994 08:50:37 GMT", "Sun, 06 Nov 1994 07:50:37 GMT", Some(3_600));
        check("Sat, 05 Nov 1994 08:50:37 GMT", "", Some(0));
        check("Fri, 31 Dec 9999 23:59:59 GMT", now, Some(MAX_RETRY_AFTER_S));
        check("18446744073709551615", now, Some(MAX_RETRY_AFTER_S));
        check("99999999999999999999999999", now, Some(MAX_RETRY_AFTER_S));
        for invalid in ["-3", "+3", "1.5", "1e9", "soon", ""] {
            check(invalid, now, None);
        }
    }
}
