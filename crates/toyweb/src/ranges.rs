//! Range requests: `Range` and `If-Range` (RFC 9110, 14 and 13.1.5).
//!
//! Only a response with `Accept-Ranges: bytes` is served in parts, one range per request, as resumed downloads need it.

use http::header::{ACCEPT_RANGES, CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::message::{WebBody, WebRequest, WebResponse};

/// The requested range of a response, or the whole response.
#[must_use]
pub fn apply_range(request: &WebRequest, response: WebResponse) -> WebResponse {
    let divisible = response.headers.get(ACCEPT_RANGES).is_some_and(|unit| unit == "bytes");
    if !divisible || request.method != Method::GET || response.status != StatusCode::OK {
        return response;
    }
    let (WebBody::Whole(bytes), Some(range)) = (&response.body, request.headers.get(RANGE)) else { return response };
    if !if_range_matches(&request.headers, &response.headers) {
        return response;
    }
    let length = bytes.len();
    match range.to_str().ok().and_then(|range| RangeSpan::read(range, length)) {
        // A `Range` field that is not a byte range is ignored.
        None => response,
        Some(RangeSpan::Beyond) => {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_RANGE, header_value(&format!("bytes */{length}")));
            WebResponse {
                status: StatusCode::RANGE_NOT_SATISFIABLE,
                headers,
                body: WebBody::Whole("".into()),
                ..response
            }
        }
        Some(RangeSpan::Within(first, last)) => {
            let body = WebBody::Whole(bytes.slice(first..=last));
            let mut headers = response.headers;
            headers.insert(CONTENT_RANGE, header_value(&format!("bytes {first}-{last}/{length}")));
            WebResponse { status: StatusCode::PARTIAL_CONTENT, headers, body, ..response }
        }
    }
}

/// Whether the response matches `If-Range`. A weak validator never matches.
fn if_range_matches(request: &HeaderMap, response: &HeaderMap) -> bool {
    let Some(condition) = request.get(IF_RANGE) else { return true };
    let strong = !condition.as_bytes().starts_with(b"W/");
    strong && (response.get(ETAG) == Some(condition) || response.get(LAST_MODIFIED) == Some(condition))
}

/// The parsed `Range` field.
enum RangeSpan {
    /// The positions of the first and last byte of the range, both included.
    Within(usize, usize),
    /// The range is outside the content.
    Beyond,
}

impl RangeSpan {
    /// Parses `bytes=2-5`, `bytes=2-` or `bytes=-4`. Several ranges yield `None`: a server may ignore them.
    fn read(field: &str, length: usize) -> Option<Self> {
        let (first, last) = field.strip_prefix("bytes=")?.split_once('-')?;
        let (first, last) = match (first.trim(), last.trim()) {
            ("", suffix) => match suffix.parse::<usize>().ok()? {
                0 => return Some(Self::Beyond),
                suffix => (length.saturating_sub(suffix), length.checked_sub(1)),
            },
            (first, "") => (first.parse().ok()?, length.checked_sub(1)),
            (first, last) => {
                let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
                if last < first {
                    return None;
                }
                (first, length.checked_sub(1).map(|end| end.min(last)))
            }
        };
        Some(match last {
            Some(last) if first <= last => Self::Within(first, last),
            _ => Self::Beyond,
        })
    }
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).expect("the text is printable ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::DeliveryFault;

    fn response() -> WebResponse {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(ETAG, HeaderValue::from_static("\"a\""));
        WebResponse {
            status: StatusCode::OK,
            headers,
            body: WebBody::Whole("0123456789".into()),
            delivery: DeliveryFault::Plain,
        }
    }

    fn summary(response: &WebResponse) -> (u16, String, Option<&str>) {
        let WebBody::Whole(bytes) = &response.body else { panic!("a whole body") };
        let range = response.headers.get(CONTENT_RANGE).map(|range| range.to_str().expect("ASCII"));
        (response.status.as_u16(), String::from_utf8(bytes.to_vec()).expect("digits"), range)
    }

    #[test]
    fn a_response_contains_the_requested_range() {
        let check = |range: &str, status: u16, body: &str, content_range: Option<&str>| {
            let request = WebRequest::get("http://h.example/").with_header(RANGE, range);
            let partial = apply_range(&request, response());
            assert_eq!(summary(&partial), (status, body.to_owned(), content_range), "{range}");
        };

        check("bytes=2-5", 206, "2345", Some("bytes 2-5/10"));
        check("bytes=7-", 206, "789", Some("bytes 7-9/10"));
        check("bytes=-3", 206, "789", Some("bytes 7-9/10"));
        check("bytes=-30", 206, "0123456789", Some("bytes 0-9/10"));
        check("bytes=8-100", 206, "89", Some("bytes 8-9/10"));
        check("bytes=10-", 416, "", Some("bytes */10"));
        check("bytes=-0", 416, "", Some("bytes */10"));
        check("bytes=5-2", 200, "0123456789", None);
        check("bytes=1-2,4-5", 200, "0123456789", None);
        check("lines=1-2", 200, "0123456789", None);
    }

    #[test]
    fn a_changed_document_is_sent_whole() {
        let check = |condition: &str, status: u16| {
            let request =
                WebRequest::get("http://h.example/").with_header(RANGE, "bytes=5-").with_header(IF_RANGE, condition);
            assert_eq!(apply_range(&request, response()).status, status, "{condition}");
        };

        check("\"a\"", 206);
        check("\"b\"", 200);
        check("W/\"a\"", 200);
    }

    #[test]
    fn a_response_without_accept_ranges_is_sent_whole() {
        let mut whole = response();
        whole.headers.remove(ACCEPT_RANGES);

        assert_eq!(
            apply_range(&WebRequest::get("http://h.example/").with_header(RANGE, "bytes=2-5"), whole).status,
            200
        );
    }
}
