//! Parts of answers: `Range` and `If-Range` (RFC 9110, 14 and 13.1.5).
//!
//! An answer that says `Accept-Ranges: bytes` can be had in parts; no other
//! can. One range at a time, as downloads that are resumed ask for.

use http::header::{ACCEPT_RANGES, CONTENT_RANGE, ETAG, IF_RANGE, LAST_MODIFIED, RANGE};
use http::{HeaderMap, HeaderValue, Method, StatusCode};

use crate::message::{Body, Request, Response};

/// The part of an answer that a request asks for, or all of it.
#[must_use]
pub fn cut_out(request: &Request, response: Response) -> Response {
    let divisible = response.headers.get(ACCEPT_RANGES).is_some_and(|unit| unit == "bytes");
    if !divisible || request.method != Method::GET || response.status != StatusCode::OK {
        return response;
    }
    let (Body::Whole(bytes), Some(range)) = (&response.body, request.headers.get(RANGE)) else { return response };
    if !is_still_the_same(&request.headers, &response.headers) {
        return response;
    }
    let length = bytes.len();
    match range.to_str().ok().and_then(|range| Span::read(range, length)) {
        // What is no range of bytes is passed over.
        None => response,
        Some(Span::Beyond) => {
            let mut headers = HeaderMap::new();
            headers.insert(CONTENT_RANGE, field(&format!("bytes */{length}")));
            Response { status: StatusCode::RANGE_NOT_SATISFIABLE, headers, body: Body::Whole("".into()), ..response }
        }
        Some(Span::Within(first, last)) => {
            let body = Body::Whole(bytes.slice(first..=last));
            let mut headers = response.headers;
            headers.insert(CONTENT_RANGE, field(&format!("bytes {first}-{last}/{length}")));
            Response { status: StatusCode::PARTIAL_CONTENT, headers, body, ..response }
        }
    }
}

/// Whether the answer is the one that `If-Range` speaks of. A weak validator
/// is never good enough.
fn is_still_the_same(asked: &HeaderMap, answer: &HeaderMap) -> bool {
    let Some(condition) = asked.get(IF_RANGE) else { return true };
    let strong = !condition.as_bytes().starts_with(b"W/");
    strong && (answer.get(ETAG) == Some(condition) || answer.get(LAST_MODIFIED) == Some(condition))
}

/// What a `Range` field asks for.
enum Span {
    /// From the first to the last byte, both included.
    Within(usize, usize),
    /// Nothing that is there.
    Beyond,
}

impl Span {
    /// Reads `bytes=2-5`, `bytes=2-` or `bytes=-4`. Of several ranges, none is
    /// given, as a server may choose.
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

fn field(text: &str) -> HeaderValue {
    HeaderValue::try_from(text).expect("numbers and plain letters")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Conduct;

    fn answer() -> Response {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT_RANGES, HeaderValue::from_static("bytes"));
        headers.insert(ETAG, HeaderValue::from_static("\"a\""));
        Response { status: StatusCode::OK, headers, body: Body::Whole("0123456789".into()), conduct: Conduct::Plain }
    }

    fn told(response: &Response) -> (u16, String, Option<&str>) {
        let Body::Whole(bytes) = &response.body else { panic!("a whole body") };
        let range = response.headers.get(CONTENT_RANGE).map(|range| range.to_str().expect("ASCII"));
        (response.status.as_u16(), String::from_utf8(bytes.to_vec()).expect("digits"), range)
    }

    #[test]
    fn a_part_is_what_was_asked_for() {
        let check = |range: &str, status: u16, body: &str, told_range: Option<&str>| {
            let request = Request::get("http://h.example/").with(RANGE, range);
            let response = cut_out(&request, answer());
            assert_eq!(told(&response), (status, body.to_owned(), told_range), "{range}");
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
    fn what_has_changed_comes_whole() {
        let check = |condition: &str, status: u16| {
            let request = Request::get("http://h.example/").with(RANGE, "bytes=5-").with(IF_RANGE, condition);
            assert_eq!(cut_out(&request, answer()).status, status, "{condition}");
        };

        check("\"a\"", 206);
        check("\"b\"", 200);
        check("W/\"a\"", 200);
    }

    #[test]
    fn what_does_not_say_that_it_can_be_cut_is_not() {
        let mut whole = answer();
        whole.headers.remove(ACCEPT_RANGES);

        assert_eq!(cut_out(&Request::get("http://h.example/").with(RANGE, "bytes=2-5"), whole).status, 200);
    }
}
