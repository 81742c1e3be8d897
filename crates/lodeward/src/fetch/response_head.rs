//! The head of a response, for request logs.
//!
//! A crawl needs few parts of a response. A request log needs more: the status of a robots.txt, the fields of a
//! redirect. A fetcher returns the head beside the result, as detailed as the request asks for.

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
    pub status: u16,
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
    pub(crate) const MAX_FIELDS: usize = 100;
    /// Maximum length of a captured value, in characters; longer ones are truncated.
    pub(crate) const MAX_VALUE_CHARACTERS: usize = 4_096;

    /// Captures the head of a response; `None` if no detail is requested.
    #[must_use]
    pub fn capture(detail: HeadDetail, status: StatusCode, headers: &HeaderMap) -> Option<Box<Self>> {
        let head = || Self {
            status: status.as_u16(),
            content_type: header_text(headers, &CONTENT_TYPE),
            content_length: header_text(headers, &CONTENT_LENGTH).and_then(|length| length.trim().parse().ok()),
            fields: if detail == HeadDetail::Fields { fields(headers) } else { Vec::new() },
        };
        (detail != HeadDetail::None).then(|| Box::new(head()))
    }
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

    #[test]
    fn head_is_as_detailed_as_requested() {
        let headers = HeaderMap::from_iter([
            (LOCATION, "/there".parse().unwrap()),
            (SET_COOKIE, "secret".parse().unwrap()),
            (CONTENT_LENGTH, "12".parse().unwrap()),
        ]);
        let capture = |detail| ResponseHead::capture(detail, StatusCode::SEE_OTHER, &headers);

        assert_eq!(capture(HeadDetail::None), None);
        let expected = ResponseHead { status: 303, content_length: Some(12), ..ResponseHead::default() };
        assert_eq!(*capture(HeadDetail::Summary).unwrap(), expected);
        let fields = [("location", "/there"), ("content-length", "12")].map(|(n, v)| (n.to_owned(), v.to_owned()));
        assert_eq!(*capture(HeadDetail::Fields).unwrap(), ResponseHead { fields: fields.to_vec(), ..expected });
    }

    #[test]
    fn fields_are_bounded_in_number_and_length() {
        let long = "x".repeat(10_000);
        let headers = (0..200).map(|_| (LINK, long.parse().unwrap()));
        let headers: HeaderMap = headers.fold(HeaderMap::new(), |mut all, (name, value)| {
            all.append(name, value);
            all
        });

        let head = ResponseHead::capture(HeadDetail::Fields, StatusCode::OK, &headers).unwrap();

        assert_eq!(head.fields.len(), ResponseHead::MAX_FIELDS);
        assert_eq!(head.fields[0].1.len(), ResponseHead::MAX_VALUE_CHARACTERS);
    }
}
