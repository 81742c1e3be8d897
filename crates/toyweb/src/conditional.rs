//! Requests with conditions: `If-None-Match` and `If-Modified-Since`
//! (RFC 9110, 13.1).

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, ETAG, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use xxhash_rust::xxh3::xxh3_128;

use crate::message::{Body, Request, Response};

/// The answer, or a 304 where the request says that it knows the answer.
#[must_use]
pub fn settle(request: &Request, response: Response) -> Response {
    let readable = request.method == Method::GET || request.method == Method::HEAD;
    if !readable || response.status != StatusCode::OK || !is_known(&request.headers, &response.headers) {
        return response;
    }
    let mut headers = response.headers;
    headers.remove(CONTENT_TYPE);
    headers.remove(CONTENT_LENGTH);
    Response { status: StatusCode::NOT_MODIFIED, headers, body: Body::Whole("".into()), conduct: response.conduct }
}

/// Whether a visitor has what would be answered. Tags go before dates.
fn is_known(asked: &HeaderMap, answer: &HeaderMap) -> bool {
    if asked.contains_key(IF_NONE_MATCH) {
        let Some(tag) = answer.get(ETAG).and_then(|tag| tag.to_str().ok()) else { return false };
        let fields = asked.get_all(IF_NONE_MATCH).iter().filter_map(|field| field.to_str().ok());
        let mut tags = fields.flat_map(|field| field.split(',')).map(str::trim);
        return tags.any(|known| known == "*" || opaque(known) == opaque(tag));
    }
    let time = |headers: &HeaderMap, name| httpdate::parse_http_date(headers.get(name)?.to_str().ok()?).ok();
    match (time(asked, IF_MODIFIED_SINCE), time(answer, LAST_MODIFIED)) {
        (Some(known), Some(modified)) => modified <= known,
        _ => false,
    }
}

/// A tag without the mark of weakness, which `If-None-Match` passes over.
fn opaque(tag: &str) -> &str {
    tag.strip_prefix("W/").unwrap_or(tag)
}

/// A strong tag of this content.
pub(crate) fn tag(content: &[u8]) -> HeaderValue {
    HeaderValue::try_from(format!("\"{:032x}\"", xxh3_128(content))).expect("hexadecimal digits")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Conduct;

    fn answer(tag: Option<&'static str>, date: Option<&'static str>) -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/turtle"));
        tag.map(|tag| headers.insert(ETAG, HeaderValue::from_static(tag)));
        date.map(|date| headers.insert(LAST_MODIFIED, HeaderValue::from_static(date)));
        Response { status: StatusCode::OK, headers, body: Body::Whole("x".into()), conduct: Conduct::Plain }
    }

    #[test]
    fn what_is_known_is_not_sent_again() {
        let (tag, date) = (Some("\"a\""), Some("Sun, 06 Nov 1994 08:49:37 GMT"));
        let check = |name, value: &str, response: Response, expected: u16| {
            let request = Request::get("http://h.example/").with(name, value);
            assert_eq!(settle(&request, response).status, expected, "{value}");
        };

        check(IF_NONE_MATCH, "\"a\"", answer(tag, date), 304);
        check(IF_NONE_MATCH, "\"b\", W/\"a\"", answer(tag, None), 304);
        check(IF_NONE_MATCH, "*", answer(tag, None), 304);
        check(IF_NONE_MATCH, "\"b\"", answer(tag, date), 200);
        check(IF_NONE_MATCH, "\"a\"", answer(None, date), 200);
        check(IF_MODIFIED_SINCE, "Sun, 06 Nov 1994 08:49:37 GMT", answer(None, date), 304);
        check(IF_MODIFIED_SINCE, "Mon, 07 Nov 1994 08:49:37 GMT", answer(None, date), 304);
        check(IF_MODIFIED_SINCE, "Sat, 05 Nov 1994 08:49:37 GMT", answer(None, date), 200);
        check(IF_MODIFIED_SINCE, "yesterday", answer(None, date), 200);
        check(IF_MODIFIED_SINCE, "Mon, 07 Nov 1994 08:49:37 GMT", answer(tag, None), 200);
    }

    #[test]
    fn a_tag_that_differs_goes_before_a_date_that_does_not() {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        let request = Request::get("http://h.example/").with(IF_NONE_MATCH, "\"b\"").with(IF_MODIFIED_SINCE, date);

        assert_eq!(settle(&request, answer(Some("\"a\""), Some(date))).status, 200);
    }
}
