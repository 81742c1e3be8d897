//! Captures the heads of responses for request logs.
//!
//! A fetcher returns only the parts of a response that a crawl needs. A request log needs more: the status of a
//! robots.txt, the fields of a redirect. The fetcher records the head in a task-local value; if no capture is active,
//! nothing is stored. Otherwise every fetcher, wrapper and return value would have to carry the head for the few crawls
//! with a request log.

use std::cell::RefCell;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, SET_COOKIE};
use http::{HeaderMap, StatusCode};

use super::response::header_text;

/// How much of a head is captured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum HeadDetail {
    /// Nothing.
    #[default]
    None,
    /// The status, `Content-Type` and `Content-Length`.
    Summary,
    /// The summary and all header fields.
    Fields,
}

/// The captured head of a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ResponseHead {
    /// The status code.
    pub status: Option<u16>,
    /// The `Content-Type` field.
    pub content_type: Option<String>,
    /// The `Content-Length` field.
    pub content_length: Option<u64>,
    /// Names and values of fields in the order of the response, without cookies, which are private to the session.
    /// Bounded in number and length.
    pub fields: Vec<(String, String)>,
}

impl ResponseHead {
    /// Maximum number of captured fields.
    pub const MAX_FIELDS: usize = 100;
    /// Maximum length of a captured value, in characters; longer ones are truncated.
    pub const MAX_VALUE_CHARACTERS: usize = 4_096;
}

tokio::task_local! {
    static CAPTURED_HEAD: RefCell<(HeadDetail, ResponseHead)>;
}

/// Runs a future and returns its output with the captured head. If there are several responses, the last one is
/// captured.
pub async fn capture<W: Future>(detail: HeadDetail, work: W) -> (W::Output, ResponseHead) {
    if detail == HeadDetail::None {
        return (work.await, ResponseHead::default());
    }
    let capturing = async {
        let done = work.await;
        let head = CAPTURED_HEAD.with(|slot| std::mem::take(&mut slot.borrow_mut().1));
        (done, head)
    };
    CAPTURED_HEAD.scope(RefCell::new((detail, ResponseHead::default())), capturing).await
}

/// Records the head of a response, if a capture is active.
pub fn record(status: StatusCode, headers: &HeaderMap) {
    // If no capture is active, the head is discarded.
    let _ = CAPTURED_HEAD.try_with(|slot| {
        let (detail, head) = &mut *slot.borrow_mut();
        *head = ResponseHead {
            status: Some(status.as_u16()),
            content_type: header_text(headers, &CONTENT_TYPE),
            content_length: header_text(headers, &CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()),
            fields: if *detail == HeadDetail::Fields { fields(headers) } else { Vec::new() },
        };
    });
}

fn fields(headers: &HeaderMap) -> Vec<(String, String)> {
    let public = headers.iter().filter(|(name, _)| **name != SET_COOKIE).take(ResponseHead::MAX_FIELDS);
    let truncated =
        |value: &[u8]| String::from_utf8_lossy(value).chars().take(ResponseHead::MAX_VALUE_CHARACTERS).collect();
    public.map(|(name, value)| (name.as_str().to_owned(), truncated(value.as_bytes()))).collect()
}

#[cfg(test)]
mod tests {
    use http::header::{LINK, LOCATION};

    use super::*;

    fn record_response() {
        let headers = HeaderMap::from_iter([
            (LOCATION, "/there".parse().unwrap()),
            (SET_COOKIE, "secret".parse().unwrap()),
            (CONTENT_LENGTH, "12".parse().unwrap()),
        ]);
        record(StatusCode::SEE_OTHER, &headers);
    }

    #[tokio::test]
    async fn head_is_stored_only_during_a_capture() {
        record_response();
        let (done, nothing) = capture(HeadDetail::None, async { record_response() }).await;
        let ((), summary) = capture(HeadDetail::Summary, async { record_response() }).await;
        let ((), all) = capture(HeadDetail::Fields, async { record_response() }).await;

        assert_eq!((done, nothing), ((), ResponseHead::default()));
        let expected = ResponseHead { status: Some(303), content_length: Some(12), ..ResponseHead::default() };
        assert_eq!(summary, expected);
        let fields = [("location", "/there"), ("content-length", "12")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(all, ResponseHead { fields: fields.to_vec(), ..expected });
    }

    #[tokio::test]
    async fn fields_are_bounded_in_number_and_length() {
        let long = "x".repeat(10_000);
        let headers = (0..200).map(|_| (LINK, long.parse().unwrap()));
        let headers: HeaderMap = headers.fold(HeaderMap::new(), |mut all, (name, value)| {
            all.append(name, value);
            all
        });

        let ((), head) = capture(HeadDetail::Fields, async { record(StatusCode::OK, &headers) }).await;

        assert_eq!(head.fields.len(), ResponseHead::MAX_FIELDS);
        assert_eq!(head.fields[0].1.len(), ResponseHead::MAX_VALUE_CHARACTERS);
    }
}
