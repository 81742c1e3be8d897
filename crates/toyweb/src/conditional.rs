//! Conditional requests: `If-None-Match` and `If-Modified-Since` (RFC 9110, 13.1).

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use xxhash_rust::xxh3::xxh3_128;

use crate::message::{WebBody, WebRequest, WebResponse};

/// The response, or a 304 if the preconditions of the request show that the client has it already.
#[must_use]
pub fn apply_preconditions(request: &WebRequest, response: WebResponse) -> WebResponse {
    let is_read = request.method == Method::GET || request.method == Method::HEAD;
    if !is_read || response.status != StatusCode::OK || !is_not_modified(&request.headers, &response.headers) {
        return response;
    }
    let mut headers = response.headers;
    headers.remove(CONTENT_TYPE);
    headers.remove(CONTENT_LENGTH);
    WebResponse {
        status: StatusCode::NOT_MODIFIED,
        headers,
        body: WebBody::Whole("".into()),
        delivery: response.delivery,
    }
}

/// Whether the client's copy is current. `If-None-Match` takes precedence over `If-Modified-Since`.
fn is_not_modified(request: &HeaderMap, response: &HeaderMap) -> bool {
    if request.contains_key(IF_NONE_MATCH) {
        let Some(tag) = response.get(ETAG).and_then(|tag| tag.to_str().ok()) else { return false };
        let fields = request.get_all(IF_NONE_MATCH).iter().filter_map(|field| field.to_str().ok());
        let mut tags = fields.flat_map(|field| field.split(',')).map(str::trim);
        return tags.any(|known| known == "*" || strip_weak_prefix(known) == strip_weak_prefix(tag));
    }
    let time = |headers: &HeaderMap, name| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok();
    match (time(request, IF_MODIFIED_SINCE), time(response, LAST_MODIFIED)) {
        (Some(known), Some(modified)) => modified <= known,
        _ => false,
    }
}

/// An entity tag without its weak prefix, which `If-None-Match` ignores.
fn strip_weak_prefix(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// A strong entity tag of this content.
pub(crate) fn strong_etag(content: &[u8]) -> HeaderValue {
    HeaderValue::try_from(format!("\"{:032x}\"", xxh3_128(content))).expect("hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::DeliveryFault;

    fn response(tag: Option<&'static str>, date: Option<&'static str>) -> WebResponse {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/turtle"));
        tag.map(|tag| headers.insert(ETAG, HeaderValue::from_static(tag)));
        date.map(|date| headers.insert(LAST_MODIFIED, HeaderValue::from_static(date)));
        WebResponse {
            status: StatusCode::OK,
            headers,
            body: WebBody::Whole("x".into()),
            delivery: DeliveryFault::Plain,
        }
    }

    #[test]
    fn a_current_copy_yields_304() {
        let (tag, date) = (Some("\"a\""), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        let check = |name, value: &str, answer: WebResponse, expected: u16| {
            let request = WebRequest::get("http://h.example/").with_header(name, value);
            assert_eq!(apply_preconditions(&request, answer).status, expected, "{value}");
        };

        check(IF_NONE_MATCH, "\"a\"", response(tag, date), 304);
        check(IF_NONE_MATCH, "\"b\", W/\"a\"", response(tag, None), 304);
        check(IF_NONE_MATCH, "*", response(tag, None), 304);
        check(IF_NONE_MATCH, "\"b\"", response(tag, date), 200);
        check(IF_NONE_MATCH, "\"a\"", response(None, date), 200);
        check(IF_MODIFIED_SINCE, "Sun, 06 Nov 1994 08:49:37 GMT", response(None, date), 304);
        check(IF_MODIFIED_SINCE, "Mon, 07 Nov 1994 08:49:37 GMT", response(None, date), 304);
        check(IF_MODIFIED_SINCE, "Sat, 05 Nov 1994 08:49:37 GMT", response(None, date), 200);
        check(IF_MODIFIED_SINCE, "yesterday", response(None, date), 200);
        check(IF_MODIFIED_SINCE, "Mon, 07 Nov 1994 08:49:37 GMT", response(tag, None), 200);
    }

    #[test]
    fn a_different_etag_takes_precedence_over_an_equal_date() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let request = WebRequest::get("http://h.example/")
            .with_header(IF_NONE_MATCH, "\"b\"")
            .with_header(IF_MODIFIED_SINCE, date);

        assert_eq!(apply_preconditions(&request, response(Some("\"a\""), Some(date))).status, 200);
    }
}
